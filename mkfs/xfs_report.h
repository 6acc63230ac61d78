/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_report.h - shows the geometry of an XFS, to people and to programs.
 */
#ifndef MKFS_XFS_REPORT_H
#define MKFS_XFS_REPORT_H

#include <stdio.h>

#include <xx/compiler.h>

struct mkfs_xfs_options;
struct xx_xfs_geometry;

/*
 * Writes the geometry: the ten lines of mkfs.xfs 6.1 byte for byte (with exchange= and parent= as 6.10 shows them, if
 * one of these features is on), or with opt->json one JSON object and a newline. opt is asked for the names of the
 * devices only. Knows nothing of -q. geo is derived. 0, -ENOMEM, or -EIO when out cannot be written.
 */
XX_MUST_CHECK int mkfs_xfs_report(FILE *out, const struct mkfs_xfs_options *opt, const struct xx_xfs_geometry *geo);

#endif
