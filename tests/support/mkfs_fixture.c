/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_fixture.c - sets a making of an XFS up for tests.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xx/context.h>
#include <xx/units.h>

#include "mkfs/topology.h"
#include "mkfs/xfs_geometry.h"
#include "mkfs/xfs_options.h"
#include "tests/support/mkfs_fixture.h"

#define MOST_OPTIONS 32

static void note_message(enum xx_level level, const char *text, void *private)
{
	struct mkfs_fixture *fixture = private;

	if (level != XX_ERROR)
		return;
	snprintf(fixture->message, sizeof(fixture->message), "%s", text);
	fixture->messages++;
}

static void need(const struct mkfs_fixture *fixture, int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "mkfs_fixture: %s: %s; %s\n", what, strerror(-err), fixture->message);
	exit(EXIT_FAILURE);
}

static void decide_geometry(struct mkfs_fixture *fixture, const struct xx_device_info *info,
			    const char *const options[])
{
	struct mkfs_topology topo = {
		.data = { .present = true, .is_file = true, .size = info->size },
	};
	struct mkfs_xfs_options opt;
	char *argv[MOST_OPTIONS + 3];
	int argc = 0;

	topo.data.logical_sector = info->logical_sector;
	topo.data.physical_sector = info->physical_sector;
	argv[argc++] = (char *)"mkfs.xx";
	for (size_t i = 0; options && options[i] && i < MOST_OPTIONS; i++)
		argv[argc++] = (char *)options[i];
	argv[argc++] = (char *)"memory";
	argv[argc] = NULL;
	need(fixture, mkfs_xfs_parse(fixture->ctx, argc, argv, &opt), "options");
	need(fixture, mkfs_xfs_geometry(fixture->ctx, &opt, &topo, &fixture->geo), "geometry");
	mkfs_xfs_options_release(&opt);
}

void mkfs_fixture_init(struct mkfs_fixture *fixture, struct xx_device *dev, enum xx_engine_id engine,
		       const struct mkfs_probe *probe, const char *const options[])
{
	const struct xx_ring_options ring = { .engine = engine, .depth = 16 };

	*fixture = (struct mkfs_fixture){ 0 };
	need(fixture, xx_ctx_create(note_message, fixture, &fixture->ctx), "context");
	decide_geometry(fixture, xx_device_info(dev), options);
	xx_random_init_seed(&fixture->random, 1);
	fixture->run = (struct mkfs_run){
		.ctx = fixture->ctx,
		.geo = &fixture->geo,
		.random = &fixture->random,
		.now = { .tv_sec = 1700000000 },
	};
	fixture->run.target[MKFS_DATA].name = "memory";
	fixture->run.target[MKFS_DATA].dev = dev;
	if (probe)
		fixture->run.target[MKFS_DATA].probe = *probe;
	need(fixture, xx_ring_create(fixture->ctx, &ring, &fixture->run.ring), "ring");
}

void mkfs_fixture_release(struct mkfs_fixture *fixture)
{
	xx_ring_destroy(fixture->run.ring);
	mkfs_run_release(&fixture->run);
	xx_ctx_destroy(fixture->ctx);
}

static bool is_used(struct xx_device *dev, uint64_t offset, uint8_t *buf)
{
	if (xx_device_read(dev, offset, buf, MKFS_END_BYTES))
		exit(EXIT_FAILURE);
	for (size_t i = 0; i < MKFS_END_BYTES; i++)
		if (buf[i])
			return true;
	return false;
}

struct mkfs_probe mkfs_fixture_probe(struct xx_device *dev)
{
	const uint64_t size = xx_device_info(dev)->size;
	struct mkfs_probe probe = { 0 };
	uint8_t *buf = malloc(MKFS_END_BYTES);

	if (!buf)
		exit(EXIT_FAILURE);
	probe.tail_used = is_used(dev, size - MKFS_END_BYTES, buf);
	probe.head_used = is_used(dev, 0, buf);
	probe.has_old = xx_xfs_old_parse(buf, MKFS_END_BYTES, size, &probe.old) == 0;
	if (probe.has_old) {
		probe.place = calloc(1, sizeof(*probe.place));
		if (!probe.place)
			exit(EXIT_FAILURE);
		probe.place[0].bytes = 4;
		probe.places = 1;
	}
	free(buf);
	return probe;
}
