/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_fixture.h - a small btrfs of any profile on devices in memory, for tests of the scrub. Without Criterion; what
 * cannot be set up aborts.
 *
 * What is in it: one chunk of data and one of system (all trees), both of the same profile, one leaf a tree; three files
 * at the top: `summed`, with checksums, `nocow`, without, and `prealloc`, the first half of which was written. What is
 * free is filled with garbage, so that rows with nothing in them have no right parity.
 */
#ifndef TESTS_BTRFS_FIXTURE_H
#define TESTS_BTRFS_FIXTURE_H

#include <xx/btrfs_chunk.h>
#include <xx/btrfs_format.h>
#include <xx/context.h>
#include <xx/csum.h>
#include <xx/device.h>

enum {
	FIXTURE_DEVICES_MAX = 6,
	FIXTURE_SECTOR = 4096,
	FIXTURE_NODE = 16384,
	FIXTURE_INODE_SUMMED = 257,
	FIXTURE_INODE_NOCOW,
	FIXTURE_INODE_PREALLOC,
};

/* Bytes of the files. */
#define FIXTURE_SUMMED	 UINT64_C(1048576)
#define FIXTURE_NOCOW	 UINT64_C(262144)
#define FIXTURE_PREALLOC UINT64_C(262144)

struct fixture_options {
	uint64_t profile; /* BTRFS_BLOCK_GROUP_ bit; 0: single */
	unsigned devices; /* DUP and single: 1 */
	enum xx_csum_type csum;
	bool leave_out_sum; /* the second sector of `summed` has no checksum */
	bool extra_sum; /* the sector behind all files has one */
	bool zeros; /* what is free is not garbage but zeros: the same in each copy, with the right parity */
	bool files; /* on sparse files without a name, for engines of the kernel; what is free is zeros then */
};

struct fixture {
	struct fixture_options options;
	struct xx_ctx *ctx;
	unsigned device_count;
	struct xx_device *devices[FIXTURE_DEVICES_MAX];
	struct xx_btrfs_chunk_map *map;
	const struct xx_btrfs_chunk *system, *data;
	/* Logical addresses. */
	uint64_t chunk_tree, root_tree, extent_tree, csum_tree, fs_tree;
	uint64_t summed, nocow, prealloc;
	char said[256]; /* the last error or warning */
	unsigned messages;
};

void fixture_init(struct fixture *f, const struct fixture_options *options);
void fixture_release(struct fixture *f);

/* The place of copy @copy of an address; with parity P is copy 1, Q copy 2, of the same row. */
struct xx_btrfs_place fixture_place(const struct fixture *f, uint64_t logical, unsigned copy);

/* Turn bits of @length bytes at a place over: twice, and all is as it was. */
void fixture_damage(struct fixture *f, struct xx_btrfs_place place, uint32_t length);

/* A number that changes with any byte of any device. */
uint64_t fixture_hash(const struct fixture *f);

#endif
