/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account.c - the only place where anything is counted: once, when a group is retired, together with its place in the list
 * of what is done.
 */
#include <errno.h>
#include <string.h>

#include <xx/context.h>

#include "scrub/engine_impl.h"

static const char *const kind_names[] = {
	[SCRUB_DATA] = "data",
	[SCRUB_TREE] = "tree",
	[SCRUB_SUPER] = "super",
	[SCRUB_PARITY] = "parity",
	[SCRUB_UNSUMMED_MISMATCH] = "unsummed_mismatch",
	[SCRUB_MISSING_SUM] = "missing_sum",
	[SCRUB_READ] = "read",
	[SCRUB_PROTECTION] = "protection",
	[SCRUB_EXTRA_SUM] = "extra_sum",
};

static const char *const state_names[] = {
	[SCRUB_CORRECTED] = "corrected",
	[SCRUB_REPAIRABLE] = "repairable",
	[SCRUB_LOST] = "lost",
};

const char *scrub_kind_name(enum scrub_kind kind)
{
	return kind_names[kind];
}

const char *scrub_state_name(enum scrub_state state)
{
	return state_names[state];
}

uint64_t scrub_counts_found(const struct scrub_counts *counts)
{
	uint64_t found = 0;

	for (unsigned i = 0; i < SCRUB_KINDS; i++)
		found += counts->found[i];
	return found;
}

/* Counts are nothing but numbers of 64 bits. */
void scrub_counts_add(struct scrub_counts *to, const struct scrub_counts *from)
{
	uint64_t *a = (uint64_t *)to;
	const uint64_t *b = (const uint64_t *)from;

	_Static_assert(sizeof(*to) % sizeof(*a) == 0, "counts are numbers of 64 bits");
	for (size_t i = 0; i < sizeof(*to) / sizeof(*a); i++)
		a[i] += b[i];
}

void scrub_count_finding(struct scrub_counts *counts, enum scrub_kind kind, enum scrub_state state, uint64_t number)
{
	counts->found[kind] += number;
	switch (state) {
	case SCRUB_CORRECTED:
		counts->corrected += number;
		break;
	case SCRUB_REPAIRABLE:
		counts->repairable += number;
		break;
	default:
		counts->uncorrectable += number;
	}
}

void scrub_count(struct scrub_engine *engine, struct scrub_device *device, const struct scrub_counts *delta)
{
	pthread_mutex_lock(&engine->lock);
	scrub_counts_add(device ? &device->counts : &engine->nowhere, delta);
	pthread_mutex_unlock(&engine->lock);
}

/* --- findings --- */

static enum scrub_state state_of(const struct scrub_bad *bad)
{
	if (!bad->fixed)
		return SCRUB_LOST;
	return bad->wrote ? SCRUB_CORRECTED : SCRUB_REPAIRABLE;
}

static void tell(const struct scrub_engine *engine, const struct scrub_finding *finding)
{
	if (engine->options.callbacks.finding)
		engine->options.callbacks.finding(engine->options.callbacks.private, finding);
}

static void describe_tree(const struct scrub_group *group, uint64_t logical, struct scrub_finding *finding)
{
	const struct xx_btrfs_extent_entry *entry = &group->extents.entries[group->entry[scrub_sector(group, logical)]];

	finding->tree = entry->owner;
	finding->level = entry->has_level ? entry->level : -1;
	finding->is_tree = true;
}

static void account_bad(struct scrub_group *group, const struct scrub_bad *bad)
{
	struct scrub_engine *engine = group->engine;
	struct scrub_lane *lane = &group->lanes[bad->lane];
	struct xx_btrfs_location at;
	struct scrub_finding finding;

	scrub_locate(group, bad->lane, bad->cell, &at);
	finding = (struct scrub_finding){
		.kind = bad->kind,
		.state = state_of(bad),
		.member = lane->device->member,
		.physical = group->chunk->stripes[bad->lane].physical + group->offset +
			    (uint64_t)bad->cell * engine->sectorsize,
		.logical = at.logical,
		.length = (uint64_t)bad->cells * engine->sectorsize,
		.copy = at.copy,
		.q = at.role == XX_BTRFS_ROLE_Q,
		.level = -1,
		.error = bad->error,
		.text = bad->text,
	};
	if (bad->tree)
		describe_tree(group, at.logical, &finding);
	tell(engine, &finding);
	scrub_count_finding(&lane->delta, bad->kind, finding.state, 1);
	if (bad->fixed && !bad->wrote && lane->device->writable)
		lane->delta.write_errors++;
}

/* Sectors that lack a checksum, or have one for nothing: @first to @end, each counted once, at their first copy. */
static void account_sums(struct scrub_group *group, uint32_t first, uint32_t end)
{
	struct scrub_engine *engine = group->engine;
	const bool missing = group->what[first] == WHAT_MISSING;
	struct xx_btrfs_copies copies;

	for (uint32_t i = first; i < end; i++) {
		struct scrub_finding finding = {
			.kind = missing ? SCRUB_MISSING_SUM : SCRUB_EXTRA_SUM,
			.state = SCRUB_LOST,
			.logical = group->logical + (uint64_t)i * engine->sectorsize,
			.length = engine->sectorsize,
			.level = -1,
			.text = missing ? "it should have a checksum, and has none" :
					  "there is a checksum, but nothing is allocated",
		};
		struct scrub_lane *lane;

		xx_btrfs_chunk_copies(group->chunk, finding.logical, &copies);
		lane = &group->lanes[copies.place[0].stripe];
		finding.member = lane->device->member;
		finding.physical = copies.place[0].physical;
		tell(engine, &finding);
		scrub_count_finding(&lane->delta, finding.kind, SCRUB_LOST, 1);
	}
}

static void account_all_sums(struct scrub_group *group)
{
	for (uint32_t i = 0; i < group->sectors; i++) {
		if (group->what[i] == WHAT_MISSING || group->what[i] == WHAT_EXTRA)
			account_sums(group, i, i + 1);
	}
}

/* --- what was read --- */

static void account_data(struct scrub_group *group, struct scrub_lane *lane, uint8_t flags, uint8_t what)
{
	const uint64_t size = group->engine->sectorsize;

	if (what == WHAT_DARK || what == WHAT_CROSSING || what == WHAT_UNKNOWN) {
		lane->delta.unverified_bytes += size;
		group->dark_bytes += size;
		if (what == WHAT_DARK)
			return;
	}
	if (!(flags & CELL_PLANNED))
		return;
	if (flags & CELL_ABSENT) {
		if (what != WHAT_CROSSING && what != WHAT_UNKNOWN)
			lane->delta.unverified_bytes += size;
		lane->device->failed_bytes += size;
		return;
	}
	if (what == WHAT_TREE || what == WHAT_TREE_REST)
		lane->delta.tree_bytes += size;
	else
		lane->delta.data_bytes += size;
	lane->delta.tree_blocks += what == WHAT_TREE;
	lane->delta.unsummed_sectors += what == WHAT_NOSUM;
}

static void account_parity(struct scrub_group *group, struct scrub_lane *lane, uint8_t flags)
{
	const uint64_t size = group->engine->sectorsize;

	if (!(flags & CELL_PLANNED))
		return;
	if (flags & CELL_ABSENT) {
		lane->delta.unverified_bytes += size;
		lane->device->failed_bytes += size;
	} else {
		lane->delta.parity_bytes += size;
	}
}

static void account_lane(struct scrub_group *group, unsigned number)
{
	struct scrub_lane *lane = &group->lanes[number];
	struct xx_btrfs_location at;

	for (uint32_t cell = 0; cell < group->cells;) {
		const uint32_t count = scrub_locate(group, number, cell, &at);

		if (count == 0)
			return;
		for (uint32_t i = 0; i < count; i++) {
			if (at.role == XX_BTRFS_ROLE_DATA)
				account_data(group, lane, lane->cells[cell + i],
					     group->what[scrub_sector(group, at.logical) + i]);
			else
				account_parity(group, lane, lane->cells[cell + i]);
		}
		cell += count;
	}
}

static void account_extents(struct scrub_group *group)
{
	for (size_t i = 0; i < group->extents.count; i++) {
		const struct xx_btrfs_extent_entry *entry = &group->extents.entries[i];

		if (!entry->tree && entry->logical >= group->logical && !group->engine->options.skip_data)
			group->lanes[0].delta.data_extents++;
	}
}

/* --- what could not be verified --- */

void scrub_tell_dark(struct scrub_engine *engine)
{
	if (engine->dark.bytes && engine->options.callbacks.unverified)
		engine->options.callbacks.unverified(engine->options.callbacks.private, &engine->dark);
	engine->dark = (struct scrub_unverified){ 0 };
}

static void account_dark(struct scrub_group *group)
{
	struct scrub_engine *engine = group->engine;
	uint32_t first = 0, end = group->sectors;

	if (group->dark_bytes == 0)
		return;
	while (first < end && group->what[first] != WHAT_DARK && group->what[first] != WHAT_UNKNOWN &&
	       group->what[first] != WHAT_CROSSING)
		first++;
	while (end > first && group->what[end - 1] != WHAT_DARK && group->what[end - 1] != WHAT_UNKNOWN &&
	       group->what[end - 1] != WHAT_CROSSING)
		end--;
	const uint64_t from = group->logical + (uint64_t)first * engine->sectorsize;
	const uint64_t length = (uint64_t)(end - first) * engine->sectorsize;
	const char *text =
		group->what[first] == WHAT_DARK	   ? "a block of the extent tree is dead" :
		group->what[first] == WHAT_UNKNOWN ? "its checksums, or whether it has any, stood in a dead block" :
						     "a tree block lies across two stripes";

	if (engine->dark.bytes && (engine->dark.text != text || engine->dark.logical + engine->dark.length != from))
		scrub_tell_dark(engine);
	if (engine->dark.bytes == 0) {
		engine->dark.logical = from;
		engine->dark.text = text;
	}
	engine->dark.length += length;
	engine->dark.bytes += group->dark_bytes;
}

void scrub_tell_failed(struct scrub_engine *engine)
{
	for (size_t i = 0; i < engine->device_count; i++) {
		struct scrub_device *device = &engine->devices[i];
		const struct scrub_unverified range = {
			.member = device->member,
			.bytes = device->failed_bytes,
			.text = device->device ? "the device has failed" : "the device is missing",
		};

		if (device->failed_bytes && engine->options.callbacks.unverified)
			engine->options.callbacks.unverified(engine->options.callbacks.private, &range);
		device->failed_bytes = 0;
	}
}

/* --- all of a group --- */

static void commit(struct scrub_group *group)
{
	struct scrub_engine *engine = group->engine;

	pthread_mutex_lock(&engine->lock);
	for (unsigned i = 0; i < group->lane_count; i++) {
		struct scrub_lane *lane = &group->lanes[i];
		const uint64_t end = group->chunk->stripes[i].physical + group->offset + group->length;

		scrub_counts_add(&lane->device->counts, &lane->delta);
		if (!lane->device->device)
			continue;
		lane->device->done += lane->planned;
		engine->run_bytes += lane->planned;
		if (end > lane->device->last_physical)
			lane->device->last_physical = end;
	}
	pthread_mutex_unlock(&engine->lock);
	if (xx_extent_map_add(engine->done, group->logical, group->logical_length))
		engine->error = -ENOMEM;
}

void scrub_retire(struct scrub_group *group)
{
	struct scrub_engine *engine = group->engine;

	scrub_intents_restore(group);
	if (group->error) { /* not done: nothing of it counts */
		engine->error = group->error;
		return;
	}
	group->dark_bytes = 0;
	for (unsigned i = 0; i < group->lane_count; i++) {
		memset(&group->lanes[i].delta, 0, sizeof(group->lanes[i].delta));
		account_lane(group, i);
	}
	account_extents(group);
	for (size_t i = 0; i < group->bad_count; i++)
		account_bad(group, &group->bad[i]);
	account_all_sums(group);
	account_dark(group);
	const int ret = scrub_files_tell(group);

	if (ret)
		engine->error = ret;
	commit(group);
}
