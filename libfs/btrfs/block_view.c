/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block_view.c - what a verified tree block holds, and whether it is the one that is wanted.
 */
#include <errno.h>

#include <xx/btrfs_tree.h>

#include "btrfs/tree.h"

struct xx_btrfs_key xx_btrfs_key_next(struct xx_btrfs_key key)
{
	if (key.offset < UINT64_MAX)
		return (struct xx_btrfs_key){ key.objectid, key.type, key.offset + 1 };
	if (key.type < UINT8_MAX)
		return (struct xx_btrfs_key){ key.objectid, (uint8_t)(key.type + 1), 0 };
	if (key.objectid < UINT64_MAX)
		return (struct xx_btrfs_key){ key.objectid + 1, 0, 0 };
	return key;
}

struct xx_btrfs_key xx_btrfs_key_prev(struct xx_btrfs_key key)
{
	if (key.offset > 0)
		return (struct xx_btrfs_key){ key.objectid, key.type, key.offset - 1 };
	if (key.type > 0)
		return (struct xx_btrfs_key){ key.objectid, (uint8_t)(key.type - 1), UINT64_MAX };
	if (key.objectid > 0)
		return (struct xx_btrfs_key){ key.objectid - 1, UINT8_MAX, UINT64_MAX };
	return key;
}

static const struct btrfs_item *items(const void *leaf)
{
	return (const void *)((const struct btrfs_header *)leaf + 1);
}

static const struct btrfs_key_ptr *pointers(const void *node)
{
	return (const void *)((const struct btrfs_header *)node + 1);
}

uint32_t xx_btrfs_block_count(const void *block)
{
	return le32_get(((const struct btrfs_header *)block)->nritems);
}

uint8_t xx_btrfs_block_level(const void *block)
{
	return ((const struct btrfs_header *)block)->level;
}

struct xx_btrfs_key xx_btrfs_block_key(const void *block, uint32_t slot)
{
	if (xx_btrfs_block_level(block) == 0)
		return xx_btrfs_key_get(&items(block)[slot].key);
	return xx_btrfs_key_get(&pointers(block)[slot].key);
}

uint32_t xx_btrfs_leaf_count(const void *leaf)
{
	return xx_btrfs_block_count(leaf);
}

void xx_btrfs_leaf_item(const void *leaf, uint32_t slot, struct xx_btrfs_item *item)
{
	const struct btrfs_header *header = leaf;
	const struct btrfs_item *disk = &items(leaf)[slot];

	*item = (struct xx_btrfs_item){
		.key = xx_btrfs_key_get(&disk->key),
		.data = (const uint8_t *)(header + 1) + le32_get(disk->offset),
		.size = le32_get(disk->size),
		.leaf = le64_get(header->bytenr),
		.generation = le64_get(header->generation),
	};
}

void xx_btrfs_node_pointer(const void *node, uint32_t slot, struct xx_btrfs_key *key, uint64_t *logical,
			   uint64_t *generation)
{
	const struct btrfs_key_ptr *disk = &pointers(node)[slot];

	*key = xx_btrfs_key_get(&disk->key);
	*logical = le64_get(disk->blockptr);
	*generation = le64_get(disk->generation);
}

uint32_t xx_btrfs_block_lower(const void *block, const struct xx_btrfs_key *key)
{
	uint32_t low = 0, high = xx_btrfs_block_count(block);

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (xx_btrfs_key_compare(xx_btrfs_block_key(block, middle), *key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t xx_btrfs_block_covering(const void *block, const struct xx_btrfs_key *key)
{
	const uint32_t slot = xx_btrfs_block_lower(block, key);

	if (slot == 0)
		return 0;
	if (slot < xx_btrfs_block_count(block) && xx_btrfs_key_compare(xx_btrfs_block_key(block, slot), *key) == 0)
		return slot;
	return slot - 1;
}

struct xx_btrfs_expect xx_btrfs_node_want(const void *node, uint32_t slot, uint64_t owner)
{
	struct xx_btrfs_expect want = {
		.owner = owner,
		.level = xx_btrfs_block_level(node) - 1,
		.has_first_key = true,
	};

	xx_btrfs_node_pointer(node, slot, &want.first_key, &want.logical, &want.generation);
	return want;
}

struct xx_btrfs_expect xx_btrfs_root_want(const struct xx_btrfs_root *root)
{
	return (struct xx_btrfs_expect){
		.logical = root->bytenr,
		.generation = root->generation,
		.owner = root->owner,
		.level = root->level,
	};
}

/* Snapshots share blocks, which name the subvolume that made them. Trees of logs and relocation name others. */
static bool owner_fits(uint64_t wanted, uint64_t owner)
{
	if (wanted == 0 || wanted == BTRFS_TREE_LOG_OBJECTID || wanted == BTRFS_TREE_RELOC_OBJECTID)
		return true;
	if (xx_btrfs_is_subvolume(wanted))
		return xx_btrfs_is_subvolume(owner);
	return owner == wanted;
}

int xx_btrfs_expect_check(const struct xx_btrfs_expect *want, const void *block, uint32_t nodesize)
{
	const struct btrfs_header *header = block;

	if (nodesize < sizeof(*header) + sizeof(struct btrfs_key_ptr) ||
	    (want->level >= 0 && header->level != want->level))
		return -EUCLEAN;
	if (le64_get(header->bytenr) != want->logical || !owner_fits(want->owner, le64_get(header->owner)))
		return -EUCLEAN;
	if (want->generation != 0 && le64_get(header->generation) != want->generation)
		return -EUCLEAN;
	if (!want->has_first_key)
		return 0;
	if (xx_btrfs_block_count(block) == 0)
		return -EUCLEAN;
	return xx_btrfs_key_compare(xx_btrfs_block_key(block, 0), want->first_key) == 0 ? 0 : -EUCLEAN;
}
