/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch.h - what a worker puts aside while it works on a group: one piece of memory, cut as follows.
 */
#ifndef SCRUB_SCRATCH_H
#define SCRUB_SCRATCH_H

#include <xx/btrfs_format.h>

/* One element: what P, and what Q should be; a sector, or a block that is being rebuilt. */
#define SCRUB_SCRATCH_P	    0
#define SCRUB_SCRATCH_Q	    BTRFS_STRIPE_LEN
#define SCRUB_SCRATCH_BLOCK (2 * BTRFS_STRIPE_LEN)
/* For what else is lost while one sector is rebuilt: an element for each that may be. */
#define SCRUB_SCRATCH_LOST (3 * BTRFS_STRIPE_LEN)
/* Pointers to the elements of a row. */
#define SCRUB_SCRATCH_ROW (5 * BTRFS_STRIPE_LEN)

#define SCRUB_SCRATCH_BYTES(lanes) (SCRUB_SCRATCH_ROW + ((lanes) * sizeof(void *) + 4095) / 4096 * 4096)

#endif
