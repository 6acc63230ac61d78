/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.c - what a group has to read. Counting beforehand what there is to do, and doing it, are one function, so that the
 * total is exact.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xx/context.h>

#include "scrub/engine_impl.h"

struct scrub_chunk *scrub_plan_chunk(const struct scrub_engine *engine, uint64_t logical)
{
	size_t low = 0, high = engine->chunk_count;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (engine->chunks[mid].chunk->logical <= logical)
			low = mid + 1;
		else
			high = mid;
	}
	return low > 0 ? &engine->chunks[low - 1] : NULL;
}

/* Is @logical done, and up to which address is it so, or not so? */
static bool done_until(const struct scrub_engine *engine, uint64_t logical, uint64_t *end)
{
	struct xx_extent extent;

	if (!xx_extent_map_next(engine->done, logical, &extent)) {
		*end = UINT64_MAX;
		return false;
	}
	if (extent.start <= logical) {
		*end = xx_extent_end(extent);
		return true;
	}
	*end = extent.start;
	return false;
}

/* The place and the size of the group. False: the chunk has ended. */
static bool shape(struct scrub_group *group, const struct xx_btrfs_chunk *chunk, uint64_t offset, bool *done)
{
	const struct scrub_engine *engine = group->engine;
	const uint64_t logical = chunk->logical + offset * chunk->columns;
	uint64_t length = engine->slice, end;

	if (offset >= chunk->stripe_length || logical >= xx_btrfs_chunk_end(chunk))
		return false;
	if (length > chunk->stripe_length - offset)
		length = chunk->stripe_length - offset;
	*done = done_until(engine, logical, &end);
	if ((end - logical) / chunk->columns < length) {
		length = (end - logical) / chunk->columns;
		if (xx_btrfs_chunk_striped(chunk))
			length -= length % BTRFS_STRIPE_LEN;
		if (length == 0)
			length = xx_btrfs_chunk_striped(chunk) ? BTRFS_STRIPE_LEN : engine->sectorsize;
	}
	group->chunk = chunk;
	group->offset = offset;
	group->length = length;
	group->logical = logical;
	group->lane_count = chunk->num_stripes;
	return true;
}

static void set_length(struct scrub_group *group, uint64_t length)
{
	const uint64_t left = xx_btrfs_chunk_end(group->chunk) - group->logical;
	const uint64_t logical = length * group->chunk->columns;

	group->length = length;
	group->logical_length = logical < left ? logical : left;
	group->cells = (uint32_t)(length / group->engine->sectorsize);
	group->sectors = (uint32_t)(group->logical_length / group->engine->sectorsize);
}

/* A tree block is not to be cut: the group ends before one that its end lies in. */
static void end_before_block(struct scrub_group *group)
{
	const struct xx_btrfs_extent_entry *last;

	if (group->extents.count == 0 || xx_btrfs_chunk_striped(group->chunk))
		return;
	last = &group->extents.entries[group->extents.count - 1];
	if (last->tree && last->logical > group->logical &&
	    last->logical + last->length > group->logical + group->logical_length)
		set_length(group, last->logical - group->logical);
}

/* Is the extent asked for? With parity, rows of mixed chunks are always whole. */
static bool wanted(const struct scrub_group *group, bool tree)
{
	const struct scrub_engine *engine = group->engine;

	if (group->chunk->parity)
		return true;
	return tree ? !engine->options.skip_metadata : !engine->options.skip_data;
}

static void fill_tree(struct scrub_group *group, const struct xx_btrfs_extent_entry *entry, uint32_t index)
{
	const uint32_t first = scrub_sector(group, entry->logical);
	const uint32_t count = (uint32_t)(entry->length / group->engine->sectorsize);
	const uint64_t in_element = (entry->logical - group->chunk->logical) % BTRFS_STRIPE_LEN;
	const bool cut = first + count > group->sectors || entry->length != group->engine->nodesize ||
			 (xx_btrfs_chunk_striped(group->chunk) && in_element + entry->length > BTRFS_STRIPE_LEN);

	for (uint32_t i = first; i < first + count && i < group->sectors; i++) {
		group->what[i] = cut ? WHAT_CROSSING : i == first ? WHAT_TREE : WHAT_TREE_REST;
		group->entry[i] = index;
	}
}

/* The part of [@logical, @logical + @length) that lies in the group, as sectors. */
static uint32_t clip(const struct scrub_group *group, uint64_t logical, uint64_t length, uint32_t *first)
{
	const uint64_t end = group->logical + group->logical_length;
	uint64_t from = logical > group->logical ? logical : group->logical;
	uint64_t to = logical + length < end ? logical + length : end;

	if (from >= to)
		return 0;
	*first = scrub_sector(group, from);
	return (uint32_t)((to - group->logical + group->engine->sectorsize - 1) / group->engine->sectorsize) - *first;
}

static void fill_entry(struct scrub_group *group, uint32_t index)
{
	const struct xx_btrfs_extent_entry *entry = &group->extents.entries[index];
	uint32_t first = 0, count;

	if (entry->tree && entry->logical >= group->logical) {
		if (entry->logical < group->logical + group->logical_length)
			fill_tree(group, entry, index);
		return;
	}
	count = clip(group, entry->logical, entry->length, &first);
	for (uint32_t i = first; i < first + count; i++) {
		group->what[i] = entry->tree ? WHAT_CROSSING : WHAT_DATA;
		group->entry[i] = index;
	}
}

static void fill_what(struct scrub_group *group)
{
	memset(group->what, WHAT_NONE, group->sectors);
	for (uint32_t i = 0; i < group->extents.count; i++) {
		if (wanted(group, group->extents.entries[i].tree))
			fill_entry(group, i);
	}
	for (size_t i = 0; i < group->extents.unknown_count; i++) {
		const struct xx_btrfs_range *range = &group->extents.unknown[i];
		uint32_t first = 0;
		const uint32_t count = clip(group, range->logical, range->length, &first);

		for (uint32_t s = first; s < first + count; s++) {
			if (group->what[s] == WHAT_NONE)
				group->what[s] = WHAT_DARK;
		}
	}
}

static void plan_lane(struct scrub_group *group, unsigned lane)
{
	uint8_t *cells = group->lanes[lane].cells;
	struct xx_btrfs_location at;

	for (uint32_t cell = 0; cell < group->cells;) {
		const uint32_t count = scrub_locate(group, lane, cell, &at);

		if (count == 0) /* the last row is not full */
			return;
		if (at.role == XX_BTRFS_ROLE_DATA) {
			const uint8_t *what = &group->what[scrub_sector(group, at.logical)];

			for (uint32_t i = 0; i < count; i++) {
				if (what[i] != WHAT_NONE && what[i] != WHAT_DARK)
					cells[cell + i] = CELL_PLANNED;
			}
		}
		cell += count;
	}
}

/* With parity all of a row is read when any of it is. */
static void plan_rows(struct scrub_group *group)
{
	for (uint32_t cell = 0; cell < group->cells; cell++) {
		unsigned any = 0;

		for (unsigned i = 0; i < group->lane_count; i++)
			any |= group->lanes[i].cells[cell];
		for (unsigned i = 0; i < group->lane_count; i++)
			group->lanes[i].cells[cell] = (uint8_t)any;
	}
}

static void plan_cells(struct scrub_group *group)
{
	struct scrub_engine *engine = group->engine;

	for (unsigned i = 0; i < group->lane_count; i++) {
		memset(group->lanes[i].cells, 0, group->cells);
		plan_lane(group, i);
	}
	if (group->chunk->parity)
		plan_rows(group);
	group->reads_any = false;
	for (unsigned i = 0; i < group->lane_count; i++) {
		struct scrub_lane *lane = &group->lanes[i];

		for (size_t d = 0; d < engine->device_count; d++) {
			if (engine->devices[d].member->devid == group->chunk->stripes[i].devid)
				lane->device = &engine->devices[d];
		}
		lane->planned = 0;
		for (uint32_t cell = 0; cell < group->cells; cell++)
			lane->planned += lane->cells[cell] ? engine->sectorsize : 0;
		if (!lane->device->device || lane->device->failed)
			scrub_cells_set(lane, 0, group->cells, CELL_ABSENT, 0);
		else if (lane->planned)
			group->reads_any = true;
	}
}

int scrub_plan_group(struct scrub_group *group, const struct scrub_chunk *chunk, uint64_t offset,
		     struct xx_btrfs_extent_cursor *cursor, bool *done)
{
	int ret;

	if (chunk->skip || !shape(group, chunk->chunk, offset, done))
		return 0;
	set_length(group, group->length);
	ret = xx_btrfs_extent_cursor_read(cursor, group->logical, group->logical_length, &group->extents);
	if (ret)
		return ret;
	end_before_block(group);
	fill_what(group);
	plan_cells(group);
	return 1;
}

static void count_group(struct scrub_group *group, bool done)
{
	for (unsigned i = 0; i < group->lane_count; i++) {
		struct scrub_lane *lane = &group->lanes[i];

		if (!lane->device->device)
			continue;
		lane->device->total += lane->planned;
		if (done)
			lane->device->done += lane->planned;
	}
}

static int count_chunk(struct scrub_group *group, const struct scrub_chunk *chunk,
		       struct xx_btrfs_extent_cursor *cursor)
{
	uint64_t offset = 0;
	bool done;
	int ret;

	while ((ret = scrub_plan_group(group, chunk, offset, cursor, &done)) > 0) {
		count_group(group, done);
		offset += group->length;
		if (atomic_load(&group->engine->cancelled))
			return -ECANCELED;
	}
	return ret;
}

int scrub_plan_all(struct scrub_engine *engine)
{
	struct xx_btrfs_extent_cursor *cursor;
	struct scrub_group *group;
	int ret = xx_btrfs_extent_cursor_create(engine->fs, &cursor);

	if (ret)
		return ret;
	group = scrub_group_get(engine);
	if (!group)
		ret = -ENOMEM;
	for (size_t i = 0; i < engine->chunk_count && ret == 0; i++)
		ret = count_chunk(group, &engine->chunks[i], cursor);
	if (group)
		scrub_group_put(group);
	xx_btrfs_extent_cursor_destroy(cursor);
	return ret;
}
