/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_synth.h - btrfs trees built in memory, and a fetcher that gives their blocks: for tests of what reads trees.
 */
#ifndef TESTS_BTRFS_SYNTH_H
#define TESTS_BTRFS_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/btrfs_tree.h>

#define SYNTH_NODESIZE 4096U
#define SYNTH_BASE     UINT64_C(0x100000) /* logical address of the first block */

struct synth_item {
	struct xx_btrfs_key key;
	const void *data;
	uint32_t size;
};

struct synth {
	uint8_t *blocks; /* one behind the other, from SYNTH_BASE on */
	size_t count, room;
	bool *dead; /* one for each block */
	uint64_t fetched; /* blocks, in all */
	uint64_t calls;
};

void synth_init(struct synth *synth);
void synth_release(struct synth *synth);

/* Gives blocks, checked against what is expected; -EIO for dead ones and for addresses where none is. */
struct xx_btrfs_fetcher synth_fetcher(struct synth *synth);

/* A tree of the items, at most so many in a leaf and pointers in a node. Blocks from the left, level by level. */
struct xx_btrfs_root synth_tree(struct synth *synth, uint64_t id, uint64_t generation, const struct synth_item *items,
				size_t count, unsigned per_leaf, unsigned per_node);

/* The block at a logical address. */
void *synth_block(struct synth *synth, uint64_t logical);

/* It cannot be read any more, or can be again. */
void synth_kill(struct synth *synth, uint64_t logical, bool dead);

#endif
