/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * geometry.c - what follows from the sizes and features of an XFS: where headers and roots lie, how full and how high
 * trees get, how inodes are aligned, which number the root directory has.
 *
 * Sources: kernel and xfsprogs, xfs_ialloc_setup_geometry, xfs_ialloc_calc_rootino, xfs_alloc_min_freelist,
 * xfs_btree_compute_maxlevels, xfs_btree_space_to_height, xfs_prealloc_blocks; mkfs, sb_set_features.
 */
#include <errno.h>

#include <xx/units.h>
#include <xx/xfs_format.h>
#include <xx/xfs_geometry.h>

#include "xfs/geometry.h"

/* Bytes of inode buffers for inodes of 256 bytes; larger inodes have larger ones. */
#define INODE_CLUSTER_BYTES 8192U

/* Blocks of the free list that xfs_alloc_ag_max_usable sets aside. */
#define AGFL_RESERVE 4U

static int set_logs(struct xx_xfs_geometry *geo)
{
	if (!xx_is_pow2(geo->block_size) || geo->block_size < XFS_MIN_CRC_BLOCKSIZE ||
	    geo->block_size > 1U << XFS_MAX_BLOCKSIZE_LOG)
		return -EINVAL;
	if (!xx_is_pow2(geo->sector_size) || geo->sector_size < 1U << XFS_MIN_SECTORSIZE_LOG ||
	    geo->sector_size > 1U << XFS_MAX_SECTORSIZE_LOG || geo->sector_size > geo->block_size)
		return -EINVAL;
	if (!xx_is_pow2(geo->inode_size) || geo->inode_size < 1U << XFS_DINODE_V3_MIN_LOG ||
	    geo->inode_size > 1U << XFS_DINODE_MAX_LOG || geo->inode_size > geo->block_size / 2)
		return -EINVAL;
	if (!xx_is_pow2(geo->dir_block_size) || geo->dir_block_size < geo->block_size ||
	    geo->dir_block_size > 1U << XFS_MAX_BLOCKSIZE_LOG)
		return -EINVAL;
	if (!xx_is_pow2(geo->log_sector_size) || geo->log_sector_size < 1U << XFS_MIN_SECTORSIZE_LOG ||
	    geo->log_sector_size > 1U << XFS_MAX_SECTORSIZE_LOG)
		return -EINVAL;
	geo->block_log = (uint8_t)xx_ilog2(geo->block_size);
	geo->sector_log = (uint8_t)xx_ilog2(geo->sector_size);
	geo->inode_log = (uint8_t)xx_ilog2(geo->inode_size);
	geo->dir_block_log = (uint8_t)xx_ilog2(geo->dir_block_size);
	return 0;
}

static int check_groups(const struct xx_xfs_geometry *geo)
{
	if (geo->ag_count == 0 || geo->ag_blocks == 0)
		return -EINVAL;
	if ((uint64_t)geo->ag_blocks << geo->block_log > XFS_MAX_AG_BYTES)
		return -EINVAL;
	if (geo->data_blocks > (uint64_t)geo->ag_count * geo->ag_blocks ||
	    geo->data_blocks <= (uint64_t)(geo->ag_count - 1) * geo->ag_blocks)
		return -EINVAL;
	return 0;
}

/* Levels of a tree of @records with all blocks as empty as they may be. */
static uint32_t levels_for_records(const struct xx_xfs_tree_geometry *tree, uint64_t records)
{
	uint64_t blocks = xx_div_round_up(records, tree->leaf_max / 2);
	uint32_t levels = 1;

	while (blocks > 1) {
		blocks = xx_div_round_up(blocks, tree->node_max / 2);
		levels++;
	}
	return levels;
}

/* Levels of a tree that takes all of a group's blocks; the root may have as few as two pointers. */
static uint32_t levels_for_space(const struct xx_xfs_tree_geometry *tree, uint64_t blocks)
{
	uint64_t level_blocks = 2;
	uint64_t left = blocks - 1;
	uint32_t levels = 1;

	while (level_blocks < left) {
		left -= level_blocks;
		level_blocks *= tree->node_max / 2;
		levels++;
	}
	return levels;
}

/*
 * Levels of the extent tree of a fork of up to @extents, whose root in the inode has at least @root_max pointers.
 */
static uint32_t bmap_levels(const struct xx_xfs_tree_geometry *tree, uint64_t extents, uint32_t root_max)
{
	uint64_t blocks = xx_div_round_up(extents, tree->leaf_max / 2);
	uint32_t level = 1;

	for (; blocks > 1; level++) {
		if (blocks <= root_max)
			blocks = 1;
		else
			blocks = xx_div_round_up(blocks, tree->node_max / 2);
	}
	return level;
}

static void set_bmap(struct xx_xfs_geometry *geo)
{
	const uint32_t room = geo->block_size - XFS_BTREE_LBLOCK_CRC_LEN;
	const bool large = geo->features.nrext64;

	geo->bmap.leaf_max = room / (uint32_t)sizeof(struct xfs_bmbt_rec);
	geo->bmap.node_max = room / 16;
	geo->bmap.levels_max = bmap_levels(&geo->bmap, large ? (UINT64_C(1) << 48) - 1 : INT32_MAX, 3);
	geo->bmap_attr_levels_max = bmap_levels(&geo->bmap, large ? UINT32_MAX : INT16_MAX, 2);
}

static void set_trees(struct xx_xfs_geometry *geo)
{
	const uint32_t room = geo->block_size - (uint32_t)sizeof(struct xfs_btree_sblock);
	const uint64_t inodes = UINT64_C(1) << (geo->inodes_per_block_log + geo->ag_block_log);

	geo->alloc.leaf_max = room / (uint32_t)sizeof(struct xfs_alloc_rec);
	geo->alloc.node_max = room / ((uint32_t)sizeof(struct xfs_alloc_rec) + 4);
	geo->alloc.levels_max = levels_for_records(&geo->alloc, ((uint64_t)geo->ag_blocks + 1) / 2);

	geo->inobt.leaf_max = room / (uint32_t)sizeof(struct xfs_inobt_rec);
	geo->inobt.node_max = room / 8;
	geo->inobt.levels_max = levels_for_records(&geo->inobt, inodes / XFS_INODES_PER_CHUNK);

	geo->rmapbt.leaf_max = room / (uint32_t)sizeof(struct xfs_rmap_rec);
	geo->rmapbt.node_max = room / (2 * (uint32_t)sizeof(struct xfs_rmap_key) + 4);
	geo->rmapbt.levels_max = 0;
	if (geo->features.rmapbt && geo->features.reflink)
		geo->rmapbt.levels_max = levels_for_space(&geo->rmapbt, geo->ag_blocks);
	else if (geo->features.rmapbt)
		geo->rmapbt.levels_max = levels_for_records(&geo->rmapbt, geo->ag_blocks);

	geo->refcountbt.leaf_max = room / (uint32_t)sizeof(struct xfs_refcount_rec);
	geo->refcountbt.node_max = room / 8;
	geo->refcountbt.levels_max = geo->features.reflink ? levels_for_records(&geo->refcountbt, geo->ag_blocks) : 0;
}

static void set_roots(struct xx_xfs_geometry *geo)
{
	uint32_t block = (uint32_t)xx_div_round_up(XFS_AG_HEADERS * geo->sector_size, geo->block_size);

	geo->root_block.bnobt = block++;
	geo->root_block.cntbt = block++;
	geo->root_block.inobt = block++;
	geo->root_block.finobt = geo->features.finobt ? block++ : 0;
	geo->root_block.rmapbt = geo->features.rmapbt ? block++ : 0;
	geo->root_block.refcountbt = geo->features.reflink ? block++ : 0;
	geo->root_block.first_free = block;
	geo->agfl_size = (geo->sector_size - (uint32_t)sizeof(struct xfs_agfl)) / 4;
}

static void set_inodes(struct xx_xfs_geometry *geo)
{
	const uint32_t cluster = INODE_CLUSTER_BYTES * (geo->inode_size >> XFS_DINODE_MIN_LOG);

	geo->inodes_per_block = geo->block_size / geo->inode_size;
	geo->inodes_per_block_log = (uint8_t)(geo->block_log - geo->inode_log);
	geo->chunk_inodes = (uint32_t)xx_max(XFS_INODES_PER_CHUNK, geo->inodes_per_block);
	geo->chunk_blocks = geo->chunk_inodes >> geo->inodes_per_block_log;
	geo->inode_align = geo->features.inode_align ? cluster >> geo->block_log : 0;
	geo->sparse_align = 0;
	if (geo->features.sparse_inodes) {
		geo->sparse_align = geo->inode_align;
		geo->inode_align = XFS_INODES_PER_CHUNK * geo->inode_size >> geo->block_log;
	}
}

uint32_t xx_xfs_inode_cluster_blocks(const struct xx_xfs_geometry *geo)
{
	const uint32_t scaled = INODE_CLUSTER_BYTES * (geo->inode_size >> XFS_DINODE_MIN_LOG);
	const uint32_t bytes = geo->inode_align >= scaled >> geo->block_log ? scaled : INODE_CLUSTER_BYTES;

	return bytes > geo->block_size ? bytes >> geo->block_log : 1;
}

/* Blocks on the free list of a group whose trees are single blocks: enough to split each twice, up to the highest. */
static uint32_t agfl_min(const struct xx_xfs_geometry *geo)
{
	uint64_t blocks = 2 * (2 * xx_min(2, geo->alloc.levels_max) - 2);

	if (geo->features.rmapbt)
		blocks += 2 * xx_min(2, geo->rmapbt.levels_max) - 2;
	return (uint32_t)blocks;
}

/* The alignment of the root directory's inode chunk, in blocks. */
static uint32_t root_align(const struct xx_xfs_geometry *geo)
{
	uint32_t align = 1;

	if (geo->features.inode_align && geo->inode_align >= xx_xfs_inode_cluster_blocks(geo))
		align = geo->inode_align;
	if (geo->stripe_unit != 0 && align > 1 && (geo->stripe_unit & (align - 1)) == 0)
		return geo->stripe_unit;
	if (geo->features.inode_align && geo->inode_align > 1)
		return geo->inode_align;
	return 1;
}

static void set_root_inode(struct xx_xfs_geometry *geo)
{
	uint64_t block = geo->root_block.first_free + agfl_min(geo);

	if (xx_xfs_ag_has_log(geo, 0))
		block += geo->log_blocks;
	block = xx_round_up(block, root_align(geo));
	geo->root_inode = block << geo->inodes_per_block_log;
	geo->rt_bitmap_inode = geo->root_inode + 1;
	geo->rt_summary_inode = geo->root_inode + 2;
}

/*
 * sb_rextslog is checked by kernels that know extent counts beyond 32 bits; mkfs.xfs 6.1 looked at the lower half
 * only, and those kernels refuse what it made there.
 */
static void set_rt(struct xx_xfs_geometry *geo)
{
	geo->rt_extents_log = geo->rt_extents ? (uint8_t)xx_ilog2(geo->rt_extents) : 0;
	geo->rt_summary_blocks = 0;
	if (geo->rt_blocks) {
		const uint64_t counters = (uint64_t)(geo->rt_extents_log + 1) * geo->rt_bitmap_blocks;

		geo->rt_summary_blocks = xx_div_round_up(4 * counters, geo->block_size);
	}
}

static void set_log_sector(struct xx_xfs_geometry *geo)
{
	const bool any = geo->sector_size > XX_SECTOR || geo->log_sector_size > XX_SECTOR;

	geo->log_sector_log_disk = any ? (uint8_t)xx_ilog2(geo->log_sector_size) : 0;
	geo->log_sector_size_disk = any ? (uint16_t)geo->log_sector_size : 0;
}

int xx_xfs_geometry_derive(struct xx_xfs_geometry *geo)
{
	int ret = set_logs(geo);

	if (ret == 0)
		ret = check_groups(geo);
	if (ret)
		return ret;
	geo->ag_block_log = (uint8_t)xx_ilog2(xx_pow2_ceil(geo->ag_blocks));
	set_inodes(geo);
	set_trees(geo);
	set_bmap(geo);
	set_roots(geo);
	set_rt(geo);
	set_log_sector(geo);
	set_root_inode(geo);
	return 0;
}

uint32_t xx_xfs_ag_max_usable(const struct xx_xfs_geometry *geo)
{
	const uint32_t taken = geo->root_block.first_free + AGFL_RESERVE;

	return geo->ag_blocks > taken ? geo->ag_blocks - taken : 0;
}

uint32_t xx_xfs_ag_size(const struct xx_xfs_geometry *geo, uint32_t agno)
{
	if (agno < geo->ag_count - 1)
		return geo->ag_blocks;
	return (uint32_t)(geo->data_blocks - (uint64_t)agno * geo->ag_blocks);
}

bool xx_xfs_ag_has_log(const struct xx_xfs_geometry *geo, uint32_t agno)
{
	return geo->log_internal && geo->log_blocks != 0 && geo->log_start >> geo->ag_block_log == agno;
}

/* A group that has not even the blocks for its free list gets none (xfs_alloc_space_available). */
uint32_t xx_xfs_ag_agfl_count(const struct xx_xfs_geometry *geo, uint32_t agno)
{
	const uint32_t size = xx_xfs_ag_size(geo, agno);
	const uint32_t wanted = agfl_min(geo);
	uint64_t taken = geo->root_block.first_free;

	if (xx_xfs_ag_has_log(geo, agno))
		taken += geo->log_blocks;
	return size >= taken + wanted ? wanted : 0;
}

uint64_t xx_xfs_ag_offset(const struct xx_xfs_geometry *geo, uint32_t agno, uint32_t agbno)
{
	return ((uint64_t)agno * geo->ag_blocks + agbno) << geo->block_log;
}

uint64_t xx_xfs_log_offset(const struct xx_xfs_geometry *geo)
{
	const uint64_t agno = geo->log_start >> geo->ag_block_log;

	if (!geo->log_internal)
		return 0;
	return xx_xfs_ag_offset(geo, (uint32_t)agno, (uint32_t)(geo->log_start - (agno << geo->ag_block_log)));
}

uint64_t xx_xfs_log_bytes(const struct xx_xfs_geometry *geo)
{
	return (uint64_t)geo->log_blocks << geo->block_log;
}
