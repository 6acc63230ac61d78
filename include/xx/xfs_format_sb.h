/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_format_sb.h - the superblock, and the features that it names. Chapter "Allocation Groups", section
 * "Superblocks". Sector 0 of each allocation group; the one of group 0 is the primary.
 */
#ifndef XX_XFS_FORMAT_SB_H
#define XX_XFS_FORMAT_SB_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/endian.h>

#define XFS_SB_MAGIC 0x58465342U /* "XFSB" */

/* sb_versionnum */
#define XFS_SB_VERSION_4	   4
#define XFS_SB_VERSION_5	   5
#define XFS_SB_VERSION_NUMBITS	   0x000f
#define XFS_SB_VERSION_ATTRBIT	   0x0010
#define XFS_SB_VERSION_NLINKBIT	   0x0020
#define XFS_SB_VERSION_QUOTABIT	   0x0040
#define XFS_SB_VERSION_ALIGNBIT	   0x0080
#define XFS_SB_VERSION_DALIGNBIT   0x0100
#define XFS_SB_VERSION_LOGV2BIT	   0x0400
#define XFS_SB_VERSION_SECTORBIT   0x0800
#define XFS_SB_VERSION_EXTFLGBIT   0x1000
#define XFS_SB_VERSION_DIRV2BIT	   0x2000
#define XFS_SB_VERSION_BORGBIT	   0x4000
#define XFS_SB_VERSION_MOREBITSBIT 0x8000

/* sb_features2 */
#define XFS_SB_VERSION2_LAZYSBCOUNTBIT 0x00000002U
#define XFS_SB_VERSION2_ATTR2BIT       0x00000008U
#define XFS_SB_VERSION2_PARENTBIT      0x00000010U
#define XFS_SB_VERSION2_PROJID32BIT    0x00000080U
#define XFS_SB_VERSION2_CRCBIT	       0x00000100U
#define XFS_SB_VERSION2_FTYPE	       0x00000200U

/* sb_features_ro_compat: who does not know these may read but not write */
#define XFS_SB_FEAT_RO_COMPAT_FINOBT   (1U << 0)
#define XFS_SB_FEAT_RO_COMPAT_RMAPBT   (1U << 1)
#define XFS_SB_FEAT_RO_COMPAT_REFLINK  (1U << 2)
#define XFS_SB_FEAT_RO_COMPAT_INOBTCNT (1U << 3)

/* sb_features_incompat: who does not know these may do nothing */
#define XFS_SB_FEAT_INCOMPAT_FTYPE	 (1U << 0)
#define XFS_SB_FEAT_INCOMPAT_SPINODES	 (1U << 1)
#define XFS_SB_FEAT_INCOMPAT_META_UUID	 (1U << 2)
#define XFS_SB_FEAT_INCOMPAT_BIGTIME	 (1U << 3)
#define XFS_SB_FEAT_INCOMPAT_NEEDSREPAIR (1U << 4)
#define XFS_SB_FEAT_INCOMPAT_NREXT64	 (1U << 5)
#define XFS_SB_FEAT_INCOMPAT_EXCHRANGE	 (1U << 6)
#define XFS_SB_FEAT_INCOMPAT_PARENT	 (1U << 7)
#define XFS_SB_FEAT_INCOMPAT_METADIR	 (1U << 8)

struct xfs_dsb {
	be32 sb_magicnum;
	be32 sb_blocksize; /* bytes */
	be64 sb_dblocks;
	be64 sb_rblocks;
	be64 sb_rextents; /* realtime extents */
	uint8_t sb_uuid[16];
	be64 sb_logstart; /* fsblock; 0: external log */
	be64 sb_rootino;
	be64 sb_rbmino;
	be64 sb_rsumino;
	be32 sb_rextsize;
	be32 sb_agblocks;
	be32 sb_agcount;
	be32 sb_rbmblocks;
	be32 sb_logblocks;
	be16 sb_versionnum;
	be16 sb_sectsize; /* bytes */
	be16 sb_inodesize; /* bytes */
	be16 sb_inopblock;
	char sb_fname[12];
	uint8_t sb_blocklog;
	uint8_t sb_sectlog;
	uint8_t sb_inodelog;
	uint8_t sb_inopblog;
	uint8_t sb_agblklog; /* log2 of sb_agblocks, rounded up */
	uint8_t sb_rextslog; /* log2 of sb_rextents, rounded down */
	uint8_t sb_inprogress;
	uint8_t sb_imax_pct;
	be64 sb_icount;
	be64 sb_ifree;
	be64 sb_fdblocks;
	be64 sb_frextents; /* realtime extents */
	be64 sb_uquotino;
	be64 sb_gquotino;
	be16 sb_qflags;
	uint8_t sb_flags;
	uint8_t sb_shared_vn;
	be32 sb_inoalignmt;
	be32 sb_unit;
	be32 sb_width;
	uint8_t sb_dirblklog; /* log2 of blocks in a directory block */
	uint8_t sb_logsectlog;
	be16 sb_logsectsize; /* bytes */
	be32 sb_logsunit; /* bytes */
	be32 sb_features2;
	be32 sb_bad_features2; /* always the same as sb_features2 */
	/* version 5 */
	be32 sb_features_compat;
	be32 sb_features_ro_compat;
	be32 sb_features_incompat;
	be32 sb_features_log_incompat;
	le32 sb_crc; /* of the whole sector */
	be32 sb_spino_align;
	be64 sb_pquotino;
	be64 sb_lsn;
	uint8_t sb_meta_uuid[16];
};

static_assert(sizeof(struct xfs_dsb) == 264, "superblock");
static_assert(offsetof(struct xfs_dsb, sb_fname) == 108, "sb_fname");
static_assert(offsetof(struct xfs_dsb, sb_icount) == 128, "sb_icount");
static_assert(offsetof(struct xfs_dsb, sb_crc) == 224, "sb_crc");
static_assert(offsetof(struct xfs_dsb, sb_meta_uuid) == 248, "sb_meta_uuid");

/* Limits of the format. */
#define XFS_MIN_BLOCKSIZE_LOG  9
#define XFS_MAX_BLOCKSIZE_LOG  16
#define XFS_MIN_CRC_BLOCKSIZE  1024U
#define XFS_MIN_SECTORSIZE_LOG 9
#define XFS_MAX_SECTORSIZE_LOG 15
#define XFS_DINODE_MIN_LOG     8
#define XFS_DINODE_V3_MIN_LOG  9
#define XFS_DINODE_MAX_LOG     11
#define XFS_MIN_AG_BYTES       (16ULL << 20)
#define XFS_MAX_AG_BYTES       (1ULL << 40)

#endif
