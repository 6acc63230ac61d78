/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_super.c - fuzzes the superblock and what hangs on it: the choice among copies and the array of system chunks.
 *
 * The input is a superblock. Its checksum is made right, so that the parser sees the rest; where the input is longer by a
 * byte, it is left as it is. What is accepted is made again for another place, where it must be accepted too.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xx/btrfs_block.h>
#include <xx/btrfs_chunk.h>
#include <xx/btrfs_super.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void stamp(struct btrfs_super_block *block)
{
	const enum xx_csum_type type = (enum xx_csum_type)le16_get(block->csum_type);

	if (!xx_csum_size(type))
		return;
	memset(block->csum, 0, sizeof(block->csum));
	if (xx_csum(type, (uint8_t *)block + BTRFS_CSUM_SIZE, sizeof(*block) - BTRFS_CSUM_SIZE, block->csum))
		abort();
}

/* The copy for another place must be good, but for what a superblock cannot say of itself. */
static void make_again(const struct xx_btrfs_super *super)
{
	struct xx_btrfs_supers *supers = calloc(1, sizeof(*supers));
	struct btrfs_super_block block;

	assert(supers);
	supers->count = BTRFS_SUPER_MIRROR_MAX;
	for (unsigned i = 0; i < BTRFS_SUPER_MIRROR_MAX; i++) {
		const uint64_t offset = xx_btrfs_super_offset(i);

		if (xx_btrfs_super_make(super, offset, &block) ||
		    xx_btrfs_super_parse(&block, offset, &supers->super[i], &supers->check[i]))
			abort();
	}
	xx_btrfs_supers_choose(supers);
	assert(supers->best == 0);
	free(supers);
}

static void system_chunks(const struct xx_btrfs_super *super)
{
	struct xx_btrfs_chunk_map *map;
	struct xx_btrfs_chunk_check check;
	struct xx_btrfs_identity identity;
	int err;

	if (xx_btrfs_chunk_map_create(super, &map))
		abort();
	err = xx_btrfs_chunk_map_add_system(map, super, &check);
	assert(err == check.error && (err != 0) == (check.text[0] != '\0'));
	xx_btrfs_identity_init(&identity, super, NULL);
	assert(identity.nodesize >= BTRFS_MIN_SECTORSIZE && identity.nodesize <= BTRFS_MAX_METADATA_BLOCKSIZE);
	xx_btrfs_chunk_map_destroy(map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct btrfs_super_block block = { .flags = { { 0 } } };
	struct xx_btrfs_super_check check;
	struct xx_btrfs_super super;
	char uuid[XX_BTRFS_UUID_TEXT];
	int err;

	memcpy(&block, data, size < sizeof(block) ? size : sizeof(block));
	if (size <= sizeof(block))
		stamp(&block);
	err = xx_btrfs_super_parse(&block, le64_get(block.bytenr), &super, &check);
	assert(err == check.error && (err != 0) == (check.fault != XX_BTRFS_SUPER_GOOD));
	assert((err != 0) == (check.text[0] != '\0'));
	if (err)
		return 0;
	xx_btrfs_uuid_text(super.fsid, uuid);
	assert(strlen(uuid) == sizeof(uuid) - 1);
	make_again(&super);
	system_chunks(&super);
	return 0;
}
