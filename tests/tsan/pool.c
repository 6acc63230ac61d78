/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pool.c - the worker pool, batches of checksums and messages, used from several threads at once, for ThreadSanitizer.
 * What is shared and not atomic is ordered by the pool alone, so that a missing order is seen as a race.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xx/bitmap.h>
#include <xx/context.h>
#include <xx/csum.h>
#include <xx/pool.h>

#define SUBMITTERS 3
#define ITEMS	   400
#define AGAIN	   5
#define BLOCKS	   200
#define BLOCK	   256

struct item {
	struct xx_work work;
	struct xx_pool *pool;
	struct xx_ctx *ctx;
	unsigned runs; /* written by workers, read after xx_pool_wait() */
};

struct submitter {
	struct xx_pool *pool;
	struct xx_ctx *ctx;
	struct item items[ITEMS];
	int failed;
};

static void count_message(enum xx_level level, const char *text, void *private)
{
	/* not atomic: the context lets one thread in at a time */
	*(unsigned *)private += level == XX_NOTICE && text[0] == 'r';
}

static void item_run(struct xx_work *work)
{
	struct item *item = xx_container_of(work, struct item, work);

	item->runs++;
	if (item->runs <= AGAIN)
		xx_pool_submit(item->pool, &item->work);
	else
		xx_notice(item->ctx, "ran %u times", item->runs);
}

static int items_check(struct submitter *submitter)
{
	for (int i = 0; i < ITEMS; i++) {
		struct item *item = &submitter->items[i];

		*item = (struct item){ .work.run = item_run, .pool = submitter->pool, .ctx = submitter->ctx };
		if (xx_pool_try_submit(submitter->pool, &item->work))
			xx_pool_submit(submitter->pool, &item->work);
	}
	xx_pool_wait(submitter->pool);
	for (int i = 0; i < ITEMS; i++) {
		if (submitter->items[i].runs != AGAIN + 1)
			return -1;
	}
	return 0;
}

static int batch_check(struct xx_pool *pool)
{
	uint8_t *data = malloc(BLOCKS * BLOCK);
	uint8_t sums[BLOCKS * 4];
	struct iovec blocks[BLOCKS];
	struct xx_bitmap *bad = NULL;
	int failed = -1;

	if (!data || xx_bitmap_create(BLOCKS, &bad))
		goto out;
	for (unsigned i = 0; i < BLOCKS; i++) {
		memset(data + i * BLOCK, (int)i, BLOCK);
		blocks[i] = (struct iovec){ data + i * BLOCK, BLOCK };
		if (xx_csum(XX_CSUM_CRC32C, data + i * BLOCK, BLOCK, sums + 4 * i))
			goto out;
	}
	data[17 * BLOCK]++;
	if (xx_csum_verify_batch(pool, XX_CSUM_CRC32C, blocks, sums, BLOCKS, bad))
		goto out;
	failed = xx_bitmap_count(bad) == 1 && xx_bitmap_test(bad, 17) ? 0 : -1;
out:
	xx_bitmap_destroy(bad);
	free(data);
	return failed;
}

static void *submitter_main(void *arg)
{
	struct submitter *submitter = arg;

	submitter->failed = items_check(submitter);
	for (int i = 0; i < 20 && !submitter->failed; i++)
		submitter->failed = batch_check(submitter->pool);
	return NULL;
}

/* What was submitted before destroy has run when it returns. */
static int destroy_check(void)
{
	static struct item items[ITEMS];
	struct xx_pool *pool;

	if (xx_pool_create(2, ITEMS, &pool))
		return -1;
	for (int i = 0; i < ITEMS; i++) {
		items[i] = (struct item){ .work.run = item_run, .pool = pool };
		xx_pool_submit(pool, &items[i].work);
	}
	xx_pool_destroy(pool);
	for (int i = 0; i < ITEMS; i++) {
		if (items[i].runs != AGAIN + 1)
			return -1;
	}
	return 0;
}

int main(void)
{
	static struct submitter submitters[SUBMITTERS];
	pthread_t threads[SUBMITTERS];
	unsigned messages = 0;
	struct xx_pool *pool;
	struct xx_ctx *ctx;
	int failed = 0;

	if (xx_ctx_create(count_message, &messages, &ctx) || xx_pool_create(3, 4, &pool))
		return 1;
	for (int i = 0; i < SUBMITTERS; i++) {
		submitters[i].pool = pool;
		submitters[i].ctx = ctx;
		if (pthread_create(&threads[i], NULL, submitter_main, &submitters[i]))
			return 1;
	}
	for (int i = 0; i < SUBMITTERS; i++) {
		pthread_join(threads[i], NULL);
		failed |= submitters[i].failed;
	}
	xx_pool_destroy(pool);
	failed |= destroy_check();
	failed |= messages != SUBMITTERS * ITEMS;
	xx_ctx_destroy(ctx);
	if (failed)
		fprintf(stderr, "pool: an item was lost, a bad block not found, or a message lost\n");
	return failed ? 1 : 0;
}
