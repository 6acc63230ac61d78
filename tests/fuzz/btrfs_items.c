/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_items.c - fuzzes the parsers of items. The input is a key as on disk, then the item; every parser is asked,
 * whatever the key's type is. What they give must keep what btrfs_item.h promises.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xx/btrfs_item.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define END (UINT64_C(1) << 63)

/* Read all of it; a sanitizer looks. */
static void touch(const void *data, size_t size)
{
	volatile uint8_t sum = 0;

	for (size_t i = 0; i < size; i++)
		sum = (uint8_t)(sum + ((const uint8_t *)data)[i]);
}

static void in_range(uint64_t start, uint64_t length)
{
	assert(start <= END && length <= END - start);
}

static void names(const struct xx_btrfs_item *item)
{
	struct xx_btrfs_dir_entry entry;
	struct xx_btrfs_name name;
	uint32_t pos = 0;

	while (xx_btrfs_inode_ref_next(item, &pos, &name) > 0 || xx_btrfs_inode_extref_next(item, &pos, &name) > 0) {
		assert(name.length > 0 && name.length <= BTRFS_NAME_LEN && pos <= item->size);
		touch(name.name, name.length);
	}
	pos = 0;
	while (xx_btrfs_dir_item_next(item, &pos, &entry) > 0) {
		assert(pos <= item->size);
		touch(entry.name, entry.length);
		touch(entry.data, entry.data_length);
	}
	if (xx_btrfs_root_ref_parse(item, &name) == 0)
		touch(name.name, name.length);
}

static void inodes(const struct xx_btrfs_item *item)
{
	struct xx_btrfs_root_info info;
	struct xx_btrfs_file_extent file;
	struct xx_btrfs_inode inode;

	(void)!xx_btrfs_inode_parse(item, &inode);
	if (xx_btrfs_root_item_parse(item, &info) == 0)
		assert(info.root.level < BTRFS_MAX_LEVEL);
	if (xx_btrfs_file_extent_parse(item, &file) != 0)
		return;
	if (file.type == BTRFS_FILE_EXTENT_INLINE) {
		touch(file.inline_data, file.inline_length);
		return;
	}
	in_range(file.file_offset, file.num_bytes);
	in_range(file.disk_bytenr, file.disk_num_bytes);
	in_range(file.offset, file.num_bytes);
}

static void extents(const struct xx_btrfs_item *item)
{
	struct xx_btrfs_extent extent;
	struct xx_btrfs_extent_ref ref;
	uint32_t pos = 0;

	(void)!xx_btrfs_keyed_ref_parse(item, &ref);
	if (xx_btrfs_extent_parse(item, 16384, &extent) != 0)
		return;
	in_range(extent.logical, extent.length);
	assert(extent.length > 0 && extent.level < BTRFS_MAX_LEVEL);
	while (xx_btrfs_extent_ref_next(&extent, &pos, &ref) > 0)
		assert(pos <= extent.refs_size);
}

static void space(const struct xx_btrfs_item *item)
{
	static const struct {
		uint32_t sector, sum;
	} kinds[] = { { 4096, 4 }, { 4096, 8 }, { 16384, 32 }, { 65536, 32 } };
	struct xx_btrfs_block_group group;
	struct xx_btrfs_dev_extent extent;
	struct xx_btrfs_dev_item device;
	struct xx_btrfs_sum_item run;

	if (xx_btrfs_block_group_parse(item, &group) == 0)
		in_range(group.logical, group.length);
	if (xx_btrfs_dev_extent_parse(item, &extent) == 0)
		in_range(extent.physical, extent.length);
	if (xx_btrfs_dev_item_parse(item, &device) == 0)
		touch(device.fsid, BTRFS_FSID_SIZE);
	for (size_t i = 0; i < XX_ARRAY_SIZE(kinds); i++) {
		if (xx_btrfs_sum_item_parse(item, kinds[i].sector, kinds[i].sum, &run) != 0)
			continue;
		in_range(run.logical, run.length);
		touch(run.sums, (size_t)run.count * kinds[i].sum);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct btrfs_disk_key key;
	struct xx_btrfs_item item;
	uint8_t *copy;

	if (size < sizeof(key))
		return 0;
	memcpy(&key, data, sizeof(key));
	size -= sizeof(key);
	copy = malloc(size ? size : 1);
	if (!copy)
		return 0;
	if (size)
		memcpy(copy, data + sizeof(key), size);
	item = (struct xx_btrfs_item){ .key = xx_btrfs_key_get(&key), .data = copy, .size = (uint32_t)size };
	names(&item);
	inodes(&item);
	extents(&item);
	space(&item);
	free(copy);
	return 0;
}
