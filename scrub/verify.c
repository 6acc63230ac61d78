/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify.c - what a worker does with a group that was read: each sector against its checksum, each tree block against
 * all that is known of it, and for what is bad, and for parity, what the right contents are.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xx/csum.h>

#include "scrub/engine_impl.h"

struct scrub_bad *scrub_bad_add(struct scrub_group *group, unsigned lane, uint32_t cell, uint32_t cells,
				enum scrub_kind kind, const char *text)
{
	struct scrub_bad *bad;

	if (group->bad_count == group->bad_room) {
		const size_t room = group->bad_room ? 2 * group->bad_room : 16;

		bad = realloc(group->bad, room * sizeof(*bad));
		if (!bad) {
			group->error = -ENOMEM;
			return NULL;
		}
		group->bad = bad;
		group->bad_room = room;
	}
	bad = &group->bad[group->bad_count++];
	*bad = (struct scrub_bad){ .lane = lane, .cell = cell, .cells = cells, .kind = kind };
	snprintf(bad->text, sizeof(bad->text), "%s", text);
	return bad;
}

/* Something that was not read: not by the fault of a device that is missing. */
static void add_unread(struct scrub_group *group, unsigned lane, uint32_t cell, uint32_t cells, bool tree)
{
	const bool protection = scrub_cells_any(&group->lanes[lane], cell, cells, CELL_EILSEQ);
	struct scrub_bad *bad = scrub_bad_add(group, lane, cell, cells, protection ? SCRUB_PROTECTION : SCRUB_READ,
					      protection ? "the device's own checksum is wrong" : "it cannot be read");

	if (!bad)
		return;
	bad->tree = tree;
	bad->error = protection ? -EILSEQ : -EIO;
	scrub_cells_set(&group->lanes[lane], cell, cells, CELL_BAD, CELL_SURE);
}

static int verify_block(const struct scrub_group *group, uint32_t sector, const void *block,
			struct xx_btrfs_block_check *check)
{
	const struct xx_btrfs_extent_entry *entry = &group->extents.entries[group->entry[sector]];
	const struct xx_btrfs_expect expect = {
		.logical = entry->logical,
		.generation = entry->generation,
		.owner = entry->owner,
		.level = entry->has_level ? entry->level : -1,
	};

	return xx_btrfs_block_verify(&group->engine->medium.identity, block, &expect, check);
}

int scrub_verify_contents(const struct scrub_group *group, uint32_t sector, const void *data,
			  struct xx_btrfs_block_check *check)
{
	const struct scrub_engine *engine = group->engine;

	if (group->what[sector] == WHAT_TREE)
		return verify_block(group, sector, data, check);
	return xx_csum_verify(engine->medium.identity.csum_type, data, engine->sectorsize,
			      xx_btrfs_sums_get(group->sums, sector));
}

static void verify_tree(struct scrub_group *group, unsigned lane, uint32_t cell, uint32_t sector)
{
	const uint32_t cells = group->engine->nodesize / group->engine->sectorsize;
	struct scrub_lane *l = &group->lanes[lane];
	struct xx_btrfs_block_check check;
	struct scrub_bad *bad;

	if (scrub_cells_any(l, cell, cells, CELL_ABSENT))
		return;
	if (scrub_cells_any(l, cell, cells, CELL_UNREAD)) {
		add_unread(group, lane, cell, cells, true);
		return;
	}
	if (verify_block(group, sector, scrub_at(group, lane, cell), &check) == 0) {
		scrub_cells_set(l, cell, cells, CELL_SURE, 0);
		return;
	}
	scrub_cells_set(l, cell, cells, CELL_BAD, 0);
	bad = scrub_bad_add(group, lane, cell, cells, SCRUB_TREE, check.text);
	if (bad)
		bad->tree = true;
}

static void verify_sum(struct scrub_group *group, unsigned lane, uint32_t cell, uint32_t sector)
{
	uint8_t *flags = &group->lanes[lane].cells[cell];
	const int ret = scrub_verify_contents(group, sector, scrub_at(group, lane, cell), NULL);

	if (ret == 0) {
		*flags |= CELL_SURE;
	} else if (ret == -EBADMSG) {
		*flags |= CELL_BAD;
		scrub_bad_add(group, lane, cell, 1, SCRUB_DATA, "its checksum is wrong");
	} else {
		group->error = ret;
	}
}

static void verify_cell(struct scrub_group *group, unsigned lane, uint32_t cell, uint32_t sector)
{
	const uint8_t flags = group->lanes[lane].cells[cell];
	const uint8_t what = group->what[sector];

	if (!(flags & CELL_PLANNED) || what == WHAT_TREE_REST)
		return;
	if (what == WHAT_TREE)
		verify_tree(group, lane, cell, sector);
	else if (flags & CELL_ABSENT)
		return;
	else if (flags & CELL_UNREAD)
		add_unread(group, lane, cell, 1, false);
	else if (what == WHAT_SUM)
		verify_sum(group, lane, cell, sector);
}

static void verify_lane(struct scrub_group *group, unsigned lane)
{
	struct xx_btrfs_location at;

	for (uint32_t cell = 0; cell < group->cells;) {
		const uint32_t count = scrub_locate(group, lane, cell, &at);

		if (count == 0)
			return;
		if (at.role == XX_BTRFS_ROLE_DATA) {
			const uint32_t sector = scrub_sector(group, at.logical);

			for (uint32_t i = 0; i < count; i++)
				verify_cell(group, lane, cell + i, sector + i);
		}
		cell += count;
	}
}

void scrub_verify(struct xx_work *work)
{
	struct scrub_group *group = xx_container_of(work, struct scrub_group, work);

	for (unsigned i = 0; i < group->lane_count; i++)
		verify_lane(group, i);
	if (group->chunk->parity)
		scrub_parity_fix(group);
	else
		scrub_mirror_fix(group);
	xx_ring_post(group->engine->ring, &group->post);
}
