/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commands.c - the table of commands.
 */
#include "scrub/commands.h"

static const struct scrub_command commands[] = {
	{ "start", SCRUB_START, "DEVICE...", "scrub a file system, in the background unless -B is given", NULL,
	  scrub_start },
	{ "resume", SCRUB_RESUME, "DEVICE...|UUID", "go on where a cancelled or interrupted scrub was",
	  "the same but for -f, --metadata-only and --data-only; -r stays as it was at the start", scrub_resume },
	{ "cancel", SCRUB_CANCEL, "DEVICE|UUID", "end a running scrub; it can be resumed", "none of its own",
	  scrub_cancel },
	{ "status", SCRUB_STATUS, "DEVICE|UUID", "show how far a scrub is, or how the last one ended",
	  "and -d, -R, -z, --files, --json and the units", scrub_status },
	{ "limit", SCRUB_LIMIT, "DEVICE|UUID", "show the limit of a running scrub, or set it with --limit",
	  "and --limit", scrub_limit },
};

const struct scrub_command *scrub_command_at(size_t index)
{
	return index < XX_ARRAY_SIZE(commands) ? &commands[index] : NULL;
}

enum scrub_exit scrub_command_run(struct xx_ctx *ctx, struct scrub_messages *messages, const struct scrub_args *args)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(commands); i++) {
		if (commands[i].scope == args->command)
			return commands[i].run(ctx, messages, args);
	}
	return SCRUB_EXIT_FAILED;
}
