/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_item.h - what the items of btrfs trees say, in numbers of the machine.
 *
 * Each parser takes any byte string: it gives 0 with the facts, or -EUCLEAN, and reads nothing outside of @size bytes.
 * What it gives holds what its comment says, so that sums of addresses and lengths need no further look (they are below
 * 2^63). Names and data point into the item.
 *
 * Functions named _next() walk over the parts of one item: *@pos is 0 at first; 1 with a part, 0 at the end, or -EUCLEAN.
 * Source: btrfs_tree.h of the kernel (uapi), the structures named with each; fs/btrfs/tree-checker.c for the limits.
 */
#ifndef XX_BTRFS_ITEM_H
#define XX_BTRFS_ITEM_H

#include <stdbool.h>
#include <stdint.h>
#include <xx/btrfs_format.h>
#include <xx/btrfs_tree.h>
#include <xx/compiler.h>

/* --- Inodes and names --- */

/* struct btrfs_inode_item */
struct xx_btrfs_inode {
	uint64_t generation, transid;
	uint64_t size; /* bytes */
	uint64_t nbytes;
	uint32_t nlink, mode;
	uint64_t flags;
	bool nodatasum; /* of the flags: its data has no checksums */
};

XX_API XX_MUST_CHECK int xx_btrfs_inode_parse(const struct xx_btrfs_item *item, struct xx_btrfs_inode *out);

/* One name of an inode, or of a subvolume. */
struct xx_btrfs_name {
	uint64_t parent; /* inode of the directory */
	uint64_t index; /* its index there */
	const char *name; /* not terminated; 1 to 255 bytes */
	uint16_t length;
};

/* struct btrfs_inode_ref: key (inode, 12, parent), one or several names. */
XX_API XX_MUST_CHECK int xx_btrfs_inode_ref_next(const struct xx_btrfs_item *item, uint32_t *pos,
						 struct xx_btrfs_name *out);

/* struct btrfs_inode_extref: key (inode, 13, hash), one or several. */
XX_API XX_MUST_CHECK int xx_btrfs_inode_extref_next(const struct xx_btrfs_item *item, uint32_t *pos,
						    struct xx_btrfs_name *out);

/* struct btrfs_root_ref: key (parent tree, 156, child tree), and backwards (child, 144, parent). */
XX_API XX_MUST_CHECK int xx_btrfs_root_ref_parse(const struct xx_btrfs_item *item, struct xx_btrfs_name *out);

/* struct btrfs_dir_item: keys 84 and 96, and 24 for extended attributes; one or several. */
struct xx_btrfs_dir_entry {
	struct xx_btrfs_key location; /* an inode of the same tree, or a root item */
	uint64_t transid;
	uint8_t type;
	const char *name; /* not terminated; at least one byte */
	uint16_t length;
	const void *data; /* of an attribute */
	uint16_t data_length;
};

XX_API XX_MUST_CHECK int xx_btrfs_dir_item_next(const struct xx_btrfs_item *item, uint32_t *pos,
						struct xx_btrfs_dir_entry *out);

/* struct btrfs_root_item: key (tree, 132, offset); the short form of old file systems too. The bytenr may be 0. */
struct xx_btrfs_root_info {
	struct xx_btrfs_root root; /* id and owner from the key */
	uint64_t root_dirid;
	uint64_t last_snapshot;
	uint64_t flags;
	uint32_t refs; /* 0: deleted, and being dropped */
	uint8_t drop_level;
	struct xx_btrfs_key drop_progress; /* what lies before is dropped */
	uint64_t otransid;
};

XX_API XX_MUST_CHECK int xx_btrfs_root_item_parse(const struct xx_btrfs_item *item, struct xx_btrfs_root_info *out);

/* --- Files --- */

/* struct btrfs_file_extent_item: key (inode, 108, file offset). */
struct xx_btrfs_file_extent {
	uint64_t generation;
	uint64_t file_offset; /* from the key, bytes */
	uint64_t ram_bytes;
	uint8_t compression; /* 0: none */
	uint8_t type; /* 0 inline, 1 regular, 2 prealloc */
	const void *inline_data; /* type 0 */
	uint32_t inline_length;
	/* Types 1 and 2; file_offset + num_bytes is below 2^63. */
	uint64_t disk_bytenr; /* logical; 0: a hole */
	uint64_t disk_num_bytes;
	uint64_t offset; /* into the extent, uncompressed */
	uint64_t num_bytes; /* of the file */
};

XX_API XX_MUST_CHECK int xx_btrfs_file_extent_parse(const struct xx_btrfs_item *item, struct xx_btrfs_file_extent *out);

/* --- Extents and their references --- */

/* struct btrfs_extent_item: keys (logical, 168, length) and (logical, 169, level). */
struct xx_btrfs_extent {
	uint64_t logical, length; /* bytes; length is nodesize for a tree block; more than 0 */
	uint64_t refs;
	uint64_t generation;
	uint64_t flags;
	bool tree; /* a tree block, else data */
	bool full_backref; /* its children, or extents, are referred to by shared references */
	uint8_t level; /* of a tree block */
	bool has_first; /* key 168 of a tree block: first key that it had when it was made */
	struct xx_btrfs_key first;
	const uint8_t *refs_data; /* inline references */
	uint32_t refs_size;
};

XX_API XX_MUST_CHECK int xx_btrfs_extent_parse(const struct xx_btrfs_item *item, uint32_t nodesize,
					       struct xx_btrfs_extent *out);

/* A back reference: 176 tree, 182 shared block, 178 extent data, 184 shared data, 172 owner. */
struct xx_btrfs_extent_ref {
	uint8_t type;
	uint64_t root; /* 172, 176, 178: the tree */
	uint64_t parent; /* 182, 184: logical address of the block that holds the pointer */
	uint64_t inode; /* 178 */
	uint64_t offset; /* 178: file offset less offset into the extent; may be "negative" */
	uint32_t count; /* 178, 184; else 1 */
};

/* Over the inline references of an extent. */
XX_API XX_MUST_CHECK int xx_btrfs_extent_ref_next(const struct xx_btrfs_extent *extent, uint32_t *pos,
						  struct xx_btrfs_extent_ref *out);

/* Of an item of its own: key (logical, type, root, parent or hash). -EUCLEAN for a key of another type. */
XX_API XX_MUST_CHECK int xx_btrfs_keyed_ref_parse(const struct xx_btrfs_item *item, struct xx_btrfs_extent_ref *out);

/* --- Space --- */

/* struct btrfs_block_group_item: key (logical, 192, length). */
struct xx_btrfs_block_group {
	uint64_t logical, length; /* bytes, more than 0 */
	uint64_t used;
	uint64_t flags; /* type and profile, as in the chunk */
};

XX_API XX_MUST_CHECK int xx_btrfs_block_group_parse(const struct xx_btrfs_item *item, struct xx_btrfs_block_group *out);

/* struct btrfs_dev_extent: key (devid, 204, physical) in the device tree. */
struct xx_btrfs_dev_extent {
	uint64_t devid;
	uint64_t physical, length; /* bytes on the device; more than 0 */
	uint64_t chunk; /* logical address of the chunk */
};

XX_API XX_MUST_CHECK int xx_btrfs_dev_extent_parse(const struct xx_btrfs_item *item, struct xx_btrfs_dev_extent *out);

/* struct btrfs_dev_item: key (1, 216, devid) in the chunk tree. */
struct xx_btrfs_dev_item {
	uint64_t devid;
	uint64_t total_bytes, bytes_used; /* below 2^63 */
	uint64_t generation;
	const uint8_t *uuid, *fsid; /* BTRFS_UUID_SIZE, BTRFS_FSID_SIZE bytes */
};

XX_API XX_MUST_CHECK int xx_btrfs_dev_item_parse(const struct xx_btrfs_item *item, struct xx_btrfs_dev_item *out);

/* Key (-10, 128, logical): sums of the sectors from there on. */
struct xx_btrfs_sum_item {
	uint64_t logical, length; /* bytes, whole sectors, more than 0 */
	uint32_t count; /* of sums, without a gap */
	const uint8_t *sums;
};

XX_API XX_MUST_CHECK int xx_btrfs_sum_item_parse(const struct xx_btrfs_item *item, uint32_t sectorsize,
						 uint32_t sum_size, struct xx_btrfs_sum_item *out);

#endif
