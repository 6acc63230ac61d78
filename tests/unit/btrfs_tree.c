/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_tree.c - searching and walking over trees, whole ones and damaged ones.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

#include <xx/btrfs_tree.h>

#include "tests/support/btrfs_synth.h"

enum {
	ITEMS = 1000,
	PER_LEAF = 7,
	PER_NODE = 5,
	STEP = 3, /* keys are multiples of it, from STEP on */
};

static struct {
	struct synth synth;
	struct synth_item items[ITEMS];
	struct xx_btrfs_root root;
	struct xx_btrfs_reader *reader;
	struct xx_btrfs_iter *iter;
	struct xx_btrfs_lost lost[64];
	size_t lost_count;
} t;

static struct xx_btrfs_key key(uint64_t number)
{
	return (struct xx_btrfs_key){ 256 + number / 100, 1, number % 100 };
}

static void note(void *private, const struct xx_btrfs_lost *lost)
{
	(void)private;
	if (t.lost_count < XX_ARRAY_SIZE(t.lost))
		t.lost[t.lost_count++] = *lost;
}

static void setup(void)
{
	struct xx_btrfs_fetcher fetcher;

	t.lost_count = 0;
	synth_init(&t.synth);
	for (unsigned i = 0; i < ITEMS; i++)
		t.items[i] = (struct synth_item){ key((i + 1) * STEP), "data", 4 };
	t.root = synth_tree(&t.synth, 256, 9, t.items, ITEMS, PER_LEAF, PER_NODE);
	fetcher = synth_fetcher(&t.synth);
	cr_assert_eq(xx_btrfs_reader_create(&fetcher, 0, &t.reader), 0);
	cr_assert_eq(xx_btrfs_iter_create(t.reader, note, NULL, &t.iter), 0);
}

static void teardown(void)
{
	xx_btrfs_iter_destroy(t.iter);
	xx_btrfs_reader_destroy(t.reader);
	synth_release(&t.synth);
}

TestSuite(btrfs_tree, .init = setup, .fini = teardown);

/* Walk from where the iterator was sent; the items must be those from @first to before @end. */
static void expect_items(size_t first, size_t end)
{
	struct xx_btrfs_item item;

	for (size_t i = first; i < end; i++) {
		cr_assert_eq(xx_btrfs_iter_next(t.iter, &item), 1, "item %zu", i);
		cr_assert_eq(xx_btrfs_key_compare(item.key, t.items[i].key), 0, "item %zu", i);
		cr_assert_eq(item.size, 4);
		cr_assert_eq(memcmp(item.data, "data", 4), 0);
		cr_assert_eq(item.leaf, xx_btrfs_iter_block(t.iter, 0));
	}
	cr_assert_eq(xx_btrfs_iter_next(t.iter, &item), 0);
}

static void walk_all(void)
{
	xx_btrfs_iter_seek(t.iter, &t.root, &XX_BTRFS_KEY_MIN, &XX_BTRFS_KEY_MAX);
}

Test(btrfs_tree, walks_in_order)
{
	cr_assert_eq(t.root.level, 4);
	walk_all();
	expect_items(0, ITEMS);
	cr_assert_eq(t.lost_count, 0);
}

/* Items at or behind @number. */
static size_t lower(uint64_t number)
{
	const size_t i = number <= STEP ? 0 : (size_t)((number + STEP - 1) / STEP - 1);

	return i < ITEMS ? i : ITEMS;
}

Test(btrfs_tree, seeks_any_range)
{
	srand(1);
	for (unsigned round = 0; round < 3000; round++) {
		const uint64_t from = (uint64_t)rand() % (ITEMS * STEP + 20), to = from + (uint64_t)rand() % 90;
		const struct xx_btrfs_key first = key(from), last = key(to);

		xx_btrfs_iter_seek(t.iter, &t.root, &first, &last);
		expect_items(lower(from), lower(to + 1));
	}
}

Test(btrfs_tree, seeks_before)
{
	srand(2);
	for (unsigned round = 0; round < 3000; round++) {
		const uint64_t from = (uint64_t)rand() % (ITEMS * STEP + 20), to = from + (uint64_t)rand() % 90;
		const struct xx_btrfs_key first = key(from), last = key(to);
		size_t begin = lower(from + 1);

		xx_btrfs_iter_seek_before(t.iter, &t.root, &first, &last);
		expect_items(begin ? begin - 1 : 0, lower(to + 1) > begin ? lower(to + 1) : begin);
	}
}

Test(btrfs_tree, a_dead_leaf_is_passed_by)
{
	const size_t leaf = 50;

	synth_kill(&t.synth, SYNTH_BASE + leaf * SYNTH_NODESIZE, true);
	for (unsigned round = 0; round < 2; round++) {
		struct xx_btrfs_item item;
		size_t seen = 0;

		walk_all();
		while (xx_btrfs_iter_next(t.iter, &item) == 1)
			seen++;
		cr_assert_eq(seen, ITEMS - PER_LEAF);
	}
	cr_assert_eq(t.lost_count, 2);
	cr_assert_eq(xx_btrfs_iter_lost(t.iter), 2);
	cr_assert_eq(t.lost[0].logical, SYNTH_BASE + leaf * SYNTH_NODESIZE);
	cr_assert_eq(t.lost[0].level, 0);
	cr_assert_eq(t.lost[0].generation, 9);
	cr_assert_eq(t.lost[0].error, -EIO);
	cr_assert_eq(xx_btrfs_key_compare(t.lost[0].first, t.items[leaf * PER_LEAF].key), 0);
	cr_assert_eq(xx_btrfs_key_compare(xx_btrfs_key_next(t.lost[0].last), t.items[(leaf + 1) * PER_LEAF].key), 0);
}

Test(btrfs_tree, what_is_lost_lies_in_what_was_asked_for)
{
	const size_t leaf = 50;
	const struct xx_btrfs_key first = t.items[leaf * PER_LEAF + 2].key, last = t.items[leaf * PER_LEAF + 4].key;

	synth_kill(&t.synth, SYNTH_BASE + leaf * SYNTH_NODESIZE, true);
	xx_btrfs_iter_seek(t.iter, &t.root, &first, &last);
	expect_items(0, 0);
	cr_assert_eq(t.lost_count, 1);
	cr_assert_eq(xx_btrfs_key_compare(t.lost[0].first, first), 0);
	cr_assert_eq(xx_btrfs_key_compare(t.lost[0].last, last), 0);
	xx_btrfs_iter_seek_before(t.iter, &t.root, &first, &last);
	expect_items(0, 0);
	cr_assert_eq(t.lost_count, 2);
	cr_assert_eq(xx_btrfs_key_compare(t.lost[1].first, t.items[leaf * PER_LEAF].key), 0);
}

/* Damage the first block of level 1 in some way; its leaves are lost, and nothing else. */
static void expect_first_node_lost(int error)
{
	walk_all();
	expect_items(PER_LEAF * PER_NODE, ITEMS);
	cr_assert_eq(t.lost_count, 1);
	cr_assert_eq(t.lost[0].level, 1);
	cr_assert_eq(t.lost[0].error, error);
	cr_assert_eq(xx_btrfs_key_compare(t.lost[0].first, t.items[0].key), 0);
	cr_assert_eq(xx_btrfs_key_compare(xx_btrfs_key_next(t.lost[0].last), t.items[PER_LEAF * PER_NODE].key), 0);
}

static struct btrfs_header *first_node(void)
{
	return synth_block(&t.synth, SYNTH_BASE + ((ITEMS + PER_LEAF - 1) / PER_LEAF) * SYNTH_NODESIZE);
}

Test(btrfs_tree, a_dead_node)
{
	synth_kill(&t.synth, le64_get(first_node()->bytenr), true);
	expect_first_node_lost(-EIO);
}

Test(btrfs_tree, a_stale_node)
{
	first_node()->generation = le64_make(8);
	expect_first_node_lost(-EUCLEAN);
}

Test(btrfs_tree, a_node_of_another_tree)
{
	first_node()->owner = le64_make(BTRFS_CSUM_TREE_OBJECTID);
	expect_first_node_lost(-EUCLEAN);
}

Test(btrfs_tree, a_snapshot_shares_nodes)
{
	first_node()->owner = le64_make(257);
	walk_all();
	expect_items(0, ITEMS);
}

Test(btrfs_tree, a_wrong_level)
{
	first_node()->level = 2;
	expect_first_node_lost(-EUCLEAN);
}

Test(btrfs_tree, a_first_key_that_the_parent_does_not_have)
{
	struct btrfs_key_ptr *pointer = (void *)(first_node() + 1);

	pointer->key = xx_btrfs_key_make(key(1));
	expect_first_node_lost(-EUCLEAN);
}

Test(btrfs_tree, keys_behind_the_next_pointer)
{
	struct btrfs_key_ptr *pointer = (void *)(first_node() + 1);

	pointer[PER_NODE - 1].key = xx_btrfs_key_make(t.items[PER_LEAF * PER_NODE].key);
	expect_first_node_lost(-EUCLEAN);
}

Test(btrfs_tree, a_node_that_points_to_itself)
{
	struct btrfs_key_ptr *pointer = (void *)(first_node() + 1);

	pointer[0].blockptr = first_node()->bytenr;
	walk_all();
	expect_items(PER_LEAF, ITEMS);
	cr_assert_eq(t.lost_count, 1);
	cr_assert_eq(t.lost[0].level, 0);
}

Test(btrfs_tree, a_dead_root_loses_all)
{
	synth_kill(&t.synth, t.root.bytenr, true);
	walk_all();
	expect_items(0, 0);
	cr_assert_eq(t.lost_count, 1);
	cr_assert_eq(xx_btrfs_key_compare(t.lost[0].first, XX_BTRFS_KEY_MIN), 0);
	cr_assert_eq(xx_btrfs_key_compare(t.lost[0].last, XX_BTRFS_KEY_MAX), 0);
}

Test(btrfs_tree, no_tree_and_an_empty_one)
{
	const struct xx_btrfs_root none = { .id = 7 };
	const struct xx_btrfs_root empty = synth_tree(&t.synth, 7, 9, NULL, 0, PER_LEAF, PER_NODE);

	xx_btrfs_iter_seek(t.iter, &none, &XX_BTRFS_KEY_MIN, &XX_BTRFS_KEY_MAX);
	expect_items(0, 0);
	xx_btrfs_iter_seek_before(t.iter, &empty, &t.items[5].key, &XX_BTRFS_KEY_MAX);
	expect_items(0, 0);
	cr_assert_eq(t.lost_count, 0);
}

Test(btrfs_tree, reads_ahead_and_not_too_far)
{
	struct xx_btrfs_reader_stats stats;
	uint64_t before;

	walk_all();
	expect_items(0, ITEMS);
	xx_btrfs_reader_stats(t.reader, &stats);
	cr_assert_eq(t.synth.fetched, t.synth.count, "each block once");
	cr_assert_lt(t.synth.calls, t.synth.count / 2);
	cr_assert_eq(stats.dead, 0);
	before = t.synth.fetched;
	walk_all();
	expect_items(0, ITEMS);
	cr_assert_eq(t.synth.fetched, before, "all of it is kept");
}

Test(btrfs_tree, a_small_budget)
{
	const struct xx_btrfs_fetcher fetcher = synth_fetcher(&t.synth);

	teardown();
	setup();
	xx_btrfs_iter_destroy(t.iter);
	xx_btrfs_reader_destroy(t.reader);
	cr_assert_eq(xx_btrfs_reader_create(&fetcher, 1, &t.reader), 0);
	cr_assert_eq(xx_btrfs_iter_create(t.reader, note, NULL, &t.iter), 0);
	for (unsigned round = 0; round < 3; round++) {
		walk_all();
		expect_items(0, ITEMS);
	}
	cr_assert_eq(t.lost_count, 0);
}

Test(btrfs_tree, keys_around_a_key)
{
	const struct xx_btrfs_key edge = { 5, UINT8_MAX, UINT64_MAX };

	cr_assert_eq(xx_btrfs_key_compare(xx_btrfs_key_next(edge), (struct xx_btrfs_key){ 6, 0, 0 }), 0);
	cr_assert_eq(xx_btrfs_key_compare(xx_btrfs_key_prev((struct xx_btrfs_key){ 6, 0, 0 }), edge), 0);
	cr_assert_eq(xx_btrfs_key_compare(xx_btrfs_key_next(XX_BTRFS_KEY_MAX), XX_BTRFS_KEY_MAX), 0);
	cr_assert_eq(xx_btrfs_key_compare(xx_btrfs_key_prev(XX_BTRFS_KEY_MIN), XX_BTRFS_KEY_MIN), 0);
}
