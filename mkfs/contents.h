/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contents.h - what a new XFS has besides its groups: a chunk of inodes with the root directory, the bitmap and the
 * summary of a realtime section, and the first record of the log.
 */
#ifndef MKFS_CONTENTS_H
#define MKFS_CONTENTS_H

#include "mkfs/batch.h"

struct xx_xfs_new;

/* Writes that the contents take without a realtime section: more slots than groups and these are of no use. */
#define MKFS_CONTENTS_WRITES 16

/* The least buffer of a batch that writes groups and contents. */
size_t mkfs_contents_bytes(const struct xx_xfs_new *fs);

/* What lies on the data device, in a batch with such buffers. */
int mkfs_contents_write(struct mkfs_batch *batch, const struct xx_xfs_new *fs) __attribute__((warn_unused_result));

/* What lies on other devices: an external log; the end of a realtime device, so that one that lies fails now. */
int mkfs_contents_write_others(struct mkfs_run *run) __attribute__((warn_unused_result));

#endif
