/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_format_super.h - the superblock and the device item in it. BT "btrfs_super_block", "btrfs_dev_item",
 * "btrfs_root_backup"; On-disk Format, "Superblock".
 */
#ifndef XX_BTRFS_FORMAT_SUPER_H
#define XX_BTRFS_FORMAT_SUPER_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/btrfs_format_tree.h>
#include <xx/endian.h>

#define BTRFS_MAGIC UINT64_C(0x4d5f53665248425f) /* "_BHRfS_M" */

#define BTRFS_SUPER_INFO_SIZE	      4096U
#define BTRFS_SUPER_MIRROR_MAX	      3
#define BTRFS_SYSTEM_CHUNK_ARRAY_SIZE 2048U
#define BTRFS_NUM_BACKUP_ROOTS	      4
#define BTRFS_LABEL_SIZE	      256

/* btrfs_super_block.flags */
#define BTRFS_SUPER_FLAG_ERROR		    (UINT64_C(1) << 2)
#define BTRFS_SUPER_FLAG_SEEDING	    (UINT64_C(1) << 32)
#define BTRFS_SUPER_FLAG_METADUMP	    (UINT64_C(1) << 33) /* an image restored from metadata alone */
#define BTRFS_SUPER_FLAG_METADUMP_V2	    (UINT64_C(1) << 34)
#define BTRFS_SUPER_FLAG_CHANGING_FSID	    (UINT64_C(1) << 35) /* these five: a conversion that did not end */
#define BTRFS_SUPER_FLAG_CHANGING_FSID_V2   (UINT64_C(1) << 36)
#define BTRFS_SUPER_FLAG_CHANGING_BG_TREE   (UINT64_C(1) << 38)
#define BTRFS_SUPER_FLAG_CHANGING_DATA_CSUM (UINT64_C(1) << 39)
#define BTRFS_SUPER_FLAG_CHANGING_META_CSUM (UINT64_C(1) << 40)

/* btrfs_super_block.compat_ro_flags */
#define BTRFS_FEATURE_COMPAT_RO_FREE_SPACE_TREE	      (UINT64_C(1) << 0)
#define BTRFS_FEATURE_COMPAT_RO_FREE_SPACE_TREE_VALID (UINT64_C(1) << 1)
#define BTRFS_FEATURE_COMPAT_RO_VERITY		      (UINT64_C(1) << 2)
#define BTRFS_FEATURE_COMPAT_RO_BLOCK_GROUP_TREE      (UINT64_C(1) << 3)

/* btrfs_super_block.incompat_flags */
#define BTRFS_FEATURE_INCOMPAT_MIXED_BACKREF	(UINT64_C(1) << 0)
#define BTRFS_FEATURE_INCOMPAT_DEFAULT_SUBVOL	(UINT64_C(1) << 1)
#define BTRFS_FEATURE_INCOMPAT_MIXED_GROUPS	(UINT64_C(1) << 2)
#define BTRFS_FEATURE_INCOMPAT_COMPRESS_LZO	(UINT64_C(1) << 3)
#define BTRFS_FEATURE_INCOMPAT_COMPRESS_ZSTD	(UINT64_C(1) << 4)
#define BTRFS_FEATURE_INCOMPAT_BIG_METADATA	(UINT64_C(1) << 5)
#define BTRFS_FEATURE_INCOMPAT_EXTENDED_IREF	(UINT64_C(1) << 6)
#define BTRFS_FEATURE_INCOMPAT_RAID56		(UINT64_C(1) << 7)
#define BTRFS_FEATURE_INCOMPAT_SKINNY_METADATA	(UINT64_C(1) << 8)
#define BTRFS_FEATURE_INCOMPAT_NO_HOLES		(UINT64_C(1) << 9)
#define BTRFS_FEATURE_INCOMPAT_METADATA_UUID	(UINT64_C(1) << 10)
#define BTRFS_FEATURE_INCOMPAT_RAID1C34		(UINT64_C(1) << 11)
#define BTRFS_FEATURE_INCOMPAT_ZONED		(UINT64_C(1) << 12)
#define BTRFS_FEATURE_INCOMPAT_EXTENT_TREE_V2	(UINT64_C(1) << 13)
#define BTRFS_FEATURE_INCOMPAT_RAID_STRIPE_TREE (UINT64_C(1) << 14)
#define BTRFS_FEATURE_INCOMPAT_SIMPLE_QUOTA	(UINT64_C(1) << 16)
#define BTRFS_FEATURE_INCOMPAT_REMAP_TREE	(UINT64_C(1) << 17)

struct btrfs_dev_item {
	le64 devid;
	le64 total_bytes;
	le64 bytes_used; /* in device extents */
	le32 io_align;
	le32 io_width;
	le32 sector_size;
	le64 type;
	le64 generation;
	le64 start_offset;
	le32 dev_group;
	uint8_t seek_speed;
	uint8_t bandwidth;
	uint8_t uuid[BTRFS_UUID_SIZE];
	uint8_t fsid[BTRFS_FSID_SIZE]; /* of the file system that made it: a seed keeps its own */
};

static_assert(sizeof(struct btrfs_dev_item) == 98, "dev_item");
static_assert(offsetof(struct btrfs_dev_item, fsid) == 82, "dev_item");

struct btrfs_root_backup {
	le64 tree_root;
	le64 tree_root_gen;
	le64 chunk_root;
	le64 chunk_root_gen;
	le64 extent_root;
	le64 extent_root_gen;
	le64 fs_root;
	le64 fs_root_gen;
	le64 dev_root;
	le64 dev_root_gen;
	le64 csum_root;
	le64 csum_root_gen;
	le64 total_bytes;
	le64 bytes_used;
	le64 num_devices;
	le64 unused_64[4];
	uint8_t tree_root_level;
	uint8_t chunk_root_level;
	uint8_t extent_root_level;
	uint8_t fs_root_level;
	uint8_t dev_root_level;
	uint8_t csum_root_level;
	uint8_t unused_8[10];
};

static_assert(sizeof(struct btrfs_root_backup) == 168, "root_backup");
static_assert(offsetof(struct btrfs_root_backup, unused_8) == 158, "root_backup");

struct btrfs_super_block {
	uint8_t csum[BTRFS_CSUM_SIZE]; /* of all that follows */
	uint8_t fsid[BTRFS_FSID_SIZE];
	le64 bytenr; /* its own physical address */
	le64 flags;
	le64 magic;
	le64 generation;
	le64 root;
	le64 chunk_root;
	le64 log_root; /* 0: none */
	le64 unused_log_root_transid;
	le64 total_bytes; /* of all devices */
	le64 bytes_used; /* logical */
	le64 root_dir_objectid;
	le64 num_devices;
	le32 sectorsize;
	le32 nodesize;
	le32 unused_leafsize;
	le32 stripesize;
	le32 sys_chunk_array_size; /* bytes */
	le64 chunk_root_generation;
	le64 compat_flags;
	le64 compat_ro_flags;
	le64 incompat_flags;
	le16 csum_type; /* enum xx_csum_type */
	uint8_t root_level;
	uint8_t chunk_root_level;
	uint8_t log_root_level;
	struct btrfs_dev_item dev_item; /* the device that the superblock lies on */
	char label[BTRFS_LABEL_SIZE];
	le64 cache_generation;
	le64 uuid_tree_generation;
	uint8_t metadata_uuid[BTRFS_FSID_SIZE]; /* with that feature only */
	le64 nr_global_roots;
	le64 remap_root;
	le64 remap_root_generation;
	uint8_t remap_root_level;
	uint8_t reserved[199];
	uint8_t sys_chunk_array[BTRFS_SYSTEM_CHUNK_ARRAY_SIZE]; /* (btrfs_disk_key, btrfs_chunk)* */
	struct btrfs_root_backup super_roots[BTRFS_NUM_BACKUP_ROOTS];
	uint8_t padding[565];
};

static_assert(sizeof(struct btrfs_super_block) == BTRFS_SUPER_INFO_SIZE, "super_block");
static_assert(offsetof(struct btrfs_super_block, magic) == 64, "super_block");
static_assert(offsetof(struct btrfs_super_block, csum_type) == 196, "super_block");
static_assert(offsetof(struct btrfs_super_block, dev_item) == 201, "super_block");
static_assert(offsetof(struct btrfs_super_block, metadata_uuid) == 571, "super_block");
static_assert(offsetof(struct btrfs_super_block, sys_chunk_array) == 811, "super_block");
static_assert(offsetof(struct btrfs_super_block, padding) == 3531, "super_block");

#endif
