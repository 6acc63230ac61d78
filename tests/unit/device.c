/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device.c - tests: what can be opened and what cannot, and what was learned; devices in memory; recorders.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <xx/units.h>
#include "ring_common.h"

struct scratch {
	struct rig rig; /* for its messages */
	char dir[200];
	char path[256];
};

static const char *name(struct scratch *s, const char *leaf)
{
	snprintf(s->path, sizeof(s->path), "%s/%s", s->dir, leaf);
	return s->path;
}

static void begin(struct scratch *s)
{
	const char *tmp = getenv("TMPDIR");

	memset(s, 0, sizeof(*s));
	snprintf(s->dir, sizeof(s->dir), "%s/xx-test-XXXXXX", tmp ? tmp : "/tmp");
	cr_assert_not_null(mkdtemp(s->dir));
	cr_assert_eq(xx_ctx_create(rig_sink, &s->rig, &s->rig.ctx), 0);
}

static void end(struct scratch *s)
{
	xx_ctx_destroy(s->rig.ctx);
	cr_assert_eq(rmdir(s->dir), 0);
}

static int open_flags(struct scratch *s, const char *path, uint32_t flags, struct xx_device **dev)
{
	struct xx_device_options options = { .flags = flags };

	s->rig.messages = 0;
	return xx_device_open(s->rig.ctx, path, &options, dev);
}

static void expect_error(struct scratch *s, const char *path, uint32_t flags, int err, const char *text)
{
	struct xx_device *dev;

	cr_assert_eq(open_flags(s, path, flags, &dev), err);
	cr_assert_eq(s->rig.messages, 1);
	cr_assert_not_null(strstr(s->rig.message, text), "%s", s->rig.message);
	cr_assert_not_null(strstr(s->rig.message, path), "%s", s->rig.message);
}

static void make_file(struct scratch *s, const char *leaf, off_t size)
{
	int fd = open(name(s, leaf), O_CREAT | O_RDWR, 0600);

	cr_assert_geq(fd, 0);
	cr_assert_eq(ftruncate(fd, size), 0);
	close(fd);
}

Test(device, each_wrong_kind_has_its_message)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct scratch s;
	int sock;

	begin(&s);
	expect_error(&s, s.dir, XX_DEVICE_WRITE, -EISDIR, "directory");
	expect_error(&s, "/dev/null", XX_DEVICE_WRITE, -ENOTBLK, "character device");
	cr_assert_eq(mkfifo(name(&s, "fifo"), 0600), 0);
	expect_error(&s, s.path, 0, -ENOTBLK, "FIFO");
	unlink(s.path);
	sock = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%.100s", name(&s, "s"));
	cr_assert_eq(bind(sock, (struct sockaddr *)&address, sizeof(address)), 0);
	expect_error(&s, s.path, XX_DEVICE_WRITE, -ENOTBLK, "socket");
	close(sock);
	unlink(s.path);
	expect_error(&s, name(&s, "none"), XX_DEVICE_WRITE, -ENOENT, "No such file");
	expect_error(&s, name(&s, "none/none"), XX_DEVICE_WRITE | XX_DEVICE_CREATE, -ENOENT, "No such file");
	end(&s);
}

Test(device, contradicting_options)
{
	struct scratch s;

	begin(&s);
	make_file(&s, "file", 4096);
	expect_error(&s, s.path, XX_DEVICE_DIRECT | XX_DEVICE_BUFFERED, -EINVAL, "contradicting");
	expect_error(&s, s.path, XX_DEVICE_CREATE, -EINVAL, "contradicting");
	expect_error(&s, s.path, XX_DEVICE_TRUNCATE, -EINVAL, "contradicting");
	unlink(s.path);
	end(&s);
}

Test(device, what_is_learned_of_a_file)
{
	const struct xx_device_info *info;
	struct xx_device *dev;
	struct scratch s;

	begin(&s);
	make_file(&s, "file", 12345678);
	cr_assert_eq(open_flags(&s, s.path, XX_DEVICE_BUFFERED, &dev), 0);
	info = xx_device_info(dev);
	cr_assert_eq(info->kind, XX_DEVICE_FILE);
	cr_assert_str_eq(info->path, s.path);
	cr_assert_eq(info->size, 12345678);
	cr_assert_eq(info->logical_sector, 512);
	cr_assert_eq(info->offset_align, 1);
	cr_assert(!info->writable && !info->direct && !info->integrity.capable);
	cr_assert_geq(xx_device_fd(dev), 0);
	cr_assert_eq(xx_device_close(dev), 0);
	cr_assert_eq(open_flags(&s, s.path, XX_DEVICE_WRITE, &dev), 0);
	info = xx_device_info(dev);
	cr_assert(info->writable);
	cr_assert(xx_is_pow2(info->offset_align) && xx_is_pow2(info->memory_align));
	cr_assert_eq(info->direct, info->offset_align > 1);
	cr_assert_eq(info->max_request % info->offset_align, 0);
	cr_assert_eq(xx_device_close(dev), 0);
	cr_assert_eq(xx_device_close(NULL), 0);
	unlink(s.path);
	end(&s);
}

Test(device, a_link_leads_to_the_file)
{
	struct xx_device *dev;
	struct scratch s;
	char target[256];

	begin(&s);
	make_file(&s, "file", 8192);
	snprintf(target, sizeof(target), "%s", s.path);
	cr_assert_eq(symlink(target, name(&s, "link")), 0);
	cr_assert_eq(open_flags(&s, s.path, XX_DEVICE_WRITE, &dev), 0);
	cr_assert_eq(xx_device_info(dev)->size, 8192);
	cr_assert_eq(xx_device_close(dev), 0);
	unlink(s.path);
	unlink(target);
	end(&s);
}

Test(device, files_are_made_and_sized)
{
	struct xx_device_options options = { .flags = XX_DEVICE_WRITE | XX_DEVICE_CREATE,
					     .mode = 0640,
					     .set_size = true,
					     .size = 1 << 20 };
	struct xx_device *dev;
	struct scratch s;
	struct stat st;
	char *buf = rig_buffer(4096);

	begin(&s);
	umask(0);
	cr_assert_eq(xx_device_open(s.rig.ctx, name(&s, "new"), &options, &dev), 0);
	cr_assert_eq(xx_device_info(dev)->size, 1 << 20);
	memset(buf, 7, 4096);
	cr_assert_eq(xx_device_write(dev, 4096, buf, 4096), 0);
	cr_assert_eq(xx_device_flush(dev), 0);
	cr_assert_eq(xx_device_close(dev), 0);
	cr_assert_eq(stat(s.path, &st), 0);
	cr_assert_eq(st.st_mode & 0777, 0640);

	options.flags |= XX_DEVICE_TRUNCATE;
	options.size = 2 << 20;
	cr_assert_eq(xx_device_open(s.rig.ctx, s.path, &options, &dev), 0);
	cr_assert_eq(xx_device_info(dev)->size, 2 << 20);
	cr_assert_eq(xx_device_read(dev, 4096, buf, 4096), 0);
	cr_assert_eq(buf[0], 0);
	cr_assert_eq(xx_device_read(dev, 2 << 20, buf, 4096), -ENXIO);
	cr_assert_eq(xx_device_close(dev), 0);
	unlink(s.path);

	options.size = UINT64_MAX;
	cr_assert_eq(xx_device_open(s.rig.ctx, s.path, &options, &dev), -EFBIG);
	options.size = INT64_MAX;
	if (xx_device_open(s.rig.ctx, s.path, &options, &dev) == 0) {
		xx_device_close(dev);
		unlink(s.path);
	} else {
		cr_assert_eq(access(s.path, F_OK), -1, "a file that could not be made as large was left");
	}
	free(buf);
	end(&s);
}

/* An open file gets another size or way of I/O, and stays the file that it is. */
Test(device, an_open_file_is_resized_and_buffered)
{
	struct scratch s;
	struct xx_device *dev;
	const char *path;

	begin(&s);
	path = name(&s, "file");
	cr_assert_eq(open_flags(&s, path, XX_DEVICE_WRITE | XX_DEVICE_CREATE, &dev), 0);
	cr_assert_eq(xx_device_resize(dev, XX_MIB), 0);
	cr_assert_eq(xx_device_info(dev)->size, XX_MIB);
	cr_assert_eq(xx_device_buffer(dev), 0);
	cr_assert_not(xx_device_info(dev)->direct);
	cr_assert_eq(xx_device_write(dev, XX_MIB - 3, "abc", 3), 0);
	cr_assert_eq(xx_device_close(dev), 0);

	cr_assert_eq(open_flags(&s, path, 0, &dev), 0);
	cr_assert_eq(xx_device_info(dev)->size, XX_MIB);
	cr_assert_eq(xx_device_resize(dev, 0), -EINVAL);
	cr_assert_eq(s.rig.messages, 1);
	cr_assert_eq(xx_device_close(dev), 0);
	cr_assert_eq(unlink(path), 0);
	end(&s);
}

Test(device, one_writer)
{
	struct xx_device *dev, *other;
	struct scratch s;
	char path[256];

	begin(&s);
	make_file(&s, "file", 8192);
	snprintf(path, sizeof(path), "%s", s.path);
	cr_assert_eq(open_flags(&s, path, XX_DEVICE_WRITE, &dev), 0);
	expect_error(&s, path, XX_DEVICE_WRITE, -EBUSY, "in use");
	cr_assert_eq(open_flags(&s, path, 0, &other), 0);
	xx_device_close(other);
	cr_assert_eq(open_flags(&s, path, XX_DEVICE_WRITE | XX_DEVICE_SHARED, &other), 0);
	xx_device_close(other);
	xx_device_close(dev);
	cr_assert_eq(open_flags(&s, path, XX_DEVICE_WRITE, &dev), 0);
	xx_device_close(dev);
	unlink(path);
	end(&s);
}

/* What is in use keeps what it holds, also when asked to be emptied. */
Test(device, what_is_in_use_is_not_truncated)
{
	struct xx_device *dev;
	struct scratch s;
	struct stat st;

	begin(&s);
	make_file(&s, "file", 8192);
	cr_assert_eq(open_flags(&s, s.path, XX_DEVICE_WRITE, &dev), 0);
	expect_error(&s, s.path, XX_DEVICE_WRITE | XX_DEVICE_TRUNCATE, -EBUSY, "in use");
	cr_assert_eq(stat(s.path, &st), 0);
	cr_assert_eq(st.st_size, 8192);
	xx_device_close(dev);
	unlink(s.path);
	end(&s);
}

Test(device, in_use_by_nobody)
{
	struct scratch s;
	char by[64];

	begin(&s);
	make_file(&s, "file", 8192);
	cr_assert_eq(xx_device_in_use(s.path, by, sizeof(by)), 0);
	unlink(s.path);
	cr_assert_eq(xx_device_in_use(s.path, by, sizeof(by)), -ENOENT);
	end(&s);
}

Test(device, unaligned_direct)
{
	struct xx_device *dev;
	struct scratch s;
	char *buf = rig_buffer(8192);

	begin(&s);
	make_file(&s, "file", 1 << 20);
	cr_assert_eq(open_flags(&s, s.path, XX_DEVICE_WRITE, &dev), 0);
	if (xx_device_info(dev)->direct) {
		cr_assert_eq(xx_device_write(dev, 1, buf, 4096), -EINVAL);
		cr_assert_eq(xx_device_write(dev, 0, buf, 4095), -EINVAL);
		cr_assert_eq(xx_device_read(dev, 0, buf + 1, 4096), -EINVAL);
	}
	cr_assert_eq(xx_device_read(dev, 0, buf, 0), -EINVAL);
	cr_assert_eq(xx_device_read(dev, UINT64_MAX - 4095, buf, 4096), -EINVAL);
	xx_device_close(dev);
	unlink(s.path);
	free(buf);
	end(&s);
}

/* --- In memory --- */

/* A device in memory against a plain array. */
Test(device_memory, like_an_array)
{
	enum {
		SIZE = 1 << 20,
		STEPS = 3000
	};
	struct xx_memory_options options = { .size = SIZE, .discard = true };
	uint8_t *model = calloc(1, SIZE), *buf = malloc(SIZE);
	struct xx_device *dev;
	uint64_t random = 1;

	cr_assert_eq(xx_device_memory_create(NULL, &options, &dev), 0);
	for (int i = 0; i < STEPS; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		uint64_t offset = (random >> 20) % SIZE;
		uint64_t length = 1 + (random >> 45) % 20000;

		if (length > SIZE - offset)
			length = SIZE - offset;
		if (random >> 62 == 0) {
			struct xx_record zero = { .kind = XX_RECORD_ZERO, .offset = offset, .length = length };

			cr_assert_eq(xx_record_replay(&zero, UINT64_MAX, dev), 0);
			memset(model + offset, 0, length);
		} else {
			memset(buf, i, length);
			cr_assert_eq(xx_device_write(dev, offset, buf, length), 0);
			memset(model + offset, i, length);
		}
	}
	cr_assert_eq(xx_device_read(dev, 0, buf, SIZE), 0);
	cr_assert_arr_eq(buf, model, SIZE);
	cr_assert_leq(xx_device_memory_used(dev), SIZE);
	xx_device_close(dev);
	free(model);
	free(buf);
}

/* Zeroing a large range drops all pages of it, and nothing else. */
Test(device_memory, large_zero)
{
	struct xx_memory_options options = { .size = UINT64_C(1) << 60, .discard = true };
	struct xx_record zero = { .kind = XX_RECORD_DISCARD, .offset = 5000, .length = UINT64_C(1) << 59 };
	struct xx_device *dev;
	uint8_t buf[3000], back[3000];

	memset(buf, 0x11, sizeof(buf));
	cr_assert_eq(xx_device_memory_create(NULL, &options, &dev), 0);
	for (uint64_t i = 0; i < 2000; i++)
		cr_assert_eq(xx_device_write(dev, i * 4096 * 1237, buf, sizeof(buf)), 0);
	cr_assert_eq(xx_device_write(dev, 4096, buf, sizeof(buf)), 0);
	cr_assert_eq(xx_device_write(dev, UINT64_C(1) << 59, buf, sizeof(buf)), 0);
	cr_assert_eq(xx_device_write(dev, (UINT64_C(1) << 59) + 4000, buf, sizeof(buf)), 0);
	cr_assert_eq(xx_record_replay(&zero, UINT64_MAX, dev), 0);
	cr_assert_eq(xx_device_read(dev, 0, back, sizeof(back)), 0);
	cr_assert_arr_eq(back, buf, sizeof(buf));
	cr_assert_eq(xx_device_read(dev, 4096, back, sizeof(back)), 0);
	cr_assert(back[903] == 0x11 && back[904] == 0);
	cr_assert_eq(xx_device_read(dev, (UINT64_C(1) << 59) + 4000, back, sizeof(back)), 0);
	cr_assert(back[999] == 0 && back[1000] == 0x11);
	cr_assert_eq(xx_device_memory_used(dev), 2 * 4096 + 4096);
	xx_device_close(dev);
}

/* Old contents that nobody wrote. */
Test(device_memory, fill)
{
	struct xx_memory_options options = { .size = 1 << 20, .fill = 0xa5, .logical_sector = 4096 };
	struct xx_device *dev;
	uint8_t buf[512];

	cr_assert_eq(xx_device_memory_create(NULL, &options, &dev), 0);
	cr_assert_eq(xx_device_info(dev)->logical_sector, 4096);
	cr_assert_eq(xx_device_read(dev, 512, buf, 512), 0);
	cr_assert(buf[0] == 0xa5 && buf[511] == 0xa5);
	memset(buf, 0, 512);
	cr_assert_eq(xx_device_write(dev, 512, buf, 512), 0);
	cr_assert_eq(xx_device_read(dev, 512, buf, 512), 0);
	cr_assert(buf[0] == 0);
	cr_assert_eq(xx_device_write(dev, (1 << 20) - 100, buf, 512), -ENOSPC);
	xx_device_close(dev);
	options.size = UINT64_MAX;
	cr_assert_eq(xx_device_memory_create(NULL, &options, &dev), -EINVAL);
}

/* --- Recorder --- */

Test(device_recorder, replay_gives_the_same_bytes)
{
	struct xx_memory_options options = { .size = 1 << 20 };
	struct xx_device *lower, *rec, *copy;
	struct xx_request req;
	struct xx_ring *ring;
	uint8_t buf[8192], a[8192], b[8192];

	cr_assert_eq(xx_device_memory_create(NULL, &options, &lower), 0);
	cr_assert_eq(xx_device_memory_create(NULL, &options, &copy), 0);
	cr_assert_eq(xx_device_recorder_create(NULL, lower, &rec), 0);
	cr_assert_eq(xx_ring_create(NULL, NULL, &ring), 0);
	rig_fill(buf, 0, sizeof(buf));
	xx_request_init(&req, XX_OP_WRITE, rec, 0, buf, sizeof(buf), NULL, NULL);
	cr_assert_eq(xx_ring_run(ring, &req), 0);
	xx_request_init(&req, XX_OP_FLUSH, rec, 0, NULL, 0, NULL, NULL);
	cr_assert_eq(xx_ring_run(ring, &req), 0);
	xx_request_init(&req, XX_OP_ZERO, rec, 1024, NULL, 1024, NULL, NULL);
	cr_assert_eq(xx_ring_run(ring, &req), 0);
	xx_request_init(&req, XX_OP_READ, rec, 0, a, sizeof(a), NULL, NULL);
	cr_assert_eq(xx_ring_run(ring, &req), 0);
	xx_ring_destroy(ring);

	cr_assert_eq(xx_recorder_count(rec), 4);
	cr_assert_eq(xx_recorder_get(rec, 0)->kind, XX_RECORD_WRITE);
	cr_assert_eq(xx_recorder_get(rec, 1)->kind, XX_RECORD_FLUSH);
	cr_assert_eq(xx_recorder_get(rec, 2)->kind, XX_RECORD_ZERO);
	cr_assert_eq(xx_recorder_get(rec, 3)->kind, XX_RECORD_READ);
	cr_assert_null(xx_recorder_get(rec, 4));
	for (size_t i = 0; i < 4; i++)
		cr_assert_eq(xx_record_replay(xx_recorder_get(rec, i), UINT64_MAX, copy), 0);
	cr_assert_eq(xx_device_read(copy, 0, b, sizeof(b)), 0);
	cr_assert_arr_eq(a, b, sizeof(a));
	cr_assert_eq(xx_record_replay(xx_recorder_get(rec, 0), 1536, copy), 0);
	cr_assert_eq(xx_device_read(copy, 0, b, sizeof(b)), 0);
	cr_assert_arr_eq(buf, b, 1536);
	cr_assert_eq(b[1536], 0);
	xx_recorder_reset(rec);
	cr_assert_eq(xx_recorder_count(rec), 0);
	xx_device_close(rec);
	xx_device_close(lower);
	xx_device_close(copy);
}
