/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_leaf.c - see btrfs_leaf.h.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/btrfs_leaf.h"

void btrfs_leaf_begin(struct btrfs_leaf *leaf, uint8_t *block, uint32_t nodesize, const struct btrfs_leaf_head *head)
{
	struct btrfs_header *header = (struct btrfs_header *)block;

	memset(block, 0, nodesize);
	memcpy(header->fsid, head->fsid, sizeof(header->fsid));
	header->bytenr = le64_make(head->bytenr);
	header->flags = le64_make(BTRFS_HEADER_FLAG_WRITTEN | UINT64_C(1) << 56);
	memcpy(header->chunk_tree_uuid, head->chunk_tree_uuid, sizeof(header->chunk_tree_uuid));
	header->generation = le64_make(head->generation);
	header->owner = le64_make(head->owner);
	*leaf = (struct btrfs_leaf){
		.block = block,
		.nodesize = nodesize,
		.data = nodesize - (uint32_t)sizeof(*header),
	};
}

void *btrfs_leaf_add(struct btrfs_leaf *leaf, uint64_t objectid, uint8_t type, uint64_t offset, uint32_t size)
{
	struct btrfs_item *items = (struct btrfs_item *)(leaf->block + sizeof(struct btrfs_header));

	if (leaf->data < size || (leaf->count + 1) * sizeof(*items) > leaf->data - size)
		abort();
	leaf->data -= size;
	items[leaf->count++] = (struct btrfs_item){
		.key = xx_btrfs_key_make((struct xx_btrfs_key){ objectid, type, offset }),
		.offset = le32_make(leaf->data),
		.size = le32_make(size),
	};
	return leaf->block + sizeof(struct btrfs_header) + leaf->data;
}

void btrfs_leaf_end(struct btrfs_leaf *leaf, enum xx_csum_type csum)
{
	struct btrfs_header *header = (struct btrfs_header *)leaf->block;

	header->nritems = le32_make(leaf->count);
	memset(header->csum, 0, sizeof(header->csum));
	if (xx_csum(csum, leaf->block + BTRFS_CSUM_SIZE, leaf->nodesize - BTRFS_CSUM_SIZE, header->csum))
		abort();
}
