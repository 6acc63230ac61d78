/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csum.h - the checksums of file systems behind one interface, alone, in pieces, and many at once.
 *
 * A sum is the bytes that are stored on the medium: crc32c and xxhash64 as little-endian numbers, sha256 and
 * blake2b-256 as their digests. XFS and btrfs use the same crc32c: begun with all ones, inverted at the end.
 * Sources: XFS Algorithms & Data Structures, "Checksums"; btrfs on-disk format, "struct btrfs_super_block",
 * csum_type, whose numbers are those of enum xx_csum_type.
 *
 * All functions may be called from several threads; a stream belongs to one at a time.
 */
#ifndef XX_CSUM_H
#define XX_CSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>
#include <xx/compiler.h>
#include <xx/endian.h>

struct xx_bitmap;
struct xx_pool;

enum xx_csum_type {
	XX_CSUM_CRC32C = 0, /* 4 bytes */
	XX_CSUM_XXHASH64 = 1, /* 8 bytes, seed 0 */
	XX_CSUM_SHA256 = 2, /* 32 bytes */
	XX_CSUM_BLAKE2B = 3, /* 32 bytes: BLAKE2b with a digest of 256 bits, no key */
};

/* The longest sum. */
#define XX_CSUM_MAX_SIZE 32

/* Bytes of a sum; 0 for a number that is no type. */
XX_API size_t xx_csum_size(enum xx_csum_type type);

/* "crc32c", "xxhash64", "sha256", "blake2b"; NULL for a number that is no type. */
XX_API const char *xx_csum_name(enum xx_csum_type type);

/*
 * The sum of @len bytes, into the first xx_csum_size() bytes of @sum. 0; -EINVAL when @type is no type; -EOPNOTSUPP
 * when the machine's policy forbids this hash (FIPS mode).
 */
XX_API XX_MUST_CHECK int xx_csum(enum xx_csum_type type, const void *buf, size_t len, void *sum);

/* 0 when the sum of the data is @expected, -EBADMSG when it is not, or an error of xx_csum(). */
XX_API XX_MUST_CHECK int xx_csum_verify(enum xx_csum_type type, const void *buf, size_t len, const void *expected);

/*
 * A sum in pieces. begin: 0, -EINVAL, -EOPNOTSUPP or -ENOMEM. end stores the sum unless @sum is NULL, and releases
 * the stream; NULL is allowed as a stream there.
 */
struct xx_csum_stream;
XX_API XX_MUST_CHECK int xx_csum_begin(enum xx_csum_type type, struct xx_csum_stream **out);
XX_API void xx_csum_update(struct xx_csum_stream *stream, const void *buf, size_t len);
XX_API void xx_csum_end(struct xx_csum_stream *stream, void *sum);

/*
 * crc32c alone, in pieces without a stream, for those who compute nothing else: cannot fail and allocates nothing.
 *
 *	uint32_t crc = XX_CRC32C_INIT;
 *
 *	crc = xx_crc32c_update(crc, buf, len);
 *	field = xx_crc32c_final(crc);
 */
#define XX_CRC32C_INIT UINT32_C(0xffffffff)
XX_API uint32_t xx_crc32c_update(uint32_t crc, const void *buf, size_t len);

/* As it is stored: inverted, little-endian. */
static inline le32 xx_crc32c_final(uint32_t crc)
{
	return le32_make(~crc);
}

/*
 * The crc32c of a block whose own 4-byte checksum field, at byte @field, counts as zero: what XFS stores in it.
 * The field lies wholly in the block (asserts).
 */
XX_API le32 xx_crc32c_block(const void *block, size_t len, size_t field);

/*
 * Verify @count blocks, block i being blocks[i] with the sum at expected + i * xx_csum_size(type), on the workers of
 * @pool and on the calling thread (@pool NULL: on this alone). Bits 0 to @count - 1 of @bad tell the result: set
 * where the sum is wrong, else clear. Returns when all are done; may be called from a worker of @pool.
 * 0, also with bad blocks; -EINVAL when @type is no type or the bitmap is shorter; -EOPNOTSUPP as xx_csum(). After an
 * error the bitmap says nothing. Short of memory, it works without the pool.
 */
XX_API XX_MUST_CHECK int xx_csum_verify_batch(struct xx_pool *pool, enum xx_csum_type type, const struct iovec *blocks,
					      const void *expected, size_t count, struct xx_bitmap *bad);

#endif
