/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * buf.c - making, counting, declaring and freeing single buffers.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xx/device.h>
#include <xx/units.h>
#include "cache/buf.h"

/* Memory is aligned to this, or to what the device wants if that is more. */
enum {
	BUF_ALIGN = 512
};

static size_t header_size(unsigned count)
{
	return sizeof(struct buf) + count * sizeof(struct piece);
}

size_t buf_charge(unsigned count, size_t length)
{
	return header_size(count) + length;
}

static void insert_pieces(struct buf *buf, const struct xx_extent *ranges)
{
	for (unsigned i = 0; i < buf->npieces; i++) {
		struct piece *piece = &buf->pieces[i];

		piece->buf = buf;
		piece->node.dev = buf->pub.device;
		piece->node.offset = ranges[i].start;
		piece->node.len = ranges[i].len;
		index_insert(&buf->cache->index, &piece->node);
	}
}

int buf_create(struct xx_cache *cache, struct xx_device *dev, const struct xx_extent *ranges, unsigned count,
	       struct buf **out)
{
	struct xx_cache_stats *stats = &cache->stats;
	const size_t align = xx_max(xx_device_info(dev)->memory_align, BUF_ALIGN);
	struct buf *buf = calloc(1, header_size(count));

	if (!buf)
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++)
		buf->pub.length += ranges[i].len;
	if (posix_memalign(&buf->pub.data, align, buf->pub.length)) {
		free(buf);
		return -ENOMEM;
	}
	memset(buf->pub.data, 0, buf->pub.length);
	buf->pub.device = dev;
	buf->pub.offset = ranges[0].start;
	buf->pub.fs = cache->fs;
	buf->cache = cache;
	buf->refs = 1;
	buf->charge = buf_charge(count, buf->pub.length);
	buf->npieces = count;
	insert_pieces(buf, ranges);
	list_init(&buf->queued);
	list_append(&cache->busy, &buf->lru);
	stats->buffers++;
	stats->bytes += buf->charge;
	stats->bytes_max = xx_max(stats->bytes_max, stats->bytes);
	*out = buf;
	return 0;
}

void buf_destroy(struct buf *buf)
{
	struct xx_cache *cache = buf->cache;

	assert(buf->refs == 0 && !buf->dirty && !buf->queue && buf->pending == 0);
	for (unsigned i = 0; i < buf->npieces; i++)
		index_remove(&cache->index, &buf->pieces[i].node);
	list_del(&buf->lru);
	cache->stats.buffers--;
	cache->stats.bytes -= buf->charge;
	free(buf->pub.data);
	free(buf);
}

void buf_settle(struct buf *buf)
{
	struct xx_cache *cache = buf->cache;

	if (buf->refs)
		list_move(&cache->busy, &buf->lru);
	else if (buf->dirty)
		list_move(&cache->dirty, &buf->lru);
	else
		list_move(&cache->clean, &buf->lru);
}

void buf_set_dirty(struct buf *buf, bool dirty)
{
	if (buf->dirty == dirty)
		return;
	buf->dirty = dirty;
	if (dirty)
		buf->cache->stats.dirty++;
	else
		buf->cache->stats.dirty--;
}

struct xx_buf *xx_buf_get(struct xx_buf *pub)
{
	struct buf *buf = buf_of(pub);

	if (buf->refs++ == 0)
		buf_settle(buf);
	return pub;
}

void xx_buf_put(struct xx_buf *pub)
{
	struct buf *buf;

	if (!pub)
		return;
	buf = buf_of(pub);
	assert(buf->refs > 0);
	if (--buf->refs == 0)
		buf_settle(buf);
}

void xx_buf_dirty(struct xx_buf *pub)
{
	struct buf *buf = buf_of(pub);

	assert(buf->refs > 0 && buf->pending == 0 && !buf->writing);
	buf->filled = true;
	buf_set_dirty(buf, true);
}

bool xx_buf_is_dirty(const struct xx_buf *pub)
{
	return buf_of(pub)->dirty;
}

void xx_buf_forget(struct xx_buf *pub)
{
	struct buf *buf = buf_of(pub);

	assert(buf->refs > 0 && buf->pending == 0 && !buf->writing);
	if (buf->queue)
		delwri_remove(buf);
	buf_set_dirty(buf, false);
	buf->filled = false;
	pub->ops = NULL;
	pub->error = 0;
}
