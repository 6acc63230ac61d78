/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intent.c - repairs that a former run had noted before it wrote them, and did not live to count.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scrub/engine_impl.h"

static int compare(const void *a, const void *b)
{
	const struct scrub_intent *x = a, *y = b;

	if (x->devid != y->devid)
		return x->devid < y->devid ? -1 : 1;
	return x->physical < y->physical ? -1 : x->physical > y->physical;
}

int scrub_intents_take(struct scrub_engine *engine)
{
	const size_t count = engine->options.intent_count;
	size_t kept = 0;

	if (count == 0)
		return 0;
	engine->intents = malloc(count * sizeof(*engine->intents));
	if (!engine->intents)
		return -ENOMEM;
	memcpy(engine->intents, engine->options.intents, count * sizeof(*engine->intents));
	qsort(engine->intents, count, sizeof(*engine->intents), compare);
	/* A place that was to be written again, by a run after that one, is one place. */
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 || compare(&engine->intents[kept - 1], &engine->intents[i]) != 0)
			engine->intents[kept++] = engine->intents[i];
	}
	engine->options.intent_count = kept;
	return 0;
}

/* The first at or behind a place. */
static size_t lower_bound(const struct scrub_engine *engine, uint64_t devid, uint64_t physical)
{
	const struct scrub_intent wanted = { .devid = devid, .physical = physical };
	size_t low = 0, high = engine->options.intent_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare(&engine->intents[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

enum scrub_kind scrub_intents_super(const struct scrub_engine *engine, uint64_t devid, uint64_t physical)
{
	const size_t at = lower_bound(engine, devid, physical);

	if (at == engine->options.intent_count || engine->intents[at].devid != devid ||
	    engine->intents[at].physical != physical)
		return SCRUB_KINDS;
	return engine->intents[at].kind;
}

static bool is_bad(const struct scrub_group *group, unsigned lane, uint32_t cell)
{
	for (size_t i = 0; i < group->bad_count; i++) {
		if (group->bad[i].lane == lane && group->bad[i].cell == cell)
			return true;
	}
	return false;
}

/* Is there still what was repaired, and was it read? */
static bool is_there(const struct scrub_group *group, unsigned number, uint32_t cell, uint32_t cells, bool tree)
{
	const struct scrub_lane *lane = &group->lanes[number];
	struct xx_btrfs_location at;
	uint8_t what;

	if (cells == 0 || cells > group->cells - cell || !scrub_cells_all(lane, cell, cells, CELL_PLANNED) ||
	    scrub_cells_any(lane, cell, cells, CELL_UNREAD) || scrub_locate(group, number, cell, &at) == 0)
		return false;
	if (at.role != XX_BTRFS_ROLE_DATA)
		return !tree;
	what = group->what[scrub_sector(group, at.logical)];
	return tree ? what == WHAT_TREE : what == WHAT_SUM || what == WHAT_NOSUM;
}

static void restore(struct scrub_group *group, unsigned lane, uint64_t base, const struct scrub_intent *intent)
{
	const uint32_t size = group->engine->sectorsize;
	const uint32_t cell = (uint32_t)((intent->physical - base) / size);
	const uint32_t cells = (uint32_t)(intent->length / size);
	struct scrub_bad *bad;

	if (is_bad(group, lane, cell) || !is_there(group, lane, cell, cells, intent->is_tree))
		return;
	bad = scrub_bad_add(group, lane, cell, cells, intent->kind,
			    "it was bad in the run before, which was interrupted");
	if (!bad)
		return;
	bad->tree = intent->is_tree;
	bad->fixed = bad->wrote = true;
}

void scrub_intents_restore(struct scrub_group *group)
{
	const struct scrub_engine *engine = group->engine;

	for (unsigned i = 0; engine->intents && i < group->lane_count && !group->error; i++) {
		const uint64_t devid = group->lanes[i].device->member->devid;
		const uint64_t base = group->chunk->stripes[i].physical + group->offset;

		for (size_t at = lower_bound(engine, devid, base); at < engine->options.intent_count; at++) {
			const struct scrub_intent *intent = &engine->intents[at];

			if (intent->devid != devid || intent->physical - base >= group->length)
				break;
			restore(group, i, base, intent);
		}
	}
}
