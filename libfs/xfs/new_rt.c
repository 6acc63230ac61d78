/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * new_rt.c - the two files of a realtime section, bitmap and summary: where they lie, and what is in them.
 *
 * Both get the free extent nearest to their inode, in the first group that holds them whole, aligned to the stripe
 * unit when they are at least as long. Source: xfs_bmap_btalloc, xfs_alloc_compute_diff, for user data. A bitmap that
 * fits into no single extent takes the groups in order, of each the longest extents first; there alone the bytes are
 * not those of mkfs.xfs, which leaves single blocks over.
 *
 * Content: a set bit is a free extent; one counter of the summary, for the logarithm of the one free range's length
 * and its first bitmap block, is 1. Both are arrays of 32-bit words in the byte order of the machine, which is that
 * of the kernel that mounts it. "XFS Algorithms & Data Structures", chapter "Internal Inodes".
 */
#include <errno.h>
#include <string.h>

#include <xx/units.h>
#include <xx/xfs_format.h>

#include "xfs/new.h"

struct wish {
	uint32_t near; /* AG block */
	uint32_t len;
	uint32_t align;
	bool local; /* near counts: the group is the inode's */
};

/* The start that a free extent offers, UINT32_MAX when none; its distance in @distance. */
static uint32_t offer(const struct xx_xfs_free *f, const struct wish *w, uint32_t *distance)
{
	const uint64_t start = xx_round_up(f->start, w->align);
	const uint64_t end = (uint64_t)f->start + f->len;
	uint64_t at = start;

	if (start + w->len > end)
		return UINT32_MAX;
	/* Data goes to the start of an extent, unless the place that is wished for is inside of it. */
	if (w->local && f->start < w->near && end >= (uint64_t)w->near + w->len) {
		const uint64_t up = xx_round_up(w->near, w->align);

		at = up;
		if (up + w->len > end || (up - w->near > w->align / 2 && up - w->align >= start))
			at = up - w->align;
	}
	*distance = (uint32_t)(at > w->near ? at - w->near : w->near - at);
	return (uint32_t)at;
}

static uint32_t place(const struct xx_xfs_new_space *space, const struct wish *w)
{
	uint32_t best = UINT32_MAX;
	uint32_t best_distance = UINT32_MAX;
	uint32_t best_len = UINT32_MAX;

	for (uint32_t i = 0; i < space->free_count; i++) {
		const struct xx_xfs_free *f = &space->free[i];
		uint32_t distance = 0;
		const uint32_t at = offer(f, w, &distance);
		bool better = distance < best_distance || (distance == best_distance && f->len < best_len);

		if (!w->local)
			better = f->len < best_len; /* in another group: the shortest extent that will do */
		if (at != UINT32_MAX && (best == UINT32_MAX || better)) {
			best = at;
			best_distance = distance;
			best_len = f->len;
		}
	}
	return best;
}

static bool place_whole(const struct xx_xfs_new *fs, uint32_t len, struct xx_xfs_new_rt_extent *out)
{
	const struct xx_xfs_geometry *geo = fs->geo;
	const bool aligned = geo->stripe_unit && len >= geo->stripe_unit;
	struct xx_xfs_new_space space;

	for (int pass = aligned ? 0 : 1; pass < 2; pass++) {
		for (uint32_t agno = 0; agno < geo->ag_count; agno++) {
			const struct wish w = { .near = agno ? 0 : fs->chunk_block,
						.len = len,
						.align = pass == 0 ? geo->stripe_unit : 1,
						.local = agno == 0 };

			xx_xfs_new_space(fs, agno, &space);
			out->agno = agno;
			out->len = len;
			out->agbno = place(&space, &w);
			if (out->agbno != UINT32_MAX)
				return true;
		}
	}
	return false;
}

static uint32_t count_of(const struct xx_xfs_new *fs, bool summary)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < fs->rt_extent_count; i++)
		count += fs->rt_extent[i].summary == summary;
	return count;
}

static int append(struct xx_xfs_new *fs, const struct xx_xfs_new_rt_extent *e)
{
	if (count_of(fs, e->summary) == XX_XFS_NEW_RT_EXTENTS)
		return -EOPNOTSUPP;
	fs->rt_extent[fs->rt_extent_count++] = *e;
	return 0;
}

/* The groups in order, the longest extent of each first, until the file has its length. */
static int place_scattered(struct xx_xfs_new *fs, bool summary, uint64_t offset, uint64_t blocks)
{
	struct xx_xfs_new_space space;
	uint32_t agno = 0;
	int ret = 0;

	while (blocks && agno < fs->geo->ag_count && ret == 0) {
		struct xx_xfs_new_rt_extent e = { .summary = summary, .agno = agno, .offset = offset };

		xx_xfs_new_space(fs, agno, &space);
		if (space.free_count == 0) {
			agno++;
			continue;
		}
		e.agbno = space.by_length[space.free_count - 1].start;
		e.len = (uint32_t)xx_min(xx_min(space.by_length[space.free_count - 1].len, blocks),
					 XFS_MAX_BMBT_EXTLEN);
		offset += e.len;
		blocks -= e.len;
		ret = append(fs, &e);
	}
	return ret == 0 && blocks ? -ENOSPC : ret;
}

static int place_file(struct xx_xfs_new *fs, bool summary, uint64_t blocks)
{
	uint64_t offset = 0;
	int ret = 0;

	while (blocks && ret == 0) {
		struct xx_xfs_new_rt_extent e = { .summary = summary, .offset = offset };

		if (!place_whole(fs, (uint32_t)xx_min(blocks, XFS_MAX_BMBT_EXTLEN), &e))
			return place_scattered(fs, summary, offset, blocks);
		offset += e.len;
		blocks -= e.len;
		ret = append(fs, &e);
	}
	return ret;
}

int xx_xfs_new_plan_rt(struct xx_xfs_new *fs)
{
	const struct xx_xfs_geometry *geo = fs->geo;
	int ret;

	fs->rt_extent_count = 0;
	if (geo->rt_blocks == 0)
		return 0;
	ret = place_file(fs, false, geo->rt_bitmap_blocks);
	return ret ? ret : place_file(fs, true, geo->rt_summary_blocks);
}

/* Sets the first @bits bits; words in the machine's byte order. */
static void set_bits(uint8_t *buf, uint64_t bits)
{
	const uint32_t rest = (UINT32_C(1) << (bits & 31)) - 1;

	memset(buf, 0xff, bits / 32 * 4);
	if (rest)
		memcpy(buf + bits / 32 * 4, &rest, sizeof(rest));
}

bool xx_xfs_new_rt_block(const struct xx_xfs_new *fs, bool summary, uint64_t offset, uint8_t *buf)
{
	const struct xx_xfs_geometry *geo = fs->geo;
	const uint64_t bits = UINT64_C(8) << geo->block_log;
	const uint32_t one = 1;

	memset(buf, 0, geo->block_size);
	if (!summary) {
		if (offset * bits >= geo->rt_extents)
			return false;
		set_bits(buf, xx_min(bits, geo->rt_extents - offset * bits));
		return true;
	}
	const uint64_t counter = (uint64_t)geo->rt_extents_log * geo->rt_bitmap_blocks;
	const uint64_t at = counter * sizeof(one);

	if (geo->rt_extents == 0 || at >> geo->block_log != offset)
		return false;
	memcpy(buf + (at & (geo->block_size - 1)), &one, sizeof(one));
	return true;
}
