/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine.c - making an engine from open devices, ending it, and what can be asked of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xx/context.h>
#include <xx/device.h>

#include "scrub/engine_impl.h"

/* Groups that wait for a worker at most: all that there can be. */
#define POOL_DEPTH 1024u

static int check_writable(struct scrub_engine *engine)
{
	for (size_t i = 0; i < engine->device_count; i++) {
		const struct scrub_device *device = &engine->devices[i];

		if (engine->options.read_only || !device->device || device->member->seed || device->writable)
			continue;
		xx_error(engine->ctx, "%s was opened for reading: it can be scrubbed read-only, not repaired.",
			 xx_device_info(device->device)->path);
		return -EBADF;
	}
	return 0;
}

static int make_devices(struct scrub_engine *engine)
{
	engine->device_count = xx_btrfs_volume_count(engine->volume);
	engine->devices = calloc(engine->device_count, sizeof(*engine->devices));
	if (!engine->devices)
		return -ENOMEM;
	for (size_t i = 0; i < engine->device_count; i++) {
		struct scrub_device *device = &engine->devices[i];

		device->member = xx_btrfs_volume_get(engine->volume, i);
		device->device = device->member->device;
		device->index = (unsigned)i;
		device->writable = device->device && !engine->options.read_only && !device->member->seed &&
				   xx_device_info(device->device)->writable;
	}
	return check_writable(engine);
}

static bool is_skipped(const struct scrub_engine *engine, const struct xx_btrfs_chunk *chunk)
{
	const bool data = chunk->type & BTRFS_BLOCK_GROUP_DATA;
	const bool tree = chunk->type & (BTRFS_BLOCK_GROUP_METADATA | BTRFS_BLOCK_GROUP_SYSTEM);

	return !(data && !engine->options.skip_data) && !(tree && !engine->options.skip_metadata);
}

static int make_chunks(struct scrub_engine *engine)
{
	const struct xx_btrfs_chunk *chunk;

	engine->chunk_count = 0;
	engine->chunks = calloc(xx_btrfs_chunk_map_count(engine->map) + 1, sizeof(*engine->chunks));
	if (!engine->chunks)
		return -ENOMEM;
	for (uint64_t pos = 0; (chunk = xx_btrfs_chunk_next(engine->map, pos)); pos = xx_btrfs_chunk_end(chunk))
		engine->chunks[engine->chunk_count++] =
			(struct scrub_chunk){ .chunk = chunk, .skip = is_skipped(engine, chunk) };
	return 0;
}

static struct scrub_device *find_device(struct scrub_engine *engine, uint64_t devid)
{
	for (size_t i = 0; i < engine->device_count; i++) {
		if (engine->devices[i].member->devid == devid)
			return &engine->devices[i];
	}
	return NULL;
}

/* Take up what a former run had counted and done. */
static int resume(struct scrub_engine *engine)
{
	const struct scrub_position *position = engine->options.position;

	for (size_t i = 0; i < engine->options.counts_count; i++) {
		const struct scrub_device_counts *counts = &engine->options.counts[i];
		struct scrub_device *device = counts->devid ? find_device(engine, counts->devid) : NULL;

		scrub_counts_add(device ? &device->counts : &engine->nowhere, &counts->counts);
	}
	if (!position)
		return 0;
	engine->changed = position->generation != xx_btrfs_volume_super(engine->volume)->generation;
	engine->supers_done = position->supers;
	engine->sums_done = position->sums;
	for (size_t i = 0; i < position->range_count; i++) {
		const int ret = xx_extent_map_add(engine->done, position->ranges[i].start, position->ranges[i].length);

		if (ret)
			return ret;
	}
	return 0;
}

static void plan_supers(struct scrub_engine *engine)
{
	for (size_t i = 0; i < engine->device_count; i++) {
		struct scrub_device *device = &engine->devices[i];
		const struct xx_btrfs_supers *supers = device->member->supers;

		if (!device->device || engine->options.skip_metadata)
			continue;
		for (unsigned copy = 0; copy < supers->count; copy++) {
			if (!scrub_super_is_left_out(engine, &supers->check[copy]))
				device->total += sizeof(struct btrfs_super_block);
		}
		if (engine->supers_done)
			device->done = device->total;
	}
}

static int load(struct scrub_engine *engine, struct xx_device *const *devices, size_t count)
{
	const size_t budget = engine->options.memory / 8;
	int ret = xx_btrfs_volume_create(engine->ctx, engine->ring, devices, count, &engine->volume);

	if (ret)
		return ret;
	ret = xx_btrfs_load_chunks(engine->ctx, engine->ring, engine->volume, NULL, NULL, &engine->medium,
				   &engine->map);
	if (ret)
		return ret;
	engine->sectorsize = xx_btrfs_volume_super(engine->volume)->sectorsize;
	engine->nodesize = xx_btrfs_volume_super(engine->volume)->nodesize;
	engine->metadump = xx_btrfs_volume_super(engine->volume)->flags &
			   (BTRFS_SUPER_FLAG_METADUMP | BTRFS_SUPER_FLAG_METADUMP_V2);
	if (engine->metadump)
		engine->options.skip_data = true;
	ret = xx_btrfs_fs_open(engine->ctx, &engine->medium, budget, NULL, NULL, &engine->fs);
	if (ret)
		return ret;
	ret = xx_btrfs_resolver_create(engine->fs, &engine->resolver);
	return ret ? ret : xx_btrfs_pather_create(engine->fs, &engine->pather);
}

static int prepare(struct scrub_engine *engine, struct xx_device *const *devices, size_t count)
{
	int ret = load(engine, devices, count);

	if (ret == 0)
		ret = make_devices(engine);
	if (ret == 0)
		ret = make_chunks(engine);
	if (ret == 0)
		ret = scrub_window_create(engine);
	if (ret == 0)
		ret = resume(engine);
	if (ret == 0)
		ret = scrub_intents_take(engine);
	if (ret)
		return ret;
	plan_supers(engine);
	return scrub_plan_all(engine);
}

static int start(struct scrub_engine *engine)
{
	int ret;

	if (engine->options.memory == 0)
		engine->options.memory = SCRUB_MEMORY;
	if (engine->options.memory < SCRUB_MEMORY_MIN) {
		xx_error(engine->ctx, "%zu bytes of memory are not enough: at least %zu.", engine->options.memory,
			 SCRUB_MEMORY_MIN);
		return -EINVAL;
	}
	if (engine->options.checkpoint_ms == 0)
		engine->options.checkpoint_ms = SCRUB_CHECKPOINT_MS;
	ret = xx_extent_map_create(&engine->done);
	if (ret == 0)
		ret = xx_ring_create(engine->ctx, &engine->options.ring, &engine->ring);
	if (ret || engine->options.pool) {
		engine->pool = engine->options.pool;
		return ret;
	}
	engine->own_pool = true;
	return xx_pool_create(0, POOL_DEPTH, &engine->pool);
}

int scrub_engine_create(struct xx_ctx *ctx, struct xx_device *const *devices, size_t count,
			const struct scrub_options *options, struct scrub_engine **out)
{
	struct scrub_engine *engine = calloc(1, sizeof(*engine));
	int ret;

	if (!engine)
		return -ENOMEM;
	engine->ctx = ctx;
	engine->options = *options;
	atomic_init(&engine->cancelled, false);
	atomic_init(&engine->limit, options->limit);
	pthread_mutex_init(&engine->lock, NULL);
	sem_init(&engine->wake, 0, 0);
	ret = start(engine);
	if (ret == 0)
		ret = prepare(engine, devices, count);
	/* These were the caller's, for now only. */
	engine->options.position = NULL;
	engine->options.counts = NULL;
	engine->options.intents = NULL;
	if (ret == 0) {
		*out = engine;
		return 0;
	}
	scrub_engine_destroy(engine);
	return ret;
}

void scrub_engine_destroy(struct scrub_engine *engine)
{
	if (!engine)
		return;
	if (engine->own_pool)
		xx_pool_destroy(engine->pool);
	for (size_t i = 0; i < engine->device_count; i++) {
		xx_btrfs_extent_cursor_destroy(engine->devices[i].extents);
		xx_btrfs_sum_cursor_destroy(engine->devices[i].sums);
	}
	xx_ring_destroy(engine->ring);
	scrub_window_destroy(engine);
	xx_btrfs_pather_destroy(engine->pather);
	xx_btrfs_resolver_destroy(engine->resolver);
	xx_btrfs_fs_destroy(engine->fs);
	xx_btrfs_chunk_map_destroy(engine->map);
	xx_btrfs_volume_destroy(engine->volume);
	xx_extent_map_destroy(engine->done);
	free(engine->devices);
	free(engine->chunks);
	free(engine->ranges);
	free(engine->intents);
	pthread_mutex_destroy(&engine->lock);
	sem_destroy(&engine->wake);
	free(engine);
}
