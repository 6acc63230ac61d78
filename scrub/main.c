/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - xxscrub: scrub a btrfs that is not mounted.
 *
 * Parses, gives the exit status; the rest is in the files named after it.
 */
#include <stdio.h>

#include <xx/context.h>

#include "scrub/commands.h"
#include "scrub/messages.h"

static enum scrub_exit run(struct xx_ctx *ctx, struct scrub_messages *messages, int argc, char *const argv[])
{
	enum scrub_exit status = SCRUB_EXIT_FAILED;
	struct scrub_args args;
	int ret;

	ret = scrub_args_parse(ctx, argc, argv, &args);
	if (ret > 0)
		status = SCRUB_EXIT_OK;
	if (ret == 0) {
		xx_ctx_set_level(ctx, args.verbose ? XX_VERBOSE : args.quiet ? XX_WARNING : XX_NOTICE);
		status = scrub_command_run(ctx, messages, &args);
	}
	scrub_args_release(&args);
	return status;
}

int main(int argc, char *argv[])
{
	struct scrub_messages messages;
	enum scrub_exit status;
	struct xx_ctx *ctx;

	scrub_messages_init(&messages);
	if (xx_ctx_create(scrub_messages_sink, &messages, &ctx) != 0) {
		fputs("xxscrub: Out of memory.\n", stderr);
		return SCRUB_EXIT_FAILED;
	}
	status = run(ctx, &messages, argc, argv);
	xx_ctx_destroy(ctx);
	if (fflush(stdout) != 0 && status == SCRUB_EXIT_OK) {
		perror("xxscrub: standard output");
		return SCRUB_EXIT_FAILED;
	}
	return (int)status;
}
