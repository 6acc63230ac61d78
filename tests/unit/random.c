/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random.c - tests: the sequence that a seed gives, UUIDs, what the environment may say, and the clock.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <xx/clock.h>
#include <xx/random.h>

/* The outputs that the authors' own code gives for this state. */
Test(random, is_xoshiro)
{
	struct xx_random random = { .s = { 1, 2, 3, 4 } };

	cr_assert_eq(xx_random_u64(&random), 11520);
	cr_assert_eq(xx_random_u64(&random), 0);
	cr_assert_eq(xx_random_u64(&random), 1509978240);
	cr_assert_eq(xx_random_u64(&random), UINT64_C(1215971899390074240));
}

/* The first outputs of SplitMix64 for this seed. */
Test(random, seed_fills_the_state)
{
	struct xx_random random;

	xx_random_init_seed(&random, 1234567);
	cr_assert_eq(random.s[0], UINT64_C(6457827717110365317));
	cr_assert_eq(random.s[1], UINT64_C(3203168211198807973));
	cr_assert_eq(random.s[2], UINT64_C(9817491932198370423));
	cr_assert_eq(random.s[3], UINT64_C(4593380528125082431));
}

Test(random, same_seed_same_numbers)
{
	struct xx_random a, b, c;
	uint8_t bytes_a[37], bytes_b[37];

	xx_random_init_seed(&a, 42);
	cr_assert_eq(xx_random_init(&b, "0x2a"), 0);
	cr_assert_eq(xx_random_init(&c, "43"), 0);
	cr_assert_eq(xx_random_u32(&a), xx_random_u32(&b));
	cr_assert_neq(xx_random_u64(&a), xx_random_u64(&c));
	(void)xx_random_u64(&b);
	xx_random_bytes(&a, bytes_a, sizeof(bytes_a));
	xx_random_bytes(&b, bytes_b, sizeof(bytes_b));
	cr_assert_arr_eq(bytes_a, bytes_b, sizeof(bytes_a));
}

Test(random, system_numbers_differ)
{
	struct xx_random a, b;

	cr_assert_eq(xx_random_init_system(&a), 0);
	cr_assert_eq(xx_random_init(&b, NULL), 0);
	cr_assert(memcmp(&a, &b, sizeof(a)) != 0);
}

Test(random, bad_seeds)
{
	static const char *const bad[] = { "", " 1", "-1", "+1", "1x", "abc", "0x", "1 " };
	struct xx_random random;

	for (size_t i = 0; i < XX_ARRAY_SIZE(bad); i++)
		cr_assert_eq(xx_random_init(&random, bad[i]), -EINVAL, "'%s'", bad[i]);
	cr_assert_eq(xx_random_init(&random, "18446744073709551616"), -ERANGE);
	cr_assert_eq(xx_random_init(&random, "18446744073709551615"), 0);
}

Test(random, below_stays_below)
{
	unsigned seen[7] = { 0 };
	struct xx_random random;

	xx_random_init_seed(&random, 1);
	for (int i = 0; i < 7000; i++)
		seen[xx_random_below(&random, 7)]++;
	for (int i = 0; i < 7; i++)
		cr_assert(seen[i] > 800 && seen[i] < 1200);
	cr_assert_eq(xx_random_below(&random, 1), 0);
	(void)xx_random_below(&random, UINT64_MAX);
}

Test(random, uuid_is_version_4)
{
	uint8_t uuid[XX_UUID_SIZE], other[XX_UUID_SIZE];
	struct xx_random random;

	xx_random_init_seed(&random, 9);
	for (int i = 0; i < 100; i++) {
		xx_random_uuid(&random, uuid);
		cr_assert_eq(uuid[6] >> 4, 4);
		cr_assert_eq(uuid[8] >> 6, 2);
	}
	xx_random_uuid(&random, other);
	cr_assert(memcmp(uuid, other, sizeof(uuid)) != 0);
}

Test(clock, fixed_by_the_environment)
{
	struct xx_clock clock;

	cr_assert_eq(xx_clock_init(&clock, "1700000000"), 0);
	cr_assert_eq(xx_clock_now(&clock).tv_sec, 1700000000);
	cr_assert_eq(xx_clock_now(&clock).tv_nsec, 0);
	cr_assert_eq(xx_clock_init(&clock, "0"), 0);
	cr_assert_eq(xx_clock_now(&clock).tv_sec, 0);
	cr_assert_eq(xx_clock_init(&clock, "4294967296"), 0);
	cr_assert_eq(xx_clock_now(&clock).tv_sec, INT64_C(4294967296));
}

Test(clock, bad_epochs)
{
	static const char *const bad[] = { "", " 1", "-1", "+1", "1.5", "today", "0x10", "1 " };
	struct xx_clock clock;

	for (size_t i = 0; i < XX_ARRAY_SIZE(bad); i++)
		cr_assert_eq(xx_clock_init(&clock, bad[i]), -EINVAL, "'%s'", bad[i]);
	cr_assert_eq(xx_clock_init(&clock, "9223372036854775808"), -ERANGE);
}

Test(clock, real_time_goes_on)
{
	struct timespec before, now;
	struct xx_clock clock;
	uint64_t first;

	cr_assert_eq(xx_clock_init(&clock, NULL), 0);
	clock_gettime(CLOCK_REALTIME, &before);
	now = xx_clock_now(&clock);
	cr_assert(now.tv_sec >= before.tv_sec);
	first = xx_clock_monotonic();
	cr_assert(xx_clock_monotonic() >= first);
}
