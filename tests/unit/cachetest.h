/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cachetest.h - what the tests of the cache's room share: a device, a ring and a cache on each engine, and a kind of
 * block that can be verified.
 */
#ifndef TESTS_CACHETEST_H
#define TESTS_CACHETEST_H

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xx/cache.h>
#include <xx/context.h>
#include <xx/delwri.h>
#include <xx/device.h>
#include <xx/fault.h>
#include <xx/ring.h>
#include "cache/buf.h"

enum {
	RIG_BLOCK = 4096, /* bytes of the blocks that tests use */
	RIG_BLOCKS = 256, /* on the device */
	RIG_KINDS = 4,
	RIG_DEPTH = 16,
};

/* What verifiers count and what they are told to do; each buffer's ->fs points to it. */
struct rig_seen {
	unsigned verify_read, verify_write, stamp;
	uint64_t refuse_write; /* offset of a buffer that verify_write refuses; UINT64_MAX: none */
	uint64_t refuse_stamp; /* the same of stamp */
};

struct rig {
	struct xx_ctx *ctx;
	struct xx_device *dev;
	struct xx_ring *ring;
	struct xx_cache *cache;
	struct rig_seen seen;
	unsigned messages;
	char said[512]; /* the last message */
};

/*
 * Open a device of RIG_BLOCKS blocks of zeros, a ring with engine @kind (below RIG_KINDS: uring, aio and threads on a
 * file that has no name, memory on a device in memory) and a cache of @budget bytes. Skips the test where the engine
 * is not permitted.
 */
void rig_open(struct rig *rig, unsigned kind, size_t budget);

/* Close all that is open; what the cache still has to write must work. */
void rig_close(struct rig *rig);

/* Only the cache; its result. */
int rig_close_cache(struct rig *rig);

/* What the medium holds, past the cache: a block, to be freed. */
void *rig_peek(struct rig *rig, uint64_t offset);
void rig_poke(struct rig *rig, uint64_t offset, const void *block);

/* Is a block of the medium a good one that holds @value? */
bool rig_holds(struct rig *rig, uint64_t offset, uint32_t value);

/* The buffer of block @nr, filled with @value as rig_ops wants it; with a reference, and not yet dirty. */
struct xx_buf *rig_fill(struct rig *rig, unsigned nr, uint32_t value);

/* A budget for exactly @n blocks. */
size_t rig_room(size_t n);

/* The buffer of block @nr, with a reference. */
struct xx_buf *rig_get(struct rig *rig, unsigned nr);

/* xx_cache_read() of block @nr as rig_ops. */
int rig_read(struct rig *rig, unsigned nr, struct xx_buf **out);

/* Read a block that must be good, and put it again. */
void rig_touch(struct rig *rig, unsigned nr);

struct xx_cache_stats rig_stats(struct rig *rig);

/* Put a good block on the medium, past the cache. */
void rig_format(struct rig *rig, unsigned nr, uint32_t value);

uint32_t rig_value(const struct xx_buf *buf);

/* A block: its crc32c, a magic number, its place, a value. */
extern const struct xx_buf_ops rig_ops;

/* Another kind, that no block is. */
extern const struct xx_buf_ops rig_other_ops;

static inline uint64_t rig_refs(const struct xx_buf *buf)
{
	return buf_of(buf)->refs;
}

/* A test that is run on each engine, with *kind for rig_open(). */
#define ON_EACH_ENGINE(suite, name)                                     \
	ParameterizedTestParameters(suite, name)                        \
	{                                                               \
		static unsigned kinds[RIG_KINDS] = { 0, 1, 2, 3 };      \
                                                                        \
		return cr_make_param_array(unsigned, kinds, RIG_KINDS); \
	}                                                               \
	ParameterizedTest(unsigned *kind, suite, name)

#endif
