/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * start.c - start and resume: whether it may be done, and what has to be known before.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <xx/context.h>

#include "scrub/commands.h"
#include "scrub/control.h"
#include "scrub/job.h"
#include "scrub/load.h"

#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_CLASS_SHIFT 13

/* A resume may name the file system alone: then the devices are those of the record. */
static int find_by_record(struct scrub_job *job, const char *text)
{
	struct scrub_record record;
	const char **paths;
	size_t count = 0;
	int ret;

	ret = scrub_load(job->ctx, text, &job->dir, &record);
	if (ret)
		return ret;
	paths = calloc(record.device_count ? record.device_count : 1, sizeof(*paths));
	for (size_t i = 0; paths && i < record.device_count; i++) {
		if (!record.devices[i].missing)
			paths[count++] = record.devices[i].path;
	}
	ret = paths ? scrub_members_find(job->ctx, paths, count, true, &job->members) : -ENOMEM;
	if (ret == 0 && strcmp(job->members.fsid, record.fsid) != 0) {
		xx_error(job->ctx, "%s is not of file system %s any more; name its devices.", paths[0], record.fsid);
		ret = -EXDEV;
	}
	free(paths);
	scrub_record_release(&record);
	return ret;
}

static int find_members(struct scrub_job *job)
{
	const struct scrub_args *args = job->args;
	size_t count = args->operand_count + args->device_count;
	const char **paths;
	int ret;

	if (job->resume && count == 1 && args->operand_count == 1 && scrub_is_uuid(args->operands[0]))
		return find_by_record(job, args->operands[0]);
	paths = calloc(count, sizeof(*paths));
	if (!paths) {
		xx_error(job->ctx, "Out of memory.");
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		paths[i] = i < args->operand_count ? args->operands[i] : args->devices[i - args->operand_count];
	ret = scrub_members_find(job->ctx, paths, count, args->device_count == 0, &job->members);
	free(paths);
	return ret;
}

static int take_lock(struct scrub_job *job)
{
	pid_t holder;
	int ret = scrub_lock_take(&job->dir, job->members.fsid, &job->lock, &holder);

	if (ret == -EBUSY && holder)
		xx_error(job->ctx, "A scrub of %s is running already, in process %d; see `xxscrub status %s'.",
			 job->members.fsid, (int)holder, job->members.fsid);
	else if (ret == -EBUSY)
		xx_error(job->ctx, "A scrub of %s is running already.", job->members.fsid);
	else if (ret)
		xx_error(job->ctx, "%s/%s.lock: %s.", job->dir.path, job->members.fsid, strerror(-ret));
	return ret;
}

/* -ENODATA: there is nothing to be resumed. */
static int take_record(struct scrub_job *job)
{
	int ret = scrub_record_load(&job->dir, job->members.fsid, &job->record);

	if (!job->resume) {
		scrub_record_release(&job->record);
		if ((ret == -EBADMSG || ret == -EOPNOTSUPP) && !job->args->force) {
			scrub_load_failed(job->ctx, &job->dir, job->members.fsid, ret);
			xx_error(job->ctx, "With -f a new scrub replaces it.");
			return ret;
		}
		job->record.read_only = job->args->read_only;
		job->record.skip_data = job->args->metadata_only;
		job->record.skip_metadata = job->args->data_only;
		return 0;
	}
	if (ret == 0 && job->record.state == SCRUB_FINISHED) {
		xx_error(job->ctx, "The last scrub of %s has finished; there is nothing to resume.", job->members.fsid);
		return -ENODATA;
	}
	if (ret == -ENOENT) {
		xx_error(job->ctx, "No scrub of %s is known; there is nothing to resume.", job->members.fsid);
		return -ENODATA;
	}
	if (ret)
		return scrub_load_failed(job->ctx, &job->dir, job->members.fsid, ret);
	/* What was begun as a mere look stays one: nobody expects that it writes. */
	job->record.read_only |= job->args->read_only;
	return 0;
}

static int check_mounted(const struct scrub_job *job)
{
	const char *scrub = job->members.format->scrub_mounted;
	char where[SCRUB_WHERE_TEXT];

	switch (scrub_members_mounted(&job->members, where)) {
	case SCRUB_NOT_MOUNTED:
		return 0;
	case SCRUB_MOUNTED_READ_ONLY:
		if (job->record.read_only)
			return 0;
		xx_error(
			job->ctx,
			"The file system is mounted read-only on %s; use -r, unmount it, or use `%s' for what is mounted.",
			where, scrub);
		break;
	case SCRUB_MOUNTED:
		xx_error(job->ctx, "The file system is mounted on %s; unmount it, or use `%s' for what is mounted.",
			 where, scrub);
		break;
	}
	return -EBUSY;
}

static int set_io_class(const struct scrub_job *job)
{
	const struct scrub_args *args = job->args;
	uint64_t class_and_data = args->io_class.value << IOPRIO_CLASS_SHIFT | args->io_priority.value;

	if (!args->io_class.given)
		return 0;
	if (syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, (int)class_and_data) != 0) {
		int err = -errno;

		xx_error(job->ctx, "The I/O class cannot be set: %s.", strerror(-err));
		return err;
	}
	return 0;
}

/* All that can be refused before the engine looks. */
static int prepare(struct scrub_job *job)
{
	int ret;

	scrub_control_block();
	ret = scrub_statedir_open(job->ctx, true, &job->dir);
	if (ret == 0)
		ret = find_members(job);
	if (ret == 0)
		ret = take_lock(job);
	if (ret == 0)
		ret = take_record(job);
	if (ret == 0)
		ret = check_mounted(job);
	if (ret == 0 && !job->record.read_only)
		ret = scrub_members_open_for_writing(job->ctx, &job->members);
	if (ret == 0)
		ret = set_io_class(job);
	return ret;
}

static enum scrub_exit work(struct scrub_job *job)
{
	enum scrub_exit status;
	int ret = prepare(job);

	if (ret == 0)
		status = (enum scrub_exit)scrub_job_run(job);
	else
		status = ret == -ENODATA ? SCRUB_EXIT_NOTHING : SCRUB_EXIT_FAILED;
	scrub_members_close(&job->members);
	if (job->lock >= 0)
		close(job->lock);
	scrub_record_release(&job->record);
	scrub_statedir_close(&job->dir);
	return status;
}

static enum scrub_exit run(struct xx_ctx *ctx, struct scrub_messages *messages, const struct scrub_args *args,
			   bool resume)
{
	struct scrub_job job = {
		.ctx = ctx,
		.messages = messages,
		.args = args,
		.resume = resume,
		.session = { .ready = -1 },
		.dir = { .fd = -1 },
		.lock = -1,
	};
	int status, ret;

	if (!args->foreground) {
		ret = scrub_session_detach(&job.session, &status);
		if (ret < 0) {
			xx_error(ctx, "Cannot go to the background: %s.", strerror(-ret));
			return SCRUB_EXIT_FAILED;
		}
		if (ret > 0)
			return (enum scrub_exit)status;
	}
	return work(&job);
}

enum scrub_exit scrub_start(struct xx_ctx *ctx, struct scrub_messages *messages, const struct scrub_args *args)
{
	return run(ctx, messages, args, false);
}

enum scrub_exit scrub_resume(struct xx_ctx *ctx, struct scrub_messages *messages, const struct scrub_args *args)
{
	return run(ctx, messages, args, true);
}
