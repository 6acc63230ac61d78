/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_image.c - fuzzes all that reads trees: loading, the log, extents, sums, back references, paths.
 *
 * The input is a superblock and tree blocks of 4,096 bytes, in any order, as `btrfs_tool blocks` writes them. Their
 * checksums are made right; each is found at the address that it names itself.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xx/btrfs_path.h>
#include <xx/btrfs_ref.h>
#include <xx/btrfs_sum.h>
#include <xx/csum.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	BLOCK = 4096,
	BLOCKS_MAX = 64,
	TRIES = 48, /* extents that are resolved */
	SECTORS = 64,
};

#define WINDOW	(UINT64_C(16) << 20)
#define WINDOWS 16

struct image {
	uint8_t *blocks;
	size_t count;
	struct xx_btrfs_identity identity;
	struct xx_btrfs_resolver *resolver;
	struct xx_btrfs_pather *pather;
	struct xx_btrfs_sum_cursor *cursor;
	struct xx_btrfs_sums *sums;
	unsigned tries;
};

static int fetch_one(const struct image *image, struct xx_btrfs_fetch *fetch)
{
	struct xx_btrfs_block_check check;

	for (size_t i = 0; i < image->count; i++) {
		const struct btrfs_header *header = (const void *)(image->blocks + i * BLOCK);

		if (le64_get(header->bytenr) != fetch->expect.logical)
			continue;
		memcpy(fetch->buf, header, BLOCK);
		return xx_btrfs_block_verify(&image->identity, fetch->buf, &fetch->expect, &check);
	}
	return -EIO;
}

static int fetch(void *private, struct xx_btrfs_fetch *fetches, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fetches[i].result = fetch_one(private, &fetches[i]);
	return 0;
}

static void stamp(struct image *image)
{
	for (size_t i = 0; i < image->count; i++) {
		struct btrfs_header *header = (void *)(image->blocks + i * BLOCK);

		memcpy(header->fsid, image->identity.fsid, sizeof(header->fsid));
		if (xx_csum(XX_CSUM_CRC32C, header->fsid, BLOCK - BTRFS_CSUM_SIZE, header->csum) != 0)
			abort();
	}
}

static int path(void *private, const char *subvolume, const char *name)
{
	unsigned *count = private;

	assert(strlen(subvolume) <= 2 * XX_BTRFS_PATH_MAX && strlen(name) <= 2 * XX_BTRFS_PATH_MAX);
	return ++*count > 64;
}

static void resolve_data(struct image *image, const struct xx_btrfs_extent_entry *entry)
{
	enum xx_btrfs_sum_need need[SECTORS];
	struct xx_btrfs_file_list list = { 0 };
	unsigned paths = 0;

	(void)!xx_btrfs_resolve_data(image->resolver, entry->logical, entry->length, &list);
	for (size_t i = 0; i < list.count && i < 8; i++)
		(void)!xx_btrfs_paths(image->pather, list.ranges[i].subvolume, list.ranges[i].inode, path, &paths);
	xx_btrfs_file_list_release(&list);
	(void)!xx_btrfs_resolve_sum_need(image->resolver, entry->logical, SECTORS, need);
	(void)!xx_btrfs_sum_cursor_read(image->cursor, entry->logical, SECTORS, image->sums);
}

static void use_extents(struct image *image, const struct xx_btrfs_extent_list *list)
{
	uint64_t end = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct xx_btrfs_extent_entry *entry = &list->entries[i];
		struct xx_btrfs_tree_list trees = { 0 };

		assert(entry->logical >= end);
		end = entry->logical + entry->length;
		if (image->tries++ > TRIES)
			continue;
		if (entry->tree)
			(void)!xx_btrfs_resolve_tree(image->resolver, entry->logical, &trees);
		else
			resolve_data(image, entry);
		xx_btrfs_tree_list_release(&trees);
	}
}

static void read_all(struct image *image, struct xx_btrfs_fs *fs)
{
	struct xx_btrfs_extent_list list = { 0 };
	struct xx_btrfs_extent_cursor *extents;
	struct xx_btrfs_range range = { 0 };

	if (xx_btrfs_extent_cursor_create(fs, &extents) != 0)
		abort();
	for (uint64_t i = 0; i < WINDOWS; i++) {
		if (xx_btrfs_extent_cursor_read(extents, i * WINDOW, WINDOW, &list) != 0)
			abort();
		use_extents(image, &list);
	}
	xx_btrfs_extent_cursor_destroy(extents);
	xx_btrfs_extent_list_release(&list);
	for (unsigned i = 0; i < 100; i++) {
		const uint64_t from = range.logical + range.length;

		if (xx_btrfs_sum_cursor_find(image->cursor, from, WINDOW, &range) != 1)
			break;
		assert(range.logical >= from && range.length > 0);
	}
}

static int group(void *private, const struct xx_btrfs_block_group *found)
{
	(void)private;
	assert(found->length > 0);
	return 0;
}

static int device_extent(void *private, const struct xx_btrfs_dev_extent *found)
{
	(void)private;
	assert(found->length > 0);
	return 0;
}

static void use(struct image *image, struct xx_btrfs_fs *fs)
{
	if (xx_btrfs_resolver_create(fs, &image->resolver) != 0 || xx_btrfs_pather_create(fs, &image->pather) != 0 ||
	    xx_btrfs_sum_cursor_create(fs, &image->cursor) != 0 || xx_btrfs_sums_create(fs, SECTORS, &image->sums) != 0)
		abort();
	read_all(image, fs);
	(void)!xx_btrfs_block_groups(fs, group, NULL, NULL);
	(void)!xx_btrfs_dev_extents(fs, UINT64_MAX, device_extent, NULL, NULL);
	xx_btrfs_sums_destroy(image->sums);
	xx_btrfs_sum_cursor_destroy(image->cursor);
	xx_btrfs_pather_destroy(image->pather);
	xx_btrfs_resolver_destroy(image->resolver);
}

static struct xx_btrfs_params params_of(const struct btrfs_super_block *super)
{
	return (struct xx_btrfs_params){
		.sectorsize = BLOCK,
		.nodesize = BLOCK,
		.sum_size = 4,
		.generation = le64_get(super->generation),
		.root = le64_get(super->root),
		.chunk_root = le64_get(super->chunk_root),
		.log_root = le64_get(super->log_root),
		.chunk_root_generation = le64_get(super->chunk_root_generation),
		.root_level = super->root_level,
		.chunk_root_level = super->chunk_root_level,
		.log_root_level = super->log_root_level,
		.block_group_tree = le64_get(super->compat_ro_flags) & BTRFS_FEATURE_COMPAT_RO_BLOCK_GROUP_TREE,
	};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct btrfs_super_block super;
	struct image image = { .count = size / BLOCK };
	const struct xx_btrfs_fetcher fetcher = { .nodesize = BLOCK, .fetch = fetch, .private = &image };
	struct xx_btrfs_params params;
	struct xx_btrfs_fs *fs;

	if (image.count < 2 || image.count > BLOCKS_MAX)
		return 0;
	memcpy(&super, data, sizeof(super));
	params = params_of(&super);
	image.count--;
	image.blocks = malloc(image.count * BLOCK);
	if (!image.blocks)
		abort();
	memcpy(image.blocks, data + BLOCK, image.count * BLOCK);
	image.identity = (struct xx_btrfs_identity){
		.csum_type = XX_CSUM_CRC32C,
		.nodesize = BLOCK,
		.sectorsize = BLOCK,
		.generation = params.generation + 1,
	};
	stamp(&image);
	if (xx_btrfs_fs_create(NULL, &params, &fetcher, 0, NULL, NULL, &fs) == 0) {
		use(&image, fs);
		xx_btrfs_fs_destroy(fs);
	}
	free(image.blocks);
	return 0;
}
