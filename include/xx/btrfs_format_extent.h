/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_format_extent.h - extents and their back references, checksums, free space. BT "btrfs_extent_item" to
 * "btrfs_extent_inline_ref"; On-disk Format, "EXTENT_ITEM", "METADATA_ITEM" and the references.
 *
 * An extent item: btrfs_extent_item, for a tree block that is no METADATA_ITEM also btrfs_tree_block_info, then inline
 * references in ascending order of their type: one byte of type, then
 *	TREE_BLOCK_REF		le64 root
 *	SHARED_BLOCK_REF	le64 parent block
 *	EXTENT_DATA_REF		btrfs_extent_data_ref at once (no le64 before it)
 *	SHARED_DATA_REF		le64 parent block, btrfs_shared_data_ref
 *	EXTENT_OWNER_REF	le64 root (simple quotas)
 * The same as items of their own: key (bytenr, type, root or parent or hash), data btrfs_extent_data_ref or
 * btrfs_shared_data_ref or nothing.
 *
 * Checksums: key (EXTENT_CSUM_OBJECTID, EXTENT_CSUM, logical), data: one sum for each sector, packed.
 */
#ifndef XX_BTRFS_FORMAT_EXTENT_H
#define XX_BTRFS_FORMAT_EXTENT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/btrfs_format_tree.h>
#include <xx/endian.h>

/* btrfs_extent_item.flags */
#define BTRFS_EXTENT_FLAG_DATA	      (UINT64_C(1) << 0)
#define BTRFS_EXTENT_FLAG_TREE_BLOCK  (UINT64_C(1) << 1)
#define BTRFS_BLOCK_FLAG_FULL_BACKREF (UINT64_C(1) << 8) /* what the block points to is referred to by its address */

struct btrfs_extent_item {
	le64 refs;
	le64 generation;
	le64 flags;
};

static_assert(sizeof(struct btrfs_extent_item) == 24, "extent_item");

struct btrfs_tree_block_info {
	struct btrfs_disk_key key;
	uint8_t level;
};

static_assert(sizeof(struct btrfs_tree_block_info) == 18, "tree_block_info");

struct btrfs_extent_inline_ref {
	uint8_t type;
	le64 offset; /* not with EXTENT_DATA_REF */
};

static_assert(sizeof(struct btrfs_extent_inline_ref) == 9, "extent_inline_ref");

struct btrfs_extent_data_ref {
	le64 root;
	le64 objectid; /* inode */
	le64 offset; /* in the file, less the offset in the extent: modulo 2^64 */
	le32 count;
};

static_assert(sizeof(struct btrfs_extent_data_ref) == 28, "extent_data_ref");
static_assert(offsetof(struct btrfs_extent_data_ref, count) == 24, "extent_data_ref");

struct btrfs_shared_data_ref {
	le32 count;
};

static_assert(sizeof(struct btrfs_shared_data_ref) == 4, "shared_data_ref");

struct btrfs_extent_owner_ref {
	le64 root_id;
};

static_assert(sizeof(struct btrfs_extent_owner_ref) == 8, "extent_owner_ref");

#define BTRFS_FREE_SPACE_USING_BITMAPS (1U << 0) /* btrfs_free_space_info.flags */

struct btrfs_free_space_info {
	le32 extent_count;
	le32 flags;
};

static_assert(sizeof(struct btrfs_free_space_info) == 8, "free_space_info");

#endif
