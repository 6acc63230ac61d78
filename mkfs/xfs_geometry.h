/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Geometry policy: from what the user asked for and what the devices are to the geometry of the file system.
 *
 * The decisions, roundings, refusals and warnings are those of mkfs.xfs 6.1 (mkfs/xfs_mkfs.c:main, from
 * validate_blocksize on), the default features those of 6.13, and no default depends on the machine it runs on.
 *
 * Otherwise than 6.1, which prints a geometry for these but then fails, or makes what no kernel mounts: refused are
 * more groups than the rounding to the stripe unit leaves (agcount), a log that does not fit into a short last group,
 * a realtime device of less than one extent, a stripe of 2 GiB and more; an external log is rounded down to its
 * device; -l file and -r file with a size may name a file that is not there yet. Version 4 (crc=0) is refused.
 */
#ifndef MKFS_XFS_GEOMETRY_H
#define MKFS_XFS_GEOMETRY_H

#include "mkfs/topology.h"
#include "mkfs/xfs_options.h"

struct xx_ctx;
struct xx_xfs_geometry;

/*
 * Decides on the geometry, and derives the rest of it. @geo needs no preparation; its UUID is the one that was asked
 * for, else zeros, which the caller replaces. Values of @opt with the suffix s are worked out on the way (see
 * mkfs_xfs_options_set_sector()), nothing else of it changes.
 *
 * Pure: no device, file, clock or environment is looked at; the same arguments give the same geometry.
 *
 * 0, or -EINVAL with one error made. Warnings (XX_WARNING) may come before.
 */
int mkfs_xfs_geometry(struct xx_ctx *ctx, struct mkfs_xfs_options *opt, const struct mkfs_topology *topo,
		      struct xx_xfs_geometry *geo) __attribute__((warn_unused_result));

#endif
