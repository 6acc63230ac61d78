/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job.h - one run of a scrub, from devices that are open to the record of how it ended.
 */
#ifndef SCRUB_JOB_H
#define SCRUB_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "scrub/args.h"
#include "scrub/filelist.h"
#include "scrub/log.h"
#include "scrub/members.h"
#include "scrub/record.h"
#include "scrub/session.h"
#include "scrub/statedir.h"

struct scrub_messages;

struct scrub_job {
	struct xx_ctx *ctx;
	struct scrub_messages *messages;
	const struct scrub_args *args;
	bool resume;

	struct scrub_session session;
	struct scrub_statedir dir;
	int lock; /* -1: not held */
	struct scrub_members members;
	struct scrub_record record; /* with resume: that of the run before */

	struct scrub_engine *engine;
	struct scrub_filelist *files;
	FILE *shown; /* where --files writes; NULL */
	struct scrub_log log;
	uint64_t before_ms; /* that earlier runs took */
	bool save_failed; /* a message was made */
	bool news; /* something was found since the record was last saved */
	uint64_t saved_ms; /* monotonic, when that was */
};

/*
 * Scrub: make the engine, let the user go when it is in the background, run, keep the record. The exit status; whatever
 * went wrong made a message.
 */
int scrub_job_run(struct scrub_job *job);

/* Shows the result on standard output, as the arguments want it. 0 or a negative errno with a message. */
XX_MUST_CHECK int scrub_job_show(const struct scrub_job *job);

#endif
