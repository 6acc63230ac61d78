/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_fs.h - a btrfs that was loaded for reading: its trees, and what they are read with.
 *
 * Loading goes from the superblock to the chunk tree (the first part of which is in the superblock), from there to the
 * chunk map, and with that to the tree of roots. What the tree log holds, extents and sums that no other tree knows of,
 * is loaded whole: it is bounded by what was fsynced in one transaction.
 */
#ifndef XX_BTRFS_FS_H
#define XX_BTRFS_FS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xx/btrfs_format.h>
#include <xx/btrfs_item.h>
#include <xx/btrfs_tree.h>
#include <xx/compiler.h>

struct xx_btrfs_fs;
struct xx_btrfs_log;
struct xx_ctx;
struct xx_ring;

/*
 * Read the chunk tree of a volume: its device items go into @volume, its chunks into a new map, then the volume is
 * settled. @medium is filled in (identity with the chunk tree's UUID, map, volume, ring); it and *@map are the caller's:
 * xx_btrfs_chunk_map_destroy(). Parts of the chunk tree that are dead are told to @lost (may be NULL).
 * 0; -EUCLEAN, -EBADMSG, -EIO: the root of the chunk tree cannot be had, or an item makes no sense; what settling says;
 * -ENOMEM. Each failure makes a message.
 */
XX_API XX_MUST_CHECK int xx_btrfs_load_chunks(struct xx_ctx *ctx, struct xx_ring *ring, struct xx_btrfs_volume *volume,
					      xx_btrfs_lost_fn lost, void *private, struct xx_btrfs_medium *medium,
					      struct xx_btrfs_chunk_map **map);

/*
 * The file system of a medium, which must outlive it; for another thread, of a copy of the medium with another ring. As
 * xx_btrfs_fs_create() with what the volume's superblock says.
 */
XX_API XX_MUST_CHECK int xx_btrfs_fs_open(struct xx_ctx *ctx, const struct xx_btrfs_medium *medium, size_t budget,
					  xx_btrfs_lost_fn lost, void *private, struct xx_btrfs_fs **out);

/* What loading needs to know; all of it stands in the superblock. */
struct xx_btrfs_params {
	uint32_t sectorsize, nodesize; /* bytes */
	uint32_t sum_size; /* bytes of a checksum */
	uint64_t generation;
	uint64_t root, chunk_root, log_root; /* logical; log_root 0: no log */
	uint64_t chunk_root_generation;
	uint8_t root_level, chunk_root_level, log_root_level;
	bool block_group_tree; /* block groups stand in tree 11 */
};

/*
 * A file system over @fetcher. Roots are found, the log is loaded; a tree of roots that is dead in parts makes roots that
 * are missing (-ENOENT when asked for), not a failure. Dead parts that were met are told to @lost, which may be NULL.
 * 0, -EUCLEAN when the root block of the tree of roots cannot be read, or -ENOMEM.
 */
XX_API XX_MUST_CHECK int xx_btrfs_fs_create(struct xx_ctx *ctx, const struct xx_btrfs_params *params,
					    const struct xx_btrfs_fetcher *fetcher, size_t budget,
					    xx_btrfs_lost_fn lost, void *private, struct xx_btrfs_fs **out);

/* NULL too. All iterators over it must be gone. */
XX_API void xx_btrfs_fs_destroy(struct xx_btrfs_fs *fs);

XX_API const struct xx_btrfs_params *xx_btrfs_fs_params(const struct xx_btrfs_fs *fs);
XX_API struct xx_btrfs_reader *xx_btrfs_fs_reader(const struct xx_btrfs_fs *fs);
XX_API const struct xx_btrfs_log *xx_btrfs_fs_log(const struct xx_btrfs_fs *fs);

/*
 * The tree with this id: BTRFS_ROOT_TREE_OBJECTID, BTRFS_CHUNK_TREE_OBJECTID, or any that has a root item. 0; -ENOENT; -EIO when it
 * may have stood in a dead part of the tree of roots. Remembered: asking again is cheap.
 */
XX_API XX_MUST_CHECK int xx_btrfs_fs_root(struct xx_btrfs_fs *fs, uint64_t id, struct xx_btrfs_root_info *out);

/* --- What only the log has --- */

/* The log of a subvolume: a tree with inodes, names, file extents and sums. NULL when it has none. */
XX_API const struct xx_btrfs_root *xx_btrfs_log_root(const struct xx_btrfs_log *log, uint64_t subvolume);

/* Data that a file extent in a log tree refers to. */
struct xx_btrfs_log_extent {
	uint64_t logical, length; /* bytes, of the whole extent */
	uint64_t subvolume, inode;
	struct xx_btrfs_file_extent file; /* inline_data is not valid */
	bool nodatasum; /* the inode says so */
};

/* A tree block of the log. */
struct xx_btrfs_log_block {
	uint64_t logical;
	uint64_t generation;
	uint8_t level;
};

/* In the order of logical addresses; valid as long as the file system. */
XX_API const struct xx_btrfs_log_extent *xx_btrfs_log_extents(const struct xx_btrfs_log *log, size_t *count);
XX_API const struct xx_btrfs_log_block *xx_btrfs_log_blocks(const struct xx_btrfs_log *log, size_t *count);

#endif
