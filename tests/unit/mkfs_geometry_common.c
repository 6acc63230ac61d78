/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of geometry policy share.
 */
#include "tests/unit/mkfs_geometry_common.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xx/context.h>

#include "mkfs/xfs_geometry.h"

#define WORDS_MAX 40

static void collect(enum xx_level level, const char *text, void *private)
{
	struct outcome *out = private;
	size_t used = strlen(out->text);

	out->errors += level == XX_ERROR;
	out->warnings += level == XX_WARNING;
	snprintf(out->text + used, sizeof(out->text) - used, "%s\n", text);
}

/* Puts the words of @args, which is changed, behind those that are there. */
static int split(char *args, char **words, int n)
{
	char *rest;

	for (char *word = strtok_r(args, " ", &rest); word && n < WORDS_MAX - 2; word = strtok_r(NULL, " ", &rest))
		words[n++] = word;
	return n;
}

void decide(const char *args, const struct mkfs_topology *topo, struct outcome *out)
{
	struct mkfs_xfs_options opt;
	struct xx_ctx *ctx;
	char *words[WORDS_MAX], program[] = "mkfs.xx", device[] = "/dev/data";
	char *copy = strdup(args);
	bool named = strstr(args, "name=data");
	int n;

	memset(out, 0, sizeof(*out));
	if (!copy || xx_ctx_create(collect, out, &ctx))
		abort();
	words[0] = program;
	n = split(copy, words, 1);
	if (!named)
		words[n++] = device;
	words[n] = NULL;
	out->error = mkfs_xfs_parse(ctx, n, words, &opt);
	if (!out->error)
		out->error = mkfs_xfs_geometry(ctx, &opt, topo, &out->geo);
	mkfs_xfs_options_release(&opt);
	xx_ctx_destroy(ctx);
	free(copy);
}

struct mkfs_topology plain_disk(uint64_t size)
{
	struct mkfs_topology topo = { .data = { .present = true, .size = size } };

	topo.data.logical_sector = topo.data.physical_sector = 512;
	topo.data.min_io = 512;
	return topo;
}

uint64_t size_of(const char *text)
{
	static const char units[] = "kmgtpe";
	char *end;
	uint64_t size = strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;

	return unit ? size << (10 * (unit - units + 1)) : size;
}

void numbers_of(const struct xx_xfs_geometry *geo, char *buf, size_t size)
{
	uint32_t log_sunit = geo->log_stripe_unit / geo->block_size;

	snprintf(buf, size, "%u %u %u %u  %u %" PRIu64 " %u %u %u  %u  %u %u %u  %u %" PRIu64 " %" PRIu64,
		 geo->inode_size, geo->ag_count, geo->ag_blocks, geo->sector_size, geo->block_size, geo->data_blocks,
		 geo->inode_max_percent, geo->stripe_unit, geo->stripe_width, geo->dir_block_size, geo->log_blocks,
		 geo->log_sector_size, log_sunit, geo->rt_extent_size * geo->block_size, geo->rt_blocks,
		 geo->rt_extents);
}
