/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_fixture.h - a whole making of an XFS on a device in memory, for tests: what main does, without the devices.
 */
#ifndef MKFS_FIXTURE_H
#define MKFS_FIXTURE_H

#include <xx/device.h>
#include <xx/random.h>
#include <xx/ring.h>
#include <xx/xfs_geometry.h>

#include "mkfs/run.h"

struct mkfs_fixture {
	struct xx_ctx *ctx;
	struct xx_random random;
	struct xx_xfs_geometry geo;
	struct mkfs_run run;
	char message[1024]; /* the last error */
	unsigned messages; /* how many errors were made */
};

/*
 * A run that makes an XFS on @dev with these options of mkfs.xx (NULL-terminated, without the device), over what the
 * probe of a file would find: @probe, which the fixture takes over. Exits when that cannot be set up.
 */
void mkfs_fixture_init(struct mkfs_fixture *fixture, struct xx_device *dev, enum xx_engine_id engine,
		       const struct mkfs_probe *probe, const char *const options[]);

/* Frees all but the device. */
void mkfs_fixture_release(struct mkfs_fixture *fixture);

/* A probe for a device in memory: its ends, and an old XFS with its signature. */
struct mkfs_probe mkfs_fixture_probe(struct xx_device *dev);

#endif
