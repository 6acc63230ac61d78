/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_format_inode.h - inodes, their names and extents, and the roots of trees. BT "btrfs_inode_item" to
 * "btrfs_file_extent_item"; On-disk Format, "INODE_ITEM", "ROOT_ITEM", "EXTENT_DATA".
 */
#ifndef XX_BTRFS_FORMAT_INODE_H
#define XX_BTRFS_FORMAT_INODE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/btrfs_format_tree.h>
#include <xx/endian.h>

#define BTRFS_NAME_LEN 255

/* btrfs_inode_item.flags */
#define BTRFS_INODE_NODATASUM (UINT64_C(1) << 0)
#define BTRFS_INODE_NODATACOW (UINT64_C(1) << 1)
#define BTRFS_INODE_PREALLOC  (UINT64_C(1) << 4)
#define BTRFS_INODE_COMPRESS  (UINT64_C(1) << 11)

struct btrfs_timespec {
	le64 sec;
	le32 nsec;
};

static_assert(sizeof(struct btrfs_timespec) == 12, "timespec");

struct btrfs_inode_item {
	le64 generation;
	le64 transid;
	le64 size;
	le64 nbytes;
	le64 block_group;
	le32 nlink;
	le32 uid;
	le32 gid;
	le32 mode;
	le64 rdev;
	le64 flags;
	le64 sequence;
	le64 reserved[4];
	struct btrfs_timespec atime;
	struct btrfs_timespec ctime;
	struct btrfs_timespec mtime;
	struct btrfs_timespec otime;
};

static_assert(sizeof(struct btrfs_inode_item) == 160, "inode_item");
static_assert(offsetof(struct btrfs_inode_item, otime) == 148, "inode_item");

/* key (inode, INODE_REF, parent); the name follows; several may follow each other in one item */
struct btrfs_inode_ref {
	le64 index;
	le16 name_len;
};

static_assert(sizeof(struct btrfs_inode_ref) == 10, "inode_ref");

/* key (inode, INODE_EXTREF, hash); the name follows; several may follow each other in one item */
struct btrfs_inode_extref {
	le64 parent_objectid;
	le64 index;
	le16 name_len;
};

static_assert(sizeof(struct btrfs_inode_extref) == 18, "inode_extref");

/* name and data follow; several may follow each other in one item */
struct btrfs_dir_item {
	struct btrfs_disk_key location;
	le64 transid;
	le16 data_len;
	le16 name_len;
	uint8_t type;
};

static_assert(sizeof(struct btrfs_dir_item) == 30, "dir_item");
static_assert(offsetof(struct btrfs_dir_item, type) == 29, "dir_item");

#define BTRFS_ROOT_SUBVOL_RDONLY (UINT64_C(1) << 0)
#define BTRFS_ROOT_SUBVOL_DEAD	 (UINT64_C(1) << 48) /* being deleted */

/* Old ones end before generation_v2: 239 bytes. */
struct btrfs_root_item {
	struct btrfs_inode_item inode;
	le64 generation;
	le64 root_dirid;
	le64 bytenr;
	le64 byte_limit;
	le64 bytes_used;
	le64 last_snapshot;
	le64 flags;
	le32 refs;
	struct btrfs_disk_key drop_progress;
	uint8_t drop_level;
	uint8_t level;
	le64 generation_v2;
	uint8_t uuid[BTRFS_UUID_SIZE];
	uint8_t parent_uuid[BTRFS_UUID_SIZE];
	uint8_t received_uuid[BTRFS_UUID_SIZE];
	le64 ctransid;
	le64 otransid;
	le64 stransid;
	le64 rtransid;
	struct btrfs_timespec ctime;
	struct btrfs_timespec otime;
	struct btrfs_timespec stime;
	struct btrfs_timespec rtime;
	le64 reserved[8];
};

#define BTRFS_ROOT_ITEM_OLD_SIZE offsetof(struct btrfs_root_item, generation_v2)

static_assert(sizeof(struct btrfs_root_item) == 439, "root_item");
static_assert(offsetof(struct btrfs_root_item, generation_v2) == 239, "root_item");
static_assert(offsetof(struct btrfs_root_item, reserved) == 375, "root_item");

/* key (parent tree, ROOT_REF, tree) and (tree, ROOT_BACKREF, parent tree); the name follows */
struct btrfs_root_ref {
	le64 dirid; /* inode in the parent tree */
	le64 sequence;
	le16 name_len;
};

static_assert(sizeof(struct btrfs_root_ref) == 18, "root_ref");

/* btrfs_file_extent_item.type */
#define BTRFS_FILE_EXTENT_INLINE   0 /* the data begins at disk_bytenr */
#define BTRFS_FILE_EXTENT_REG	   1
#define BTRFS_FILE_EXTENT_PREALLOC 2

/* key (inode, EXTENT_DATA, offset in the file) */
struct btrfs_file_extent_item {
	le64 generation;
	le64 ram_bytes; /* of the extent, not compressed */
	uint8_t compression; /* 0: none */
	uint8_t encryption;
	le16 other_encoding;
	uint8_t type;
	le64 disk_bytenr; /* logical address of the extent; 0: a hole */
	le64 disk_num_bytes; /* of the extent */
	le64 offset; /* into the extent, not compressed */
	le64 num_bytes; /* of the file */
};

#define BTRFS_FILE_EXTENT_INLINE_START offsetof(struct btrfs_file_extent_item, disk_bytenr)

static_assert(sizeof(struct btrfs_file_extent_item) == 53, "file_extent_item");
static_assert(offsetof(struct btrfs_file_extent_item, disk_bytenr) == 21, "file_extent_item");

#endif
