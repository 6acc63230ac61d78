/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * space.c - block groups and device extents, one after the other.
 */
#include <errno.h>

#include <xx/btrfs_extent.h>

/* Items of one kind of a tree, each handed to @take. */
struct walk {
	uint8_t type;
	int (*take)(const struct walk *walk, const struct xx_btrfs_item *item);
	xx_btrfs_block_group_fn group;
	xx_btrfs_dev_extent_fn extent;
	void *private;
};

static int run(struct xx_btrfs_fs *fs, const struct xx_btrfs_root *root, struct xx_btrfs_key first,
	       struct xx_btrfs_key last, const struct walk *walk, xx_btrfs_lost_fn lost)
{
	struct xx_btrfs_iter *iter;
	struct xx_btrfs_item item;
	int ret = xx_btrfs_iter_create(xx_btrfs_fs_reader(fs), lost, walk->private, &iter);

	if (ret)
		return ret;
	xx_btrfs_iter_seek(iter, root, &first, &last);
	while ((ret = xx_btrfs_iter_next(iter, &item)) > 0) {
		ret = item.key.type == walk->type ? walk->take(walk, &item) : 0;
		if (ret)
			break;
	}
	xx_btrfs_iter_destroy(iter);
	return ret;
}

/* --- Block groups --- */

static int take_group(const struct walk *walk, const struct xx_btrfs_item *item)
{
	struct xx_btrfs_block_group group;

	return xx_btrfs_block_group_parse(item, &group) == 0 ? walk->group(walk->private, &group) : 0;
}

/*
 * In the extent tree block groups stand far apart, between all extents: looking for the next one behind the end of the
 * last one passes the extents by.
 */
struct hop {
	xx_btrfs_block_group_fn fn;
	void *private;
	uint64_t next;
};

/* The next block group at or behind @from: 1, 0 at the end. */
static int find_group(struct xx_btrfs_iter *iter, const struct xx_btrfs_root *root, uint64_t from,
		      struct xx_btrfs_block_group *group)
{
	const struct xx_btrfs_key first = { from, 0, 0 };
	struct xx_btrfs_item item;
	int ret;

	xx_btrfs_iter_seek(iter, root, &first, &XX_BTRFS_KEY_MAX);
	while ((ret = xx_btrfs_iter_next(iter, &item)) > 0) {
		if (item.key.type == BTRFS_BLOCK_GROUP_ITEM_KEY && xx_btrfs_block_group_parse(&item, group) == 0)
			return 1;
	}
	return ret;
}

static int hop_groups(struct xx_btrfs_fs *fs, const struct xx_btrfs_root *root, struct hop *hop, xx_btrfs_lost_fn lost)
{
	struct xx_btrfs_block_group group;
	struct xx_btrfs_iter *iter;
	int ret = xx_btrfs_iter_create(xx_btrfs_fs_reader(fs), lost, hop->private, &iter);

	if (ret)
		return ret;
	while ((ret = find_group(iter, root, hop->next, &group)) > 0) {
		ret = hop->fn(hop->private, &group);
		if (ret)
			break;
		hop->next = group.logical + group.length;
	}
	xx_btrfs_iter_destroy(iter);
	return ret;
}

int xx_btrfs_block_groups(struct xx_btrfs_fs *fs, xx_btrfs_block_group_fn fn, xx_btrfs_lost_fn lost, void *private)
{
	const struct walk walk = { BTRFS_BLOCK_GROUP_ITEM_KEY, take_group, fn, NULL, private };
	struct hop hop = { fn, private, 0 };
	struct xx_btrfs_root_info info;
	int ret;

	if (!xx_btrfs_fs_params(fs)->block_group_tree) {
		ret = xx_btrfs_fs_root(fs, BTRFS_EXTENT_TREE_OBJECTID, &info);
		return ret ?: hop_groups(fs, &info.root, &hop, lost);
	}
	ret = xx_btrfs_fs_root(fs, BTRFS_BLOCK_GROUP_TREE_OBJECTID, &info);
	return ret ?: run(fs, &info.root, XX_BTRFS_KEY_MIN, XX_BTRFS_KEY_MAX, &walk, lost);
}

/* --- Device extents --- */

static int take_extent(const struct walk *walk, const struct xx_btrfs_item *item)
{
	struct xx_btrfs_dev_extent extent;

	return xx_btrfs_dev_extent_parse(item, &extent) == 0 ? walk->extent(walk->private, &extent) : 0;
}

int xx_btrfs_dev_extents(struct xx_btrfs_fs *fs, uint64_t devid, xx_btrfs_dev_extent_fn fn, xx_btrfs_lost_fn lost,
			 void *private)
{
	const struct walk walk = { BTRFS_DEV_EXTENT_KEY, take_extent, NULL, fn, private };
	struct xx_btrfs_key first = XX_BTRFS_KEY_MIN, last = XX_BTRFS_KEY_MAX;
	struct xx_btrfs_root_info info;
	int ret = xx_btrfs_fs_root(fs, BTRFS_DEV_TREE_OBJECTID, &info);

	if (ret)
		return ret;
	if (devid != UINT64_MAX) {
		first = (struct xx_btrfs_key){ devid, BTRFS_DEV_EXTENT_KEY, 0 };
		last = (struct xx_btrfs_key){ devid, BTRFS_DEV_EXTENT_KEY, UINT64_MAX };
	}
	return run(fs, &info.root, first, last, &walk, lost);
}
