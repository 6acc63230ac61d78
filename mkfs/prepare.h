/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prepare.h - opens what the user named, looks at it, and makes files what they have to be.
 */
#ifndef MKFS_PREPARE_H
#define MKFS_PREPARE_H

#include "mkfs/run.h"
#include "mkfs/topology.h"
#include "mkfs/xfs_options.h"

/*
 * Opens the devices and files that exist (with -N for reading only), fills @topo in and refuses what is in use or,
 * without -f, holds something. Nothing is changed, and nothing is made. 0 or a negative errno with a message.
 */
int mkfs_prepare_look(struct mkfs_run *run, const struct mkfs_xfs_options *opt, struct mkfs_topology *topo)
	__attribute__((warn_unused_result));

/*
 * The geometry is known: makes, truncates and grows files. 0 or a negative errno with a message.
 */
int mkfs_prepare_settle(struct mkfs_run *run) __attribute__((warn_unused_result));

/* Closes everything. The first error of closing (of a late write), with a message. */
int mkfs_prepare_close(struct mkfs_run *run);

#endif
