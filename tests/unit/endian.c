/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * endian.c - tests: integers on disk have the bytes that they should, anywhere in memory.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <xx/endian.h>

Test(endian, big_endian_bytes)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	const be16 v16 = be16_make(0x0102);
	const be32 v32 = be32_make(0x01020304);
	const be64 v64 = be64_make(0x0102030405060708);

	cr_assert_arr_eq(v16.b, bytes, 2);
	cr_assert_arr_eq(v32.b, bytes, 4);
	cr_assert_arr_eq(v64.b, bytes, 8);
	cr_assert_eq(be16_get(v16), 0x0102);
	cr_assert_eq(be32_get(v32), 0x01020304);
	cr_assert_eq(be64_get(v64), 0x0102030405060708);
}

Test(endian, little_endian_bytes)
{
	static const uint8_t bytes[] = { 8, 7, 6, 5, 4, 3, 2, 1 };
	const le16 v16 = le16_make(0x0708);
	const le32 v32 = le32_make(0x05060708);
	const le64 v64 = le64_make(0x0102030405060708);

	cr_assert_arr_eq(v16.b, bytes, 2);
	cr_assert_arr_eq(v32.b, bytes, 4);
	cr_assert_arr_eq(v64.b, bytes, 8);
	cr_assert_eq(le16_get(v16), 0x0708);
	cr_assert_eq(le32_get(v32), 0x05060708);
	cr_assert_eq(le64_get(v64), 0x0102030405060708);
}

Test(endian, high_bits_are_kept)
{
	cr_assert_eq(be16_get(be16_make(UINT16_MAX)), UINT16_MAX);
	cr_assert_eq(be32_get(be32_make(UINT32_MAX - 1)), UINT32_MAX - 1);
	cr_assert_eq(be64_get(be64_make(UINT64_MAX - 1)), UINT64_MAX - 1);
	cr_assert_eq(le16_get(le16_make(0x8000)), 0x8000);
	cr_assert_eq(le32_get(le32_make(0x80000000)), 0x80000000);
	cr_assert_eq(le64_get(le64_make(UINT64_C(1) << 63)), UINT64_C(1) << 63);
}

/* No padding between fields, and none is aligned. */
struct on_disk {
	uint8_t first;
	be32 magic;
	be16 level;
	le64 number;
};

_Static_assert(sizeof(struct on_disk) == 15, "no padding");

Test(endian, fields_lie_anywhere)
{
	const uint8_t bytes[16] = { 0, 0, 'X', 'F', 'S', 'B', 0, 3, 9 };
	const struct on_disk *disk = (const struct on_disk *)(bytes + 1);

	cr_assert_eq(be32_get(disk->magic), 0x58465342);
	cr_assert_eq(be16_get(disk->level), 3);
	cr_assert_eq(le64_get(disk->number), 9);
}
