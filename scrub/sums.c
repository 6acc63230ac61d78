/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sums.c - the checksums of a group, in one search of their tree, and what to think of data that has none.
 */
#include <errno.h>

#include <xx/context.h>

#include "scrub/engine_impl.h"

static uint8_t what_of(enum xx_btrfs_sum_need need)
{
	switch (need) {
	case XX_BTRFS_SUM_NEEDED:
		return WHAT_MISSING;
	case XX_BTRFS_SUM_NONE:
		return WHAT_NOSUM;
	case XX_BTRFS_SUM_UNWRITTEN:
		return WHAT_UNWRITTEN;
	case XX_BTRFS_SUM_UNKNOWN:
		break;
	}
	return WHAT_UNKNOWN;
}

/* Sectors @first to @end of one extent have no sum: may that be? */
static int resolve_run(struct scrub_group *group, uint32_t first, uint32_t end)
{
	struct scrub_engine *engine = group->engine;
	const uint64_t logical = group->logical + (uint64_t)first * engine->sectorsize;
	const int ret = xx_btrfs_resolve_sum_need(engine->resolver, logical, end - first, engine->needs);

	if (ret == -ENOMEM)
		return ret;
	for (uint32_t i = first; i < end; i++)
		group->what[i] = ret ? WHAT_UNKNOWN : what_of(engine->needs[i - first]);
	return 0;
}

static bool lacks_sum(const struct scrub_group *group, uint32_t sector)
{
	return group->what[sector] == WHAT_DATA && !xx_bitmap_test(group->sums->present, sector) &&
	       !xx_bitmap_test(group->sums->unknown, sector);
}

static int resolve_all(struct scrub_group *group)
{
	for (uint32_t i = 0; i < group->sectors;) {
		uint32_t end = i + 1;
		int ret;

		if (!lacks_sum(group, i)) {
			i = end;
			continue;
		}
		while (end < group->sectors && lacks_sum(group, end) && group->entry[end] == group->entry[i])
			end++;
		ret = resolve_run(group, i, end);
		if (ret)
			return ret;
		i = end;
	}
	return 0;
}

static void mark_sums(struct scrub_group *group)
{
	for (uint32_t i = 0; i < group->sectors; i++) {
		const bool present = xx_bitmap_test(group->sums->present, i);

		if (group->what[i] == WHAT_DATA && present)
			group->what[i] = WHAT_SUM;
		else if (group->what[i] == WHAT_DATA && xx_bitmap_test(group->sums->unknown, i))
			group->what[i] = WHAT_UNKNOWN;
		else if (group->what[i] == WHAT_NONE && present)
			group->what[i] = WHAT_EXTRA;
	}
}

int scrub_sums_group(struct scrub_group *group, struct xx_btrfs_sum_cursor *cursor)
{
	int ret;

	if (!(group->chunk->type & BTRFS_BLOCK_GROUP_DATA) || group->engine->options.skip_data)
		return 0;
	ret = xx_btrfs_sum_cursor_read(cursor, group->logical, group->sectors, group->sums);
	if (ret)
		return ret;
	ret = resolve_all(group);
	if (ret == 0)
		mark_sums(group);
	return ret;
}

static void tell_outside(struct scrub_engine *engine, const struct xx_btrfs_range *range)
{
	const struct scrub_finding finding = {
		.kind = SCRUB_EXTRA_SUM,
		.state = SCRUB_LOST,
		.logical = range->logical,
		.length = range->length,
		.level = -1,
		.text = "checksums of an address where no data can be",
	};
	struct scrub_counts counts = { 0 };

	if (engine->options.callbacks.finding)
		engine->options.callbacks.finding(engine->options.callbacks.private, &finding);
	scrub_count_finding(&counts, SCRUB_EXTRA_SUM, SCRUB_LOST, range->length / engine->sectorsize);
	scrub_count(engine, NULL, &counts);
}

/* Checksums from @from on, up to @end: one search when there are none. */
static int search_gap(struct scrub_engine *engine, struct xx_btrfs_sum_cursor *cursor, uint64_t from, uint64_t end)
{
	const uint64_t most = (uint64_t)1 << 30;
	struct xx_btrfs_range range;

	while (from < end) {
		const int ret = xx_btrfs_sum_cursor_find(cursor, from, end - from < most ? end - from : most, &range);
		uint64_t stop;

		if (ret <= 0)
			return ret;
		stop = range.logical + range.length;
		if (range.logical >= end)
			return 0;
		if (range.logical < from)
			range.logical = from;
		range.length = (stop < end ? stop : end) - range.logical;
		tell_outside(engine, &range);
		from = range.logical + range.length;
	}
	return 0;
}

int scrub_sums_outside(struct scrub_engine *engine)
{
	struct xx_btrfs_sum_cursor *cursor;
	const struct xx_btrfs_chunk *chunk;
	uint64_t gap = 0, pos = 0;
	int ret = xx_btrfs_sum_cursor_create(engine->fs, &cursor);

	if (ret)
		return ret;
	while (ret == 0 && (chunk = xx_btrfs_chunk_next(engine->map, pos))) {
		pos = xx_btrfs_chunk_end(chunk);
		if (!(chunk->type & BTRFS_BLOCK_GROUP_DATA))
			continue;
		ret = search_gap(engine, cursor, gap, chunk->logical);
		gap = pos;
	}
	if (ret == 0)
		ret = search_gap(engine, cursor, gap, UINT64_C(1) << 62);
	xx_btrfs_sum_cursor_destroy(cursor);
	return ret;
}
