/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * old.c - reads the superblock of a former XFS, which may say anything.
 *
 * A file system with a wrong checksum was one all the same, and its secondaries are there: the sizes are told as long
 * as they make sense. Version 4 and older have no checksum.
 */
#include <errno.h>
#include <string.h>

#include <xx/csum.h>
#include <xx/units.h>
#include <xx/xfs_format.h>
#include <xx/xfs_old.h>

/* Of the smallest group that the kernel mounts, in blocks. Source: xfs_fs.h:XFS_MIN_AG_BLOCKS. */
#define MIN_AG_BLOCKS 64

static bool is_log_of(unsigned log, uint64_t value, unsigned least, unsigned most)
{
	return log >= least && log <= most && value == UINT64_C(1) << log;
}

/* The same conditions as those of mkfs.xfs (xfs_mkfs.c:zero_old_xfs_structures), and the limits of the format. */
static bool sizes_make_sense(const struct xfs_dsb *sb)
{
	const uint64_t groups = be32_get(sb->sb_agcount), ag_blocks = be32_get(sb->sb_agblocks);
	const uint64_t blocks = be64_get(sb->sb_dblocks);

	if (!is_log_of(sb->sb_blocklog, be32_get(sb->sb_blocksize), XFS_MIN_BLOCKSIZE_LOG, XFS_MAX_BLOCKSIZE_LOG))
		return false;
	if (!is_log_of(sb->sb_sectlog, be16_get(sb->sb_sectsize), XFS_MIN_SECTORSIZE_LOG, XFS_MAX_SECTORSIZE_LOG))
		return false;
	if (groups == 0 || ag_blocks < MIN_AG_BLOCKS || ag_blocks << sb->sb_blocklog > XFS_MAX_AG_BYTES)
		return false;
	return blocks <= groups * ag_blocks && blocks >= (groups - 1) * ag_blocks + MIN_AG_BLOCKS;
}

static bool crc_is_right(const struct xfs_dsb *sb, size_t len)
{
	const size_t sector = be16_get(sb->sb_sectsize);
	le32 crc;

	if ((be16_get(sb->sb_versionnum) & XFS_SB_VERSION_NUMBITS) != XFS_SB_VERSION_5 || sector > len)
		return false;
	crc = xx_crc32c_block(sb, sector, offsetof(struct xfs_dsb, sb_crc));
	return memcmp(&crc, &sb->sb_crc, sizeof(crc)) == 0;
}

int xx_xfs_old_parse(const void *buf, size_t len, uint64_t device_bytes, struct xx_xfs_old *out)
{
	const struct xfs_dsb *sb = buf;
	uint64_t on_device;

	if (len < sizeof(*sb) || be32_get(sb->sb_magicnum) != XFS_SB_MAGIC)
		return -ENODATA;
	if (!sizes_make_sense(sb))
		return -EUCLEAN;
	*out = (struct xx_xfs_old){
		.ag_bytes = (uint64_t)be32_get(sb->sb_agblocks) << sb->sb_blocklog,
		.ag_count_said = be32_get(sb->sb_agcount),
		.sector_size = be16_get(sb->sb_sectsize),
	};
	memcpy(out->uuid, sb->sb_uuid, sizeof(out->uuid));
	out->crc_valid = crc_is_right(sb, len);
	/* Group n, whose first sector ends at n * ag_bytes + sector_size. */
	on_device = device_bytes < out->sector_size ? 0 : (device_bytes - out->sector_size) / out->ag_bytes;
	out->ag_count = xx_min(out->ag_count_said, on_device + 1);
	return 0;
}
