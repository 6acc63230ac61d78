/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_chunk.c - the chunk map: each profile against the formulae of its definition, both directions, and bad chunks.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include "btrfs_common.h"

#define K64	 UINT64_C(65536)
#define START	 UINT64_C(0x40000000)
#define PHYSICAL UINT64_C(0x100000)
#define META	 BTRFS_BLOCK_GROUP_METADATA
#define DATA	 BTRFS_BLOCK_GROUP_DATA

/* Profiles with several widths each; all chunks have 60 rows or elements. */
static const struct row {
	const char *name;
	enum xx_btrfs_profile profile;
	uint64_t bit;
	uint16_t stripes;
	unsigned columns, copies, parity;
} rows[] = {
	{ "single", XX_BTRFS_SINGLE, 0, 1, 1, 1, 0 },
	{ "DUP", XX_BTRFS_DUP, BTRFS_BLOCK_GROUP_DUP, 2, 1, 2, 0 },
	{ "RAID0 of 1", XX_BTRFS_RAID0, BTRFS_BLOCK_GROUP_RAID0, 1, 1, 1, 0 },
	{ "RAID0 of 2", XX_BTRFS_RAID0, BTRFS_BLOCK_GROUP_RAID0, 2, 2, 1, 0 },
	{ "RAID0 of 5", XX_BTRFS_RAID0, BTRFS_BLOCK_GROUP_RAID0, 5, 5, 1, 0 },
	{ "RAID1", XX_BTRFS_RAID1, BTRFS_BLOCK_GROUP_RAID1, 2, 1, 2, 0 },
	{ "RAID1C3", XX_BTRFS_RAID1C3, BTRFS_BLOCK_GROUP_RAID1C3, 3, 1, 3, 0 },
	{ "RAID1C4", XX_BTRFS_RAID1C4, BTRFS_BLOCK_GROUP_RAID1C4, 4, 1, 4, 0 },
	{ "RAID10 of 2", XX_BTRFS_RAID10, BTRFS_BLOCK_GROUP_RAID10, 2, 1, 2, 0 },
	{ "RAID10 of 4", XX_BTRFS_RAID10, BTRFS_BLOCK_GROUP_RAID10, 4, 2, 2, 0 },
	{ "RAID10 of 6", XX_BTRFS_RAID10, BTRFS_BLOCK_GROUP_RAID10, 6, 3, 2, 0 },
	{ "RAID5 of 2", XX_BTRFS_RAID5, BTRFS_BLOCK_GROUP_RAID5, 2, 1, 1, 1 },
	{ "RAID5 of 3", XX_BTRFS_RAID5, BTRFS_BLOCK_GROUP_RAID5, 3, 2, 1, 1 },
	{ "RAID5 of 5", XX_BTRFS_RAID5, BTRFS_BLOCK_GROUP_RAID5, 5, 4, 1, 1 },
	{ "RAID6 of 3", XX_BTRFS_RAID6, BTRFS_BLOCK_GROUP_RAID6, 3, 1, 1, 2 },
	{ "RAID6 of 4", XX_BTRFS_RAID6, BTRFS_BLOCK_GROUP_RAID6, 4, 2, 1, 2 },
	{ "RAID6 of 7", XX_BTRFS_RAID6, BTRFS_BLOCK_GROUP_RAID6, 7, 5, 1, 2 },
};

enum {
	ROWS = 60
};

static struct xx_btrfs_chunk_map *empty_map(void)
{
	struct xx_btrfs_super super;
	struct xx_btrfs_chunk_map *map;

	data_super("crc32c", &super);
	cr_assert_eq(xx_btrfs_chunk_map_create(&super, &map), 0);
	return map;
}

static int add(struct xx_btrfs_chunk_map *map, uint64_t logical, const struct data_chunk *chunk,
	       struct xx_btrfs_chunk_check *check)
{
	uint8_t item[DATA_ITEM_MAX];
	const size_t size = data_chunk_item(chunk, item);

	return xx_btrfs_chunk_map_add(map, logical, item, size, check);
}

static struct data_chunk chunk_of(const struct row *row)
{
	return (struct data_chunk){
		.length = ROWS * K64 * row->columns,
		.type = META | row->bit,
		.num_stripes = row->stripes,
		.sub_stripes = row->profile == XX_BTRFS_RAID10 ? 2 : 1,
		.physical = PHYSICAL,
	};
}

static struct xx_btrfs_chunk_map *map_of(const struct row *row)
{
	const struct data_chunk chunk = chunk_of(row);
	struct xx_btrfs_chunk_map *map = empty_map();
	struct xx_btrfs_chunk_check check;

	cr_assert_eq(add(map, START, &chunk, &check), 0, "%s: %s", row->name, check.text);
	cr_assert_eq(xx_btrfs_chunk_map_seal(map, &check), 0, "%s: %s", row->name, check.text);
	return map;
}

/* Where stripe @i of the test's chunks begins. */
static uint64_t st(unsigned i)
{
	return PHYSICAL + ((uint64_t)i << 30);
}

/* The formulae of each profile, as they are documented: stripe and physical address of copy m, counted from 1. */
static void formula(const struct row *row, uint64_t off, unsigned m, unsigned *stripe, uint64_t *physical)
{
	const uint64_t nr = off / K64;
	const uint64_t so = off % K64;
	const unsigned n = row->stripes;
	const unsigned f = n / 2;
	const unsigned nd = n - row->parity;

	switch (row->profile) {
	case XX_BTRFS_RAID0:
		*stripe = (unsigned)(nr % n);
		*physical = st(*stripe) + nr / n * K64 + so;
		break;
	case XX_BTRFS_RAID10:
		*stripe = (unsigned)(nr % f) * 2 + m - 1;
		*physical = st(*stripe) + nr / f * K64 + so;
		break;
	case XX_BTRFS_RAID5:
	case XX_BTRFS_RAID6:
		*stripe = (unsigned)((nr % nd + nr / nd % n) % n);
		*physical = st(*stripe) + nr / nd * K64 + so;
		break;
	default:
		*stripe = m - 1;
		*physical = st(*stripe) + off;
	}
}

static uint64_t devid_of(const struct row *row, unsigned stripe)
{
	return row->profile == XX_BTRFS_DUP ? 1 : stripe + 1;
}

static void check_logical(const struct row *row, const struct xx_btrfs_chunk_map *map, uint64_t off)
{
	const struct xx_btrfs_chunk *chunk = xx_btrfs_chunk_find(map, START + off);
	const bool striped = row->columns > 1 || row->parity;
	struct xx_btrfs_copies copies;

	cr_assert_not_null(chunk);
	xx_btrfs_chunk_copies(chunk, START + off, &copies);
	cr_assert_eq(copies.count, row->copies);
	cr_assert_eq(copies.length, striped ? K64 - off % K64 : chunk->length - off);
	for (unsigned m = 1; m <= row->copies; m++) {
		const struct xx_btrfs_place *place = &copies.place[m - 1];
		struct xx_btrfs_location back;
		unsigned stripe;
		uint64_t physical;

		formula(row, off, m, &stripe, &physical);
		cr_assert_eq(place->stripe, stripe, "%s, %llu, copy %u", row->name, (unsigned long long)off, m);
		cr_assert_eq(place->physical, physical, "%s, %llu, copy %u", row->name, (unsigned long long)off, m);
		cr_assert_eq(place->devid, devid_of(row, stripe));
		cr_assert_eq(xx_btrfs_chunk_locate(map, place->devid, physical, &back), 0);
		cr_assert_eq(back.logical, START + off);
		cr_assert_eq(back.role, XX_BTRFS_ROLE_DATA);
		cr_assert_eq(back.copy, m - 1);
		cr_assert_eq(back.stripe, stripe);
		cr_assert_eq(back.length, copies.length);
	}
}

Test(btrfs_chunk, each_profile_is_its_formula_and_back)
{
	static const uint64_t within[] = { 0, 4096, 61440, 65535 };

	for (size_t i = 0; i < XX_ARRAY_SIZE(rows); i++) {
		struct xx_btrfs_chunk_map *map = map_of(&rows[i]);
		const struct xx_btrfs_chunk *chunk = xx_btrfs_chunk_find(map, START);

		cr_assert_eq(chunk->profile, rows[i].profile, "%s", rows[i].name);
		cr_assert_eq(chunk->columns, rows[i].columns, "%s", rows[i].name);
		cr_assert_eq(chunk->stripe_length, ROWS * K64, "%s", rows[i].name);
		for (uint64_t nr = 0; nr < (uint64_t)ROWS * rows[i].columns; nr++) {
			for (size_t w = 0; w < XX_ARRAY_SIZE(within); w++)
				check_logical(&rows[i], map, nr * K64 + within[w]);
		}
		xx_btrfs_chunk_map_destroy(map);
	}
}

/* P at (nd + rot) mod n, Q at the next, each with the row's offset. */
static void check_row(const struct row *row, const struct xx_btrfs_chunk_map *map, uint64_t number)
{
	const struct xx_btrfs_chunk *chunk = xx_btrfs_chunk_find(map, START);
	const unsigned n = row->stripes;
	const unsigned rot = (unsigned)(number % n);

	for (unsigned column = 0; column < row->columns + row->parity; column++) {
		const struct xx_btrfs_place place = xx_btrfs_row_place(chunk, number, column, 8192);
		const unsigned stripe = (column + rot) % n;
		struct xx_btrfs_location back;

		cr_assert_eq(place.stripe, stripe, "%s, row %llu, column %u", row->name, (unsigned long long)number,
			     column);
		cr_assert_eq(place.physical, st(stripe) + number * K64 + 8192);
		cr_assert_eq(xx_btrfs_chunk_locate(map, place.devid, place.physical, &back), 0);
		cr_assert_eq(back.row, number);
		cr_assert_eq(back.column, column);
		cr_assert_eq((unsigned)back.role, column < row->columns ? 0 : column - row->columns + 1);
		cr_assert_eq(back.logical, START + (number * row->columns + (back.role ? 0 : column)) * K64 + 8192);
		cr_assert_eq(back.length, K64 - 8192);
	}
}

Test(btrfs_chunk, parity_stands_where_the_formula_says)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(rows); i++) {
		struct xx_btrfs_chunk_map *map;

		if (!rows[i].parity)
			continue;
		map = map_of(&rows[i]);
		for (uint64_t number = 0; number < ROWS; number++)
			check_row(&rows[i], map, number);
		xx_btrfs_chunk_map_destroy(map);
	}
}

Test(btrfs_chunk, the_row_of_an_address)
{
	struct xx_btrfs_chunk_map *map = map_of(&rows[16]); /* RAID6 of 7 */
	struct xx_btrfs_row row;

	xx_btrfs_chunk_row(xx_btrfs_chunk_find(map, START), START + 13 * K64 + 100, &row);
	cr_assert_eq(row.number, 2u);
	cr_assert_eq(row.column, 3u);
	cr_assert_eq(row.in_element, 100u);
	cr_assert_eq(row.offset, 2 * K64);
	cr_assert_eq(row.logical, START + 10 * K64);
	xx_btrfs_chunk_map_destroy(map);
}

Test(btrfs_chunk, a_last_row_that_is_cut_short)
{
	struct data_chunk chunk = chunk_of(&rows[4]); /* RAID0 of 5 */
	struct xx_btrfs_chunk_map *map = empty_map();
	struct xx_btrfs_chunk_check check;
	struct xx_btrfs_location back;

	chunk.length = 7 * K64 + 8192; /* element 7 is in column 2 */
	cr_assert_eq(add(map, START, &chunk, &check), 0, "%s", check.text);
	cr_assert_eq(xx_btrfs_chunk_map_seal(map, &check), 0);
	cr_assert_eq(xx_btrfs_chunk_locate(map, 3, st(2) + K64, &back), 0);
	cr_assert_eq(back.length, 8192u);
	cr_assert_eq(xx_btrfs_chunk_locate(map, 3, st(2) + K64 + 8192, &back), -ENOENT);
	cr_assert_eq(xx_btrfs_chunk_locate(map, 4, st(3) + K64, &back), -ENOENT);
	xx_btrfs_chunk_map_destroy(map);
}

/* --- The map --- */

Test(btrfs_chunk, many_chunks_in_any_order)
{
	struct xx_btrfs_chunk_map *map = empty_map();
	struct xx_btrfs_chunk_check check;
	struct xx_btrfs_dev_range range;
	struct xx_btrfs_location back;
	unsigned count = 0;

	/* 100 chunks of 1 MiB with gaps of 1 MiB, in the order 0, 37, 74, 11, ... */
	for (unsigned i = 0; i < 100; i++) {
		const uint64_t at = i * 37 % 100;
		const struct data_chunk chunk = { 1 << 20, DATA, 1, 1, PHYSICAL + (99 - at) * (2 << 20) };

		cr_assert_eq(add(map, START + at * (2 << 20), &chunk, &check), 0, "%s", check.text);
	}
	cr_assert_eq(xx_btrfs_chunk_map_count(map), 100u);
	cr_assert_eq(xx_btrfs_chunk_locate(map, 1, PHYSICAL, &back), -EINVAL, "not sealed");
	cr_assert_eq(xx_btrfs_chunk_map_seal(map, &check), 0);
	for (unsigned i = 0; i < 100; i++) {
		const uint64_t logical = START + (uint64_t)i * (2 << 20);

		cr_assert_eq(xx_btrfs_chunk_find(map, logical)->logical, logical);
		cr_assert_eq(xx_btrfs_chunk_find(map, logical + (1 << 20) - 1)->logical, logical);
		cr_assert_null(xx_btrfs_chunk_find(map, logical + (1 << 20)));
	}
	cr_assert_null(xx_btrfs_chunk_find(map, 0));
	cr_assert_eq(xx_btrfs_chunk_next(map, 0)->logical, START);
	for (uint64_t pos = 0; xx_btrfs_dev_range_next(map, 1, pos, &range); pos = range.physical + range.length)
		cr_assert_eq(range.physical, PHYSICAL + count++ * UINT64_C(0x200000));
	cr_assert_eq(count, 100u);
	cr_assert_not(xx_btrfs_dev_range_next(map, 2, 0, &range));
	cr_assert_not(xx_btrfs_dev_range_next(map, 0, 0, &range));
	cr_assert_eq(xx_btrfs_chunk_locate(map, 1, PHYSICAL - 1, &back), -ENOENT);
	xx_btrfs_chunk_map_destroy(map);
}

Test(btrfs_chunk, the_same_chunk_twice_is_one)
{
	const struct data_chunk chunk = chunk_of(&rows[1]);
	struct data_chunk other = chunk;
	struct xx_btrfs_chunk_map *map = empty_map();
	struct xx_btrfs_chunk_check check;

	cr_assert_eq(add(map, START, &chunk, &check), 0);
	cr_assert_eq(add(map, START, &chunk, &check), 0);
	cr_assert_eq(xx_btrfs_chunk_map_count(map), 1u);
	other.physical += 4096;
	cr_assert_eq(add(map, START, &other, &check), -EUCLEAN);
	cr_assert_not_null(strstr(check.text, "overlaps"), "%s", check.text);
	xx_btrfs_chunk_map_destroy(map);
}

Test(btrfs_chunk, overlaps)
{
	const struct data_chunk chunk = { 1 << 20, DATA, 1, 1, PHYSICAL };
	const struct data_chunk half = { 1 << 20, DATA, 1, 1, PHYSICAL + (1 << 19) };
	struct xx_btrfs_chunk_map *map = empty_map();
	struct xx_btrfs_chunk_check check;

	cr_assert_eq(add(map, START, &chunk, &check), 0);
	cr_assert_eq(add(map, START + (1 << 19), &chunk, &check), -EUCLEAN);
	cr_assert_eq(add(map, START - (1 << 19), &chunk, &check), -EUCLEAN);
	cr_assert_eq(xx_btrfs_chunk_map_count(map), 1u);
	cr_assert_eq(add(map, START + (1 << 20), &half, &check), 0);
	cr_assert_eq(xx_btrfs_chunk_map_seal(map, &check), -EUCLEAN);
	cr_assert_not_null(strstr(check.text, "device 1"), "%s", check.text);
	xx_btrfs_chunk_map_destroy(map);
}

static const struct bad_chunk {
	const char *name;
	uint64_t logical;
	struct data_chunk chunk;
	int error;
	const char *text;
} bad_chunks[] = {
	{ "no stripes", START, { 1 << 20, DATA, 0, 1, PHYSICAL }, -EUCLEAN, "num_stripes is 0" },
	{ "single of 2", START, { 1 << 20, DATA, 2, 1, PHYSICAL }, -EUCLEAN, "num_stripes is 2" },
	{ "RAID1 of 1", START, { 1 << 20, DATA | BTRFS_BLOCK_GROUP_RAID1, 1, 1, PHYSICAL }, -EUCLEAN, "num_stripes" },
	{ "C3 of 2", START, { 1 << 20, DATA | BTRFS_BLOCK_GROUP_RAID1C3, 2, 1, PHYSICAL }, -EUCLEAN, "num_stripes" },
	{ "RAID5 of 1", START, { 1 << 20, DATA | BTRFS_BLOCK_GROUP_RAID5, 1, 1, PHYSICAL }, -EUCLEAN, "num_stripes" },
	{ "RAID6 of 2", START, { 1 << 20, DATA | BTRFS_BLOCK_GROUP_RAID6, 2, 1, PHYSICAL }, -EUCLEAN, "num_stripes" },
	{ "RAID6 of 256", START, { 254 << 20, DATA | BTRFS_BLOCK_GROUP_RAID6, 256, 1, 0 }, -EUCLEAN, "num_stripes" },
	{ "RAID10, sub 0",
	  START,
	  { 1 << 20, DATA | BTRFS_BLOCK_GROUP_RAID10, 4, 0, PHYSICAL },
	  -EUCLEAN,
	  "sub_stripes" },
	{ "RAID10, sub 3",
	  START,
	  { 1 << 20, DATA | BTRFS_BLOCK_GROUP_RAID10, 6, 3, PHYSICAL },
	  -EUCLEAN,
	  "sub_stripes" },
	{ "RAID10 of 5", START, { 1 << 20, DATA | BTRFS_BLOCK_GROUP_RAID10, 5, 2, PHYSICAL }, -EUCLEAN, "sub_stripes" },
	{ "no type", START, { 1 << 20, 0, 1, 1, PHYSICAL }, -EUCLEAN, "type" },
	{ "unknown type", START, { 1 << 20, DATA | UINT64_C(1) << 40, 1, 1, PHYSICAL }, -EUCLEAN, "type" },
	{ "two profiles", START, { 1 << 20, DATA | 0x18, 2, 1, PHYSICAL }, -EUCLEAN, "profiles" },
	{ "system and data", START, { 1 << 20, DATA | 2, 1, 1, PHYSICAL }, -EUCLEAN, "mixed" },
	{ "mixed", START, { 1 << 20, DATA | META, 1, 1, PHYSICAL }, -EUCLEAN, "mixed" },
	{ "remapped", START, { 1 << 20, DATA | BTRFS_BLOCK_GROUP_REMAPPED, 1, 1, PHYSICAL }, -EOPNOTSUPP, "remap" },
	{ "length 0", START, { 0, DATA, 1, 1, PHYSICAL }, -EUCLEAN, "length is 0" },
	{ "length odd", START, { 12345, DATA, 1, 1, PHYSICAL }, -EUCLEAN, "length" },
	{ "length huge", START, { UINT64_C(1) << 50, DATA, 1, 1, PHYSICAL }, -EUCLEAN, "too large" },
	{ "wraps", -UINT64_C(4096), { 1 << 20, DATA, 1, 1, PHYSICAL }, -EUCLEAN, "too large" },
	{ "address odd", 1, { 1 << 20, DATA, 1, 1, PHYSICAL }, -EUCLEAN, "address" },
	{ "place odd", START, { 1 << 20, DATA, 1, 1, 512 }, -EUCLEAN, "stripe 0 lies at 512" },
	{ "place wraps", START, { 1 << 20, DATA, 1, 1, -UINT64_C(65536) }, -EUCLEAN, "stripe 0" },
	{ "half a row", START, { 65536 * 3, DATA | BTRFS_BLOCK_GROUP_RAID5, 3, 1, 0 }, -EUCLEAN, "2 columns" },
};

Test(btrfs_chunk, each_absurd_chunk_is_refused)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(bad_chunks); i++) {
		const struct bad_chunk *bad = &bad_chunks[i];
		struct xx_btrfs_chunk_map *map = empty_map();
		struct xx_btrfs_chunk_check check;

		cr_expect_eq(add(map, bad->logical, &bad->chunk, &check), bad->error, "%s", bad->name);
		cr_expect_eq(check.error, bad->error, "%s", bad->name);
		cr_expect_not_null(strstr(check.text, bad->text), "%s: %s", bad->name, check.text);
		cr_expect_eq(xx_btrfs_chunk_map_count(map), 0u);
		xx_btrfs_chunk_map_destroy(map);
	}
}

Test(btrfs_chunk, an_item_of_a_wrong_length)
{
	const struct data_chunk chunk = chunk_of(&rows[6]);
	struct xx_btrfs_chunk_map *map = empty_map();
	struct xx_btrfs_chunk_check check;
	uint8_t item[DATA_ITEM_MAX];
	const size_t size = data_chunk_item(&chunk, item);

	for (size_t length = 0; length < size; length++)
		cr_assert_eq(xx_btrfs_chunk_map_add(map, START, item, length, &check), -EUCLEAN);
	cr_assert_eq(xx_btrfs_chunk_map_add(map, START, item, size + 1, &check), -EUCLEAN);
	item[offsetof(struct btrfs_chunk, stripe_len) + 2] ^= 3;
	cr_assert_eq(xx_btrfs_chunk_map_add(map, START, item, size, &check), -EUCLEAN);
	cr_assert_not_null(strstr(check.text, "stripe length"), "%s", check.text);
	xx_btrfs_chunk_map_destroy(map);
}

/* --- The array in the superblock --- */

Test(btrfs_chunk, system_chunks_of_real_superblocks)
{
	struct xx_btrfs_chunk_map *map = empty_map();
	struct xx_btrfs_chunk_check check;
	struct xx_btrfs_super super;
	struct xx_btrfs_copies copies;

	data_super("crc32c", &super);
	cr_assert_eq(xx_btrfs_chunk_map_add_system(map, &super, &check), 0, "%s", check.text);
	cr_assert_eq(xx_btrfs_chunk_map_count(map), 1u);
	xx_btrfs_chunk_copies(xx_btrfs_chunk_find(map, super.chunk_root), super.chunk_root, &copies);
	cr_assert_eq(copies.count, 2u);
	cr_assert_eq(copies.place[0].physical, 22024192u);
	cr_assert_eq(copies.place[1].physical, 30412800u);
	xx_btrfs_chunk_map_destroy(map);

	map = empty_map();
	data_super("raid6", &super);
	cr_assert_eq(super.devid, 2u);
	cr_assert_eq(xx_btrfs_chunk_map_add_system(map, &super, &check), 0, "%s", check.text);
	cr_assert_eq(xx_btrfs_chunk_find(map, 22020096)->num_stripes, 4u);
	cr_assert_eq(xx_btrfs_chunk_find(map, 22020096)->profile, XX_BTRFS_RAID6);
	xx_btrfs_chunk_map_destroy(map);
}

Test(btrfs_chunk, garbage_in_the_array)
{
	static const struct {
		size_t offset;
		uint8_t value;
		const char *text;
	} garbage[] = {
		{ 0, 0, "no chunk's" }, /* objectid 256 */
		{ 8, 1, "no chunk's" }, /* the type of the key */
		{ 17 + 24, 1, "and none" }, /* data, not system */
		{ 17 + 44, 0, "num_stripes is 0" },
		{ 17 + 44, 200, "ends in it" },
	};

	for (size_t i = 0; i < XX_ARRAY_SIZE(garbage); i++) {
		struct xx_btrfs_chunk_map *map = empty_map();
		struct xx_btrfs_chunk_check check;
		struct xx_btrfs_super super;

		data_super("crc32c", &super);
		super.raw.sys_chunk_array[garbage[i].offset] = garbage[i].value;
		if (i == 0)
			super.raw.sys_chunk_array[1] = 0;
		cr_expect_eq(xx_btrfs_chunk_map_add_system(map, &super, &check), -EUCLEAN, "%zu", i);
		cr_expect_not_null(strstr(check.text, garbage[i].text), "%zu: %s", i, check.text);
		data_super("crc32c", &super);
		super.raw.sys_chunk_array_size = le32_make((uint32_t)(129 - 1 - i));
		cr_expect_eq(xx_btrfs_chunk_map_add_system(map, &super, &check), -EUCLEAN, "%zu", i);
		xx_btrfs_chunk_map_destroy(map);
	}
}
