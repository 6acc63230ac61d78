/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inode.c - an inode of version 3 with its data fork. "XFS Algorithms & Data Structures", chapter "On-disk Inode".
 */
#include <errno.h>
#include <string.h>

#include <xx/csum.h>
#include <xx/xfs_build.h>
#include <xx/xfs_format.h>

static be64 timestamp(const struct xx_xfs_geometry *geo, struct timespec t)
{
	if (geo->features.bigtime) {
		const uint64_t seconds = (uint64_t)((int64_t)t.tv_sec + XFS_BIGTIME_EPOCH_OFFSET);

		return be64_make(seconds * 1000000000U + (uint64_t)t.tv_nsec);
	}
	return be64_make((uint64_t)(uint32_t)t.tv_sec << 32 | (uint32_t)t.tv_nsec);
}

/* 1 bit unwritten (never here), 54 bits file block, 52 bits fsblock, 21 bits length. */
static struct xfs_bmbt_rec extent_record(const struct xx_xfs_extent *e)
{
	return (struct xfs_bmbt_rec){
		.l0 = be64_make(e->offset << 9 | e->fsblock >> 43),
		.l1 = be64_make(e->fsblock << 21 | e->len),
	};
}

static void put_core(const struct xx_xfs_geometry *geo, const struct xx_xfs_inode *inode, struct xfs_dinode *d)
{
	uint64_t flags2 = inode->flags2;

	if (geo->features.bigtime)
		flags2 |= XFS_DIFLAG2_BIGTIME;
	if (geo->features.nrext64)
		flags2 |= XFS_DIFLAG2_NREXT64;
	d->di_mode = be16_make(inode->mode);
	d->di_uid = be32_make(inode->uid);
	d->di_gid = be32_make(inode->gid);
	d->di_nlink = be32_make(inode->links);
	d->di_projid_lo = be16_make((uint16_t)inode->projid);
	d->di_projid_hi = be16_make((uint16_t)(inode->projid >> 16));
	d->di_atime = timestamp(geo, inode->atime);
	d->di_mtime = timestamp(geo, inode->mtime);
	d->di_ctime = timestamp(geo, inode->ctime);
	d->di_crtime = timestamp(geo, inode->crtime);
	d->di_size = be64_make(inode->size);
	d->di_nblocks = be64_make(inode->blocks);
	d->di_extsize = be32_make(inode->extsize);
	d->di_cowextsize = be32_make(inode->cowextsize);
	d->di_aformat = XFS_DINODE_FMT_EXTENTS;
	d->di_flags = be16_make(inode->flags);
	d->di_flags2 = be64_make(flags2);
	d->di_changecount = be64_make(inode->change_count);
}

static int put_fork(const struct xx_xfs_geometry *geo, const struct xx_xfs_inode *inode, struct xfs_dinode *d)
{
	const size_t room = geo->inode_size - sizeof(*d);
	uint8_t *fork = (uint8_t *)(d + 1);

	if (inode->local) {
		if (inode->local_bytes > room)
			return -EFBIG;
		d->di_format = XFS_DINODE_FMT_LOCAL;
		memcpy(fork, inode->local, inode->local_bytes);
		return 0;
	}
	if (inode->extent_count > room / sizeof(struct xfs_bmbt_rec))
		return -EFBIG;
	d->di_format = XFS_DINODE_FMT_EXTENTS;
	for (uint32_t i = 0; i < inode->extent_count; i++) {
		const struct xfs_bmbt_rec rec = extent_record(&inode->extents[i]);

		memcpy(fork + i * sizeof(rec), &rec, sizeof(rec));
	}
	if (geo->features.nrext64)
		d->di_big_nextents = be64_make(inode->extent_count);
	else
		d->di_nextents = be32_make(inode->extent_count);
	return 0;
}

int xx_xfs_inode_build(const struct xx_xfs_geometry *geo, const struct xx_xfs_inode *inode, uint8_t *buf)
{
	struct xfs_dinode *d = (struct xfs_dinode *)buf;
	int ret = 0;

	memset(buf, 0, geo->inode_size);
	d->di_magic = be16_make(XFS_DINODE_MAGIC);
	d->di_version = 3;
	d->di_gen = be32_make(inode->generation);
	d->di_next_unlinked = be32_make(XFS_NULLAGINO);
	d->di_ino = be64_make(inode->number);
	memcpy(d->di_uuid, geo->uuid, sizeof(d->di_uuid));
	if (inode->mode) {
		put_core(geo, inode, d);
		ret = put_fork(geo, inode, d);
	}
	d->di_crc = xx_crc32c_block(buf, geo->inode_size, offsetof(struct xfs_dinode, di_crc));
	return ret;
}
