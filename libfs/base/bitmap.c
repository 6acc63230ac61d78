/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bitmap.c - a set of numbers, one bit each, in 64-bit words. Bits of the last word beyond the size stay clear.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <xx/bitmap.h>
#include <xx/units.h>

#define WORD_BITS 64u

/* 128 TiB of memory, all that a process can address with four levels of page tables. */
#define BITS_MAX (UINT64_C(1) << 50)

struct xx_bitmap {
	uint64_t bits;
	uint64_t words[];
};

int xx_bitmap_create(uint64_t bits, struct xx_bitmap **out)
{
	const uint64_t words = xx_div_round_up(bits, WORD_BITS);
	struct xx_bitmap *map;

	if (bits > BITS_MAX)
		return -ENOMEM;
	map = calloc(1, sizeof(*map) + (size_t)words * sizeof(map->words[0]));
	if (!map)
		return -ENOMEM;
	map->bits = bits;
	*out = map;
	return 0;
}

void xx_bitmap_destroy(struct xx_bitmap *map)
{
	free(map);
}

uint64_t xx_bitmap_size(const struct xx_bitmap *map)
{
	return map->bits;
}

static uint64_t bit_mask(uint64_t pos)
{
	return UINT64_C(1) << (pos % WORD_BITS);
}

void xx_bitmap_set(struct xx_bitmap *map, uint64_t pos)
{
	assert(pos < map->bits);
	map->words[pos / WORD_BITS] |= bit_mask(pos);
}

void xx_bitmap_clear(struct xx_bitmap *map, uint64_t pos)
{
	assert(pos < map->bits);
	map->words[pos / WORD_BITS] &= ~bit_mask(pos);
}

bool xx_bitmap_test(const struct xx_bitmap *map, uint64_t pos)
{
	assert(pos < map->bits);
	return map->words[pos / WORD_BITS] & bit_mask(pos);
}

/* The bits of the word of @pos that lie from @pos on, and before @end. */
static uint64_t range_mask(uint64_t pos, uint64_t end)
{
	const uint64_t left = xx_min(WORD_BITS - pos % WORD_BITS, end - pos);
	const uint64_t ones = left == WORD_BITS ? UINT64_MAX : (UINT64_C(1) << left) - 1;

	return ones << (pos % WORD_BITS);
}

void xx_bitmap_set_range(struct xx_bitmap *map, uint64_t pos, uint64_t len)
{
	const uint64_t end = pos + len;

	assert(pos <= map->bits && len <= map->bits - pos);
	while (pos < end) {
		map->words[pos / WORD_BITS] |= range_mask(pos, end);
		pos += WORD_BITS - pos % WORD_BITS;
	}
}

void xx_bitmap_clear_range(struct xx_bitmap *map, uint64_t pos, uint64_t len)
{
	const uint64_t end = pos + len;

	assert(pos <= map->bits && len <= map->bits - pos);
	while (pos < end) {
		map->words[pos / WORD_BITS] &= ~range_mask(pos, end);
		pos += WORD_BITS - pos % WORD_BITS;
	}
}

/* The first bit from @from on that differs from those of @flip: all zeros finds a set one, all ones a clear one. */
static uint64_t bitmap_next(const struct xx_bitmap *map, uint64_t from, uint64_t flip)
{
	uint64_t pos = from;

	assert(from <= map->bits);
	while (pos < map->bits) {
		const uint64_t word = (map->words[pos / WORD_BITS] ^ flip) & range_mask(pos, map->bits);

		if (word)
			return xx_round_down(pos, WORD_BITS) + (unsigned)__builtin_ctzll(word);
		pos = xx_round_down(pos, WORD_BITS) + WORD_BITS;
	}
	return map->bits;
}

uint64_t xx_bitmap_next_set(const struct xx_bitmap *map, uint64_t from)
{
	return bitmap_next(map, from, 0);
}

uint64_t xx_bitmap_next_clear(const struct xx_bitmap *map, uint64_t from)
{
	return bitmap_next(map, from, UINT64_MAX);
}

uint64_t xx_bitmap_count(const struct xx_bitmap *map)
{
	const uint64_t words = xx_div_round_up(map->bits, WORD_BITS);
	uint64_t count = 0;

	for (uint64_t i = 0; i < words; i++)
		count += (unsigned)__builtin_popcountll(map->words[i]);
	return count;
}
