/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * item.h - what the parsers of items share. Inner header of libfs/btrfs.
 */
#ifndef LIBFS_BTRFS_ITEM_H
#define LIBFS_BTRFS_ITEM_H

#include <stdbool.h>
#include <stdint.h>

/* Addresses and lengths, and their sums, stay below this. */
#define XX_BTRFS_ADDRESS_END (UINT64_C(1) << 63)

/* Does a range of @length bytes end at or below the limit? */
static inline bool xx_btrfs_range_fits(uint64_t start, uint64_t length)
{
	return start < XX_BTRFS_ADDRESS_END && length <= XX_BTRFS_ADDRESS_END - start;
}

#endif
