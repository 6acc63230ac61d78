/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * args.h - the command line of xxscrub: a command, its options, and what it is to work on.
 *
 * To add an option add a row in args.c, a field here, and a word in the man page; nothing else.
 */
#ifndef SCRUB_ARGS_H
#define SCRUB_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <xx/ring.h>

#include "scrub/text.h"
#include "tools/options.h"

struct xx_ctx;

/* A bit for each command: which options it takes. */
enum scrub_scope {
	SCRUB_START = 1 << 0,
	SCRUB_RESUME = 1 << 1,
	SCRUB_CANCEL = 1 << 2,
	SCRUB_STATUS = 1 << 3,
	SCRUB_LIMIT = 1 << 4,
};

struct scrub_args {
	enum scrub_scope command;
	/* What to work on: devices, image files, or the UUID of a file system; part of argv. */
	char *const *operands;
	size_t operand_count;
	const char **devices; /* of --device */
	size_t device_count;

	bool foreground, read_only, force, quiet, verbose;
	bool metadata_only, data_only;
	bool per_device, raw, json, progress;
	struct tool_num limit; /* bytes a second of each device; 0: none */
	struct tool_num memory; /* bytes */
	struct tool_num queue_depth;
	struct tool_num io_class, io_priority; /* -1: not given */
	struct tool_num watch; /* seconds between two looks */
	enum xx_engine_id io_engine;
	const char *files; /* where damaged files are listed; "-": standard output; NULL: nowhere */
	bool nul; /* lines of that list end in \0 */
	struct scrub_units units;

	void *storage; /* strings that were kept */
};

/*
 * Reads a command line. 0; 1: help or version was shown, nothing else is to be done; or a negative errno after a
 * message. Always to be released.
 */
XX_MUST_CHECK int scrub_args_parse(struct xx_ctx *ctx, int argc, char *const argv[], struct scrub_args *args);
void scrub_args_release(struct scrub_args *args);

/* The text of --help. */
void scrub_args_help(FILE *out);

#endif
