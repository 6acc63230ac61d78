/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_common.c - what the tests of rings and plugs share.
 */
#include "ring_common.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct rig_kind rig_kinds[] = {
	{ "uring, direct", XX_ENGINE_URING, RIG_DIRECT },
	{ "uring, buffered", XX_ENGINE_URING, RIG_BUFFERED },
	{ "aio, direct", XX_ENGINE_AIO, RIG_DIRECT },
	{ "aio, buffered", XX_ENGINE_AIO, RIG_BUFFERED },
	{ "threads, direct", XX_ENGINE_THREADS, RIG_DIRECT },
	{ "threads, buffered", XX_ENGINE_THREADS, RIG_BUFFERED },
	{ "memory, direct", XX_ENGINE_MEMORY, RIG_DIRECT },
	{ "memory, memory", XX_ENGINE_MEMORY, RIG_MEMORY },
	{ "auto, memory that wants alignment", XX_ENGINE_AUTO, RIG_MEMORY_ALIGNED },
};
const size_t rig_count = sizeof(rig_kinds) / sizeof(rig_kinds[0]);

void rig_sink(enum xx_level level, const char *text, void *private)
{
	struct rig *rig = private;

	if (level > XX_WARNING)
		return;
	snprintf(rig->message, sizeof(rig->message), "%s", text);
	rig->messages++;
}

void *rig_buffer(size_t length)
{
	void *buf = NULL;

	if (posix_memalign(&buf, RIG_BLOCK, length) != 0)
		abort();
	return buf;
}

int rig_file(struct xx_ctx *ctx, uint64_t size, uint32_t flags, struct xx_device **out)
{
	const char *tmp = getenv("TMPDIR");
	struct xx_device_options options = { .flags = flags | XX_DEVICE_WRITE, .set_size = true, .size = size };
	char path[256];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/xx-test-XXXXXX", tmp ? tmp : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		abort();
	close(fd);
	ret = xx_device_open(ctx, path, &options, out);
	unlink(path);
	return ret;
}

static int open_device(struct rig *rig, enum rig_device kind)
{
	struct xx_memory_options memory = { .size = RIG_SIZE };

	switch (kind) {
	case RIG_DIRECT:
		return rig_file(rig->ctx, RIG_SIZE, 0, &rig->dev);
	case RIG_BUFFERED:
		return rig_file(rig->ctx, RIG_SIZE, XX_DEVICE_BUFFERED, &rig->dev);
	case RIG_MEMORY_ALIGNED:
		memory.offset_align = RIG_BLOCK;
		memory.memory_align = RIG_BLOCK;
		break;
	case RIG_MEMORY:
		break;
	}
	return xx_device_memory_create(rig->ctx, &memory, &rig->dev);
}

bool rig_open(struct rig *rig, size_t kind, uint32_t depth)
{
	struct xx_ring_options options = { .engine = rig_kinds[kind].engine, .depth = depth };
	int ret;

	memset(rig, 0, sizeof(*rig));
	rig->owner = pthread_self();
	if (xx_ctx_create(rig_sink, rig, &rig->ctx) < 0 || open_device(rig, rig_kinds[kind].device) < 0)
		abort();
	ret = xx_ring_create(rig->ctx, &options, &rig->ring);
	if (ret == 0)
		return true;
	xx_device_close(rig->dev);
	xx_ctx_destroy(rig->ctx);
	return false;
}

void rig_close(struct rig *rig)
{
	xx_ring_destroy(rig->ring);
	xx_device_close(rig->dev);
	xx_ctx_destroy(rig->ctx);
}

static void done(struct xx_request *req)
{
	struct rig_request *r = req->private;

	r->calls++;
	r->result = req->result;
	r->rig->calls++;
	if (req->result) {
		r->rig->errors++;
		r->rig->last_error = req->result;
	}
	if (!pthread_equal(pthread_self(), r->rig->owner))
		r->rig->elsewhere = true;
}

void rig_request(struct rig *rig, struct rig_request *r, enum xx_op op, uint64_t offset, size_t length)
{
	memset(r, 0, sizeof(*r));
	r->rig = rig;
	r->result = 1;
	if (op == XX_OP_READ || op == XX_OP_WRITE) {
		r->buf = rig_buffer(length);
		memset(r->buf, 0xee, length);
		if (op == XX_OP_WRITE)
			rig_fill(r->buf, offset, length);
	}
	xx_request_init(&r->req, op, rig->dev, offset, r->buf, length, done, r);
}

void rig_release(struct rig_request *r)
{
	free(r->buf);
	r->buf = NULL;
}

static uint8_t pattern(uint64_t offset)
{
	uint64_t z = (offset >> 3) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint8_t)((z >> 56) + offset) | 1;
}

void rig_fill(void *buf, uint64_t offset, size_t length)
{
	uint8_t *p = buf;

	for (size_t i = 0; i < length; i++)
		p[i] = pattern(offset + i);
}

bool rig_matches(const void *buf, uint64_t offset, size_t length)
{
	const uint8_t *p = buf;

	for (size_t i = 0; i < length; i++)
		if (p[i] != pattern(offset + i))
			return false;
	return true;
}

static bool check_device(struct rig *rig, uint64_t offset, size_t length, bool zero)
{
	uint8_t *buf = rig_buffer(length);
	bool ok = xx_device_read(rig->dev, offset, buf, length) == 0;

	if (ok && !zero)
		ok = rig_matches(buf, offset, length);
	for (size_t i = 0; ok && zero && i < length; i++)
		ok = buf[i] == 0;
	free(buf);
	return ok;
}

bool rig_device_matches(struct rig *rig, uint64_t offset, size_t length)
{
	return check_device(rig, offset, length, false);
}

bool rig_device_zero(struct rig *rig, uint64_t offset, size_t length)
{
	return check_device(rig, offset, length, true);
}
