/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units.c - sizes as text.
 */
#include <inttypes.h>
#include <stdio.h>
#include <xx/units.h>

/* @bytes in tenths of 2^@shift bytes, rounded to the nearest; does not overflow up to 2^64 - 1 bytes. */
static uint64_t size_tenths(uint64_t bytes, unsigned shift)
{
	const uint64_t unit = UINT64_C(1) << shift;
	const uint64_t rest = bytes & (unit - 1);

	/* the rest is below 2^60, so ten times it fits */
	return (bytes >> shift) * 10 + (rest * 10 + unit / 2) / unit;
}

const char *xx_size_format(char buf[XX_SIZE_TEXT], uint64_t bytes)
{
	static const char units[][4] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	unsigned unit = bytes ? xx_ilog2(bytes) / 10 : 0;
	uint64_t tenths = unit ? size_tenths(bytes, unit * 10) : bytes * 10;

	/* 1023.96 KiB is 1 MiB */
	if (tenths >= 10240 && unit < XX_ARRAY_SIZE(units) - 1) {
		unit++;
		tenths = 10;
	}
	if (tenths % 10)
		snprintf(buf, XX_SIZE_TEXT, "%" PRIu64 ".%u %s", tenths / 10, (unsigned)(tenths % 10), units[unit]);
	else
		snprintf(buf, XX_SIZE_TEXT, "%" PRIu64 " %s", tenths / 10, units[unit]);
	return buf;
}
