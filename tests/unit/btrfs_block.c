/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_block.c - tree blocks that mkfs.btrfs made, and each thing that can be wrong with one.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "btrfs_common.h"

#define CHUNK_ROOT UINT64_C(22024192)
#define FS_ROOT	   UINT64_C(30420992)

static void identity_of(const char *csum, const uint8_t *block, struct xx_btrfs_identity *identity)
{
	struct xx_btrfs_super super;

	data_super(csum, &super);
	xx_btrfs_identity_init(identity, &super, NULL);
	memcpy(identity->fsid, xx_btrfs_header(block)->fsid, sizeof(identity->fsid));
	identity->generation = 7; /* that of the node */
	identity->has_chunk_tree_uuid = true;
	memcpy(identity->chunk_tree_uuid, xx_btrfs_header(block)->chunk_tree_uuid, BTRFS_UUID_SIZE);
}

static struct xx_btrfs_expect leaf_expected(void)
{
	return (struct xx_btrfs_expect){
		.logical = CHUNK_ROOT,
		.generation = 6,
		.owner = BTRFS_CHUNK_TREE_OBJECTID,
		.level = 0,
		.has_first_key = true,
		.first_key = { BTRFS_DEV_ITEMS_OBJECTID, BTRFS_DEV_ITEM_KEY, 1 },
	};
}

Test(btrfs_block, real_leaves_of_each_checksum)
{
	for (unsigned i = 0; i < 4; i++) {
		uint8_t block[DATA_BLOCK];
		char name[32];
		struct xx_btrfs_identity identity;
		struct xx_btrfs_block_check check;
		const struct xx_btrfs_expect expect = leaf_expected();

		snprintf(name, sizeof(name), "leaf_%s", data_csums[i]);
		data_read("block", name, block);
		identity_of(data_csums[i], block, &identity);
		cr_assert_eq(xx_btrfs_block_verify(&identity, block, &expect, &check), 0, "%s: %s", name, check.text);
		cr_assert_eq(check.fault, XX_BTRFS_BLOCK_GOOD);
		cr_assert_eq(le32_get(xx_btrfs_header(block)->nritems), 4u);
		cr_assert_eq(le32_get(xx_btrfs_leaf_items(block)[0].size), sizeof(struct btrfs_dev_item));
		block[4000] ^= 1;
		cr_assert_eq(xx_btrfs_block_verify(&identity, block, &expect, &check), -EBADMSG);
		cr_assert_eq(check.fault, XX_BTRFS_BLOCK_CSUM);
	}
}

Test(btrfs_block, a_real_node)
{
	uint8_t block[DATA_BLOCK];
	struct xx_btrfs_identity identity;
	struct xx_btrfs_block_check check;
	const struct xx_btrfs_expect expect = { .logical = FS_ROOT, .owner = 5, .level = 1 };

	data_read("block", "node_crc32c", block);
	identity_of("crc32c", block, &identity);
	cr_assert_eq(xx_btrfs_block_verify(&identity, block, &expect, &check), 0, "%s", check.text);
	cr_assert_eq(le32_get(xx_btrfs_header(block)->nritems), 15u);
	cr_assert_eq(le64_get(xx_btrfs_node_ptrs(block)[0].key.objectid), 256u);
}

/* What is changed in a good block, whose checksum is then made right. */
static const struct wrong {
	const char *name;
	bool node;
	size_t offset;
	unsigned width;
	uint64_t value;
	enum xx_btrfs_block_fault fault;
} wrongs[] = {
	{ "bytenr", false, 48, 8, 4096, XX_BTRFS_BLOCK_BYTENR },
	{ "fsid", false, 32, 8, 0, XX_BTRFS_BLOCK_FSID },
	{ "chunk uuid", false, 64, 8, 0, XX_BTRFS_BLOCK_CHUNK_UUID },
	{ "older", false, 80, 8, 5, XX_BTRFS_BLOCK_GENERATION },
	{ "newer", false, 80, 8, 7, XX_BTRFS_BLOCK_GENERATION },
	{ "owner", false, 88, 8, 1, XX_BTRFS_BLOCK_OWNER },
	{ "a subvolume's owner", false, 88, 8, 257, XX_BTRFS_BLOCK_OWNER },
	{ "level", false, 100, 1, 1, XX_BTRFS_BLOCK_LEVEL },
	{ "level 8", true, 100, 1, 8, XX_BTRFS_BLOCK_LEVEL },
	{ "many items", false, 96, 4, 160, XX_BTRFS_BLOCK_NRITEMS },
	{ "too many items for the data", false, 96, 4, 159, XX_BTRFS_BLOCK_KEY_ORDER },
	{ "billions of items", false, 96, 4, UINT32_MAX, XX_BTRFS_BLOCK_NRITEMS },
	{ "no items", false, 96, 4, 0, XX_BTRFS_BLOCK_FIRST_KEY },
	{ "a node without pointers", true, 96, 4, 0, XX_BTRFS_BLOCK_NRITEMS },
	{ "first key", false, 101, 8, 0, XX_BTRFS_BLOCK_FIRST_KEY },
	{ "key order", false, 101 + 25, 8, 0, XX_BTRFS_BLOCK_KEY_ORDER },
	{ "a key lower than the first", true, 101 + 33, 8, 0, XX_BTRFS_BLOCK_KEY_ORDER },
	{ "item beyond the leaf", false, 101 + 17, 4, 3995, XX_BTRFS_BLOCK_ITEM_BOUNDS },
	{ "item far beyond", false, 101 + 17, 4, UINT32_MAX, XX_BTRFS_BLOCK_ITEM_BOUNDS },
	{ "item too long", false, 101 + 21, 4, UINT32_MAX, XX_BTRFS_BLOCK_ITEM_BOUNDS },
	{ "a gap", false, 101 + 25 + 21, 4, 1, XX_BTRFS_BLOCK_ITEM_BOUNDS },
	{ "pointer to 0", true, 101 + 17, 8, 0, XX_BTRFS_BLOCK_POINTER },
	{ "pointer between sectors", true, 101 + 17, 8, 4097, XX_BTRFS_BLOCK_POINTER },
	{ "pointer beyond all", true, 101 + 17, 8, UINT64_C(1) << 63, XX_BTRFS_BLOCK_POINTER },
	{ "pointer to the future", true, 101 + 25, 8, 1000, XX_BTRFS_BLOCK_POINTER },
};

Test(btrfs_block, each_fault_with_a_right_checksum)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(wrongs); i++) {
		const struct wrong *wrong = &wrongs[i];
		struct xx_btrfs_expect expect = leaf_expected();
		struct xx_btrfs_identity identity;
		struct xx_btrfs_block_check check;
		uint8_t block[DATA_BLOCK];

		if (wrong->node)
			expect = (struct xx_btrfs_expect){ .logical = FS_ROOT, .owner = 5, .level = -1 };
		data_read("block", wrong->node ? "node_crc32c" : "leaf_crc32c", block);
		identity_of("crc32c", block, &identity);
		for (unsigned b = 0; b < wrong->width; b++)
			block[wrong->offset + b] = (uint8_t)(wrong->value >> (8 * b));
		data_stamp(XX_CSUM_CRC32C, block, sizeof(block));
		cr_expect_eq(xx_btrfs_block_verify(&identity, block, &expect, &check), -EUCLEAN, "%s", wrong->name);
		cr_expect_eq(check.fault, wrong->fault, "%s: %d, %s", wrong->name, (int)check.fault, check.text);
		cr_expect_neq(check.text[0], '\0');
	}
}

Test(btrfs_block, what_is_not_known_is_not_checked)
{
	const struct xx_btrfs_expect expect = { .logical = CHUNK_ROOT, .level = -1 };
	struct xx_btrfs_identity identity;
	struct xx_btrfs_block_check check;
	uint8_t block[DATA_BLOCK];
	struct btrfs_header *header = (struct btrfs_header *)block;

	data_read("block", "leaf_crc32c", block);
	identity_of("crc32c", block, &identity);
	identity.has_chunk_tree_uuid = false;
	header->generation = le64_make(2);
	header->owner = le64_make(1000);
	memset(header->chunk_tree_uuid, 1, sizeof(header->chunk_tree_uuid));
	data_stamp(XX_CSUM_CRC32C, block, sizeof(block));
	cr_assert_eq(xx_btrfs_block_verify(&identity, block, &expect, &check), 0, "%s", check.text);
}

Test(btrfs_block, who_may_own_a_block)
{
	static const struct {
		uint64_t tree, owner;
		bool fits;
	} owners[] = {
		{ 5, 5, true },
		{ 5, 256, true }, /* of a snapshot's origin */
		{ 300, 5, true },
		{ 300, 2, false },
		{ 2, 300, false },
		{ 7, 2, false },
		{ BTRFS_TREE_LOG_OBJECTID, BTRFS_TREE_LOG_OBJECTID, true },
		{ BTRFS_TREE_RELOC_OBJECTID, 5, true },
		{ BTRFS_DATA_RELOC_TREE_OBJECTID, BTRFS_DATA_RELOC_TREE_OBJECTID, true },
		{ BTRFS_DATA_RELOC_TREE_OBJECTID, 5, false },
		{ 5, UINT64_C(1) << 48 | 256, false }, /* a quota group is no tree */
	};

	for (size_t i = 0; i < XX_ARRAY_SIZE(owners); i++) {
		const struct xx_btrfs_expect expect = { .logical = CHUNK_ROOT, .level = -1, .owner = owners[i].tree };
		struct xx_btrfs_identity identity;
		struct xx_btrfs_block_check check;
		uint8_t block[DATA_BLOCK];

		data_read("block", "leaf_crc32c", block);
		identity_of("crc32c", block, &identity);
		((struct btrfs_header *)block)->owner = le64_make(owners[i].owner);
		data_stamp(XX_CSUM_CRC32C, block, sizeof(block));
		cr_expect_eq(xx_btrfs_block_verify(&identity, block, &expect, &check), owners[i].fits ? 0 : -EUCLEAN,
			     "%zu: %s", i, check.text);
	}
}

Test(btrfs_block, a_log_tree_is_one_generation_ahead)
{
	struct xx_btrfs_super super;
	struct xx_btrfs_identity identity;

	data_super("crc32c", &super);
	xx_btrfs_identity_init(&identity, &super, NULL);
	cr_assert_eq(identity.generation, 6u);
	super.log_root = 4096;
	xx_btrfs_identity_init(&identity, &super, NULL);
	cr_assert_eq(identity.generation, 7u);
}
