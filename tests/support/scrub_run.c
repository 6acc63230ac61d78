/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scrub_run.c - see scrub_run.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/scrub_run.h"

static void found(void *private, const struct scrub_finding *finding)
{
	struct run *run = private;

	if (run->finding_count < RUN_FINDINGS_MAX)
		run->findings[run->finding_count] = *finding;
	run->finding_count++;
}

static void file(void *private, const struct scrub_file *what)
{
	struct run *run = private;
	struct run_file *out = &run->files[run->file_count];

	if (run->file_count++ >= RUN_FILES_MAX)
		return;
	*out = (struct run_file){
		.offset = what->offset,
		.length = what->length,
		.kind = what->kind,
		.state = what->state,
	};
	snprintf(out->path, sizeof(out->path), "%s", what->path ? what->path : "?");
}

static void unverified(void *private, const struct scrub_unverified *range)
{
	struct run *run = private;

	run->unverified_bytes += range->bytes;
}

static void checkpoint(void *private, struct scrub_engine *engine)
{
	struct run *run = private;
	struct scrub_progress progress;

	scrub_engine_progress(engine, &progress);
	run->over |= progress.bytes_done > progress.bytes_total;
	if (++run->checkpoints == run->cancel_after)
		scrub_engine_cancel(engine);
}

/* What a state file would keep. */
static void keep(struct run *run, struct scrub_engine *engine)
{
	struct scrub_position position;
	struct scrub_range *ranges;
	struct scrub_device_state state;
	size_t i;

	if (scrub_engine_position(engine, &position))
		abort();
	ranges = calloc(position.range_count + 1, sizeof(*ranges));
	if (!ranges)
		abort();
	memcpy(ranges, position.ranges, position.range_count * sizeof(*ranges));
	position.ranges = ranges;
	run->position = position;
	for (i = 0; scrub_engine_device(engine, i, &state) == 0; i++)
		run->device_counts[i + 1] =
			(struct scrub_device_counts){ .devid = state.member->devid, .counts = state.counts };
	scrub_engine_counts_nowhere(engine, &run->device_counts[0].counts);
	run->kept = i + 1;
}

static size_t collect(const struct fixture *f, const struct run *run, struct xx_device **devices)
{
	size_t count = 0;

	for (unsigned i = 0; i < f->device_count; i++) {
		if (run->devices[i])
			devices[count++] = run->devices[i];
	}
	if (count)
		return count;
	memcpy(devices, f->devices, f->device_count * sizeof(*devices));
	return f->device_count;
}

void run_scrub(struct fixture *f, struct run *run)
{
	struct xx_device *devices[FIXTURE_DEVICES_MAX];
	const size_t count = collect(f, run, devices);
	struct scrub_engine *engine;

	run->options.callbacks = (struct scrub_callbacks){
		.finding = found,
		.file = file,
		.unverified = unverified,
		.checkpoint = checkpoint,
		.private = run,
	};
	run->created = scrub_engine_create(f->ctx, devices, count, &run->options, &engine);
	if (run->created)
		return;
	run->result = scrub_engine_run(engine);
	scrub_engine_counts(engine, &run->counts);
	scrub_engine_progress(engine, &run->progress);
	run->over |= run->progress.bytes_done > run->progress.bytes_total;
	keep(run, engine);
	scrub_engine_destroy(engine);
}

void run_resume(struct fixture *f, struct run *run, struct run *before)
{
	run->options.position = &before->position;
	run->options.counts = before->device_counts;
	run->options.counts_count = before->kept;
	run_scrub(f, run);
	run_release(before);
}

void run_release(struct run *run)
{
	free((void *)(uintptr_t)run->position.ranges);
	run->position = (struct scrub_position){ 0 };
}
