/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ref_reach.c - which trees reach a tree block.
 *
 * A block is referred to by a tree (then the way to it leads down from that tree's root, by its first key), or by the
 * address of a parent (a block that is shared since a snapshot was taken). Either way leads to a parent one level up,
 * which other trees may reach too: so it goes up from each parent to the roots. Each step rises one level.
 * Source: fs/btrfs/backref.c, find_parent_nodes(), as a description of what the references mean.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "btrfs/fs.h"
#include "btrfs/ref.h"
#include "btrfs/tree.h"

#define REMEMBERED 4096 /* blocks, before all are forgotten */

static int add_root(struct xx_btrfs_reach *reach, uint64_t root)
{
	size_t slot = 0;
	int ret;

	while (slot < reach->count && reach->roots[slot] < root)
		slot++;
	if (slot < reach->count && reach->roots[slot] == root)
		return 0;
	ret = xx_btrfs_grow(&reach->roots, reach->count, &reach->room, sizeof(*reach->roots));
	if (ret)
		return ret;
	memmove(&reach->roots[slot + 1], &reach->roots[slot], (reach->count - slot) * sizeof(*reach->roots));
	reach->roots[slot] = root;
	reach->count++;
	return 0;
}

/* --- What is remembered --- */

static size_t reach_slot(const struct xx_btrfs_resolver *resolver, uint64_t logical)
{
	size_t low = 0, high = resolver->reach_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (resolver->reach[middle].logical < logical)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct xx_btrfs_reach *remembered(const struct xx_btrfs_resolver *resolver, uint64_t logical)
{
	const size_t slot = reach_slot(resolver, logical);

	if (slot < resolver->reach_count && resolver->reach[slot].logical == logical)
		return &resolver->reach[slot];
	return NULL;
}

static void forget_all(struct xx_btrfs_resolver *resolver)
{
	for (size_t i = 0; i < resolver->reach_count; i++)
		free(resolver->reach[i].roots);
	resolver->reach_count = 0;
}

static int remember(struct xx_btrfs_resolver *resolver, const struct xx_btrfs_reach *reach)
{
	const size_t slot = reach_slot(resolver, reach->logical);
	int ret =
		xx_btrfs_grow(&resolver->reach, resolver->reach_count, &resolver->reach_room, sizeof(*resolver->reach));

	if (ret)
		return ret;
	memmove(&resolver->reach[slot + 1], &resolver->reach[slot],
		(resolver->reach_count - slot) * sizeof(*resolver->reach));
	resolver->reach[slot] = *reach;
	resolver->reach_count++;
	return 0;
}

/* --- Going up --- */

static int climb(struct xx_btrfs_resolver *resolver, uint64_t logical, uint8_t level);

/* All that reaches the parent reaches the block. */
static int add_parent(struct xx_btrfs_resolver *resolver, struct xx_btrfs_reach *reach, uint64_t parent)
{
	const struct xx_btrfs_reach *up;
	int ret;

	if (reach->level + 1 >= BTRFS_MAX_LEVEL) {
		reach->incomplete = true;
		return 0;
	}
	ret = climb(resolver, parent, (uint8_t)(reach->level + 1));
	up = remembered(resolver, parent);
	if (ret || !up) {
		reach->incomplete = true;
		return ret == -ENOMEM ? ret : 0;
	}
	reach->incomplete |= up->incomplete;
	for (size_t i = 0; i < up->count; i++) {
		ret = add_root(reach, up->roots[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static int first_key(struct xx_btrfs_resolver *resolver, const struct xx_btrfs_extent *extent, struct xx_btrfs_key *key)
{
	const struct xx_btrfs_expect expect = {
		.logical = extent->logical,
		.generation = extent->generation,
		.level = extent->level,
	};
	struct xx_btrfs_reader *reader = xx_btrfs_fs_reader(resolver->fs);
	struct xx_btrfs_block *block;
	int ret = xx_btrfs_reader_get(reader, &expect, &block);

	if (ret)
		return ret;
	if (xx_btrfs_block_count(xx_btrfs_block_data(block)) == 0)
		ret = -EUCLEAN;
	else
		*key = xx_btrfs_block_key(xx_btrfs_block_data(block), 0);
	xx_btrfs_reader_put(reader, block);
	return ret;
}

/* One step down from the block that is expected, towards @key: what is expected there. */
static int step_down(struct xx_btrfs_reader *reader, const struct xx_btrfs_key *key, uint64_t owner,
		     struct xx_btrfs_expect *expect)
{
	struct xx_btrfs_block *block;
	const void *node;
	int ret = xx_btrfs_reader_get(reader, expect, &block);

	if (ret)
		return ret;
	node = xx_btrfs_block_data(block);
	if (xx_btrfs_block_count(node) == 0 || xx_btrfs_block_level(node) == 0)
		ret = -EUCLEAN;
	else
		*expect = xx_btrfs_node_want(node, xx_btrfs_block_covering(node, key), owner);
	xx_btrfs_reader_put(reader, block);
	return ret;
}

/* The block above @extent on the way down from a tree's root; 0 in *parent when the way does not lead there. */
static int parent_in_tree(struct xx_btrfs_resolver *resolver, const struct xx_btrfs_root *root,
			  const struct xx_btrfs_extent *extent, uint64_t *parent)
{
	struct xx_btrfs_reader *reader = xx_btrfs_fs_reader(resolver->fs);
	struct xx_btrfs_expect expect = xx_btrfs_root_want(root);
	struct xx_btrfs_key key;
	int ret;

	*parent = 0;
	if (root->level <= extent->level)
		return 0;
	ret = first_key(resolver, extent, &key);
	while (ret == 0 && expect.level > extent->level) {
		*parent = expect.logical;
		ret = step_down(reader, &key, root->owner, &expect);
	}
	if (ret == 0 && expect.logical != extent->logical)
		*parent = 0;
	return ret;
}

static int add_tree(struct xx_btrfs_resolver *resolver, struct xx_btrfs_reach *reach,
		    const struct xx_btrfs_extent *extent, uint64_t id)
{
	struct xx_btrfs_root_info info;
	uint64_t parent;
	int ret = xx_btrfs_fs_root(resolver->fs, id, &info);

	if (ret == 0 && info.root.bytenr == extent->logical)
		return add_root(reach, id);
	if (ret == 0)
		ret = parent_in_tree(resolver, &info.root, extent, &parent);
	if (ret) {
		reach->incomplete |= ret != -ENOENT;
		return ret == -ENOMEM ? ret : 0;
	}
	return parent ? add_parent(resolver, reach, parent) : 0;
}

static int add_ref(struct xx_btrfs_resolver *resolver, struct xx_btrfs_reach *reach,
		   const struct xx_btrfs_extent *extent, const struct xx_btrfs_extent_ref *ref)
{
	switch (ref->type) {
	case BTRFS_TREE_BLOCK_REF_KEY:
		return add_tree(resolver, reach, extent, ref->root);
	case BTRFS_SHARED_BLOCK_REF_KEY:
		/* A root of relocation names itself as its parent. */
		return ref->parent == extent->logical ? 0 : add_parent(resolver, reach, ref->parent);
	default:
		return 0;
	}
}

/* Remember the trees that reach the block of that level (which is checked). */
static int climb(struct xx_btrfs_resolver *resolver, uint64_t logical, uint8_t level)
{
	struct xx_btrfs_reach reach = { .logical = logical, .level = level };
	const struct xx_btrfs_reach *known = remembered(resolver, logical);
	struct xx_btrfs_ref_set set = { 0 };
	int ret;

	if (known)
		return known->level == level ? 0 : -EUCLEAN;
	ret = xx_btrfs_ref_set_read(resolver, logical, &set);
	if (ret)
		return ret;
	reach.incomplete = set.incomplete;
	if (!set.extent.tree || set.extent.logical != logical || set.extent.level != level)
		ret = -EUCLEAN;
	for (size_t i = 0; ret == 0 && i < set.count; i++)
		ret = add_ref(resolver, &reach, &set.extent, &set.refs[i]);
	if (ret == 0)
		ret = remember(resolver, &reach);
	if (ret)
		free(reach.roots);
	xx_btrfs_ref_set_release(&set);
	return ret;
}

int xx_btrfs_reach_find(struct xx_btrfs_resolver *resolver, uint64_t logical, const struct xx_btrfs_reach **out)
{
	struct xx_btrfs_ref_set set = { 0 };
	uint8_t level;
	int ret;

	*out = remembered(resolver, logical);
	if (*out)
		return 0;
	if (resolver->reach_count > REMEMBERED)
		forget_all(resolver);
	ret = xx_btrfs_ref_set_read(resolver, logical, &set);
	if (ret)
		return ret;
	level = set.extent.level;
	ret = set.extent.tree && set.extent.logical == logical ? 0 : -ENOENT;
	xx_btrfs_ref_set_release(&set);
	if (ret == 0)
		ret = climb(resolver, logical, level);
	*out = remembered(resolver, logical);
	return ret;
}

/* --- The resolver --- */

int xx_btrfs_resolver_create(struct xx_btrfs_fs *fs, struct xx_btrfs_resolver **out)
{
	struct xx_btrfs_resolver *resolver = calloc(1, sizeof(*resolver));
	struct xx_btrfs_root_info info;
	int ret;

	if (!resolver)
		return -ENOMEM;
	resolver->fs = fs;
	ret = xx_btrfs_fs_root(fs, BTRFS_EXTENT_TREE_OBJECTID, &info);
	resolver->has_root = ret == 0 && info.root.bytenr != 0;
	resolver->root = info.root;
	if (ret != -ENOMEM)
		ret = xx_btrfs_iter_create(xx_btrfs_fs_reader(fs), NULL, NULL, &resolver->extents);
	if (ret == 0)
		ret = xx_btrfs_iter_create(xx_btrfs_fs_reader(fs), NULL, NULL, &resolver->files);
	if (ret) {
		xx_btrfs_resolver_destroy(resolver);
		return ret;
	}
	*out = resolver;
	return 0;
}

void xx_btrfs_resolver_destroy(struct xx_btrfs_resolver *resolver)
{
	if (!resolver)
		return;
	forget_all(resolver);
	free(resolver->reach);
	xx_btrfs_iter_destroy(resolver->extents);
	xx_btrfs_iter_destroy(resolver->files);
	free(resolver);
}

void xx_btrfs_tree_list_release(struct xx_btrfs_tree_list *list)
{
	free(list->roots);
	*list = (struct xx_btrfs_tree_list){ 0 };
}

static int copy_roots(struct xx_btrfs_tree_list *list, const uint64_t *roots, size_t count)
{
	list->count = 0;
	for (size_t i = 0; i < count; i++) {
		int ret = xx_btrfs_grow(&list->roots, list->count, &list->room, sizeof(*list->roots));

		if (ret)
			return ret;
		list->roots[list->count++] = roots[i];
	}
	return 0;
}

/* A block of the log, of which the extent tree does not know. */
static const struct xx_btrfs_log_block *log_block(const struct xx_btrfs_log *log, uint64_t logical)
{
	for (size_t i = 0; i < log->block_count; i++) {
		if (log->blocks[i].logical == logical)
			return &log->blocks[i];
	}
	return NULL;
}

int xx_btrfs_resolve_tree(struct xx_btrfs_resolver *resolver, uint64_t logical, struct xx_btrfs_tree_list *list)
{
	const struct xx_btrfs_log_block *block = log_block(xx_btrfs_fs_log(resolver->fs), logical);
	const uint64_t log_tree = BTRFS_TREE_LOG_OBJECTID;
	const struct xx_btrfs_reach *reach;
	int ret;

	if (block) {
		list->level = block->level;
		list->incomplete = false;
		return copy_roots(list, &log_tree, 1);
	}
	ret = xx_btrfs_reach_find(resolver, logical, &reach);
	if (ret)
		return ret;
	list->level = reach->level;
	list->incomplete = reach->incomplete;
	return copy_roots(list, reach->roots, reach->count);
}
