/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job.c - one run of a scrub.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xx/clock.h>
#include <xx/context.h>

#include "scrub/commands.h"
#include "scrub/control.h"
#include "scrub/job.h"
#include "scrub/messages.h"
#include "scrub/repairs.h"
#include "scrub/report.h"

/*
 * How often the record is saved: soon after something was found, since what was repaired will not be found again should
 * this process die.
 */
#define NEWS_MS 250
#define SAVE_MS 1000

/* --- What is kept --- */

static int save(struct scrub_job *job)
{
	size_t length;
	char *text;
	int ret;

	ret = scrub_filelist_flush(job->files, &job->record.files_length);
	if (ret == 0)
		ret = scrub_record_format(&job->record, &text, &length);
	if (ret == 0) {
		ret = scrub_statedir_write(&job->dir, job->record.fsid, text, length);
		free(text);
	}
	if (ret && !job->save_failed)
		xx_error(job->ctx, "%s: the record of this scrub cannot be kept: %s.", job->dir.path, strerror(-ret));
	job->save_failed = ret != 0;
	return ret;
}

static void on_checkpoint(void *private, struct scrub_engine *engine)
{
	struct scrub_job *job = private;
	uint64_t now = xx_clock_monotonic() / 1000000;

	scrub_log_summary(&job->log, now);
	if (!job->news && now - job->saved_ms < SAVE_MS)
		return;
	/* Should this fail, the next one may succeed; the message was made. */
	if (scrub_record_update(&job->record, engine, job->before_ms) != 0 || save(job) != 0)
		return;
	job->news = false;
	job->saved_ms = now;
}

static void on_finding(void *private, const struct scrub_finding *finding)
{
	struct scrub_job *job = private;

	job->news = true;
	scrub_log_finding(&job->log, finding);
}

static void on_intents(void *private, const struct scrub_intent *intents, size_t count)
{
	struct scrub_job *job = private;
	int ret = scrub_repairs_note(&job->dir, job->members.fsid, intents, count);

	/* What can be repaired is repaired all the same. */
	if (ret)
		xx_warn(job->ctx, "%s/%s.repairs: %s; should this process be killed, repairs may be left uncounted.",
			job->dir.path, job->members.fsid, strerror(-ret));
}

static void on_unverified(void *private, const struct scrub_unverified *range)
{
	struct scrub_job *job = private;

	scrub_log_unverified(&job->log, range);
}

static void on_file(void *private, const struct scrub_file *file)
{
	struct scrub_job *job = private;

	scrub_log_file(&job->log, file);
	scrub_filelist_add(job->files, file);
	if (job->shown)
		scrub_filelist_show(job->shown, file, job->args->nul);
}

static void show_earlier(void *private, const struct scrub_file *file)
{
	const struct scrub_job *job = private;

	scrub_filelist_show(job->shown, file, job->args->nul);
}

/* Opens the list of damaged files; on a resume what earlier runs found is in it. */
static int open_files(struct scrub_job *job)
{
	const char *name = job->args->files;
	int ret;

	ret = scrub_filelist_open(&job->dir, job->members.fsid, job->record.files_length, &job->files);
	if (ret) {
		xx_error(job->ctx, "%s/%s.files: %s.", job->dir.path, job->members.fsid, strerror(-ret));
		return ret;
	}
	if (!name)
		return 0;
	job->shown = strcmp(name, "-") == 0 ? stdout : fopen(name, "we");
	if (!job->shown) {
		ret = -errno;
		xx_error(job->ctx, "%s: %s.", name, strerror(-ret));
		return ret;
	}
	ret = scrub_filelist_each(&job->dir, job->members.fsid, job->record.files_length, show_earlier, job);
	if (ret)
		xx_error(job->ctx, "%s/%s.files: %s.", job->dir.path, job->members.fsid, strerror(-ret));
	return ret;
}

static int close_files(struct scrub_job *job)
{
	int ret = 0;

	scrub_filelist_close(job->files);
	job->files = NULL;
	if (!job->shown)
		return 0;
	if (ferror(job->shown) || fflush(job->shown) != 0 || (job->shown != stdout && fclose(job->shown) != 0)) {
		xx_error(job->ctx, "%s: not all damaged files could be listed.", job->args->files);
		ret = -EIO;
	}
	job->shown = NULL;
	return ret;
}

/* --- The engine --- */

/* What a resume hands to the engine of the counts that were kept: those of devices, then what belongs to none. */
static struct scrub_device_counts *kept_counts(const struct scrub_record *record)
{
	struct scrub_device_counts *counts = calloc(record->device_count + 1, sizeof(*counts));

	for (size_t i = 0; counts && i < record->device_count; i++) {
		counts[i].devid = record->devices[i].devid;
		counts[i].counts = record->devices[i].counts;
	}
	if (counts)
		counts[record->device_count].counts = record->nowhere;
	return counts;
}

static void fill_options(struct scrub_job *job, struct scrub_options *options)
{
	const struct scrub_args *args = job->args;
	struct scrub_record *record = &job->record;

	*options = (struct scrub_options){
		.read_only = record->read_only,
		.skip_data = record->skip_data,
		.skip_metadata = record->skip_metadata,
		.limit = args->limit.given ? args->limit.value : record->limit,
		.memory = (size_t)args->memory.value,
		.ring = { .engine = args->io_engine, .depth = (uint32_t)args->queue_depth.value },
		.checkpoint_ms = NEWS_MS,
		.callbacks = { .finding = on_finding,
			       .file = on_file,
			       .unverified = on_unverified,
			       .intents = on_intents,
			       .checkpoint = on_checkpoint,
			       .private = job },
	};
}

/* Repairs that the runs before had noted. */
static int take_intents(const struct scrub_job *job, struct scrub_intent **intents, size_t *count)
{
	int ret = job->resume ? scrub_repairs_read(&job->dir, job->members.fsid, intents, count) : 0;

	if (ret)
		xx_error(job->ctx, "%s/%s.repairs: %s.", job->dir.path, job->members.fsid, strerror(-ret));
	return ret;
}

static int create_engine(struct scrub_job *job)
{
	const struct scrub_record *record = &job->record;
	const struct scrub_position position = {
		.generation = record->generation,
		.supers = record->supers,
		.sums = record->sums,
		.ranges = record->ranges,
		.range_count = record->range_count,
	};
	struct xx_device **devices = calloc(job->members.count, sizeof(struct xx_device *));
	struct scrub_device_counts *counts = job->resume ? kept_counts(record) : NULL;
	struct scrub_intent *intents = NULL;
	struct scrub_options options;
	size_t intent_count = 0;
	int ret = -ENOMEM;

	if (devices && (counts || !job->resume) && take_intents(job, &intents, &intent_count) == 0) {
		fill_options(job, &options);
		if (job->resume) {
			options.position = &position;
			options.counts = counts;
			options.counts_count = record->device_count + 1;
			options.intents = intents;
			options.intent_count = intent_count;
		}
		for (size_t i = 0; i < job->members.count; i++)
			devices[i] = job->members.list[i].device;
		ret = scrub_engine_create(job->ctx, devices, job->members.count, &options, &job->engine);
	} else if (!devices || (!counts && job->resume)) {
		xx_error(job->ctx, "Out of memory.");
	}
	free(intents);
	free(counts);
	free(devices);
	return ret;
}

/* The first record of this run. */
static int begin_record(struct scrub_job *job)
{
	const struct xx_clock clock = { 0 };
	struct scrub_record *record = &job->record;
	int ret;

	if (!job->resume) {
		record->files_length = 0;
		scrub_repairs_forget(&job->dir, job->members.fsid);
	}
	ret = open_files(job);
	if (ret)
		return ret;
	memcpy(record->fsid, job->members.fsid, sizeof(record->fsid));
	record->state = SCRUB_RUNNING;
	record->started = (uint64_t)xx_clock_now(&clock).tv_sec;
	record->resumed = job->resume;
	record->changed |= job->resume && scrub_engine_changed(job->engine);
	free(record->reason);
	record->reason = NULL;
	ret = scrub_record_update(record, job->engine, job->before_ms);
	if (ret)
		xx_error(job->ctx, "Out of memory.");
	return ret ? ret : save(job);
}

static void say_begun(struct scrub_job *job)
{
	if (job->resume && scrub_engine_changed(job->engine))
		xx_notice(job->ctx, "The file system has changed since this scrub was begun; what was not scrubbed yet "
				    "is, as it is now.");
	if (scrub_engine_is_metadump(job->engine))
		xx_notice(job->ctx, "This image was made by btrfs-image and has no data: only metadata is verified.");
	if (job->session.ready < 0)
		return;
	if (!job->args->quiet)
		printf("scrub %s on %s, fsid %s (pid=%d)\n", job->resume ? "resumed" : "started",
		       job->members.list[0].path, job->members.fsid, (int)getpid());
	scrub_session_ready(&job->session, job->messages);
}

/* Into the log: how it ended, for those who did not look. */
static void say_ended(const struct scrub_job *job)
{
	const struct scrub_record *record = &job->record;
	char summary[SCRUB_SUMMARY_TEXT], percent[SCRUB_TEXT];

	scrub_report_summary(summary, record);
	switch (record->state) {
	case SCRUB_FINISHED:
		xx_notice(job->ctx,
			  "Scrub of %s finished: %s; corrected: %" PRIu64 ", repairable: %" PRIu64
			  ", uncorrectable: %" PRIu64 ", unverified bytes: %" PRIu64 ".",
			  record->fsid, summary, record->total.corrected, record->total.repairable,
			  record->total.uncorrectable, record->total.unverified_bytes);
		break;
	case SCRUB_CANCELLED:
		xx_notice(job->ctx, "Scrub of %s cancelled at %s; `xxscrub resume %s' goes on. Errors: %s.",
			  record->fsid, scrub_text_percent(percent, record->bytes_done, record->bytes_total),
			  record->fsid, summary);
		break;
	case SCRUB_RUNNING:
	case SCRUB_FAILED:
	case SCRUB_INTERRUPTED:
	case SCRUB_RUN_STATES:
		xx_error(job->ctx, "Scrub of %s failed: %s. Errors: %s.", record->fsid,
			 record->reason ? record->reason : "?", summary);
		break;
	}
}

static void end_record(struct scrub_job *job, int result)
{
	struct scrub_record *record = &job->record;

	if (scrub_record_update(record, job->engine, job->before_ms) != 0)
		xx_error(job->ctx, "Out of memory.");
	record->state = result == 0 ? SCRUB_FINISHED : result == -ECANCELED ? SCRUB_CANCELLED : SCRUB_FAILED;
	if (record->state == SCRUB_FAILED)
		record->reason = strdup(result == -EIO ? "no device is left that can be read" : strerror(-result));
	scrub_log_summary(&job->log, UINT64_MAX);
}

int scrub_job_show(const struct scrub_job *job)
{
	const struct scrub_args *args = job->args;
	const struct scrub_report_options options = {
		.units = args->units,
		.per_device = args->per_device,
		.raw = args->raw,
	};
	/* A list of files on standard output stays alone. */
	bool alone = args->files && strcmp(args->files, "-") == 0;
	int ret = 0;

	if (args->json) {
		ret = scrub_report_json(stdout, &job->record, &job->dir);
		if (ret)
			xx_error(job->ctx, "Not all of the result can be shown: %s.", strerror(-ret));
	} else if (!args->quiet) {
		scrub_report_text(alone ? stderr : stdout, &job->record, &options);
	}
	return ret;
}

/* Runs the engine under control of signals. */
static int run_engine(struct scrub_job *job, struct scrub_control *control)
{
	int ret;

	scrub_control_attach(control, job->engine);
	ret = scrub_engine_run(job->engine);
	scrub_control_attach(control, NULL);
	end_record(job, ret);
	return save(job);
}

static bool draws(const struct scrub_job *job)
{
	return job->args->foreground && !job->args->quiet && (job->messages->terminal || job->args->progress);
}

int scrub_job_run(struct scrub_job *job)
{
	struct scrub_control *control = NULL;
	bool background = job->session.ready >= 0;
	int status = SCRUB_EXIT_FAILED, ret;

	scrub_log_init(&job->log, job->ctx);
	job->before_ms = job->resume ? job->record.duration_ms : 0;
	ret = scrub_control_create(job->messages, draws(job), &control);
	if (ret)
		xx_error(job->ctx, "Cannot start a thread: %s.", strerror(-ret));
	if (ret == 0)
		ret = create_engine(job);
	if (ret == 0)
		ret = begin_record(job);
	if (ret == 0) {
		say_begun(job);
		ret = run_engine(job, control);
		status = ret ? SCRUB_EXIT_FAILED : scrub_record_exit(&job->record);
	}
	if (control && scrub_control_end(control) != 0 && !job->engine)
		xx_debug(job->ctx, "Cancelled before it began.");
	if (close_files(job) != 0)
		status = SCRUB_EXIT_FAILED;
	if (job->engine && job->record.state != SCRUB_RUNNING) {
		if (background)
			say_ended(job);
		else if (scrub_job_show(job) != 0)
			status = SCRUB_EXIT_FAILED;
	}
	scrub_engine_destroy(job->engine);
	scrub_log_release(&job->log);
	return status;
}
