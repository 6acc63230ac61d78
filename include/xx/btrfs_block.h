/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_block.h - tree blocks: verified, and read from any copy of them.
 *
 * There are several *ways* to a block, tried in this order: with mirrored profiles way m is copy m. With RAID5 and RAID6
 * way 0 is the data element itself, way 1 rebuilds it from the rest of its row and P; with RAID6 way 2 rebuilds it from
 * the rest and Q, and each way from 3 on from P and Q, leaving out one other data column.
 *
 * Source of the checks: fs/btrfs/disk-io.c, btrfs_validate_extent_buffer(); tree-checker.c.
 */
#ifndef XX_BTRFS_BLOCK_H
#define XX_BTRFS_BLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <xx/btrfs_chunk.h>
#include <xx/btrfs_format.h>
#include <xx/btrfs_super.h>
#include <xx/btrfs_volume.h>
#include <xx/compiler.h>

struct xx_plug;
struct xx_ring;

/* What is wrong with a tree block; the first that was seen, in this order. */
enum xx_btrfs_block_fault {
	XX_BTRFS_BLOCK_GOOD = 0,
	XX_BTRFS_BLOCK_UNMAPPED, /* no chunk holds its address */
	XX_BTRFS_BLOCK_ABSENT, /* its device is missing */
	XX_BTRFS_BLOCK_UNREADABLE, /* see .error */
	XX_BTRFS_BLOCK_CSUM,
	XX_BTRFS_BLOCK_BYTENR, /* right by checksum, but it belongs elsewhere */
	XX_BTRFS_BLOCK_FSID,
	XX_BTRFS_BLOCK_CHUNK_UUID,
	XX_BTRFS_BLOCK_GENERATION, /* stale, or from the future */
	XX_BTRFS_BLOCK_OWNER,
	XX_BTRFS_BLOCK_LEVEL,
	XX_BTRFS_BLOCK_NRITEMS,
	XX_BTRFS_BLOCK_FIRST_KEY, /* not the one that the parent has */
	XX_BTRFS_BLOCK_KEY_ORDER,
	XX_BTRFS_BLOCK_ITEM_BOUNDS, /* an item's data lies outside of the leaf, or overlaps */
	XX_BTRFS_BLOCK_POINTER, /* a node points to an impossible address or generation */
};

struct xx_btrfs_block_check {
	enum xx_btrfs_block_fault fault;
	int error; /* 0 when good, else -EBADMSG (checksum), -EUCLEAN, -ENXIO (absent), the error of a read */
	char text[160]; /* "its generation is 7, but 9 was expected"; "" when good */
};

/* What tree blocks of one file system have in common. */
struct xx_btrfs_identity {
	enum xx_csum_type csum_type;
	uint32_t nodesize, sectorsize; /* bytes */
	uint64_t generation; /* the highest that a block may have: the superblock's, or one more with a log tree */
	uint8_t fsid[BTRFS_FSID_SIZE]; /* the metadata_uuid */
	const struct xx_btrfs_volume *volume; /* knows the seeds' fsids too; NULL: fsid is the only one */
	bool has_chunk_tree_uuid; /* not known until the chunk tree's root was read */
	uint8_t chunk_tree_uuid[BTRFS_UUID_SIZE];
};

/* Fill it in from a superblock; the chunk tree's UUID is not known then. */
XX_API void xx_btrfs_identity_init(struct xx_btrfs_identity *identity, const struct xx_btrfs_super *super,
				   const struct xx_btrfs_volume *volume);

/* What is expected of one block. */
struct xx_btrfs_expect {
	uint64_t logical; /* its address */
	uint64_t generation; /* 0: any that is not from the future */
	uint64_t owner; /* the tree that it was reached by; 0: any. A subvolume's tree shares blocks with others */
	int level; /* -1: any */
	bool has_first_key;
	struct xx_btrfs_key first_key;
};

/* Verify nodesize bytes. The result is check->error. */
XX_API XX_MUST_CHECK int xx_btrfs_block_verify(const struct xx_btrfs_identity *identity, const void *block,
					       const struct xx_btrfs_expect *expect,
					       struct xx_btrfs_block_check *check);

/* Is that a tree whose root is a subvolume: the top level, or one that a user made (48 bits)? */
static inline bool xx_btrfs_is_subvolume(uint64_t tree)
{
	return tree == BTRFS_FS_TREE_OBJECTID || (tree >= BTRFS_FIRST_FREE_OBJECTID && tree >> 48 == 0);
}

/* --- Access to a verified block --- */

static inline const struct btrfs_header *xx_btrfs_header(const void *block)
{
	return (const struct btrfs_header *)block;
}

/* The items of a leaf, the pointers of a node: nritems of them. */
static inline const struct btrfs_item *xx_btrfs_leaf_items(const void *block)
{
	return (const struct btrfs_item *)((const uint8_t *)block + sizeof(struct btrfs_header));
}

static inline const struct btrfs_key_ptr *xx_btrfs_node_ptrs(const void *block)
{
	return (const struct btrfs_key_ptr *)((const uint8_t *)block + sizeof(struct btrfs_header));
}

/* The data of item @slot; its size is le32_get(item->size). */
static inline const void *xx_btrfs_item_data(const void *block, uint32_t slot)
{
	return (const uint8_t *)block + sizeof(struct btrfs_header) + le32_get(xx_btrfs_leaf_items(block)[slot].offset);
}

/* --- Reading --- */

/* Where blocks are read from; in the caller's memory, unchanged while a read is in flight. */
struct xx_btrfs_medium {
	struct xx_btrfs_identity identity;
	const struct xx_btrfs_chunk_map *map;
	const struct xx_btrfs_volume *volume;
	struct xx_ring *ring; /* the calling thread's */
};

/* How many ways there are to the data of a chunk. */
XX_API unsigned xx_btrfs_chunk_ways(const struct xx_btrfs_chunk *chunk);

#define XX_BTRFS_WAY_ANY (-1)

struct xx_btrfs_block_read;
typedef void (*xx_btrfs_block_read_fn)(struct xx_btrfs_block_read *read);

/*
 * A read of a block, in the caller's memory; it belongs to the library from a submit that succeeded until its callback
 * runs, with what it points to. Zero it, fill the first part in, submit.
 */
struct xx_btrfs_block_read {
	const struct xx_btrfs_medium *medium;
	struct xx_btrfs_expect expect;
	void *block; /* nodesize bytes, at a multiple of 4,096 */
	int way; /* XX_BTRFS_WAY_ANY: all in turn until one is good */
	struct xx_btrfs_block_check *checks; /* what was found on ways 0, 1, ...; NULL: not wanted */
	unsigned checks_max; /* how many of these there is room for */
	xx_btrfs_block_read_fn done;
	void *private;

	/* The answer, valid in the callback. */
	int result; /* 0: block is verified; else the error of the first way that was tried, or -ENOMEM */
	unsigned good_way; /* that the block came from */
	unsigned tried; /* how many ways were tried */
	struct xx_btrfs_block_check check; /* of the first way that was tried */

	struct xx_btrfs_block_read_own *own; /* the library's */
};

/*
 * Begin. The callback runs in the ring's reap or wait, never in here. With @plug the first reads are put there, and go
 * down when it is pulled. 0, or -ENOMEM or -EINVAL (a way that the chunk does not have): not taken.
 */
XX_API XX_MUST_CHECK int xx_btrfs_block_submit(struct xx_btrfs_block_read *read, struct xx_plug *plug);

/*
 * Read a block on any way and wait for it; callbacks of others run meanwhile. 0, and the block is verified; else what is
 * wrong on the first way, in @check (may be NULL).
 */
XX_API XX_MUST_CHECK int xx_btrfs_block_get(const struct xx_btrfs_medium *medium, const struct xx_btrfs_expect *expect,
					    void *block, struct xx_btrfs_block_check *check);

#endif
