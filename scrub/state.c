/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.c - what can be asked of an engine, and told to it while it works.
 */
#include <errno.h>
#include <stdlib.h>

#include <xx/clock.h>

#include "scrub/engine_impl.h"

const struct xx_btrfs_super *scrub_engine_super(const struct scrub_engine *engine)
{
	return xx_btrfs_volume_super(engine->volume);
}

const struct xx_btrfs_volume *scrub_engine_volume(const struct scrub_engine *engine)
{
	return engine->volume;
}

bool scrub_engine_changed(const struct scrub_engine *engine)
{
	return engine->changed;
}

bool scrub_engine_is_metadump(const struct scrub_engine *engine)
{
	return engine->metadump;
}

void scrub_engine_cancel(struct scrub_engine *engine)
{
	atomic_store(&engine->cancelled, true);
	sem_post(&engine->wake);
}

void scrub_engine_set_limit(struct scrub_engine *engine, uint64_t bytes_per_second)
{
	atomic_store(&engine->limit, bytes_per_second);
	sem_post(&engine->wake);
}

uint64_t scrub_engine_limit(const struct scrub_engine *engine)
{
	return atomic_load(&engine->limit);
}

void scrub_engine_progress(struct scrub_engine *engine, struct scrub_progress *out)
{
	*out = (struct scrub_progress){ 0 };
	pthread_mutex_lock(&engine->lock);
	for (size_t i = 0; i < engine->device_count; i++) {
		out->bytes_done += engine->devices[i].done;
		out->bytes_total += engine->devices[i].total;
	}
	out->bytes_run = engine->run_bytes;
	out->elapsed_ns = engine->elapsed_ns;
	pthread_mutex_unlock(&engine->lock);
}

void scrub_engine_counts(struct scrub_engine *engine, struct scrub_counts *out)
{
	pthread_mutex_lock(&engine->lock);
	*out = engine->nowhere;
	for (size_t i = 0; i < engine->device_count; i++)
		scrub_counts_add(out, &engine->devices[i].counts);
	pthread_mutex_unlock(&engine->lock);
}

int scrub_engine_device(struct scrub_engine *engine, size_t index, struct scrub_device_state *out)
{
	const struct scrub_device *device;

	if (index >= engine->device_count)
		return -EINVAL;
	device = &engine->devices[index];
	pthread_mutex_lock(&engine->lock);
	*out = (struct scrub_device_state){
		.member = device->member,
		.bytes_done = device->done,
		.bytes_total = device->total,
		.last_physical = device->last_physical,
		.failed = device->failed,
		.counts = device->counts,
	};
	pthread_mutex_unlock(&engine->lock);
	return 0;
}

void scrub_engine_counts_nowhere(struct scrub_engine *engine, struct scrub_counts *out)
{
	pthread_mutex_lock(&engine->lock);
	*out = engine->nowhere;
	pthread_mutex_unlock(&engine->lock);
}

int scrub_engine_position(struct scrub_engine *engine, struct scrub_position *out)
{
	const uint64_t count = xx_extent_map_count(engine->done);
	struct scrub_range *ranges = realloc(engine->ranges, (count + 1) * sizeof(*ranges));
	struct xx_extent extent;
	uint64_t pos = 0;
	size_t n = 0;

	if (!ranges)
		return -ENOMEM;
	engine->ranges = ranges;
	for (; xx_extent_map_next(engine->done, pos, &extent); pos = xx_extent_end(extent))
		ranges[n++] = (struct scrub_range){ .start = extent.start, .length = extent.len };
	*out = (struct scrub_position){
		.generation = xx_btrfs_volume_super(engine->volume)->generation,
		.supers = engine->supers_done,
		.sums = engine->sums_done,
		.ranges = ranges,
		.range_count = n,
	};
	return 0;
}
