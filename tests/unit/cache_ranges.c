/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache_ranges.c - tests of buffers that have several ranges, and of read-ahead, on each engine.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cachetest.h"

static const struct xx_extent scattered[] = {
	{ 8 * RIG_BLOCK, RIG_BLOCK },
	{ 2 * RIG_BLOCK, 2 * RIG_BLOCK },
	{ 20 * RIG_BLOCK, RIG_BLOCK },
};

static struct xx_buf *get_scattered(struct rig *rig)
{
	struct xx_buf *buf;

	cr_assert_eq(xx_cache_get_ranges(rig->cache, rig->dev, scattered, XX_ARRAY_SIZE(scattered), &buf), 0);
	return buf;
}

ON_EACH_ENGINE(cache_ranges, ranges_are_read_and_written_where_they_are)
{
	static const unsigned place[] = { 8, 2, 3, 20 };
	const struct xx_extent in_parts[] = { scattered[0],
					      { 2 * RIG_BLOCK, RIG_BLOCK },
					      { 3 * RIG_BLOCK, RIG_BLOCK },
					      scattered[2] };
	struct rig rig;
	struct xx_buf *buf, *again;

	rig_open(&rig, *kind, 0);
	buf = get_scattered(&rig);
	cr_expect_eq(buf->length, 4 * RIG_BLOCK);
	for (int i = 0; i < 4; i++)
		memset((char *)buf->data + i * RIG_BLOCK, 'a' + i, RIG_BLOCK);
	xx_buf_dirty(buf);
	cr_assert_eq(xx_cache_get_ranges(rig.cache, rig.dev, in_parts, 4, &again), 0);
	cr_expect_eq(again, buf, "ranges that touch are one");
	xx_buf_put(again);
	cr_expect_eq(xx_cache_flush(rig.cache), 0);
	for (int i = 0; i < 4; i++) {
		char *block = rig_peek(&rig, place[i] * RIG_BLOCK);

		cr_expect_eq(block[0], 'a' + i);
		cr_expect_eq(block[RIG_BLOCK - 1], 'a' + i);
		free(block);
	}
	xx_buf_forget(buf);
	memset(buf->data, 0, buf->length);
	cr_expect_eq(xx_buf_read(buf, NULL), 0);
	for (int i = 0; i < 4; i++)
		cr_expect_eq(((char *)buf->data)[i * RIG_BLOCK], 'a' + i);
	xx_buf_put(buf);
	rig_close(&rig);
}

ON_EACH_ENGINE(cache_ranges, the_first_bad_range_does_not_end_the_others)
{
	struct xx_fault fault = {
		.kind = XX_FAULT_ERROR,
		.error = -EIO,
		.count = UINT64_MAX,
		.offset = 8 * RIG_BLOCK,
		.length = RIG_BLOCK,
	};
	struct rig rig;
	struct xx_buf *buf;
	char *block;

	rig_open(&rig, *kind, 0);
	buf = get_scattered(&rig);
	memset(buf->data, 'x', buf->length);
	xx_buf_dirty(buf);
	xx_device_inject(rig.dev, &fault);
	cr_expect_eq(xx_cache_flush(rig.cache), -EIO);
	cr_expect_eq(xx_ring_inflight(rig.ring), 0, "all ranges have completed");
	cr_expect_eq(buf_of(buf)->pending, 0);
	cr_expect(xx_buf_is_dirty(buf));
	block = rig_peek(&rig, 20 * RIG_BLOCK);
	cr_expect_eq(block[0], 'x', "the others were written");
	free(block);
	xx_device_inject(rig.dev, NULL);
	cr_expect_eq(xx_cache_flush(rig.cache), 0);
	cr_expect_not(xx_buf_is_dirty(buf));
	xx_device_inject(rig.dev, &fault);
	xx_buf_forget(buf);
	cr_expect_eq(xx_buf_read(buf, NULL), -EIO);
	cr_expect_eq(xx_ring_inflight(rig.ring), 0);
	xx_device_inject(rig.dev, NULL);
	xx_buf_put(buf);
	rig_close(&rig);
}

ON_EACH_ENGINE(cache_readahead, read_ahead_is_merged_and_not_read_again)
{
	struct rig rig;
	uint64_t reads;

	rig_open(&rig, *kind, 0);
	for (unsigned nr = 0; nr < 32; nr++) {
		rig_format(&rig, 31 - nr, 31 - nr);
		xx_cache_readahead(rig.cache, rig.dev, (31 - nr) * RIG_BLOCK, RIG_BLOCK);
	}
	cr_expect_eq(xx_ring_stats(rig.ring)->reads, 0, "collected");
	xx_cache_start(rig.cache);
	rig_touch(&rig, 0);
	reads = xx_ring_stats(rig.ring)->reads;
	cr_expect_leq(reads, 2, "neighbours are read together, not in %llu", (unsigned long long)reads);
	for (unsigned nr = 1; nr < 32; nr++)
		rig_touch(&rig, nr);
	cr_expect_eq(xx_ring_stats(rig.ring)->reads, reads);
	cr_expect_eq(rig.seen.verify_read, 32);
	rig_close(&rig);
}

ON_EACH_ENGINE(cache_readahead, read_ahead_never_touches_what_somebody_fills)
{
	struct rig rig;
	struct xx_buf *buf;

	rig_open(&rig, *kind, rig_room(4));
	buf = rig_fill(&rig, 0, 9);
	xx_cache_readahead(rig.cache, rig.dev, 0, RIG_BLOCK);
	xx_cache_readahead(rig.cache, rig.dev, 512, RIG_BLOCK);
	xx_cache_readahead(rig.cache, rig.dev, RIG_BLOCK, 4 * RIG_BLOCK);
	xx_cache_start(rig.cache);
	cr_expect_eq(xx_ring_drain(rig.ring), 0);
	cr_expect_eq(xx_ring_stats(rig.ring)->reads, 0);
	cr_expect_eq(rig_value(buf), 9);
	xx_buf_put(buf);
	xx_cache_readahead(rig.cache, rig.dev, 3 * RIG_BLOCK, RIG_BLOCK);
	buf = rig_fill(&rig, 3, 10);
	xx_buf_dirty(buf);
	xx_buf_put(buf);
	cr_expect_eq(xx_cache_flush(rig.cache), 0);
	cr_expect(rig_holds(&rig, 3 * RIG_BLOCK, 10), "get waited for what was under way");
	xx_cache_readahead(rig.cache, rig.dev, 4 * RIG_BLOCK, RIG_BLOCK);
	rig_close(&rig);
}
