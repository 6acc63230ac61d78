/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bitmap.h - a set of numbers from 0 to a fixed size, one bit each.
 *
 * Sizes and positions are in bits. A position outside of the bitmap is a fault of the caller that asserts.
 * Not locked: threads that share one must not touch the same 64 bits (from a multiple of 64 on) at the same time.
 */
#ifndef XX_BITMAP_H
#define XX_BITMAP_H

#include <stdbool.h>
#include <stdint.h>
#include <xx/compiler.h>

struct xx_bitmap;

/* A bitmap of @bits bits (0 is allowed), all clear. 0 or -ENOMEM, also when the size cannot be addressed. */
XX_API XX_MUST_CHECK int xx_bitmap_create(uint64_t bits, struct xx_bitmap **out);
XX_API void xx_bitmap_destroy(struct xx_bitmap *map);

XX_API uint64_t xx_bitmap_size(const struct xx_bitmap *map);

XX_API void xx_bitmap_set(struct xx_bitmap *map, uint64_t pos);
XX_API void xx_bitmap_clear(struct xx_bitmap *map, uint64_t pos);
XX_API bool xx_bitmap_test(const struct xx_bitmap *map, uint64_t pos);

/* The @len bits from @pos on; @len may be 0. */
XX_API void xx_bitmap_set_range(struct xx_bitmap *map, uint64_t pos, uint64_t len);
XX_API void xx_bitmap_clear_range(struct xx_bitmap *map, uint64_t pos, uint64_t len);

/*
 * The first set (clear) bit at or after @from, or the size of the bitmap when there is none; @from may be the size:
 *
 *	for (i = xx_bitmap_next_set(map, 0); i < xx_bitmap_size(map); i = xx_bitmap_next_set(map, i + 1))
 */
XX_API uint64_t xx_bitmap_next_set(const struct xx_bitmap *map, uint64_t from);
XX_API uint64_t xx_bitmap_next_clear(const struct xx_bitmap *map, uint64_t from);

/* How many bits are set. */
XX_API uint64_t xx_bitmap_count(const struct xx_bitmap *map);

#endif
