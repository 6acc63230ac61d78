/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_raid.h - the mathematics of RAID5 and RAID6. P is the exclusive or of the data, Q the sum of 2^k D_k over
 * GF(2^8) with the polynomial 0x11d, k counting the data in logical order.
 *
 * A row is an array of pointers: data 0 to data - 1, then P, then (with two parities) Q, all of @length bytes, a
 * multiple of 32, at addresses that are a multiple of 32. Data: 1 to XX_BTRFS_RAID_DATA_MAX. With RAID5 of one data
 * element P equals it; with RAID6 P and Q both do. -EINVAL for anything else.
 *
 * All functions may be called from several threads.
 */
#ifndef XX_BTRFS_RAID_H
#define XX_BTRFS_RAID_H

#include <stddef.h>
#include <xx/compiler.h>

#define XX_BTRFS_RAID_DATA_MAX 253
#define XX_BTRFS_RAID_ALIGN    32

/* Compute P and, with two parities, Q, from the data. */
XX_API XX_MUST_CHECK int xx_btrfs_raid_generate(unsigned data, unsigned parities, void *const *row, size_t length);

/*
 * Rebuild the elements whose numbers are in @lost (ascending, at most as many as there are parities) from all others. What
 * the lost ones' buffers hold is overwritten. Whether the others were right is for the caller to know.
 */
XX_API XX_MUST_CHECK int xx_btrfs_raid_recover(unsigned data, unsigned parities, void *const *row, const unsigned *lost,
					       unsigned lost_count, size_t length);

#endif
