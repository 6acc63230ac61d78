/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.c - records of scrubs: filled by the engine, judged, released.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xx/clock.h>
#include <xx/device.h>
#include <xx/units.h>

#include "scrub/commands.h"
#include "scrub/record.h"

static const char *const state_names[SCRUB_RUN_STATES] = {
	[SCRUB_RUNNING] = "running", [SCRUB_FINISHED] = "finished",	  [SCRUB_CANCELLED] = "cancelled",
	[SCRUB_FAILED] = "failed",   [SCRUB_INTERRUPTED] = "interrupted",
};

const char *scrub_run_state_name(enum scrub_run_state state)
{
	return state_names[state];
}

#define COUNTER(member)                                        \
	{                                                      \
#member, offsetof(struct scrub_counts, member) \
	}

const struct scrub_counter scrub_counters[] = {
	COUNTER(corrected),    COUNTER(repairable),   COUNTER(uncorrectable), COUNTER(unverified_bytes),
	COUNTER(write_errors), COUNTER(data_bytes),   COUNTER(tree_bytes),    COUNTER(parity_bytes),
	COUNTER(super_bytes),  COUNTER(data_extents), COUNTER(tree_blocks),   COUNTER(unsummed_sectors),
};
const size_t scrub_counter_count = XX_ARRAY_SIZE(scrub_counters);

static void release_devices(struct scrub_record *record)
{
	for (size_t i = 0; i < record->device_count; i++)
		free(record->devices[i].path);
	free(record->devices);
	record->devices = NULL;
	record->device_count = 0;
}

void scrub_record_release(struct scrub_record *record)
{
	release_devices(record);
	free(record->ranges);
	free(record->reason);
	*record = (struct scrub_record){ 0 };
}

/* The path from the root, so that it means the same device from anywhere; "" for a missing one. NULL: no memory. */
static char *absolute_path(const struct xx_device *dev)
{
	const char *path = dev ? xx_device_info(dev)->path : "";
	char *here, *joined = NULL;

	if (!*path || *path == '/' || !(here = getcwd(NULL, 0)))
		return strdup(path);
	if (asprintf(&joined, "%s/%s", here, path) < 0)
		joined = NULL;
	free(here);
	return joined;
}

static int take_device(struct scrub_record_device *to, const struct scrub_device_state *from)
{
	struct xx_device *dev = from->member->device;

	to->devid = from->member->devid;
	to->missing = !dev;
	to->failed = from->failed;
	to->bytes_done = from->bytes_done;
	to->bytes_total = from->bytes_total;
	to->last_physical = from->last_physical;
	to->counts = from->counts;
	to->path = absolute_path(dev);
	return to->path ? 0 : -ENOMEM;
}

static int take_devices(struct scrub_record *record, struct scrub_engine *engine)
{
	size_t count = xx_btrfs_volume_count(scrub_engine_volume(engine));

	release_devices(record);
	record->devices = calloc(count ? count : 1, sizeof(*record->devices));
	if (!record->devices)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct scrub_device_state state;
		int ret = scrub_engine_device(engine, i, &state);

		if (ret == 0)
			ret = take_device(&record->devices[i], &state);
		if (ret)
			return ret;
		record->device_count++;
	}
	return 0;
}

static int take_position(struct scrub_record *record, struct scrub_engine *engine)
{
	struct scrub_position position;
	int ret = scrub_engine_position(engine, &position);

	if (ret)
		return ret;
	free(record->ranges);
	record->range_count = 0;
	record->ranges = malloc((position.range_count ? position.range_count : 1) * sizeof(*record->ranges));
	if (!record->ranges)
		return -ENOMEM;
	if (position.range_count)
		memcpy(record->ranges, position.ranges, position.range_count * sizeof(*record->ranges));
	record->range_count = position.range_count;
	record->generation = position.generation;
	record->supers = position.supers;
	record->sums = position.sums;
	return 0;
}

int scrub_record_update(struct scrub_record *record, struct scrub_engine *engine, uint64_t before_ms)
{
	const struct xx_clock clock = { 0 };
	struct scrub_progress progress;
	int ret;

	ret = take_position(record, engine);
	if (ret == 0)
		ret = take_devices(record, engine);
	if (ret)
		return ret;
	scrub_engine_progress(engine, &progress);
	scrub_engine_counts(engine, &record->total);
	scrub_engine_counts_nowhere(engine, &record->nowhere);
	record->bytes_done = progress.bytes_done;
	record->bytes_total = progress.bytes_total;
	record->rate =
		progress.elapsed_ns ? (uint64_t)((double)progress.bytes_run * 1e9 / (double)progress.elapsed_ns) : 0;
	record->duration_ms = before_ms + progress.elapsed_ns / 1000000;
	record->limit = scrub_engine_limit(engine);
	record->updated = (uint64_t)xx_clock_now(&clock).tv_sec;
	return 0;
}

size_t scrub_record_missing(const struct scrub_record *record)
{
	size_t missing = 0;

	for (size_t i = 0; i < record->device_count; i++)
		missing += record->devices[i].missing;
	return missing;
}

bool scrub_record_is_clean(const struct scrub_record *record)
{
	return record->state == SCRUB_FINISHED && scrub_counts_found(&record->total) == 0 &&
	       record->total.unverified_bytes == 0 && record->total.write_errors == 0 &&
	       scrub_record_missing(record) == 0;
}

int scrub_record_exit(const struct scrub_record *record)
{
	if (record->state != SCRUB_FINISHED)
		return SCRUB_EXIT_FAILED;
	if (record->total.repairable || record->total.uncorrectable)
		return SCRUB_EXIT_ERRORS;
	if (record->total.unverified_bytes || record->total.write_errors || scrub_record_missing(record))
		return SCRUB_EXIT_FAILED;
	return SCRUB_EXIT_OK;
}
