/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_format_tree.h - tree blocks, keys, and the numbers of trees, objects and kinds of items. BT "btrfs_header" to
 * "btrfs_node"; On-disk Format, "Header", "Leaf", "Node".
 *
 * A leaf: header, items from the front, their data from the back, item 0 last: [item 0 .. item n][free][data n .. data
 * 0]. The data area begins behind the header; btrfs_item.offset counts from there. A node: header, pointers.
 */
#ifndef XX_BTRFS_FORMAT_TREE_H
#define XX_BTRFS_FORMAT_TREE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/endian.h>

#define BTRFS_CSUM_SIZE 32
#define BTRFS_UUID_SIZE 16
#define BTRFS_FSID_SIZE 16

#define BTRFS_MAX_LEVEL		     8 /* levels are 0 to 7 */
#define BTRFS_MIN_SECTORSIZE	     4096U
#define BTRFS_MAX_METADATA_BLOCKSIZE 65536U

/* Objects: trees, then what is no tree. Negative numbers of the format, as 64 bits. */
#define BTRFS_ROOT_TREE_OBJECTID	UINT64_C(1)
#define BTRFS_EXTENT_TREE_OBJECTID	UINT64_C(2)
#define BTRFS_CHUNK_TREE_OBJECTID	UINT64_C(3)
#define BTRFS_DEV_TREE_OBJECTID		UINT64_C(4)
#define BTRFS_FS_TREE_OBJECTID		UINT64_C(5)
#define BTRFS_ROOT_TREE_DIR_OBJECTID	UINT64_C(6)
#define BTRFS_CSUM_TREE_OBJECTID	UINT64_C(7)
#define BTRFS_QUOTA_TREE_OBJECTID	UINT64_C(8)
#define BTRFS_UUID_TREE_OBJECTID	UINT64_C(9)
#define BTRFS_FREE_SPACE_TREE_OBJECTID	UINT64_C(10)
#define BTRFS_BLOCK_GROUP_TREE_OBJECTID UINT64_C(11)
#define BTRFS_RAID_STRIPE_TREE_OBJECTID UINT64_C(12)
#define BTRFS_REMAP_TREE_OBJECTID	UINT64_C(13)
#define BTRFS_BALANCE_OBJECTID		(-UINT64_C(4))
#define BTRFS_ORPHAN_OBJECTID		(-UINT64_C(5))
#define BTRFS_TREE_LOG_OBJECTID		(-UINT64_C(6))
#define BTRFS_TREE_LOG_FIXUP_OBJECTID	(-UINT64_C(7))
#define BTRFS_TREE_RELOC_OBJECTID	(-UINT64_C(8))
#define BTRFS_DATA_RELOC_TREE_OBJECTID	(-UINT64_C(9))
#define BTRFS_EXTENT_CSUM_OBJECTID	(-UINT64_C(10))
#define BTRFS_FREE_SPACE_OBJECTID	(-UINT64_C(11))
#define BTRFS_FREE_INO_OBJECTID		(-UINT64_C(12))
#define BTRFS_MULTIPLE_OBJECTIDS	(-UINT64_C(255))
#define BTRFS_FIRST_FREE_OBJECTID	UINT64_C(256) /* files, subvolumes */
#define BTRFS_LAST_FREE_OBJECTID	(-UINT64_C(256))
#define BTRFS_FIRST_CHUNK_TREE_OBJECTID UINT64_C(256)
#define BTRFS_DEV_ITEMS_OBJECTID	UINT64_C(1) /* in the chunk tree */
#define BTRFS_DEV_REPLACE_DEVID		UINT64_C(0) /* the target of a replace that is not finished */
#define BTRFS_EMPTY_SUBVOL_DIR_OBJECTID UINT64_C(2)

/* Kinds of items: btrfs_disk_key.type. */
#define BTRFS_INODE_ITEM_KEY	    1
#define BTRFS_INODE_REF_KEY	    12
#define BTRFS_INODE_EXTREF_KEY	    13
#define BTRFS_XATTR_ITEM_KEY	    24
#define BTRFS_VERITY_DESC_ITEM_KEY  36
#define BTRFS_VERITY_MERKLE_KEY	    37
#define BTRFS_ORPHAN_ITEM_KEY	    48
#define BTRFS_DIR_LOG_ITEM_KEY	    60
#define BTRFS_DIR_LOG_INDEX_KEY	    72
#define BTRFS_DIR_ITEM_KEY	    84
#define BTRFS_DIR_INDEX_KEY	    96
#define BTRFS_EXTENT_DATA_KEY	    108
#define BTRFS_EXTENT_CSUM_KEY	    128
#define BTRFS_ROOT_ITEM_KEY	    132
#define BTRFS_ROOT_BACKREF_KEY	    144
#define BTRFS_ROOT_REF_KEY	    156
#define BTRFS_EXTENT_ITEM_KEY	    168 /* offset: length */
#define BTRFS_METADATA_ITEM_KEY	    169 /* offset: level */
#define BTRFS_EXTENT_OWNER_REF_KEY  172
#define BTRFS_TREE_BLOCK_REF_KEY    176
#define BTRFS_EXTENT_DATA_REF_KEY   178
#define BTRFS_SHARED_BLOCK_REF_KEY  182
#define BTRFS_SHARED_DATA_REF_KEY   184
#define BTRFS_BLOCK_GROUP_ITEM_KEY  192
#define BTRFS_FREE_SPACE_INFO_KEY   198
#define BTRFS_FREE_SPACE_EXTENT_KEY 199
#define BTRFS_FREE_SPACE_BITMAP_KEY 200
#define BTRFS_DEV_EXTENT_KEY	    204
#define BTRFS_DEV_ITEM_KEY	    216
#define BTRFS_CHUNK_ITEM_KEY	    228
#define BTRFS_RAID_STRIPE_KEY	    230
#define BTRFS_QGROUP_STATUS_KEY	    240
#define BTRFS_QGROUP_INFO_KEY	    242
#define BTRFS_QGROUP_LIMIT_KEY	    244
#define BTRFS_QGROUP_RELATION_KEY   246
#define BTRFS_TEMPORARY_ITEM_KEY    248
#define BTRFS_PERSISTENT_ITEM_KEY   249
#define BTRFS_DEV_REPLACE_KEY	    250
#define BTRFS_UUID_KEY_SUBVOL	    251
#define BTRFS_UUID_KEY_RECEIVED	    252
#define BTRFS_STRING_ITEM_KEY	    253

struct btrfs_disk_key {
	le64 objectid;
	uint8_t type;
	le64 offset;
};

static_assert(sizeof(struct btrfs_disk_key) == 17, "key");
static_assert(offsetof(struct btrfs_disk_key, offset) == 9, "key");

#define BTRFS_HEADER_FLAG_WRITTEN (UINT64_C(1) << 0)
#define BTRFS_HEADER_FLAG_RELOC	  (UINT64_C(1) << 1)

struct btrfs_header {
	uint8_t csum[BTRFS_CSUM_SIZE]; /* of all that follows, to the end of the block */
	uint8_t fsid[BTRFS_FSID_SIZE]; /* the metadata_uuid, with that feature */
	le64 bytenr; /* its own logical address */
	le64 flags; /* in 7 bytes; the top byte is the revision of back references, 1 */
	uint8_t chunk_tree_uuid[BTRFS_UUID_SIZE];
	le64 generation;
	le64 owner; /* the tree that allocated it */
	le32 nritems;
	uint8_t level; /* 0: a leaf */
};

static_assert(sizeof(struct btrfs_header) == 101, "header");
static_assert(offsetof(struct btrfs_header, bytenr) == 48, "header");
static_assert(offsetof(struct btrfs_header, level) == 100, "header");

struct btrfs_item {
	struct btrfs_disk_key key;
	le32 offset; /* of its data, from the end of the header */
	le32 size;
};

static_assert(sizeof(struct btrfs_item) == 25, "item");
static_assert(offsetof(struct btrfs_item, size) == 21, "item");

struct btrfs_key_ptr {
	struct btrfs_disk_key key; /* the first of the block pointed to */
	le64 blockptr; /* logical */
	le64 generation;
};

static_assert(sizeof(struct btrfs_key_ptr) == 33, "key_ptr");
static_assert(offsetof(struct btrfs_key_ptr, generation) == 25, "key_ptr");

/* A key for computing with. */
struct xx_btrfs_key {
	uint64_t objectid;
	uint8_t type;
	uint64_t offset;
};

static inline struct xx_btrfs_key xx_btrfs_key_get(const struct btrfs_disk_key *disk)
{
	return (struct xx_btrfs_key){ le64_get(disk->objectid), disk->type, le64_get(disk->offset) };
}

static inline struct btrfs_disk_key xx_btrfs_key_make(struct xx_btrfs_key key)
{
	return (struct btrfs_disk_key){ le64_make(key.objectid), key.type, le64_make(key.offset) };
}

/* Less than, equal to or greater than 0: the order of items in a tree. */
static inline int xx_btrfs_key_compare(struct xx_btrfs_key a, struct xx_btrfs_key b)
{
	if (a.objectid != b.objectid)
		return a.objectid < b.objectid ? -1 : 1;
	if (a.type != b.type)
		return a.type < b.type ? -1 : 1;
	if (a.offset != b.offset)
		return a.offset < b.offset ? -1 : 1;
	return 0;
}

#endif
