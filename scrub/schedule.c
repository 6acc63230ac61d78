/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schedule.c - whose turn it is: the device that has the least to do gets the next group of its next chunk, in the order
 * of physical addresses, as long as the limit lets it.
 */
#include <xx/clock.h>

#include "scrub/engine_impl.h"

/* The chunk that is next on a device, or NULL. */
static struct scrub_chunk *next_chunk(struct scrub_engine *engine, struct scrub_device *device)
{
	struct xx_btrfs_dev_range range;

	while (xx_btrfs_dev_range_next(engine->map, device->member->devid, device->walk, &range)) {
		struct scrub_chunk *chunk = scrub_plan_chunk(engine, range.chunk->logical);

		if (!chunk->skip && chunk->next < range.chunk->stripe_length)
			return chunk;
		device->walk = range.physical + range.length;
	}
	return NULL;
}

/* May all present devices of a chunk have more? If not, *wait is when they may. */
static bool is_allowed(struct scrub_engine *engine, const struct scrub_chunk *chunk, uint64_t now, uint64_t *wait)
{
	uint64_t start = 0;

	if (engine->limit_seen == 0)
		return true;
	for (size_t i = 0; i < engine->device_count; i++) {
		const struct scrub_device *device = &engine->devices[i];

		for (unsigned s = 0; s < chunk->chunk->num_stripes; s++) {
			if (chunk->chunk->stripes[s].devid == device->member->devid && device->start_ns > start)
				start = device->start_ns;
		}
	}
	if (start <= now)
		return true;
	if (*wait == 0 || start < *wait)
		*wait = start;
	return false;
}

/* With another limit all begin anew. */
static void look_at_limit(struct scrub_engine *engine)
{
	const uint64_t limit = atomic_load(&engine->limit);

	if (limit == engine->limit_seen)
		return;
	engine->limit_seen = limit;
	for (size_t i = 0; i < engine->device_count; i++)
		engine->devices[i].start_ns = 0;
}

bool scrub_schedule(struct scrub_engine *engine, struct scrub_device **device, struct scrub_chunk **chunk,
		    uint64_t *wait)
{
	const uint64_t now = xx_clock_monotonic();
	uint64_t least = SCRUB_INFLIGHT;

	look_at_limit(engine);
	*device = NULL;
	*wait = 0;
	for (size_t i = 0; i < engine->device_count; i++) {
		struct scrub_device *d = &engine->devices[i];
		struct scrub_chunk *next;

		if (d->inflight >= least)
			continue;
		next = next_chunk(engine, d);
		if (!next || !is_allowed(engine, next, now, wait))
			continue;
		least = d->inflight;
		*device = d;
		*chunk = next;
	}
	return *device != NULL;
}

void scrub_schedule_charge(struct scrub_engine *engine, struct scrub_device *device, uint64_t bytes)
{
	uint64_t from;

	if (engine->limit_seen == 0)
		return;
	from = xx_clock_monotonic();
	if (device->start_ns > from)
		from = device->start_ns;
	device->start_ns = from + (uint64_t)((unsigned __int128)bytes * 1000000000u / engine->limit_seen);
}
