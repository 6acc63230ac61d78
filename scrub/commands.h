/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commands.h - the commands of xxscrub, and its exit statuses.
 */
#ifndef SCRUB_COMMANDS_H
#define SCRUB_COMMANDS_H

#include "scrub/args.h"

struct scrub_messages;

enum scrub_exit {
	SCRUB_EXIT_OK, /* all is good, or was corrected */
	SCRUB_EXIT_FAILED, /* could not run, did not finish, or not all could be verified */
	SCRUB_EXIT_NOTHING, /* nothing to resume, nothing to cancel */
	SCRUB_EXIT_ERRORS, /* errors remain on the medium */
};

struct scrub_command {
	const char *name;
	enum scrub_scope scope;
	const char *operands; /* for --help */
	const char *help;
	const char *also; /* for --help: what it takes of the options of others; NULL: start, which comes first */
	enum scrub_exit (*run)(struct xx_ctx *ctx, struct scrub_messages *messages, const struct scrub_args *args);
};

/* The commands in order; NULL behind the last. */
const struct scrub_command *scrub_command_at(size_t index);

/* Runs the command that was asked for. */
enum scrub_exit scrub_command_run(struct xx_ctx *ctx, struct scrub_messages *messages, const struct scrub_args *args);

/* start.c: start, and resume. */
enum scrub_exit scrub_start(struct xx_ctx *ctx, struct scrub_messages *messages, const struct scrub_args *args);
enum scrub_exit scrub_resume(struct xx_ctx *ctx, struct scrub_messages *messages, const struct scrub_args *args);

/* status.c */
enum scrub_exit scrub_status(struct xx_ctx *ctx, struct scrub_messages *messages, const struct scrub_args *args);

/* cancel.c: what is told to a running scrub. */
enum scrub_exit scrub_cancel(struct xx_ctx *ctx, struct scrub_messages *messages, const struct scrub_args *args);
enum scrub_exit scrub_limit(struct xx_ctx *ctx, struct scrub_messages *messages, const struct scrub_args *args);

#endif
