/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_sum.h - checksums of data, a whole range in one search.
 *
 * The sums of the log come first where both have one: that is what replaying it would do.
 */
#ifndef XX_BTRFS_SUM_H
#define XX_BTRFS_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xx/bitmap.h>
#include <xx/btrfs_extent.h>
#include <xx/btrfs_fs.h>
#include <xx/compiler.h>

/* Sums of a range of sectors. Made once for the longest range, used for many. */
struct xx_btrfs_sums {
	uint64_t logical; /* of the first sector */
	uint32_t count; /* of sectors of the present range */
	uint32_t sectorsize, sum_size; /* bytes */
	uint8_t *sums; /* sum_size bytes for each sector; valid where `present` is set */
	struct xx_bitmap *present; /* there is a sum; bits from `count` on are clear */
	struct xx_bitmap *unknown; /* there may be one in a dead block; never with `present` */
	uint64_t bad; /* items that made no sense, or gave a sector a second sum */

	uint32_t room; /* sectors that it was made for */
};

/* For ranges up to @sectors sectors. 0, -EINVAL (0 sectors, or over 2^24), -ENOMEM. */
XX_API XX_MUST_CHECK int xx_btrfs_sums_create(const struct xx_btrfs_fs *fs, uint32_t sectors,
					      struct xx_btrfs_sums **out);
XX_API void xx_btrfs_sums_destroy(struct xx_btrfs_sums *sums);

/* The sum of sector @index, or NULL when there is none. */
static inline const uint8_t *xx_btrfs_sums_get(const struct xx_btrfs_sums *sums, uint32_t index)
{
	if (index >= sums->count || !xx_bitmap_test(sums->present, index))
		return NULL;
	return sums->sums + (size_t)index * sums->sum_size;
}

/* A place in the checksum tree, which remembers the leaf. */
struct xx_btrfs_sum_cursor;

XX_API XX_MUST_CHECK int xx_btrfs_sum_cursor_create(struct xx_btrfs_fs *fs, struct xx_btrfs_sum_cursor **out);
XX_API void xx_btrfs_sum_cursor_destroy(struct xx_btrfs_sum_cursor *cursor);

/*
 * The sums of @count sectors from @logical, a multiple of the sector size, on. 0, -EINVAL (alignment, more than @sums has
 * room for, past 2^63), -ENOMEM. Without a checksum tree all that the log does not have is unknown; a tree that is empty
 * has no sums.
 */
XX_API XX_MUST_CHECK int xx_btrfs_sum_cursor_read(struct xx_btrfs_sum_cursor *cursor, uint64_t logical, uint32_t count,
						  struct xx_btrfs_sums *sums);

/*
 * The first range with sums at or behind @from (it begins there, or later), items that touch taken together up to @limit bytes: 1, or 0 when
 * there is none. For finding sums of what is not allocated. What is dead is passed over.
 */
XX_API XX_MUST_CHECK int xx_btrfs_sum_cursor_find(struct xx_btrfs_sum_cursor *cursor, uint64_t from, uint64_t limit,
						  struct xx_btrfs_range *out);

#endif
