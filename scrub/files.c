/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.c - which files the bad sectors of a group belong to: told once for each range of addresses, however many copies
 * of it are bad, with the worst that became of them.
 */
#include <errno.h>
#include <stdlib.h>

#include "scrub/engine_impl.h"

/* What became of a sector: 0, nothing is wrong with it. */
struct verdict {
	uint8_t kind, state; /* each plus 1 */
};

static void judge(struct verdict *verdict, enum scrub_kind kind, enum scrub_state state)
{
	if (verdict->state > state)
		return;
	verdict->kind = (uint8_t)(kind + 1);
	verdict->state = (uint8_t)(state + 1);
}

static void judge_bad(const struct scrub_group *group, const struct scrub_bad *bad, struct verdict *verdicts)
{
	struct xx_btrfs_location at;

	if (scrub_locate(group, bad->lane, bad->cell, &at) == 0 || at.role != XX_BTRFS_ROLE_DATA || bad->tree)
		return;
	judge(&verdicts[scrub_sector(group, at.logical)], bad->kind,
	      !bad->fixed ? SCRUB_LOST :
	      bad->wrote  ? SCRUB_CORRECTED :
			    SCRUB_REPAIRABLE);
}

struct telling {
	struct scrub_engine *engine;
	struct scrub_file file;
};

static int tell_path(void *private, const char *subvolume, const char *path)
{
	struct telling *telling = private;

	telling->file.subvolume = subvolume;
	telling->file.path = path;
	telling->engine->options.callbacks.file(telling->engine->options.callbacks.private, &telling->file);
	return 0;
}

/* One part of a file, with all its paths. */
static int tell_range(struct telling *telling, const struct xx_btrfs_file_range *range)
{
	struct scrub_engine *engine = telling->engine;
	const char *subvolume;
	int ret;

	telling->file.subvolume_id = range->subvolume;
	telling->file.inode = range->inode;
	telling->file.offset = range->offset;
	telling->file.length = range->length;
	telling->file.path = NULL;
	ret = xx_btrfs_paths(engine->pather, range->subvolume, range->inode, tell_path, telling);
	if (ret == -ENOMEM)
		return ret;
	if (ret == 0 || telling->file.path)
		return 0;
	ret = xx_btrfs_subvolume_path(engine->pather, range->subvolume, &subvolume);
	if (ret == 0)
		tell_path(telling, subvolume, NULL);
	return ret == -ENOMEM ? ret : 0;
}

/* Sectors @first to @end of one extent have one verdict. */
static int tell_run(struct scrub_group *group, uint32_t first, uint32_t end, const struct verdict *verdict)
{
	struct scrub_engine *engine = group->engine;
	struct xx_btrfs_file_list list = { 0 };
	struct telling telling = {
		.engine = engine,
		.file = {
			.kind = verdict->kind - 1,
			.state = verdict->state - 1,
			.logical = group->logical + (uint64_t)first * engine->sectorsize,
		},
	};
	int ret = xx_btrfs_resolve_data(engine->resolver, telling.file.logical,
					(uint64_t)(end - first) * engine->sectorsize, &list);

	if (ret != -ENOMEM)
		ret = 0;
	for (size_t i = 0; i < list.count && ret == 0; i++) {
		if (!list.ranges[i].prealloc)
			ret = tell_range(&telling, &list.ranges[i]);
	}
	xx_btrfs_file_list_release(&list);
	return ret;
}

static int tell_all(struct scrub_group *group, const struct verdict *verdicts)
{
	int ret = 0;

	for (uint32_t i = 0; i < group->sectors && ret == 0;) {
		uint32_t end = i + 1;

		if (verdicts[i].state == 0 || !scrub_written(group->what[i])) {
			i = end;
			continue;
		}
		while (end < group->sectors && verdicts[end].state == verdicts[i].state &&
		       verdicts[end].kind == verdicts[i].kind && group->entry[end] == group->entry[i])
			end++;
		ret = tell_run(group, i, end, &verdicts[i]);
		i = end;
	}
	return ret;
}

int scrub_files_tell(struct scrub_group *group)
{
	struct verdict *verdicts;
	bool any = group->bad_count > 0;
	int ret;

	for (uint32_t i = 0; i < group->sectors && !any; i++)
		any = group->what[i] == WHAT_MISSING;
	if (!any || !group->engine->options.callbacks.file)
		return 0;
	verdicts = calloc(group->sectors, sizeof(*verdicts));
	if (!verdicts)
		return -ENOMEM;
	for (size_t i = 0; i < group->bad_count; i++)
		judge_bad(group, &group->bad[i], verdicts);
	for (uint32_t i = 0; i < group->sectors; i++) {
		if (group->what[i] == WHAT_MISSING)
			judge(&verdicts[i], SCRUB_MISSING_SUM, SCRUB_LOST);
	}
	ret = tell_all(group, verdicts);
	free(verdicts);
	return ret;
}
