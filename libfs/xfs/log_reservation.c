/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log_reservation.c - how much of the journal each kind of transaction reserves, for the least size of the journal.
 *
 * Kernels before parent pointers existed took too much: nine levels of rmapbt, eight rolls with reflink, refcount
 * updates inside of the transactions that free and write. The least size of a journal is still computed in that way
 * (the "old rules") unless the file system has parent pointers, so that older kernels mount what newer tools make.
 *
 * Sources: kernel 6.18, xfs_trans_resv_calc and the functions it calls, xfs_log_calc_trans_resv_for_minlogblocks,
 * xfs_trans_space.h. Since 6.16 a further transaction, the end of an atomic write, is reserved like itruncate but
 * with the new rules always; with rmapbt and without reflink it makes the least journal larger than mkfs.xfs 6.1 does.
 */
#include <xx/units.h>
#include <xx/xfs_format.h>

#include "xfs/geometry.h"
#include "xfs/log_reservation.h"

#define BUF_OVERHEAD	  128U /* an operation header and the format of a logged buffer, rounded up */
#define INODE_OVERHEAD	  (4U * 12 + 56 + 2 * XFS_BTREE_LBLOCK_CRC_LEN)
#define QUOTA_BYTES	  768U /* six dquots with their formats */
#define DA_MAX_DEPTH	  5U /* levels of a directory or attribute tree */
#define SYMLINK_MAX	  1024U
#define NAME_MAX_BYTES	  256U /* 255 and a NUL */
#define OLD_RMAP_LEVELS	  9U
#define OLD_REFLINK_ROLLS 8U

/* Journal items of an attribute change that sets, removes or replaces a parent pointer. */
#define ATTRI_BYTES    40U
#define PARENT_BYTES   (12U + 256U) /* record and name */
#define PARENT_CHANGE  (ATTRI_BYTES + PARENT_BYTES)
#define PARENT_REPLACE (ATTRI_BYTES + 2 * PARENT_BYTES)

/* What the formulas need, computed once. */
struct sizes {
	const struct xx_xfs_geometry *geo;
	bool old_rules;
	uint64_t block, sector;
	uint64_t rmap_levels;
	uint64_t inobt, finobt; /* reservations of an update of one of them with its space */
	uint64_t cluster; /* bytes of an inode buffer */
	uint64_t dir_blocks; /* that a change of a directory logs */
	uint64_t attr_set, attr_remove;
};

static uint64_t bufs(uint64_t count, uint64_t bytes)
{
	return count * (bytes + BUF_OVERHEAD);
}

static uint64_t inodes(const struct sizes *s, uint64_t count)
{
	return count * (s->geo->inode_size + INODE_OVERHEAD);
}

static uint64_t max3(uint64_t a, uint64_t b, uint64_t c)
{
	return xx_max(a, xx_max(b, c));
}

/* Blocks of the free space trees, and of the rmapbt, that @extents allocations or frees may change. */
static uint64_t space_trees(const struct sizes *s, uint64_t extents)
{
	uint64_t blocks = extents * 2 * (2 * (uint64_t)s->geo->alloc.levels_max - 1);

	if (s->geo->features.rmapbt)
		blocks += extents * (2 * s->rmap_levels - 1);
	return bufs(blocks, s->block);
}

static uint64_t refcount_tree(const struct sizes *s, uint64_t extents)
{
	if (!s->geo->features.reflink)
		return 0;
	return bufs(extents * (2 * (uint64_t)s->geo->refcountbt.levels_max - 1), s->block);
}

/* Refcount updates in a transaction of their own. */
static uint64_t refcount_step(const struct sizes *s, uint64_t extents)
{
	return s->geo->features.reflink ? bufs(extents, s->sector) + refcount_tree(s, extents) : 0;
}

/* Bitmap blocks of the longest realtime extent, and one of the summary. */
static uint64_t rt_bitmaps(const struct sizes *s, uint64_t extents)
{
	const uint64_t bits = XFS_MAX_BMBT_EXTLEN / xx_max(s->geo->rt_extent_size, 1);

	return bufs(extents * (xx_div_round_up(bits, 8 * s->block) + 1), s->block);
}

/* Blocks of the extent tree that adding @blocks mappings may take. */
static uint64_t extent_add_blocks(const struct xx_xfs_geometry *geo, uint64_t blocks, uint64_t levels)
{
	const uint64_t room = geo->alloc.leaf_max - geo->alloc.leaf_max / 2;

	return xx_div_round_up(blocks, room) * (levels - 1);
}

static uint64_t write_bytes(const struct sizes *s, bool old_rules)
{
	const struct xx_xfs_geometry *geo = s->geo;
	const uint64_t extra = old_rules ? refcount_tree(s, 2) : 0;
	const uint64_t map = inodes(s, 1) + bufs(geo->bmap.levels_max, s->block) + bufs(3, s->sector);
	const uint64_t alloc = map + space_trees(s, 2) + extra;
	const uint64_t rt = geo->rt_blocks ? map + rt_bitmaps(s, 1) + space_trees(s, 1) : 0;
	const uint64_t free = bufs(5, s->sector) + space_trees(s, 2) + extra;

	return QUOTA_BYTES + xx_max(max3(alloc, rt, free), old_rules ? 0 : refcount_step(s, 1));
}

static uint64_t truncate_bytes(const struct sizes *s, bool old_rules)
{
	const struct xx_xfs_geometry *geo = s->geo;
	const uint64_t map = inodes(s, 1) + bufs((uint64_t)geo->bmap.levels_max + 1, s->block);
	const uint64_t free = bufs(9, s->sector) + space_trees(s, 4) + (old_rules ? refcount_tree(s, 4) : 0);
	const uint64_t rt = geo->rt_blocks ? bufs(5, s->sector) + rt_bitmaps(s, 2) + space_trees(s, 2) : 0;

	return QUOTA_BYTES + xx_max(max3(map, free, rt), old_rules ? 0 : refcount_step(s, 2));
}

static uint64_t rename_bytes(const struct sizes *s)
{
	const uint64_t dirs = inodes(s, 5) + bufs(2 * s->dir_blocks, s->block);
	const uint64_t frees = bufs(7, s->sector) + space_trees(s, 3);

	if (!s->geo->features.parent)
		return QUOTA_BYTES + xx_max(dirs, frees);
	return QUOTA_BYTES + xx_max(PARENT_REPLACE + 2 * PARENT_CHANGE, 2 * PARENT_REPLACE) +
	       max3(dirs, frees, xx_max(s->attr_set, s->attr_remove));
}

static uint64_t unlinked_remove(const struct sizes *s)
{
	return bufs(1, s->sector) + 2 * s->cluster;
}

static uint64_t unlinked_add(const struct sizes *s)
{
	return bufs(1, s->sector) + s->cluster;
}

/* Link and remove: an inode in or out of a directory; @attr is what its parent pointer needs. */
static uint64_t entry_bytes(const struct sizes *s, uint64_t unlinked, uint64_t headers, uint64_t frees, uint64_t attr)
{
	const uint64_t dir = inodes(s, 2) + bufs(s->dir_blocks, s->block);
	const uint64_t free = bufs(headers, s->sector) + space_trees(s, frees);

	if (!s->geo->features.parent)
		return QUOTA_BYTES + unlinked + xx_max(dir, free);
	return QUOTA_BYTES + unlinked + PARENT_CHANGE + max3(dir, free, attr);
}

/* Allocating inodes: AGI, AGF, superblock, the chunk's space, both inode trees. */
static uint64_t inode_alloc(const struct sizes *s)
{
	return bufs(2, s->sector) + s->sector + space_trees(s, 1) + s->inobt + s->finobt;
}

static uint64_t create_bytes(const struct sizes *s)
{
	const uint64_t modify =
		inodes(s, 2) + bufs(1, s->sector) + s->block + bufs(s->dir_blocks, s->block) + s->finobt;

	if (!s->geo->features.parent)
		return QUOTA_BYTES + xx_max(inode_alloc(s), modify);
	return QUOTA_BYTES + PARENT_CHANGE + max3(inode_alloc(s), modify, s->attr_set);
}

static uint64_t inode_free(const struct sizes *s)
{
	return QUOTA_BYTES + inodes(s, 1) + bufs(3, s->sector) + unlinked_remove(s) + space_trees(s, 1) +
	       bufs(s->geo->chunk_blocks, 0) + s->inobt + s->finobt;
}

static uint64_t add_attr_fork(const struct sizes *s)
{
	const struct xx_xfs_geometry *geo = s->geo;
	const uint64_t dir_fsblocks = geo->dir_block_size >> geo->block_log;

	return QUOTA_BYTES + inodes(s, 1) + bufs(2, s->sector) + bufs(1, geo->dir_block_size) +
	       bufs(extent_add_blocks(geo, dir_fsblocks, geo->bmap.levels_max) + 1, s->block) + space_trees(s, 1);
}

static uint64_t attr_invalidate(const struct sizes *s)
{
	return xx_max(inodes(s, 1) + bufs(s->geo->bmap_attr_levels_max, s->block),
		      bufs(9, s->sector) + space_trees(s, 4));
}

static uint64_t attr_remove(const struct sizes *s)
{
	const uint64_t attr_levels = s->geo->bmap_attr_levels_max;

	return QUOTA_BYTES + xx_max(inodes(s, 1) + bufs(DA_MAX_DEPTH, s->block) + attr_levels * s->block +
					    bufs(s->geo->bmap.levels_max, 0),
				    bufs(5, s->sector) + space_trees(s, 2));
}

static uint64_t grow_rt_alloc(const struct sizes *s)
{
	return bufs(2, s->sector) + bufs(s->geo->bmap.levels_max, s->block) + inodes(s, 1) + space_trees(s, 1);
}

static struct sizes sizes_of(const struct xx_xfs_geometry *geo)
{
	const uint64_t dir_fsblocks = geo->dir_block_size >> geo->block_log;
	struct sizes s = { .geo = geo, .block = geo->block_size, .sector = geo->sector_size };

	s.old_rules = !geo->features.parent;
	s.rmap_levels = s.old_rules && geo->features.reflink ? OLD_RMAP_LEVELS : geo->rmapbt.levels_max;
	s.cluster = (uint64_t)xx_xfs_inode_cluster_blocks(geo) << geo->block_log;
	s.inobt = bufs(geo->inobt.levels_max, s.block) + space_trees(&s, 1);
	s.finobt = geo->features.finobt ? s.inobt : 0;
	s.dir_blocks =
		(DA_MAX_DEPTH + 2) * (dir_fsblocks + extent_add_blocks(geo, dir_fsblocks, geo->bmap.levels_max)) + 1;
	s.attr_set = QUOTA_BYTES + inodes(&s, 1) + bufs(1, s.sector) + bufs(DA_MAX_DEPTH, s.block);
	s.attr_remove = attr_remove(&s);
	return s;
}

/* Rolls of transactions that map or free space: one more for each kind of deferred update. */
static uint64_t deferred_rolls(const struct xx_xfs_geometry *geo)
{
	return 2 + (uint64_t)(geo->features.reflink || geo->features.rmapbt) + geo->features.reflink +
	       geo->features.rmapbt;
}

static uint64_t mapping_rolls(const struct sizes *s)
{
	if (!s->old_rules)
		return deferred_rolls(s->geo);
	return s->geo->features.reflink ? OLD_REFLINK_ROLLS : 2;
}

/* The end of an atomic write: by the new rules, with the true height of the rmapbt. */
static struct xx_xfs_reservation atomic_write(const struct xx_xfs_geometry *geo)
{
	struct sizes s = sizes_of(geo);

	s.rmap_levels = geo->rmapbt.levels_max;
	return (struct xx_xfs_reservation){ truncate_bytes(&s, false), deferred_rolls(geo) };
}

void xx_xfs_reservations(const struct xx_xfs_geometry *geo, struct xx_xfs_reservation out[XX_XFS_RESERVATIONS])
{
	const struct sizes s = sizes_of(geo);
	const uint64_t parent = geo->features.parent ? 3 : 0; /* rolls that one parent pointer takes */
	const uint64_t write = write_bytes(&s, s.old_rules);
	const uint64_t create = create_bytes(&s);
	const struct xx_xfs_reservation all[XX_XFS_RESERVATIONS] = {
		{ write, mapping_rolls(&s) },
		{ write + bufs(1, s.block - 1), mapping_rolls(&s) }, /* allocating a dquot */
		{ truncate_bytes(&s, s.old_rules), mapping_rolls(&s) },
		atomic_write(geo),
		{ rename_bytes(&s), 2 + parent },
		{ entry_bytes(&s, unlinked_remove(&s), 3, 1, s.attr_set), 2 + parent }, /* link */
		{ entry_bytes(&s, unlinked_add(&s), 4, 2, s.attr_remove), 2 + parent }, /* remove */
		{ create + bufs(1, SYMLINK_MAX), 3 + parent },
		{ create, 2 + parent },
		{ create, 3 + parent }, /* mkdir */
		{ QUOTA_BYTES + inode_alloc(&s) + unlinked_add(&s), 2 },
		{ inode_free(&s), 2 },
		{ add_attr_fork(&s), 2 },
		{ attr_invalidate(&s), 1 },
		{ s.attr_set, 3 },
		{ s.attr_remove, 3 },
		{ grow_rt_alloc(&s), 2 },
		{ bufs(3, s.sector) + space_trees(&s, 1), 2 }, /* growing the data section */
		{ QUOTA_BYTES + inodes(&s, 1) + bufs(1, s.sector), 1 }, /* changing an inode */
		{ bufs(1, s.sector) + inodes(&s, 2) + bufs(1, s.block) + bufs(1, 0), 1 } /* growing the rt section */
	};

	for (int i = 0; i < XX_XFS_RESERVATIONS; i++)
		out[i] = all[i];
}

/*
 * An attribute block of a local value, and for each block that it takes one runtime reservation. Under the old rules
 * the length is taken for a number of blocks when extents are counted.
 */
struct xx_xfs_reservation xx_xfs_reservation_attr(const struct xx_xfs_geometry *geo)
{
	const struct sizes s = sizes_of(geo);
	const uint64_t value = geo->block_size / 2 + geo->block_size / 4 - NAME_MAX_BYTES - 1;
	const uint64_t value_blocks = xx_div_round_up(value, s.block);
	const uint64_t levels = geo->bmap_attr_levels_max;
	const uint64_t tree = DA_MAX_DEPTH * (1 + extent_add_blocks(geo, 1, levels));
	const uint64_t blocks =
		tree + value_blocks + extent_add_blocks(geo, s.old_rules ? value : value_blocks, levels);
	const uint64_t each = bufs(1, s.sector) + bufs(levels, s.block);

	return (struct xx_xfs_reservation){ s.attr_set + each * blocks, 3 };
}
