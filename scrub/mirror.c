/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mirror.c - copies of one another: what is bad is taken from a good one; without checksums they are compared, and the
 * majority is right.
 *
 * Copies stand at the same cell of neighbouring lanes: lanes 0 to copies - 1, and so on.
 */
#include <string.h>

#include "scrub/engine_impl.h"
#include "scrub/scratch.h"

/* More ways to put a block together from pieces of its copies are not tried. */
#define SPLICES_MAX 1024u

static unsigned first_copy(const struct scrub_group *group, unsigned lane)
{
	return lane - lane % group->chunk->copies;
}

static void take(struct scrub_group *group, struct scrub_bad *bad, const void *from)
{
	struct scrub_lane *lane = &group->lanes[bad->lane];

	memcpy(scrub_at(group, bad->lane, bad->cell), from, (size_t)bad->cells * group->engine->sectorsize);
	scrub_cells_set(lane, bad->cell, bad->cells, CELL_SURE, CELL_BAD);
	bad->fixed = true;
}

/* From a copy that is right by its checksum. */
static bool take_sure(struct scrub_group *group, struct scrub_bad *bad)
{
	const unsigned first = first_copy(group, bad->lane);

	for (unsigned i = first; i < first + group->chunk->copies; i++) {
		if (i != bad->lane && scrub_cells_all(&group->lanes[i], bad->cell, bad->cells, CELL_SURE)) {
			take(group, bad, scrub_at(group, i, bad->cell));
			return true;
		}
	}
	return false;
}

static uint32_t sector_of(const struct scrub_group *group, unsigned lane, uint32_t cell)
{
	struct xx_btrfs_location at;

	if (scrub_locate(group, lane, cell, &at) == 0)
		return 0;
	return scrub_sector(group, at.logical);
}

/* Put @splice, a number in which each digit chooses the copy of a cell, together. False: a cell was not read. */
static bool splice(struct scrub_group *group, const struct scrub_bad *bad, unsigned number)
{
	const uint32_t size = group->engine->sectorsize;
	const unsigned first = first_copy(group, bad->lane);

	for (uint32_t i = 0; i < bad->cells; i++) {
		const unsigned lane = first + number % group->chunk->copies;

		if (group->lanes[lane].cells[bad->cell + i] & CELL_UNREAD)
			return false;
		memcpy(group->scratch + SCRUB_SCRATCH_BLOCK + i * size, scrub_at(group, lane, bad->cell + i), size);
		number /= group->chunk->copies;
	}
	return true;
}

/* No copy of a tree block is right, but perhaps each part of it is right in one. */
static void take_splice(struct scrub_group *group, struct scrub_bad *bad)
{
	const uint32_t sector = sector_of(group, bad->lane, bad->cell);
	struct xx_btrfs_block_check check;
	unsigned ways = 1;

	for (uint32_t i = 0; i < bad->cells; i++) {
		ways *= group->chunk->copies;
		if (ways > SPLICES_MAX)
			return;
	}
	for (unsigned i = 0; i < ways; i++) {
		if (splice(group, bad, i) &&
		    scrub_verify_contents(group, sector, group->scratch + SCRUB_SCRATCH_BLOCK, &check) == 0) {
			take(group, bad, group->scratch + SCRUB_SCRATCH_BLOCK);
			return;
		}
	}
}

static uint8_t what_of(const struct scrub_group *group, const struct scrub_bad *bad)
{
	return group->what[sector_of(group, bad->lane, bad->cell)];
}

/* --- without checksums --- */

static bool is_readable(const struct scrub_group *group, unsigned lane, uint32_t cell)
{
	return !(group->lanes[lane].cells[cell] & CELL_UNREAD);
}

static bool same(const struct scrub_group *group, unsigned a, unsigned b, uint32_t cell)
{
	return memcmp(scrub_at(group, a, cell), scrub_at(group, b, cell), group->engine->sectorsize) == 0;
}

/* A device that missed writes has no vote, unless all have. */
static bool has_vote(const struct scrub_group *group, unsigned first, unsigned lane, uint32_t cell)
{
	if (!is_readable(group, lane, cell) || !group->lanes[lane].device->member->stale)
		return is_readable(group, lane, cell);
	for (unsigned i = first; i < first + group->chunk->copies; i++) {
		if (is_readable(group, i, cell) && !group->lanes[i].device->member->stale)
			return false;
	}
	return true;
}

/* How the copies from lane @first on that have a vote agree: the largest class that is the same, how many there are. */
struct vote {
	unsigned voters;
	unsigned lane; /* one of the largest class; the first, if there are several */
	unsigned votes;
};

static struct vote vote(const struct scrub_group *group, unsigned first, uint32_t cell)
{
	struct vote out = { .lane = first };

	for (unsigned i = first; i < first + group->chunk->copies; i++) {
		unsigned votes = 0;

		if (!has_vote(group, first, i, cell))
			continue;
		out.voters++;
		for (unsigned j = first; j < first + group->chunk->copies; j++)
			votes += has_vote(group, first, j, cell) && same(group, i, j, cell);
		if (votes > out.votes) {
			out.votes = votes;
			out.lane = i;
		}
	}
	return out;
}

/* The others are wrong when they are fewer than half; if not, nobody knows, and only their number is right. */
static void compare(struct scrub_group *group, unsigned first, uint32_t cell)
{
	const struct vote won = vote(group, first, cell);

	for (unsigned i = first; i < first + group->chunk->copies; i++) {
		struct scrub_bad *bad;

		if (!is_readable(group, i, cell) || same(group, i, won.lane, cell))
			continue;
		bad = scrub_bad_add(group, i, cell, 1, SCRUB_UNSUMMED_MISMATCH,
				    won.votes * 2 > won.voters ? "it differs from the majority of its copies" :
								 "its copies differ, and it has no checksum");
		if (bad && won.votes * 2 > won.voters) {
			memcpy(scrub_at(group, i, cell), scrub_at(group, won.lane, cell), group->engine->sectorsize);
			bad->fixed = true;
		}
	}
}

/* Copies of what was never written may differ. */
static bool is_compared(uint8_t what)
{
	return what == WHAT_NOSUM || what == WHAT_MISSING;
}

static void compare_copies(struct scrub_group *group)
{
	struct xx_btrfs_location at;

	for (unsigned lane = 0; lane < group->lane_count; lane += group->chunk->copies) {
		for (uint32_t cell = 0; cell < group->cells;) {
			const uint32_t count = scrub_locate(group, lane, cell, &at);
			const uint8_t *what;

			if (count == 0)
				break;
			what = &group->what[scrub_sector(group, at.logical)];
			for (uint32_t i = 0; i < count; i++) {
				if (is_compared(what[i]))
					compare(group, lane, cell + i);
			}
			cell += count;
		}
	}
}

/* A sector without a checksum could not be read: what the others agree on, or most of them. */
static void take_vote(struct scrub_group *group, struct scrub_bad *bad)
{
	const struct vote won = vote(group, first_copy(group, bad->lane), bad->cell);

	if (won.votes == 0 || (won.votes * 2 <= won.voters && what_of(group, bad) != WHAT_UNWRITTEN))
		return;
	memcpy(scrub_at(group, bad->lane, bad->cell), scrub_at(group, won.lane, bad->cell), group->engine->sectorsize);
	bad->fixed = true;
}

void scrub_mirror_fix(struct scrub_group *group)
{
	const size_t count = group->bad_count;

	if (group->chunk->copies < 2)
		return;
	for (size_t i = 0; i < count; i++) {
		struct scrub_bad *bad = &group->bad[i];
		const uint8_t what = what_of(group, bad);

		if (what != WHAT_SUM && what != WHAT_TREE)
			take_vote(group, bad);
		else if (!take_sure(group, bad) && bad->tree)
			take_splice(group, bad);
	}
	compare_copies(group);
}
