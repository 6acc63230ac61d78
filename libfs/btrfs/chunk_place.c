/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chunk_place.c - the arithmetic of profiles: from an address in a chunk to its places, and back.
 *
 * Copy m of column k of row r is element r of a stripe whose number depends on the profile:
 *	not striped	m; the whole chunk is one element
 *	RAID0		k
 *	RAID10		2 k + m
 *	RAID5, RAID6	(k + r) modulo the number of stripes; P and Q count as columns after the data
 */
#include <assert.h>
#include "chunk.h"

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Where nothing is striped there is one column, and rows make no difference. */
static unsigned stripe_of(const struct xx_btrfs_chunk *chunk, uint64_t row, unsigned column, unsigned copy)
{
	if (chunk->parity)
		return (unsigned)((column + row) % chunk->num_stripes);
	return column * chunk->copies + copy;
}

static struct xx_btrfs_place place_at(const struct xx_btrfs_chunk *chunk, unsigned stripe, uint64_t offset)
{
	return (struct xx_btrfs_place){
		.stripe = stripe,
		.devid = chunk->stripes[stripe].devid,
		.physical = chunk->stripes[stripe].physical + offset,
	};
}

void xx_btrfs_chunk_row(const struct xx_btrfs_chunk *chunk, uint64_t logical, struct xx_btrfs_row *out)
{
	const uint64_t offset = logical - chunk->logical;
	const uint64_t element = offset >> BTRFS_STRIPE_LEN_SHIFT;

	assert(offset < chunk->length);
	*out = (struct xx_btrfs_row){
		.number = element / chunk->columns,
		.column = (unsigned)(element % chunk->columns),
		.in_element = offset % BTRFS_STRIPE_LEN,
	};
	out->offset = out->number << BTRFS_STRIPE_LEN_SHIFT;
	out->logical = chunk->logical + out->offset * chunk->columns;
}

struct xx_btrfs_place xx_btrfs_row_place(const struct xx_btrfs_chunk *chunk, uint64_t number, unsigned column,
					 uint64_t in_element)
{
	assert(column < chunk->columns + chunk->parity && in_element < BTRFS_STRIPE_LEN);
	return place_at(chunk, stripe_of(chunk, number, column, 0), (number << BTRFS_STRIPE_LEN_SHIFT) + in_element);
}

void xx_btrfs_chunk_copies(const struct xx_btrfs_chunk *chunk, uint64_t logical, struct xx_btrfs_copies *out)
{
	const uint64_t left = xx_btrfs_chunk_end(chunk) - logical;
	struct xx_btrfs_row row;

	xx_btrfs_chunk_row(chunk, logical, &row);
	out->count = chunk->copies;
	if (xx_btrfs_chunk_striped(chunk))
		out->length = smaller(BTRFS_STRIPE_LEN - row.in_element, left);
	else
		out->length = left;
	for (unsigned m = 0; m < chunk->copies; m++)
		out->place[m] =
			place_at(chunk, stripe_of(chunk, row.number, row.column, m), row.offset + row.in_element);
}

/* The column that a stripe has in a row; with parity it moves on from row to row. */
static unsigned column_of(const struct xx_btrfs_chunk *chunk, uint64_t row, unsigned stripe)
{
	if (chunk->parity)
		return (unsigned)((stripe + chunk->num_stripes - row % chunk->num_stripes) % chunk->num_stripes);
	return stripe / chunk->copies;
}

void xx_btrfs_stripe_locate(const struct xx_btrfs_chunk *chunk, unsigned stripe, uint64_t offset,
			    struct xx_btrfs_location *out)
{
	const uint64_t row = offset >> BTRFS_STRIPE_LEN_SHIFT;
	const uint64_t in_element = offset % BTRFS_STRIPE_LEN;
	const unsigned column = column_of(chunk, row, stripe);

	assert(stripe < chunk->num_stripes && offset < chunk->stripe_length);
	*out = (struct xx_btrfs_location){ .chunk = chunk, .stripe = stripe };
	if (!xx_btrfs_chunk_striped(chunk)) {
		out->copy = stripe;
		out->logical = chunk->logical + offset;
		out->length = chunk->length - offset;
		return;
	}
	out->row = row;
	out->column = column;
	out->copy = chunk->parity ? 0 : stripe % chunk->copies;
	out->logical = chunk->logical + row * chunk->columns * BTRFS_STRIPE_LEN + in_element;
	out->length = BTRFS_STRIPE_LEN - in_element;
	if (column >= chunk->columns) {
		out->role = column == chunk->columns ? XX_BTRFS_ROLE_P : XX_BTRFS_ROLE_Q;
		return;
	}
	out->logical += column * BTRFS_STRIPE_LEN;
	if (out->logical >= xx_btrfs_chunk_end(chunk))
		out->length = 0;
	else
		out->length = smaller(out->length, xx_btrfs_chunk_end(chunk) - out->logical);
}
