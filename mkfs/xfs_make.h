/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_make.h - what mkfs.xx does once it knows what the user wants.
 */
#ifndef MKFS_XFS_MAKE_H
#define MKFS_XFS_MAKE_H

struct mkfs_xfs_options;
struct xx_ctx;

/*
 * Makes the file system: looks at the devices, decides on the geometry, shows it on stdout (unless opt->quiet, but
 * always with opt->dry_run, after which nothing more is done), and writes. 0, or a negative errno with one message.
 */
int mkfs_xfs_make(struct xx_ctx *ctx, struct mkfs_xfs_options *opt) __attribute__((warn_unused_result));

#endif
