/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_make.c - from the wishes of the user to a file system.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xx/clock.h>
#include <xx/context.h>
#include <xx/random.h>
#include <xx/ring.h>

#include "mkfs/prepare.h"
#include "mkfs/run.h"
#include "mkfs/signals.h"
#include "mkfs/xfs_geometry.h"
#include "mkfs/xfs_make.h"
#include "mkfs/xfs_options.h"
#include "mkfs/xfs_report.h"

/* Progress begins when it takes longer than this, and is drawn so often. */
#define PROGRESS_DELAY_MS	 1000
#define PROGRESS_INTERVAL_MS	 250
#define PROGRESS_LOG_INTERVAL_MS 1000 /* not on a terminal */

static void draw_on_terminal(const struct xx_progress_state *state, const char *text, void *private)
{
	(void)private;
	fprintf(stderr, "\r%s\033[K%s", text, state->finished ? "\n" : "");
}

static void draw_lines(const struct xx_progress_state *state, const char *text, void *private)
{
	(void)state;
	(void)private;
	fprintf(stderr, "%s\n", text);
}

static void show_discarding(bool begun)
{
	fputs(begun ? "Discarding blocks..." : "Done.\n", stdout);
	fflush(stdout);
}

static void choose_output(struct mkfs_run *run, const struct mkfs_xfs_options *opt)
{
	const bool terminal = isatty(STDERR_FILENO);

	if (!opt->quiet && !opt->json)
		run->discarding = show_discarding;
	if (!opt->progress && (!terminal || opt->quiet))
		return;
	run->draw = terminal ? draw_on_terminal : draw_lines;
	run->draw_delay_ms = terminal ? PROGRESS_DELAY_MS : 0;
	run->draw_interval_ms = terminal ? PROGRESS_INTERVAL_MS : PROGRESS_LOG_INTERVAL_MS;
}

/* Time and random numbers, which the environment may fix. */
static int read_environment(struct mkfs_run *run)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH"), *seed = getenv("DETERMINISTIC_SEED");
	struct xx_clock clock;
	int err = xx_clock_init(&clock, epoch);

	if (err) {
		xx_error(run->ctx, "SOURCE_DATE_EPOCH is \"%s\"; it must be seconds since 1970, in decimal.", epoch);
		return err;
	}
	run->now = xx_clock_now(&clock);
	err = xx_random_init(run->random, seed);
	if (err && seed)
		xx_error(run->ctx, "DETERMINISTIC_SEED is \"%s\"; it must be a number of at most 64 bits.", seed);
	else if (err)
		xx_error(run->ctx, "The system has no random numbers: %s.", strerror(-err));
	return err;
}

static int create_ring(struct mkfs_run *run, const struct mkfs_xfs_options *opt)
{
	const struct xx_ring_options options = {
		.engine = opt->io_engine,
		.depth = (uint32_t)opt->queue_depth.value,
	};

	return xx_ring_create(run->ctx, &options, &run->ring);
}

/* Everything that is decided before anything is written. */
static int decide(struct mkfs_run *run, struct mkfs_xfs_options *opt, struct xx_xfs_geometry *geo)
{
	struct mkfs_topology topo;
	uint8_t uuid[XX_UUID_SIZE];
	int err = read_environment(run);

	if (!err)
		err = mkfs_prepare_look(run, opt, &topo);
	if (!err)
		err = mkfs_xfs_geometry(run->ctx, opt, &topo, geo);
	if (err)
		return err;
	/* Drawn in any case: the numbers that follow do not depend on whether a UUID was given. */
	xx_random_uuid(run->random, uuid);
	if (!opt->uuid_given)
		memcpy(geo->uuid, uuid, sizeof(uuid));
	return 0;
}

static int show(struct mkfs_run *run, const struct mkfs_xfs_options *opt, const struct xx_xfs_geometry *geo)
{
	int err;

	if (opt->quiet && !opt->dry_run)
		return 0;
	err = mkfs_xfs_report(stdout, opt, geo);
	if (!err && fflush(stdout))
		err = -errno;
	if (err)
		xx_error(run->ctx, "The geometry cannot be shown: %s.", strerror(-err));
	return err;
}

static int make(struct mkfs_run *run, struct mkfs_xfs_options *opt)
{
	struct xx_xfs_geometry geo;
	int err = decide(run, opt, &geo);

	if (!err && !opt->dry_run)
		err = create_ring(run, opt);
	if (!err)
		err = show(run, opt, &geo);
	if (err || opt->dry_run)
		return err;
	run->geo = &geo;
	run->discard = !opt->no_discard;
	choose_output(run, opt);
	err = mkfs_prepare_settle(run);
	if (!err)
		err = mkfs_write(run);
	run->geo = NULL;
	return err;
}

int mkfs_xfs_make(struct xx_ctx *ctx, struct mkfs_xfs_options *opt)
{
	struct xx_random random;
	struct mkfs_run run = { .ctx = ctx, .random = &random, .stopped = mkfs_signals_caught };
	int err, closed;

	mkfs_signals_catch();
	err = make(&run, opt);
	xx_ring_destroy(run.ring);
	closed = mkfs_prepare_close(&run);
	mkfs_run_release(&run);
	return err ? err : closed;
}
