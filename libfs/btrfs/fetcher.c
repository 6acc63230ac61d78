/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetcher.c - tree blocks from the devices of a file system, many in flight at once.
 */
#include <errno.h>
#include <stdlib.h>

#include <xx/btrfs_tree.h>
#include <xx/plug.h>
#include <xx/ring.h>

struct batch {
	size_t open; /* reads whose callback has not run */
};

struct pending {
	struct xx_btrfs_block_read read;
	struct xx_btrfs_fetch *fetch;
	struct batch *batch;
};

static void arrived(struct xx_btrfs_block_read *read)
{
	struct pending *pending = read->private;

	pending->fetch->result = read->result;
	pending->batch->open--;
}

static int wait_for(struct xx_ring *ring, const struct batch *batch)
{
	while (batch->open > 0) {
		int ret = xx_ring_wait(ring, 1);

		if (ret < 0)
			return ret;
	}
	return 0;
}

static void start(const struct xx_btrfs_medium *medium, struct xx_plug *plug, struct pending *pending)
{
	pending->read = (struct xx_btrfs_block_read){
		.medium = medium,
		.expect = pending->fetch->expect,
		.block = pending->fetch->buf,
		.way = XX_BTRFS_WAY_ANY,
		.done = arrived,
		.private = pending,
	};
	pending->fetch->result = xx_btrfs_block_submit(&pending->read, plug);
	if (pending->fetch->result == 0)
		pending->batch->open++;
}

static int fetch(void *private, struct xx_btrfs_fetch *fetches, size_t count)
{
	const struct xx_btrfs_medium *medium = private;
	struct pending *pending = calloc(count, sizeof(*pending));
	struct batch batch = { 0 };
	struct xx_plug plug;
	int ret;

	if (!pending)
		return -ENOMEM;
	xx_plug_init(&plug, medium->ring);
	for (size_t i = 0; i < count; i++) {
		pending[i].fetch = &fetches[i];
		pending[i].batch = &batch;
		start(medium, &plug, &pending[i]);
	}
	xx_plug_pull(&plug);
	ret = wait_for(medium->ring, &batch);
	free(pending);
	return ret;
}

void xx_btrfs_fetcher_init(struct xx_btrfs_fetcher *fetcher, const struct xx_btrfs_medium *medium)
{
	*fetcher = (struct xx_btrfs_fetcher){
		.nodesize = medium->identity.nodesize,
		.fetch = fetch,
		.private = (void *)(uintptr_t)medium,
	};
}
