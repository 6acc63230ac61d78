/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_ref.h - back references: from a logical address to all files, in all subvolumes and snapshots, that hold it.
 *
 * All forms count: inline and keyed references to (tree, inode, offset) and to shared leaves; from the leaves on, through
 * nodes that snapshots share, to every tree that reaches them.
 */
#ifndef XX_BTRFS_REF_H
#define XX_BTRFS_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xx/btrfs_extent.h>
#include <xx/btrfs_fs.h>
#include <xx/compiler.h>

/* A part of a file. */
struct xx_btrfs_file_range {
	uint64_t subvolume; /* id of the tree; 1 (tree of roots): a file of the v1 space cache */
	uint64_t inode;
	uint64_t offset, length; /* bytes of the file */
	bool compressed; /* all of the compressed extent depends on each of its bytes, so the range is what that holds */
	bool prealloc; /* allocated, never written */
	bool log; /* only the log has it yet */
};

/* In the order of subvolume, inode, offset. Zero it before the first use. */
struct xx_btrfs_file_list {
	struct xx_btrfs_file_range *ranges;
	size_t count;
	bool incomplete; /* a dead block was in the way: there may be more */

	size_t room; /* the list's own */
};

XX_API void xx_btrfs_file_list_release(struct xx_btrfs_file_list *list);

/* Remembers which trees reach a block, so that many addresses are quick. */
struct xx_btrfs_resolver;

XX_API XX_MUST_CHECK int xx_btrfs_resolver_create(struct xx_btrfs_fs *fs, struct xx_btrfs_resolver **out);
XX_API void xx_btrfs_resolver_destroy(struct xx_btrfs_resolver *resolver);

/*
 * All parts of files that lie in [@logical, @logical + @length), which should not be more than one extent (of several,
 * that of the first byte counts). 0, also with none: an extent of which these bytes belong to no file any more;
 * -ENOENT: no data extent lies there; -EIO: the extent tree is dead there; -EUCLEAN, -ENOMEM.
 */
XX_API XX_MUST_CHECK int xx_btrfs_resolve_data(struct xx_btrfs_resolver *resolver, uint64_t logical, uint64_t length,
					       struct xx_btrfs_file_list *list);

/* Trees that reach a tree block. */
struct xx_btrfs_tree_list {
	uint64_t *roots; /* ids, in order */
	size_t count;
	uint8_t level; /* of the block */
	bool incomplete;

	size_t room; /* the list's own */
};

XX_API void xx_btrfs_tree_list_release(struct xx_btrfs_tree_list *list);

/* All trees that reach the tree block at @logical: 0, -ENOENT (no tree block is there), -EIO, -EUCLEAN, -ENOMEM. */
XX_API XX_MUST_CHECK int xx_btrfs_resolve_tree(struct xx_btrfs_resolver *resolver, uint64_t logical,
					       struct xx_btrfs_tree_list *list);

/* May a sector of a data extent be without a checksum? */
enum xx_btrfs_sum_need {
	XX_BTRFS_SUM_NEEDED, /* a file extent that was written, of an inode with checksums, holds it */
	XX_BTRFS_SUM_NONE, /* written, in files without checksums (nodatasum, space cache, relocation) */
	XX_BTRFS_SUM_UNWRITTEN, /* preallocated, or in no file any more: nothing is to be verified */
	XX_BTRFS_SUM_UNKNOWN, /* a dead block was in the way */
};

/*
 * Which it is for each of @count sectors from @logical on, within one data extent, decided by all its file extents.
 * 0, -ENOENT (no data extent there), -EIO, -EINVAL, -ENOMEM.
 */
XX_API XX_MUST_CHECK int xx_btrfs_resolve_sum_need(struct xx_btrfs_resolver *resolver, uint64_t logical, uint32_t count,
						   enum xx_btrfs_sum_need *need);

#endif
