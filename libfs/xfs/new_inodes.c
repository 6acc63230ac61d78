/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * new_inodes.c - the inode chunk of a new file system: root directory, realtime bitmap and summary, free inodes.
 * Sources: mkfs/proto.c, parseproto and rtinit; libxfs/util.c, libxfs_init_new_inode.
 */
#include <linux/fs.h>
#include <string.h>
#include <sys/stat.h>

#include <xx/xfs_format.h>

#include "xfs/new.h"

/* Header of the largest empty directory, with a parent of 8 bytes. */
#define DIR_BYTES 10

static const struct timespec epoch = { 0, 0 };

/* An empty directory; its own parent. Numbers above 32 bits take 8 bytes. */
static uint16_t empty_dir(uint64_t parent, uint8_t buf[DIR_BYTES])
{
	const bool large = parent > UINT32_MAX;
	const be64 parent8 = be64_make(parent);

	buf[0] = 0;
	buf[1] = large;
	if (large) {
		memcpy(buf + 2, parent8.b, sizeof(parent8));
		return DIR_BYTES;
	}
	memcpy(buf + 2, parent8.b + 4, sizeof(be32));
	return sizeof(struct xfs_dir2_sf_hdr);
}

static uint16_t root_flags(uint32_t xflags)
{
	uint32_t flags = 0;

	if (xflags & FS_XFLAG_RTINHERIT)
		flags |= XFS_DIFLAG_RTINHERIT;
	if (xflags & FS_XFLAG_PROJINHERIT)
		flags |= XFS_DIFLAG_PROJINHERIT;
	if (xflags & FS_XFLAG_EXTSZINHERIT)
		flags |= XFS_DIFLAG_EXTSZINHERIT;
	return (uint16_t)flags;
}

static uint64_t root_flags2(uint32_t xflags)
{
	return (xflags & FS_XFLAG_DAX ? XFS_DIFLAG2_DAX : 0) |
	       (xflags & FS_XFLAG_COWEXTSIZE ? XFS_DIFLAG2_COWEXTSIZE : 0);
}

static int build_root(const struct xx_xfs_new *fs, uint8_t *buf)
{
	const struct xx_xfs_geometry *geo = fs->geo;
	uint8_t dir[DIR_BYTES];
	struct xx_xfs_inode root = {
		.number = geo->root_inode,
		.mode = S_IFDIR | 0755,
		.links = 2,
		.generation = fs->root_generation,
		.projid = geo->root.projid,
		.atime = fs->now,
		.mtime = fs->now,
		.ctime = fs->now,
		.crtime = fs->now,
		.extsize = geo->root.extsize,
		.cowextsize = geo->root.cowextsize,
		.flags = root_flags(geo->root.xflags),
		.flags2 = root_flags2(geo->root.xflags),
		.change_count = 2,
		.local = dir,
	};

	root.local_bytes = empty_dir(geo->root_inode, dir);
	root.size = root.local_bytes;
	return xx_xfs_inode_build(geo, &root, buf);
}

/*
 * The bitmap's access time is the number of the next realtime allocation, and so 0. Change counts begin at 1 and grow
 * with each transaction of mkfs.xfs: making the inode, giving it blocks, freeing the section (the bitmap only).
 */
static int build_rt(const struct xx_xfs_new *fs, bool summary, uint8_t *buf)
{
	const struct xx_xfs_geometry *geo = fs->geo;
	const uint64_t blocks = summary ? geo->rt_summary_blocks : geo->rt_bitmap_blocks;
	struct xx_xfs_extent extents[XX_XFS_NEW_RT_EXTENTS];
	struct xx_xfs_inode inode = {
		.number = summary ? geo->rt_summary_inode : geo->rt_bitmap_inode,
		.mode = S_IFREG,
		.links = 1,
		.generation = summary ? fs->summary_generation : fs->bitmap_generation,
		.atime = summary ? fs->now : epoch,
		.mtime = fs->now,
		.ctime = fs->now,
		.crtime = fs->now,
		.size = blocks << geo->block_log,
		.blocks = blocks,
		.flags = summary ? 0 : XFS_DIFLAG_NEWRTBM,
		.change_count = fs->rt_extent_count == 0 ? 2 : (summary ? 3 : 4),
		.extents = extents,
	};

	for (uint32_t i = 0; i < fs->rt_extent_count; i++) {
		const struct xx_xfs_new_rt_extent *e = &fs->rt_extent[i];

		if (e->summary == summary)
			extents[inode.extent_count++] = (struct xx_xfs_extent){
				.offset = e->offset,
				.fsblock = (uint64_t)e->agno << geo->ag_block_log | e->agbno,
				.len = e->len,
			};
	}
	return xx_xfs_inode_build(geo, &inode, buf);
}

int xx_xfs_new_chunk_build(const struct xx_xfs_new *fs, uint8_t *buf)
{
	const uint32_t size = fs->geo->inode_size;
	int ret = build_root(fs, buf);

	if (ret == 0)
		ret = build_rt(fs, false, buf + size);
	if (ret == 0)
		ret = build_rt(fs, true, buf + 2 * (size_t)size);
	for (uint32_t i = 3; i < fs->geo->chunk_inodes && ret == 0; i++) {
		const struct xx_xfs_inode inode = { .number = fs->geo->root_inode + i,
						    .generation = fs->free_generation };

		ret = xx_xfs_inode_build(fs->geo, &inode, buf + (size_t)i * size);
	}
	return ret;
}
