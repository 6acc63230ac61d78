/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ref.h - what the files that follow back references share. Inner header of libfs/btrfs.
 */
#ifndef LIBFS_BTRFS_REF_H
#define LIBFS_BTRFS_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/btrfs_ref.h>

/* An extent with all its references, inline and keyed. */
struct xx_btrfs_ref_set {
	struct xx_btrfs_extent extent; /* refs_data is not valid */
	struct xx_btrfs_extent_ref *refs;
	size_t count, room;
	bool incomplete; /* some may stand in a dead block, or made no sense */
};

/* Trees that reach a block, remembered. */
struct xx_btrfs_reach {
	uint64_t logical;
	uint8_t level;
	bool incomplete;
	uint64_t *roots; /* in order */
	size_t count, room;
};

struct xx_btrfs_resolver {
	struct xx_btrfs_fs *fs;
	struct xx_btrfs_iter *extents; /* over the extent tree */
	struct xx_btrfs_iter *files; /* over subvolumes */
	struct xx_btrfs_root root; /* of the extent tree */
	bool has_root;

	struct xx_btrfs_reach *reach; /* in the order of addresses */
	size_t reach_count, reach_room;
};

void xx_btrfs_ref_set_release(struct xx_btrfs_ref_set *set);

/* A zeroed set with the extent that holds @logical: 0, -ENOENT, -EIO when a dead block may have had it, -ENOMEM. */
int xx_btrfs_ref_set_read(struct xx_btrfs_resolver *resolver, uint64_t logical, struct xx_btrfs_ref_set *set);

/*
 * The trees that reach the tree block at @logical; *out is valid until the next call. -ENOENT: no such block is
 * allocated; -ENOMEM. Else 0, and what could not be followed makes it incomplete.
 */
int xx_btrfs_reach_find(struct xx_btrfs_resolver *resolver, uint64_t logical, const struct xx_btrfs_reach **out);

/* A file extent item that refers to an extent, and the leaf that it was found in. */
struct xx_btrfs_hit {
	uint64_t leaf;
	uint64_t inode;
	struct xx_btrfs_file_extent file; /* inline_data is not valid */
};

struct xx_btrfs_hits {
	struct xx_btrfs_hit *hits; /* those of one leaf together */
	size_t count, room;
	bool incomplete;
	struct xx_btrfs_extent extent;
};

/* All file extent items of the data extent that holds @logical, in zeroed @hits. As xx_btrfs_ref_set_read(). */
int xx_btrfs_hits_read(struct xx_btrfs_resolver *resolver, uint64_t logical, struct xx_btrfs_hits *hits);
void xx_btrfs_hits_release(struct xx_btrfs_hits *hits);

/* The part of [@logical, @logical + @length) of an extent that a file extent holds: false when none. */
bool xx_btrfs_file_part(const struct xx_btrfs_file_extent *file, uint64_t logical, uint64_t length, uint64_t *from,
			uint64_t *to);

#endif
