/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wipe_plan.c - which old secondary superblocks are wiped: each once, group 0 never, what the new file system writes
 * over not at all, and the most important ones also when time is over.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include <xx/units.h>

#include "mkfs/wipe_plan.h"

/* A new file system of @size in groups of @group_bytes, with headers of 32 KiB and no log. */
static struct mkfs_wipe_new new_fs(uint64_t size, uint64_t group_bytes)
{
	return (struct mkfs_wipe_new){ .size = size, .group_bytes = group_bytes, .header_bytes = 32 * XX_KIB };
}

static struct xx_xfs_old old_fs(uint64_t count, uint64_t ag_bytes)
{
	return (struct xx_xfs_old){ .ag_bytes = ag_bytes, .ag_count = count, .sector_size = 512 };
}

/* Sizes of old file systems around the borders of the parts. */
static const struct {
	uint64_t count, ag_bytes;
} olds[] = {
	{ 2, XX_TIB },		 { 3, 16 * XX_MIB }, { 11, XX_TIB },	   { 12, XX_TIB },
	{ 1000, XX_TIB - 4096 }, { 1001, XX_TIB },   { 1002, XX_TIB },	   { 2010, XX_TIB },
	{ 2011, XX_TIB },	 { 2012, XX_TIB },   { 3021, 7 * XX_GIB }, { 102401, XX_TIB - 4096 },
	{ 65536, 16 * XX_MIB },
};

Test(wipe_plan, gives_each_old_group_once_and_never_the_first)
{
	struct mkfs_wipe_new new = new_fs(XX_TIB, XX_GIB);

	new.header_bytes = 0; /* writes nothing over */
	for (size_t i = 0; i < XX_ARRAY_SIZE(olds); i++) {
		const struct xx_xfs_old old = old_fs(olds[i].count, olds[i].ag_bytes);
		uint8_t *seen = calloc(old.ag_count, 1);
		struct mkfs_wipe_plan plan;
		uint64_t offset, n = 0;

		cr_assert_not_null(seen);
		mkfs_wipe_plan_make(&plan, &old, &new, 512);
		while (mkfs_wipe_plan_next(&plan, false, &offset)) {
			cr_assert(xx_is_multiple(offset, old.ag_bytes));
			cr_assert_lt(offset / old.ag_bytes, old.ag_count);
			cr_assert_eq(seen[offset / old.ag_bytes]++, 0, "old %zu: group %llu twice", i,
				     (unsigned long long)(offset / old.ag_bytes));
			n++;
		}
		cr_assert_eq(seen[0], 0);
		cr_assert_eq(n, old.ag_count - 1, "old %zu: %llu", i, (unsigned long long)n);
		cr_assert_eq(mkfs_wipe_plan_left(&plan), 0);
		free(seen);
	}
}

Test(wipe_plan, only_a_first_group_is_nothing)
{
	const struct mkfs_wipe_new new = new_fs(XX_TIB, XX_GIB);
	const struct xx_xfs_old old = old_fs(1, XX_TIB);
	struct mkfs_wipe_plan plan;
	uint64_t offset;

	mkfs_wipe_plan_make(&plan, &old, &new, 512);
	cr_assert_not(mkfs_wipe_plan_next(&plan, false, &offset));
	cr_assert_eq(mkfs_wipe_plan_left(&plan), 0);
}

Test(wipe_plan, late_still_gives_the_near_part_the_middle_and_the_end)
{
	const struct mkfs_wipe_new new = new_fs(XX_TIB, 256 * XX_GIB + 4096);
	const struct xx_xfs_old old = old_fs(1000000, XX_TIB);
	struct mkfs_wipe_plan plan;
	uint64_t offset, near = 0, middle = 0, end = 0;

	mkfs_wipe_plan_make(&plan, &old, &new, 512);
	while (mkfs_wipe_plan_next(&plan, true, &offset)) {
		const uint64_t group = offset / XX_TIB;

		near += group <= MKFS_WIPE_NEAR;
		middle += group >= 499500 && group < 500500;
		end += group >= 999000;
	}
	cr_assert_eq(near, MKFS_WIPE_NEAR);
	cr_assert_eq(middle, MKFS_WIPE_MIDDLE);
	cr_assert_eq(end, MKFS_WIPE_END);
	cr_assert_eq(mkfs_wipe_plan_left(&plan), 999999 - near - middle - end);
}

Test(wipe_plan, the_near_part_is_bounded_however_small_the_old_groups_are)
{
	const struct mkfs_wipe_new new = new_fs(XX_PIB, XX_TIB);
	const struct xx_xfs_old old = old_fs(UINT32_MAX, 32 * XX_KIB * 3);
	struct mkfs_wipe_plan plan;
	uint64_t offset, n = 0;

	mkfs_wipe_plan_make(&plan, &old, &new, 512);
	while (mkfs_wipe_plan_next(&plan, true, &offset))
		n++;
	cr_assert_leq(n, MKFS_WIPE_NEAR_MOST + MKFS_WIPE_MIDDLE + MKFS_WIPE_END);
	cr_assert_gt(n, MKFS_WIPE_MIDDLE + MKFS_WIPE_END);
}

Test(wipe_plan, late_in_the_rest_says_exactly_what_is_left)
{
	const struct mkfs_wipe_new new = new_fs(XX_TIB, 3 * XX_GIB + 4096);
	const struct xx_xfs_old old = old_fs(100000, XX_TIB);
	uint8_t *seen = calloc(old.ag_count, 1);
	struct mkfs_wipe_plan plan;
	struct mkfs_wipe_range range;
	uint64_t offset, n = 0, left = 0;

	cr_assert_not_null(seen);
	mkfs_wipe_plan_make(&plan, &old, &new, 512);
	while (mkfs_wipe_plan_next(&plan, n >= 30000, &offset)) {
		seen[offset / XX_TIB]++;
		n++;
	}
	cr_assert_eq(n, 30000);
	for (unsigned i = 0; mkfs_wipe_plan_left_range(&plan, &i, &range);) {
		for (uint64_t group = range.first; group < range.last; group++)
			seen[group]++;
		left += range.last - range.first;
	}
	for (uint64_t group = 1; group < old.ag_count; group++)
		cr_assert_eq(seen[group], 1, "group %llu: %u", (unsigned long long)group, seen[group]);
	cr_assert_eq(left, mkfs_wipe_plan_left(&plan));
	cr_assert_eq(n + left, old.ag_count - 1);
	free(seen);
}

Test(wipe_plan, what_the_new_file_system_writes_is_left_to_it)
{
	struct mkfs_wipe_new new = new_fs(64 * XX_GIB, 16 * XX_GIB);
	const struct xx_xfs_old old = old_fs(16, 8 * XX_GIB);
	struct mkfs_wipe_plan plan;
	uint64_t offset, n = 0;

	new.log_start = 40 * XX_GIB;
	new.log_end = 41 * XX_GIB;
	mkfs_wipe_plan_make(&plan, &old, &new, 512);
	while (mkfs_wipe_plan_next(&plan, false, &offset)) {
		cr_assert(offset >= new.size || offset % (16 * XX_GIB) != 0, "%llu", (unsigned long long)offset);
		cr_assert_neq(offset, new.log_start);
		n++;
	}
	/* 8, 24 and 56 GiB lie inside of it, 64 to 120 GiB beyond. */
	cr_assert_eq(n, 3 + 8);
}

Test(wipe_plan, a_group_that_begins_behind_the_new_headers_is_wiped)
{
	const struct mkfs_wipe_new new = new_fs(XX_GIB, XX_GIB);
	const struct xx_xfs_old old = old_fs(3, 32 * XX_KIB);
	struct mkfs_wipe_plan plan;
	uint64_t offset;

	mkfs_wipe_plan_make(&plan, &old, &new, 512);
	cr_assert(mkfs_wipe_plan_next(&plan, false, &offset));
	cr_assert_eq(offset, 32 * XX_KIB);
}

Test(wipe_plan, writes_are_whole_sectors_of_the_device)
{
	const struct mkfs_wipe_new new = new_fs(XX_GIB, XX_GIB);
	const struct xx_xfs_old old = old_fs(100, 512 * 12345);
	struct mkfs_wipe_plan plan;
	uint64_t offset, group = 0;

	mkfs_wipe_plan_make(&plan, &old, &new, 4096);
	while (mkfs_wipe_plan_next(&plan, false, &offset)) {
		group++;
		cr_assert(xx_is_multiple(offset, 4096));
		cr_assert_eq(offset, xx_round_down(group * old.ag_bytes, 4096));
	}
	cr_assert_eq(group, 99);
}

Test(wipe_plan, offsets_do_not_wrap)
{
	const struct mkfs_wipe_new new = new_fs(300 * XX_MIB, 75 * XX_MIB);
	const struct xx_xfs_old old = old_fs(8191 * 1024, XX_TIB);
	struct mkfs_wipe_plan plan;
	uint64_t offset, last = 0;

	mkfs_wipe_plan_make(&plan, &old, &new, 512);
	while (mkfs_wipe_plan_next(&plan, true, &offset))
		last = xx_max(last, offset);
	cr_assert_eq(last, (old.ag_count - 1) * XX_TIB);
}
