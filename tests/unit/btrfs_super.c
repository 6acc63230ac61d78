/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_super.c - superblocks: real ones of each type of checksum, each fault, the choice among copies.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <string.h>
#include "btrfs_common.h"

Test(btrfs_super, places)
{
	cr_assert_eq(xx_btrfs_super_offset(0), UINT64_C(64) << 10);
	cr_assert_eq(xx_btrfs_super_offset(1), UINT64_C(64) << 20);
	cr_assert_eq(xx_btrfs_super_offset(2), UINT64_C(256) << 30);
	cr_assert_eq(xx_btrfs_super_count(0), 0u);
	cr_assert_eq(xx_btrfs_super_count(65536 + 4096), 0u);
	cr_assert_eq(xx_btrfs_super_count(65536 + 4097), 1u);
	cr_assert_eq(xx_btrfs_super_count(UINT64_C(256) << 30), 2u);
	cr_assert_eq(xx_btrfs_super_count(UINT64_C(1) << 40), 3u);
}

Test(btrfs_super, real_ones)
{
	for (unsigned i = 0; i < 4; i++) {
		struct xx_btrfs_super super;
		char uuid[XX_BTRFS_UUID_TEXT];

		data_super(data_csums[i], &super);
		cr_assert_eq(super.csum_type, i);
		cr_assert_eq(super.generation, 6u);
		cr_assert_eq(super.nodesize, 4096u);
		cr_assert_eq(super.sectorsize, 4096u);
		cr_assert_eq(super.num_devices, 1u);
		cr_assert_eq(super.devid, 1u);
		cr_assert_eq(super.chunk_root, 22024192u);
		cr_assert_eq(super.dev_total_bytes, UINT64_C(120) << 20);
		cr_assert_eq(strncmp(super.label, "label ", 6), 0);
		xx_btrfs_uuid_text(super.fsid, uuid);
		cr_assert_eq(strncmp(uuid, "11111111-2222-3333-4444-55555555000", 35), 0, "%s", uuid);
		cr_assert_eq(memcmp(super.fsid, super.metadata_uuid, sizeof(super.fsid)), 0);
	}
}

/* What is done to a good superblock (whose checksum is then made right, unless it is itself the victim), and the answer. */
struct damage {
	const char *name;
	size_t offset; /* of a little-endian number */
	unsigned width; /* its bytes */
	uint64_t value;
	enum xx_btrfs_super_fault fault;
	int error;
	const char *text; /* a part of it */
};

#define AT(field)     offsetof(struct btrfs_super_block, field)
#define INCOMPAT(bit) AT(incompat_flags), 8, UINT64_C(1) << (bit)

static const struct damage damages[] = {
	{ "magic", AT(magic), 8, 0, XX_BTRFS_SUPER_NO_MAGIC, -EUCLEAN, "magic" },
	{ "csum type", AT(csum_type), 2, 4, XX_BTRFS_SUPER_CSUM_TYPE, -EOPNOTSUPP, "4" },
	{ "csum", AT(csum), 1, 0, XX_BTRFS_SUPER_CSUM, -EBADMSG, "checksum" },
	{ "place", AT(bytenr), 8, 67108864, XX_BTRFS_SUPER_BYTENR, -EUCLEAN, "67108864" },
	{ "zoned", INCOMPAT(12), XX_BTRFS_SUPER_UNSUPPORTED, -EOPNOTSUPP, "zoned" },
	{ "extent tree v2", INCOMPAT(13), XX_BTRFS_SUPER_UNSUPPORTED, -EOPNOTSUPP, "extent-tree-v2" },
	{ "raid stripe tree", INCOMPAT(14), XX_BTRFS_SUPER_UNSUPPORTED, -EOPNOTSUPP, "raid-stripe-tree" },
	{ "remap tree", INCOMPAT(17), XX_BTRFS_SUPER_UNSUPPORTED, -EOPNOTSUPP, "remap-tree" },
	{ "unknown feature", INCOMPAT(40), XX_BTRFS_SUPER_UNSUPPORTED, -EOPNOTSUPP, "40" },
	{ "changing", AT(flags), 8, UINT64_C(1) << 39, XX_BTRFS_SUPER_UNSUPPORTED, -EOPNOTSUPP, "btrfstune" },
	{ "sector 0", AT(sectorsize), 4, 0, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "sector size is 0" },
	{ "sector 512", AT(sectorsize), 4, 512, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "sector size" },
	{ "sector 128K", AT(sectorsize), 4, 131072, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "sector size" },
	{ "node odd", AT(nodesize), 4, 12288, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "node size" },
	{ "node huge", AT(nodesize), 4, 1U << 31, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "node size" },
	{ "leaf", AT(unused_leafsize), 4, 16384, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "leaf size" },
	{ "total 0", AT(total_bytes), 8, 0, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "size is 0" },
	{ "total huge", AT(total_bytes), 8, UINT64_MAX, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "size" },
	{ "used", AT(bytes_used), 8, 4096, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "used" },
	{ "no device", AT(num_devices), 8, 0, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "number of devices" },
	{ "device size", AT(dev_item.total_bytes), 8, 0, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "device" },
	{ "device's fsid", AT(dev_item.fsid), 8, 0, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "another file system" },
	{ "root level", AT(root_level), 1, 8, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "level of its root tree" },
	{ "chunk level", AT(chunk_root_level), 1, 255, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "level of its chunk tree" },
	{ "log level", AT(log_root_level), 1, 8, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "level of its log tree" },
	{ "root", AT(root), 8, 513, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "address of its root tree" },
	{ "chunk root", AT(chunk_root), 8, 1, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "address of its chunk tree" },
	{ "log root", AT(log_root), 8, 100, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "address of its log tree" },
	{ "chunk generation", AT(chunk_root_generation), 8, 7, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "generation" },
	{ "array 0", AT(sys_chunk_array_size), 4, 0, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "array" },
	{ "array huge", AT(sys_chunk_array_size), 4, 2049, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, "array" },
	{ "unknown read-only feature", AT(compat_ro_flags), 8, UINT64_C(1) << 50, XX_BTRFS_SUPER_GOOD, 0, "" },
	{ "metadump", AT(flags), 8, BTRFS_SUPER_FLAG_METADUMP_V2, XX_BTRFS_SUPER_GOOD, 0, "" },
};

static void do_damage(struct btrfs_super_block *block, const struct damage *damage)
{
	for (unsigned i = 0; i < damage->width; i++)
		((uint8_t *)block)[damage->offset + i] = (uint8_t)(damage->value >> (8 * i));
}

Test(btrfs_super, each_fault)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(damages); i++) {
		const struct damage *damage = &damages[i];
		struct btrfs_super_block block;
		struct xx_btrfs_super_check check;
		struct xx_btrfs_super super;

		data_read("super", "crc32c", &block);
		do_damage(&block, damage);
		if (damage->fault != XX_BTRFS_SUPER_CSUM)
			data_stamp(XX_CSUM_CRC32C, &block, sizeof(block));
		cr_expect_eq(xx_btrfs_super_parse(&block, 65536, &super, &check), damage->error, "%s", damage->name);
		cr_expect_eq(check.fault, damage->fault, "%s: %d", damage->name, (int)check.fault);
		cr_expect_eq(check.error, damage->error, "%s", damage->name);
		cr_expect_not_null(strstr(check.text, damage->text), "%s: %s", damage->name, check.text);
	}
}

Test(btrfs_super, metadata_uuid)
{
	struct btrfs_super_block block;
	struct xx_btrfs_super_check check;
	struct xx_btrfs_super super;

	data_read("super", "crc32c", &block);
	memcpy(block.metadata_uuid, block.fsid, sizeof(block.fsid));
	memset(block.fsid, 7, sizeof(block.fsid));
	block.incompat_flags = le64_make(le64_get(block.incompat_flags) | BTRFS_FEATURE_INCOMPAT_METADATA_UUID);
	data_stamp(XX_CSUM_CRC32C, &block, sizeof(block));
	cr_assert_eq(xx_btrfs_super_parse(&block, 65536, &super, &check), 0, "%s", check.text);
	cr_assert_eq(super.fsid[3], 7);
	cr_assert_eq(memcmp(super.metadata_uuid, block.dev_item.fsid, sizeof(super.metadata_uuid)), 0);
}

Test(btrfs_super, a_copy_is_made_again)
{
	for (unsigned i = 0; i < 4; i++) {
		struct btrfs_super_block block;
		struct xx_btrfs_super good, super;
		struct xx_btrfs_super_check check;

		data_super(data_csums[i], &good);
		cr_assert_eq(xx_btrfs_super_make(&good, 65536, &block), 0);
		cr_assert_eq(memcmp(&block, &good.raw, sizeof(block)), 0, "the same place: the same bytes");
		cr_assert_eq(xx_btrfs_super_make(&good, 64 << 20, &block), 0);
		cr_assert_eq(xx_btrfs_super_parse(&block, 64 << 20, &super, &check), 0, "%s", check.text);
	}
}

/* --- Copies --- */

static void change_generation(struct xx_btrfs_supers *supers, unsigned copy, uint64_t generation)
{
	supers->super[copy].generation = generation;
}

static struct xx_btrfs_supers *three_copies(void)
{
	static struct xx_btrfs_supers supers;

	memset(&supers, 0, sizeof(supers));
	supers.count = 3;
	for (unsigned i = 0; i < 3; i++) {
		data_super("crc32c", &supers.super[i]);
		supers.super[i].dev_total_bytes = UINT64_C(1) << 40;
	}
	return &supers;
}

Test(btrfs_super, equal_copies)
{
	struct xx_btrfs_supers *supers = three_copies();

	xx_btrfs_supers_choose(supers);
	cr_assert_eq(supers->best, 0);
	for (unsigned i = 0; i < 3; i++)
		cr_assert_eq(supers->check[i].fault, XX_BTRFS_SUPER_GOOD);
}

Test(btrfs_super, the_highest_generation_is_believed)
{
	struct xx_btrfs_supers *supers = three_copies();

	change_generation(supers, 1, 9);
	xx_btrfs_supers_choose(supers);
	cr_assert_eq(supers->best, 1);
	cr_assert_eq(supers->check[0].fault, XX_BTRFS_SUPER_STALE);
	cr_assert_eq(supers->check[1].fault, XX_BTRFS_SUPER_GOOD);
	cr_assert_eq(supers->check[2].fault, XX_BTRFS_SUPER_STALE);
}

Test(btrfs_super, a_copy_of_another_file_system_is_foreign_however_new)
{
	struct xx_btrfs_supers *supers = three_copies();

	change_generation(supers, 2, 1000);
	supers->super[2].fsid[0] ^= 1;
	xx_btrfs_supers_choose(supers);
	cr_assert_eq(supers->best, 0);
	cr_assert_eq(supers->check[2].fault, XX_BTRFS_SUPER_FOREIGN);
}

Test(btrfs_super, what_lies_beyond_the_file_system_is_no_copy)
{
	struct xx_btrfs_supers *supers = three_copies();

	for (unsigned i = 0; i < 3; i++)
		supers->super[i].dev_total_bytes = UINT64_C(1) << 30;
	change_generation(supers, 2, 3);
	xx_btrfs_supers_choose(supers);
	cr_assert_eq(supers->best, 0);
	cr_assert_eq(supers->check[2].fault, XX_BTRFS_SUPER_ABSENT);
	cr_assert_eq(supers->check[2].error, 0);
}

Test(btrfs_super, none_is_good)
{
	struct xx_btrfs_supers *supers = three_copies();

	for (unsigned i = 0; i < 3; i++)
		supers->check[i].fault = XX_BTRFS_SUPER_CSUM;
	xx_btrfs_supers_choose(supers);
	cr_assert_eq(supers->best, -1);
}

Test(btrfs_super, read_from_a_device)
{
	struct data_rig rig;
	struct xx_btrfs_super like;
	struct xx_btrfs_supers *supers = three_copies();
	static _Alignas(4096) uint8_t zeros[DATA_BLOCK];

	data_rig_open(&rig, UINT64_C(300) << 30);
	data_super("sha256", &like);
	cr_assert_eq(xx_btrfs_supers_read(rig.ring, rig.devices[0], supers), -ENOENT);
	data_write_super(rig.devices[0], &like, 1, 1, 6);
	cr_assert_eq(xx_btrfs_supers_read(rig.ring, rig.devices[0], supers), 0);
	cr_assert_eq(supers->count, 3u);
	cr_assert_eq(supers->best, 0);
	cr_assert_eq(supers->check[2].fault, XX_BTRFS_SUPER_GOOD);
	cr_assert_eq(xx_device_write(rig.devices[0], 65536, zeros, sizeof(zeros)), 0);
	cr_assert_eq(xx_btrfs_supers_read(rig.ring, rig.devices[0], supers), 0);
	cr_assert_eq(supers->best, 1);
	cr_assert_eq(supers->check[0].fault, XX_BTRFS_SUPER_NO_MAGIC);
	cr_assert_eq(rig.messages, 0u);
	data_rig_close(&rig);
}
