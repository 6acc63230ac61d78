/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_volume.c - devices that belong together, and those that do not.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include "btrfs_common.h"

#define SIZE (UINT64_C(1) << 30)

struct fixture {
	struct data_rig rig;
	struct xx_btrfs_super like;
	struct xx_btrfs_volume *volume;
	struct xx_btrfs_chunk_map *map;
};

/* Devices 1 to @count of one file system of generation 6. */
static void setup(struct fixture *f, unsigned count)
{
	struct xx_btrfs_chunk_check check;

	*f = (struct fixture){ .volume = NULL };
	data_rig_open(&f->rig, SIZE);
	data_super("crc32c", &f->like);
	for (unsigned i = 0; i < count; i++)
		data_write_super(f->rig.devices[i], &f->like, i + 1, count, 6);
	cr_assert_eq(xx_btrfs_chunk_map_create(&f->like, &f->map), 0);
	cr_assert_eq(xx_btrfs_chunk_map_seal(f->map, &check), 0);
}

static int make(struct fixture *f, unsigned count)
{
	return xx_btrfs_volume_create(f->rig.ctx, f->rig.ring, f->rig.devices, count, &f->volume);
}

static void teardown(struct fixture *f)
{
	xx_btrfs_volume_destroy(f->volume);
	xx_btrfs_chunk_map_destroy(f->map);
	data_rig_close(&f->rig);
}

static int add(struct fixture *f, uint64_t devid)
{
	const struct btrfs_dev_item item = data_dev_item(&f->like, devid, SIZE);

	return xx_btrfs_volume_add_item(f->volume, devid, &item, sizeof(item));
}

static void add_all(struct fixture *f, unsigned count)
{
	for (unsigned i = 1; i <= count; i++)
		cr_assert_eq(add(f, i), 0, "%s", f->rig.said);
}

/* One RAID1 chunk on devices 1 and 2, at @physical of each. */
static void add_chunk(struct fixture *f, uint64_t physical, uint64_t length)
{
	const struct data_chunk chunk = { length, BTRFS_BLOCK_GROUP_DATA | BTRFS_BLOCK_GROUP_RAID1, 2, 1, physical };
	struct xx_btrfs_chunk_check check;
	uint8_t item[DATA_ITEM_MAX];
	const size_t size = data_chunk_item(&chunk, item);

	((struct btrfs_chunk *)item)->stripe[1].offset = le64_make(physical);
	cr_assert_eq(xx_btrfs_chunk_map_add(f->map, 1 << 20, item, size, &check), 0, "%s", check.text);
	cr_assert_eq(xx_btrfs_chunk_map_seal(f->map, &check), 0);
}

Test(btrfs_volume, complete)
{
	struct fixture f;

	setup(&f, 3);
	cr_assert_eq(make(&f, 3), 0, "%s", f.rig.said);
	add_all(&f, 3);
	add_chunk(&f, 1 << 20, 1 << 20);
	cr_assert_eq(xx_btrfs_volume_settle(f.volume, f.map), 0);
	cr_assert_eq(f.rig.messages, 0u, "%s", f.rig.said);
	cr_assert_eq(xx_btrfs_volume_count(f.volume), 3u);
	cr_assert_eq(xx_btrfs_volume_missing(f.volume), 0u);
	for (unsigned i = 0; i < 3; i++) {
		const struct xx_btrfs_member *member = xx_btrfs_volume_get(f.volume, i);

		cr_assert_eq(member->devid, i + 1);
		cr_assert_eq(member->device, f.rig.devices[i]);
		cr_assert(!member->stale && !member->seed && member->has_item);
		cr_assert_eq(member->total_bytes, SIZE);
	}
	cr_assert_null(xx_btrfs_volume_get(f.volume, 3));
	cr_assert_null(xx_btrfs_volume_find(f.volume, 4));
	cr_assert(xx_btrfs_volume_knows(f.volume, f.like.metadata_uuid));
	teardown(&f);
}

Test(btrfs_volume, a_missing_device_is_said)
{
	struct fixture f;

	setup(&f, 3);
	cr_assert_eq(make(&f, 2), 0);
	add_all(&f, 3);
	cr_assert_eq(xx_btrfs_volume_settle(f.volume, f.map), 0);
	cr_assert_eq(xx_btrfs_volume_missing(f.volume), 1u);
	cr_assert_str_eq(f.rig.said, "Device 3 is missing.");
	cr_assert_null(xx_btrfs_volume_device(f.volume, 3));
	teardown(&f);
}

Test(btrfs_volume, a_stale_device_is_said)
{
	struct fixture f;

	setup(&f, 2);
	data_write_super(f.rig.devices[0], &f.like, 1, 2, 4);
	cr_assert_eq(make(&f, 2), 0);
	cr_assert_eq(xx_btrfs_volume_super(f.volume)->generation, 6u);
	cr_assert(xx_btrfs_volume_find(f.volume, 1)->stale);
	cr_assert(!xx_btrfs_volume_find(f.volume, 2)->stale);
	add_all(&f, 2);
	cr_assert_eq(xx_btrfs_volume_settle(f.volume, f.map), 0);
	cr_assert_not_null(strstr(f.rig.said, "disk1 (device 1) is stale: its generation is 4"), "%s", f.rig.said);
	teardown(&f);
}

Test(btrfs_volume, two_with_one_number)
{
	struct fixture f;

	setup(&f, 2);
	data_write_super(f.rig.devices[1], &f.like, 1, 2, 6);
	cr_assert_eq(make(&f, 2), -EEXIST);
	cr_assert_not_null(strstr(f.rig.said, "disk1 and disk2 are both device 1"), "%s", f.rig.said);
	teardown(&f);
}

Test(btrfs_volume, no_btrfs)
{
	struct fixture f;

	setup(&f, 1);
	cr_assert_eq(make(&f, 2), -ENOENT);
	cr_assert_not_null(strstr(f.rig.said, "disk2 is no btrfs"), "%s", f.rig.said);
	teardown(&f);
}

Test(btrfs_volume, no_good_superblock)
{
	struct fixture f;
	static _Alignas(4096) uint8_t block[DATA_BLOCK];

	setup(&f, 1);
	for (unsigned i = 0; i < 2; i++) {
		cr_assert_eq(xx_device_read(f.rig.devices[0], xx_btrfs_super_offset(i), block, sizeof(block)), 0);
		block[200] ^= 1;
		cr_assert_eq(xx_device_write(f.rig.devices[0], xx_btrfs_super_offset(i), block, sizeof(block)), 0);
	}
	cr_assert_eq(make(&f, 1), -EUCLEAN);
	cr_assert_str_eq(f.rig.said, "disk1, superblock 1 at 67108864: its checksum is wrong.");
	cr_assert_eq(f.rig.messages, 2u);
	teardown(&f);
}

Test(btrfs_volume, unsupported)
{
	struct fixture f;

	setup(&f, 1);
	f.like.raw.incompat_flags = le64_make(f.like.incompat | BTRFS_FEATURE_INCOMPAT_RAID_STRIPE_TREE);
	data_write_super(f.rig.devices[0], &f.like, 1, 1, 6);
	cr_assert_eq(make(&f, 1), -EOPNOTSUPP);
	cr_assert_not_null(strstr(f.rig.said, "raid-stripe-tree"), "%s", f.rig.said);
	teardown(&f);
}

Test(btrfs_volume, a_device_of_another_file_system)
{
	struct fixture f;

	setup(&f, 2);
	memset(f.like.fsid, 0x77, sizeof(f.like.fsid));
	memcpy(f.like.metadata_uuid, f.like.fsid, sizeof(f.like.fsid));
	data_write_super(f.rig.devices[2], &f.like, 1, 1, 6);
	cr_assert_eq(make(&f, 3), 0);
	data_super("crc32c", &f.like);
	add_all(&f, 2);
	cr_assert_eq(xx_btrfs_volume_settle(f.volume, f.map), -EXDEV);
	cr_assert_str_eq(f.rig.said, "disk3 belongs to another file system, 77777777-7777-7777-7777-777777777777.");
	teardown(&f);
}

/* Device 1 is a seed that devices 2 and 3 grew from. */
static void setup_sprout(struct fixture *f, struct xx_btrfs_super *seed)
{
	setup(f, 0);
	data_super("crc32c", seed);
	memset(seed->fsid, 0x11, sizeof(seed->fsid));
	memcpy(seed->metadata_uuid, seed->fsid, sizeof(seed->fsid));
	seed->flags |= BTRFS_SUPER_FLAG_SEEDING;
	data_write_super(f->rig.devices[0], seed, 1, 1, 3);
	data_write_super(f->rig.devices[1], &f->like, 2, 3, 6);
	data_write_super(f->rig.devices[2], &f->like, 3, 3, 6);
}

static int add_seed(struct fixture *f, const struct xx_btrfs_super *seed)
{
	const struct btrfs_dev_item item = data_dev_item(seed, 1, SIZE);

	return xx_btrfs_volume_add_item(f->volume, 1, &item, sizeof(item));
}

Test(btrfs_volume, a_seed)
{
	struct fixture f;
	struct xx_btrfs_super seed;

	setup_sprout(&f, &seed);
	cr_assert_eq(make(&f, 3), 0, "%s", f.rig.said);
	cr_assert_eq(xx_btrfs_volume_super(f.volume)->generation, 6u);
	cr_assert_eq(xx_btrfs_volume_count(f.volume), 2u);
	cr_assert_eq(xx_btrfs_volume_device(f.volume, 1), f.rig.devices[0], "to read the chunk tree from");
	cr_assert(xx_btrfs_volume_knows(f.volume, seed.fsid));
	cr_assert_eq(add_seed(&f, &seed), 0);
	cr_assert_eq(add(&f, 2), 0);
	cr_assert_eq(add(&f, 3), 0);
	cr_assert_eq(xx_btrfs_volume_settle(f.volume, f.map), 0, "%s", f.rig.said);
	cr_assert_eq(xx_btrfs_volume_count(f.volume), 3u);
	cr_assert(xx_btrfs_volume_find(f.volume, 1)->seed);
	cr_assert(!xx_btrfs_volume_find(f.volume, 1)->stale);
	cr_assert_eq(xx_btrfs_volume_find(f.volume, 1)->generation, 3u);
	cr_assert(!xx_btrfs_volume_find(f.volume, 2)->seed);
	teardown(&f);
}

Test(btrfs_volume, a_missing_seed)
{
	struct fixture f;
	struct xx_btrfs_super seed;

	setup_sprout(&f, &seed);
	cr_assert_eq(xx_btrfs_volume_create(f.rig.ctx, f.rig.ring, &f.rig.devices[1], 2, &f.volume), 0);
	cr_assert_not(xx_btrfs_volume_knows(f.volume, seed.fsid));
	cr_assert_eq(add_seed(&f, &seed), 0);
	cr_assert(xx_btrfs_volume_knows(f.volume, seed.fsid));
	cr_assert_eq(add(&f, 2), 0);
	cr_assert_eq(add(&f, 3), 0);
	cr_assert_eq(xx_btrfs_volume_settle(f.volume, f.map), 0);
	cr_assert_str_eq(f.rig.said, "Device 1, a seed, is missing.");
	teardown(&f);
}

Test(btrfs_volume, a_seed_alone_is_a_file_system)
{
	struct fixture f;
	struct xx_btrfs_super seed;
	char uuid[XX_BTRFS_UUID_TEXT];

	setup_sprout(&f, &seed);
	cr_assert_eq(make(&f, 1), 0, "%s", f.rig.said);
	xx_btrfs_uuid_text(xx_btrfs_volume_super(f.volume)->fsid, uuid);
	cr_assert_str_eq(uuid, "11111111-1111-1111-1111-111111111111");
	cr_assert(!xx_btrfs_volume_find(f.volume, 1)->seed);
	teardown(&f);
}

/* --- Items and sizes --- */

Test(btrfs_volume, items_that_cannot_be)
{
	struct fixture f;
	struct btrfs_dev_item item;

	setup(&f, 2);
	cr_assert_eq(make(&f, 2), 0);
	item = data_dev_item(&f.like, 1, SIZE);
	cr_assert_eq(xx_btrfs_volume_add_item(f.volume, 1, &item, sizeof(item) - 1), -EUCLEAN);
	cr_assert_eq(xx_btrfs_volume_add_item(f.volume, 2, &item, sizeof(item)), -EUCLEAN);
	item = data_dev_item(&f.like, 1, 0);
	cr_assert_eq(xx_btrfs_volume_add_item(f.volume, 1, &item, sizeof(item)), -EUCLEAN);
	item = data_dev_item(&f.like, 1, SIZE);
	item.uuid[5] ^= 1;
	cr_assert_eq(xx_btrfs_volume_add_item(f.volume, 1, &item, sizeof(item)), -EUCLEAN);
	cr_assert_eq(add(&f, 1), 0);
	cr_assert_eq(add(&f, 1), -EUCLEAN, "twice");
	cr_assert_eq(f.rig.messages, 5u);
	cr_assert_eq(xx_btrfs_volume_settle(f.volume, f.map), -EUCLEAN, "device 2 has no item");
	teardown(&f);
}

static const struct size_case {
	const char *name;
	uint64_t item_size; /* of device 2 */
	uint64_t physical, length; /* of the chunk */
	int error;
	const char *said;
} size_cases[] = {
	{ "fits", SIZE, 1 << 20, 1 << 20, 0, "" },
	{ "to the end", SIZE, SIZE - (1 << 20), 1 << 20, 0, "" },
	{ "item smaller", SIZE / 2, 1 << 20, 1 << 20, 0, "" },
	{ "item larger", SIZE * 2, 1 << 20, 1 << 20, 0, "disk2 is smaller" },
	{ "chunk beyond the item", SIZE / 2, SIZE / 2, 1 << 20, -EUCLEAN, "A chunk ends at 537919488 on device 2" },
	{ "chunk beyond the device", SIZE * 2, SIZE, 1 << 20, -EUCLEAN, "ends at 1074790400" },
};

Test(btrfs_volume, sizes)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(size_cases); i++) {
		const struct size_case *c = &size_cases[i];
		struct fixture f;
		struct btrfs_dev_item item;

		setup(&f, 2);
		cr_assert_eq(make(&f, 2), 0);
		item = data_dev_item(&f.like, 1, SIZE * 2);
		if (c->item_size <= SIZE)
			item.total_bytes = le64_make(SIZE);
		cr_assert_eq(xx_btrfs_volume_add_item(f.volume, 1, &item, sizeof(item)), 0);
		item = data_dev_item(&f.like, 2, c->item_size);
		cr_assert_eq(xx_btrfs_volume_add_item(f.volume, 2, &item, sizeof(item)), 0);
		add_chunk(&f, c->physical, c->length);
		cr_expect_eq(xx_btrfs_volume_settle(f.volume, f.map), c->error, "%s: %s", c->name, f.rig.said);
		cr_expect_not_null(strstr(f.rig.said, c->said), "%s: %s", c->name, f.rig.said);
		teardown(&f);
	}
}

Test(btrfs_volume, a_chunk_on_a_device_that_is_none)
{
	struct fixture f;

	setup(&f, 1);
	cr_assert_eq(make(&f, 1), 0);
	add_all(&f, 1);
	add_chunk(&f, 1 << 20, 1 << 20);
	cr_assert_eq(xx_btrfs_volume_settle(f.volume, f.map), -EUCLEAN);
	cr_assert_not_null(strstr(f.rig.said, "lies on device 2, which"), "%s", f.rig.said);
	teardown(&f);
}
