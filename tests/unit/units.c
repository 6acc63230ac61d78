/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units.c - tests: rounding, powers of two, overflow that is noticed, sizes as text.
 */
#include <criterion/criterion.h>
#include <xx/units.h>

Test(units, powers_of_two)
{
	cr_assert_not(xx_is_pow2(0));
	cr_assert(xx_is_pow2(1));
	cr_assert_not(xx_is_pow2(6));
	cr_assert(xx_is_pow2(UINT64_C(1) << 63));
	cr_assert_not(xx_is_pow2(UINT64_MAX));
	cr_assert_eq(xx_ilog2(1), 0);
	cr_assert_eq(xx_ilog2(4095), 11);
	cr_assert_eq(xx_ilog2(4096), 12);
	cr_assert_eq(xx_ilog2(UINT64_MAX), 63);
	cr_assert_eq(xx_pow2_ceil(1), 1);
	cr_assert_eq(xx_pow2_ceil(2), 2);
	cr_assert_eq(xx_pow2_ceil(3), 4);
	cr_assert_eq(xx_pow2_ceil(UINT64_C(1) << 63), UINT64_C(1) << 63);
	cr_assert_eq(xx_pow2_ceil((UINT64_C(1) << 62) + 1), UINT64_C(1) << 63);
}

Test(units, rounding)
{
	cr_assert_eq(xx_round_up(0, 512), 0);
	cr_assert_eq(xx_round_up(1, 512), 512);
	cr_assert_eq(xx_round_up(512, 512), 512);
	cr_assert_eq(xx_round_up(10, 7), 14);
	cr_assert_eq(xx_round_down(10, 7), 7);
	cr_assert_eq(xx_round_down(511, 512), 0);
	cr_assert_eq(xx_div_round_up(0, 8), 0);
	cr_assert_eq(xx_div_round_up(9, 8), 2);
	cr_assert_eq(xx_div_round_up(UINT64_MAX, 2), UINT64_C(1) << 63);
	cr_assert(xx_is_multiple(21, 7));
	cr_assert_not(xx_is_multiple(22, 7));
	cr_assert_eq(xx_min(3, UINT64_MAX), 3);
	cr_assert_eq(xx_max(3, UINT64_MAX), UINT64_MAX);
}

Test(units, overflow_is_noticed)
{
	uint64_t out = 77;

	cr_assert_eq(xx_add_checked(UINT64_MAX, 1, &out), -EOVERFLOW);
	cr_assert_eq(xx_sub_checked(1, 2, &out), -EOVERFLOW);
	cr_assert_eq(xx_mul_checked(UINT64_C(1) << 32, UINT64_C(1) << 32, &out), -EOVERFLOW);
	cr_assert_eq(xx_round_up_checked(UINT64_MAX, 4096, &out), -EOVERFLOW);
	cr_assert_eq(out, 77, "the result is as it was");
	cr_assert_eq(xx_add_checked(UINT64_MAX - 1, 1, &out), 0);
	cr_assert_eq(out, UINT64_MAX);
	cr_assert_eq(xx_sub_checked(7, 7, &out), 0);
	cr_assert_eq(out, 0);
	cr_assert_eq(xx_mul_checked(UINT32_MAX, UINT32_MAX, &out), 0);
	cr_assert_eq(out, UINT64_C(0xfffffffe00000001));
	cr_assert_eq(xx_round_up_checked(UINT64_MAX - 4096, 4096, &out), 0);
	cr_assert_eq(out, UINT64_MAX - 4095);
}

Test(units, sizes_as_text)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{ 0, "0 B" },
		{ 1, "1 B" },
		{ 1023, "1023 B" },
		{ XX_KIB, "1 KiB" },
		{ 1536, "1.5 KiB" },
		{ XX_KIB + 51, "1 KiB" },
		{ XX_KIB + 52, "1.1 KiB" },
		{ XX_MIB - 1, "1 MiB" },
		{ XX_MIB - 52 * XX_KIB / 10, "1018.8 KiB" },
		{ 300 * XX_MIB, "300 MiB" },
		{ XX_GIB, "1 GiB" },
		{ 100 * XX_TIB, "100 TiB" },
		{ 10 * XX_PIB + XX_PIB / 4, "10.3 PiB" },
		{ 8 * XX_EIB, "8 EiB" },
		{ UINT64_MAX, "16 EiB" },
	};
	char buf[XX_SIZE_TEXT];

	for (size_t i = 0; i < XX_ARRAY_SIZE(cases); i++)
		cr_assert_str_eq(xx_size_format(buf, cases[i].bytes), cases[i].text);
}
