/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ref_data.c - from a range of data to the parts of files in all trees; and whether it may be without checksums.
 */
#include <errno.h>
#include <stdlib.h>

#include "btrfs/fs.h"
#include "btrfs/item.h"
#include "btrfs/ref.h"

void xx_btrfs_file_list_release(struct xx_btrfs_file_list *list)
{
	free(list->ranges);
	*list = (struct xx_btrfs_file_list){ 0 };
}

/* --- Parts of files --- */

/* The part of a file that depends on [@logical, @logical + @length). */
static bool make_range(const struct xx_btrfs_file_extent *file, uint64_t logical, uint64_t length,
		       struct xx_btrfs_file_range *range)
{
	uint64_t from, to;

	if (!xx_btrfs_file_part(file, logical, length, &from, &to))
		return false;
	range->compressed = file->compression != 0;
	range->prealloc = file->type == BTRFS_FILE_EXTENT_PREALLOC;
	range->offset = file->file_offset;
	range->length = file->num_bytes;
	if (!range->compressed) {
		range->offset += from - file->disk_bytenr - file->offset;
		range->length = to - from;
	}
	return true;
}

static int add_range(struct xx_btrfs_file_list *list, const struct xx_btrfs_file_range *range)
{
	int ret = xx_btrfs_grow(&list->ranges, list->count, &list->room, sizeof(*list->ranges));

	if (ret == 0)
		list->ranges[list->count++] = *range;
	return ret;
}

/* The item of a leaf, in each tree that reaches the leaf. */
static int add_hit(struct xx_btrfs_file_list *list, const struct xx_btrfs_hit *hit, const struct xx_btrfs_reach *reach,
		   uint64_t logical, uint64_t length)
{
	struct xx_btrfs_file_range range = { .inode = hit->inode };
	int ret = 0;

	if (!make_range(&hit->file, logical, length, &range))
		return 0;
	for (size_t i = 0; ret == 0 && i < reach->count; i++) {
		range.subvolume = reach->roots[i];
		ret = add_range(list, &range);
	}
	return ret;
}

static int add_hits(struct xx_btrfs_resolver *resolver, const struct xx_btrfs_hits *hits,
		    struct xx_btrfs_file_list *list, uint64_t logical, uint64_t length)
{
	const struct xx_btrfs_reach *reach;
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < hits->count; i++) {
		ret = xx_btrfs_reach_find(resolver, hits->hits[i].leaf, &reach);
		if (ret == -ENOMEM)
			break;
		if (ret) {
			list->incomplete = true;
			ret = 0;
			continue;
		}
		list->incomplete |= reach->incomplete;
		ret = add_hit(list, &hits->hits[i], reach, logical, length);
	}
	list->incomplete |= hits->incomplete;
	return ret;
}

static int add_log(const struct xx_btrfs_log *log, struct xx_btrfs_file_list *list, uint64_t logical, uint64_t length)
{
	int ret = 0;

	for (size_t i = xx_btrfs_log_extent_from(log, logical); ret == 0 && i < log->extent_count; i++) {
		const struct xx_btrfs_log_extent *extent = &log->extents[i];
		struct xx_btrfs_file_range range = {
			.subvolume = extent->subvolume,
			.inode = extent->inode,
			.log = true,
		};

		if (extent->logical >= logical + length)
			break;
		if (make_range(&extent->file, logical, length, &range))
			ret = add_range(list, &range);
	}
	return ret;
}

/* --- Order --- */

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_place(const void *a, const void *b)
{
	const struct xx_btrfs_file_range *left = a, *right = b;

	return compare(left->subvolume, right->subvolume)   ?:
		       compare(left->inode, right->inode)   ?:
		       compare(left->offset, right->offset) ?:
		       compare(left->length, right->length) ?:
							      compare(left->log, right->log);
}

/* The log repeats what the subvolume has, when only other parts of the file have changed. */
static void drop_same(struct xx_btrfs_file_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct xx_btrfs_file_range *range = &list->ranges[i];
		const struct xx_btrfs_file_range *before = kept ? &list->ranges[kept - 1] : NULL;

		if (before && before->subvolume == range->subvolume && before->inode == range->inode &&
		    before->offset == range->offset && before->length == range->length)
			continue;
		list->ranges[kept++] = *range;
	}
	list->count = kept;
}

int xx_btrfs_resolve_data(struct xx_btrfs_resolver *resolver, uint64_t logical, uint64_t length,
			  struct xx_btrfs_file_list *list)
{
	struct xx_btrfs_hits hits = { 0 };
	int found, ret;

	list->count = 0;
	list->incomplete = false;
	if (length == 0 || !xx_btrfs_range_fits(logical, length))
		return -EINVAL;
	found = xx_btrfs_hits_read(resolver, logical, &hits);
	ret = found == -ENOMEM ? found : 0;
	list->incomplete = found != 0 && found != -ENOENT;
	if (found == 0)
		ret = add_hits(resolver, &hits, list, logical, length);
	xx_btrfs_hits_release(&hits);
	if (ret == 0)
		ret = add_log(xx_btrfs_fs_log(resolver->fs), list, logical, length);
	if (list->count > 1)
		qsort(list->ranges, list->count, sizeof(*list->ranges), by_place);
	drop_same(list);
	if (ret)
		return ret;
	return list->count ? 0 : found;
}

/* --- May a sum be absent? --- */

struct need {
	struct xx_btrfs_resolver *resolver;
	uint64_t logical;
	uint32_t count, sectorsize;
	enum xx_btrfs_sum_need *need;
};

/* Sectors that a file extent holds need what it says, unless more was asked for before. */
static void mark(struct need *need, const struct xx_btrfs_file_extent *file, enum xx_btrfs_sum_need what)
{
	const uint64_t length = (uint64_t)need->count * need->sectorsize;
	uint64_t from, to;

	if (file->type == BTRFS_FILE_EXTENT_PREALLOC || !xx_btrfs_file_part(file, need->logical, length, &from, &to))
		return;
	for (uint64_t at = from; at < to; at += need->sectorsize) {
		enum xx_btrfs_sum_need *sector = &need->need[(at - need->logical) / need->sectorsize];

		if (what == XX_BTRFS_SUM_NEEDED || *sector == XX_BTRFS_SUM_UNWRITTEN)
			*sector = what;
	}
}

/* Does the inode of a file extent have checksums? A tree of relocation copies data without. */
static int inode_need(struct need *need, const struct xx_btrfs_hit *hit, enum xx_btrfs_sum_need *what)
{
	const struct xx_btrfs_reach *reach;
	struct xx_btrfs_root_info info;
	struct xx_btrfs_inode inode;
	int ret = xx_btrfs_reach_find(need->resolver, hit->leaf, &reach);

	*what = XX_BTRFS_SUM_UNKNOWN;
	if (ret || reach->count == 0)
		return ret == -ENOMEM ? ret : 0;
	if (reach->roots[0] == BTRFS_DATA_RELOC_TREE_OBJECTID || reach->roots[0] == BTRFS_ROOT_TREE_OBJECTID) {
		*what = XX_BTRFS_SUM_NONE;
		return 0;
	}
	ret = xx_btrfs_fs_root(need->resolver->fs, reach->roots[0], &info);
	if (ret == 0)
		ret = xx_btrfs_inode_find(need->resolver->files, &info.root, hit->inode, &inode);
	if (ret == 0)
		*what = inode.nodatasum ? XX_BTRFS_SUM_NONE : XX_BTRFS_SUM_NEEDED;
	return ret == -ENOMEM ? ret : 0;
}

static int mark_hits(struct need *need, const struct xx_btrfs_hits *hits)
{
	enum xx_btrfs_sum_need what = XX_BTRFS_SUM_UNKNOWN;
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < hits->count; i++) {
		const struct xx_btrfs_hit *hit = &hits->hits[i];

		if (i == 0 || hit->leaf != hit[-1].leaf || hit->inode != hit[-1].inode)
			ret = inode_need(need, hit, &what);
		mark(need, &hit->file, what);
	}
	return ret;
}

static void mark_log(struct need *need)
{
	const struct xx_btrfs_log *log = xx_btrfs_fs_log(need->resolver->fs);
	const uint64_t end = need->logical + (uint64_t)need->count * need->sectorsize;

	for (size_t i = xx_btrfs_log_extent_from(log, need->logical); i < log->extent_count; i++) {
		const struct xx_btrfs_log_extent *extent = &log->extents[i];

		if (extent->logical >= end)
			break;
		mark(need, &extent->file, extent->nodatasum ? XX_BTRFS_SUM_NONE : XX_BTRFS_SUM_NEEDED);
	}
}

static bool log_has(const struct xx_btrfs_log *log, uint64_t logical)
{
	for (size_t i = xx_btrfs_log_extent_from(log, logical); i < log->extent_count; i++) {
		if (log->extents[i].logical > logical)
			return false;
		if (logical - log->extents[i].logical < log->extents[i].length)
			return true;
	}
	return false;
}

int xx_btrfs_resolve_sum_need(struct xx_btrfs_resolver *resolver, uint64_t logical, uint32_t count,
			      enum xx_btrfs_sum_need *need_out)
{
	struct need need = {
		.resolver = resolver,
		.logical = logical,
		.count = count,
		.sectorsize = xx_btrfs_fs_params(resolver->fs)->sectorsize,
		.need = need_out,
	};
	struct xx_btrfs_hits hits = { 0 };
	enum xx_btrfs_sum_need rest;
	int ret;

	if (count == 0 || logical % need.sectorsize != 0 ||
	    !xx_btrfs_range_fits(logical, (uint64_t)count * need.sectorsize))
		return -EINVAL;
	ret = xx_btrfs_hits_read(resolver, logical, &hits);
	if (ret == -ENOENT && log_has(xx_btrfs_fs_log(resolver->fs), logical))
		ret = 0;
	if (ret)
		return ret;
	rest = hits.incomplete ? XX_BTRFS_SUM_UNKNOWN : XX_BTRFS_SUM_UNWRITTEN;
	for (uint32_t i = 0; i < count; i++)
		need_out[i] = XX_BTRFS_SUM_UNWRITTEN;
	ret = mark_hits(&need, &hits);
	mark_log(&need);
	for (uint32_t i = 0; i < count; i++)
		need_out[i] = need_out[i] == XX_BTRFS_SUM_UNWRITTEN ? rest : need_out[i];
	xx_btrfs_hits_release(&hits);
	return ret;
}
