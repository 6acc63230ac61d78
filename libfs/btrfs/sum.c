/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sum.c - the checksums of a range of sectors, from the checksum tree and from the log.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xx/btrfs_sum.h>

#include "btrfs/fs.h"
#include "btrfs/item.h"

#define SECTORS_MAX (UINT32_C(1) << 24)

struct xx_btrfs_sum_cursor {
	struct xx_btrfs_fs *fs;
	struct xx_btrfs_iter *iter;
	struct xx_btrfs_root root;
	bool has_root;

	/* The read that is under way. */
	bool hidden; /* from `hidden_from` on, up to the next item, there may be sums that are not known */
	uint64_t hidden_from;
};

int xx_btrfs_sums_create(const struct xx_btrfs_fs *fs, uint32_t sectors, struct xx_btrfs_sums **out)
{
	const struct xx_btrfs_params *params = xx_btrfs_fs_params(fs);
	struct xx_btrfs_sums *sums;
	int ret = 0;

	if (sectors == 0 || sectors > SECTORS_MAX)
		return -EINVAL;
	sums = calloc(1, sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	sums->sectorsize = params->sectorsize;
	sums->sum_size = params->sum_size;
	sums->room = sectors;
	sums->sums = malloc((size_t)sectors * params->sum_size);
	if (!sums->sums)
		ret = -ENOMEM;
	if (ret == 0)
		ret = xx_bitmap_create(sectors, &sums->present);
	if (ret == 0)
		ret = xx_bitmap_create(sectors, &sums->unknown);
	if (ret) {
		xx_btrfs_sums_destroy(sums);
		return ret;
	}
	*out = sums;
	return 0;
}

void xx_btrfs_sums_destroy(struct xx_btrfs_sums *sums)
{
	if (!sums)
		return;
	if (sums->present)
		xx_bitmap_destroy(sums->present);
	if (sums->unknown)
		xx_bitmap_destroy(sums->unknown);
	free(sums->sums);
	free(sums);
}

/* --- Filling in --- */

static uint64_t sums_end(const struct xx_btrfs_sums *sums)
{
	return sums->logical + (uint64_t)sums->count * sums->sectorsize;
}

/* The sectors of the range that lie in [@from, @to), which are whole sectors: the first and how many. */
static uint32_t clip(const struct xx_btrfs_sums *sums, uint64_t from, uint64_t to, uint32_t *first)
{
	if (from < sums->logical)
		from = sums->logical;
	if (to > sums_end(sums))
		to = sums_end(sums);
	if (from >= to)
		return 0;
	*first = (uint32_t)((from - sums->logical) / sums->sectorsize);
	return (uint32_t)((to - from) / sums->sectorsize);
}

/* Take the sums of a run of @count sectors over, as far as they lie in the range; false: one was there before. */
static bool put(struct xx_btrfs_sums *sums, uint64_t logical, uint32_t count, const uint8_t *bytes)
{
	const uint64_t length = (uint64_t)count * sums->sectorsize;
	uint32_t first, n = clip(sums, logical, logical + length, &first);
	uint64_t skipped;
	bool fresh;

	if (n == 0)
		return true;
	skipped = (sums->logical + (uint64_t)first * sums->sectorsize - logical) / sums->sectorsize;
	fresh = xx_bitmap_next_set(sums->present, first) >= (uint64_t)first + n;
	memcpy(sums->sums + (size_t)first * sums->sum_size, bytes + (size_t)skipped * sums->sum_size,
	       (size_t)n * sums->sum_size);
	xx_bitmap_set_range(sums->present, first, n);
	return fresh;
}

static void hide(void *private, const struct xx_btrfs_lost *lost)
{
	struct xx_btrfs_sum_cursor *cursor = private;
	const struct xx_btrfs_key first = { BTRFS_EXTENT_CSUM_OBJECTID, BTRFS_EXTENT_CSUM_KEY, 0 };
	const uint64_t from = xx_btrfs_key_compare(lost->first, first) < 0 ? 0 : lost->first.offset;

	if (!cursor->hidden || from < cursor->hidden_from)
		cursor->hidden_from = from;
	cursor->hidden = true;
}

/* What was hidden ends where the next item begins. */
static void reveal(struct xx_btrfs_sum_cursor *cursor, struct xx_btrfs_sums *sums, uint64_t to)
{
	uint32_t first, count;

	if (!cursor->hidden)
		return;
	cursor->hidden = false;
	count = clip(sums, cursor->hidden_from / sums->sectorsize * sums->sectorsize, to, &first);
	if (count > 0)
		xx_bitmap_set_range(sums->unknown, first, count);
}

static int read_tree(struct xx_btrfs_sum_cursor *cursor, struct xx_btrfs_sums *sums)
{
	const struct xx_btrfs_key first = { BTRFS_EXTENT_CSUM_OBJECTID, BTRFS_EXTENT_CSUM_KEY, sums->logical };
	const struct xx_btrfs_key last = { BTRFS_EXTENT_CSUM_OBJECTID, BTRFS_EXTENT_CSUM_KEY, sums_end(sums) - 1 };
	struct xx_btrfs_sum_item run;
	struct xx_btrfs_item item;
	int ret;

	xx_btrfs_iter_seek_before(cursor->iter, &cursor->root, &first, &last);
	while ((ret = xx_btrfs_iter_next(cursor->iter, &item)) > 0) {
		if (xx_btrfs_sum_item_parse(&item, sums->sectorsize, sums->sum_size, &run) != 0) {
			sums->bad++;
			continue;
		}
		reveal(cursor, sums, run.logical);
		if (!put(sums, run.logical, run.count, run.sums))
			sums->bad++;
	}
	reveal(cursor, sums, sums_end(sums));
	return ret;
}

static void read_log(const struct xx_btrfs_log *log, struct xx_btrfs_sums *sums)
{
	for (size_t i = 0; i < log->sum_count && log->sums[i].logical < sums_end(sums); i++)
		(void)put(sums, log->sums[i].logical, log->sums[i].count, log->sums[i].sums);
}

/* Where there is a sum after all, nothing is unknown. */
static void settle(struct xx_btrfs_sums *sums)
{
	uint64_t at = xx_bitmap_next_set(sums->unknown, 0);

	for (; at < sums->count; at = xx_bitmap_next_set(sums->unknown, at + 1)) {
		if (xx_bitmap_test(sums->present, at))
			xx_bitmap_clear(sums->unknown, at);
	}
}

/* --- The cursor --- */

int xx_btrfs_sum_cursor_create(struct xx_btrfs_fs *fs, struct xx_btrfs_sum_cursor **out)
{
	struct xx_btrfs_sum_cursor *cursor = calloc(1, sizeof(*cursor));
	struct xx_btrfs_root_info info;
	int ret;

	if (!cursor)
		return -ENOMEM;
	cursor->fs = fs;
	ret = xx_btrfs_fs_root(fs, BTRFS_CSUM_TREE_OBJECTID, &info);
	cursor->has_root = ret == 0;
	cursor->root = info.root;
	if (ret != -ENOMEM)
		ret = xx_btrfs_iter_create(xx_btrfs_fs_reader(fs), hide, cursor, &cursor->iter);
	if (ret) {
		free(cursor);
		return ret;
	}
	xx_btrfs_iter_read_ahead(cursor->iter, &XX_BTRFS_KEY_MAX);
	*out = cursor;
	return 0;
}

void xx_btrfs_sum_cursor_destroy(struct xx_btrfs_sum_cursor *cursor)
{
	if (!cursor)
		return;
	xx_btrfs_iter_destroy(cursor->iter);
	free(cursor);
}

int xx_btrfs_sum_cursor_read(struct xx_btrfs_sum_cursor *cursor, uint64_t logical, uint32_t count,
			     struct xx_btrfs_sums *sums)
{
	int ret = 0;

	if (count == 0 || count > sums->room || logical % sums->sectorsize != 0 ||
	    !xx_btrfs_range_fits(logical, (uint64_t)count * sums->sectorsize))
		return -EINVAL;
	sums->logical = logical;
	sums->count = count;
	sums->bad = 0;
	xx_bitmap_clear_range(sums->present, 0, sums->room);
	xx_bitmap_clear_range(sums->unknown, 0, sums->room);
	cursor->hidden = false;
	if (cursor->has_root)
		ret = read_tree(cursor, sums);
	else
		xx_bitmap_set_range(sums->unknown, 0, count);
	read_log(xx_btrfs_fs_log(cursor->fs), sums);
	settle(sums);
	return ret;
}

/* --- Finding ranges that have sums --- */

/* What of a run lies at or behind @from. */
static struct xx_btrfs_range behind(const struct xx_btrfs_sum_item *run, uint64_t from)
{
	const uint64_t start = run->logical > from ? run->logical : from;

	return (struct xx_btrfs_range){ start, run->logical + run->length - start };
}

int xx_btrfs_sum_cursor_find(struct xx_btrfs_sum_cursor *cursor, uint64_t from, uint64_t limit,
			     struct xx_btrfs_range *out)
{
	const struct xx_btrfs_params *params = xx_btrfs_fs_params(cursor->fs);
	const uint64_t sector = params->sectorsize;
	const struct xx_btrfs_key first = { BTRFS_EXTENT_CSUM_OBJECTID, BTRFS_EXTENT_CSUM_KEY, from };
	const struct xx_btrfs_key last = { BTRFS_EXTENT_CSUM_OBJECTID, BTRFS_EXTENT_CSUM_KEY, UINT64_MAX };
	struct xx_btrfs_sum_item run;
	struct xx_btrfs_item item;
	int ret;

	*out = (struct xx_btrfs_range){ 0 };
	if (!cursor->has_root || from >= XX_BTRFS_ADDRESS_END)
		return 0;
	from = (from + sector - 1) / sector * sector;
	xx_btrfs_iter_seek_before(cursor->iter, &cursor->root, &first, &last);
	while ((ret = xx_btrfs_iter_next(cursor->iter, &item)) > 0) {
		if (xx_btrfs_sum_item_parse(&item, params->sectorsize, params->sum_size, &run) != 0 ||
		    run.logical + run.length <= from)
			continue;
		if (out->length == 0)
			*out = behind(&run, from);
		else if (run.logical == out->logical + out->length)
			out->length += run.length;
		else
			break;
		if (out->length >= limit)
			break;
	}
	return ret < 0 ? ret : out->length > 0;
}
