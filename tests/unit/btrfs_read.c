/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_read.c - one tree block in a chunk of each profile, read on every way, with each device missing or damaged.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xx/btrfs_raid.h>
#include <xx/plug.h>
#include "btrfs_common.h"

#define K64   UINT64_C(65536)
#define SIZE  (UINT64_C(8) << 30)
#define CHUNK UINT64_C(22020096)
#define BLOCK UINT64_C(22024192) /* where the real leaf belongs: element 0 of row 0 */
#define META  BTRFS_BLOCK_GROUP_METADATA

static const struct row {
	const char *name;
	uint64_t type;
	uint16_t stripes, sub;
	unsigned ways;
} rows[] = {
	{ "single", META, 1, 1, 1 },
	{ "RAID1", META | BTRFS_BLOCK_GROUP_RAID1, 2, 1, 2 },
	{ "RAID1C4", META | BTRFS_BLOCK_GROUP_RAID1C4, 4, 1, 4 },
	{ "RAID0", META | BTRFS_BLOCK_GROUP_RAID0, 3, 1, 1 },
	{ "RAID10", META | BTRFS_BLOCK_GROUP_RAID10, 4, 2, 2 },
	{ "RAID5 of 2", META | BTRFS_BLOCK_GROUP_RAID5, 2, 1, 2 },
	{ "RAID5 of 4", META | BTRFS_BLOCK_GROUP_RAID5, 4, 1, 2 },
	{ "RAID6 of 3", META | BTRFS_BLOCK_GROUP_RAID6, 3, 1, 3 },
	{ "RAID6 of 5", META | BTRFS_BLOCK_GROUP_RAID6, 5, 1, 5 },
};

struct fixture {
	struct data_rig rig;
	struct xx_btrfs_medium medium;
	struct xx_btrfs_chunk_map *map;
	struct xx_btrfs_volume *volume;
	const struct xx_btrfs_chunk *chunk;
	struct xx_btrfs_expect expect;
	uint8_t *block;
};

static void put(struct fixture *f, struct xx_btrfs_place place, const void *data)
{
	cr_assert_eq(xx_device_write(f->rig.devices[place.devid - 1], place.physical, data, DATA_BLOCK), 0);
}

/* The block, and what else its row needs: other columns of a pattern, P and Q. */
static void write_row(struct fixture *f)
{
	const unsigned width = f->chunk->columns + f->chunk->parity;
	struct xx_btrfs_copies copies;
	struct xx_btrfs_row row;
	void *elements[16];

	data_read("block", "leaf_crc32c", f->block);
	xx_btrfs_chunk_copies(f->chunk, BLOCK, &copies);
	for (unsigned m = 0; m < copies.count; m++)
		put(f, copies.place[m], f->block);
	if (!f->chunk->parity)
		return;
	xx_btrfs_chunk_row(f->chunk, BLOCK, &row);
	for (unsigned c = 0; c < width; c++) {
		elements[c] = aligned_alloc(4096, DATA_BLOCK);
		memset(elements[c], 0x30 + (int)c, DATA_BLOCK);
	}
	memcpy(elements[row.column], f->block, DATA_BLOCK);
	cr_assert_eq(xx_btrfs_raid_generate(f->chunk->columns, f->chunk->parity, elements, DATA_BLOCK), 0);
	for (unsigned c = 0; c < width; c++) {
		put(f, xx_btrfs_row_place(f->chunk, row.number, c, row.in_element), elements[c]);
		free(elements[c]);
	}
}

/* All devices of @row but those whose bit is set in @missing (device 1 is bit 0). */
static void setup(struct fixture *f, const struct row *row, unsigned missing)
{
	const struct data_chunk chunk = {
		.length = 60 * K64 * 12, /* a multiple of each row */
		.type = row->type,
		.num_stripes = row->stripes,
		.sub_stripes = row->sub,
		.physical = 1 << 20,
	};
	struct xx_device *present[DATA_DEVICES];
	struct xx_btrfs_chunk_check check;
	struct xx_btrfs_super like;
	uint8_t item[DATA_ITEM_MAX];
	size_t count = 0;

	*f = (struct fixture){ .map = NULL };
	data_rig_open(&f->rig, SIZE);
	data_super("crc32c", &like);
	for (unsigned i = 0; i < row->stripes; i++) {
		data_write_super(f->rig.devices[i], &like, i + 1, row->stripes, 6);
		if (!(missing >> i & 1))
			present[count++] = f->rig.devices[i];
	}
	cr_assert_eq(xx_btrfs_volume_create(f->rig.ctx, f->rig.ring, present, count, &f->volume), 0);
	cr_assert_eq(xx_btrfs_chunk_map_create(&like, &f->map), 0);
	cr_assert_eq(xx_btrfs_chunk_map_add(f->map, CHUNK, item, data_chunk_item(&chunk, item), &check), 0, "%s",
		     check.text);
	f->chunk = xx_btrfs_chunk_find(f->map, CHUNK);
	f->block = aligned_alloc(4096, DATA_BLOCK);
	write_row(f);
	memset(f->block, 0, DATA_BLOCK);
	xx_btrfs_identity_init(&f->medium.identity, &like, f->volume);
	f->medium.map = f->map;
	f->medium.volume = f->volume;
	f->medium.ring = f->rig.ring;
	f->expect = (struct xx_btrfs_expect){ .logical = BLOCK, .generation = 6, .owner = 3 };
}

static void teardown(struct fixture *f)
{
	free(f->block);
	xx_btrfs_volume_destroy(f->volume);
	xx_btrfs_chunk_map_destroy(f->map);
	data_rig_close(&f->rig);
}

static bool is_the_leaf(const struct fixture *f)
{
	uint8_t leaf[DATA_BLOCK];

	data_read("block", "leaf_crc32c", leaf);
	return memcmp(f->block, leaf, sizeof(leaf)) == 0;
}

static void spoil(struct fixture *f, unsigned stripe)
{
	static _Alignas(4096) uint8_t garbage[DATA_BLOCK];

	memset(garbage, 0xee, sizeof(garbage));
	put(f,
	    (struct xx_btrfs_place){ .devid = stripe + 1,
				     .physical = f->chunk->stripes[stripe].physical + (BLOCK - CHUNK) % K64 },
	    garbage);
}

static void count_done(struct xx_btrfs_block_read *read)
{
	++*(unsigned *)read->private;
}

Test(btrfs_read, each_way_of_each_profile)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(rows); i++) {
		struct fixture f;

		setup(&f, &rows[i], 0);
		cr_assert_eq(xx_btrfs_chunk_ways(f.chunk), rows[i].ways, "%s", rows[i].name);
		for (unsigned way = 0; way < rows[i].ways; way++) {
			unsigned done = 0;
			struct xx_btrfs_block_read read = {
				.medium = &f.medium,
				.expect = f.expect,
				.block = f.block,
				.way = (int)way,
				.done = count_done,
				.private = &done,
			};

			memset(f.block, 0, DATA_BLOCK);
			cr_assert_eq(xx_btrfs_block_submit(&read, NULL), 0);
			cr_assert_eq(done, 0u, "never in the submit");
			cr_assert_eq(xx_ring_drain(f.rig.ring), 0);
			cr_assert_eq(done, 1u);
			cr_assert_eq(read.result, 0, "%s, way %u: %s", rows[i].name, way, read.check.text);
			cr_assert_eq(read.good_way, way);
			cr_assert_eq(read.tried, 1u);
			cr_assert(is_the_leaf(&f));
		}
		teardown(&f);
	}
}

/* How many devices a profile may lose; RAID10 here: those of different pairs, which is not tried. */
static unsigned tolerates(const struct row *row)
{
	if (row->type & BTRFS_BLOCK_GROUP_RAID6)
		return 2;
	if (row->type & BTRFS_BLOCK_GROUP_RAID1C4)
		return 3;
	return row->ways > 1 ? 1 : 0;
}

Test(btrfs_read, damaged_on_any_set_of_devices_that_may_be_lost)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(rows); i++) {
		for (unsigned set = 0; set < 1U << rows[i].stripes; set++) {
			struct xx_btrfs_block_check check;
			struct fixture f;

			if ((unsigned)__builtin_popcount(set) > tolerates(&rows[i]))
				continue;
			setup(&f, &rows[i], 0);
			for (unsigned s = 0; s < rows[i].stripes; s++) {
				if (set >> s & 1)
					spoil(&f, s);
			}
			cr_assert_eq(xx_btrfs_block_get(&f.medium, &f.expect, f.block, &check), 0, "%s, set %x: %s",
				     rows[i].name, set, check.text);
			cr_assert(is_the_leaf(&f));
			cr_assert_eq(check.fault, set & 1 ? XX_BTRFS_BLOCK_CSUM : XX_BTRFS_BLOCK_GOOD);
			teardown(&f);
		}
	}
}

Test(btrfs_read, missing_any_set_of_devices_that_may_be_lost)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(rows); i++) {
		for (unsigned set = 1; set < (1U << rows[i].stripes) - 1; set++) {
			struct xx_btrfs_block_check check;
			struct fixture f;

			if ((unsigned)__builtin_popcount(set) > tolerates(&rows[i]))
				continue;
			setup(&f, &rows[i], set);
			cr_assert_eq(xx_btrfs_block_get(&f.medium, &f.expect, f.block, &check), 0, "%s, set %x: %s",
				     rows[i].name, set, check.text);
			cr_assert(is_the_leaf(&f));
			cr_assert_eq(check.fault, set & 1 ? XX_BTRFS_BLOCK_ABSENT : XX_BTRFS_BLOCK_GOOD);
			teardown(&f);
		}
	}
}

Test(btrfs_read, no_way_is_good)
{
	struct fixture f;
	struct xx_btrfs_block_check checks[8];
	unsigned done = 0;
	struct xx_btrfs_block_read read = {
		.way = XX_BTRFS_WAY_ANY,
		.checks = checks,
		.checks_max = 8,
		.done = count_done,
		.private = &done,
	};

	setup(&f, &rows[8], 1 << 3); /* RAID6 of 5: device 4 (P) is missing */
	spoil(&f, 0);
	spoil(&f, 4); /* Q */
	read.medium = &f.medium;
	read.expect = f.expect;
	read.block = f.block;
	cr_assert_eq(xx_btrfs_block_submit(&read, NULL), 0);
	cr_assert_eq(xx_ring_drain(f.rig.ring), 0);
	cr_assert_eq(done, 1u);
	cr_assert_eq(read.result, -EBADMSG);
	cr_assert_eq(read.tried, 5u);
	cr_assert_eq(checks[0].fault, XX_BTRFS_BLOCK_CSUM);
	cr_assert_eq(checks[1].fault, XX_BTRFS_BLOCK_ABSENT);
	cr_assert_eq(checks[2].fault, XX_BTRFS_BLOCK_CSUM);
	cr_assert_eq(checks[3].fault, XX_BTRFS_BLOCK_ABSENT);
	cr_assert_eq(checks[4].fault, XX_BTRFS_BLOCK_ABSENT);
	teardown(&f);
}

Test(btrfs_read, an_address_that_no_chunk_holds)
{
	struct fixture f;
	struct xx_btrfs_block_check check;

	setup(&f, &rows[0], 0);
	f.expect.logical = CHUNK - 4096;
	cr_assert_eq(xx_btrfs_block_get(&f.medium, &f.expect, f.block, &check), -EUCLEAN);
	cr_assert_eq(check.fault, XX_BTRFS_BLOCK_UNMAPPED);
	f.expect.logical = xx_btrfs_chunk_end(f.chunk) - 2048;
	cr_assert_eq(xx_btrfs_block_get(&f.medium, &f.expect, f.block, &check), -EUCLEAN);
	cr_assert_eq(check.fault, XX_BTRFS_BLOCK_UNMAPPED);
	f.expect.logical = BLOCK + 100;
	cr_assert_eq(xx_btrfs_block_get(&f.medium, &f.expect, f.block, &check), -EINVAL, "O_DIRECT");
	cr_assert_eq(check.fault, XX_BTRFS_BLOCK_UNREADABLE);
	teardown(&f);
}

Test(btrfs_read, a_way_that_the_profile_does_not_have)
{
	struct fixture f;
	struct xx_btrfs_block_read read = { .way = 2 };

	setup(&f, &rows[1], 0);
	read.medium = &f.medium;
	read.expect = f.expect;
	read.block = f.block;
	cr_assert_eq(xx_btrfs_block_submit(&read, NULL), -EINVAL);
	teardown(&f);
}

/* A block of 64 KiB that begins in the middle of an element, in RAID5 of 4 with a device missing. */
Test(btrfs_read, a_block_that_lies_in_two_elements)
{
	const uint64_t logical = CHUNK + 2 * K64 + 32768; /* columns 2 of row 0 and 0 of row 1 */
	struct fixture f;
	struct xx_btrfs_block_check check;
	struct btrfs_header *header;
	uint8_t *big = aligned_alloc(4096, K64);
	uint8_t *spare = aligned_alloc(4096, 8 * K64);

	setup(&f, &rows[6], 1 << 1);
	header = (struct btrfs_header *)big;
	memset(big, 0, K64);
	data_read("block", "leaf_crc32c", big);
	memset(big + sizeof(*header), 0, K64 - sizeof(*header));
	header->bytenr = le64_make(logical);
	header->nritems = le32_make(0);
	data_stamp(XX_CSUM_CRC32C, big, K64);
	for (unsigned half = 0; half < 2; half++) {
		void *elements[4];

		memset(spare, 0x40, 8 * K64);
		for (unsigned c = 0; c < 4; c++)
			elements[c] = spare + c * K64;
		/* the first half is the end of column 2, the second the start of column 0 */
		memcpy((uint8_t *)elements[half ? 0 : 2] + (half ? 0 : 32768), big + half * 32768, 32768);
		cr_assert_eq(xx_btrfs_raid_generate(3, 1, elements, K64), 0);
		for (unsigned c = 0; c < 4; c++) {
			const struct xx_btrfs_place place = xx_btrfs_row_place(f.chunk, half, c, 0);

			cr_assert_eq(xx_device_write(f.rig.devices[place.devid - 1], place.physical, elements[c], K64),
				     0);
		}
	}
	f.medium.identity.nodesize = 65536;
	f.expect.logical = logical;
	cr_assert_eq(xx_btrfs_block_get(&f.medium, &f.expect, spare, &check), 0, "%s", check.text);
	cr_assert_eq(memcmp(spare, big, K64), 0);
	cr_assert_eq(check.fault, XX_BTRFS_BLOCK_ABSENT, "column 0 of row 1 lies on device 2");
	free(big);
	free(spare);
	teardown(&f);
}

Test(btrfs_read, many_at_once_through_a_plug)
{
	struct fixture f;
	struct xx_btrfs_block_read reads[20];
	uint8_t *blocks = aligned_alloc(4096, 20 * DATA_BLOCK);
	struct xx_plug plug;
	unsigned done = 0;

	setup(&f, &rows[1], 0);
	spoil(&f, 0);
	xx_plug_init(&plug, f.rig.ring);
	for (unsigned i = 0; i < 20; i++) {
		reads[i] = (struct xx_btrfs_block_read){
			.medium = &f.medium,
			.expect = f.expect,
			.block = blocks + i * DATA_BLOCK,
			.way = XX_BTRFS_WAY_ANY,
			.done = count_done,
			.private = &done,
		};
		cr_assert_eq(xx_btrfs_block_submit(&reads[i], &plug), 0);
	}
	cr_assert_eq(xx_ring_inflight(f.rig.ring), 0u);
	xx_plug_pull(&plug);
	cr_assert_eq(xx_ring_drain(f.rig.ring), 0);
	cr_assert_eq(done, 20u);
	for (unsigned i = 0; i < 20; i++) {
		cr_assert_eq(reads[i].result, 0);
		cr_assert_eq(reads[i].good_way, 1u);
		cr_assert_eq(reads[i].tried, 2u);
	}
	free(blocks);
	teardown(&f);
}
