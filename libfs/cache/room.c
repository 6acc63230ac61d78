/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * room.c - keeping a cache within its budget: dropping what is clean, writing what is dirty and unwanted.
 */
#include <errno.h>
#include "cache/buf.h"

static bool fits(const struct xx_cache *cache, size_t charge)
{
	return cache->stats.bytes <= cache->budget - charge;
}

int cache_evict(struct xx_cache *cache, size_t charge)
{
	if (charge > cache->budget)
		return -ENOBUFS;
	while (!fits(cache, charge) && !list_empty(&cache->clean)) {
		buf_destroy(xx_container_of(cache->clean.next, struct buf, lru));
		cache->stats.evictions++;
	}
	return fits(cache, charge) ? 0 : -ENOBUFS;
}

/* Queue what is dirty on an LRU list and stands on no queue. @failed: also what could not be written before. */
static void collect(struct list *lru, struct xx_delwri *queue, bool failed)
{
	struct list *member = lru->next;

	while (member != lru) {
		struct buf *buf = xx_container_of(member, struct buf, lru);

		member = member->next;
		if (buf->dirty && !buf->queue && (failed || !buf->pub.error))
			delwri_append(queue, buf);
	}
}

void cache_collect_dirty(struct xx_cache *cache, struct xx_delwri *queue, bool all)
{
	collect(&cache->dirty, queue, all);
	if (all)
		collect(&cache->busy, queue, true);
}

/* Write what is dirty, unreferenced and did not fail before, so that it can be dropped. */
static int write_unreferenced(struct xx_cache *cache)
{
	struct xx_delwri queue;
	int ret = 0;

	delwri_init(&queue, cache);
	cache_collect_dirty(cache, &queue, false);
	if (queue.count)
		ret = xx_delwri_flush(&queue);
	delwri_release(&queue);
	return ret == -EDEADLK ? ret : 0;
}

int cache_make_room(struct xx_cache *cache, size_t charge)
{
	int ret;

	ret = cache_evict(cache, charge);
	if (!ret || charge > cache->budget)
		return ret;
	ret = write_unreferenced(cache);
	return ret ? ret : cache_evict(cache, charge);
}
