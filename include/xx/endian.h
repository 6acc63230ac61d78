/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * endian.h - integers as they lie on the medium.
 *
 * Each type is an array of bytes in a structure: it cannot be compared, added or assigned without being converted,
 * it has alignment 1, so that structures on disk need no `packed` and may lie anywhere, and compilers turn each
 * conversion into one move and at most one byte swap.
 *
 *	be32_get(sb->sb_agblocks)		the number
 *	sb->sb_agblocks = be32_make(number)	the bytes
 */
#ifndef XX_ENDIAN_H
#define XX_ENDIAN_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* clang-format off */
typedef struct { uint8_t b[2]; } be16;
typedef struct { uint8_t b[4]; } be32;
typedef struct { uint8_t b[8]; } be64;
typedef struct { uint8_t b[2]; } le16;
typedef struct { uint8_t b[4]; } le32;
typedef struct { uint8_t b[8]; } le64;
/* clang-format on */

static inline uint16_t be16_get(be16 v)
{
	uint16_t raw;

	memcpy(&raw, v.b, sizeof(raw));
	return be16toh(raw);
}

static inline be16 be16_make(uint16_t value)
{
	const uint16_t raw = htobe16(value);
	be16 v;

	memcpy(v.b, &raw, sizeof(raw));
	return v;
}

static inline uint32_t be32_get(be32 v)
{
	uint32_t raw;

	memcpy(&raw, v.b, sizeof(raw));
	return be32toh(raw);
}

static inline be32 be32_make(uint32_t value)
{
	const uint32_t raw = htobe32(value);
	be32 v;

	memcpy(v.b, &raw, sizeof(raw));
	return v;
}

static inline uint64_t be64_get(be64 v)
{
	uint64_t raw;

	memcpy(&raw, v.b, sizeof(raw));
	return be64toh(raw);
}

static inline be64 be64_make(uint64_t value)
{
	const uint64_t raw = htobe64(value);
	be64 v;

	memcpy(v.b, &raw, sizeof(raw));
	return v;
}

static inline uint16_t le16_get(le16 v)
{
	uint16_t raw;

	memcpy(&raw, v.b, sizeof(raw));
	return le16toh(raw);
}

static inline le16 le16_make(uint16_t value)
{
	const uint16_t raw = htole16(value);
	le16 v;

	memcpy(v.b, &raw, sizeof(raw));
	return v;
}

static inline uint32_t le32_get(le32 v)
{
	uint32_t raw;

	memcpy(&raw, v.b, sizeof(raw));
	return le32toh(raw);
}

static inline le32 le32_make(uint32_t value)
{
	const uint32_t raw = htole32(value);
	le32 v;

	memcpy(v.b, &raw, sizeof(raw));
	return v;
}

static inline uint64_t le64_get(le64 v)
{
	uint64_t raw;

	memcpy(&raw, v.b, sizeof(raw));
	return le64toh(raw);
}

static inline le64 le64_make(uint64_t value)
{
	const uint64_t raw = htole64(value);
	le64 v;

	memcpy(v.b, &raw, sizeof(raw));
	return v;
}

_Static_assert(sizeof(be16) == 2 && sizeof(le16) == 2, "16-bit types on disk");
_Static_assert(sizeof(be32) == 4 && sizeof(le32) == 4, "32-bit types on disk");
_Static_assert(sizeof(be64) == 8 && sizeof(le64) == 8, "64-bit types on disk");
_Static_assert(_Alignof(be64) == 1 && _Alignof(le64) == 1, "types on disk lie anywhere");

#endif
