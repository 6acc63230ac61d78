/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.c - the bulk loader: a sorted array of records becomes a tree of any height, level by level from the leaves.
 *
 * All blocks of a level hold the same number of entries, give or take one, so that none is less than half full.
 * Layout of blocks: "XFS Algorithms & Data Structures", chapter "Common XFS Types", section "B+trees". A node of a
 * tree whose records may overlap holds two keys for each pointer, the lowest and the highest below it.
 */
#include <string.h>

#include <xx/csum.h>
#include <xx/units.h>
#include <xx/xfs_format.h>

#include "xfs/tree_ops.h"

#define HEADER sizeof(struct xfs_btree_sblock)

/* The most levels of a tree: even of half-full blocks of 1 KiB, 2^64 records need fewer. */
#define LEVELS_MAX 16

struct shape {
	uint32_t levels;
	uint64_t blocks[LEVELS_MAX]; /* of each level, 0: leaves */
};

struct loader {
	const struct xx_xfs_geometry *geo;
	const struct xx_xfs_tree_ops *ops;
	const struct xx_xfs_tree_place *place;
	struct shape shape;
};

static uint32_t node_key_size(const struct xx_xfs_tree_ops *ops)
{
	return ops->overlapping ? 2U * ops->key_size : ops->key_size;
}

static struct shape shape_of(const struct xx_xfs_tree_geometry *limits, uint64_t records)
{
	struct shape shape = { .levels = 1 };

	shape.blocks[0] = xx_max(1, xx_div_round_up(records, limits->leaf_max));
	for (; shape.blocks[shape.levels - 1] > 1; shape.levels++)
		shape.blocks[shape.levels] = xx_div_round_up(shape.blocks[shape.levels - 1], limits->node_max);
	return shape;
}

uint32_t xx_xfs_tree_levels(const struct xx_xfs_geometry *geo, enum xx_xfs_tree tree, uint64_t records)
{
	return shape_of(xx_xfs_tree_limits(geo, xx_xfs_tree_ops(tree)), records).levels;
}

uint64_t xx_xfs_tree_blocks(const struct xx_xfs_geometry *geo, enum xx_xfs_tree tree, uint64_t records)
{
	const struct shape shape = shape_of(xx_xfs_tree_limits(geo, xx_xfs_tree_ops(tree)), records);
	uint64_t blocks = 0;

	for (uint32_t level = 0; level < shape.levels; level++)
		blocks += shape.blocks[level];
	return blocks;
}

/* Where in place->blocks a block of a level below the root stands: higher levels come first. */
static uint64_t block_index(const struct loader *l, uint32_t level, uint64_t i)
{
	for (uint32_t above = level + 1; above + 1 < l->shape.levels; above++)
		i += l->shape.blocks[above];
	return i;
}

static uint32_t block_number(const struct loader *l, uint32_t level, uint64_t i)
{
	if (level + 1 == l->shape.levels)
		return l->place->root_block;
	return l->place->blocks[block_index(l, level, i)];
}

static uint8_t *block_data(const struct loader *l, uint32_t level, uint64_t i)
{
	if (level + 1 == l->shape.levels)
		return l->place->root;
	return l->place->data + (block_index(l, level, i) << l->geo->block_log);
}

/* The first of @total entries that goes into block @i of @blocks. */
static uint64_t first_entry(uint64_t total, uint64_t blocks, uint64_t i)
{
	return i * (total / blocks) + xx_min(i, total % blocks);
}

static void put_header(const struct loader *l, uint32_t level, uint64_t i, uint64_t entries)
{
	const uint32_t number = block_number(l, level, i);
	struct xfs_btree_sblock *b = (struct xfs_btree_sblock *)block_data(l, level, i);
	const bool last = i + 1 == l->shape.blocks[level];

	b->bb_magic = be32_make(l->ops->magic);
	b->bb_level = be16_make((uint16_t)level);
	b->bb_numrecs = be16_make((uint16_t)entries);
	b->bb_leftsib = be32_make(i ? block_number(l, level, i - 1) : XFS_NULLAGBLOCK);
	b->bb_rightsib = be32_make(last ? XFS_NULLAGBLOCK : block_number(l, level, i + 1));
	b->bb_blkno = be64_make(xx_xfs_ag_offset(l->geo, l->place->agno, number) >> XX_SECTOR_SHIFT);
	memcpy(b->bb_uuid, l->geo->uuid, sizeof(b->bb_uuid));
	b->bb_owner = be32_make(l->place->agno);
}

static void stamp(const struct loader *l, uint32_t level, uint64_t i)
{
	struct xfs_btree_sblock *b = (struct xfs_btree_sblock *)block_data(l, level, i);

	b->bb_crc = xx_crc32c_block(b, l->geo->block_size, offsetof(struct xfs_btree_sblock, bb_crc));
}

/* The highest key below a block: of its records, or of the high keys that it holds itself. */
static void high_key_of(const struct loader *l, uint32_t level, uint64_t i, uint8_t *key)
{
	const uint8_t *block = block_data(l, level, i);
	const uint32_t entries = be16_get(((const struct xfs_btree_sblock *)block)->bb_numrecs);
	uint8_t other[sizeof(struct xfs_rmap_key)];

	memset(key, 0, l->ops->key_size);
	for (uint32_t e = 0; e < entries; e++) {
		if (level == 0)
			l->ops->high_key(block + HEADER + (size_t)e * l->ops->rec_size, other);
		else
			memcpy(other, block + HEADER + (size_t)e * node_key_size(l->ops) + l->ops->key_size,
			       l->ops->key_size);
		if (l->ops->compare(other, key) > 0)
			memcpy(key, other, l->ops->key_size);
	}
}

static void low_key_of(const struct loader *l, uint32_t level, uint64_t i, uint8_t *key)
{
	const uint8_t *first = block_data(l, level, i) + HEADER;

	if (level == 0)
		l->ops->low_key(first, key);
	else
		memcpy(key, first, l->ops->key_size);
}

static void load_leaves(const struct loader *l, const void *records, uint64_t count)
{
	const uint64_t leaf_max = xx_xfs_tree_limits(l->geo, l->ops)->leaf_max;
	const uint64_t blocks = l->shape.blocks[0];

	for (uint64_t i = 0; i < blocks; i++) {
		const uint64_t first = first_entry(count, blocks, i);
		const uint64_t entries = first_entry(count, blocks, i + 1) - first;
		const uint64_t written = blocks == 1 ? xx_min(entries + l->place->stale, leaf_max) : entries;
		uint8_t *rec = block_data(l, 0, i) + HEADER;

		for (uint64_t e = 0; e < written; e++)
			l->ops->put(l->geo, (const uint8_t *)records + (first + e) * l->ops->mem_size,
				    rec + e * l->ops->rec_size);
		put_header(l, 0, i, entries);
		stamp(l, 0, i);
	}
}

static void load_node(const struct loader *l, uint32_t level, uint64_t i)
{
	const uint64_t children = l->shape.blocks[level - 1];
	const uint64_t first = first_entry(children, l->shape.blocks[level], i);
	const uint64_t entries = first_entry(children, l->shape.blocks[level], i + 1) - first;
	const uint32_t key_size = node_key_size(l->ops);
	uint8_t *keys = block_data(l, level, i) + HEADER;
	uint8_t *pointers = keys + (size_t)xx_xfs_tree_limits(l->geo, l->ops)->node_max * key_size;

	for (uint64_t e = 0; e < entries; e++) {
		const be32 pointer = be32_make(block_number(l, level - 1, first + e));

		low_key_of(l, level - 1, first + e, keys + e * key_size);
		if (l->ops->overlapping)
			high_key_of(l, level - 1, first + e, keys + e * key_size + l->ops->key_size);
		memcpy(pointers + e * sizeof(pointer), &pointer, sizeof(pointer));
	}
	put_header(l, level, i, entries);
	stamp(l, level, i);
}

void xx_xfs_tree_load(const struct xx_xfs_geometry *geo, enum xx_xfs_tree tree, const struct xx_xfs_tree_place *place,
		      const void *records, size_t count)
{
	const struct xx_xfs_tree_ops *ops = xx_xfs_tree_ops(tree);
	const struct loader l = {
		.geo = geo,
		.ops = ops,
		.place = place,
		.shape = shape_of(xx_xfs_tree_limits(geo, ops), count),
	};

	load_leaves(&l, records, count);
	for (uint32_t level = 1; level < l.shape.levels; level++) {
		for (uint64_t i = 0; i < l.shape.blocks[level]; i++)
			load_node(&l, level, i);
	}
}
