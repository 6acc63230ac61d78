/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fs.c - the trees of a file system, found in the tree of roots and remembered.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xx/context.h>

#include "btrfs/fs.h"

struct known_root {
	uint64_t id;
	int result;
	struct xx_btrfs_root_info info;
};

struct xx_btrfs_fs {
	struct xx_btrfs_params params;
	struct xx_btrfs_reader *reader;
	struct xx_btrfs_iter *iter; /* over the tree of roots */
	struct xx_btrfs_log *log;
	struct known_root *known; /* in the order of ids */
	size_t known_count, known_room;
};

int xx_btrfs_grow(void *array, size_t count, size_t *room, size_t size)
{
	const size_t wanted = *room ? *room * 2 : 16;
	void *memory;

	if (count < *room)
		return 0;
	memcpy(&memory, array, sizeof(memory));
	memory = reallocarray(memory, wanted, size);
	if (!memory)
		return -ENOMEM;
	memcpy(array, &memory, sizeof(memory));
	*room = wanted;
	return 0;
}

/* --- Roots --- */

static struct xx_btrfs_root root_of_roots(const struct xx_btrfs_params *params)
{
	return (struct xx_btrfs_root){
		.id = BTRFS_ROOT_TREE_OBJECTID,
		.bytenr = params->root,
		.generation = params->generation,
		.level = params->root_level,
		.owner = BTRFS_ROOT_TREE_OBJECTID,
	};
}

static struct xx_btrfs_root root_of_chunks(const struct xx_btrfs_params *params)
{
	return (struct xx_btrfs_root){
		.id = BTRFS_CHUNK_TREE_OBJECTID,
		.bytenr = params->chunk_root,
		.generation = params->chunk_root_generation,
		.level = params->chunk_root_level,
		.owner = BTRFS_CHUNK_TREE_OBJECTID,
	};
}

/* The root item of a tree; of several the last, as the kernel does. */
static int find_root(struct xx_btrfs_fs *fs, uint64_t id, struct xx_btrfs_root_info *out)
{
	const struct xx_btrfs_root root = root_of_roots(&fs->params);
	const struct xx_btrfs_key first = { id, BTRFS_ROOT_ITEM_KEY, 0 };
	const struct xx_btrfs_key last = { id, BTRFS_ROOT_ITEM_KEY, UINT64_MAX };
	const uint64_t dead = xx_btrfs_iter_lost(fs->iter);
	struct xx_btrfs_item item;
	int found = -ENOENT, ret;

	xx_btrfs_iter_seek(fs->iter, &root, &first, &last);
	while ((ret = xx_btrfs_iter_next(fs->iter, &item)) > 0)
		found = xx_btrfs_root_item_parse(&item, out);
	if (ret < 0)
		return ret;
	return found == -ENOENT && xx_btrfs_iter_lost(fs->iter) != dead ? -EIO : found;
}

static size_t known_slot(const struct xx_btrfs_fs *fs, uint64_t id)
{
	size_t low = 0, high = fs->known_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (fs->known[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int remember(struct xx_btrfs_fs *fs, size_t slot, const struct known_root *root)
{
	int ret = xx_btrfs_grow(&fs->known, fs->known_count, &fs->known_room, sizeof(*fs->known));

	if (ret)
		return ret;
	memmove(&fs->known[slot + 1], &fs->known[slot], (fs->known_count - slot) * sizeof(*fs->known));
	fs->known[slot] = *root;
	fs->known_count++;
	return 0;
}

int xx_btrfs_fs_root(struct xx_btrfs_fs *fs, uint64_t id, struct xx_btrfs_root_info *out)
{
	const size_t slot = known_slot(fs, id);
	struct known_root root = { .id = id };
	int ret;

	if (slot < fs->known_count && fs->known[slot].id == id) {
		*out = fs->known[slot].info;
		return fs->known[slot].result;
	}
	if (id == BTRFS_ROOT_TREE_OBJECTID)
		root.info = (struct xx_btrfs_root_info){ .root = root_of_roots(&fs->params), .refs = 1 };
	else if (id == BTRFS_CHUNK_TREE_OBJECTID)
		root.info = (struct xx_btrfs_root_info){ .root = root_of_chunks(&fs->params), .refs = 1 };
	else
		root.result = find_root(fs, id, &root.info);
	if (root.result == -ENOMEM)
		return -ENOMEM;
	ret = remember(fs, slot, &root);
	if (ret)
		return ret;
	*out = root.info;
	return root.result;
}

/* --- The file system --- */

const struct xx_btrfs_params *xx_btrfs_fs_params(const struct xx_btrfs_fs *fs)
{
	return &fs->params;
}

struct xx_btrfs_reader *xx_btrfs_fs_reader(const struct xx_btrfs_fs *fs)
{
	return fs->reader;
}

const struct xx_btrfs_log *xx_btrfs_fs_log(const struct xx_btrfs_fs *fs)
{
	return fs->log;
}

static bool params_fit(const struct xx_btrfs_params *params)
{
	return params->sectorsize >= BTRFS_MIN_SECTORSIZE && params->sectorsize <= BTRFS_MAX_METADATA_BLOCKSIZE &&
	       (params->sectorsize & (params->sectorsize - 1)) == 0 && params->sum_size > 0 &&
	       params->sum_size <= BTRFS_CSUM_SIZE;
}

/* The root block of the tree of roots must be there. */
static int check_root(struct xx_ctx *ctx, struct xx_btrfs_fs *fs)
{
	const struct xx_btrfs_root root = root_of_roots(&fs->params);
	const struct xx_btrfs_expect expect = {
		.logical = root.bytenr,
		.generation = root.generation,
		.owner = root.owner,
		.level = root.level,
	};
	struct xx_btrfs_block *block;
	int ret = xx_btrfs_reader_get(fs->reader, &expect, &block);

	if (ret) {
		xx_error(ctx, "No good copy of the root of all trees, at logical address %llu: %s.",
			 (unsigned long long)root.bytenr, strerror(-ret));
		return ret;
	}
	xx_btrfs_reader_put(fs->reader, block);
	return 0;
}

int xx_btrfs_fs_create(struct xx_ctx *ctx, const struct xx_btrfs_params *params, const struct xx_btrfs_fetcher *fetcher,
		       size_t budget, xx_btrfs_lost_fn lost, void *private, struct xx_btrfs_fs **out)
{
	struct xx_btrfs_fs *fs;
	int ret;

	if (!params_fit(params) || params->nodesize != fetcher->nodesize)
		return -EINVAL;
	fs = calloc(1, sizeof(*fs));
	if (!fs)
		return -ENOMEM;
	fs->params = *params;
	ret = xx_btrfs_reader_create(fetcher, budget, &fs->reader);
	if (ret == 0)
		ret = xx_btrfs_iter_create(fs->reader, lost, private, &fs->iter);
	if (ret == 0)
		ret = check_root(ctx, fs);
	if (ret == 0)
		ret = xx_btrfs_log_load(fs, lost, private, &fs->log);
	if (ret) {
		xx_btrfs_fs_destroy(fs);
		return ret;
	}
	*out = fs;
	return 0;
}

void xx_btrfs_fs_destroy(struct xx_btrfs_fs *fs)
{
	if (!fs)
		return;
	xx_btrfs_log_destroy(fs->log);
	xx_btrfs_iter_destroy(fs->iter);
	xx_btrfs_reader_destroy(fs->reader);
	free(fs->known);
	free(fs);
}
