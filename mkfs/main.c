/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - mkfs.xx: make a file system on a device or an image.
 *
 * Parses, shows messages, gives the exit status; the rest is in the files named after it.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <xx/context.h>

#include "mkfs/xfs_make.h"
#include "mkfs/xfs_options.h"

static void show_message(enum xx_level level, const char *text, void *private)
{
	(void)private;
	fprintf(stderr, "mkfs.xx: %s%s\n", level == XX_WARNING ? "warning: " : "", text);
}

/*
 * A device must never become one of the standard streams: what is printed would be written to it. Where one is closed a
 * directory takes its place, which every system has and which nobody can write to. False: it could not be done.
 */
static bool occupy_standard_streams(void)
{
	int fd;

	do {
		fd = open("/", O_RDONLY | O_DIRECTORY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* What was asked for: 0, or a negative errno after a message. */
static int run(struct xx_ctx *ctx, int argc, char *const argv[])
{
	struct mkfs_xfs_options opt;
	int ret;

	ret = mkfs_xfs_parse(ctx, argc, argv, &opt);
	if (ret == 0) {
		xx_ctx_set_level(ctx, opt.verbose ? XX_VERBOSE : opt.quiet ? XX_WARNING : XX_NOTICE);
		ret = mkfs_xfs_make(ctx, &opt);
	}
	mkfs_xfs_options_release(&opt);
	return ret < 0 ? ret : 0;
}

int main(int argc, char *argv[])
{
	struct xx_ctx *ctx;
	int ret;

	if (!occupy_standard_streams())
		return EXIT_FAILURE;
	if (xx_ctx_create(show_message, NULL, &ctx) != 0) {
		fputs("mkfs.xx: Out of memory.\n", stderr);
		return EXIT_FAILURE;
	}
	ret = run(ctx, argc, argv);
	xx_ctx_destroy(ctx);
	if (ret == 0 && (fflush(stdout) != 0 || ferror(stdout))) {
		fputs("mkfs.xx: What was done could not be shown: standard output takes no more.\n", stderr);
		return EXIT_FAILURE;
	}
	return ret == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
