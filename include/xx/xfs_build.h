/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_build.h - the builder: from facts to the bytes of an allocation group, of inodes, of a journal, of superblocks.
 *
 * The lower half turns the facts about any group into headers and trees. The upper half ("new") knows the facts of a
 * file system that has nothing in it but its root directory: mkfs calls only that. All of it works in memory that the
 * caller owns: no I/O, no allocation, no messages; results are 0 or a negative errno.
 *
 * What mkfs does with it:
 *
 *	struct xx_xfs_new fs;
 *
 *	xx_xfs_new_plan(&fs, &geo, now, &random);
 *	for each group:		xx_xfs_new_ag_build(&fs, agno, buf), write fs.head_bytes at xx_xfs_ag_offset(&geo, agno, 0)
 *	inode chunk:		xx_xfs_new_chunk_build(&fs, buf), write fs.chunk_bytes at fs.chunk_offset
 *	realtime files:		for each of fs.rt_extent[]: xx_xfs_new_rt_block(...), write
 *	journal:		zero it; xx_xfs_log_head_build(&geo, buf), write xx_xfs_log_head_bytes() at its start
 *	when all is flushed:	xx_xfs_new_super_build(&fs, buf), write one sector at 0
 *
 * Bytes that no structure uses are zero. The image is the one of mkfs.xfs 6.1; where that differs from later versions
 * or is wrong, the source says so.
 */
#ifndef XX_XFS_BUILD_H
#define XX_XFS_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <xx/compiler.h>
#include <xx/random.h>
#include <xx/xfs_geometry.h>

/* ---- any group ---- */

/* Free space: AG blocks. */
struct xx_xfs_free {
	uint32_t start, len;
};

/* 64 inodes; numbers relative to the group. Without sparse inodes holes is 0 and count 64. */
struct xx_xfs_chunk {
	uint32_t start; /* first inode */
	uint16_t holes; /* bit set: 4 inodes that have no blocks */
	uint8_t count; /* inodes that have blocks */
	uint8_t free_count;
	uint64_t free; /* bit set: free */
};

/* Who owns a range of blocks: XFS_RMAP_OWN_* or an inode number; offset in file blocks with the XFS_RMAP_OFF_* bits. */
struct xx_xfs_rmap {
	uint32_t start, len;
	uint64_t owner, offset;
};

/* A range that is shared (count above 1) or staged for copy on write (top bit of start, count 1). */
struct xx_xfs_refcount {
	uint32_t start, len, count;
};

/* The counters and inode numbers of a superblock; all else in it follows from the geometry. */
struct xx_xfs_super {
	uint64_t root_inode, rt_bitmap_inode, rt_summary_inode; /* UINT64_MAX: not made yet */
	uint64_t inodes, free_inodes, free_blocks, free_rt_extents;
	bool in_progress;
};

/*
 * All there is to know about a group. The arrays belong to the caller; each is ascending (free and chunks by start;
 * rmaps by start, owner, offset; refcounts by start with its top bit) and none overlaps itself (but rmaps may).
 * rmaps and refcounts are ignored when the feature is off.
 */
struct xx_xfs_ag_facts {
	uint32_t agno, length;
	const struct xx_xfs_free *free;
	const struct xx_xfs_free *free_by_length; /* by length, then start; NULL: the builder sorts */
	size_t free_count;
	size_t free_stale; /* see struct xx_xfs_tree_place; of both lists, which are given then */
	const struct xx_xfs_chunk *chunks;
	size_t chunk_count;
	const struct xx_xfs_rmap *rmaps;
	size_t rmap_count;
	const struct xx_xfs_refcount *refcounts;
	size_t refcount_count;
	const uint32_t *agfl; /* AG blocks, in the order of the list */
	uint32_t agfl_count;
	uint32_t agfl_first; /* slot of agfl[0] (wraps) */
	uint32_t new_inode; /* agi_newino, UINT32_MAX: none */
	const uint32_t *extra; /* AG blocks for tree blocks other than the roots; taken in order */
	size_t extra_count; /* at least xx_xfs_ag_extra_blocks() */
};

/* Bytes of headers and roots: from the start of the group to root_block.first_free. */
XX_API size_t xx_xfs_ag_head_bytes(const struct xx_xfs_geometry *geo);

/* How many blocks beyond the roots the trees of these facts take; 0 for a new group. */
XX_API size_t xx_xfs_ag_extra_blocks(const struct xx_xfs_geometry *geo, const struct xx_xfs_ag_facts *facts);

/*
 * Builds the head (xx_xfs_ag_head_bytes) with all headers and roots, and the extra tree blocks, one after the other
 * in the order of facts->extra, at @extra (NULL when there are none). Both are overwritten wholly.
 * -EINVAL: the facts do not fit together; -ENOSPC: too few extra blocks, or more AGFL blocks than slots.
 */
XX_API XX_MUST_CHECK int xx_xfs_ag_build(const struct xx_xfs_geometry *geo, const struct xx_xfs_ag_facts *facts,
					 const struct xx_xfs_super *super, uint8_t *head, uint8_t *extra);

/* One superblock, a sector. */
XX_API void xx_xfs_super_build(const struct xx_xfs_geometry *geo, const struct xx_xfs_super *super, uint8_t *sector);

/* ---- one tree ---- */

enum xx_xfs_tree {
	XX_XFS_BNOBT, /* records: struct xx_xfs_free, by start */
	XX_XFS_CNTBT, /* struct xx_xfs_free, by length, then start */
	XX_XFS_INOBT, /* struct xx_xfs_chunk */
	XX_XFS_FINOBT, /* struct xx_xfs_chunk */
	XX_XFS_RMAPBT, /* struct xx_xfs_rmap */
	XX_XFS_REFCOUNTBT /* struct xx_xfs_refcount */
};

/* Shape of the tree that holds @records: levels (1: the root is a leaf), and all blocks with the root. */
XX_API uint32_t xx_xfs_tree_levels(const struct xx_xfs_geometry *geo, enum xx_xfs_tree tree, uint64_t records);
XX_API uint64_t xx_xfs_tree_blocks(const struct xx_xfs_geometry *geo, enum xx_xfs_tree tree, uint64_t records);

/* Where a tree goes: root, and the other blocks with the memory for each, consecutive. */
struct xx_xfs_tree_place {
	uint32_t agno;
	uint32_t root_block;
	uint8_t *root;
	const uint32_t *blocks; /* xx_xfs_tree_blocks() - 1 AG blocks, from the level below the root to the leaves */
	uint8_t *data; /* the memory of blocks[0], blocks[1], ... */
	/*
	 * So many entries behind the last record are written too, but not counted: a live file system leaves the last
	 * record behind when it deletes one. Of a tree that is one block; ignored otherwise.
	 */
	size_t stale;
};

/*
 * Bulk-loads a tree of @count records of the structure that enum xx_xfs_tree names, evenly filled blocks. The memory
 * must be zero. Checksums are stamped.
 */
XX_API void xx_xfs_tree_load(const struct xx_xfs_geometry *geo, enum xx_xfs_tree tree,
			     const struct xx_xfs_tree_place *place, const void *records, size_t count);

/* ---- inodes ---- */

/* An extent of a file: file block, fsblock, length (at most XFS_MAX_BMBT_EXTLEN). */
struct xx_xfs_extent {
	uint64_t offset, fsblock;
	uint32_t len;
};

/* What a version 3 inode says; no attribute fork. */
struct xx_xfs_inode {
	uint64_t number;
	uint16_t mode; /* 0: a free inode; only number and generation count then */
	uint32_t links, generation, uid, gid, projid;
	struct timespec atime, mtime, ctime, crtime;
	uint64_t size; /* bytes */
	uint64_t blocks;
	uint32_t extsize, cowextsize; /* blocks */
	uint16_t flags; /* XFS_DIFLAG_* */
	uint64_t flags2; /* XFS_DIFLAG2_*; those that follow from the features are added */
	uint64_t change_count;
	const struct xx_xfs_extent *extents; /* data fork; NULL and local_bytes: the fork lies in the inode */
	uint32_t extent_count;
	const void *local;
	uint16_t local_bytes;
};

/* Writes inode_size bytes. -EFBIG: the fork does not fit. */
XX_API XX_MUST_CHECK int xx_xfs_inode_build(const struct xx_xfs_geometry *geo, const struct xx_xfs_inode *inode,
					    uint8_t *buf);

/* ---- journal ---- */

/* The first record of an empty journal: one unmount. The rest of the journal is zero. */
XX_API size_t xx_xfs_log_head_bytes(const struct xx_xfs_geometry *geo);
XX_API void xx_xfs_log_head_build(const struct xx_xfs_geometry *geo, uint8_t *buf);

/* ---- a new file system ---- */

/* Extents that each of the two realtime files may have (more would need a tree: -EOPNOTSUPP from the plan). */
#define XX_XFS_NEW_RT_EXTENTS 16

/* A piece of one of the realtime files. */
struct xx_xfs_new_rt_extent {
	bool summary; /* else the bitmap */
	uint32_t agno, agbno, len;
	uint64_t offset; /* file block of its first block */
};

struct xx_xfs_new {
	const struct xx_xfs_geometry *geo; /* stays the caller's, must outlive this */
	struct timespec now;
	uint32_t root_generation, bitmap_generation, summary_generation, free_generation;

	size_t head_bytes; /* of each group */
	uint32_t chunk_block; /* of group 0: the inode chunk with the root directory */
	uint64_t chunk_offset; /* bytes */
	size_t chunk_bytes;
	uint32_t rt_extent_count;
	struct xx_xfs_new_rt_extent rt_extent[2 * XX_XFS_NEW_RT_EXTENTS]; /* the bitmap's, then the summary's */
};

/*
 * Lays out a new file system. @random gives generation numbers (NULL: all are 0, as mkfs.xfs 6.1 does).
 * -ENOSPC: group 0 cannot hold the root directory; -EOPNOTSUPP: the realtime bitmap is too scattered.
 */
XX_API XX_MUST_CHECK int xx_xfs_new_plan(struct xx_xfs_new *fs, const struct xx_xfs_geometry *geo, struct timespec now,
					 struct xx_random *random);

/*
 * The head of a group, head_bytes. Group 0 is built without its superblock (that sector is zero): it comes last, by
 * xx_xfs_new_super_build().
 */
XX_API XX_MUST_CHECK int xx_xfs_new_ag_build(const struct xx_xfs_new *fs, uint32_t agno, uint8_t *head);

/* The inode chunk, chunk_bytes. */
XX_API XX_MUST_CHECK int xx_xfs_new_chunk_build(const struct xx_xfs_new *fs, uint8_t *buf);

/* One block of a realtime file by its file block number; false when it is all zero. */
XX_API bool xx_xfs_new_rt_block(const struct xx_xfs_new *fs, bool summary, uint64_t offset, uint8_t *buf);

/* The finished primary superblock, one sector. */
XX_API void xx_xfs_new_super_build(const struct xx_xfs_new *fs, uint8_t *sector);

/* Free blocks (with those of the free lists) that the finished file system's superblock tells. */
XX_API uint64_t xx_xfs_new_free_blocks(const struct xx_xfs_new *fs);

#endif
