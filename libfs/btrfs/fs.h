/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fs.h - the file system and its log, as the files of this room see them. Inner header of libfs/btrfs.
 */
#ifndef LIBFS_BTRFS_FS_H
#define LIBFS_BTRFS_FS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/btrfs_fs.h>

/* A run of sums that a log holds; the bytes are the log's. */
struct xx_btrfs_log_sums {
	uint64_t logical;
	uint32_t count;
	uint8_t *sums;
};

struct xx_btrfs_log {
	struct xx_btrfs_root *roots; /* one for each subvolume; the id is the subvolume's */
	size_t root_count;
	struct xx_btrfs_log_extent *extents;
	size_t extent_count;
	uint64_t longest; /* of the extents, bytes */
	struct xx_btrfs_log_block *blocks;
	size_t block_count;
	struct xx_btrfs_log_sums *sums;
	size_t sum_count;
};

/* What the log of @fs holds; an empty one without a log. 0 or -ENOMEM. */
int xx_btrfs_log_load(struct xx_btrfs_fs *fs, xx_btrfs_lost_fn lost, void *private, struct xx_btrfs_log **out);
void xx_btrfs_log_destroy(struct xx_btrfs_log *log);

/* The first log extent that may reach into what begins at @logical. */
size_t xx_btrfs_log_extent_from(const struct xx_btrfs_log *log, uint64_t logical);

/*
 * Make room for one more element of @size bytes in the array that the pointer at @array points to; it may move. 0 or
 * -ENOMEM.
 */
int xx_btrfs_grow(void *array, size_t count, size_t *room, size_t size);

/*
 * Begin @iter with the extent item, of a tree block or of data, that begins at or before @logical and last of all, and go
 * on to @last; where there is none, with what is behind @logical. What is dead where it may have been is told to the
 * iterator's function. 0 or -ENOMEM.
 */
int xx_btrfs_extent_seek(struct xx_btrfs_iter *iter, const struct xx_btrfs_root *root, uint64_t logical,
			 const struct xx_btrfs_key *last);

/* The inode item of (tree, inode): 0, -ENOENT, -EIO when a dead block may have held it, -EUCLEAN. */
int xx_btrfs_inode_find(struct xx_btrfs_iter *iter, const struct xx_btrfs_root *root, uint64_t inode,
			struct xx_btrfs_inode *out);

#endif
