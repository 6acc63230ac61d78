/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_format_chunk.h - chunks, device extents and block groups. BT "btrfs_chunk", "btrfs_dev_extent",
 * "btrfs_block_group_item"; On-disk Format, "CHUNK_ITEM", "DEV_EXTENT", "BLOCK_GROUP_ITEM".
 *
 * The chunk tree holds device items, key (1, DEV_ITEM, devid), and chunks, key (256, CHUNK_ITEM, logical). The device
 * tree holds device extents, key (devid, DEV_EXTENT, physical). Block groups stand in the extent tree, or in their own
 * with BTRFS_FEATURE_COMPAT_RO_BLOCK_GROUP_TREE: key (logical, BLOCK_GROUP_ITEM, length).
 */
#ifndef XX_BTRFS_FORMAT_CHUNK_H
#define XX_BTRFS_FORMAT_CHUNK_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/btrfs_format_tree.h>
#include <xx/endian.h>

#define BTRFS_STRIPE_LEN       UINT64_C(65536)
#define BTRFS_STRIPE_LEN_SHIFT 16

/* btrfs_chunk.type, btrfs_block_group_item.flags: what is in it, and the profile (none of these bits: single) */
#define BTRFS_BLOCK_GROUP_DATA		 (UINT64_C(1) << 0)
#define BTRFS_BLOCK_GROUP_SYSTEM	 (UINT64_C(1) << 1)
#define BTRFS_BLOCK_GROUP_METADATA	 (UINT64_C(1) << 2)
#define BTRFS_BLOCK_GROUP_RAID0		 (UINT64_C(1) << 3)
#define BTRFS_BLOCK_GROUP_RAID1		 (UINT64_C(1) << 4)
#define BTRFS_BLOCK_GROUP_DUP		 (UINT64_C(1) << 5)
#define BTRFS_BLOCK_GROUP_RAID10	 (UINT64_C(1) << 6)
#define BTRFS_BLOCK_GROUP_RAID5		 (UINT64_C(1) << 7)
#define BTRFS_BLOCK_GROUP_RAID6		 (UINT64_C(1) << 8)
#define BTRFS_BLOCK_GROUP_RAID1C3	 (UINT64_C(1) << 9)
#define BTRFS_BLOCK_GROUP_RAID1C4	 (UINT64_C(1) << 10)
#define BTRFS_BLOCK_GROUP_REMAPPED	 (UINT64_C(1) << 11) /* with the remap tree */
#define BTRFS_BLOCK_GROUP_METADATA_REMAP (UINT64_C(1) << 12)

#define BTRFS_BLOCK_GROUP_TYPE_MASK   (BTRFS_BLOCK_GROUP_DATA | BTRFS_BLOCK_GROUP_SYSTEM | BTRFS_BLOCK_GROUP_METADATA)
#define BTRFS_BLOCK_GROUP_RAID56_MASK (BTRFS_BLOCK_GROUP_RAID5 | BTRFS_BLOCK_GROUP_RAID6)
#define BTRFS_BLOCK_GROUP_PROFILE_MASK                                                                          \
	(BTRFS_BLOCK_GROUP_RAID0 | BTRFS_BLOCK_GROUP_RAID1 | BTRFS_BLOCK_GROUP_DUP | BTRFS_BLOCK_GROUP_RAID10 | \
	 BTRFS_BLOCK_GROUP_RAID5 | BTRFS_BLOCK_GROUP_RAID6 | BTRFS_BLOCK_GROUP_RAID1C3 | BTRFS_BLOCK_GROUP_RAID1C4)

struct btrfs_stripe {
	le64 devid;
	le64 offset; /* physical */
	uint8_t dev_uuid[BTRFS_UUID_SIZE];
};

static_assert(sizeof(struct btrfs_stripe) == 32, "stripe");

struct btrfs_chunk {
	le64 length; /* logical */
	le64 owner; /* the extent tree: 2 */
	le64 stripe_len; /* BTRFS_STRIPE_LEN */
	le64 type;
	le32 io_align;
	le32 io_width;
	le32 sector_size;
	le16 num_stripes;
	le16 sub_stripes; /* 2 with RAID10 */
	struct btrfs_stripe stripe[]; /* num_stripes of them, at least one */
};

static_assert(sizeof(struct btrfs_chunk) == 48, "chunk");
static_assert(offsetof(struct btrfs_chunk, sub_stripes) == 46, "chunk");

struct btrfs_dev_extent {
	le64 chunk_tree; /* 3 */
	le64 chunk_objectid; /* 256 */
	le64 chunk_offset; /* logical address of the chunk */
	le64 length;
	uint8_t chunk_tree_uuid[BTRFS_UUID_SIZE];
};

static_assert(sizeof(struct btrfs_dev_extent) == 48, "dev_extent");
static_assert(offsetof(struct btrfs_dev_extent, chunk_tree_uuid) == 32, "dev_extent");

struct btrfs_block_group_item {
	le64 used; /* logical bytes */
	le64 chunk_objectid; /* 256 */
	le64 flags;
};

static_assert(sizeof(struct btrfs_block_group_item) == 24, "block_group_item");

#endif
