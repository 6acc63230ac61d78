/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_raid.c - P and Q against arithmetic that is done bit by bit here, and every one and two elements rebuilt.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xx/btrfs_raid.h>
#include <xx/random.h>

enum {
	LENGTH = 96,
	ROW_MAX = XX_BTRFS_RAID_DATA_MAX + 2
};

struct row {
	uint8_t *memory, *saved;
	void *element[ROW_MAX];
	unsigned data, parities;
};

static uint8_t times(uint8_t a, uint8_t b)
{
	unsigned product = 0;

	for (unsigned bit = 0; bit < 8; bit++) {
		if (b >> bit & 1)
			product ^= (unsigned)a << bit;
	}
	for (unsigned bit = 15; bit >= 8; bit--) {
		if (product >> bit & 1)
			product ^= 0x11dU << (bit - 8);
	}
	return (uint8_t)product;
}

static void row_open(struct row *row, unsigned data, unsigned parities)
{
	const size_t size = (size_t)LENGTH * (data + parities);
	struct xx_random random;

	*row = (struct row){ .data = data, .parities = parities };
	row->memory = aligned_alloc(XX_BTRFS_RAID_ALIGN, size);
	row->saved = malloc(size);
	cr_assert(row->memory && row->saved);
	xx_random_init_seed(&random, data);
	for (size_t i = 0; i < size; i++)
		row->memory[i] = (uint8_t)xx_random_u64(&random);
	for (unsigned i = 0; i < data + parities; i++)
		row->element[i] = row->memory + (size_t)LENGTH * i;
	cr_assert_eq(xx_btrfs_raid_generate(data, parities, row->element, LENGTH), 0);
	memcpy(row->saved, row->memory, size);
}

static void row_close(struct row *row)
{
	free(row->memory);
	free(row->saved);
}

static void check_parity(const struct row *row)
{
	for (size_t i = 0; i < LENGTH; i++) {
		uint8_t p = 0;
		uint8_t q = 0;

		for (unsigned k = row->data; k-- > 0;) {
			const uint8_t byte = ((const uint8_t *)row->element[k])[i];

			p ^= byte;
			q = times(q, 2) ^ byte;
		}
		cr_assert_eq(((const uint8_t *)row->element[row->data])[i], p, "P of %u, byte %zu", row->data, i);
		if (row->parities == 2)
			cr_assert_eq(((const uint8_t *)row->element[row->data + 1])[i], q, "Q of %u, byte %zu",
				     row->data, i);
	}
}

static void lose(struct row *row, const unsigned *lost, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		memset(row->element[lost[i]], 0x5a + (int)i, LENGTH);
	cr_assert_eq(xx_btrfs_raid_recover(row->data, row->parities, row->element, lost, count, LENGTH), 0);
	cr_assert_eq(memcmp(row->memory, row->saved, (size_t)LENGTH * (row->data + row->parities)), 0,
		     "%u data, %u parities, %u lost: %u %u", row->data, row->parities, count, lost[0],
		     count > 1 ? lost[1] : 0);
}

static const unsigned widths[] = { 1, 2, 3, 4, 5, 6, 8, 17, 100, XX_BTRFS_RAID_DATA_MAX };

Test(btrfs_raid, parity_is_that_of_the_definition)
{
	for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
		for (unsigned parities = 1; parities <= 2; parities++) {
			struct row row;

			row_open(&row, widths[w], parities);
			check_parity(&row);
			row_close(&row);
		}
	}
}

Test(btrfs_raid, any_one_comes_back)
{
	for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
		for (unsigned parities = 1; parities <= 2; parities++) {
			struct row row;

			row_open(&row, widths[w], parities);
			for (unsigned x = 0; x < row.data + parities; x++)
				lose(&row, &x, 1);
			row_close(&row);
		}
	}
}

Test(btrfs_raid, any_two_come_back)
{
	for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
		struct row row;
		unsigned lost[2];

		row_open(&row, widths[w], 2);
		for (lost[0] = 0; lost[0] < row.data + 1; lost[0]++) {
			for (lost[1] = lost[0] + 1; lost[1] < row.data + 2; lost[1]++)
				lose(&row, lost, 2);
		}
		row_close(&row);
	}
}

Test(btrfs_raid, what_isa_l_does_not_take_is_refused)
{
	static const unsigned same[2] = { 1, 1 };
	static const unsigned outside[1] = { 5 };
	static const unsigned two[2] = { 0, 1 };
	struct row row;
	void *odd[3];

	row_open(&row, 3, 2);
	cr_assert_eq(xx_btrfs_raid_generate(3, 2, row.element, 33), -EINVAL);
	cr_assert_eq(xx_btrfs_raid_generate(3, 2, row.element, 0), -EINVAL);
	cr_assert_eq(xx_btrfs_raid_generate(0, 2, row.element, 32), -EINVAL);
	cr_assert_eq(xx_btrfs_raid_generate(3, 0, row.element, 32), -EINVAL);
	cr_assert_eq(xx_btrfs_raid_generate(XX_BTRFS_RAID_DATA_MAX + 1, 1, row.element, 32), -EINVAL);
	cr_assert_eq(xx_btrfs_raid_recover(3, 2, row.element, same, 2, 32), -EINVAL);
	cr_assert_eq(xx_btrfs_raid_recover(3, 2, row.element, outside, 1, 32), -EINVAL);
	cr_assert_eq(xx_btrfs_raid_recover(3, 1, row.element, two, 2, 32), -EINVAL);
	for (unsigned i = 0; i < 3; i++)
		odd[i] = (uint8_t *)row.element[i] + 1;
	cr_assert_eq(xx_btrfs_raid_generate(2, 1, odd, 32), -EINVAL);
	cr_assert_eq(memcmp(row.memory, row.saved, (size_t)LENGTH * 5), 0, "nothing was written");
	row_close(&row);
}
