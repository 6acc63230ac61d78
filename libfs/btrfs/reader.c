/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.c - keeps the tree blocks that were used last, by logical address.
 *
 * A block is referenced, or stands on the list of those that may go, least recently used last. One that is replaced while
 * it is referenced leaves the table, and goes with its last reference.
 */
#include <errno.h>
#include <stdlib.h>

#include <xx/btrfs_tree.h>

#include "btrfs/tree.h"

#define BUFFER_ALIGN 4096 /* for direct reads into it */

struct xx_btrfs_block {
	uint64_t logical;
	uint32_t refs;
	bool known; /* stands in the table */
	void *data;
	struct xx_btrfs_block *chain; /* of its bucket */
	struct xx_btrfs_block *newer, *older; /* when nobody references it */
};

struct xx_btrfs_reader {
	struct xx_btrfs_fetcher fetcher;
	size_t blocks, blocks_max;
	struct xx_btrfs_block **buckets;
	size_t mask;
	struct xx_btrfs_block *newest, *oldest;
	struct xx_btrfs_reader_stats stats;
};

int xx_btrfs_reader_create(const struct xx_btrfs_fetcher *fetcher, size_t budget, struct xx_btrfs_reader **out)
{
	struct xx_btrfs_reader *reader;
	size_t buckets = 64;

	if (fetcher->nodesize < BTRFS_MIN_SECTORSIZE || fetcher->nodesize > BTRFS_MAX_METADATA_BLOCKSIZE ||
	    (fetcher->nodesize & (fetcher->nodesize - 1)) != 0)
		return -EINVAL;
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return -ENOMEM;
	reader->fetcher = *fetcher;
	reader->blocks_max = (budget ?: XX_BTRFS_READER_BUDGET) / fetcher->nodesize;
	if (reader->blocks_max < BTRFS_MAX_LEVEL)
		reader->blocks_max = BTRFS_MAX_LEVEL;
	while (buckets < reader->blocks_max)
		buckets *= 2;
	reader->mask = buckets - 1;
	reader->buckets = calloc(buckets, sizeof(struct xx_btrfs_block *));
	if (!reader->buckets) {
		free(reader);
		return -ENOMEM;
	}
	*out = reader;
	return 0;
}

uint32_t xx_btrfs_reader_nodesize(const struct xx_btrfs_reader *reader)
{
	return reader->fetcher.nodesize;
}

void xx_btrfs_reader_stats(const struct xx_btrfs_reader *reader, struct xx_btrfs_reader_stats *out)
{
	*out = reader->stats;
}

const void *xx_btrfs_block_data(const struct xx_btrfs_block *block)
{
	return block->data;
}

uint32_t xx_btrfs_reader_window(const struct xx_btrfs_reader *reader)
{
	const size_t window = reader->blocks_max / 4;

	return window > XX_BTRFS_WINDOW ? XX_BTRFS_WINDOW : (uint32_t)window;
}

/* --- The table, and the list of those that may go --- */

static struct xx_btrfs_block **bucket(const struct xx_btrfs_reader *reader, uint64_t logical)
{
	const uint64_t hash = (logical / BTRFS_MIN_SECTORSIZE) * UINT64_C(0x9e3779b97f4a7c15);

	return &reader->buckets[(size_t)(hash >> 32) & reader->mask];
}

static struct xx_btrfs_block *find(const struct xx_btrfs_reader *reader, uint64_t logical)
{
	struct xx_btrfs_block *block = *bucket(reader, logical);

	while (block && block->logical != logical)
		block = block->chain;
	return block;
}

static void unlink_known(struct xx_btrfs_reader *reader, struct xx_btrfs_block *block)
{
	struct xx_btrfs_block **at = bucket(reader, block->logical);

	while (*at != block)
		at = &(*at)->chain;
	*at = block->chain;
	block->known = false;
}

static void list_add(struct xx_btrfs_reader *reader, struct xx_btrfs_block *block)
{
	block->newer = NULL;
	block->older = reader->newest;
	if (reader->newest)
		reader->newest->newer = block;
	else
		reader->oldest = block;
	reader->newest = block;
}

static void list_remove(struct xx_btrfs_reader *reader, struct xx_btrfs_block *block)
{
	if (block->newer)
		block->newer->older = block->older;
	else
		reader->newest = block->older;
	if (block->older)
		block->older->newer = block->newer;
	else
		reader->oldest = block->newer;
}

static void release(struct xx_btrfs_reader *reader, struct xx_btrfs_block *block)
{
	free(block->data);
	free(block);
	reader->blocks--;
}

void xx_btrfs_reader_destroy(struct xx_btrfs_reader *reader)
{
	if (!reader)
		return;
	while (reader->oldest) {
		struct xx_btrfs_block *block = reader->oldest;

		list_remove(reader, block);
		release(reader, block);
	}
	free(reader->buckets);
	free(reader);
}

/* Forget the block that stands at this address: it is not the one that is wanted. */
static void forget(struct xx_btrfs_reader *reader, uint64_t logical)
{
	struct xx_btrfs_block *block = find(reader, logical);

	if (!block)
		return;
	unlink_known(reader, block);
	if (block->refs > 0)
		return;
	list_remove(reader, block);
	release(reader, block);
}

/* Memory for a block, of one that may go when there are enough. It has one reference and stands nowhere. */
static struct xx_btrfs_block *take(struct xx_btrfs_reader *reader)
{
	struct xx_btrfs_block *block = reader->oldest;

	if (block && reader->blocks >= reader->blocks_max) {
		list_remove(reader, block);
		unlink_known(reader, block);
		block->refs = 1;
		return block;
	}
	block = calloc(1, sizeof(*block));
	if (!block)
		return NULL;
	block->data = aligned_alloc(BUFFER_ALIGN, reader->fetcher.nodesize);
	if (!block->data) {
		free(block);
		return NULL;
	}
	block->refs = 1;
	reader->blocks++;
	return block;
}

static void make_known(struct xx_btrfs_reader *reader, struct xx_btrfs_block *block, uint64_t logical)
{
	struct xx_btrfs_block **at = bucket(reader, logical);

	block->logical = logical;
	block->known = true;
	block->chain = *at;
	*at = block;
}

/* --- Getting and putting --- */

static struct xx_btrfs_block *find_fitting(const struct xx_btrfs_reader *reader, const struct xx_btrfs_expect *want)
{
	struct xx_btrfs_block *block = find(reader, want->logical);

	if (block && xx_btrfs_expect_check(want, block->data, reader->fetcher.nodesize) == 0)
		return block;
	return NULL;
}

bool xx_btrfs_reader_has(const struct xx_btrfs_reader *reader, const struct xx_btrfs_expect *want)
{
	return find_fitting(reader, want) != NULL;
}

/* After the fetcher was asked: a good block takes its place, a dead one leaves. */
static void settle(struct xx_btrfs_reader *reader, const struct xx_btrfs_fetch *fetch, struct xx_btrfs_block *block)
{
	if (fetch->result == 0) {
		forget(reader, fetch->expect.logical);
		make_known(reader, block, fetch->expect.logical);
	} else {
		reader->stats.dead++;
	}
}

static int fetch_all(struct xx_btrfs_reader *reader, struct xx_btrfs_fetch *fetches, struct xx_btrfs_block **blocks,
		     size_t count)
{
	int ret;

	reader->stats.fetches++;
	reader->stats.misses += count;
	ret = reader->fetcher.fetch(reader->fetcher.private, fetches, count);
	if (ret)
		return ret;
	for (size_t i = 0; i < count; i++) {
		if (fetches[i].result == 0)
			fetches[i].result =
				xx_btrfs_expect_check(&fetches[i].expect, fetches[i].buf, reader->fetcher.nodesize);
		settle(reader, &fetches[i], blocks[i]);
	}
	return 0;
}

int xx_btrfs_reader_get(struct xx_btrfs_reader *reader, const struct xx_btrfs_expect *want, struct xx_btrfs_block **out)
{
	struct xx_btrfs_block *block = find_fitting(reader, want);
	struct xx_btrfs_fetch fetch = { .expect = *want };
	int ret;

	if (block) {
		if (block->refs++ == 0)
			list_remove(reader, block);
		reader->stats.hits++;
		*out = block;
		return 0;
	}
	block = take(reader);
	if (!block)
		return -ENOMEM;
	fetch.buf = block->data;
	ret = fetch_all(reader, &fetch, &block, 1) ?: fetch.result;
	if (ret)
		xx_btrfs_reader_put(reader, block);
	else
		*out = block;
	return ret;
}

void xx_btrfs_reader_put(struct xx_btrfs_reader *reader, struct xx_btrfs_block *block)
{
	if (!block || --block->refs > 0)
		return;
	if (block->known)
		list_add(reader, block);
	else
		release(reader, block);
}

int xx_btrfs_reader_ahead(struct xx_btrfs_reader *reader, const struct xx_btrfs_expect *wants, size_t count)
{
	struct xx_btrfs_fetch fetches[XX_BTRFS_WINDOW];
	struct xx_btrfs_block *blocks[XX_BTRFS_WINDOW];
	size_t taken = 0;
	int ret = 0;

	for (size_t i = 0; i < count && taken < XX_BTRFS_WINDOW; i++) {
		if (xx_btrfs_reader_has(reader, &wants[i]))
			continue;
		blocks[taken] = take(reader);
		if (!blocks[taken])
			break;
		fetches[taken] = (struct xx_btrfs_fetch){ .expect = wants[i], .buf = blocks[taken]->data };
		taken++;
	}
	if (taken > 0)
		ret = fetch_all(reader, fetches, blocks, taken);
	while (taken > 0)
		xx_btrfs_reader_put(reader, blocks[--taken]);
	return ret;
}
