/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The geometry of an XFS: every number that decides where things are and what they look like.
 *
 * A caller (the policy of mkfs; later a reader of superblocks) fills the first part of the structure, then
 * xx_xfs_geometry_derive() computes the rest. All counts are in file system blocks unless the name or the comment
 * says otherwise; "AG block" is a block number counted from the start of its allocation group; "fsblock" is
 * group number << ag_block_log | AG block.
 *
 * Nothing here touches a device, allocates memory or makes a message: 0 or a negative errno.
 */
#ifndef XX_XFS_GEOMETRY_H
#define XX_XFS_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include <xx/compiler.h>

/* What the file system can do, as the version, features2, ro_compat and incompat words of the superblock say. */
struct xx_xfs_features {
	bool finobt, rmapbt, reflink, inobtcount; /* ro_compat */
	bool ftype, sparse_inodes, bigtime, nrext64, exchange, parent; /* incompat */
	bool inode_align, attr2, lazy_counters, projid32; /* versionnum, features2 */
};

/* Records or keys that fit into a block of one tree. */
struct xx_xfs_tree_geometry {
	uint32_t leaf_max, node_max;
	uint32_t levels_max; /* of the largest tree that a group of ag_blocks can need */
};

struct xx_xfs_geometry {
	/* identity */
	uint8_t uuid[16];
	char label[12]; /* zero-padded, not NUL-terminated when full */
	struct xx_xfs_features features;

	/* sizes in bytes; the log2 of each is set by derive */
	uint32_t block_size, sector_size, inode_size, dir_block_size;
	uint8_t block_log, sector_log, inode_log, dir_block_log;

	/* data section */
	uint64_t data_blocks;
	uint32_t ag_count, ag_blocks; /* ag_blocks: of every group but perhaps the last */
	uint32_t stripe_unit, stripe_width; /* blocks, 0: none */
	uint8_t inode_max_percent;

	/* log */
	bool log_internal;
	uint32_t log_blocks; /* 0 while the policy still asks for the minimum */
	uint32_t log_ag; /* internal: its group */
	uint64_t log_start; /* internal: fsblock; external: 0 */
	uint32_t log_sector_size; /* bytes */
	uint32_t log_stripe_unit; /* bytes, as in sb_logsunit: 1 when there is none (v2 logs) */

	/* realtime section; all 0 but rt_extent_size when there is none */
	uint64_t rt_blocks, rt_extents;
	uint32_t rt_extent_size; /* blocks */
	uint32_t rt_bitmap_blocks;

	/* flags of the root directory: xflags are FS_XFLAG_* of <linux/fs.h>, the sizes are blocks */
	struct {
		uint32_t xflags, extsize, cowextsize, projid;
	} root;

	/* ---- derived by xx_xfs_geometry_derive() from all above, never set by hand ---- */

	uint8_t ag_block_log; /* log2 of ag_blocks, rounded up (sb_agblklog) */
	uint8_t inodes_per_block_log; /* sb_inopblog */
	uint32_t inodes_per_block;
	uint32_t inode_align; /* sb_inoalignmt, blocks */
	uint32_t sparse_align; /* sb_spino_align, blocks; 0 without sparse inodes */
	uint32_t chunk_inodes; /* inodes that are allocated at once: 64, or those of one block if more */
	uint32_t chunk_blocks;
	uint8_t log_sector_log_disk; /* sb_logsectlog: 0 when all sectors are 512 bytes */
	uint16_t log_sector_size_disk; /* sb_logsectsize: 0 when all sectors are 512 bytes */
	uint8_t rt_extents_log; /* sb_rextslog */
	uint64_t rt_summary_blocks; /* length of the realtime summary file; 0 without a realtime section */

	struct xx_xfs_tree_geometry alloc, inobt, rmapbt, refcountbt, bmap;
	uint32_t bmap_attr_levels_max; /* of an attribute fork (bmap.levels_max is of a data fork) */

	/* AG blocks of the roots of a new group; 0: feature off */
	struct {
		uint32_t bnobt, cntbt, inobt, finobt, rmapbt, refcountbt;
		uint32_t first_free; /* the block after the headers and the roots */
	} root_block;
	uint32_t agfl_size; /* slots of the free list's sector */

	/* absolute inode numbers; the two of the realtime section exist also when it is empty */
	uint64_t root_inode, rt_bitmap_inode, rt_summary_inode;
};

/*
 * Computes the derived part. May be called again after more of the first part is known: root_inode and its
 * successors are right only when the log's place is. -EINVAL: a size is no power of two or out of the format's range.
 */
XX_API XX_MUST_CHECK int xx_xfs_geometry_derive(struct xx_xfs_geometry *geo);

/*
 * The least log that the kernel mounts with these features, in blocks (before any rounding to the stripe unit or to
 * XFS_MIN_LOG_BLOCKS). Wants a derived geometry; log_blocks, log_ag and log_start are not looked at.
 */
XX_API uint32_t xx_xfs_log_min_blocks(const struct xx_xfs_geometry *geo);

/* What the largest transaction reserves, in all its rolls, without headers and padding: bytes. Wants a derived geometry. */
XX_API uint64_t xx_xfs_log_transaction_bytes(const struct xx_xfs_geometry *geo);

/* Limits of any log. */
#define XX_XFS_LOG_MIN_BLOCKS 512U
#define XX_XFS_LOG_MAX_BLOCKS (1024U * 1024U)
#define XX_XFS_LOG_MIN_BYTES  (10U * 1024 * 1024) /* on a data section of 1 GiB and more */
#define XX_XFS_LOG_MAX_BYTES  (2ULL * 1024 * 1024 * 1024 - XX_XFS_LOG_MIN_BYTES)

/* Blocks of a group that files can get: all but headers, roots and the largest free list (a log is less than this). */
XX_API uint32_t xx_xfs_ag_max_usable(const struct xx_xfs_geometry *geo);

/* Length of a group: ag_blocks, or what is left for the last one. */
XX_API uint32_t xx_xfs_ag_size(const struct xx_xfs_geometry *geo, uint32_t agno);

/* Blocks that stand on the free list of a new group. */
XX_API uint32_t xx_xfs_ag_agfl_count(const struct xx_xfs_geometry *geo, uint32_t agno);

/* True if the internal log lies in this group. */
XX_API bool xx_xfs_ag_has_log(const struct xx_xfs_geometry *geo, uint32_t agno);

/* Byte offset on the data device of an AG block. */
XX_API uint64_t xx_xfs_ag_offset(const struct xx_xfs_geometry *geo, uint32_t agno, uint32_t agbno);

/* Byte offset on its device of an internal or external log, and its length in bytes. */
XX_API uint64_t xx_xfs_log_offset(const struct xx_xfs_geometry *geo);
XX_API uint64_t xx_xfs_log_bytes(const struct xx_xfs_geometry *geo);

#endif
