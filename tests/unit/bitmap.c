/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bitmap.c - tests: a bitmap does what an array of flags does.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <xx/bitmap.h>
#include <xx/random.h>

Test(bitmap, empty)
{
	struct xx_bitmap *map;

	cr_assert_eq(xx_bitmap_create(0, &map), 0);
	cr_assert_eq(xx_bitmap_size(map), 0);
	cr_assert_eq(xx_bitmap_next_set(map, 0), 0);
	cr_assert_eq(xx_bitmap_next_clear(map, 0), 0);
	cr_assert_eq(xx_bitmap_count(map), 0);
	xx_bitmap_set_range(map, 0, 0);
	xx_bitmap_destroy(map);
	xx_bitmap_destroy(NULL);
}

Test(bitmap, too_large_is_an_error)
{
	struct xx_bitmap *map;

	cr_assert_eq(xx_bitmap_create(UINT64_MAX, &map), -ENOMEM);
	cr_assert_eq(xx_bitmap_create((UINT64_C(1) << 50) + 1, &map), -ENOMEM);
}

/* More bits than 32-bit numbers count; the memory is touched only where bits are. */
Test(bitmap, beyond_32_bits)
{
	const uint64_t far = (UINT64_C(1) << 32) + 5;
	struct xx_bitmap *map;

	cr_assert_eq(xx_bitmap_create(far + 1, &map), 0);
	xx_bitmap_set(map, far);
	cr_assert(xx_bitmap_test(map, far));
	cr_assert_not(xx_bitmap_test(map, 5));
	cr_assert_eq(xx_bitmap_next_set(map, far - 1000), far);
	xx_bitmap_destroy(map);
}

Test(bitmap, outside_asserts, .signal = SIGABRT)
{
	struct xx_bitmap *map;

	cr_assert_eq(xx_bitmap_create(10, &map), 0);
	xx_bitmap_set(map, 10);
}

#define MODEL_MAX 1000

static uint64_t model_next(const bool *model, uint64_t size, uint64_t from, bool wanted)
{
	while (from < size && model[from] != wanted)
		from++;
	return from;
}

static void compare(const struct xx_bitmap *map, const bool *model, uint64_t size)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < size; i++) {
		cr_assert_eq(xx_bitmap_test(map, i), model[i]);
		count += model[i];
	}
	cr_assert_eq(xx_bitmap_count(map), count);
	for (uint64_t i = 0; i <= size; i++) {
		cr_assert_eq(xx_bitmap_next_set(map, i), model_next(model, size, i, true));
		cr_assert_eq(xx_bitmap_next_clear(map, i), model_next(model, size, i, false));
	}
}

static void change(struct xx_random *random, struct xx_bitmap *map, bool *model, uint64_t size)
{
	const uint64_t pos = xx_random_below(random, size);
	const uint64_t len = xx_random_below(random, size - pos + 1);

	switch (xx_random_below(random, 4)) {
	case 0:
		xx_bitmap_set(map, pos);
		model[pos] = true;
		break;
	case 1:
		xx_bitmap_clear(map, pos);
		model[pos] = false;
		break;
	case 2:
		xx_bitmap_set_range(map, pos, len);
		memset(model + pos, true, len);
		break;
	default:
		xx_bitmap_clear_range(map, pos, len);
		memset(model + pos, false, len);
		break;
	}
}

static const uint64_t model_sizes[] = { 1, 2, 63, 64, 65, 127, 128, 129, 500, MODEL_MAX };

ParameterizedTestParameters(bitmap, is_an_array)
{
	static size_t indices[XX_ARRAY_SIZE(model_sizes)];

	for (size_t i = 0; i < XX_ARRAY_SIZE(indices); i++)
		indices[i] = i;
	return cr_make_param_array(size_t, indices, XX_ARRAY_SIZE(indices));
}

ParameterizedTest(size_t *index, bitmap, is_an_array)
{
	const uint64_t size = model_sizes[*index];
	bool model[MODEL_MAX] = { false };
	struct xx_random random;
	struct xx_bitmap *map;

	xx_random_init_seed(&random, size);
	cr_assert_eq(xx_bitmap_create(size, &map), 0);
	for (int i = 0; i < 200; i++) {
		change(&random, map, model, size);
		compare(map, model, size);
	}
	xx_bitmap_destroy(map);
}
