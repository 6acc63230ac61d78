/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_synth.c - btrfs trees built in memory.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/btrfs_synth.h"

void synth_init(struct synth *synth)
{
	*synth = (struct synth){ .room = 4096 };
	synth->blocks = calloc(synth->room, SYNTH_NODESIZE);
	synth->dead = calloc(synth->room, sizeof(*synth->dead));
	assert(synth->blocks && synth->dead);
}

void synth_release(struct synth *synth)
{
	free(synth->blocks);
	free(synth->dead);
}

static size_t number(const struct synth *synth, uint64_t logical)
{
	assert(logical >= SYNTH_BASE && (logical - SYNTH_BASE) / SYNTH_NODESIZE < synth->count);
	return (size_t)((logical - SYNTH_BASE) / SYNTH_NODESIZE);
}

void *synth_block(struct synth *synth, uint64_t logical)
{
	return synth->blocks + number(synth, logical) * SYNTH_NODESIZE;
}

void synth_kill(struct synth *synth, uint64_t logical, bool dead)
{
	synth->dead[number(synth, logical)] = dead;
}

static int fetch_one(const struct synth *synth, struct xx_btrfs_fetch *fetch)
{
	const uint64_t logical = fetch->expect.logical;
	size_t block;

	if (logical < SYNTH_BASE || logical % SYNTH_NODESIZE != 0)
		return -EIO;
	block = (size_t)((logical - SYNTH_BASE) / SYNTH_NODESIZE);
	if (block >= synth->count || synth->dead[block])
		return -EIO;
	memcpy(fetch->buf, synth->blocks + block * SYNTH_NODESIZE, SYNTH_NODESIZE);
	return xx_btrfs_expect_check(&fetch->expect, fetch->buf, SYNTH_NODESIZE);
}

static int fetch(void *private, struct xx_btrfs_fetch *fetches, size_t count)
{
	struct synth *synth = private;

	for (size_t i = 0; i < count; i++)
		fetches[i].result = fetch_one(synth, &fetches[i]);
	synth->fetched += count;
	synth->calls++;
	return 0;
}

struct xx_btrfs_fetcher synth_fetcher(struct synth *synth)
{
	return (struct xx_btrfs_fetcher){ .nodesize = SYNTH_NODESIZE, .fetch = fetch, .private = synth };
}

static struct btrfs_header *new_block(struct synth *synth, uint64_t owner, uint64_t generation, uint8_t level)
{
	const uint64_t logical = SYNTH_BASE + synth->count * SYNTH_NODESIZE;
	struct btrfs_header *header = (void *)(synth->blocks + synth->count * SYNTH_NODESIZE);

	assert(synth->count < synth->room);
	synth->count++;
	header->bytenr = le64_make(logical);
	header->generation = le64_make(generation);
	header->owner = le64_make(owner);
	header->level = level;
	return header;
}

static void add_item(struct btrfs_header *leaf, uint32_t *end, const struct synth_item *item)
{
	struct btrfs_item *disk = (struct btrfs_item *)(leaf + 1) + le32_get(leaf->nritems);

	*end -= item->size;
	disk->key = xx_btrfs_key_make(item->key);
	disk->offset = le32_make(*end);
	disk->size = le32_make(item->size);
	if (item->size)
		memcpy((uint8_t *)(leaf + 1) + *end, item->data, item->size);
	leaf->nritems = le32_make(le32_get(leaf->nritems) + 1);
	assert((le32_get(leaf->nritems)) * sizeof(*disk) <= *end);
}

static void add_leaf(struct synth *synth, const struct xx_btrfs_root *root, const struct synth_item *items,
		     size_t count)
{
	struct btrfs_header *leaf = new_block(synth, root->id, root->generation, 0);
	uint32_t end = SYNTH_NODESIZE - (uint32_t)sizeof(*leaf);

	for (size_t i = 0; i < count; i++)
		add_item(leaf, &end, &items[i]);
}

static void add_pointer(struct btrfs_header *node, const struct btrfs_header *child)
{
	struct btrfs_key_ptr *pointer = (struct btrfs_key_ptr *)(node + 1) + le32_get(node->nritems);

	/* The first key of an item and that of a pointer lie at the same place. */
	memcpy(&pointer->key, child + 1, sizeof(pointer->key));
	pointer->blockptr = child->bytenr;
	pointer->generation = child->generation;
	node->nritems = le32_make(le32_get(node->nritems) + 1);
}

struct xx_btrfs_root synth_tree(struct synth *synth, uint64_t id, uint64_t generation, const struct synth_item *items,
				size_t count, unsigned per_leaf, unsigned per_node)
{
	struct xx_btrfs_root root = { .id = id, .generation = generation, .owner = id };
	size_t from = synth->count, to;

	for (size_t i = 0; i < count || i == 0; i += per_leaf)
		add_leaf(synth, &root, items + i, count - i < per_leaf ? count - i : per_leaf);
	for (to = synth->count; to - from > 1; from = to, to = synth->count) {
		root.level++;
		for (size_t i = from; i < to; i += per_node) {
			struct btrfs_header *node = new_block(synth, id, generation, root.level);

			for (size_t child = i; child < to && child < i + per_node; child++)
				add_pointer(node, (void *)(synth->blocks + child * SYNTH_NODESIZE));
		}
	}
	root.bytenr = SYNTH_BASE + from * SYNTH_NODESIZE;
	return root;
}
