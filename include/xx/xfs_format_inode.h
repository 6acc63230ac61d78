/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_format_inode.h - the inode core and a directory that fits into it. Chapters "On-disk Inode" and "Directories"
 * (section "Short Form Directories").
 */
#ifndef XX_XFS_FORMAT_INODE_H
#define XX_XFS_FORMAT_INODE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/endian.h>

#define XFS_DINODE_MAGIC 0x494eU /* "IN" */

/* di_format, di_aformat */
enum {
	XFS_DINODE_FMT_DEV,
	XFS_DINODE_FMT_LOCAL,
	XFS_DINODE_FMT_EXTENTS,
	XFS_DINODE_FMT_BTREE
};

struct xfs_dinode {
	be16 di_magic;
	be16 di_mode;
	uint8_t di_version;
	uint8_t di_format;
	be16 di_onlink;
	be32 di_uid;
	be32 di_gid;
	be32 di_nlink;
	be16 di_projid_lo;
	be16 di_projid_hi;
	be64 di_big_nextents; /* with XFS_DIFLAG2_NREXT64 */
	be64 di_atime;
	be64 di_mtime;
	be64 di_ctime;
	be64 di_size; /* bytes */
	be64 di_nblocks;
	be32 di_extsize;
	be32 di_nextents; /* with NREXT64: extents of the attribute fork */
	be16 di_anextents; /* with NREXT64: 0 */
	uint8_t di_forkoff; /* 8-byte units */
	uint8_t di_aformat;
	be32 di_dmevmask;
	be16 di_dmstate;
	be16 di_flags;
	be32 di_gen;
	be32 di_next_unlinked;
	/* version 3 */
	le32 di_crc; /* of the whole inode */
	be64 di_changecount;
	be64 di_lsn;
	be64 di_flags2;
	be32 di_cowextsize;
	uint8_t di_pad2[12];
	be64 di_crtime;
	be64 di_ino;
	uint8_t di_uuid[16];
};

static_assert(sizeof(struct xfs_dinode) == 176, "inode core, version 3");
static_assert(offsetof(struct xfs_dinode, di_size) == 56, "di_size");
static_assert(offsetof(struct xfs_dinode, di_next_unlinked) == 96, "di_next_unlinked");
static_assert(offsetof(struct xfs_dinode, di_crc) == 100, "di_crc");
static_assert(offsetof(struct xfs_dinode, di_uuid) == 160, "di_uuid");

/* di_flags */
#define XFS_DIFLAG_REALTIME	0x0001U
#define XFS_DIFLAG_PREALLOC	0x0002U
#define XFS_DIFLAG_NEWRTBM	0x0004U
#define XFS_DIFLAG_IMMUTABLE	0x0008U
#define XFS_DIFLAG_APPEND	0x0010U
#define XFS_DIFLAG_SYNC		0x0020U
#define XFS_DIFLAG_NOATIME	0x0040U
#define XFS_DIFLAG_NODUMP	0x0080U
#define XFS_DIFLAG_RTINHERIT	0x0100U
#define XFS_DIFLAG_PROJINHERIT	0x0200U
#define XFS_DIFLAG_NOSYMLINKS	0x0400U
#define XFS_DIFLAG_EXTSIZE	0x0800U
#define XFS_DIFLAG_EXTSZINHERIT 0x1000U
#define XFS_DIFLAG_NODEFRAG	0x2000U
#define XFS_DIFLAG_FILESTREAM	0x4000U

/* di_flags2 */
#define XFS_DIFLAG2_DAX	       UINT64_C(0x01)
#define XFS_DIFLAG2_REFLINK    UINT64_C(0x02)
#define XFS_DIFLAG2_COWEXTSIZE UINT64_C(0x04)
#define XFS_DIFLAG2_BIGTIME    UINT64_C(0x08)
#define XFS_DIFLAG2_NREXT64    UINT64_C(0x10)

/* Big timestamps count nanoseconds from here: seconds before 1970. */
#define XFS_BIGTIME_EPOCH_OFFSET (INT64_C(1) << 31)

/* A directory inside its inode: this header, then the entries; with i8count the parent takes 8 bytes. */
struct xfs_dir2_sf_hdr {
	uint8_t count;
	uint8_t i8count;
	be32 parent;
};

static_assert(sizeof(struct xfs_dir2_sf_hdr) == 6, "short form directory");

#endif
