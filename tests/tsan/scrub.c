/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scrub.c - the engine of the scrub, for ThreadSanitizer: workers verify and rebuild while the owner reads, another
 * thread looks at the progress, changes the limit and, in the last run, cancels.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/scrub_run.h"

struct watcher {
	struct scrub_engine *engine;
	atomic_bool stop;
	uint64_t looks;
};

static void *watch(void *private)
{
	struct watcher *watcher = private;

	while (!atomic_load(&watcher->stop)) {
		struct scrub_progress progress;
		struct scrub_counts counts;
		struct scrub_device_state state;

		scrub_engine_progress(watcher->engine, &progress);
		scrub_engine_counts(watcher->engine, &counts);
		if (scrub_engine_device(watcher->engine, 0, &state) == 0)
			watcher->looks++;
		scrub_engine_set_limit(watcher->engine, watcher->looks % 2 ? 0 : UINT64_C(1) << 40);
	}
	return NULL;
}

static int scrub_watched(struct fixture *f, bool cancel)
{
	const struct scrub_options options = { .ring = { .engine = XX_ENGINE_THREADS } };
	struct watcher watcher = { .looks = 0 };
	struct scrub_counts counts;
	pthread_t thread;
	int ret = scrub_engine_create(f->ctx, f->devices, f->device_count, &options, &watcher.engine);

	if (ret)
		return ret;
	if (pthread_create(&thread, NULL, watch, &watcher))
		return -1;
	if (cancel)
		scrub_engine_cancel(watcher.engine);
	ret = scrub_engine_run(watcher.engine);
	atomic_store(&watcher.stop, true);
	pthread_join(thread, NULL);
	scrub_engine_counts(watcher.engine, &counts);
	scrub_engine_destroy(watcher.engine);
	return cancel ? ret != -ECANCELED : ret;
}

static int scrub_profile(uint64_t profile, unsigned devices)
{
	const struct fixture_options options = { .profile = profile, .devices = devices };
	struct fixture f;
	uint64_t pristine;
	int ret;

	fixture_init(&f, &options);
	pristine = fixture_hash(&f);
	for (uint64_t i = 0; i < 14; i++)
		fixture_damage(&f, fixture_place(&f, f.summed + i * (65536 + 4096), 0), 100);
	ret = scrub_watched(&f, false);
	if (ret == 0 && fixture_hash(&f) != pristine)
		ret = -1;
	if (ret == 0)
		ret = scrub_watched(&f, true);
	fixture_release(&f);
	return ret;
}

int main(void)
{
	const int mirrors = scrub_profile(BTRFS_BLOCK_GROUP_RAID1, 2);
	const int rows = scrub_profile(BTRFS_BLOCK_GROUP_RAID6, 5);

	if (mirrors || rows)
		fprintf(stderr, "RAID1: %d, RAID6: %d\n", mirrors, rows);
	return mirrors || rows;
}
