/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * new.c - the facts of a file system that has nothing in it but its root directory, and what the builder makes of them.
 *
 * As mkfs.xfs leaves it: secondary superblocks say "in progress" and have the counters from before the root directory
 * was made; its number stands in the primary, the last and the middle one only; free lists begin at slot 1.
 * Sources: mkfs, main, rewrite_secondary_superblocks; libxfs, xfs_ag_init_headers.
 */
#include <errno.h>
#include <string.h>

#include <xx/xfs_format.h>

#include "xfs/new.h"

/* The free list's first slot. */
#define AGFL_FIRST 1

/* Root directory, realtime bitmap, realtime summary. */
#define NEW_INODES 3

/* Headers, five roots, free list (up to four pieces), log, inode chunk, realtime files. */
#define NEW_RMAPS (16 + 2 * XX_XFS_NEW_RT_EXTENTS)

int xx_xfs_new_plan(struct xx_xfs_new *fs, const struct xx_xfs_geometry *geo, struct timespec now,
		    struct xx_random *random)
{
	struct xx_xfs_new_space space;

	memset(fs, 0, sizeof(*fs));
	fs->geo = geo;
	fs->now = now;
	if (random) {
		fs->root_generation = xx_random_u32(random);
		fs->bitmap_generation = xx_random_u32(random);
		fs->summary_generation = xx_random_u32(random);
		fs->free_generation = xx_random_u32(random);
	}
	fs->head_bytes = xx_xfs_ag_head_bytes(geo);
	xx_xfs_new_space(fs, 0, &space);
	fs->chunk_block = (uint32_t)(geo->root_inode >> geo->inodes_per_block_log);
	fs->chunk_offset = xx_xfs_ag_offset(geo, 0, fs->chunk_block);
	fs->chunk_bytes = (size_t)geo->chunk_blocks << geo->block_log;
	if (!xx_xfs_new_take(&space, fs->chunk_block, geo->chunk_blocks))
		return -ENOSPC;
	return xx_xfs_new_plan_rt(fs);
}

/* Adds a mapping, in ascending order; the blocks of one owner that touch become one if it is no file. */
static void add_rmap(struct xx_xfs_rmap *rmaps, size_t *count, struct xx_xfs_rmap r)
{
	size_t i = *count;

	while (i > 0 && rmaps[i - 1].start > r.start) {
		rmaps[i] = rmaps[i - 1];
		i--;
	}
	(*count)++;
	rmaps[i] = r;
}

static void merge_rmaps(struct xx_xfs_rmap *rmaps, size_t *count)
{
	size_t last = 0;

	for (size_t i = 1; i < *count; i++) {
		struct xx_xfs_rmap *l = &rmaps[last];
		const bool file = rmaps[i].owner < XFS_RMAP_OWN_COW;
		const bool same = l->owner == rmaps[i].owner && l->start + l->len == rmaps[i].start;

		if (same && l->offset + (file ? l->len : 0) == rmaps[i].offset)
			l->len += rmaps[i].len;
		else
			rmaps[++last] = rmaps[i];
	}
	*count = last + 1;
}

static size_t new_rmaps(const struct xx_xfs_new *fs, uint32_t agno, const struct xx_xfs_new_space *space,
			struct xx_xfs_rmap rmaps[NEW_RMAPS])
{
	const struct xx_xfs_geometry *geo = fs->geo;
	const uint32_t inobts = geo->features.finobt ? 2 : 1;
	size_t count = 0;

	add_rmap(rmaps, &count, (struct xx_xfs_rmap){ 0, geo->root_block.bnobt, XFS_RMAP_OWN_FS, 0 });
	add_rmap(rmaps, &count, (struct xx_xfs_rmap){ geo->root_block.bnobt, 2, XFS_RMAP_OWN_AG, 0 });
	add_rmap(rmaps, &count, (struct xx_xfs_rmap){ geo->root_block.inobt, inobts, XFS_RMAP_OWN_INOBT, 0 });
	add_rmap(rmaps, &count, (struct xx_xfs_rmap){ geo->root_block.rmapbt, 1, XFS_RMAP_OWN_AG, 0 });
	if (geo->features.reflink)
		add_rmap(rmaps, &count, (struct xx_xfs_rmap){ geo->root_block.refcountbt, 1, XFS_RMAP_OWN_REFC, 0 });
	for (uint32_t i = 0; i < space->agfl_count; i++)
		add_rmap(rmaps, &count, (struct xx_xfs_rmap){ space->agfl[i], 1, XFS_RMAP_OWN_AG, 0 });
	if (xx_xfs_ag_has_log(geo, agno)) {
		const uint64_t mask = (UINT64_C(1) << geo->ag_block_log) - 1;
		const uint32_t start = (uint32_t)(geo->log_start & mask);

		add_rmap(rmaps, &count, (struct xx_xfs_rmap){ start, geo->log_blocks, XFS_RMAP_OWN_LOG, 0 });
	}
	if (agno == 0)
		add_rmap(rmaps, &count,
			 (struct xx_xfs_rmap){ fs->chunk_block, geo->chunk_blocks, XFS_RMAP_OWN_INODES, 0 });
	for (uint32_t i = 0; i < fs->rt_extent_count; i++) {
		const struct xx_xfs_new_rt_extent *e = &fs->rt_extent[i];
		const uint64_t owner = e->summary ? geo->rt_summary_inode : geo->rt_bitmap_inode;

		if (e->agno == agno)
			add_rmap(rmaps, &count, (struct xx_xfs_rmap){ e->agbno, e->len, owner, e->offset });
	}
	merge_rmaps(rmaps, &count);
	return count;
}

/* The chunk's records, 64 inodes each; the first three inodes are in use. */
static size_t new_chunks(const struct xx_xfs_geometry *geo, struct xx_xfs_chunk *chunks)
{
	size_t count = 0;

	for (uint32_t i = 0; i < geo->chunk_inodes; i += XFS_INODES_PER_CHUNK) {
		const uint32_t used = i == 0 ? NEW_INODES : 0;

		chunks[count++] = (struct xx_xfs_chunk){ .start = (uint32_t)geo->root_inode + i,
							 .count = XFS_INODES_PER_CHUNK,
							 .free_count = (uint8_t)(XFS_INODES_PER_CHUNK - used),
							 .free = UINT64_MAX << used };
	}
	return count;
}

/* The superblock of a group other than the first: as it was before the root directory was made. */
static struct xx_xfs_super secondary_super(const struct xx_xfs_new *fs, uint32_t agno)
{
	const struct xx_xfs_geometry *geo = fs->geo;
	const bool last = agno == geo->ag_count - 1;
	const bool middle = geo->ag_count > 2 && agno == (geo->ag_count - 1) / 2;

	return (struct xx_xfs_super){
		.root_inode = last || middle ? geo->root_inode : XFS_NULLFSINO,
		.rt_bitmap_inode = XFS_NULLFSINO,
		.rt_summary_inode = XFS_NULLFSINO,
		.free_blocks = geo->data_blocks - (uint64_t)geo->ag_count * geo->root_block.first_free -
			       (geo->log_internal ? geo->log_blocks : 0),
		.in_progress = true,
	};
}

int xx_xfs_new_ag_build(const struct xx_xfs_new *fs, uint32_t agno, uint8_t *head)
{
	const struct xx_xfs_geometry *geo = fs->geo;
	const struct xx_xfs_super super = secondary_super(fs, agno);
	struct xx_xfs_new_space space;
	struct xx_xfs_rmap rmaps[NEW_RMAPS];
	struct xx_xfs_chunk chunks[128 / XFS_INODES_PER_CHUNK];
	struct xx_xfs_ag_facts facts = { .agno = agno,
					 .length = xx_xfs_ag_size(geo, agno),
					 .new_inode = XFS_NULLAGINO };

	xx_xfs_new_space(fs, agno, &space);
	facts.free = space.free;
	facts.free_by_length = space.by_length;
	facts.free_count = space.free_count;
	facts.free_stale = space.slots - space.free_count;
	facts.agfl = space.agfl;
	facts.agfl_count = space.agfl_count;
	facts.agfl_first = AGFL_FIRST;
	if (geo->features.rmapbt) {
		facts.rmaps = rmaps;
		facts.rmap_count = new_rmaps(fs, agno, &space, rmaps);
	}
	if (agno == 0) {
		facts.chunks = chunks;
		facts.chunk_count = new_chunks(geo, chunks);
		facts.new_inode = (uint32_t)geo->root_inode;
	}
	return xx_xfs_ag_build(geo, &facts, agno ? &super : NULL, head, NULL);
}

static uint64_t rt_file_blocks(const struct xx_xfs_new *fs)
{
	uint64_t blocks = 0;

	for (uint32_t i = 0; i < fs->rt_extent_count; i++)
		blocks += fs->rt_extent[i].len;
	return blocks;
}

uint64_t xx_xfs_new_free_blocks(const struct xx_xfs_new *fs)
{
	return secondary_super(fs, 0).free_blocks - fs->geo->chunk_blocks - rt_file_blocks(fs);
}

void xx_xfs_new_super_build(const struct xx_xfs_new *fs, uint8_t *sector)
{
	const struct xx_xfs_geometry *geo = fs->geo;
	const struct xx_xfs_super super = {
		.root_inode = geo->root_inode,
		.rt_bitmap_inode = geo->rt_bitmap_inode,
		.rt_summary_inode = geo->rt_summary_inode,
		.inodes = geo->chunk_inodes,
		.free_inodes = geo->chunk_inodes - NEW_INODES,
		.free_blocks = xx_xfs_new_free_blocks(fs),
		.free_rt_extents = geo->rt_extents,
	};

	xx_xfs_super_build(geo, &super, sector);
}
