/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * group.c - the memory of groups, which is used again and again, and their cells.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scrub/engine_impl.h"
#include "scrub/scratch.h"

void scrub_list_add(struct scrub_list *list, struct scrub_group *group)
{
	group->next = NULL;
	if (list->last)
		list->last->next = group;
	else
		list->first = group;
	list->last = group;
}

struct scrub_group *scrub_list_take(struct scrub_list *list)
{
	struct scrub_group *group = list->first;

	if (!group)
		return NULL;
	list->first = group->next;
	if (!list->first)
		list->last = NULL;
	group->next = NULL;
	return group;
}

void scrub_group_free(struct scrub_group *group)
{
	if (!group)
		return;
	scrub_repair_free(group);
	xx_btrfs_sums_destroy(group->sums);
	xx_btrfs_extent_list_release(&group->extents);
	free(group->lanes);
	free(group->what);
	free(group->entry);
	free(group->cell_memory);
	free(group->scratch);
	free(group->reads);
	free(group->bad);
	free(group);
}

static bool group_memory(struct scrub_group *group)
{
	const struct scrub_engine *engine = group->engine;
	const size_t cells = (size_t)(engine->slice / engine->sectorsize);
	const size_t runs = cells / (SCRUB_GAP / engine->sectorsize + 1) + 1;

	group->lanes = calloc(engine->max_lanes, sizeof(*group->lanes));
	group->what = calloc(engine->max_sectors, 1);
	group->entry = calloc(engine->max_sectors, sizeof(*group->entry));
	group->cell_memory = calloc(engine->max_lanes, cells);
	group->scratch = aligned_alloc(4096, SCRUB_SCRATCH_BYTES(engine->max_lanes));
	group->reads = calloc(engine->max_lanes * runs, sizeof(*group->reads));
	if (!group->lanes || !group->what || !group->entry || !group->cell_memory || !group->scratch || !group->reads)
		return false;
	for (unsigned i = 0; i < engine->max_lanes; i++)
		group->lanes[i].cells = group->cell_memory + i * cells;
	return xx_btrfs_sums_create(engine->fs, engine->max_sectors, &group->sums) == 0;
}

struct scrub_group *scrub_group_get(struct scrub_engine *engine)
{
	struct scrub_group *group = engine->groups;

	if (group) {
		engine->groups = group->next;
		group->next = NULL;
		return group;
	}
	group = calloc(1, sizeof(*group));
	if (!group)
		return NULL;
	group->engine = engine;
	if (group_memory(group))
		return group;
	scrub_group_free(group);
	return NULL;
}

void scrub_group_put(struct scrub_group *group)
{
	struct scrub_engine *engine = group->engine;

	for (unsigned i = 0; i < group->lane_count; i++) {
		if (group->lanes[i].buf)
			engine->free_buffers[engine->free_count++] = group->lanes[i].buf;
		group->lanes[i].buf = NULL;
	}
	scrub_repair_free(group);
	group->lane_count = 0;
	group->read_count = 0;
	group->bad_count = 0;
	group->error = 0;
	group->next = engine->groups;
	engine->groups = group;
}

uint32_t scrub_locate(const struct scrub_group *group, unsigned lane, uint32_t cell, struct xx_btrfs_location *at)
{
	const uint32_t sectorsize = group->engine->sectorsize;
	const uint64_t offset = group->offset + (uint64_t)cell * sectorsize;
	uint64_t length;

	xx_btrfs_stripe_locate(group->chunk, lane, offset, at);
	length = at->length / sectorsize;
	return length < group->cells - cell ? (uint32_t)length : group->cells - cell;
}

bool scrub_cells_any(const struct scrub_lane *lane, uint32_t cell, uint32_t cells, unsigned flags)
{
	for (uint32_t i = cell; i < cell + cells; i++) {
		if (lane->cells[i] & flags)
			return true;
	}
	return false;
}

bool scrub_cells_all(const struct scrub_lane *lane, uint32_t cell, uint32_t cells, unsigned flags)
{
	for (uint32_t i = cell; i < cell + cells; i++) {
		if (!(lane->cells[i] & flags))
			return false;
	}
	return true;
}

void scrub_cells_set(struct scrub_lane *lane, uint32_t cell, uint32_t cells, unsigned set, unsigned clear)
{
	for (uint32_t i = cell; i < cell + cells; i++)
		lane->cells[i] = (uint8_t)((lane->cells[i] & ~clear) | set);
}
