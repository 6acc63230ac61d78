/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * item_extent.c - parsers of extents with their references, of block groups, device extents, devices and checksums.
 */
#include <errno.h>

#include <xx/btrfs_item.h>

#include "btrfs/item.h"

/* What lies behind the extent item of a tree block with a key of the old kind. */
static int take_block_info(struct xx_btrfs_extent *out)
{
	const struct btrfs_tree_block_info *info = (const void *)out->refs_data;

	if (out->refs_size < sizeof(*info) || info->level >= BTRFS_MAX_LEVEL)
		return -EUCLEAN;
	out->level = info->level;
	out->has_first = true;
	out->first = xx_btrfs_key_get(&info->key);
	out->refs_data += sizeof(*info);
	out->refs_size -= (uint32_t)sizeof(*info);
	return 0;
}

/* Length, kind and level, by the key. */
static int take_kind(const struct xx_btrfs_key *key, uint32_t nodesize, struct xx_btrfs_extent *out)
{
	const uint64_t kinds = BTRFS_EXTENT_FLAG_DATA | BTRFS_EXTENT_FLAG_TREE_BLOCK;
	const bool skinny = key->type == BTRFS_METADATA_ITEM_KEY;

	out->tree = out->flags & BTRFS_EXTENT_FLAG_TREE_BLOCK;
	out->full_backref = out->flags & BTRFS_BLOCK_FLAG_FULL_BACKREF;
	out->length = skinny ? nodesize : key->offset;
	if ((out->flags & kinds) == 0 || (out->flags & kinds) == kinds)
		return -EUCLEAN;
	if (out->length == 0 || !xx_btrfs_range_fits(out->logical, out->length))
		return -EUCLEAN;
	if (!skinny)
		return out->tree && out->length != nodesize ? -EUCLEAN : 0;
	if (!out->tree || key->offset >= BTRFS_MAX_LEVEL)
		return -EUCLEAN;
	out->level = (uint8_t)key->offset;
	return 0;
}

int xx_btrfs_extent_parse(const struct xx_btrfs_item *item, uint32_t nodesize, struct xx_btrfs_extent *out)
{
	const struct btrfs_extent_item *disk = item->data;
	const uint8_t type = item->key.type;

	if ((type != BTRFS_EXTENT_ITEM_KEY && type != BTRFS_METADATA_ITEM_KEY) || item->size < sizeof(*disk))
		return -EUCLEAN;
	*out = (struct xx_btrfs_extent){
		.logical = item->key.objectid,
		.refs = le64_get(disk->refs),
		.generation = le64_get(disk->generation),
		.flags = le64_get(disk->flags),
		.refs_data = (const uint8_t *)(disk + 1),
		.refs_size = item->size - (uint32_t)sizeof(*disk),
	};
	if (take_kind(&item->key, nodesize, out) != 0)
		return -EUCLEAN;
	return out->tree && type == BTRFS_EXTENT_ITEM_KEY ? take_block_info(out) : 0;
}

/* Bytes of an inline reference, with its type; 0 for a type that is none, or stands in an extent of the other kind. */
static uint32_t inline_size(uint8_t type, bool tree)
{
	const uint32_t plain = sizeof(struct btrfs_extent_inline_ref);

	switch (type) {
	case BTRFS_EXTENT_OWNER_REF_KEY:
		return plain;
	case BTRFS_TREE_BLOCK_REF_KEY:
	case BTRFS_SHARED_BLOCK_REF_KEY:
		return tree ? plain : 0;
	case BTRFS_EXTENT_DATA_REF_KEY:
		return tree ? 0 : 1 + (uint32_t)sizeof(struct btrfs_extent_data_ref);
	case BTRFS_SHARED_DATA_REF_KEY:
		return tree ? 0 : plain + (uint32_t)sizeof(struct btrfs_shared_data_ref);
	default:
		return 0;
	}
}

static void take_data_ref(const void *data, struct xx_btrfs_extent_ref *out)
{
	const struct btrfs_extent_data_ref *disk = data;

	out->root = le64_get(disk->root);
	out->inode = le64_get(disk->objectid);
	out->offset = le64_get(disk->offset);
	out->count = le32_get(disk->count);
}

/* A reference that consists of one number, and with data of a count. */
static void take_plain_ref(uint64_t number, const void *count, struct xx_btrfs_extent_ref *out)
{
	if (out->type == BTRFS_SHARED_BLOCK_REF_KEY || out->type == BTRFS_SHARED_DATA_REF_KEY)
		out->parent = number;
	else
		out->root = number;
	if (out->type == BTRFS_SHARED_DATA_REF_KEY)
		out->count = le32_get(((const struct btrfs_shared_data_ref *)count)->count);
	else
		out->count = 1;
}

int xx_btrfs_extent_ref_next(const struct xx_btrfs_extent *extent, uint32_t *pos, struct xx_btrfs_extent_ref *out)
{
	const uint8_t *data = extent->refs_data + *pos;
	const struct btrfs_extent_inline_ref *plain = (const void *)data;
	uint32_t size;

	if (*pos == extent->refs_size)
		return 0;
	if (*pos > extent->refs_size)
		return -EUCLEAN;
	size = inline_size(*data, extent->tree);
	if (size == 0 || extent->refs_size - *pos < size)
		return -EUCLEAN;
	*out = (struct xx_btrfs_extent_ref){ .type = *data };
	if (out->type == BTRFS_EXTENT_DATA_REF_KEY)
		take_data_ref(data + 1, out);
	else
		take_plain_ref(le64_get(plain->offset), plain + 1, out);
	*pos += size;
	return 1;
}

/* Bytes of data of a reference that is an item; UINT32_MAX for a type that is none. */
static uint32_t keyed_size(uint8_t type)
{
	switch (type) {
	case BTRFS_EXTENT_OWNER_REF_KEY:
	case BTRFS_TREE_BLOCK_REF_KEY:
	case BTRFS_SHARED_BLOCK_REF_KEY:
		return 0;
	case BTRFS_EXTENT_DATA_REF_KEY:
		return (uint32_t)sizeof(struct btrfs_extent_data_ref);
	case BTRFS_SHARED_DATA_REF_KEY:
		return (uint32_t)sizeof(struct btrfs_shared_data_ref);
	default:
		return UINT32_MAX;
	}
}

int xx_btrfs_keyed_ref_parse(const struct xx_btrfs_item *item, struct xx_btrfs_extent_ref *out)
{
	if (item->size < keyed_size(item->key.type))
		return -EUCLEAN;
	*out = (struct xx_btrfs_extent_ref){ .type = item->key.type };
	if (out->type == BTRFS_EXTENT_DATA_REF_KEY)
		take_data_ref(item->data, out);
	else
		take_plain_ref(item->key.offset, item->data, out);
	return 0;
}

int xx_btrfs_block_group_parse(const struct xx_btrfs_item *item, struct xx_btrfs_block_group *out)
{
	const struct btrfs_block_group_item *disk = item->data;

	if (item->key.type != BTRFS_BLOCK_GROUP_ITEM_KEY || item->size < sizeof(*disk))
		return -EUCLEAN;
	*out = (struct xx_btrfs_block_group){
		.logical = item->key.objectid,
		.length = item->key.offset,
		.used = le64_get(disk->used),
		.flags = le64_get(disk->flags),
	};
	return out->length > 0 && xx_btrfs_range_fits(out->logical, out->length) ? 0 : -EUCLEAN;
}

int xx_btrfs_dev_extent_parse(const struct xx_btrfs_item *item, struct xx_btrfs_dev_extent *out)
{
	const struct btrfs_dev_extent *disk = item->data;

	if (item->key.type != BTRFS_DEV_EXTENT_KEY || item->size != sizeof(*disk))
		return -EUCLEAN;
	*out = (struct xx_btrfs_dev_extent){
		.devid = item->key.objectid,
		.physical = item->key.offset,
		.length = le64_get(disk->length),
		.chunk = le64_get(disk->chunk_offset),
	};
	if (out->length == 0 || !xx_btrfs_range_fits(out->physical, out->length))
		return -EUCLEAN;
	return xx_btrfs_range_fits(out->chunk, 0) ? 0 : -EUCLEAN;
}

int xx_btrfs_dev_item_parse(const struct xx_btrfs_item *item, struct xx_btrfs_dev_item *out)
{
	const struct btrfs_dev_item *disk = item->data;

	if (item->key.type != BTRFS_DEV_ITEM_KEY || item->size != sizeof(*disk))
		return -EUCLEAN;
	*out = (struct xx_btrfs_dev_item){
		.devid = le64_get(disk->devid),
		.total_bytes = le64_get(disk->total_bytes),
		.bytes_used = le64_get(disk->bytes_used),
		.generation = le64_get(disk->generation),
		.uuid = disk->uuid,
		.fsid = disk->fsid,
	};
	if (out->devid != item->key.offset || !xx_btrfs_range_fits(0, out->total_bytes))
		return -EUCLEAN;
	return out->bytes_used <= out->total_bytes ? 0 : -EUCLEAN;
}

int xx_btrfs_sum_item_parse(const struct xx_btrfs_item *item, uint32_t sectorsize, uint32_t sum_size,
			    struct xx_btrfs_sum_item *out)
{
	if (item->key.objectid != BTRFS_EXTENT_CSUM_OBJECTID || item->key.type != BTRFS_EXTENT_CSUM_KEY)
		return -EUCLEAN;
	if (item->size == 0 || item->size % sum_size != 0 || item->key.offset % sectorsize != 0)
		return -EUCLEAN;
	*out = (struct xx_btrfs_sum_item){
		.logical = item->key.offset,
		.count = item->size / sum_size,
		.sums = item->data,
	};
	out->length = (uint64_t)out->count * sectorsize;
	return xx_btrfs_range_fits(out->logical, out->length) ? 0 : -EUCLEAN;
}
