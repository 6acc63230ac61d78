/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_values.c - how numbers and sizes are written.
 */
#include <errno.h>

#include <criterion/criterion.h>

#include <xx/units.h>

#include "tools/values.h"

static const struct tool_units all_units = { .suffixes = true, .block = 4096, .sector = 512 };
static const struct tool_units no_units = { .suffixes = false, .block = 4096, .sector = 512 };

static const struct {
	const char *text;
	int ret;
	uint64_t value;
} sizes[] = {
	{ "0", 0, 0 },
	{ "512", 0, 512 },
	{ "010", 0, 8 },
	{ "0x10", 0, 16 },
	{ "0X1f", 0, 31 },
	{ "0xb", 0, 11 },
	{ "0x1e", 0, 30 },
	{ " 7", 0, 7 },
	{ "+7", 0, 7 },
	{ "3s", 0, 1536 },
	{ "3S", 0, 1536 },
	{ "3b", 0, 12288 },
	{ "1k", 0, XX_KIB },
	{ "1K", 0, XX_KIB },
	{ "2m", 0, 2 * XX_MIB },
	{ "2g", 0, 2 * XX_GIB },
	{ "2t", 0, 2 * XX_TIB },
	{ "2p", 0, 2 * XX_PIB },
	{ "2e", 0, 2 * XX_EIB },
	{ "15e", 0, 15 * XX_EIB },
	{ "010k", 0, 8 * XX_KIB },
	{ "0x10m", 0, 16 * XX_MIB },
	{ "18446744073709551615", 0, UINT64_MAX },
	{ "0xffffffffffffffff", 0, UINT64_MAX },
	{ "-0", 0, 0 },
	{ "18446744073709551616", -ERANGE, 0 },
	{ "99999999999999999999999", -ERANGE, 0 },
	{ "16e", -ERANGE, 0 },
	{ "17179869184g", -ERANGE, 0 },
	{ "36028797018963968s", -ERANGE, 0 },
	{ "-1", -ERANGE, 0 },
	{ "-1k", -ERANGE, 0 },
	{ "", -EINVAL, 0 },
	{ "x", -EINVAL, 0 },
	{ "k", -EINVAL, 0 },
	{ "-", -EINVAL, 0 },
	{ "1x", -EDOM, 0 },
	{ "1kb", -EDOM, 0 },
	{ "1kk", -EDOM, 0 },
	{ "1 k", -EDOM, 0 },
	{ "08", -EDOM, 0 },
	{ "1.5g", -EDOM, 0 },
	{ "0xg", -EDOM, 0 },
	{ "4 ", -EDOM, 0 },
};

Test(values, sizes_with_suffixes)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(sizes); i++) {
		uint64_t value = 0;

		cr_expect_eq(tool_value_parse(sizes[i].text, &all_units, &value), sizes[i].ret, "%s", sizes[i].text);
		cr_expect_eq(value, sizes[i].value, "%s: %ju", sizes[i].text, (uintmax_t)value);
	}
}

Test(values, numbers_have_no_suffixes)
{
	uint64_t value = 5;

	cr_expect_eq(tool_value_parse("0x20", &no_units, &value), 0);
	cr_expect_eq(value, 32);
	cr_expect_eq(tool_value_parse("1k", &no_units, &value), -EDOM);
	cr_expect_eq(tool_value_parse("1b", &no_units, &value), -EDOM);
	cr_expect_eq(value, 32, "a bad value changes nothing");
}

Test(values, units_that_are_not_known_cannot_be_used)
{
	const struct tool_units units = { .suffixes = true };
	uint64_t value;

	cr_expect_eq(tool_value_parse("1b", &units, &value), -EDOM);
	cr_expect_eq(tool_value_parse("1s", &units, &value), -EDOM);
	cr_expect_eq(tool_value_parse("1k", &units, &value), 0);
}

Test(values, counted_in_sectors)
{
	cr_expect(tool_value_is_in_sectors("12s"));
	cr_expect(tool_value_is_in_sectors("12S"));
	cr_expect(!tool_value_is_in_sectors("12"));
	cr_expect(!tool_value_is_in_sectors("12b"));
	cr_expect(!tool_value_is_in_sectors(""));
}

Test(values, shown_with_the_largest_suffix)
{
	char buf[TOOL_VALUE_TEXT];

	cr_expect_str_eq(tool_value_format(buf, 0), "0");
	cr_expect_str_eq(tool_value_format(buf, 512), "512");
	cr_expect_str_eq(tool_value_format(buf, 65536), "64k");
	cr_expect_str_eq(tool_value_format(buf, 16 * XX_MIB), "16m");
	cr_expect_str_eq(tool_value_format(buf, 2038 * XX_MIB), "2038m");
	cr_expect_str_eq(tool_value_format(buf, XX_TIB), "1t");
	cr_expect_str_eq(tool_value_format(buf, 8 * XX_EIB), "8e");
	cr_expect_str_eq(tool_value_format(buf, UINT64_MAX), "18446744073709551615");
}
