/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extent.c - what a logical range holds: extents of the extent tree and of the log, and where they are not known.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xx/btrfs_extent.h>

#include "btrfs/fs.h"
#include "btrfs/item.h"

struct xx_btrfs_extent_cursor {
	struct xx_btrfs_fs *fs;
	struct xx_btrfs_iter *iter;
	struct xx_btrfs_root root;
	bool has_root;

	/* The read that is under way. */
	struct xx_btrfs_extent_list *list;
	struct xx_btrfs_extent_entry *dead; /* blocks of the extent tree */
	size_t dead_count, dead_room;
	uint64_t start, end;
	bool hidden; /* from `hidden_from` on, up to the next extent, there may be some that are not known */
	uint64_t hidden_from;
	int error; /* from within a callback */

	/* Where the last read ended, and the extent that reached over that end. */
	uint64_t tail_at;
	bool has_tail;
	struct xx_btrfs_extent_entry tail;
};

void xx_btrfs_extent_list_release(struct xx_btrfs_extent_list *list)
{
	free(list->entries);
	free(list->unknown);
	*list = (struct xx_btrfs_extent_list){ 0 };
}

/* --- Filling the list --- */

static uint64_t entry_end(const struct xx_btrfs_extent_entry *entry)
{
	return entry->logical + entry->length;
}

static int append(struct xx_btrfs_extent_list *list, const struct xx_btrfs_extent_entry *entry)
{
	int ret = xx_btrfs_grow(&list->entries, list->count, &list->entries_room, sizeof(*list->entries));

	if (ret == 0)
		list->entries[list->count++] = *entry;
	return ret;
}

/* From @from to before @to something may be that is not known; what is known ends at @from or before. */
static int append_unknown(struct xx_btrfs_extent_cursor *cursor, uint64_t from, uint64_t to)
{
	struct xx_btrfs_extent_list *list = cursor->list;
	struct xx_btrfs_range *last = list->unknown_count ? &list->unknown[list->unknown_count - 1] : NULL;
	int ret;

	if (from < cursor->start)
		from = cursor->start;
	if (list->count && entry_end(&list->entries[list->count - 1]) > from)
		from = entry_end(&list->entries[list->count - 1]);
	if (to > cursor->end)
		to = cursor->end;
	if (last && from < last->logical + last->length)
		from = last->logical + last->length;
	if (from >= to)
		return 0;
	if (last && last->logical + last->length == from) {
		last->length += to - from;
		return 0;
	}
	ret = xx_btrfs_grow(&list->unknown, list->unknown_count, &list->unknown_room, sizeof(*list->unknown));
	if (ret == 0)
		list->unknown[list->unknown_count++] = (struct xx_btrfs_range){ from, to - from };
	return ret;
}

/* A dead block is one all the same, also where only it could tell that it is there. */
static int add_dead(struct xx_btrfs_extent_cursor *cursor, const struct xx_btrfs_lost *lost)
{
	int ret = xx_btrfs_grow(&cursor->dead, cursor->dead_count, &cursor->dead_room, sizeof(*cursor->dead));

	if (ret == 0)
		cursor->dead[cursor->dead_count++] = (struct xx_btrfs_extent_entry){
			.logical = lost->logical,
			.length = xx_btrfs_fs_params(cursor->fs)->nodesize,
			.generation = lost->generation,
			.tree = true,
			.level = lost->level,
			.has_level = true,
			.owner = BTRFS_EXTENT_TREE_OBJECTID,
		};
	return ret;
}

static void hide(void *private, const struct xx_btrfs_lost *lost)
{
	struct xx_btrfs_extent_cursor *cursor = private;

	if (!cursor->error)
		cursor->error = add_dead(cursor, lost);

	if (!cursor->hidden || lost->first.objectid < cursor->hidden_from)
		cursor->hidden_from = lost->first.objectid;
	cursor->hidden = true;
}

/* What was hidden ends where the next extent begins, at the latest. */
static int reveal(struct xx_btrfs_extent_cursor *cursor, uint64_t to)
{
	if (!cursor->hidden)
		return 0;
	cursor->hidden = false;
	return append_unknown(cursor, cursor->hidden_from, to);
}

/* A tree that refers to the extent directly, from the first inline reference that says so. */
static uint64_t first_owner(const struct xx_btrfs_extent *extent)
{
	struct xx_btrfs_extent_ref ref;
	uint32_t pos = 0;

	while (xx_btrfs_extent_ref_next(extent, &pos, &ref) > 0) {
		if (ref.type == BTRFS_TREE_BLOCK_REF_KEY)
			return ref.root;
	}
	return 0;
}

static int take_item(struct xx_btrfs_extent_cursor *cursor, const struct xx_btrfs_item *item)
{
	struct xx_btrfs_extent_list *list = cursor->list;
	struct xx_btrfs_extent_entry entry;
	struct xx_btrfs_extent extent;

	if (item->key.type != BTRFS_EXTENT_ITEM_KEY && item->key.type != BTRFS_METADATA_ITEM_KEY)
		return 0;
	if (xx_btrfs_extent_parse(item, xx_btrfs_fs_params(cursor->fs)->nodesize, &extent) != 0) {
		list->bad++;
		return 0;
	}
	if (extent.logical + extent.length <= cursor->start)
		return 0;
	if (list->count && extent.logical < entry_end(&list->entries[list->count - 1])) {
		list->bad++;
		return 0;
	}
	entry = (struct xx_btrfs_extent_entry){
		.logical = extent.logical,
		.length = extent.length,
		.generation = extent.generation,
		.tree = extent.tree,
		.level = extent.level,
		.has_level = extent.tree,
		.owner = extent.tree ? first_owner(&extent) : 0,
	};
	return reveal(cursor, entry.logical) ?: append(list, &entry);
}

/* --- The tree --- */

int xx_btrfs_extent_seek(struct xx_btrfs_iter *iter, const struct xx_btrfs_root *root, uint64_t logical,
			 const struct xx_btrfs_key *last)
{
	struct xx_btrfs_key at = { logical, BTRFS_METADATA_ITEM_KEY, UINT64_MAX };
	const struct xx_btrfs_key behind = xx_btrfs_key_next(at);
	struct xx_btrfs_item item;
	int ret;

	for (;;) {
		xx_btrfs_iter_seek_before(iter, root, &at, last);
		ret = xx_btrfs_iter_next(iter, &item);
		if (ret < 0)
			return ret;
		if (ret == 0 || xx_btrfs_key_compare(item.key, at) > 0) {
			xx_btrfs_iter_seek(iter, root, &behind, last);
			return 0;
		}
		if (item.key.type == BTRFS_EXTENT_ITEM_KEY || item.key.type == BTRFS_METADATA_ITEM_KEY) {
			xx_btrfs_iter_seek(iter, root, &item.key, last);
			return 0;
		}
		/* References and block groups stand behind the extent item of their address, or without one. */
		at = (struct xx_btrfs_key){ item.key.objectid, BTRFS_METADATA_ITEM_KEY, UINT64_MAX };
		if (item.key.type < BTRFS_METADATA_ITEM_KEY)
			at = xx_btrfs_key_prev((struct xx_btrfs_key){ item.key.objectid, 0, 0 });
	}
}

/* Begin with the extent that reaches into the range from before; after a range that ended here it is known. */
static int begin(struct xx_btrfs_extent_cursor *cursor, const struct xx_btrfs_key *last)
{
	const struct xx_btrfs_key first = { cursor->start, 0, 0 };

	if (cursor->tail_at != cursor->start)
		return xx_btrfs_extent_seek(cursor->iter, &cursor->root, cursor->start, last);
	xx_btrfs_iter_seek(cursor->iter, &cursor->root, &first, last);
	return cursor->has_tail ? append(cursor->list, &cursor->tail) : 0;
}

static int read_tree(struct xx_btrfs_extent_cursor *cursor)
{
	const struct xx_btrfs_key last = { cursor->end - 1, UINT8_MAX, UINT64_MAX };
	struct xx_btrfs_item item;
	int ret = begin(cursor, &last);

	while (ret == 0 && (ret = xx_btrfs_iter_next(cursor->iter, &item)) > 0)
		ret = take_item(cursor, &item) ?: cursor->error;
	return ret ?: cursor->error ?: reveal(cursor, cursor->end);
}

/* --- The log --- */

/* Does anything that is known already overlap the entry? */
static bool overlaps(const struct xx_btrfs_extent_entry *entries, size_t count,
		     const struct xx_btrfs_extent_entry *entry)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (entry_end(&entries[middle]) <= entry->logical)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && entries[low].logical < entry_end(entry);
}

/* An entry that does not come from the tree, unless the tree has it: @known are the entries of the tree. */
static int add_entry(struct xx_btrfs_extent_cursor *cursor, size_t known, const struct xx_btrfs_extent_entry *entry)
{
	struct xx_btrfs_extent_list *list = cursor->list;

	if (entry->logical >= cursor->end || entry_end(entry) <= cursor->start)
		return 0;
	if (overlaps(list->entries, known, entry))
		return 0;
	return append(list, entry);
}

static int add_log_data(struct xx_btrfs_extent_cursor *cursor, size_t known)
{
	const struct xx_btrfs_log *log = xx_btrfs_fs_log(cursor->fs);
	int ret = 0;

	for (size_t i = xx_btrfs_log_extent_from(log, cursor->start); ret == 0 && i < log->extent_count; i++) {
		const struct xx_btrfs_log_extent *extent = &log->extents[i];
		const struct xx_btrfs_extent_entry entry = {
			.logical = extent->logical,
			.length = extent->length,
			.generation = extent->file.generation,
			.log = true,
		};

		if (extent->logical >= cursor->end)
			break;
		ret = add_entry(cursor, known, &entry);
	}
	return ret;
}

static int add_log_blocks(struct xx_btrfs_extent_cursor *cursor, size_t known)
{
	const uint32_t nodesize = xx_btrfs_fs_params(cursor->fs)->nodesize;
	const struct xx_btrfs_log *log = xx_btrfs_fs_log(cursor->fs);
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < log->block_count; i++) {
		const struct xx_btrfs_log_block *block = &log->blocks[i];
		const struct xx_btrfs_extent_entry entry = {
			.logical = block->logical,
			.length = nodesize,
			.generation = block->generation,
			.tree = true,
			.log = true,
			.level = block->level,
			.has_level = true,
			.owner = BTRFS_TREE_LOG_OBJECTID,
		};

		if (xx_btrfs_range_fits(block->logical, nodesize))
			ret = add_entry(cursor, known, &entry);
	}
	return ret;
}

static int add_dead_blocks(struct xx_btrfs_extent_cursor *cursor, size_t known)
{
	const struct xx_btrfs_params *params = xx_btrfs_fs_params(cursor->fs);
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < cursor->dead_count; i++) {
		const struct xx_btrfs_extent_entry *entry = &cursor->dead[i];

		if (entry->logical % params->sectorsize == 0 && xx_btrfs_range_fits(entry->logical, entry->length))
			ret = add_entry(cursor, known, entry);
	}
	return ret;
}

static int by_address(const void *a, const void *b)
{
	const struct xx_btrfs_extent_entry *left = a, *right = b;

	return left->logical < right->logical ? -1 : left->logical > right->logical;
}

/* Entries of the log may be there several times, one for each file extent; dead blocks, for each time they were met. */
static void drop_overlapping(struct xx_btrfs_extent_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct xx_btrfs_extent_entry *entry = &list->entries[i];
		const struct xx_btrfs_extent_entry *before = kept ? &list->entries[kept - 1] : NULL;

		if (before && entry->logical < entry_end(before)) {
			list->bad += entry->logical != before->logical || entry->length != before->length;
			continue;
		}
		list->entries[kept++] = *entry;
	}
	list->count = kept;
}

static int read_rest(struct xx_btrfs_extent_cursor *cursor)
{
	struct xx_btrfs_extent_list *list = cursor->list;
	const size_t known = list->count;
	int ret = add_log_data(cursor, known) ?: add_log_blocks(cursor, known) ?: add_dead_blocks(cursor, known);

	if (ret || list->count == known)
		return ret;
	qsort(list->entries, list->count, sizeof(*list->entries), by_address);
	drop_overlapping(list);
	return 0;
}

/* --- The cursor --- */

int xx_btrfs_extent_cursor_create(struct xx_btrfs_fs *fs, struct xx_btrfs_extent_cursor **out)
{
	struct xx_btrfs_extent_cursor *cursor = calloc(1, sizeof(*cursor));
	struct xx_btrfs_root_info info;
	int ret;

	if (!cursor)
		return -ENOMEM;
	cursor->fs = fs;
	cursor->tail_at = UINT64_MAX;
	ret = xx_btrfs_fs_root(fs, BTRFS_EXTENT_TREE_OBJECTID, &info);
	cursor->has_root = ret == 0 && info.root.bytenr != 0;
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

void xx_btrfs_extent_cursor_destroy(struct xx_btrfs_extent_cursor *cursor)
{
	if (!cursor)
		return;
	xx_btrfs_iter_destroy(cursor->iter);
	free(cursor->dead);
	free(cursor);
}

/* Remember what the next read, if it begins where this one ended, need not look for. */
static void keep_tail(struct xx_btrfs_extent_cursor *cursor, bool hidden)
{
	const struct xx_btrfs_extent_list *list = cursor->list;
	const struct xx_btrfs_extent_entry *last = list->count ? &list->entries[list->count - 1] : NULL;

	cursor->has_tail = last && entry_end(last) > cursor->end && !last->log;
	if (cursor->has_tail)
		cursor->tail = *last;
	cursor->tail_at = hidden ? UINT64_MAX : cursor->end;
}

int xx_btrfs_extent_cursor_read(struct xx_btrfs_extent_cursor *cursor, uint64_t logical, uint64_t length,
				struct xx_btrfs_extent_list *list)
{
	int ret;

	if (length == 0 || !xx_btrfs_range_fits(logical, length))
		return -EINVAL;
	list->count = list->unknown_count = list->bad = 0;
	cursor->dead_count = 0;
	cursor->list = list;
	cursor->start = logical;
	cursor->end = logical + length;
	cursor->hidden = false;
	cursor->error = 0;
	ret = cursor->has_root ? read_tree(cursor) : append_unknown(cursor, cursor->start, cursor->end);
	if (ret == 0) {
		keep_tail(cursor, list->unknown_count > 0);
		ret = read_rest(cursor);
	}
	if (ret)
		cursor->tail_at = UINT64_MAX;
	return ret;
}
