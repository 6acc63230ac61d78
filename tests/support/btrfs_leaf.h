/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_leaf.h - a leaf of a tree of btrfs, filled item by item in the order of keys. For tests: a fault aborts.
 */
#ifndef TESTS_BTRFS_LEAF_H
#define TESTS_BTRFS_LEAF_H

#include <xx/btrfs_format.h>
#include <xx/csum.h>

struct btrfs_leaf {
	uint8_t *block; /* nodesize bytes, the caller's */
	uint32_t nodesize;
	uint32_t count;
	uint32_t data; /* where the data of the last item begins, from the end of the header */
};

struct btrfs_leaf_head {
	uint64_t bytenr, generation, owner;
	const uint8_t *fsid, *chunk_tree_uuid;
};

/* Begin a leaf. */
void btrfs_leaf_begin(struct btrfs_leaf *leaf, uint8_t *block, uint32_t nodesize, const struct btrfs_leaf_head *head);

/* Room for the data of the next item, zeroed. */
void *btrfs_leaf_add(struct btrfs_leaf *leaf, uint64_t objectid, uint8_t type, uint64_t offset, uint32_t size);

/* Set its checksum. */
void btrfs_leaf_end(struct btrfs_leaf *leaf, enum xx_csum_type csum);

#endif
