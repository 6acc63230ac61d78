/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raid.c - P and Q, and what is rebuilt from them, with ISA-L.
 *
 * With two data elements x and y lost, and what remains of the equations when the others are taken off, P' = Dx + Dy and
 * Q' = gx Dx + gy Dy, where gk = 2^k; so Dx = (gy P' + Q') / (gx + gy), and the same with x and y exchanged. Each lost
 * element is thus a sum of all others, P and Q, each times a constant: what ISA-L's erasure code computes.
 */
#include <errno.h>
#include <isa-l/erasure_code.h>
#include <isa-l/raid.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <xx/btrfs_raid.h>

enum {
	ROW_MAX = XX_BTRFS_RAID_DATA_MAX + 2,
	TABLE_SIZE = 32, /* of ISA-L, for each source and result */
};

static bool valid(unsigned data, unsigned parities, void *const *row, size_t length)
{
	if (data < 1 || data > XX_BTRFS_RAID_DATA_MAX || parities < 1 || parities > 2)
		return false;
	if (length == 0 || length > INT_MAX || length % XX_BTRFS_RAID_ALIGN)
		return false;
	for (unsigned i = 0; i < data + parities; i++) {
		if ((uintptr_t)row[i] % XX_BTRFS_RAID_ALIGN)
			return false;
	}
	return true;
}

/* 2^k */
static uint8_t power(unsigned k)
{
	uint8_t value = 1;

	while (k--)
		value = gf_mul(value, 2);
	return value;
}

/* The exclusive or of all elements of a row of data and P but @lost, into that. */
static int exclusive_or(unsigned data, void *const *row, unsigned lost, size_t length)
{
	void *array[ROW_MAX];
	int count = 0;

	for (unsigned i = 0; i <= data; i++) {
		if (i != lost)
			array[count++] = row[i];
	}
	/* xor_gen() wants two sources */
	if (count == 1) {
		memcpy(row[lost], array[0], length);
		return 0;
	}
	array[count++] = row[lost];
	return xor_gen(count, (int)length, array) ? -EINVAL : 0;
}

static int generate_pq(unsigned data, void *const *row, size_t length)
{
	void *array[ROW_MAX];

	/* pq_gen() wants two sources */
	if (data == 1) {
		memcpy(row[1], row[0], length);
		memcpy(row[2], row[0], length);
		return 0;
	}
	memcpy(array, row, (data + 2) * sizeof(*array));
	return pq_gen((int)data + 2, (int)length, array) ? -EINVAL : 0;
}

int xx_btrfs_raid_generate(unsigned data, unsigned parities, void *const *row, size_t length)
{
	if (!valid(data, parities, row, length))
		return -EINVAL;
	return parities == 1 ? exclusive_or(data, row, data, length) : generate_pq(data, row, length);
}

/* Sources of a rebuild: pointers, and a coefficient for each of up to two results. */
struct sources {
	uint8_t *from[ROW_MAX];
	uint8_t factor[2][ROW_MAX];
	unsigned count;
};

static void source_add(struct sources *sources, void *from, uint8_t first, uint8_t second)
{
	sources->from[sources->count] = from;
	sources->factor[0][sources->count] = first;
	sources->factor[1][sources->count] = second;
	sources->count++;
}

/* Compute one or two results. */
static void combine(struct sources *sources, uint8_t **to, unsigned results, size_t length)
{
	uint8_t tables[TABLE_SIZE * 2 * ROW_MAX];
	uint8_t factors[2 * ROW_MAX];

	for (unsigned i = 0; i < results; i++)
		memcpy(factors + i * sources->count, sources->factor[i], sources->count);
	ec_init_tables((int)sources->count, (int)results, factors, tables);
	ec_encode_data((int)length, (int)sources->count, (int)results, tables, sources->from, to);
}

/* Data @x from Q and the other data: Dx = (Q + sum of gk Dk) / gx. */
static void data_from_q(unsigned data, void *const *row, unsigned x, size_t length)
{
	struct sources sources = { .count = 0 };
	uint8_t *to[1] = { row[x] };
	const uint8_t inverse = gf_inv(power(x));
	uint8_t gk = 1;

	for (unsigned k = 0; k < data; k++, gk = gf_mul(gk, 2)) {
		if (k != x)
			source_add(&sources, row[k], gf_mul(gk, inverse), 0);
	}
	source_add(&sources, row[data + 1], inverse, 0);
	combine(&sources, to, 1, length);
}

/* Data @x and @y from P, Q and the other data. */
static void data_from_pq(unsigned data, void *const *row, unsigned x, unsigned y, size_t length)
{
	struct sources sources = { .count = 0 };
	uint8_t *to[2] = { row[x], row[y] };
	const uint8_t gx = power(x);
	const uint8_t gy = power(y);
	const uint8_t inverse = gf_inv(gx ^ gy);
	uint8_t gk = 1;

	for (unsigned k = 0; k < data; k++, gk = gf_mul(gk, 2)) {
		if (k != x && k != y)
			source_add(&sources, row[k], gf_mul(gy ^ gk, inverse), gf_mul(gx ^ gk, inverse));
	}
	source_add(&sources, row[data], gf_mul(gy, inverse), gf_mul(gx, inverse));
	source_add(&sources, row[data + 1], inverse, inverse);
	combine(&sources, to, 2, length);
}

/* Q from the data; P is not touched. */
static void q_from_data(unsigned data, void *const *row, size_t length)
{
	struct sources sources = { .count = 0 };
	uint8_t *to[1] = { row[data + 1] };
	uint8_t gk = 1;

	for (unsigned k = 0; k < data; k++, gk = gf_mul(gk, 2))
		source_add(&sources, row[k], gk, 0);
	combine(&sources, to, 1, length);
}

static int recover_one(unsigned data, void *const *row, unsigned lost, size_t length)
{
	if (lost <= data)
		return exclusive_or(data, row, lost, length);
	q_from_data(data, row, length);
	return 0;
}

static int recover_two(unsigned data, void *const *row, unsigned x, unsigned y, size_t length)
{
	int err;

	if (x == data)
		return generate_pq(data, row, length);
	if (y < data) {
		data_from_pq(data, row, x, y, length);
		return 0;
	}
	if (y == data) {
		data_from_q(data, row, x, length);
		return exclusive_or(data, row, data, length);
	}
	err = exclusive_or(data, row, x, length);
	if (!err)
		q_from_data(data, row, length);
	return err;
}

int xx_btrfs_raid_recover(unsigned data, unsigned parities, void *const *row, const unsigned *lost, unsigned lost_count,
			  size_t length)
{
	if (!valid(data, parities, row, length) || lost_count > parities)
		return -EINVAL;
	for (unsigned i = 0; i < lost_count; i++) {
		if (lost[i] >= data + parities || (i > 0 && lost[i] <= lost[i - 1]))
			return -EINVAL;
	}
	if (lost_count == 0)
		return 0;
	if (lost_count == 1)
		return recover_one(data, row, lost[0], length);
	return recover_two(data, row, lost[0], lost[1], length);
}
