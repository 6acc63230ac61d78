/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units.h - sizes: binary units, rounding, powers of two, arithmetic that notices overflow, sizes as text.
 *
 * All arithmetic is in 64 bits. What is not called checked does not look for overflow: it is for values that were
 * validated before. Values from a user or a medium go through the checked ones.
 */
#ifndef XX_UNITS_H
#define XX_UNITS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <xx/compiler.h>

#define XX_KIB (UINT64_C(1) << 10)
#define XX_MIB (UINT64_C(1) << 20)
#define XX_GIB (UINT64_C(1) << 30)
#define XX_TIB (UINT64_C(1) << 40)
#define XX_PIB (UINT64_C(1) << 50)
#define XX_EIB (UINT64_C(1) << 60)

/* The unit in which Linux counts devices, whatever their sector size is. */
#define XX_SECTOR	UINT64_C(512)
#define XX_SECTOR_SHIFT 9

static inline bool xx_is_pow2(uint64_t v)
{
	return v != 0 && (v & (v - 1)) == 0;
}

/* The exponent of the largest power of two that is not above @v; @v is not 0. */
static inline unsigned xx_ilog2(uint64_t v)
{
	return 63u - (unsigned)__builtin_clzll(v);
}

/* The smallest power of two that is not below @v; @v is from 1 to 2^63. */
static inline uint64_t xx_pow2_ceil(uint64_t v)
{
	return v <= 1 ? 1 : UINT64_C(1) << (xx_ilog2(v - 1) + 1);
}

static inline uint64_t xx_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t xx_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Multiples of @unit, which is not 0 and need not be a power of two. */
static inline bool xx_is_multiple(uint64_t v, uint64_t unit)
{
	return v % unit == 0;
}

static inline uint64_t xx_round_down(uint64_t v, uint64_t unit)
{
	return v - v % unit;
}

static inline uint64_t xx_div_round_up(uint64_t v, uint64_t unit)
{
	return v / unit + (v % unit != 0);
}

static inline uint64_t xx_round_up(uint64_t v, uint64_t unit)
{
	return xx_div_round_up(v, unit) * unit;
}

/* 0 with the result in @out, or -EOVERFLOW with @out as it was. */
static inline XX_MUST_CHECK int xx_add_checked(uint64_t a, uint64_t b, uint64_t *out)
{
	uint64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return -EOVERFLOW;
	*out = sum;
	return 0;
}

static inline XX_MUST_CHECK int xx_sub_checked(uint64_t a, uint64_t b, uint64_t *out)
{
	if (b > a)
		return -EOVERFLOW;
	*out = a - b;
	return 0;
}

static inline XX_MUST_CHECK int xx_mul_checked(uint64_t a, uint64_t b, uint64_t *out)
{
	uint64_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return -EOVERFLOW;
	*out = product;
	return 0;
}

static inline XX_MUST_CHECK int xx_round_up_checked(uint64_t v, uint64_t unit, uint64_t *out)
{
	return xx_mul_checked(xx_div_round_up(v, unit), unit, out);
}

/* Room for the longest text that xx_size_format() makes, with its NUL. */
#define XX_SIZE_TEXT 24

/*
 * @bytes for people, in @buf, which is returned: "512 B", "4 KiB", "1.5 GiB". With one digit after the point unless
 * that is 0, rounded to the nearest; the unit is the largest one of which there is at least one.
 */
XX_API const char *xx_size_format(char buf[XX_SIZE_TEXT], uint64_t bytes);

#endif
