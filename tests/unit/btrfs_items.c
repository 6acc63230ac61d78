/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_items.c - parsers of items: what they say of good ones, and that they refuse what is cut or senseless. Each item
 * lies at the end of its memory, so that a sanitizer sees whoever reads too far.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xx/btrfs_item.h>

static uint8_t *memory;

static struct xx_btrfs_item make(uint64_t objectid, uint8_t type, uint64_t offset, const void *data, uint32_t size)
{
	free(memory);
	memory = malloc(size ? size : 1);
	cr_assert_not_null(memory);
	if (size)
		memcpy(memory, data, size);
	return (struct xx_btrfs_item){ .key = { objectid, type, offset }, .data = memory, .size = size };
}

static void teardown(void)
{
	free(memory);
	memory = NULL;
}

TestSuite(btrfs_items, .fini = teardown);

Test(btrfs_items, inode)
{
	struct btrfs_inode_item disk = { .size = le64_make(77), .flags = le64_make(BTRFS_INODE_NODATASUM) };
	struct xx_btrfs_inode inode;
	struct xx_btrfs_item item;

	for (uint32_t size = 0; size < sizeof(disk); size++) {
		item = make(256, BTRFS_INODE_ITEM_KEY, 0, &disk, size);
		cr_assert_eq(xx_btrfs_inode_parse(&item, &inode), -EUCLEAN);
	}
	item = make(256, BTRFS_INODE_ITEM_KEY, 0, &disk, sizeof(disk));
	cr_assert_eq(xx_btrfs_inode_parse(&item, &inode), 0);
	cr_assert_eq(inode.size, 77);
	cr_assert(inode.nodatasum);
}

/* Names "ab" and "c", as inode references. */
static const uint8_t two_refs[] = { 5, 0, 0, 0, 0, 0, 0, 0, 2, 0, 'a', 'b', 6, 0, 0, 0, 0, 0, 0, 0, 1, 0, 'c' };

Test(btrfs_items, inode_refs)
{
	struct xx_btrfs_item item = make(300, BTRFS_INODE_REF_KEY, 256, two_refs, sizeof(two_refs));
	struct xx_btrfs_name name;
	uint32_t pos = 0;

	cr_assert_eq(xx_btrfs_inode_ref_next(&item, &pos, &name), 1);
	cr_assert(name.parent == 256 && name.index == 5 && name.length == 2 && memcmp(name.name, "ab", 2) == 0);
	cr_assert_eq(xx_btrfs_inode_ref_next(&item, &pos, &name), 1);
	cr_assert(name.index == 6 && name.length == 1 && name.name[0] == 'c');
	cr_assert_eq(xx_btrfs_inode_ref_next(&item, &pos, &name), 0);
}

Test(btrfs_items, inode_refs_cut)
{
	for (uint32_t size = 0; size < sizeof(two_refs); size++) {
		struct xx_btrfs_item item = make(300, BTRFS_INODE_REF_KEY, 256, two_refs, size);
		struct xx_btrfs_name name;
		uint32_t pos = 0;
		int ret;

		while ((ret = xx_btrfs_inode_ref_next(&item, &pos, &name)) > 0)
			;
		cr_assert_eq(ret, size == 12 ? 0 : -EUCLEAN, "%u bytes", size);
	}
}

Test(btrfs_items, extrefs_and_roots)
{
	uint8_t data[sizeof(struct btrfs_inode_extref) + 3] = { 0 };
	struct btrfs_inode_extref *extref = (void *)data;
	struct btrfs_root_ref *root = (void *)data;
	struct xx_btrfs_name name;
	struct xx_btrfs_item item;
	uint32_t pos = 0;

	memcpy(data + sizeof(*extref), "xyz", 3);
	extref->parent_objectid = le64_make(400);
	extref->name_len = le16_make(3);
	item = make(300, BTRFS_INODE_EXTREF_KEY, 12345, data, sizeof(data));
	cr_assert_eq(xx_btrfs_inode_extref_next(&item, &pos, &name), 1);
	cr_assert(name.parent == 400 && name.length == 3 && memcmp(name.name, "xyz", 3) == 0);
	cr_assert_eq(xx_btrfs_inode_extref_next(&item, &pos, &name), 0);
	root->dirid = le64_make(500);
	item = make(300, BTRFS_ROOT_BACKREF_KEY, 5, data, sizeof(data));
	cr_assert_eq(xx_btrfs_root_ref_parse(&item, &name), 0);
	cr_assert(name.parent == 500 && name.length == 3);
	for (uint32_t size = 0; size < sizeof(data); size++) {
		item = make(300, BTRFS_ROOT_BACKREF_KEY, 5, data, size);
		cr_assert_eq(xx_btrfs_root_ref_parse(&item, &name), -EUCLEAN);
		item = make(300, BTRFS_INODE_EXTREF_KEY, 5, data, size);
		pos = 0;
		cr_assert_eq(xx_btrfs_inode_extref_next(&item, &pos, &name), -EUCLEAN);
	}
	root->name_len = le16_make(0);
	item = make(300, BTRFS_ROOT_BACKREF_KEY, 5, data, sizeof(data));
	cr_assert_eq(xx_btrfs_root_ref_parse(&item, &name), -EUCLEAN, "a name of no bytes");
}

Test(btrfs_items, directory_entries)
{
	uint8_t data[sizeof(struct btrfs_dir_item) + 5] = { 0 };
	struct btrfs_dir_item *disk = (void *)data;
	struct xx_btrfs_dir_entry entry;
	struct xx_btrfs_item item;

	memcpy(data + sizeof(*disk), "abcde", 5);
	disk->location = xx_btrfs_key_make((struct xx_btrfs_key){ 300, BTRFS_INODE_ITEM_KEY, 0 });
	disk->name_len = le16_make(3);
	disk->data_len = le16_make(2);
	for (uint32_t size = 0; size <= sizeof(data); size++) {
		uint32_t pos = 0;
		int ret;

		item = make(256, BTRFS_XATTR_ITEM_KEY, 1, data, size);
		ret = xx_btrfs_dir_item_next(&item, &pos, &entry);
		cr_assert_eq(ret, size == sizeof(data) ? 1 : -EUCLEAN);
		if (ret == 1)
			cr_assert_eq(xx_btrfs_dir_item_next(&item, &pos, &entry), 0);
	}
	cr_assert(entry.location.objectid == 300 && entry.length == 3 && entry.data_length == 2);
	cr_assert_eq(memcmp(entry.data, "de", 2), 0);
}

Test(btrfs_items, roots)
{
	struct btrfs_root_item disk = { .bytenr = le64_make(65536), .refs = le32_make(1), .level = 2 };
	struct xx_btrfs_root_info info;
	struct xx_btrfs_item item;

	for (uint32_t size = 0; size <= sizeof(disk); size++) {
		item = make(257, BTRFS_ROOT_ITEM_KEY, 0, &disk, size);
		cr_assert_eq(xx_btrfs_root_item_parse(&item, &info), size < BTRFS_ROOT_ITEM_OLD_SIZE ? -EUCLEAN : 0);
	}
	cr_assert(info.root.id == 257 && info.root.bytenr == 65536 && info.root.level == 2 && info.refs == 1);
	disk.level = BTRFS_MAX_LEVEL;
	item = make(257, BTRFS_ROOT_ITEM_KEY, 0, &disk, sizeof(disk));
	cr_assert_eq(xx_btrfs_root_item_parse(&item, &info), -EUCLEAN);
}

Test(btrfs_items, file_extents)
{
	struct btrfs_file_extent_item disk = {
		.type = BTRFS_FILE_EXTENT_REG,
		.disk_bytenr = le64_make(1 << 20),
		.disk_num_bytes = le64_make(8192),
		.offset = le64_make(4096),
		.num_bytes = le64_make(4096),
	};
	struct xx_btrfs_file_extent file;
	struct xx_btrfs_item item;

	for (uint32_t size = 0; size <= sizeof(disk); size++) {
		item = make(257, BTRFS_EXTENT_DATA_KEY, 8192, &disk, size);
		cr_assert_eq(xx_btrfs_file_extent_parse(&item, &file), size < sizeof(disk) ? -EUCLEAN : 0);
	}
	cr_assert(file.file_offset == 8192 && file.disk_bytenr == 1 << 20 && file.offset == 4096);
	disk.num_bytes = le64_make(UINT64_MAX - 4096);
	item = make(257, BTRFS_EXTENT_DATA_KEY, 8192, &disk, sizeof(disk));
	cr_assert_eq(xx_btrfs_file_extent_parse(&item, &file), -EUCLEAN);
	disk.type = BTRFS_FILE_EXTENT_INLINE;
	item = make(257, BTRFS_EXTENT_DATA_KEY, 0, &disk, BTRFS_FILE_EXTENT_INLINE_START + 7);
	cr_assert_eq(xx_btrfs_file_extent_parse(&item, &file), 0);
	cr_assert_eq(file.inline_length, 7);
	disk.type = 3;
	item = make(257, BTRFS_EXTENT_DATA_KEY, 0, &disk, sizeof(disk));
	cr_assert_eq(xx_btrfs_file_extent_parse(&item, &file), -EUCLEAN);
}

/* An extent item with one inline reference of each kind that data may have. */
struct data_extent {
	struct btrfs_extent_item item;
	uint8_t owner_type;
	struct btrfs_extent_owner_ref owner;
	uint8_t data_type;
	struct btrfs_extent_data_ref data;
	uint8_t shared_type;
	le64 shared_parent;
	struct btrfs_shared_data_ref shared;
};

static struct data_extent data_extent(void)
{
	return (struct data_extent){
		.item = { .refs = le64_make(3), .flags = le64_make(BTRFS_EXTENT_FLAG_DATA) },
		.owner_type = BTRFS_EXTENT_OWNER_REF_KEY,
		.owner = { le64_make(256) },
		.data_type = BTRFS_EXTENT_DATA_REF_KEY,
		.data = { le64_make(5), le64_make(300), le64_make(8192), le32_make(2) },
		.shared_type = BTRFS_SHARED_DATA_REF_KEY,
		.shared_parent = le64_make(1 << 20),
		.shared = { le32_make(1) },
	};
}

Test(btrfs_items, data_extents)
{
	const struct data_extent disk = data_extent();
	struct xx_btrfs_item item = make(1 << 24, BTRFS_EXTENT_ITEM_KEY, 65536, &disk, sizeof(disk));
	struct xx_btrfs_extent_ref ref;
	struct xx_btrfs_extent extent;
	uint32_t pos = 0;

	cr_assert_eq(xx_btrfs_extent_parse(&item, 16384, &extent), 0);
	cr_assert(!extent.tree && extent.logical == 1 << 24 && extent.length == 65536 && extent.refs == 3);
	cr_assert_eq(xx_btrfs_extent_ref_next(&extent, &pos, &ref), 1);
	cr_assert(ref.type == BTRFS_EXTENT_OWNER_REF_KEY && ref.root == 256);
	cr_assert_eq(xx_btrfs_extent_ref_next(&extent, &pos, &ref), 1);
	cr_assert(ref.root == 5 && ref.inode == 300 && ref.offset == 8192 && ref.count == 2);
	cr_assert_eq(xx_btrfs_extent_ref_next(&extent, &pos, &ref), 1);
	cr_assert(ref.parent == 1 << 20 && ref.count == 1);
	cr_assert_eq(xx_btrfs_extent_ref_next(&extent, &pos, &ref), 0);
}

Test(btrfs_items, data_extents_cut)
{
	const struct data_extent disk = data_extent();

	for (uint32_t size = 0; size < sizeof(disk); size++) {
		struct xx_btrfs_item item = make(1 << 24, BTRFS_EXTENT_ITEM_KEY, 65536, &disk, size);
		struct xx_btrfs_extent_ref ref;
		struct xx_btrfs_extent extent;
		uint32_t pos = 0;
		int ret = xx_btrfs_extent_parse(&item, 16384, &extent);

		cr_assert_eq(ret, size < sizeof(disk.item) ? -EUCLEAN : 0);
		while (ret == 0 && (ret = xx_btrfs_extent_ref_next(&extent, &pos, &ref)) > 0)
			ret = 0;
		cr_assert(ret == 0 || ret == -EUCLEAN);
	}
}

Test(btrfs_items, tree_extents)
{
	struct {
		struct btrfs_extent_item item;
		struct btrfs_tree_block_info info;
		uint8_t type;
		le64 root;
	} disk = {
		.item = { .flags = le64_make(BTRFS_EXTENT_FLAG_TREE_BLOCK | BTRFS_BLOCK_FLAG_FULL_BACKREF) },
		.info = { .level = 3 },
		.type = BTRFS_TREE_BLOCK_REF_KEY,
		.root = le64_make(7),
	};
	struct xx_btrfs_extent extent;
	struct xx_btrfs_extent_ref ref;
	struct xx_btrfs_item item = make(1 << 24, BTRFS_EXTENT_ITEM_KEY, 16384, &disk, sizeof(disk));
	uint32_t pos = 0;

	cr_assert_eq(xx_btrfs_extent_parse(&item, 16384, &extent), 0);
	cr_assert(extent.tree && extent.full_backref && extent.level == 3 && extent.has_first);
	cr_assert_eq(xx_btrfs_extent_ref_next(&extent, &pos, &ref), 1);
	cr_assert_eq(ref.root, 7);
	item.key.offset = 4096;
	cr_assert_eq(xx_btrfs_extent_parse(&item, 16384, &extent), -EUCLEAN, "not as long as a block");
	item.key = (struct xx_btrfs_key){ 1 << 24, BTRFS_METADATA_ITEM_KEY, 2 };
	cr_assert_eq(xx_btrfs_extent_parse(&item, 16384, &extent), 0);
	cr_assert(extent.level == 2 && extent.length == 16384);
	item.key.offset = BTRFS_MAX_LEVEL;
	cr_assert_eq(xx_btrfs_extent_parse(&item, 16384, &extent), -EUCLEAN, "a level that there is not");
	item.key = (struct xx_btrfs_key){ UINT64_MAX - 100, BTRFS_METADATA_ITEM_KEY, 2 };
	cr_assert_eq(xx_btrfs_extent_parse(&item, 16384, &extent), -EUCLEAN, "an address beyond all");
}

Test(btrfs_items, keyed_references)
{
	const struct btrfs_extent_data_ref data = { le64_make(5), le64_make(300), le64_make(-4096), le32_make(2) };
	struct xx_btrfs_item item = make(1 << 24, BTRFS_EXTENT_DATA_REF_KEY, 99, &data, sizeof(data));
	struct xx_btrfs_extent_ref ref;

	cr_assert_eq(xx_btrfs_keyed_ref_parse(&item, &ref), 0);
	cr_assert(ref.root == 5 && ref.inode == 300 && ref.offset == (uint64_t)-4096);
	item.size--;
	cr_assert_eq(xx_btrfs_keyed_ref_parse(&item, &ref), -EUCLEAN);
	item.key.type = BTRFS_SHARED_DATA_REF_KEY;
	cr_assert_eq(xx_btrfs_keyed_ref_parse(&item, &ref), 0);
	cr_assert_eq(ref.parent, 99);
	item = make(1 << 24, BTRFS_TREE_BLOCK_REF_KEY, 7, NULL, 0);
	cr_assert_eq(xx_btrfs_keyed_ref_parse(&item, &ref), 0);
	cr_assert_eq(ref.root, 7);
	item.key.type = BTRFS_BLOCK_GROUP_ITEM_KEY;
	cr_assert_eq(xx_btrfs_keyed_ref_parse(&item, &ref), -EUCLEAN);
}

Test(btrfs_items, space)
{
	const struct btrfs_block_group_item group = { .flags = le64_make(BTRFS_BLOCK_GROUP_DATA) };
	struct btrfs_dev_extent extent = { .length = le64_make(65536), .chunk_offset = le64_make(1 << 20) };
	struct xx_btrfs_block_group parsed_group;
	struct xx_btrfs_dev_extent parsed_extent;
	struct xx_btrfs_item item = make(1 << 20, BTRFS_BLOCK_GROUP_ITEM_KEY, 1 << 20, &group, sizeof(group));

	cr_assert_eq(xx_btrfs_block_group_parse(&item, &parsed_group), 0);
	item.key.offset = 0;
	cr_assert_eq(xx_btrfs_block_group_parse(&item, &parsed_group), -EUCLEAN);
	item = make(1, BTRFS_DEV_EXTENT_KEY, 4096, &extent, sizeof(extent));
	cr_assert_eq(xx_btrfs_dev_extent_parse(&item, &parsed_extent), 0);
	cr_assert(parsed_extent.devid == 1 && parsed_extent.physical == 4096 && parsed_extent.chunk == 1 << 20);
	extent.length = le64_make(0);
	item = make(1, BTRFS_DEV_EXTENT_KEY, 4096, &extent, sizeof(extent));
	cr_assert_eq(xx_btrfs_dev_extent_parse(&item, &parsed_extent), -EUCLEAN);
}

Test(btrfs_items, sums)
{
	const uint8_t bytes[64] = { 1 };
	struct xx_btrfs_item item = make(BTRFS_EXTENT_CSUM_OBJECTID, BTRFS_EXTENT_CSUM_KEY, 1 << 20, bytes, 64);
	struct xx_btrfs_sum_item run;

	cr_assert_eq(xx_btrfs_sum_item_parse(&item, 4096, 4, &run), 0);
	cr_assert(run.count == 16 && run.length == 65536);
	cr_assert_eq(xx_btrfs_sum_item_parse(&item, 16384, 32, &run), 0);
	cr_assert(run.count == 2 && run.length == 32768);
	item.size = 63;
	cr_assert_eq(xx_btrfs_sum_item_parse(&item, 4096, 4, &run), -EUCLEAN);
	item.size = 64;
	item.key.offset++;
	cr_assert_eq(xx_btrfs_sum_item_parse(&item, 4096, 4, &run), -EUCLEAN);
	item.key.offset = (UINT64_C(1) << 63) - 4096;
	cr_assert_eq(xx_btrfs_sum_item_parse(&item, 4096, 4, &run), -EUCLEAN);
}
