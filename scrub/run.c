/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.c - the loop that keeps everything going: groups are planned and read as long as there is room, given to workers in
 * the order in which they arrived, repaired and retired. Nothing waits for anything but the window.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include <xx/clock.h>
#include <xx/context.h>

#include "scrub/engine_impl.h"

/* Groups that may be under way at a time, whatever they need: those that only a worker is busy with count too. */
#define WORKING_MAX 512u

static void verified(struct xx_post *post)
{
	scrub_repair_group(xx_container_of(post, struct scrub_group, post));
}

/* Groups that were read go to the workers. Not in callbacks: a pool may make its caller wait. */
static void start_workers(struct scrub_engine *engine)
{
	struct scrub_group *group;

	while ((group = scrub_list_take(&engine->arrived))) {
		group->post.run = verified;
		xx_ring_expect(engine->ring, &group->post);
		group->work.run = scrub_verify;
		xx_pool_submit(engine->pool, &group->work);
	}
}

static void checkpoint(struct scrub_engine *engine, bool last)
{
	const uint64_t now = xx_clock_monotonic();

	pthread_mutex_lock(&engine->lock);
	engine->elapsed_ns = now - engine->start_ns;
	pthread_mutex_unlock(&engine->lock);
	if (!last && now - engine->checkpoint_ns < engine->options.checkpoint_ms * 1000000)
		return;
	engine->checkpoint_ns = now;
	if (engine->options.callbacks.checkpoint)
		engine->options.callbacks.checkpoint(engine->options.callbacks.private, engine);
}

static void retire_all(struct scrub_engine *engine)
{
	struct scrub_group *group;

	while ((group = scrub_list_take(&engine->todo))) {
		scrub_retire(group);
		scrub_group_put(group);
		engine->working--;
		checkpoint(engine, false);
	}
}

/* Cursors of the device that leads the chunk: groups of one chunk are looked up in rising order. */
static int cursors(struct scrub_engine *engine, struct scrub_device *device)
{
	int ret;

	if (!device->extents) {
		ret = xx_btrfs_extent_cursor_create(engine->fs, &device->extents);
		if (ret)
			return ret;
	}
	return device->sums ? 0 : xx_btrfs_sum_cursor_create(engine->fs, &device->sums);
}

/* Plan the next group of a chunk. 1; 0: there was none to be done there; or an error. */
static int plan_next(struct scrub_engine *engine, struct scrub_chunk *chunk, struct scrub_group *group)
{
	bool done = false;
	int ret = cursors(engine, chunk->driver);

	if (ret)
		return ret;
	ret = scrub_plan_group(group, chunk, chunk->next, chunk->driver->extents, &done);
	if (ret < 0)
		return ret;
	if (ret == 0) {
		chunk->next = UINT64_MAX;
		return 0;
	}
	chunk->next += group->length;
	if (done)
		return 0;
	ret = scrub_sums_group(group, chunk->driver->sums);
	return ret ? ret : 1;
}

static int start_next(struct scrub_engine *engine, struct scrub_device *device, struct scrub_chunk *chunk)
{
	struct scrub_group *group = scrub_group_get(engine);
	int ret;

	if (!group)
		return -ENOMEM;
	if (!chunk->driver)
		chunk->driver = device;
	ret = plan_next(engine, chunk, group);
	if (ret <= 0) {
		scrub_group_put(group);
		return ret;
	}
	engine->working++;
	if (group->reads_any)
		scrub_window_read(group);
	else
		scrub_list_add(&engine->todo, group);
	return 0;
}

/* Fill the window. True: something may be started later, at *wait (0: when something ends). */
static bool fill(struct scrub_engine *engine, uint64_t *wait)
{
	struct scrub_device *device;
	struct scrub_chunk *chunk;

	*wait = 0;
	while (engine->error == 0 && !atomic_load(&engine->cancelled)) {
		if (engine->free_count < engine->max_lanes || engine->working >= WORKING_MAX)
			return false;
		if (!scrub_schedule(engine, &device, &chunk, wait))
			return *wait != 0;
		engine->error = start_next(engine, device, chunk);
		start_workers(engine);
		retire_all(engine);
	}
	return false;
}

/* The limit holds all devices up: sleep until one may go on, or somebody wants something. */
static void wait_until(struct scrub_engine *engine, uint64_t when)
{
	const uint64_t now = xx_clock_monotonic();
	struct timespec ts;
	uint64_t at;

	if (when <= now)
		return;
	clock_gettime(CLOCK_REALTIME, &ts);
	at = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec + (when - now);
	ts.tv_sec = (time_t)(at / 1000000000u);
	ts.tv_nsec = (long)(at % 1000000000u);
	while (sem_timedwait(&engine->wake, &ts) && errno == EINTR)
		;
}

static void loop(struct scrub_engine *engine)
{
	uint64_t wait = 0;

	while (true) {
		const bool later = fill(engine, &wait);

		start_workers(engine);
		retire_all(engine);
		if (engine->working > 0) {
			const int ret = xx_ring_wait(engine->ring, 1);

			if (ret < 0 && engine->error == 0)
				engine->error = ret;
			if (ret < 0)
				return;
			start_workers(engine);
			retire_all(engine);
		} else if (engine->error || atomic_load(&engine->cancelled) || !later) {
			return;
		} else {
			wait_until(engine, wait);
		}
	}
}

static bool any_device(const struct scrub_engine *engine)
{
	for (size_t i = 0; i < engine->device_count; i++) {
		if (engine->devices[i].device && !engine->devices[i].failed)
			return true;
	}
	return false;
}

/*
 * Superblocks come last: until a device that missed writes has got all of them, its superblock says that it is stale, and
 * it has no vote on data without checksums, also in a run that is resumed.
 */
static int run_all(struct scrub_engine *engine)
{
	loop(engine);
	if (engine->error == 0 && !atomic_load(&engine->cancelled) && !engine->sums_done) {
		if (!engine->options.skip_data && !engine->metadump)
			engine->error = scrub_sums_outside(engine);
		engine->sums_done = engine->error == 0;
	}
	if (engine->error == 0 && !atomic_load(&engine->cancelled) && !engine->supers_done)
		engine->error = scrub_supers(engine);
	if (engine->error)
		return engine->error;
	if (atomic_load(&engine->cancelled))
		return -ECANCELED;
	return any_device(engine) ? 0 : -EIO;
}

int scrub_engine_run(struct scrub_engine *engine)
{
	int ret;

	engine->start_ns = engine->checkpoint_ns = xx_clock_monotonic();
	engine->error = 0;
	ret = run_all(engine);
	if (xx_ring_drain(engine->ring) && ret == 0)
		ret = -EIO;
	scrub_tell_dark(engine);
	scrub_tell_failed(engine);
	checkpoint(engine, true);
	if (ret == -EIO && !any_device(engine))
		xx_error(engine->ctx, "No device is left that can be read.");
	else if (ret && ret != -ECANCELED)
		xx_error(engine->ctx, "The scrub has to end: %s.", strerror(-ret));
	return ret;
}
