/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extent_map.c - tests: joining, splitting, refusing, and a map that does what an array of flags does.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <string.h>
#include <xx/extent_map.h>
#include <xx/random.h>

static struct xx_extent_map *map_create(void)
{
	struct xx_extent_map *map;

	cr_assert_eq(xx_extent_map_create(&map), 0);
	return map;
}

static void assert_extent(const struct xx_extent_map *map, uint64_t pos, uint64_t start, uint64_t len)
{
	struct xx_extent e;

	cr_assert(xx_extent_map_find(map, pos, &e));
	cr_assert_eq(e.start, start);
	cr_assert_eq(e.len, len);
}

Test(extent_map, empty)
{
	struct xx_extent_map *map = map_create();
	struct xx_extent e;

	cr_assert_not(xx_extent_map_find(map, 0, &e));
	cr_assert_not(xx_extent_map_next(map, 0, &e));
	cr_assert_eq(xx_extent_map_count(map), 0);
	cr_assert_eq(xx_extent_map_remove(map, 0, 1), -ENOENT);
	xx_extent_map_destroy(map);
	xx_extent_map_destroy(NULL);
}

Test(extent_map, joins_neighbours)
{
	struct xx_extent_map *map = map_create();

	cr_assert_eq(xx_extent_map_add(map, 10, 5), 0);
	cr_assert_eq(xx_extent_map_add(map, 20, 5), 0);
	cr_assert_eq(xx_extent_map_count(map), 2);
	cr_assert_eq(xx_extent_map_add(map, 8, 2), 0);
	assert_extent(map, 8, 8, 7);
	cr_assert_eq(xx_extent_map_add(map, 25, 1), 0);
	assert_extent(map, 20, 20, 6);
	cr_assert_eq(xx_extent_map_add(map, 15, 5), 0);
	assert_extent(map, 17, 8, 18);
	cr_assert_eq(xx_extent_map_count(map), 1);
	cr_assert_eq(xx_extent_map_total(map), 18);
	xx_extent_map_destroy(map);
}

Test(extent_map, splits)
{
	struct xx_extent_map *map = map_create();
	struct xx_extent e;

	cr_assert_eq(xx_extent_map_add(map, 0, 100), 0);
	cr_assert_eq(xx_extent_map_remove(map, 40, 20), 0);
	assert_extent(map, 0, 0, 40);
	assert_extent(map, 99, 60, 40);
	cr_assert_not(xx_extent_map_find(map, 40, &e));
	cr_assert_not(xx_extent_map_find(map, 59, &e));
	cr_assert_eq(xx_extent_map_remove(map, 0, 10), 0);
	assert_extent(map, 39, 10, 30);
	cr_assert_eq(xx_extent_map_remove(map, 90, 10), 0);
	assert_extent(map, 60, 60, 30);
	cr_assert_eq(xx_extent_map_remove(map, 60, 30), 0);
	cr_assert_eq(xx_extent_map_count(map), 1);
	cr_assert_eq(xx_extent_map_total(map), 30);
	xx_extent_map_destroy(map);
}

Test(extent_map, refuses)
{
	struct xx_extent_map *map = map_create();

	cr_assert_eq(xx_extent_map_add(map, 10, 10), 0);
	cr_assert_eq(xx_extent_map_add(map, 30, 10), 0);
	cr_assert_eq(xx_extent_map_add(map, 19, 1), -EEXIST);
	cr_assert_eq(xx_extent_map_add(map, 5, 6), -EEXIST);
	cr_assert_eq(xx_extent_map_add(map, 0, 100), -EEXIST);
	cr_assert_eq(xx_extent_map_add(map, 25, 10), -EEXIST);
	cr_assert_eq(xx_extent_map_remove(map, 9, 2), -ENOENT);
	cr_assert_eq(xx_extent_map_remove(map, 19, 2), -ENOENT);
	cr_assert_eq(xx_extent_map_remove(map, 15, 20), -ENOENT, "a hole in the middle");
	cr_assert_eq(xx_extent_map_add(map, 50, 0), -EINVAL);
	cr_assert_eq(xx_extent_map_remove(map, 10, 0), -EINVAL);
	cr_assert_eq(xx_extent_map_add(map, UINT64_MAX, 2), -EINVAL);
	cr_assert_eq(xx_extent_map_total(map), 20);
	cr_assert_eq(xx_extent_map_count(map), 2);
	xx_extent_map_destroy(map);
}

Test(extent_map, up_to_the_last_position)
{
	struct xx_extent_map *map = map_create();

	cr_assert_eq(xx_extent_map_add(map, 0, UINT64_MAX), 0);
	assert_extent(map, UINT64_MAX - 1, 0, UINT64_MAX);
	cr_assert_eq(xx_extent_map_remove(map, UINT64_MAX - 1, 1), 0);
	assert_extent(map, 7, 0, UINT64_MAX - 1);
	xx_extent_map_destroy(map);
}

/* In order is what a simple tree would be worst at. */
Test(extent_map, many_in_order)
{
	struct xx_extent_map *map = map_create();
	const uint64_t count = 200000;
	uint64_t pos = 0, seen = 0;
	struct xx_extent e;

	for (uint64_t i = 0; i < count; i++)
		cr_assert_eq(xx_extent_map_add(map, i * 2, 1), 0);
	for (; xx_extent_map_next(map, pos, &e); pos = xx_extent_end(e))
		seen += e.start == seen * 2;
	cr_assert_eq(seen, count);
	for (uint64_t i = 0; i < count; i += 2)
		cr_assert_eq(xx_extent_map_remove(map, i * 2, 1), 0);
	cr_assert_eq(xx_extent_map_count(map), count / 2);
	xx_extent_map_destroy(map);
}

#define MODEL_SIZE 300u

static bool model_all(const bool *model, uint64_t start, uint64_t len, bool value)
{
	for (uint64_t i = start; i < start + len; i++) {
		if (model[i] != value)
			return false;
	}
	return true;
}

/* Each run of set flags is one extent of the map, and nothing else is in it. */
static void compare(const struct xx_extent_map *map, const bool *model)
{
	uint64_t pos = 0, count = 0, total = 0;
	struct xx_extent e;

	while (pos < MODEL_SIZE) {
		const uint64_t start = pos;

		while (pos < MODEL_SIZE && model[pos] == model[start])
			pos++;
		if (!model[start])
			continue;
		cr_assert(xx_extent_map_next(map, count ? start - 1 : 0, &e));
		cr_assert_eq(e.start, start);
		cr_assert_eq(e.len, pos - start);
		count++;
		total += e.len;
	}
	cr_assert_eq(xx_extent_map_count(map), count);
	cr_assert_eq(xx_extent_map_total(map), total);
	for (pos = 0; pos < MODEL_SIZE; pos++)
		cr_assert_eq(xx_extent_map_find(map, pos, &e), model[pos]);
}

static void change(struct xx_random *random, struct xx_extent_map *map, bool *model)
{
	const uint64_t longest = 1 + xx_random_below(random, 40);
	const uint64_t start = xx_random_below(random, MODEL_SIZE - longest);
	const uint64_t len = 1 + xx_random_below(random, longest);

	if (xx_random_below(random, 2)) {
		const bool fits = model_all(model, start, len, false);

		cr_assert_eq(xx_extent_map_add(map, start, len), fits ? 0 : -EEXIST);
		if (fits)
			memset(model + start, true, len);
	} else {
		const bool fits = model_all(model, start, len, true);

		cr_assert_eq(xx_extent_map_remove(map, start, len), fits ? 0 : -ENOENT);
		if (fits)
			memset(model + start, false, len);
	}
}

ParameterizedTestParameters(extent_map, is_an_array)
{
	static uint64_t seeds[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	return cr_make_param_array(uint64_t, seeds, XX_ARRAY_SIZE(seeds));
}

ParameterizedTest(uint64_t *seed, extent_map, is_an_array)
{
	struct xx_extent_map *map = map_create();
	bool model[MODEL_SIZE] = { false };
	struct xx_random random;

	xx_random_init_seed(&random, *seed);
	for (int i = 0; i < 3000; i++) {
		change(&random, map, model);
		compare(map, model);
	}
	xx_extent_map_destroy(map);
}
