/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * super.c - the superblock from a geometry and its counters. Sources: mkfs, sb_set_features, finish_superblock_setup.
 */
#include <string.h>

#include <xx/csum.h>
#include <xx/xfs_build.h>
#include <xx/xfs_format.h>

static uint32_t features2(const struct xx_xfs_features *f)
{
	uint32_t bits = XFS_SB_VERSION2_CRCBIT;

	if (f->lazy_counters)
		bits |= XFS_SB_VERSION2_LAZYSBCOUNTBIT;
	if (f->attr2)
		bits |= XFS_SB_VERSION2_ATTR2BIT;
	if (f->projid32)
		bits |= XFS_SB_VERSION2_PROJID32BIT;
	return bits;
}

static uint16_t version(const struct xx_xfs_geometry *geo)
{
	unsigned bits = XFS_SB_VERSION_5 | XFS_SB_VERSION_NLINKBIT | XFS_SB_VERSION_EXTFLGBIT |
			XFS_SB_VERSION_DIRV2BIT | XFS_SB_VERSION_LOGV2BIT | XFS_SB_VERSION_MOREBITSBIT;

	if (geo->features.inode_align)
		bits |= XFS_SB_VERSION_ALIGNBIT;
	if (geo->stripe_unit)
		bits |= XFS_SB_VERSION_DALIGNBIT;
	if (geo->log_sector_size_disk)
		bits |= XFS_SB_VERSION_SECTORBIT;
	if (!geo->features.attr2)
		bits |= XFS_SB_VERSION_ATTRBIT;
	return (uint16_t)bits;
}

static uint32_t ro_compat(const struct xx_xfs_features *f)
{
	return (f->finobt ? XFS_SB_FEAT_RO_COMPAT_FINOBT : 0) | (f->rmapbt ? XFS_SB_FEAT_RO_COMPAT_RMAPBT : 0) |
	       (f->reflink ? XFS_SB_FEAT_RO_COMPAT_REFLINK : 0) | (f->inobtcount ? XFS_SB_FEAT_RO_COMPAT_INOBTCNT : 0);
}

static uint32_t incompat(const struct xx_xfs_features *f)
{
	return (f->ftype ? XFS_SB_FEAT_INCOMPAT_FTYPE : 0) | (f->sparse_inodes ? XFS_SB_FEAT_INCOMPAT_SPINODES : 0) |
	       (f->bigtime ? XFS_SB_FEAT_INCOMPAT_BIGTIME : 0) | (f->nrext64 ? XFS_SB_FEAT_INCOMPAT_NREXT64 : 0) |
	       (f->exchange ? XFS_SB_FEAT_INCOMPAT_EXCHRANGE : 0) | (f->parent ? XFS_SB_FEAT_INCOMPAT_PARENT : 0);
}

static void put_sizes(const struct xx_xfs_geometry *geo, struct xfs_dsb *sb)
{
	sb->sb_blocksize = be32_make(geo->block_size);
	sb->sb_dblocks = be64_make(geo->data_blocks);
	sb->sb_rblocks = be64_make(geo->rt_blocks);
	sb->sb_rextents = be64_make(geo->rt_extents);
	sb->sb_logstart = be64_make(geo->log_internal ? geo->log_start : 0);
	sb->sb_rextsize = be32_make(geo->rt_extent_size);
	sb->sb_agblocks = be32_make(geo->ag_blocks);
	sb->sb_agcount = be32_make(geo->ag_count);
	sb->sb_rbmblocks = be32_make(geo->rt_bitmap_blocks);
	sb->sb_logblocks = be32_make(geo->log_blocks);
	sb->sb_sectsize = be16_make((uint16_t)geo->sector_size);
	sb->sb_inodesize = be16_make((uint16_t)geo->inode_size);
	sb->sb_inopblock = be16_make((uint16_t)geo->inodes_per_block);
	sb->sb_blocklog = geo->block_log;
	sb->sb_sectlog = geo->sector_log;
	sb->sb_inodelog = geo->inode_log;
	sb->sb_inopblog = geo->inodes_per_block_log;
	sb->sb_agblklog = geo->ag_block_log;
	sb->sb_rextslog = geo->rt_extents_log;
	sb->sb_imax_pct = geo->inode_max_percent;
	sb->sb_inoalignmt = be32_make(geo->inode_align);
	sb->sb_unit = be32_make(geo->stripe_unit);
	sb->sb_width = be32_make(geo->stripe_width);
	sb->sb_dirblklog = (uint8_t)(geo->dir_block_log - geo->block_log);
	sb->sb_logsectlog = geo->log_sector_log_disk;
	sb->sb_logsectsize = be16_make(geo->log_sector_size_disk);
	sb->sb_logsunit = be32_make(geo->log_stripe_unit);
	sb->sb_spino_align = be32_make(geo->sparse_align);
}

void xx_xfs_super_build(const struct xx_xfs_geometry *geo, const struct xx_xfs_super *super, uint8_t *sector)
{
	struct xfs_dsb *sb = (struct xfs_dsb *)sector;

	memset(sector, 0, geo->sector_size);
	sb->sb_magicnum = be32_make(XFS_SB_MAGIC);
	put_sizes(geo, sb);
	memcpy(sb->sb_uuid, geo->uuid, sizeof(sb->sb_uuid));
	memcpy(sb->sb_fname, geo->label, sizeof(sb->sb_fname));
	sb->sb_versionnum = be16_make(version(geo));
	sb->sb_features2 = be32_make(features2(&geo->features));
	sb->sb_bad_features2 = sb->sb_features2;
	sb->sb_features_ro_compat = be32_make(ro_compat(&geo->features));
	sb->sb_features_incompat = be32_make(incompat(&geo->features));
	sb->sb_rootino = be64_make(super->root_inode);
	sb->sb_rbmino = be64_make(super->rt_bitmap_inode);
	sb->sb_rsumino = be64_make(super->rt_summary_inode);
	sb->sb_inprogress = super->in_progress;
	sb->sb_icount = be64_make(super->inodes);
	sb->sb_ifree = be64_make(super->free_inodes);
	sb->sb_fdblocks = be64_make(super->free_blocks);
	sb->sb_frextents = be64_make(super->free_rt_extents);
	sb->sb_crc = xx_crc32c_block(sector, geo->sector_size, offsetof(struct xfs_dsb, sb_crc));
}
