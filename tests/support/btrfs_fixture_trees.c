/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_fixture_trees.c - the trees of the btrfs of btrfs_fixture.h, one leaf each.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/btrfs_fixture_impl.h"
#include "tests/support/btrfs_leaf.h"

static const uint8_t chunk_uuid[BTRFS_UUID_SIZE] = "uuid-of-chunks.";

static struct btrfs_leaf begin(uint8_t *block, uint64_t bytenr, uint64_t owner)
{
	const struct btrfs_leaf_head head = { bytenr, FIXTURE_GENERATION, owner, fixture_fsid, chunk_uuid };
	struct btrfs_leaf leaf;

	btrfs_leaf_begin(&leaf, block, FIXTURE_NODE, &head);
	return leaf;
}

static void end(struct fixture *f, struct btrfs_leaf *leaf, uint64_t bytenr)
{
	btrfs_leaf_end(leaf, f->options.csum);
	fixture_put(f, bytenr, leaf->block, FIXTURE_NODE);
}

static void put_chunk_tree(struct fixture *f, uint8_t *block)
{
	struct btrfs_leaf leaf = begin(block, f->chunk_tree, BTRFS_CHUNK_TREE_OBJECTID);
	_Alignas(8) uint8_t item[1024];

	for (unsigned i = 1; i <= f->device_count; i++) {
		const struct btrfs_dev_item device = fixture_dev_item(i);

		memcpy(btrfs_leaf_add(&leaf, BTRFS_DEV_ITEMS_OBJECTID, BTRFS_DEV_ITEM_KEY, i, sizeof(device)), &device,
		       sizeof(device));
	}
	for (unsigned data = 0; data < 2; data++) {
		const size_t size = fixture_chunk_item(&f->options, data, (struct btrfs_chunk *)item);

		memcpy(btrfs_leaf_add(&leaf, BTRFS_FIRST_CHUNK_TREE_OBJECTID, BTRFS_CHUNK_ITEM_KEY,
				      data ? FIXTURE_DATA : FIXTURE_SYSTEM, (uint32_t)size),
		       item, size);
	}
	end(f, &leaf, f->chunk_tree);
}

static void add_root(struct btrfs_leaf *leaf, uint64_t id, uint64_t bytenr)
{
	struct btrfs_root_item *root = btrfs_leaf_add(leaf, id, BTRFS_ROOT_ITEM_KEY, 0, sizeof(struct btrfs_root_item));

	root->generation = root->generation_v2 = le64_make(FIXTURE_GENERATION);
	root->root_dirid = le64_make(id == BTRFS_FS_TREE_OBJECTID ? BTRFS_FIRST_FREE_OBJECTID : 0);
	root->bytenr = le64_make(bytenr);
	root->refs = le32_make(1);
}

static void put_root_tree(struct fixture *f, uint8_t *block)
{
	struct btrfs_leaf leaf = begin(block, f->root_tree, BTRFS_ROOT_TREE_OBJECTID);

	add_root(&leaf, BTRFS_EXTENT_TREE_OBJECTID, f->extent_tree);
	add_root(&leaf, BTRFS_FS_TREE_OBJECTID, f->fs_tree);
	add_root(&leaf, BTRFS_CSUM_TREE_OBJECTID, f->csum_tree);
	end(f, &leaf, f->root_tree);
}

static void add_tree_extent(struct btrfs_leaf *leaf, uint64_t bytenr, uint64_t owner)
{
	uint8_t *data = btrfs_leaf_add(leaf, bytenr, BTRFS_METADATA_ITEM_KEY, 0,
				       sizeof(struct btrfs_extent_item) + sizeof(struct btrfs_extent_inline_ref));
	struct btrfs_extent_item *item = (struct btrfs_extent_item *)data;
	struct btrfs_extent_inline_ref *ref = (struct btrfs_extent_inline_ref *)(data + sizeof(*item));

	item->refs = le64_make(1);
	item->generation = le64_make(FIXTURE_GENERATION);
	item->flags = le64_make(BTRFS_EXTENT_FLAG_TREE_BLOCK);
	ref->type = BTRFS_TREE_BLOCK_REF_KEY;
	ref->offset = le64_make(owner);
}

static void add_data_extent(struct btrfs_leaf *leaf, uint64_t bytenr, uint64_t length, uint64_t inode)
{
	uint8_t *data = btrfs_leaf_add(leaf, bytenr, BTRFS_EXTENT_ITEM_KEY, length,
				       sizeof(struct btrfs_extent_item) + 1 + sizeof(struct btrfs_extent_data_ref));
	struct btrfs_extent_item *item = (struct btrfs_extent_item *)data;
	struct btrfs_extent_data_ref *ref = (struct btrfs_extent_data_ref *)(data + sizeof(*item) + 1);

	item->refs = le64_make(1);
	item->generation = le64_make(FIXTURE_GENERATION);
	item->flags = le64_make(BTRFS_EXTENT_FLAG_DATA);
	data[sizeof(*item)] = BTRFS_EXTENT_DATA_REF_KEY;
	ref->root = le64_make(BTRFS_FS_TREE_OBJECTID);
	ref->objectid = le64_make(inode);
	ref->count = le32_make(1);
}

static void add_group(struct btrfs_leaf *leaf, const struct xx_btrfs_chunk *chunk, uint64_t used)
{
	struct btrfs_block_group_item *group = btrfs_leaf_add(leaf, chunk->logical, BTRFS_BLOCK_GROUP_ITEM_KEY,
							      chunk->length, sizeof(struct btrfs_block_group_item));

	group->used = le64_make(used);
	group->chunk_objectid = le64_make(BTRFS_FIRST_CHUNK_TREE_OBJECTID);
	group->flags = le64_make(chunk->type);
}

static void put_extent_tree(struct fixture *f, uint8_t *block)
{
	struct btrfs_leaf leaf = begin(block, f->extent_tree, BTRFS_EXTENT_TREE_OBJECTID);

	add_tree_extent(&leaf, f->chunk_tree, BTRFS_CHUNK_TREE_OBJECTID);
	add_group(&leaf, f->system, 5 * FIXTURE_NODE);
	add_tree_extent(&leaf, f->root_tree, BTRFS_ROOT_TREE_OBJECTID);
	add_tree_extent(&leaf, f->extent_tree, BTRFS_EXTENT_TREE_OBJECTID);
	add_tree_extent(&leaf, f->csum_tree, BTRFS_CSUM_TREE_OBJECTID);
	add_tree_extent(&leaf, f->fs_tree, BTRFS_FS_TREE_OBJECTID);
	add_data_extent(&leaf, f->summed, FIXTURE_SUMMED, FIXTURE_INODE_SUMMED);
	add_group(&leaf, f->data, FIXTURE_SUMMED + FIXTURE_NOCOW + FIXTURE_PREALLOC);
	add_data_extent(&leaf, f->nocow, FIXTURE_NOCOW, FIXTURE_INODE_NOCOW);
	add_data_extent(&leaf, f->prealloc, FIXTURE_PREALLOC, FIXTURE_INODE_PREALLOC);
	end(f, &leaf, f->extent_tree);
}

/* Sums of @length bytes from @logical on, which have the pattern from @from on. */
static void add_sums(struct fixture *f, struct btrfs_leaf *leaf, uint64_t logical, uint64_t from, uint64_t length)
{
	const size_t size = xx_csum_size(f->options.csum);
	const uint32_t count = (uint32_t)(length / FIXTURE_SECTOR);
	uint8_t *sums = btrfs_leaf_add(leaf, BTRFS_EXTENT_CSUM_OBJECTID, BTRFS_EXTENT_CSUM_KEY, logical,
				       (uint32_t)size * count);
	uint8_t sector[FIXTURE_SECTOR];

	for (uint32_t i = 0; i < count; i++) {
		for (uint64_t b = 0; b < FIXTURE_SECTOR; b++)
			sector[b] = fixture_pattern(from + i * UINT64_C(4096) + b);
		fixture_must(xx_csum(f->options.csum, sector, sizeof(sector), sums + i * size) == 0);
	}
}

static void put_csum_tree(struct fixture *f, uint8_t *block)
{
	struct btrfs_leaf leaf = begin(block, f->csum_tree, BTRFS_CSUM_TREE_OBJECTID);
	const uint64_t gap = f->options.leave_out_sum ? 2 * FIXTURE_SECTOR : 0;

	if (gap)
		add_sums(f, &leaf, f->summed, 0, FIXTURE_SECTOR);
	add_sums(f, &leaf, f->summed + gap, gap, FIXTURE_SUMMED - gap);
	add_sums(f, &leaf, f->prealloc, f->prealloc - f->summed, FIXTURE_PREALLOC / 2);
	if (f->options.extra_sum)
		add_sums(f, &leaf, f->prealloc + FIXTURE_PREALLOC, 0, FIXTURE_SECTOR);
	end(f, &leaf, f->csum_tree);
}

static void add_inode(struct btrfs_leaf *leaf, uint64_t inode, uint64_t size, uint64_t flags, const char *name)
{
	const uint64_t top = BTRFS_FIRST_FREE_OBJECTID;
	struct btrfs_inode_item *item =
		btrfs_leaf_add(leaf, inode, BTRFS_INODE_ITEM_KEY, 0, sizeof(struct btrfs_inode_item));
	struct btrfs_inode_ref *ref =
		btrfs_leaf_add(leaf, inode, BTRFS_INODE_REF_KEY, top, (uint32_t)(sizeof(*ref) + strlen(name)));

	item->generation = item->transid = le64_make(FIXTURE_GENERATION);
	item->size = item->nbytes = le64_make(size);
	item->nlink = le32_make(1);
	item->mode = le32_make(inode == top ? 040755 : 0100644);
	item->flags = le64_make(flags);
	ref->index = le64_make(inode);
	ref->name_len = le16_make((uint16_t)strlen(name));
	memcpy(ref + 1, name, strlen(name));
}

static void add_file_extent(struct btrfs_leaf *leaf, uint64_t inode, uint64_t at, uint8_t type, uint64_t bytenr,
			    uint64_t extent, uint64_t length)
{
	struct btrfs_file_extent_item *item =
		btrfs_leaf_add(leaf, inode, BTRFS_EXTENT_DATA_KEY, at, sizeof(struct btrfs_file_extent_item));

	item->generation = le64_make(FIXTURE_GENERATION);
	item->ram_bytes = item->disk_num_bytes = le64_make(extent);
	item->type = type;
	item->disk_bytenr = le64_make(bytenr);
	item->offset = le64_make(at);
	item->num_bytes = le64_make(length);
}

static void put_fs_tree(struct fixture *f, uint8_t *block)
{
	struct btrfs_leaf leaf = begin(block, f->fs_tree, BTRFS_FS_TREE_OBJECTID);
	const uint64_t half = FIXTURE_PREALLOC / 2;

	add_inode(&leaf, BTRFS_FIRST_FREE_OBJECTID, 0, 0, "..");
	add_inode(&leaf, FIXTURE_INODE_SUMMED, FIXTURE_SUMMED, 0, "summed");
	add_file_extent(&leaf, FIXTURE_INODE_SUMMED, 0, BTRFS_FILE_EXTENT_REG, f->summed, FIXTURE_SUMMED,
			FIXTURE_SUMMED);
	add_inode(&leaf, FIXTURE_INODE_NOCOW, FIXTURE_NOCOW, BTRFS_INODE_NODATASUM | BTRFS_INODE_NODATACOW, "nocow");
	add_file_extent(&leaf, FIXTURE_INODE_NOCOW, 0, BTRFS_FILE_EXTENT_REG, f->nocow, FIXTURE_NOCOW, FIXTURE_NOCOW);
	add_inode(&leaf, FIXTURE_INODE_PREALLOC, FIXTURE_PREALLOC, BTRFS_INODE_PREALLOC, "prealloc");
	add_file_extent(&leaf, FIXTURE_INODE_PREALLOC, 0, BTRFS_FILE_EXTENT_REG, f->prealloc, FIXTURE_PREALLOC, half);
	add_file_extent(&leaf, FIXTURE_INODE_PREALLOC, half, BTRFS_FILE_EXTENT_PREALLOC, f->prealloc, FIXTURE_PREALLOC,
			half);
	end(f, &leaf, f->fs_tree);
}

void fixture_put_trees(struct fixture *f)
{
	uint8_t *block = aligned_alloc(4096, FIXTURE_NODE);

	fixture_must(block != NULL);
	put_chunk_tree(f, block);
	put_root_tree(f, block);
	put_extent_tree(f, block);
	put_csum_tree(f, block);
	put_fs_tree(f, block);
	free(block);
	fixture_put_parities(f, f->system, f->fs_tree + FIXTURE_NODE);
}
