/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch.c - many checksums verified at once, by the calling thread and whichever workers are free.
 *
 * All take the next few blocks from a common counter until none is left. A worker that comes late finds nothing and
 * goes; the caller waits only for blocks that a worker has begun, never for an item in the queue. So a call from a
 * worker of the same pool cannot lock up, and a full queue costs nothing but speed.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <xx/bitmap.h>
#include <xx/pool.h>
#include <xx/units.h>
#include "csum_ops.h"

/* Pieces for each thread, so that nobody waits long for the last one; and the most blocks in a piece. */
#define PIECES_PER_THREAD 8u
#define PIECE_MAX	  256u

struct batch_helper {
	struct xx_work work;
	struct batch *batch;
};

struct batch {
	const struct csum_ops *ops;
	const struct iovec *blocks; /* the caller's: not to be touched by who has no block to do */
	const uint8_t *expected; /* likewise */
	size_t count, piece;
	uint8_t *bad; /* a flag for each block; a bitmap could not be shared */
	atomic_size_t next; /* the first block that nobody has taken; may pass count */
	atomic_uint references; /* the caller's, and one for each queued or running helper */
	pthread_mutex_t lock;
	pthread_cond_t complete;
	size_t done; /* blocks verified; under the lock */
	struct batch_helper helpers[];
};

static bool block_is_bad(const struct csum_ops *ops, const struct iovec *block, const uint8_t *expected)
{
	uint8_t sum[XX_CSUM_MAX_SIZE];

	ops->once(ops, block->iov_base, block->iov_len, sum);
	return memcmp(sum, expected, ops->size) != 0;
}

static void batch_put(struct batch *batch)
{
	if (atomic_fetch_sub(&batch->references, 1) != 1)
		return;
	pthread_cond_destroy(&batch->complete);
	pthread_mutex_destroy(&batch->lock);
	free(batch->bad);
	free(batch);
}

/* Verify pieces until none is left. */
static void batch_work(struct batch *batch)
{
	size_t begin;

	while ((begin = atomic_fetch_add(&batch->next, batch->piece)) < batch->count) {
		const size_t end = (size_t)xx_min(begin + batch->piece, batch->count);

		for (size_t i = begin; i < end; i++)
			batch->bad[i] =
				block_is_bad(batch->ops, &batch->blocks[i], batch->expected + i * batch->ops->size);
		pthread_mutex_lock(&batch->lock);
		batch->done += end - begin;
		if (batch->done == batch->count)
			pthread_cond_signal(&batch->complete);
		pthread_mutex_unlock(&batch->lock);
	}
}

static void helper_run(struct xx_work *work)
{
	struct batch *batch = xx_container_of(work, struct batch_helper, work)->batch;

	batch_work(batch);
	batch_put(batch);
}

static void batch_ask_for_help(struct batch *batch, struct xx_pool *pool, unsigned helpers)
{
	for (unsigned i = 0; i < helpers; i++) {
		struct batch_helper *helper = &batch->helpers[i];

		helper->batch = batch;
		helper->work.run = helper_run;
		atomic_fetch_add(&batch->references, 1);
		if (xx_pool_try_submit(pool, &helper->work)) {
			atomic_fetch_sub(&batch->references, 1);
			return;
		}
	}
}

static struct batch *batch_create(const struct csum_ops *ops, const struct iovec *blocks, const void *expected,
				  size_t count, unsigned helpers)
{
	struct batch *batch = calloc(1, sizeof(*batch) + helpers * sizeof(batch->helpers[0]));

	if (!batch)
		return NULL;
	batch->bad = malloc(count);
	if (!batch->bad) {
		free(batch);
		return NULL;
	}
	batch->ops = ops;
	batch->blocks = blocks;
	batch->expected = expected;
	batch->count = count;
	batch->piece = (size_t)xx_min(xx_div_round_up(count, (helpers + 1) * PIECES_PER_THREAD), PIECE_MAX);
	atomic_init(&batch->next, 0);
	atomic_init(&batch->references, 1);
	pthread_mutex_init(&batch->lock, NULL);
	pthread_cond_init(&batch->complete, NULL);
	return batch;
}

static void mark(struct xx_bitmap *bad, size_t block, bool is_bad)
{
	if (is_bad)
		xx_bitmap_set(bad, block);
}

int xx_csum_verify_batch(struct xx_pool *pool, enum xx_csum_type type, const struct iovec *blocks, const void *expected,
			 size_t count, struct xx_bitmap *bad)
{
	const struct csum_ops *ops = csum_ops_of(type);
	struct batch *batch = NULL;
	unsigned helpers = 0;
	int err;

	if (!ops || xx_bitmap_size(bad) < count)
		return -EINVAL;
	err = ops->check(ops);
	if (err)
		return err;
	xx_bitmap_clear_range(bad, 0, count);
	if (pool && count > 1) {
		helpers = (unsigned)xx_min(xx_pool_threads(pool), count - 1);
		batch = batch_create(ops, blocks, expected, count, helpers);
	}
	if (!batch) {
		for (size_t i = 0; i < count; i++)
			mark(bad, i, block_is_bad(ops, &blocks[i], (const uint8_t *)expected + i * ops->size));
		return 0;
	}
	batch_ask_for_help(batch, pool, helpers);
	batch_work(batch);
	pthread_mutex_lock(&batch->lock);
	while (batch->done < count)
		pthread_cond_wait(&batch->complete, &batch->lock);
	pthread_mutex_unlock(&batch->lock);
	for (size_t i = 0; i < count; i++)
		mark(bad, i, batch->bad[i]);
	batch_put(batch);
	return 0;
}
