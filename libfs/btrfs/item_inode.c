/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * item_inode.c - parsers of inodes, names, roots of trees and file extents.
 */
#include <errno.h>

#include <xx/btrfs_item.h>

#include "btrfs/item.h"

int xx_btrfs_inode_parse(const struct xx_btrfs_item *item, struct xx_btrfs_inode *out)
{
	const struct btrfs_inode_item *disk = item->data;

	if (item->key.type != BTRFS_INODE_ITEM_KEY || item->size != sizeof(*disk))
		return -EUCLEAN;
	*out = (struct xx_btrfs_inode){
		.generation = le64_get(disk->generation),
		.transid = le64_get(disk->transid),
		.size = le64_get(disk->size),
		.nbytes = le64_get(disk->nbytes),
		.nlink = le32_get(disk->nlink),
		.mode = le32_get(disk->mode),
		.flags = le64_get(disk->flags),
	};
	out->nodatasum = out->flags & BTRFS_INODE_NODATASUM;
	return 0;
}

/* The next part of an item, with a head of @head bytes; NULL at the end, and when the rest is too short. */
static const void *part(const struct xx_btrfs_item *item, uint32_t pos, uint32_t head)
{
	if (pos > item->size || item->size - pos < head)
		return NULL;
	return (const uint8_t *)item->data + pos;
}

/* The name of @length bytes at @pos. */
static int take_name(const struct xx_btrfs_item *item, uint32_t *pos, uint16_t length, const char **name)
{
	*name = part(item, *pos, length);
	if (!*name || length == 0 || length > BTRFS_NAME_LEN)
		return -EUCLEAN;
	*pos += length;
	return 0;
}

int xx_btrfs_inode_ref_next(const struct xx_btrfs_item *item, uint32_t *pos, struct xx_btrfs_name *out)
{
	const struct btrfs_inode_ref *disk = part(item, *pos, sizeof(*disk));

	if (*pos == item->size && *pos > 0)
		return 0;
	if (!disk || item->key.type != BTRFS_INODE_REF_KEY)
		return -EUCLEAN;
	*out = (struct xx_btrfs_name){
		.parent = item->key.offset,
		.index = le64_get(disk->index),
		.length = le16_get(disk->name_len),
	};
	*pos += (uint32_t)sizeof(*disk);
	return take_name(item, pos, out->length, &out->name) ?: 1;
}

int xx_btrfs_inode_extref_next(const struct xx_btrfs_item *item, uint32_t *pos, struct xx_btrfs_name *out)
{
	const struct btrfs_inode_extref *disk = part(item, *pos, sizeof(*disk));

	if (*pos == item->size && *pos > 0)
		return 0;
	if (!disk || item->key.type != BTRFS_INODE_EXTREF_KEY)
		return -EUCLEAN;
	*out = (struct xx_btrfs_name){
		.parent = le64_get(disk->parent_objectid),
		.index = le64_get(disk->index),
		.length = le16_get(disk->name_len),
	};
	*pos += (uint32_t)sizeof(*disk);
	return take_name(item, pos, out->length, &out->name) ?: 1;
}

int xx_btrfs_root_ref_parse(const struct xx_btrfs_item *item, struct xx_btrfs_name *out)
{
	const struct btrfs_root_ref *disk = part(item, 0, sizeof(*disk));
	uint32_t pos = sizeof(*disk);

	if (!disk || (item->key.type != BTRFS_ROOT_REF_KEY && item->key.type != BTRFS_ROOT_BACKREF_KEY))
		return -EUCLEAN;
	*out = (struct xx_btrfs_name){
		.parent = le64_get(disk->dirid),
		.index = le64_get(disk->sequence),
		.length = le16_get(disk->name_len),
	};
	return take_name(item, &pos, out->length, &out->name);
}

int xx_btrfs_dir_item_next(const struct xx_btrfs_item *item, uint32_t *pos, struct xx_btrfs_dir_entry *out)
{
	const struct btrfs_dir_item *disk = part(item, *pos, sizeof(*disk));
	const uint8_t type = item->key.type;

	if (*pos == item->size && *pos > 0)
		return 0;
	if (!disk || (type != BTRFS_DIR_ITEM_KEY && type != BTRFS_DIR_INDEX_KEY && type != BTRFS_XATTR_ITEM_KEY))
		return -EUCLEAN;
	*out = (struct xx_btrfs_dir_entry){
		.location = xx_btrfs_key_get(&disk->location),
		.transid = le64_get(disk->transid),
		.type = disk->type,
		.length = le16_get(disk->name_len),
		.data_length = le16_get(disk->data_len),
	};
	*pos += (uint32_t)sizeof(*disk);
	if (take_name(item, pos, out->length, &out->name) != 0)
		return -EUCLEAN;
	out->data = part(item, *pos, out->data_length);
	if (!out->data)
		return -EUCLEAN;
	*pos += out->data_length;
	return 1;
}

int xx_btrfs_root_item_parse(const struct xx_btrfs_item *item, struct xx_btrfs_root_info *out)
{
	const struct btrfs_root_item *disk = part(item, 0, BTRFS_ROOT_ITEM_OLD_SIZE);

	if (!disk || item->key.type != BTRFS_ROOT_ITEM_KEY)
		return -EUCLEAN;
	*out = (struct xx_btrfs_root_info){
		.root = {
			.id = item->key.objectid,
			.bytenr = le64_get(disk->bytenr),
			.generation = le64_get(disk->generation),
			.level = disk->level,
			.owner = item->key.objectid,
		},
		.root_dirid = le64_get(disk->root_dirid),
		.last_snapshot = le64_get(disk->last_snapshot),
		.flags = le64_get(disk->flags),
		.refs = le32_get(disk->refs),
		.drop_level = disk->drop_level,
		.drop_progress = xx_btrfs_key_get(&disk->drop_progress),
	};
	if (item->size >= sizeof(*disk))
		out->otransid = le64_get(disk->otransid);
	return out->root.level < BTRFS_MAX_LEVEL && out->drop_level < BTRFS_MAX_LEVEL ? 0 : -EUCLEAN;
}

static bool file_extent_fits(const struct xx_btrfs_file_extent *extent)
{
	return xx_btrfs_range_fits(extent->file_offset, extent->num_bytes) &&
	       xx_btrfs_range_fits(extent->disk_bytenr, extent->disk_num_bytes) &&
	       xx_btrfs_range_fits(extent->offset, extent->num_bytes);
}

int xx_btrfs_file_extent_parse(const struct xx_btrfs_item *item, struct xx_btrfs_file_extent *out)
{
	const struct btrfs_file_extent_item *disk = part(item, 0, BTRFS_FILE_EXTENT_INLINE_START);

	if (!disk || item->key.type != BTRFS_EXTENT_DATA_KEY)
		return -EUCLEAN;
	*out = (struct xx_btrfs_file_extent){
		.generation = le64_get(disk->generation),
		.file_offset = item->key.offset,
		.ram_bytes = le64_get(disk->ram_bytes),
		.compression = disk->compression,
		.type = disk->type,
	};
	if (disk->type == BTRFS_FILE_EXTENT_INLINE) {
		out->inline_data = &disk->disk_bytenr;
		out->inline_length = item->size - (uint32_t)BTRFS_FILE_EXTENT_INLINE_START;
		return 0;
	}
	if (item->size != sizeof(*disk) || disk->type > BTRFS_FILE_EXTENT_PREALLOC)
		return -EUCLEAN;
	out->disk_bytenr = le64_get(disk->disk_bytenr);
	out->disk_num_bytes = le64_get(disk->disk_num_bytes);
	out->offset = le64_get(disk->offset);
	out->num_bytes = le64_get(disk->num_bytes);
	return file_extent_fits(out) ? 0 : -EUCLEAN;
}
