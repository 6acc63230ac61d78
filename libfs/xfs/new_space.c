/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * new_space.c - what is free in each group of a new file system, and which blocks its free list holds.
 *
 * mkfs.xfs gets its free list and its files from the allocator of a live file system; what is here are that
 * allocator's choices in a group of a handful of free extents. Sources: xfs_alloc_fix_freelist,
 * xfs_alloc_ag_vextent_size; mkfs, initialise_ag_freespace.
 *
 * mkfs.xfs 6.1 forgets the free blocks between headers and log when the log is aligned and ends with its group, and
 * sorts the two extents around the log wrongly when the first is the longer one. Both are right here.
 */
#include <string.h>

#include <xx/xfs_format.h>

#include "xfs/new.h"

static void remove_by_length(struct xx_xfs_new_space *space, struct xx_xfs_free old)
{
	uint32_t i = 0;

	while (space->by_length[i].start != old.start)
		i++;
	memmove(&space->by_length[i], &space->by_length[i + 1], (space->free_count - i - 1) * sizeof(old));
}

/* @count: entries before. */
static void insert_by_length(struct xx_xfs_new_space *space, uint32_t count, struct xx_xfs_free new)
{
	uint32_t i = count;

	for (; i > 0; i--) {
		const struct xx_xfs_free *before = &space->by_length[i - 1];

		if (before->len < new.len || (before->len == new.len && before->start < new.start))
			break;
		space->by_length[i] = *before;
	}
	space->by_length[i] = new;
}

/* Entry @i becomes what is left and right of a range that is taken out of it. */
static void split(struct xx_xfs_new_space *space, uint32_t i, struct xx_xfs_free left, struct xx_xfs_free right)
{
	struct xx_xfs_free *f = &space->free[i];
	const uint32_t keep = (left.len != 0) + (right.len != 0);
	uint32_t count = space->free_count - 1;

	remove_by_length(space, *f);
	if (left.len)
		insert_by_length(space, count++, left);
	if (right.len)
		insert_by_length(space, count++, right);
	memmove(f + keep, f + 1, (space->free_count - i - 1) * sizeof(*f));
	if (left.len)
		*f++ = left;
	if (right.len)
		*f = right;
	space->free_count = count;
	if (space->slots < count)
		space->slots = count;
}

bool xx_xfs_new_take(struct xx_xfs_new_space *space, uint32_t start, uint32_t len)
{
	const uint32_t end = start + len;
	uint32_t i = 0;

	for (; i < space->free_count; i++) {
		if (start >= space->free[i].start && end <= space->free[i].start + space->free[i].len)
			break;
	}
	if (i == space->free_count || space->free_count == XX_XFS_NEW_FREE)
		return false;
	split(space, i, (struct xx_xfs_free){ space->free[i].start, start - space->free[i].start },
	      (struct xx_xfs_free){ end, space->free[i].start + space->free[i].len - end });
	return true;
}

/* The shortest extent of at least @want blocks, or else the longest; UINT32_MAX when nothing is free. */
static uint32_t best_by_size(const struct xx_xfs_new_space *space, uint32_t want)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < space->free_count; i++) {
		const uint32_t len = space->free[i].len;
		uint32_t best_len;

		if (best == UINT32_MAX) {
			best = i;
			continue;
		}
		best_len = space->free[best].len;
		if (best_len >= want ? len >= want && len < best_len : len > best_len)
			best = i;
	}
	return best;
}

static void fill_agfl(struct xx_xfs_new_space *space, uint32_t want)
{
	while (space->agfl_count < want) {
		const uint32_t left = want - space->agfl_count;
		const uint32_t i = best_by_size(space, left);
		uint32_t start, len;

		if (i == UINT32_MAX)
			return;
		start = space->free[i].start;
		len = space->free[i].len < left ? space->free[i].len : left;
		for (uint32_t b = 0; b < len; b++)
			space->agfl[space->agfl_count++] = start + b;
		xx_xfs_new_take(space, start, len);
	}
}

void xx_xfs_new_space(const struct xx_xfs_new *fs, uint32_t agno, struct xx_xfs_new_space *space)
{
	const struct xx_xfs_geometry *geo = fs->geo;
	const uint32_t first = geo->root_block.first_free;

	memset(space, 0, sizeof(*space));
	space->free_count = 1;
	space->free[0] = (struct xx_xfs_free){ first, xx_xfs_ag_size(geo, agno) - first };
	space->by_length[0] = space->free[0];
	if (xx_xfs_ag_has_log(geo, agno)) {
		const uint64_t mask = (UINT64_C(1) << geo->ag_block_log) - 1;

		xx_xfs_new_take(space, (uint32_t)(geo->log_start & mask), geo->log_blocks);
	}
	space->slots = space->free_count;
	fill_agfl(space, xx_xfs_ag_agfl_count(geo, agno));
	if (agno == 0 && fs->chunk_block)
		xx_xfs_new_take(space, fs->chunk_block, geo->chunk_blocks);
	for (uint32_t i = 0; i < fs->rt_extent_count; i++) {
		if (fs->rt_extent[i].agno == agno)
			xx_xfs_new_take(space, fs->rt_extent[i].agbno, fs->rt_extent[i].len);
	}
}
