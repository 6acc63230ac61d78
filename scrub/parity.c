/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parity.c - rows of RAID5 and RAID6: bad data are rebuilt, then P and Q, each on its own, are compared with what the data
 * give. Only sectors of rows in which something is written count. Data without a checksum may be the bad half of a
 * mismatch: then a parity is called bad, and computed anew, only when the other one agrees with the data.
 */
#include <errno.h>
#include <string.h>

#include <xx/btrfs_raid.h>

#include "scrub/engine_impl.h"
#include "scrub/row.h"
#include "scrub/scratch.h"

static uint32_t sector_at(const struct scrub_row *row, unsigned element)
{
	return row->sector + element * row->per_element;
}

/* --- data --- */

static bool fix_data(struct scrub_group *group, struct scrub_bad *bad)
{
	struct scrub_row row;
	uint32_t sector;
	uint8_t what;

	scrub_row_init(&row, group, bad->cell);
	sector = sector_at(&row, scrub_row_element(&row, bad->lane));
	what = group->what[sector];
	bad->fixed =
		scrub_rebuild(group, bad->lane, bad->cell, bad->cells, sector, what == WHAT_SUM || what == WHAT_TREE);
	return bad->fixed;
}

/* One that was rebuilt may be what another one needs. */
static void fix_all_data(struct scrub_group *group)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < group->bad_count; i++) {
			if (!group->bad[i].fixed && fix_data(group, &group->bad[i]))
				more = true;
		}
	}
}

/* What lies on a device that is missing: rebuilt, it lets the parity be verified. */
static void rebuild_absent(struct scrub_group *group, unsigned lane)
{
	const struct scrub_engine *engine = group->engine;

	for (uint32_t cell = 0; cell < group->cells; cell++) {
		struct scrub_row row;
		unsigned element;
		uint32_t sector;

		if (!(group->lanes[lane].cells[cell] & CELL_PLANNED))
			continue;
		scrub_row_init(&row, group, cell);
		element = scrub_row_element(&row, lane);
		if (element >= row.data)
			continue;
		sector = sector_at(&row, element);
		if (group->what[sector] == WHAT_TREE)
			scrub_rebuild(group, lane, cell, engine->nodesize / engine->sectorsize, sector, true);
		else if (group->what[sector] == WHAT_SUM)
			scrub_rebuild(group, lane, cell, 1, sector, true);
	}
}

/* --- one sector of a row --- */

struct check {
	struct scrub_row row;
	uint32_t cell;
	bool whole; /* all data are at hand */
	bool written; /* something is, for sure */
	bool sure; /* all that is written is verified by checksums */
	bool differs[2], unread[2], absent[2];
};

static uint8_t parity_flags(const struct scrub_group *group, const struct check *check, unsigned q)
{
	return group->lanes[scrub_row_lane(&check->row, check->row.data + q)].cells[check->cell];
}

static void look_at_data(const struct scrub_group *group, struct check *check)
{
	check->whole = check->sure = true;
	for (unsigned e = 0; e < check->row.data; e++) {
		const uint8_t what = group->what[sector_at(&check->row, e)];

		if (!scrub_row_has(group, &check->row, e, check->cell))
			check->whole = false;
		if (!scrub_written(what))
			continue;
		if (what != WHAT_DARK && what != WHAT_UNKNOWN)
			check->written = true;
		if (!(group->lanes[scrub_row_lane(&check->row, e)].cells[check->cell] & CELL_SURE))
			check->sure = false;
	}
}

static uint8_t *expected(const struct scrub_group *group, unsigned q)
{
	return group->scratch + (q ? SCRUB_SCRATCH_Q : SCRUB_SCRATCH_P);
}

static bool generate(struct scrub_group *group, const struct scrub_row *row, uint32_t cell, uint32_t cells)
{
	void **pointers = (void **)(group->scratch + SCRUB_SCRATCH_ROW);

	for (unsigned e = 0; e < row->data; e++)
		pointers[e] = scrub_at(group, scrub_row_lane(row, e), cell);
	for (unsigned q = 0; q < row->parity; q++)
		pointers[row->data + q] = expected(group, q);
	return xx_btrfs_raid_generate(row->data, row->parity, pointers, (size_t)cells * group->engine->sectorsize) == 0;
}

static void look_at_parity(struct scrub_group *group, struct check *check)
{
	for (unsigned q = 0; q < check->row.parity; q++) {
		const unsigned lane = scrub_row_lane(&check->row, check->row.data + q);
		const uint8_t flags = parity_flags(group, check, q);

		check->absent[q] = flags & CELL_ABSENT;
		check->unread[q] = !check->absent[q] && (flags & CELL_UNREAD);
		check->differs[q] =
			check->whole && check->written && !(flags & CELL_UNREAD) &&
			memcmp(scrub_at(group, lane, check->cell), expected(group, q), group->engine->sectorsize) != 0;
	}
}

static struct scrub_bad *add_parity(struct scrub_group *group, const struct check *check, unsigned q,
				    enum scrub_kind kind, const char *text)
{
	const unsigned lane = scrub_row_lane(&check->row, check->row.data + q);

	return scrub_bad_add(group, lane, check->cell, 1, kind, text);
}

static void add_unread(struct scrub_group *group, const struct check *check, unsigned q)
{
	const bool protection = parity_flags(group, check, q) & CELL_EILSEQ;
	struct scrub_bad *bad = add_parity(group, check, q, protection ? SCRUB_PROTECTION : SCRUB_READ,
					   protection ? "the device's own checksum is wrong" : "it cannot be read");

	if (bad)
		bad->error = protection ? -EILSEQ : -EIO;
}

/* Parity as the data give it. */
static void put_expected(struct scrub_group *group, const struct check *check, unsigned q, struct scrub_bad *bad)
{
	memcpy(scrub_at(group, bad->lane, check->cell), expected(group, q), group->engine->sectorsize);
	bad->fixed = true;
}

/*
 * P and Q both differ, and not all data have checksums: is there one sector of data that, rebuilt with P, gives Q? Then
 * it is the one that is bad.
 */
static bool blame_data(struct scrub_group *group, const struct check *check)
{
	const struct scrub_row *row = &check->row;
	const unsigned q_lane = scrub_row_lane(row, row->data + 1);
	const uint32_t size = group->engine->sectorsize;
	unsigned found = row->data;
	struct scrub_bad *bad;

	for (unsigned e = 0; e < row->data; e++) {
		const unsigned lane = scrub_row_lane(row, e);

		if ((group->lanes[lane].cells[check->cell] & CELL_SURE) ||
		    !scrub_written(group->what[sector_at(row, e)]))
			continue;
		if (!scrub_row_recover(group, row, check->cell, e, row->data + 1,
				       group->scratch + SCRUB_SCRATCH_BLOCK) ||
		    memcmp(group->scratch + SCRUB_SCRATCH_LOST + BTRFS_STRIPE_LEN, scrub_at(group, q_lane, check->cell),
			   size) != 0)
			continue;
		if (found < row->data)
			return false;
		found = e;
	}
	if (found == row->data ||
	    !scrub_row_recover(group, row, check->cell, found, row->data + 1, group->scratch + SCRUB_SCRATCH_BLOCK))
		return false;
	bad = scrub_bad_add(group, scrub_row_lane(row, found), check->cell, 1, SCRUB_UNSUMMED_MISMATCH,
			    "it has no checksum, and both P and Q say that it is wrong");
	if (bad) {
		memcpy(scrub_at(group, bad->lane, bad->cell), group->scratch + SCRUB_SCRATCH_BLOCK, size);
		bad->fixed = true;
	}
	return true;
}

/* The only element of the row that lies on a device which missed writes, or row->elements. */
static unsigned stale_element(const struct scrub_group *group, const struct scrub_row *row)
{
	unsigned found = row->elements;

	for (unsigned e = 0; e < row->elements; e++) {
		if (!group->lanes[scrub_row_lane(row, e)].device->member->stale)
			continue;
		if (found < row->elements)
			return row->elements;
		found = e;
	}
	return found;
}

/* Data on a device that missed writes are blamed when, rebuilt, they go together with all parity. */
static bool blame_stale(struct scrub_group *group, struct check *check, unsigned element)
{
	const unsigned lane = scrub_row_lane(&check->row, element);
	struct scrub_bad *bad;

	if (group->lanes[lane].cells[check->cell] & CELL_SURE)
		return false;
	if (!scrub_row_recover(group, &check->row, check->cell, element, check->row.elements,
			       group->scratch + SCRUB_SCRATCH_BLOCK))
		return false;
	memcpy(scrub_at(group, lane, check->cell), group->scratch + SCRUB_SCRATCH_BLOCK, group->engine->sectorsize);
	if (!generate(group, &check->row, check->cell, 1))
		return false;
	look_at_parity(group, check);
	if (check->differs[0] || check->differs[1])
		return false;
	bad = scrub_bad_add(group, lane, check->cell, 1, SCRUB_UNSUMMED_MISMATCH,
			    "it has no checksum, and its device missed writes");
	if (bad)
		bad->fixed = true;
	return true;
}

/* Some data have no checksum. True: the parity that differs is the one that is bad. */
static bool settle_doubt(struct scrub_group *group, struct check *check)
{
	const unsigned stale = stale_element(group, &check->row);
	const bool both = check->row.parity == 2 && !check->unread[0] && !check->unread[1] && !check->absent[0] &&
			  !check->absent[1];
	const unsigned q = check->differs[0] ? 0 : 1;

	if (both && check->differs[0] != check->differs[1])
		return true;
	if (stale < check->row.data && blame_stale(group, check, stale))
		return false;
	if (stale == check->row.data + q && !check->differs[1 - q])
		return true;
	if (!(both && blame_data(group, check)))
		add_parity(group, check, q, SCRUB_UNSUMMED_MISMATCH,
			   "data without a checksum and its parity do not go together");
	return false;
}

static void check_cell(struct scrub_group *group, uint32_t cell)
{
	struct check check = { .cell = cell };
	bool trust;

	scrub_row_init(&check.row, group, cell);
	look_at_data(group, &check);
	if (check.whole && !generate(group, &check.row, cell, 1))
		group->error = -EINVAL;
	look_at_parity(group, &check);
	trust = check.sure || (!check.differs[0] && !check.differs[1]) || settle_doubt(group, &check);
	for (unsigned q = 0; q < check.row.parity && group->error == 0; q++) {
		if (check.unread[q])
			add_unread(group, &check, q);
		else if (check.differs[q] && trust)
			add_parity(group, &check, q, SCRUB_PARITY, "it is not what the data give");
		else
			continue;
		if (trust && check.whole && group->error == 0)
			put_expected(group, &check, q, &group->bad[group->bad_count - 1]);
	}
}

/* --- all rows --- */

/* Is everything of the row there, at @cell? */
static bool is_whole(const struct scrub_group *group, const struct scrub_row *row, uint32_t cell)
{
	for (unsigned e = 0; e < row->elements; e++) {
		if (!scrub_row_has(group, row, e, cell))
			return false;
	}
	return true;
}

/* Cells @first to @end, planned and whole: equal all at once, as nearly always, or one by one. */
static void check_run(struct scrub_group *group, const struct scrub_row *row, uint32_t first, uint32_t end)
{
	const size_t bytes = (size_t)(end - first) * group->engine->sectorsize;
	bool equal = generate(group, row, first, end - first);

	for (unsigned q = 0; q < row->parity && equal; q++)
		equal = memcmp(scrub_at(group, scrub_row_lane(row, row->data + q), first), expected(group, q), bytes) ==
			0;
	for (uint32_t i = first; i < end && !equal; i++)
		check_cell(group, i);
}

static void check_row(struct scrub_group *group, uint32_t first, uint32_t end)
{
	const uint8_t *planned = group->lanes[0].cells;
	struct scrub_row row;

	scrub_row_init(&row, group, first);
	while (first < end) {
		uint32_t stop = first;

		while (stop < end && (planned[stop] & CELL_PLANNED) && is_whole(group, &row, stop))
			stop++;
		if (stop > first)
			check_run(group, &row, first, stop);
		else if (planned[first] & CELL_PLANNED)
			check_cell(group, first);
		first = stop > first ? stop : first + 1;
	}
}

void scrub_parity_fix(struct scrub_group *group)
{
	const uint32_t per_element = (uint32_t)(BTRFS_STRIPE_LEN / group->engine->sectorsize);

	fix_all_data(group);
	for (unsigned i = 0; i < group->lane_count; i++) {
		if (scrub_cells_any(&group->lanes[i], 0, group->cells, CELL_ABSENT))
			rebuild_absent(group, i);
	}
	for (uint32_t cell = 0; cell < group->cells; cell += per_element)
		check_row(group, cell, cell + per_element < group->cells ? cell + per_element : group->cells);
}
