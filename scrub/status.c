/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status.c - shows how far a scrub is, or how the last one ended.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <xx/context.h>

#include "scrub/commands.h"
#include "scrub/load.h"
#include "scrub/report.h"

/* The list of damaged files alone. */
struct list {
	FILE *out;
	bool nul;
};

static void show_file(void *private, const struct scrub_file *file)
{
	const struct list *list = private;

	scrub_filelist_show(list->out, file, list->nul);
}

static int show_files(struct xx_ctx *ctx, const struct scrub_args *args, const struct scrub_statedir *dir,
		      const struct scrub_record *record)
{
	bool to_stdout = strcmp(args->files, "-") == 0;
	struct list list = { .out = to_stdout ? stdout : fopen(args->files, "we"), .nul = args->nul };
	int ret;

	if (!list.out) {
		ret = -errno;
		xx_error(ctx, "%s: %s.", args->files, strerror(-ret));
		return ret;
	}
	ret = scrub_filelist_each(dir, record->fsid, record->files_length, show_file, &list);
	if (fflush(list.out) != 0 && ret == 0)
		ret = -errno;
	if (!to_stdout)
		fclose(list.out);
	if (ret)
		xx_error(ctx, "Not all damaged files could be listed: %s.", strerror(-ret));
	return ret;
}

static int show(struct xx_ctx *ctx, const struct scrub_args *args, const struct scrub_statedir *dir,
		const struct scrub_record *record)
{
	const struct scrub_report_options options = {
		.units = args->units,
		.per_device = args->per_device,
		.raw = args->raw,
	};
	int ret;

	if (args->json) {
		ret = scrub_report_json(stdout, record, args->files ? dir : NULL);
		if (ret)
			xx_error(ctx, "Not all of the record can be shown: %s.", strerror(-ret));
		return ret;
	}
	if (args->files)
		return show_files(ctx, args, dir, record);
	scrub_report_text(stdout, record, &options);
	return 0;
}

/* Between two looks: on a terminal the next one takes the place of this one. */
static void pause_watch(const struct scrub_args *args)
{
	struct timespec left = { .tv_sec = (time_t)args->watch.value };

	fflush(stdout);
	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		;
	if (args->json || args->files)
		return;
	fputs(isatty(STDOUT_FILENO) ? "\033[H\033[J" : "\n", stdout);
}

static int show_once(struct xx_ctx *ctx, const struct scrub_args *args, const struct scrub_statedir *dir, bool *running)
{
	struct scrub_record record;
	int ret;

	ret = scrub_load(ctx, args->operands[0], dir, &record);
	if (ret)
		return ret;
	*running = record.state == SCRUB_RUNNING;
	ret = show(ctx, args, dir, &record);
	scrub_record_release(&record);
	return ret;
}

enum scrub_exit scrub_status(struct xx_ctx *ctx, struct scrub_messages *messages, const struct scrub_args *args)
{
	struct scrub_statedir dir;
	bool running = false;
	int ret;

	(void)messages;
	ret = scrub_statedir_open(ctx, false, &dir);
	if (ret == -ENOENT)
		ret = 0;
	if (ret == 0 && args->watch.given && isatty(STDOUT_FILENO) && !args->json && !args->files)
		fputs("\033[H\033[J", stdout);
	if (ret == 0)
		ret = show_once(ctx, args, &dir, &running);
	while (ret == 0 && running && args->watch.given) {
		pause_watch(args);
		ret = show_once(ctx, args, &dir, &running);
	}
	scrub_statedir_close(&dir);
	return ret ? SCRUB_EXIT_FAILED : SCRUB_EXIT_OK;
}
