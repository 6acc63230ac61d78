/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scrub_run.h - one scrub of a fixture, and what it told. For tests.
 */
#ifndef TESTS_SCRUB_RUN_H
#define TESTS_SCRUB_RUN_H

#include "scrub/engine.h"
#include "tests/support/btrfs_fixture.h"

enum {
	RUN_FINDINGS_MAX = 64,
	RUN_FILES_MAX = 16,
};

struct run_file {
	char path[32];
	uint64_t offset, length;
	enum scrub_kind kind;
	enum scrub_state state;
};

struct run {
	/* Set before: the rest of the options is that of the engine. */
	struct scrub_options options;
	struct xx_device *devices[FIXTURE_DEVICES_MAX]; /* a NULL is left out; none at all: all of the fixture */
	unsigned cancel_after; /* checkpoints; 0: never */

	int created, result;
	struct scrub_counts counts;
	struct scrub_progress progress;
	struct scrub_finding findings[RUN_FINDINGS_MAX];
	unsigned finding_count;
	struct run_file files[RUN_FILES_MAX];
	unsigned file_count;
	uint64_t unverified_bytes; /* as told */
	unsigned checkpoints;
	bool over; /* more was done than there is */

	/* Kept for the next one. */
	struct scrub_position position;
	struct scrub_device_counts device_counts[FIXTURE_DEVICES_MAX + 1];
	size_t kept;
};

/* Create, run, destroy. The position, if there was one, is that of run_resume(). */
void run_scrub(struct fixture *f, struct run *run);

/* Go on where @before was left; its position moves to @run. */
void run_resume(struct fixture *f, struct run *run, struct run *before);

void run_release(struct run *run);

#endif
