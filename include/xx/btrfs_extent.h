/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_extent.h - ordered, batched iteration over what is allocated: extents, block groups, device extents.
 *
 * A *cursor* is an iterator with its place in the tree; asking it for one range after the other in rising order searches
 * no tree from the top again. Each thread has cursors of its own, over a file system of its own reader.
 */
#ifndef XX_BTRFS_EXTENT_H
#define XX_BTRFS_EXTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xx/btrfs_fs.h>
#include <xx/compiler.h>

/* One extent of the extent tree, or of the log. */
struct xx_btrfs_extent_entry {
	uint64_t logical, length; /* bytes */
	uint64_t generation;
	bool tree; /* a tree block, else data */
	bool log; /* only the log knows it */
	uint8_t level; /* of a tree block */
	bool has_level; /* the level is known */
	uint64_t owner; /* a tree that refers to the block; 0: only shared references */
};

/* A logical range that may hold extents which nobody knows of, because a block of the extent tree is dead. */
struct xx_btrfs_range {
	uint64_t logical, length; /* bytes */
};

/* What a range holds. Zero it before the first use; release it after the last. Memory is kept between the uses. */
struct xx_btrfs_extent_list {
	struct xx_btrfs_extent_entry *entries; /* in the order of addresses, not overlapping */
	size_t count;
	struct xx_btrfs_range *unknown; /* in order; within what was asked for */
	size_t unknown_count;
	size_t bad; /* items that made no sense, or overlapped another: left out */

	size_t entries_room, unknown_room; /* the list's own */
};

XX_API void xx_btrfs_extent_list_release(struct xx_btrfs_extent_list *list);

struct xx_btrfs_extent_cursor;

XX_API XX_MUST_CHECK int xx_btrfs_extent_cursor_create(struct xx_btrfs_fs *fs, struct xx_btrfs_extent_cursor **out);
XX_API void xx_btrfs_extent_cursor_destroy(struct xx_btrfs_extent_cursor *cursor);

/*
 * All extents that have a byte in [@logical, @logical + @length), extent tree and log, also those that begin before, and
 * dead blocks of the extent tree, whether or not their own items can be read. The memory is bounded by the length: ask
 * for some megabytes at a time. 0, -EINVAL (an empty range or one past 2^63), -ENOMEM. When there is no extent tree, all
 * is unknown.
 */
XX_API XX_MUST_CHECK int xx_btrfs_extent_cursor_read(struct xx_btrfs_extent_cursor *cursor, uint64_t logical,
						     uint64_t length, struct xx_btrfs_extent_list *list);

/* --- Block groups --- */

/*
 * Call @fn for each block group in the order of addresses, from the tree that has them, until it returns other than 0,
 * which is returned. What is dead is told to @lost (may be NULL), items without sense are left out. 0, -ENOENT (no such
 * tree), -ENOMEM.
 */
typedef int (*xx_btrfs_block_group_fn)(void *private, const struct xx_btrfs_block_group *group);
XX_API XX_MUST_CHECK int xx_btrfs_block_groups(struct xx_btrfs_fs *fs, xx_btrfs_block_group_fn fn,
					       xx_btrfs_lost_fn lost, void *private);

/* --- Device extents --- */

/* The same of the device extents of @devid, in physical order (UINT64_MAX: of all devices, one after the other). */
typedef int (*xx_btrfs_dev_extent_fn)(void *private, const struct xx_btrfs_dev_extent *extent);
XX_API XX_MUST_CHECK int xx_btrfs_dev_extents(struct xx_btrfs_fs *fs, uint64_t devid, xx_btrfs_dev_extent_fn fn,
					      xx_btrfs_lost_fn lost, void *private);

#endif
