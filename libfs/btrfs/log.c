/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.c - what the tree log holds: extents, tree blocks and sums that no other tree may know of.
 *
 * The log is a tree of roots of its own, owned by tree -6, with one root item for each subvolume: key (-6, ROOT_ITEM,
 * subvolume). Its blocks have no extent items, and its data extents may have none. Source: fs/btrfs/tree-log.c, the head
 * comment and btrfs_recover_log_trees(); disk-io.c, btrfs_replay_log() for the generation of its root.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "btrfs/fs.h"

struct log_load {
	struct xx_btrfs_fs *fs;
	struct xx_btrfs_log *log;
	size_t root_room, extent_room, block_room, sum_room;
	xx_btrfs_lost_fn lost;
	void *private;
	int error; /* from within a callback */

	struct xx_btrfs_iter *iter; /* over the log */
	struct xx_btrfs_iter *other; /* over the subvolume, for inodes that the log does not have */
	uint64_t seen[BTRFS_MAX_LEVEL]; /* the blocks that the iterator stood on last */
	uint64_t subvolume; /* whose log is being read */
	bool has_inode;
	uint64_t inode; /* the one that was met last */
	bool nodatasum;
};

/* --- Blocks --- */

static int add_block(struct log_load *load, uint64_t logical, uint64_t generation, uint8_t level)
{
	struct xx_btrfs_log *log = load->log;
	int ret = xx_btrfs_grow(&log->blocks, log->block_count, &load->block_room, sizeof(*log->blocks));

	if (ret)
		return ret;
	log->blocks[log->block_count++] = (struct xx_btrfs_log_block){ logical, generation, level };
	return 0;
}

/* A dead block is one of the log all the same. */
static void block_lost(void *private, const struct xx_btrfs_lost *lost)
{
	struct log_load *load = private;

	if (add_block(load, lost->logical, lost->generation, lost->level) != 0)
		load->error = -ENOMEM;
	if (load->lost)
		load->lost(load->private, lost);
}

/* Those that the iterator stands on now, and did not at the item before. */
static int add_path(struct log_load *load)
{
	for (uint8_t level = 0; level < BTRFS_MAX_LEVEL; level++) {
		const uint64_t logical = xx_btrfs_iter_block(load->iter, level);
		int ret;

		if (logical == 0 || logical == load->seen[level])
			continue;
		load->seen[level] = logical;
		ret = add_block(load, logical, xx_btrfs_iter_generation(load->iter, level), level);
		if (ret)
			return ret;
	}
	return 0;
}

/* --- Items of a subvolume's log --- */

static int inode_is_nodatasum(struct log_load *load, uint64_t inode, bool *out)
{
	struct xx_btrfs_root_info info;
	struct xx_btrfs_inode found;
	int ret;

	*out = false;
	if (load->has_inode && load->inode == inode) {
		*out = load->nodatasum;
		return 0;
	}
	ret = xx_btrfs_fs_root(load->fs, load->subvolume, &info);
	if (ret == 0)
		ret = xx_btrfs_inode_find(load->other, &info.root, inode, &found);
	if (ret == 0)
		*out = found.nodatasum;
	return ret == -ENOMEM ? ret : 0;
}

static void take_inode(struct log_load *load, const struct xx_btrfs_item *item)
{
	struct xx_btrfs_inode inode;

	load->has_inode = xx_btrfs_inode_parse(item, &inode) == 0;
	load->inode = item->key.objectid;
	load->nodatasum = load->has_inode && inode.nodatasum;
}

static int take_extent(struct log_load *load, const struct xx_btrfs_item *item)
{
	struct xx_btrfs_log *log = load->log;
	struct xx_btrfs_log_extent extent = { .subvolume = load->subvolume, .inode = item->key.objectid };
	int ret;

	if (xx_btrfs_file_extent_parse(item, &extent.file) != 0 || extent.file.type == BTRFS_FILE_EXTENT_INLINE ||
	    extent.file.disk_bytenr == 0 || extent.file.disk_num_bytes == 0)
		return 0;
	extent.logical = extent.file.disk_bytenr;
	extent.length = extent.file.disk_num_bytes;
	ret = inode_is_nodatasum(load, extent.inode, &extent.nodatasum);
	if (ret == 0)
		ret = xx_btrfs_grow(&log->extents, log->extent_count, &load->extent_room, sizeof(*log->extents));
	if (ret)
		return ret;
	log->extents[log->extent_count++] = extent;
	if (extent.length > log->longest)
		log->longest = extent.length;
	return 0;
}

static int take_sums(struct log_load *load, const struct xx_btrfs_item *item)
{
	const struct xx_btrfs_params *params = xx_btrfs_fs_params(load->fs);
	struct xx_btrfs_log *log = load->log;
	struct xx_btrfs_sum_item sums;
	uint8_t *copy;
	int ret;

	if (xx_btrfs_sum_item_parse(item, params->sectorsize, params->sum_size, &sums) != 0)
		return 0;
	ret = xx_btrfs_grow(&log->sums, log->sum_count, &load->sum_room, sizeof(*log->sums));
	if (ret)
		return ret;
	copy = malloc(item->size);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, sums.sums, item->size);
	log->sums[log->sum_count++] = (struct xx_btrfs_log_sums){ sums.logical, sums.count, copy };
	return 0;
}

static int take_item(struct log_load *load, const struct xx_btrfs_item *item)
{
	switch (item->key.type) {
	case BTRFS_INODE_ITEM_KEY:
		take_inode(load, item);
		return 0;
	case BTRFS_EXTENT_DATA_KEY:
		return take_extent(load, item);
	case BTRFS_EXTENT_CSUM_KEY:
		return take_sums(load, item);
	default:
		return 0;
	}
}

/* --- The trees --- */

/* Walk over one tree of the log. */
static int walk(struct log_load *load, const struct xx_btrfs_root *root,
		int (*take)(struct log_load *load, const struct xx_btrfs_item *item))
{
	const uint64_t dead = xx_btrfs_iter_lost(load->iter);
	struct xx_btrfs_item item;
	bool any = false;
	int ret;

	memset(load->seen, 0, sizeof(load->seen));
	xx_btrfs_iter_seek(load->iter, root, &XX_BTRFS_KEY_MIN, &XX_BTRFS_KEY_MAX);
	while ((ret = xx_btrfs_iter_next(load->iter, &item)) > 0) {
		any = true;
		ret = add_path(load) ?: take(load, &item);
		if (ret)
			return ret;
	}
	if (ret == 0 && !any && xx_btrfs_iter_lost(load->iter) == dead)
		ret = add_block(load, root->bytenr, root->generation, root->level);
	return ret ?: load->error;
}

static int take_root(struct log_load *load, const struct xx_btrfs_item *item)
{
	struct xx_btrfs_log *log = load->log;
	struct xx_btrfs_root_info info;
	int ret;

	if (item->key.objectid != BTRFS_TREE_LOG_OBJECTID || item->key.type != BTRFS_ROOT_ITEM_KEY ||
	    xx_btrfs_root_item_parse(item, &info) != 0 || info.root.bytenr == 0)
		return 0;
	ret = xx_btrfs_grow(&log->roots, log->root_count, &load->root_room, sizeof(*log->roots));
	if (ret)
		return ret;
	info.root.id = item->key.offset;
	info.root.owner = BTRFS_TREE_LOG_OBJECTID;
	log->roots[log->root_count++] = info.root;
	return 0;
}

static int read_trees(struct log_load *load)
{
	const struct xx_btrfs_params *params = xx_btrfs_fs_params(load->fs);
	const struct xx_btrfs_root root = {
		.id = BTRFS_TREE_LOG_OBJECTID,
		.bytenr = params->log_root,
		.generation = params->generation + 1,
		.level = params->log_root_level,
		.owner = BTRFS_TREE_LOG_OBJECTID,
	};
	int ret = walk(load, &root, take_root);

	for (size_t i = 0; ret == 0 && i < load->log->root_count; i++) {
		load->subvolume = load->log->roots[i].id;
		load->has_inode = false;
		ret = walk(load, &load->log->roots[i], take_item);
	}
	return ret;
}

/* --- Order, and access --- */

static int by_extent(const void *a, const void *b)
{
	const struct xx_btrfs_log_extent *left = a, *right = b;

	return left->logical < right->logical ? -1 : left->logical > right->logical;
}

static int by_block(const void *a, const void *b)
{
	const struct xx_btrfs_log_block *left = a, *right = b;

	return left->logical < right->logical ? -1 : left->logical > right->logical;
}

static int by_sums(const void *a, const void *b)
{
	const struct xx_btrfs_log_sums *left = a, *right = b;

	return left->logical < right->logical ? -1 : left->logical > right->logical;
}

static void sort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	if (count > 1)
		qsort(array, count, size, compare);
}

int xx_btrfs_log_load(struct xx_btrfs_fs *fs, xx_btrfs_lost_fn lost, void *private, struct xx_btrfs_log **out)
{
	struct log_load load = { .fs = fs, .lost = lost, .private = private };
	struct xx_btrfs_log *log = load.log = calloc(1, sizeof(*log));
	int ret = 0;

	if (!log)
		return -ENOMEM;
	if (xx_btrfs_fs_params(fs)->log_root != 0) {
		ret = xx_btrfs_iter_create(xx_btrfs_fs_reader(fs), block_lost, &load, &load.iter);
		if (ret == 0)
			ret = xx_btrfs_iter_create(xx_btrfs_fs_reader(fs), NULL, NULL, &load.other);
		if (ret == 0)
			ret = read_trees(&load);
		xx_btrfs_iter_destroy(load.iter);
		xx_btrfs_iter_destroy(load.other);
	}
	if (ret) {
		xx_btrfs_log_destroy(log);
		return ret;
	}
	sort(log->extents, log->extent_count, sizeof(*log->extents), by_extent);
	sort(log->blocks, log->block_count, sizeof(*log->blocks), by_block);
	sort(log->sums, log->sum_count, sizeof(*log->sums), by_sums);
	*out = log;
	return 0;
}

void xx_btrfs_log_destroy(struct xx_btrfs_log *log)
{
	if (!log)
		return;
	for (size_t i = 0; i < log->sum_count; i++)
		free(log->sums[i].sums);
	free(log->sums);
	free(log->blocks);
	free(log->extents);
	free(log->roots);
	free(log);
}

const struct xx_btrfs_root *xx_btrfs_log_root(const struct xx_btrfs_log *log, uint64_t subvolume)
{
	for (size_t i = 0; i < log->root_count; i++) {
		if (log->roots[i].id == subvolume)
			return &log->roots[i];
	}
	return NULL;
}

const struct xx_btrfs_log_extent *xx_btrfs_log_extents(const struct xx_btrfs_log *log, size_t *count)
{
	*count = log->extent_count;
	return log->extents;
}

const struct xx_btrfs_log_block *xx_btrfs_log_blocks(const struct xx_btrfs_log *log, size_t *count)
{
	*count = log->block_count;
	return log->blocks;
}

size_t xx_btrfs_log_extent_from(const struct xx_btrfs_log *log, uint64_t logical)
{
	const uint64_t from = logical > log->longest ? logical - log->longest : 0;
	size_t low = 0, high = log->extent_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (log->extents[middle].logical < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
