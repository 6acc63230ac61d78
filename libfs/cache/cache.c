/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache.c - finding buffers by their place, and the life of a cache.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <xx/device.h>
#include <xx/units.h>
#include "cache/buf.h"

int xx_cache_create(struct xx_ctx *ctx, struct xx_ring *ring, size_t budget, void *fs, struct xx_cache **out)
{
	struct xx_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return -ENOMEM;
	cache->ctx = ctx;
	cache->ring = ring;
	cache->fs = fs;
	cache->budget = budget ? budget : XX_CACHE_BUDGET;
	list_init(&cache->busy);
	list_init(&cache->clean);
	list_init(&cache->dirty);
	xx_plug_init(&cache->ahead, ring);
	*out = cache;
	return 0;
}

/* Wait until nothing that was read ahead is under way. */
static int settle_readahead(struct xx_cache *cache)
{
	xx_cache_start(cache);
	while (!list_empty(&cache->busy)) {
		struct buf *buf = xx_container_of(cache->busy.next, struct buf, lru);
		int ret;

		if (!buf->pending)
			return 0;
		ret = buf_wait(buf);
		if (ret)
			return ret;
	}
	return 0;
}

int xx_cache_destroy(struct xx_cache *cache)
{
	int ret;

	if (!cache)
		return 0;
	ret = xx_ring_reap(cache->ring);
	if (ret >= 0)
		ret = settle_readahead(cache);
	if (ret)
		return ret;
	assert(list_empty(&cache->busy));
	ret = xx_cache_flush(cache);
	xx_cache_abandon(cache);
	while (!list_empty(&cache->clean))
		buf_destroy(xx_container_of(cache->clean.next, struct buf, lru));
	free(cache);
	return ret;
}

int xx_cache_flush(struct xx_cache *cache)
{
	struct xx_delwri queue;
	int ret;

	delwri_init(&queue, cache);
	cache_collect_dirty(cache, &queue, true);
	ret = xx_delwri_flush(&queue);
	delwri_release(&queue);
	return ret;
}

static void abandon(struct list *lru)
{
	struct list *member = lru->next;

	while (member != lru) {
		struct buf *buf = xx_container_of(member, struct buf, lru);

		member = member->next;
		if (!buf->dirty || buf->queue)
			continue;
		xx_buf_get(&buf->pub);
		xx_buf_forget(&buf->pub);
		xx_buf_put(&buf->pub);
	}
}

void xx_cache_abandon(struct xx_cache *cache)
{
	abandon(&cache->dirty);
	abandon(&cache->busy);
}

void xx_cache_stats(const struct xx_cache *cache, struct xx_cache_stats *out)
{
	*out = cache->stats;
}

/* Copy ranges to @out, with those that touch made one, and add their lengths up. How many there are, or -EINVAL. */
static int normalize(const struct xx_device_info *info, const struct xx_extent *ranges, unsigned count,
		     struct xx_extent *out, uint64_t *total)
{
	int n = 0;

	*total = 0;
	for (unsigned i = 0; i < count; i++) {
		const struct xx_extent r = ranges[i];

		if (r.len == 0 || r.start > INT64_MAX || r.len > INT64_MAX - r.start || r.len > SIZE_MAX / 2 - *total)
			return -EINVAL;
		if (r.start % info->offset_align || r.len % info->offset_align)
			return -EINVAL;
		*total += r.len;
		if (n > 0 && xx_extent_end(out[n - 1]) == r.start)
			out[n - 1].len += r.len;
		else
			out[n++] = r;
	}
	return n ? n : -EINVAL;
}

static bool overlap(struct xx_extent a, struct xx_extent b)
{
	return a.start < xx_extent_end(b) && b.start < xx_extent_end(a);
}

/* Does any range overlap another one? They are few. */
static bool overlap_among(const struct xx_extent *ranges, unsigned count)
{
	for (unsigned i = 1; i < count; i++) {
		for (unsigned j = 0; j < i; j++) {
			if (overlap(ranges[i], ranges[j]))
				return true;
		}
	}
	return false;
}

static struct buf *find_any(const struct xx_cache *cache, const struct xx_device *dev, struct xx_extent range)
{
	struct index_node *node = index_find(&cache->index, dev, range.start, range.len);

	return node ? xx_container_of(node, struct piece, node)->buf : NULL;
}

static bool same_ranges(const struct buf *buf, const struct xx_extent *ranges, unsigned count)
{
	if (buf->npieces != count)
		return false;
	for (unsigned i = 0; i < count; i++) {
		if (buf->pieces[i].node.offset != ranges[i].start || buf->pieces[i].node.len != ranges[i].len)
			return false;
	}
	return true;
}

/* Does somebody need the buffer, so that it cannot make place for another one that overlaps it? */
static bool is_live(const struct buf *buf)
{
	return buf->refs > buf->ahead || buf->dirty;
}

/* Drop what overlaps a range. 0; -EEXIST: something that is needed does; or an error of waiting for read-ahead. */
static int clear_range(struct xx_cache *cache, const struct xx_device *dev, struct xx_extent range)
{
	struct buf *other;

	while ((other = find_any(cache, dev, range))) {
		int ret;

		if (is_live(other))
			return -EEXIST;
		ret = buf_wait(other);
		if (ret)
			return ret;
		buf_destroy(other);
	}
	return 0;
}

bool xx_cache_conflicts(const struct xx_cache *cache, const struct xx_device *dev, uint64_t offset, size_t length)
{
	const struct xx_extent range = { offset, length };
	struct xx_extent rest = range;
	uint64_t end;

	if (xx_add_checked(offset, length, &end))
		return false;
	while (rest.len) {
		struct index_node *node = index_find(&cache->index, dev, rest.start, rest.len);
		const struct buf *buf;

		if (!node)
			return false;
		buf = xx_container_of(node, struct piece, node)->buf;
		if (same_ranges(buf, &range, 1))
			return false;
		if (is_live(buf))
			return true;
		rest.start = node->offset + node->len;
		rest.len = rest.start < end ? end - rest.start : 0;
	}
	return false;
}

/* Make a buffer where there is none. */
static int make(struct xx_cache *cache, struct xx_device *dev, const struct xx_extent *ranges, unsigned count,
		size_t total, struct buf **out)
{
	int ret = 0;

	for (unsigned i = 0; i < count && !ret; i++)
		ret = clear_range(cache, dev, ranges[i]);
	assert(ret != -EEXIST);
	if (!ret)
		ret = cache_make_room(cache, buf_charge(count, total));
	if (!ret)
		ret = buf_create(cache, dev, ranges, count, out);
	if (!ret)
		cache->stats.misses++;
	return ret;
}

/* A reference to a buffer of ranges that are sorted out. */
static int get(struct xx_cache *cache, struct xx_device *dev, const struct xx_extent *ranges, unsigned count,
	       size_t total, struct xx_buf **out)
{
	struct buf *buf = find_any(cache, dev, ranges[0]);
	int ret;

	if (buf && same_ranges(buf, ranges, count)) {
		ret = buf->writing ? -EDEADLK : buf_wait(buf);
		if (ret)
			return ret;
		cache->stats.hits++;
		*out = xx_buf_get(&buf->pub);
		return 0;
	}
	ret = make(cache, dev, ranges, count, total, &buf);
	if (!ret)
		*out = &buf->pub;
	return ret;
}

int xx_cache_get_ranges(struct xx_cache *cache, struct xx_device *dev, const struct xx_extent *ranges, unsigned count,
			struct xx_buf **out)
{
	struct xx_extent *sorted;
	uint64_t total;
	int ret;

	sorted = calloc(count ? count : 1, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	ret = normalize(xx_device_info(dev), ranges, count, sorted, &total);
	if (ret > 0 && overlap_among(sorted, (unsigned)ret))
		ret = -EINVAL;
	if (ret > 0)
		ret = get(cache, dev, sorted, (unsigned)ret, total, out);
	free(sorted);
	return ret;
}

int xx_cache_get(struct xx_cache *cache, struct xx_device *dev, uint64_t offset, size_t length, struct xx_buf **out)
{
	const struct xx_extent range = { offset, length };
	struct xx_extent sorted;
	uint64_t total;
	int ret;

	ret = normalize(xx_device_info(dev), &range, 1, &sorted, &total);
	if (ret < 0)
		return ret;
	return get(cache, dev, &sorted, 1, total, out);
}

void xx_cache_readahead(struct xx_cache *cache, struct xx_device *dev, uint64_t offset, size_t length)
{
	const struct xx_extent range = { offset, length };
	struct xx_extent sorted;
	struct buf *buf;
	uint64_t total;

	if (normalize(xx_device_info(dev), &range, 1, &sorted, &total) < 0)
		return;
	buf = find_any(cache, dev, sorted);
	if (buf) {
		if (buf->filled || buf->refs || !same_ranges(buf, &sorted, 1))
			return;
		xx_buf_get(&buf->pub);
	} else if (cache_evict(cache, buf_charge(1, length)) || buf_create(cache, dev, &sorted, 1, &buf)) {
		return;
	}
	buf_read_ahead(buf);
}
