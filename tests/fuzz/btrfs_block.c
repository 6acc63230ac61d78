/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_block.c - fuzzes the verification of tree blocks.
 *
 * The input is a tree block of 4,096 bytes, whose checksum is made right; bytes behind it choose the type of checksum and
 * what is expected (none: only what the block says of itself). Of what is accepted every byte that it points to is read.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xx/btrfs_block.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	NODESIZE = 4096
};

/* What is expected: what the block says, but for what the bits of @choice turn off or make wrong. */
static struct xx_btrfs_expect expected(const struct btrfs_header *header, unsigned choice)
{
	struct xx_btrfs_expect expect = {
		.logical = le64_get(header->bytenr),
		.generation = choice & 1 ? 0 : le64_get(header->generation),
		.owner = choice & 2 ? BTRFS_FS_TREE_OBJECTID : le64_get(header->owner),
		.level = choice & 4 ? -1 : header->level,
	};

	if (choice & 8) {
		expect.has_first_key = true;
		expect.first_key = xx_btrfs_key_get(&xx_btrfs_leaf_items(header)[0].key);
	}
	return expect;
}

static void walk_leaf(const uint8_t *block, uint32_t count)
{
	volatile uint8_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *item = xx_btrfs_item_data(block, i);
		const uint32_t length = le32_get(xx_btrfs_leaf_items(block)[i].size);

		assert(item >= block + sizeof(struct btrfs_header) + count * sizeof(struct btrfs_item));
		assert(length <= NODESIZE && item + length <= block + NODESIZE);
		for (uint32_t b = 0; b < length; b++)
			sum = (uint8_t)(sum + item[b]);
	}
}

static void walk_node(const uint8_t *block, uint32_t count)
{
	assert(count > 0);
	for (uint32_t i = 0; i < count; i++) {
		assert(le64_get(xx_btrfs_node_ptrs(block)[i].blockptr) % 4096 == 0);
		assert((const uint8_t *)&xx_btrfs_node_ptrs(block)[i + 1] <= block + NODESIZE);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const unsigned choice = size > NODESIZE ? data[NODESIZE] : 0;
	uint8_t *block = calloc(1, NODESIZE);
	struct btrfs_header *header = (struct btrfs_header *)block;
	struct xx_btrfs_identity identity = {
		.csum_type = (enum xx_csum_type)(choice >> 4 & 3),
		.nodesize = NODESIZE,
		.sectorsize = 4096,
		.generation = choice & 0x40 ? UINT64_MAX : 7,
		.has_chunk_tree_uuid = choice & 0x80,
	};
	struct xx_btrfs_block_check check;
	struct xx_btrfs_expect expect;
	int err;

	if (!block)
		abort();
	memcpy(block, data, size < NODESIZE ? size : NODESIZE);
	memset(header->csum, 0, sizeof(header->csum));
	memcpy(identity.fsid, header->fsid, sizeof(identity.fsid));
	if (xx_csum(identity.csum_type, block + BTRFS_CSUM_SIZE, NODESIZE - BTRFS_CSUM_SIZE, header->csum))
		abort();
	expect = expected(header, choice);
	err = xx_btrfs_block_verify(&identity, block, &expect, &check);
	assert(err == check.error && (err != 0) == (check.fault != XX_BTRFS_BLOCK_GOOD));
	assert((err != 0) == (check.text[0] != '\0'));
	if (!err && header->level == 0)
		walk_leaf(block, le32_get(header->nritems));
	else if (!err)
		walk_node(block, le32_get(header->nritems));
	free(block);
	return 0;
}
