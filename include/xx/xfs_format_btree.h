/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_format_btree.h - blocks, records and keys of the trees of an allocation group, and of an inode's extents.
 * Chapters "Common XFS Types / B+trees", "Allocation Groups", "Reverse-Mapping B+tree", "Reference Count B+tree",
 * "Data Extents".
 */
#ifndef XX_XFS_FORMAT_BTREE_H
#define XX_XFS_FORMAT_BTREE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/endian.h>

#define XFS_ABTB_CRC_MAGIC 0x41423342U /* "AB3B", free space by block */
#define XFS_ABTC_CRC_MAGIC 0x41423343U /* "AB3C", free space by length */
#define XFS_IBT_CRC_MAGIC  0x49414233U /* "IAB3", inode chunks */
#define XFS_FIBT_CRC_MAGIC 0x46494233U /* "FIB3", inode chunks with a free inode */
#define XFS_RMAP_CRC_MAGIC 0x524d4233U /* "RMB3", owners of blocks */
#define XFS_REFC_CRC_MAGIC 0x52334643U /* "R3FC", reference counts */

/* A block with pointers inside its group, version 5. Records, or keys and pointers, follow. */
struct xfs_btree_sblock {
	be32 bb_magic;
	be16 bb_level; /* 0: a leaf */
	be16 bb_numrecs;
	be32 bb_leftsib;
	be32 bb_rightsib;
	be64 bb_blkno; /* 512-byte units, from the start of the device */
	be64 bb_lsn;
	uint8_t bb_uuid[16];
	be32 bb_owner; /* group */
	le32 bb_crc; /* of the whole block */
};

static_assert(sizeof(struct xfs_btree_sblock) == 56, "short-form tree block");
static_assert(offsetof(struct xfs_btree_sblock, bb_crc) == 52, "bb_crc");

/* Bytes of the header of a long-form block (bmbt), version 5. */
#define XFS_BTREE_LBLOCK_CRC_LEN 72

/* Record and key of bnobt and cntbt. */
struct xfs_alloc_rec {
	be32 ar_startblock;
	be32 ar_blockcount;
};

static_assert(sizeof(struct xfs_alloc_rec) == 8, "free space record");

/* Record of inobt and finobt; the key is ir_startino. ir_holemask and ir_count are used with sparse inodes only. */
struct xfs_inobt_rec {
	be32 ir_startino;
	be16 ir_holemask;
	uint8_t ir_count;
	uint8_t ir_freecount;
	be64 ir_free; /* bit set: free */
};

static_assert(sizeof(struct xfs_inobt_rec) == 16, "inode chunk record");

#define XFS_INODES_PER_CHUNK 64U

struct xfs_rmap_rec {
	be32 rm_startblock;
	be32 rm_blockcount;
	be64 rm_owner;
	be64 rm_offset; /* of the file, with the flags below */
};

struct xfs_rmap_key {
	be32 rm_startblock;
	be64 rm_owner;
	be64 rm_offset; /* without XFS_RMAP_OFF_UNWRITTEN */
};

static_assert(sizeof(struct xfs_rmap_rec) == 24, "reverse mapping record");
static_assert(sizeof(struct xfs_rmap_key) == 20, "reverse mapping key");

#define XFS_RMAP_OFF_ATTR_FORK	(1ULL << 63)
#define XFS_RMAP_OFF_BMBT_BLOCK (1ULL << 62)
#define XFS_RMAP_OFF_UNWRITTEN	(1ULL << 61)
#define XFS_RMAP_OFF_MASK	((1ULL << 54) - 1)

/* Owners that are no inodes: negative numbers. */
#define XFS_RMAP_OWN_FS	    UINT64_C(0xfffffffffffffffd) /* headers */
#define XFS_RMAP_OWN_LOG    UINT64_C(0xfffffffffffffffc)
#define XFS_RMAP_OWN_AG	    UINT64_C(0xfffffffffffffffb) /* free space and reverse mapping trees, free list */
#define XFS_RMAP_OWN_INOBT  UINT64_C(0xfffffffffffffffa)
#define XFS_RMAP_OWN_INODES UINT64_C(0xfffffffffffffff9)
#define XFS_RMAP_OWN_REFC   UINT64_C(0xfffffffffffffff8)
#define XFS_RMAP_OWN_COW    UINT64_C(0xfffffffffffffff7)

/* The key is rc_startblock. */
struct xfs_refcount_rec {
	be32 rc_startblock; /* top bit: staged for copy on write */
	be32 rc_blockcount;
	be32 rc_refcount;
};

static_assert(sizeof(struct xfs_refcount_rec) == 12, "reference count record");

/*
 * An extent of a file: 1 bit unwritten, 54 bits file block, 52 bits fsblock, 21 bits length.
 */
struct xfs_bmbt_rec {
	be64 l0;
	be64 l1;
};

static_assert(sizeof(struct xfs_bmbt_rec) == 16, "extent record");

#define XFS_MAX_BMBT_EXTLEN ((1U << 21) - 1)

#endif
