/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ref_hits.c - all file extent items that refer to a data extent, wherever they stand.
 *
 * A reference names a leaf, or a tree with an inode and an offset at which to look for leaves. All items of such a leaf
 * count that point to the extent. Each leaf is looked at once, whatever number of references name it.
 */
#include <errno.h>
#include <stdlib.h>

#include "btrfs/fs.h"
#include "btrfs/ref.h"

/* What is compressed spans this much of a file at most, with some room to spare. */
#define COMPRESSED_SPAN (UINT64_C(1) << 20)

struct leaves {
	uint64_t *list;
	size_t count, room;
};

void xx_btrfs_hits_release(struct xx_btrfs_hits *hits)
{
	free(hits->hits);
	*hits = (struct xx_btrfs_hits){ 0 };
}

static int add_leaf(struct leaves *leaves, uint64_t leaf)
{
	int ret = 0;

	if (leaves->count && leaves->list[leaves->count - 1] == leaf)
		return 0;
	ret = xx_btrfs_grow(&leaves->list, leaves->count, &leaves->room, sizeof(*leaves->list));
	if (ret == 0)
		leaves->list[leaves->count++] = leaf;
	return ret;
}

/* Does the item refer to the extent? */
static bool refers(const struct xx_btrfs_item *item, const struct xx_btrfs_extent *extent,
		   struct xx_btrfs_file_extent *file)
{
	return item->key.type == BTRFS_EXTENT_DATA_KEY && xx_btrfs_file_extent_parse(item, file) == 0 &&
	       file->type != BTRFS_FILE_EXTENT_INLINE && file->disk_bytenr == extent->logical &&
	       file->disk_num_bytes == extent->length;
}

/* The leaves of a tree that hold what a reference names. The offset of a reference may be below 0. */
static int search(struct xx_btrfs_resolver *resolver, const struct xx_btrfs_extent_ref *ref, struct xx_btrfs_hits *hits,
		  struct leaves *leaves)
{
	const uint64_t span = hits->extent.length > COMPRESSED_SPAN ? hits->extent.length : COMPRESSED_SPAN;
	const bool negative = ref->offset >> 63;
	const struct xx_btrfs_key first = { ref->inode, BTRFS_EXTENT_DATA_KEY, negative ? 0 : ref->offset };
	const struct xx_btrfs_key last = { ref->inode, BTRFS_EXTENT_DATA_KEY, ref->offset + span };
	const uint64_t dead = xx_btrfs_iter_lost(resolver->files);
	struct xx_btrfs_file_extent file;
	struct xx_btrfs_root_info info;
	struct xx_btrfs_item item;
	int ret = xx_btrfs_fs_root(resolver->fs, ref->root, &info);

	if (ret) {
		hits->incomplete |= ret != -ENOENT;
		return ret == -ENOMEM ? ret : 0;
	}
	xx_btrfs_iter_seek(resolver->files, &info.root, &first, &last);
	while ((ret = xx_btrfs_iter_next(resolver->files, &item)) > 0) {
		if (!refers(&item, &hits->extent, &file) || file.file_offset - file.offset != ref->offset)
			continue;
		ret = add_leaf(leaves, item.leaf);
		if (ret)
			return ret;
	}
	hits->incomplete |= xx_btrfs_iter_lost(resolver->files) != dead;
	return ret;
}

static int find_leaves(struct xx_btrfs_resolver *resolver, const struct xx_btrfs_ref_set *set,
		       struct xx_btrfs_hits *hits, struct leaves *leaves)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < set->count; i++) {
		if (set->refs[i].type == BTRFS_SHARED_DATA_REF_KEY)
			ret = add_leaf(leaves, set->refs[i].parent);
		else
			ret = search(resolver, &set->refs[i], hits, leaves);
	}
	return ret;
}

static int take_items(struct xx_btrfs_hits *hits, uint64_t logical, const void *leaf)
{
	struct xx_btrfs_hit hit = { .leaf = logical };
	struct xx_btrfs_item item;

	for (uint32_t slot = 0; slot < xx_btrfs_leaf_count(leaf); slot++) {
		int ret;

		xx_btrfs_leaf_item(leaf, slot, &item);
		if (!refers(&item, &hits->extent, &hit.file))
			continue;
		hit.inode = item.key.objectid;
		ret = xx_btrfs_grow(&hits->hits, hits->count, &hits->room, sizeof(*hits->hits));
		if (ret)
			return ret;
		hits->hits[hits->count++] = hit;
	}
	return 0;
}

static int read_leaf(struct xx_btrfs_resolver *resolver, struct xx_btrfs_hits *hits, uint64_t logical)
{
	const struct xx_btrfs_expect expect = { .logical = logical };
	struct xx_btrfs_reader *reader = xx_btrfs_fs_reader(resolver->fs);
	struct xx_btrfs_block *block;
	int ret = xx_btrfs_reader_get(reader, &expect, &block);

	if (ret) {
		hits->incomplete = true;
		return ret == -ENOMEM ? ret : 0;
	}
	ret = take_items(hits, logical, xx_btrfs_block_data(block));
	xx_btrfs_reader_put(reader, block);
	return ret;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

static int read_leaves(struct xx_btrfs_resolver *resolver, struct xx_btrfs_hits *hits, const struct leaves *leaves)
{
	int ret = 0;

	if (leaves->count > 1)
		qsort(leaves->list, leaves->count, sizeof(*leaves->list), by_number);
	for (size_t i = 0; ret == 0 && i < leaves->count; i++) {
		if (i == 0 || leaves->list[i] != leaves->list[i - 1])
			ret = read_leaf(resolver, hits, leaves->list[i]);
	}
	return ret;
}

int xx_btrfs_hits_read(struct xx_btrfs_resolver *resolver, uint64_t logical, struct xx_btrfs_hits *hits)
{
	struct xx_btrfs_ref_set set = { 0 };
	struct leaves leaves = { 0 };
	int ret = xx_btrfs_ref_set_read(resolver, logical, &set);

	if (ret)
		return ret;
	if (set.extent.tree)
		ret = -ENOENT;
	hits->extent = set.extent;
	hits->incomplete = set.incomplete;
	if (ret == 0)
		ret = find_leaves(resolver, &set, hits, &leaves);
	if (ret == 0)
		ret = read_leaves(resolver, hits, &leaves);
	free(leaves.list);
	xx_btrfs_ref_set_release(&set);
	if (ret)
		xx_btrfs_hits_release(hits);
	return ret;
}

bool xx_btrfs_file_part(const struct xx_btrfs_file_extent *file, uint64_t logical, uint64_t length, uint64_t *from,
			uint64_t *to)
{
	const uint64_t start = file->disk_bytenr + (file->compression ? 0 : file->offset);
	const uint64_t end = file->compression ? file->disk_bytenr + file->disk_num_bytes : start + file->num_bytes;

	*from = logical > start ? logical : start;
	*to = logical + length < end ? logical + length : end;
	return *from < *to;
}
