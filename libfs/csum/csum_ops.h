/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csum_ops.h - what each kind of checksum brings along; inside of libfs/csum only.
 *
 * One file a library: crc32c.c (ISA-L), xxhash64.c (libxxhash), gcrypt.c (libgcrypt). A new kind is a new const table,
 * and a row in csum.c.
 */
#ifndef XX_CSUM_OPS_H
#define XX_CSUM_OPS_H

#include <xx/csum.h>

struct csum_ops {
	const char *name;
	size_t size; /* of the sum, bytes */
	int algorithm; /* libgcrypt's number, for those that it makes */

	/* May this kind be used here? 0 or -EOPNOTSUPP. The other functions are called only after it said 0. */
	int (*check)(const struct csum_ops *ops);

	void (*once)(const struct csum_ops *ops, const void *buf, size_t len, void *sum);

	/* begin fills the stream's state; end stores the sum unless @sum is NULL, and releases the state. */
	int (*begin)(struct xx_csum_stream *stream);
	void (*update)(struct xx_csum_stream *stream, const void *buf, size_t len);
	void (*end)(struct xx_csum_stream *stream, void *sum);
};

struct xx_csum_stream {
	const struct csum_ops *ops;
	union {
		uint32_t crc;
		void *handle;
	} state;
};

extern const struct csum_ops csum_ops_crc32c;
extern const struct csum_ops csum_ops_xxhash64;
extern const struct csum_ops csum_ops_sha256;
extern const struct csum_ops csum_ops_blake2b;

/* The table of a kind; NULL for a number that is none. */
const struct csum_ops *csum_ops_of(enum xx_csum_type type);

#endif
