/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_format_ag.h - the headers of an allocation group. Chapter "Allocation Groups", sections "AG Free Space
 * Management" and "AG Inode Management". Sector 0 is the superblock, 1 the AGF, 2 the AGI, 3 the AGFL.
 */
#ifndef XX_XFS_FORMAT_AG_H
#define XX_XFS_FORMAT_AG_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/endian.h>

#define XFS_AG_HEADERS	4 /* sectors */
#define XFS_AGF_SECTOR	1
#define XFS_AGI_SECTOR	2
#define XFS_AGFL_SECTOR 3

#define XFS_AGF_MAGIC	0x58414746U /* "XAGF" */
#define XFS_AGF_VERSION 1
#define XFS_AGI_MAGIC	0x58414749U /* "XAGI" */
#define XFS_AGI_VERSION 1
#define XFS_AGFL_MAGIC	0x5841464cU /* "XAFL" */

#define XFS_NULLAGBLOCK UINT32_MAX
#define XFS_NULLAGINO	UINT32_MAX
#define XFS_NULLFSINO	UINT64_MAX

/* indices of agf_roots and agf_levels */
enum {
	XFS_BTNUM_BNO,
	XFS_BTNUM_CNT,
	XFS_BTNUM_RMAP,
	XFS_BTNUM_AGF
};

struct xfs_agf {
	be32 agf_magicnum;
	be32 agf_versionnum;
	be32 agf_seqno;
	be32 agf_length;
	be32 agf_roots[XFS_BTNUM_AGF];
	be32 agf_levels[XFS_BTNUM_AGF];
	be32 agf_flfirst; /* slots of the AGFL, a ring */
	be32 agf_fllast;
	be32 agf_flcount;
	be32 agf_freeblks;
	be32 agf_longest;
	be32 agf_btreeblks; /* blocks of bnobt, cntbt and rmapbt, without the roots */
	uint8_t agf_uuid[16];
	be32 agf_rmap_blocks;
	be32 agf_refcount_blocks;
	be32 agf_refcount_root;
	be32 agf_refcount_level;
	be64 agf_spare64[14];
	be64 agf_lsn;
	le32 agf_crc; /* of the whole sector */
	be32 agf_spare2;
};

static_assert(sizeof(struct xfs_agf) == 224, "AGF");
static_assert(offsetof(struct xfs_agf, agf_uuid) == 64, "agf_uuid");
static_assert(offsetof(struct xfs_agf, agf_crc) == 216, "agf_crc");

#define XFS_AGI_UNLINKED_BUCKETS 64

struct xfs_agi {
	be32 agi_magicnum;
	be32 agi_versionnum;
	be32 agi_seqno;
	be32 agi_length;
	be32 agi_count; /* inodes */
	be32 agi_root;
	be32 agi_level;
	be32 agi_freecount; /* inodes */
	be32 agi_newino;
	be32 agi_dirino;
	be32 agi_unlinked[XFS_AGI_UNLINKED_BUCKETS];
	uint8_t agi_uuid[16];
	le32 agi_crc; /* of the whole sector */
	be32 agi_pad32;
	be64 agi_lsn;
	be32 agi_free_root;
	be32 agi_free_level;
	be32 agi_iblocks; /* blocks of the inobt, with inobtcount */
	be32 agi_fblocks;
};

static_assert(sizeof(struct xfs_agi) == 344, "AGI");
static_assert(offsetof(struct xfs_agi, agi_crc) == 312, "agi_crc");
static_assert(offsetof(struct xfs_agi, agi_fblocks) == 340, "agi_fblocks");

/* The slots (be32 block numbers) follow at once, to the end of the sector. */
struct xfs_agfl {
	be32 agfl_magicnum;
	be32 agfl_seqno;
	uint8_t agfl_uuid[16];
	be64 agfl_lsn;
	le32 agfl_crc; /* of the whole sector */
};

static_assert(sizeof(struct xfs_agfl) == 36, "AGFL");
static_assert(offsetof(struct xfs_agfl, agfl_crc) == 32, "agfl_crc");

#endif
