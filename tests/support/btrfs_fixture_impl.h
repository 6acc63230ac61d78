/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_fixture_impl.h - what the files of the fixture share.
 */
#ifndef TESTS_BTRFS_FIXTURE_IMPL_H
#define TESTS_BTRFS_FIXTURE_IMPL_H

#include <stdlib.h>

#include "tests/support/btrfs_fixture.h"

/* Logical addresses of the chunks. */
#define FIXTURE_SYSTEM	   (UINT64_C(16) << 20)
#define FIXTURE_DATA	   (UINT64_C(64) << 20)
#define FIXTURE_GENERATION 7

extern const uint8_t fixture_fsid[BTRFS_FSID_SIZE];

static inline void fixture_must(bool good)
{
	if (!good)
		abort();
}

/* The item of the chunk of data, or of system; its size. */
size_t fixture_chunk_item(const struct fixture_options *options, bool data, struct btrfs_chunk *item);
struct btrfs_dev_item fixture_dev_item(uint64_t devid);

/* Write all copies of what lies at a logical address. */
void fixture_put(struct fixture *f, uint64_t logical, const uint8_t *data, uint64_t length);
/* P and Q of all rows of a chunk up to the logical address @end. */
void fixture_put_parities(struct fixture *f, const struct xx_btrfs_chunk *chunk, uint64_t end);

/* Byte @i of all that the files hold. */
uint8_t fixture_pattern(uint64_t i);

void fixture_put_trees(struct fixture *f);

#endif
