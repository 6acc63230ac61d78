/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_options.c - fuzzes the command line of mkfs.xx, the file of -c options=, and what policy makes of both.
 *
 * The input is text: one word of the command line in each line; after an empty line follows the content of the
 * configuration file, which the word "-c options=@" names. What is accepted goes on to geometry policy, on a disk
 * with a size of which the length of the input decides, and what policy accepts is shown.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xx/context.h>
#include <xx/units.h>
#include <xx/xfs_geometry.h>

#include "mkfs/xfs_geometry.h"
#include "mkfs/xfs_options.h"
#include "mkfs/xfs_report.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_WORDS 64

/* What lives as long as the fuzzer. */
static struct {
	int config; /* a file in memory */
	size_t config_length;
	char config_option[64]; /* "options=PATH" of it */
	FILE *nowhere;
	unsigned errors; /* messages of the present input */
	struct xx_ctx *ctx;
} fuzz;

static void count_errors(enum xx_level level, const char *text, void *private)
{
	unsigned newlines = 0;

	(void)private;
	assert(text[0] != '\0');
	fuzz.errors += level == XX_ERROR;
	for (; *text; text++)
		newlines += *text == '\n';
	assert(newlines <= 1);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz.config = memfd_create("config", MFD_CLOEXEC);
	fuzz.nowhere = fopen("/dev/null", "w");
	if (fuzz.config < 0 || !fuzz.nowhere || !freopen("/dev/null", "w", stdout))
		abort();
	snprintf(fuzz.config_option, sizeof(fuzz.config_option), "options=/proc/self/fd/%d", fuzz.config);
	if (xx_ctx_create(count_errors, NULL, &fuzz.ctx) != 0)
		abort();
	return 0;
}

static void write_config(const char *text)
{
	size_t length = strlen(text);

	if (length == 0 && fuzz.config_length == 0)
		return;
	fuzz.config_length = length;
	if (ftruncate(fuzz.config, 0) != 0 || pwrite(fuzz.config, text, length, 0) != (ssize_t)length)
		abort();
}

/* Takes the words off the text, up to an empty line; the rest is what the configuration file has. */
static int split(char *text, char *argv[MAX_WORDS])
{
	int argc = 0;

	argv[argc++] = (char *)(uintptr_t) "mkfs.xx";
	while (*text != '\0' && *text != '\n' && argc < MAX_WORDS - 1) {
		argv[argc++] = text;
		text += strcspn(text, "\n");
		if (*text != '\0')
			*text++ = '\0';
	}
	argv[argc] = NULL;
	if (*text == '\n')
		write_config(text + 1);
	return argc;
}

/* A configuration file is only ever our own: another path could be a FIFO, or a terminal. */
static bool name_config(int argc, char *argv[])
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "options=@") == 0)
			argv[i] = fuzz.config_option;
		else if (strstr(argv[i], "options="))
			return false;
	}
	return true;
}

/* Volumes of this size, with sectors and stripes of some kind. */
static struct mkfs_volume volume(size_t kind, bool present)
{
	struct mkfs_volume volume = { .present = present, .size = XX_MIB << (kind % 44), .logical_sector = 512 };

	volume.physical_sector = kind % 3 == 0 ? 4096 : 512;
	volume.min_io = kind % 5 == 0 ? 65536 : 0;
	volume.opt_io = kind % 5 == 0 ? 262144 : 0;
	return volume;
}

static void decide(struct mkfs_xfs_options *opt, size_t kind)
{
	const struct mkfs_topology topo = {
		.data = volume(kind, true),
		.log = volume(kind + 3, opt->log_name != NULL),
		.rt = volume(kind + 1, opt->rt_name != NULL),
		.cpus = 4,
	};
	struct xx_xfs_geometry geo;

	if (mkfs_xfs_geometry(fuzz.ctx, opt, &topo, &geo) != 0) {
		assert(fuzz.errors == 1);
		return;
	}
	assert(fuzz.errors == 0);
	assert(geo.ag_count > 0);
	assert((uint64_t)geo.ag_count * geo.ag_blocks >= geo.data_blocks);
	assert((uint64_t)(geo.ag_count - 1) * geo.ag_blocks < geo.data_blocks);
	assert(!geo.log_internal || (geo.log_ag < geo.ag_count && geo.log_blocks < geo.ag_blocks));
	assert(mkfs_xfs_report(fuzz.nowhere, opt, &geo) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mkfs_xfs_options opt;
	char *argv[MAX_WORDS], *text;
	int argc, ret;

	text = strndup((const char *)data, size);
	if (!text)
		return 0;
	write_config("");
	argc = split(text, argv);
	if (name_config(argc, argv)) {
		fuzz.errors = 0;
		ret = mkfs_xfs_parse(fuzz.ctx, argc, argv, &opt);
		assert(fuzz.errors == (ret < 0));
		if (ret == 0)
			decide(&opt, size);
		mkfs_xfs_options_release(&opt);
	}
	free(text);
	return 0;
}
