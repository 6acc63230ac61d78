/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_space.c - extents and checksums of ranges, from trees and a log that are built in memory.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

#include <xx/btrfs_extent.h>
#include <xx/btrfs_ref.h>
#include <xx/btrfs_sum.h>

#include "tests/support/btrfs_synth.h"

enum {
	SECTOR = 4096,
	EXTENTS = 200, /* of 1 to 8 sectors, with a gap behind each third */
	GENERATION = 9,
	SUBVOLUME = 256,
	LOG_SECTORS = 5,
};

#define DATA   UINT64_C(0x10000000) /* where extents begin */
#define LOGGED UINT64_C(0x20000000) /* the one that only the log has */

static struct {
	struct synth synth;
	struct xx_btrfs_fs *fs;
	uint64_t logical[EXTENTS];
	uint32_t sectors[EXTENTS];
	uint64_t end;
	uint32_t sums[EXTENTS * 8]; /* that of a sector is its number from DATA on */
	struct xx_btrfs_root extent_root, csum_root;
} t;

static struct data_item {
	struct btrfs_extent_item item;
	uint8_t type;
	struct btrfs_extent_data_ref ref;
} data_item;

static void lay_out(void)
{
	t.end = DATA;
	for (unsigned i = 0; i < EXTENTS; i++) {
		t.logical[i] = t.end;
		t.sectors[i] = 1 + i * 7 % 8;
		t.end += (uint64_t)t.sectors[i] * SECTOR + (i % 3 == 2 ? SECTOR : 0);
	}
	for (unsigned i = 0; i < XX_ARRAY_SIZE(t.sums); i++)
		t.sums[i] = i;
}

static struct xx_btrfs_root make_extents(void)
{
	struct synth_item items[EXTENTS];

	data_item.item.refs = le64_make(1);
	data_item.item.generation = le64_make(GENERATION);
	data_item.item.flags = le64_make(BTRFS_EXTENT_FLAG_DATA);
	data_item.type = BTRFS_EXTENT_DATA_REF_KEY;
	for (unsigned i = 0; i < EXTENTS; i++)
		items[i] = (struct synth_item){
			{ t.logical[i], BTRFS_EXTENT_ITEM_KEY, (uint64_t)t.sectors[i] * SECTOR },
			&data_item,
			sizeof(data_item),
		};
	return synth_tree(&t.synth, BTRFS_EXTENT_TREE_OBJECTID, GENERATION, items, EXTENTS, 10, 20);
}

/* One item for each run of extents without a gap: it covers three of them. */
static struct xx_btrfs_root make_sums(void)
{
	struct synth_item items[EXTENTS];
	size_t count = 0;

	for (unsigned i = 0; i < EXTENTS; i += 3) {
		const unsigned last = i + 2 < EXTENTS ? i + 2 : EXTENTS - 1;
		const uint64_t length = t.logical[last] + (uint64_t)t.sectors[last] * SECTOR - t.logical[i];

		items[count++] = (struct synth_item){
			{ BTRFS_EXTENT_CSUM_OBJECTID, BTRFS_EXTENT_CSUM_KEY, t.logical[i] },
			&t.sums[(t.logical[i] - DATA) / SECTOR],
			(uint32_t)(length / SECTOR * 4),
		};
	}
	return synth_tree(&t.synth, BTRFS_CSUM_TREE_OBJECTID, GENERATION, items, count, 4, 20);
}

/* A log of one subvolume, with an inode, a file extent and its sums. */
static struct xx_btrfs_root make_log(void)
{
	static const uint32_t sums[LOG_SECTORS] = { 70, 71, 72, 73, 74 };
	static struct btrfs_inode_item inode;
	const struct btrfs_file_extent_item file = {
		.type = BTRFS_FILE_EXTENT_REG,
		.disk_bytenr = le64_make(LOGGED),
		.disk_num_bytes = le64_make(LOG_SECTORS * SECTOR),
		.num_bytes = le64_make(LOG_SECTORS * SECTOR),
	};
	const struct synth_item items[] = {
		{ { 300, BTRFS_INODE_ITEM_KEY, 0 }, &inode, sizeof(inode) },
		{ { 300, BTRFS_EXTENT_DATA_KEY, 8192 }, &file, sizeof(file) },
		{ { BTRFS_EXTENT_CSUM_OBJECTID, BTRFS_EXTENT_CSUM_KEY, LOGGED }, sums, sizeof(sums) },
	};
	struct xx_btrfs_root log =
		synth_tree(&t.synth, BTRFS_TREE_LOG_OBJECTID, GENERATION + 1, items, XX_ARRAY_SIZE(items), 10, 10);
	const struct btrfs_root_item root = {
		.bytenr = le64_make(log.bytenr),
		.generation = le64_make(log.generation),
		.level = log.level,
	};
	const struct synth_item top = { { BTRFS_TREE_LOG_OBJECTID, BTRFS_ROOT_ITEM_KEY, SUBVOLUME },
					&root,
					sizeof(root) };

	return synth_tree(&t.synth, BTRFS_TREE_LOG_OBJECTID, GENERATION + 1, &top, 1, 10, 10);
}

static struct btrfs_root_item root_item(const struct xx_btrfs_root *root)
{
	return (struct btrfs_root_item){
		.bytenr = le64_make(root->bytenr),
		.generation = le64_make(root->generation),
		.level = root->level,
		.refs = le32_make(1),
	};
}

static void open_fs(void)
{
	const struct btrfs_root_item extents = root_item(&t.extent_root), sums = root_item(&t.csum_root);
	const struct synth_item items[] = {
		{ { BTRFS_EXTENT_TREE_OBJECTID, BTRFS_ROOT_ITEM_KEY, 0 }, &extents, sizeof(extents) },
		{ { BTRFS_CSUM_TREE_OBJECTID, BTRFS_ROOT_ITEM_KEY, 0 }, &sums, sizeof(sums) },
	};
	const struct xx_btrfs_root log = make_log();
	const struct xx_btrfs_root root = synth_tree(&t.synth, 1, GENERATION, items, XX_ARRAY_SIZE(items), 10, 10);
	const struct xx_btrfs_params params = {
		.sectorsize = SECTOR,
		.nodesize = SYNTH_NODESIZE,
		.sum_size = 4,
		.generation = GENERATION,
		.root = root.bytenr,
		.root_level = root.level,
		.log_root = log.bytenr,
		.log_root_level = log.level,
	};
	const struct xx_btrfs_fetcher fetcher = synth_fetcher(&t.synth);

	cr_assert_eq(xx_btrfs_fs_create(NULL, &params, &fetcher, 0, NULL, NULL, &t.fs), 0);
}

static void setup(void)
{
	synth_init(&t.synth);
	lay_out();
	t.extent_root = make_extents();
	t.csum_root = make_sums();
	open_fs();
}

static void teardown(void)
{
	xx_btrfs_fs_destroy(t.fs);
	synth_release(&t.synth);
}

TestSuite(btrfs_space, .init = setup, .fini = teardown);

/* --- Extents --- */

static uint64_t extent_end(unsigned i)
{
	return t.logical[i] + (uint64_t)t.sectors[i] * SECTOR;
}

static void expect_extents(const struct xx_btrfs_extent_list *list, uint64_t from, uint64_t to)
{
	size_t at = 0;

	for (unsigned i = 0; i < EXTENTS; i++) {
		if (extent_end(i) <= from || t.logical[i] >= to)
			continue;
		cr_assert_lt(at, list->count);
		cr_assert_eq(list->entries[at].logical, t.logical[i]);
		cr_assert_eq(list->entries[at].length, (uint64_t)t.sectors[i] * SECTOR);
		at++;
	}
	cr_assert_eq(at, list->count);
	cr_assert_eq(list->unknown_count, 0);
	cr_assert_eq(list->bad, 0);
}

Test(btrfs_space, extents_of_any_range)
{
	struct xx_btrfs_extent_list list = { 0 };
	struct xx_btrfs_extent_cursor *cursor;

	srand(3);
	cr_assert_eq(xx_btrfs_extent_cursor_create(t.fs, &cursor), 0);
	for (unsigned round = 0; round < 2000; round++) {
		const uint64_t from = DATA - 10 * SECTOR + (uint64_t)rand() % (t.end - DATA + 20 * SECTOR);
		const uint64_t length = 1 + (uint64_t)rand() % (100 * SECTOR);

		cr_assert_eq(xx_btrfs_extent_cursor_read(cursor, from, length, &list), 0);
		expect_extents(&list, from, from + length);
	}
	cr_assert_eq(xx_btrfs_extent_cursor_read(cursor, 0, 0, &list), -EINVAL);
	cr_assert_eq(xx_btrfs_extent_cursor_read(cursor, INT64_MAX, 2, &list), -EINVAL);
	xx_btrfs_extent_cursor_destroy(cursor);
	xx_btrfs_extent_list_release(&list);
}

Test(btrfs_space, extents_of_one_range_after_the_other)
{
	struct xx_btrfs_extent_list list = { 0 };
	struct xx_btrfs_extent_cursor *cursor;

	cr_assert_eq(xx_btrfs_extent_cursor_create(t.fs, &cursor), 0);
	for (uint64_t at = DATA; at < t.end; at += 11 * SECTOR) {
		cr_assert_eq(xx_btrfs_extent_cursor_read(cursor, at, 11 * SECTOR, &list), 0);
		expect_extents(&list, at, at + 11 * SECTOR);
	}
	xx_btrfs_extent_cursor_destroy(cursor);
	xx_btrfs_extent_list_release(&list);
}

Test(btrfs_space, extents_of_a_dead_leaf_are_unknown)
{
	struct xx_btrfs_extent_list list = { 0 };
	struct xx_btrfs_extent_cursor *cursor;
	size_t known = 0;

	synth_kill(&t.synth, SYNTH_BASE + 5 * SYNTH_NODESIZE, true);
	cr_assert_eq(xx_btrfs_extent_cursor_create(t.fs, &cursor), 0);
	cr_assert_eq(xx_btrfs_extent_cursor_read(cursor, DATA, t.end - DATA, &list), 0);
	cr_assert_eq(list.count, EXTENTS - 10);
	cr_assert_eq(list.unknown_count, 1);
	cr_assert_eq(list.unknown[0].logical, t.logical[50]);
	cr_assert_eq(list.unknown[0].logical + list.unknown[0].length, t.logical[60]);
	for (uint64_t at = DATA; at < t.end; at += 3 * SECTOR) {
		cr_assert_eq(xx_btrfs_extent_cursor_read(cursor, at, 3 * SECTOR, &list), 0);
		for (size_t i = 0; i < list.count; i++)
			known += list.entries[i].logical >= at;
		for (size_t i = 0; i < list.unknown_count; i++)
			cr_assert(list.unknown[i].logical >= t.logical[50] &&
				  list.unknown[i].logical + list.unknown[i].length <= t.logical[60]);
	}
	cr_assert_eq(known, EXTENTS - 10);
	xx_btrfs_extent_cursor_destroy(cursor);
	xx_btrfs_extent_list_release(&list);
}

Test(btrfs_space, extents_of_the_log)
{
	struct xx_btrfs_extent_list list = { 0 };
	struct xx_btrfs_extent_cursor *cursor;
	size_t blocks = 0;

	cr_assert_eq(xx_btrfs_extent_cursor_create(t.fs, &cursor), 0);
	cr_assert_eq(xx_btrfs_extent_cursor_read(cursor, LOGGED + SECTOR, SECTOR, &list), 0);
	cr_assert_eq(list.count, 1);
	cr_assert(list.entries[0].log && list.entries[0].logical == LOGGED && !list.entries[0].tree);
	cr_assert_eq(xx_btrfs_extent_cursor_read(cursor, SYNTH_BASE, t.synth.count * SYNTH_NODESIZE, &list), 0);
	for (size_t i = 0; i < list.count; i++)
		blocks += list.entries[i].log && list.entries[i].tree;
	cr_assert_eq(blocks, 2);
	xx_btrfs_extent_cursor_destroy(cursor);
	xx_btrfs_extent_list_release(&list);
}

/* --- Sums --- */

static bool has_sum(uint64_t logical)
{
	for (unsigned i = 0; i < EXTENTS; i++) {
		if (logical >= t.logical[i] && logical < extent_end(i))
			return true;
	}
	return false;
}

static void expect_sums(const struct xx_btrfs_sums *sums)
{
	for (uint32_t i = 0; i < sums->count; i++) {
		const uint64_t logical = sums->logical + (uint64_t)i * SECTOR;
		const uint8_t *sum = xx_btrfs_sums_get(sums, i);

		cr_assert_eq(sum != NULL, has_sum(logical));
		if (sum)
			cr_assert_eq(memcmp(sum, &t.sums[(logical - DATA) / SECTOR], 4), 0);
	}
	cr_assert_eq(sums->bad, 0);
	cr_assert_eq(xx_bitmap_count(sums->unknown), 0);
}

Test(btrfs_space, sums_of_any_range)
{
	struct xx_btrfs_sum_cursor *cursor;
	struct xx_btrfs_sums *sums;

	srand(4);
	cr_assert_eq(xx_btrfs_sums_create(t.fs, 300, &sums), 0);
	cr_assert_eq(xx_btrfs_sum_cursor_create(t.fs, &cursor), 0);
	for (unsigned round = 0; round < 500; round++) {
		const uint64_t from = DATA + (uint64_t)rand() % ((t.end - DATA) / SECTOR) * SECTOR - 8 * SECTOR;

		cr_assert_eq(xx_btrfs_sum_cursor_read(cursor, from, 1 + (uint32_t)rand() % 300, sums), 0);
		expect_sums(sums);
	}
	cr_assert_eq(xx_btrfs_sum_cursor_read(cursor, DATA, 301, sums), -EINVAL);
	cr_assert_eq(xx_btrfs_sum_cursor_read(cursor, DATA + 1, 1, sums), -EINVAL);
	xx_btrfs_sum_cursor_destroy(cursor);
	xx_btrfs_sums_destroy(sums);
}

Test(btrfs_space, sums_of_a_dead_leaf_are_unknown)
{
	struct xx_btrfs_sum_cursor *cursor;
	struct xx_btrfs_sums *sums;
	const unsigned first = 3 * 4 * 2; /* extent of the third leaf: four items of three extents each */

	for (uint64_t at = SYNTH_BASE;; at += SYNTH_NODESIZE) {
		const struct btrfs_header *header = synth_block(&t.synth, at);

		if (le64_get(header->owner) == BTRFS_CSUM_TREE_OBJECTID) {
			synth_kill(&t.synth, at + 2 * SYNTH_NODESIZE, true);
			break;
		}
	}
	cr_assert_eq(xx_btrfs_sums_create(t.fs, 2000, &sums), 0);
	cr_assert_eq(xx_btrfs_sum_cursor_create(t.fs, &cursor), 0);
	cr_assert_eq(xx_btrfs_sum_cursor_read(cursor, DATA, (uint32_t)((t.end - DATA) / SECTOR), sums), 0);
	for (uint32_t i = 0; i < sums->count; i++) {
		const uint64_t logical = DATA + (uint64_t)i * SECTOR;
		const bool dead = logical >= t.logical[first] && logical < t.logical[first + 12];

		cr_assert_eq(xx_bitmap_test(sums->unknown, i), dead);
		cr_assert_eq(xx_bitmap_test(sums->present, i), !dead && has_sum(logical));
	}
	xx_btrfs_sum_cursor_destroy(cursor);
	xx_btrfs_sums_destroy(sums);
}

Test(btrfs_space, sums_of_the_log)
{
	struct xx_btrfs_sum_cursor *cursor;
	struct xx_btrfs_sums *sums;

	cr_assert_eq(xx_btrfs_sums_create(t.fs, 100, &sums), 0);
	cr_assert_eq(xx_btrfs_sum_cursor_create(t.fs, &cursor), 0);
	cr_assert_eq(xx_btrfs_sum_cursor_read(cursor, LOGGED - SECTOR, 100, sums), 0);
	cr_assert_eq(xx_bitmap_count(sums->present), LOG_SECTORS);
	cr_assert_eq(*xx_btrfs_sums_get(sums, 1), 70);
	cr_assert_eq(*xx_btrfs_sums_get(sums, LOG_SECTORS), 74);
	xx_btrfs_sum_cursor_destroy(cursor);
	xx_btrfs_sums_destroy(sums);
}

Test(btrfs_space, ranges_that_have_sums)
{
	struct xx_btrfs_sum_cursor *cursor;
	struct xx_btrfs_range range = { 0 };
	uint64_t bytes = 0, wanted = 0;

	cr_assert_eq(xx_btrfs_sum_cursor_create(t.fs, &cursor), 0);
	while (xx_btrfs_sum_cursor_find(cursor, range.logical + range.length, UINT64_MAX, &range) == 1)
		bytes += range.length;
	for (unsigned i = 0; i < EXTENTS; i++)
		wanted += (uint64_t)t.sectors[i] * SECTOR;
	cr_assert_eq(bytes, wanted);
	cr_assert_eq(xx_btrfs_sum_cursor_find(cursor, DATA + SECTOR, UINT64_MAX, &range), 1);
	cr_assert_eq(range.logical, DATA + SECTOR);
	xx_btrfs_sum_cursor_destroy(cursor);
}

/* --- The log's names and needs --- */

Test(btrfs_space, what_the_log_refers_to)
{
	struct xx_btrfs_file_list list = { 0 };
	struct xx_btrfs_resolver *resolver;
	enum xx_btrfs_sum_need need[LOG_SECTORS];

	cr_assert_eq(xx_btrfs_resolver_create(t.fs, &resolver), 0);
	cr_assert_eq(xx_btrfs_resolve_data(resolver, LOGGED + SECTOR, SECTOR, &list), 0);
	cr_assert_eq(list.count, 1);
	cr_assert(list.ranges[0].subvolume == SUBVOLUME && list.ranges[0].inode == 300 && list.ranges[0].log);
	cr_assert_eq(list.ranges[0].offset, 8192 + SECTOR);
	cr_assert_eq(xx_btrfs_resolve_sum_need(resolver, LOGGED, LOG_SECTORS, need), 0);
	for (unsigned i = 0; i < LOG_SECTORS; i++)
		cr_assert_eq(need[i], XX_BTRFS_SUM_NEEDED);
	cr_assert_eq(xx_btrfs_resolve_data(resolver, LOGGED - SECTOR, SECTOR, &list), -ENOENT);
	xx_btrfs_file_list_release(&list);
	xx_btrfs_resolver_destroy(resolver);
}
