/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cachetest.c - see cachetest.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xx/csum.h>
#include <xx/endian.h>
#include "cachetest.h"

enum {
	MAGIC = 0x54455354
};

struct block {
	le32 crc;
	le32 magic;
	le64 offset;
	le32 value;
};

static const enum xx_engine_id engines[RIG_KINDS] = {
	XX_ENGINE_URING,
	XX_ENGINE_AIO,
	XX_ENGINE_THREADS,
	XX_ENGINE_MEMORY,
};

static le32 block_crc(const void *data, size_t length)
{
	return xx_crc32c_block(data, length, offsetof(struct block, crc));
}

static int verify_content(const struct xx_buf *buf, uint32_t magic)
{
	const struct block *block = buf->data;

	if (le32_get(block->magic) != magic || le64_get(block->offset) != buf->offset)
		return -EUCLEAN;
	return 0;
}

static int verify_read(const struct xx_buf *buf)
{
	const struct block *block = buf->data;
	struct rig_seen *seen = buf->fs;

	seen->verify_read++;
	if (le32_get(block->crc) != le32_get(block_crc(buf->data, buf->length)))
		return -EBADMSG;
	return verify_content(buf, MAGIC);
}

static int verify_write(const struct xx_buf *buf)
{
	struct rig_seen *seen = buf->fs;

	seen->verify_write++;
	return buf->offset == seen->refuse_write ? -EUCLEAN : verify_content(buf, MAGIC);
}

static int stamp(struct xx_buf *buf)
{
	struct block *block = buf->data;
	struct rig_seen *seen = buf->fs;

	seen->stamp++;
	if (buf->offset == seen->refuse_stamp)
		return -EOPNOTSUPP;
	block->crc = block_crc(buf->data, buf->length);
	return 0;
}

static int verify_other(const struct xx_buf *buf)
{
	return verify_content(buf, MAGIC + 1);
}

const struct xx_buf_ops rig_ops = {
	.name = "test block",
	.verify_read = verify_read,
	.verify_write = verify_write,
	.stamp = stamp,
};

const struct xx_buf_ops rig_other_ops = {
	.name = "other block",
	.verify_read = verify_other,
};

static void hear(enum xx_level level, const char *text, void *private)
{
	struct rig *rig = private;

	if (level != XX_ERROR)
		return;
	rig->messages++;
	snprintf(rig->said, sizeof(rig->said), "%s", text);
}

static void open_file(struct rig *rig)
{
	const struct xx_device_options options = {
		.flags = XX_DEVICE_WRITE,
		.set_size = true,
		.size = (uint64_t)RIG_BLOCKS * RIG_BLOCK,
	};
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/xx-cache-XXXXXX", dir ? dir : "/tmp");
	fd = mkstemp(path);
	cr_assert_geq(fd, 0, "%s", path);
	cr_assert_eq(xx_device_open(rig->ctx, path, &options, &rig->dev), 0, "%s", rig->said);
	close(fd);
	unlink(path);
}

static void open_memory(struct rig *rig)
{
	const struct xx_memory_options options = {
		.size = (uint64_t)RIG_BLOCKS * RIG_BLOCK,
		.offset_align = 512,
		.memory_align = 512,
	};

	cr_assert_eq(xx_device_memory_create(rig->ctx, &options, &rig->dev), 0);
}

void rig_open(struct rig *rig, unsigned kind, size_t budget)
{
	const struct xx_ring_options options = { .engine = engines[kind], .depth = RIG_DEPTH };
	int ret;

	memset(rig, 0, sizeof(*rig));
	rig->seen.refuse_write = UINT64_MAX;
	rig->seen.refuse_stamp = UINT64_MAX;
	cr_assert_eq(xx_ctx_create(hear, rig, &rig->ctx), 0);
	ret = xx_ring_create(rig->ctx, &options, &rig->ring);
	if (ret == -EPERM || ret == -ENOSYS) {
		xx_ctx_destroy(rig->ctx);
		cr_skip_test("this engine is not permitted here");
	}
	cr_assert_eq(ret, 0, "%s", rig->said);
	if (engines[kind] == XX_ENGINE_MEMORY)
		open_memory(rig);
	else
		open_file(rig);
	cr_assert_eq(xx_cache_create(rig->ctx, rig->ring, budget, &rig->seen, &rig->cache), 0);
}

int rig_close_cache(struct rig *rig)
{
	const int ret = xx_cache_destroy(rig->cache);

	rig->cache = NULL;
	return ret;
}

void rig_close(struct rig *rig)
{
	cr_expect_eq(rig_close_cache(rig), 0);
	cr_expect_eq(xx_ring_inflight(rig->ring), 0);
	xx_ring_destroy(rig->ring);
	cr_expect_eq(xx_device_close(rig->dev), 0);
	xx_ctx_destroy(rig->ctx);
}

void *rig_peek(struct rig *rig, uint64_t offset)
{
	void *block = aligned_alloc(RIG_BLOCK, RIG_BLOCK);

	cr_assert_not_null(block);
	cr_assert_eq(xx_device_read(rig->dev, offset, block, RIG_BLOCK), 0);
	return block;
}

void rig_poke(struct rig *rig, uint64_t offset, const void *block)
{
	void *aligned = aligned_alloc(RIG_BLOCK, RIG_BLOCK);

	cr_assert_not_null(aligned);
	memcpy(aligned, block, RIG_BLOCK);
	cr_assert_eq(xx_device_write(rig->dev, offset, aligned, RIG_BLOCK), 0);
	free(aligned);
}

static void fill_block(void *data, uint64_t offset, uint32_t value)
{
	struct block *block = data;

	memset(data, (int)value & 0xff, RIG_BLOCK);
	block->magic = le32_make(MAGIC);
	block->offset = le64_make(offset);
	block->value = le32_make(value);
}

bool rig_holds(struct rig *rig, uint64_t offset, uint32_t value)
{
	struct block *expected = calloc(1, RIG_BLOCK);
	void *block = rig_peek(rig, offset);
	bool same;

	cr_assert_not_null(expected);
	fill_block(expected, offset, value);
	expected->crc = block_crc(expected, RIG_BLOCK);
	same = memcmp(block, expected, RIG_BLOCK) == 0;
	free(block);
	free(expected);
	return same;
}

size_t rig_room(size_t n)
{
	return n * buf_charge(1, RIG_BLOCK);
}

struct xx_buf *rig_get(struct rig *rig, unsigned nr)
{
	struct xx_buf *buf;

	cr_assert_eq(xx_cache_get(rig->cache, rig->dev, (uint64_t)nr * RIG_BLOCK, RIG_BLOCK, &buf), 0);
	return buf;
}

int rig_read(struct rig *rig, unsigned nr, struct xx_buf **out)
{
	return xx_cache_read(rig->cache, rig->dev, (uint64_t)nr * RIG_BLOCK, RIG_BLOCK, &rig_ops, out);
}

void rig_touch(struct rig *rig, unsigned nr)
{
	struct xx_buf *buf;

	cr_assert_eq(rig_read(rig, nr, &buf), 0, "block %u", nr);
	xx_buf_put(buf);
}

struct xx_cache_stats rig_stats(struct rig *rig)
{
	struct xx_cache_stats stats;

	xx_cache_stats(rig->cache, &stats);
	return stats;
}

struct xx_buf *rig_fill(struct rig *rig, unsigned nr, uint32_t value)
{
	struct xx_buf *buf = rig_get(rig, nr);

	fill_block(buf->data, buf->offset, value);
	buf->ops = &rig_ops;
	return buf;
}

void rig_format(struct rig *rig, unsigned nr, uint32_t value)
{
	const uint64_t offset = (uint64_t)nr * RIG_BLOCK;
	struct block *block = calloc(1, RIG_BLOCK);

	cr_assert_not_null(block);
	fill_block(block, offset, value);
	block->crc = block_crc(block, RIG_BLOCK);
	rig_poke(rig, offset, block);
	free(block);
}

uint32_t rig_value(const struct xx_buf *buf)
{
	const struct block *block = buf->data;

	return le32_get(block->value);
}
