/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.c - from a volume to its chunk map, and to its trees.
 */
#include <errno.h>
#include <string.h>

#include <xx/btrfs_fs.h>
#include <xx/context.h>

struct chunk_load {
	struct xx_ctx *ctx;
	struct xx_btrfs_volume *volume;
	struct xx_btrfs_chunk_map *map;
	xx_btrfs_lost_fn lost;
	void *private;
};

static struct xx_btrfs_root chunk_root(const struct xx_btrfs_super *super)
{
	return (struct xx_btrfs_root){
		.id = BTRFS_CHUNK_TREE_OBJECTID,
		.bytenr = super->chunk_root,
		.generation = super->chunk_root_generation,
		.level = super->chunk_root_level,
		.owner = BTRFS_CHUNK_TREE_OBJECTID,
	};
}

static void chunks_lost(void *private, const struct xx_btrfs_lost *lost)
{
	const struct chunk_load *load = private;

	xx_warn(load->ctx, "A block of the chunk tree, at logical address %llu, cannot be read: chunks may be missing.",
		(unsigned long long)lost->logical);
	if (load->lost)
		load->lost(load->private, lost);
}

static int add_item(struct chunk_load *load, const struct xx_btrfs_item *item)
{
	struct xx_btrfs_chunk_check check;
	int ret;

	if (item->key.type == BTRFS_DEV_ITEM_KEY && item->key.objectid == BTRFS_DEV_ITEMS_OBJECTID)
		return xx_btrfs_volume_add_item(load->volume, item->key.offset, item->data, item->size);
	if (item->key.type != BTRFS_CHUNK_ITEM_KEY || item->key.objectid != BTRFS_FIRST_CHUNK_TREE_OBJECTID)
		return 0;
	ret = xx_btrfs_chunk_map_add(load->map, item->key.offset, item->data, item->size, &check);
	if (ret)
		xx_error(load->ctx, "The chunk tree is damaged: %s.", check.text);
	return ret;
}

static int read_tree(struct chunk_load *load, struct xx_btrfs_reader *reader, const struct xx_btrfs_root *root)
{
	struct xx_btrfs_iter *iter;
	struct xx_btrfs_item item;
	int ret = xx_btrfs_iter_create(reader, chunks_lost, load, &iter);

	if (ret)
		return ret;
	xx_btrfs_iter_seek(iter, root, &XX_BTRFS_KEY_MIN, &XX_BTRFS_KEY_MAX);
	while ((ret = xx_btrfs_iter_next(iter, &item)) > 0) {
		ret = add_item(load, &item);
		if (ret)
			break;
	}
	xx_btrfs_iter_destroy(iter);
	return ret;
}

/* The root block itself: without it there is no file system, and it tells the UUID that all blocks carry. */
static int read_root(struct chunk_load *load, struct xx_btrfs_reader *reader, const struct xx_btrfs_root *root,
		     struct xx_btrfs_identity *identity)
{
	const struct xx_btrfs_expect expect = {
		.logical = root->bytenr,
		.generation = root->generation,
		.owner = root->owner,
		.level = root->level,
	};
	struct xx_btrfs_block *block;
	const struct btrfs_header *header;
	int ret = xx_btrfs_reader_get(reader, &expect, &block);

	if (ret) {
		xx_error(load->ctx, "No good copy of the root of the chunk tree, at logical address %llu: %s.",
			 (unsigned long long)root->bytenr, strerror(-ret));
		return ret;
	}
	header = xx_btrfs_block_data(block);
	memcpy(identity->chunk_tree_uuid, header->chunk_tree_uuid, sizeof(identity->chunk_tree_uuid));
	identity->has_chunk_tree_uuid = true;
	xx_btrfs_reader_put(reader, block);
	return 0;
}

static int load_tree(struct chunk_load *load, struct xx_btrfs_medium *medium)
{
	const struct xx_btrfs_root root = chunk_root(xx_btrfs_volume_super(load->volume));
	struct xx_btrfs_fetcher fetcher;
	struct xx_btrfs_reader *reader;
	int ret;

	xx_btrfs_fetcher_init(&fetcher, medium);
	ret = xx_btrfs_reader_create(&fetcher, 0, &reader);
	if (ret)
		return ret;
	ret = read_root(load, reader, &root, &medium->identity);
	if (ret == 0)
		ret = read_tree(load, reader, &root);
	xx_btrfs_reader_destroy(reader);
	return ret;
}

static int fill_map(struct chunk_load *load, struct xx_btrfs_medium *medium)
{
	struct xx_btrfs_chunk_check check;
	int ret = xx_btrfs_chunk_map_add_system(load->map, xx_btrfs_volume_super(load->volume), &check);

	if (ret) {
		xx_error(load->ctx, "The superblock's array of system chunks is damaged: %s.", check.text);
		return ret;
	}
	ret = load_tree(load, medium);
	if (ret)
		return ret;
	ret = xx_btrfs_chunk_map_seal(load->map, &check);
	if (ret) {
		xx_error(load->ctx, "The chunk tree is damaged: %s.", check.text);
		return ret;
	}
	return xx_btrfs_volume_settle(load->volume, load->map);
}

int xx_btrfs_load_chunks(struct xx_ctx *ctx, struct xx_ring *ring, struct xx_btrfs_volume *volume,
			 xx_btrfs_lost_fn lost, void *private, struct xx_btrfs_medium *medium,
			 struct xx_btrfs_chunk_map **map)
{
	const struct xx_btrfs_super *super = xx_btrfs_volume_super(volume);
	struct chunk_load load = { .ctx = ctx, .volume = volume, .lost = lost, .private = private };
	int ret = xx_btrfs_chunk_map_create(super, &load.map);

	if (ret)
		return ret;
	*medium = (struct xx_btrfs_medium){ .map = load.map, .volume = volume, .ring = ring };
	xx_btrfs_identity_init(&medium->identity, super, volume);
	ret = fill_map(&load, medium);
	if (ret) {
		xx_btrfs_chunk_map_destroy(load.map);
		medium->map = NULL;
		return ret;
	}
	*map = load.map;
	return 0;
}

int xx_btrfs_fs_open(struct xx_ctx *ctx, const struct xx_btrfs_medium *medium, size_t budget, xx_btrfs_lost_fn lost,
		     void *private, struct xx_btrfs_fs **out)
{
	const struct xx_btrfs_super *super = xx_btrfs_volume_super(medium->volume);
	const struct xx_btrfs_params params = {
		.sectorsize = super->sectorsize,
		.nodesize = super->nodesize,
		.sum_size = super->csum_size,
		.generation = super->generation,
		.root = super->root,
		.chunk_root = super->chunk_root,
		.log_root = super->log_root,
		.chunk_root_generation = super->chunk_root_generation,
		.root_level = super->root_level,
		.chunk_root_level = super->chunk_root_level,
		.log_root_level = super->log_root_level,
		.block_group_tree = super->compat_ro & BTRFS_FEATURE_COMPAT_RO_BLOCK_GROUP_TREE,
	};
	struct xx_btrfs_fetcher fetcher;

	xx_btrfs_fetcher_init(&fetcher, medium);
	return xx_btrfs_fs_create(ctx, &params, &fetcher, budget, lost, private, out);
}
