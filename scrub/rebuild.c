/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rebuild.c - sectors of a row of RAID5 or RAID6 from the others. Which of the others are right is not always known: what
 * has no checksum may be bad, and so may P and Q. So one more element is left out in turn, until the checksum of what
 * comes out is right.
 */
#include <string.h>

#include <xx/btrfs_raid.h>

#include "scrub/engine_impl.h"
#include "scrub/row.h"
#include "scrub/scratch.h"

#define NO_EXTRA UINT32_MAX

void scrub_row_init(struct scrub_row *row, const struct scrub_group *group, uint32_t cell)
{
	const uint32_t per_element = (uint32_t)(BTRFS_STRIPE_LEN / group->engine->sectorsize);
	const uint32_t in_group = cell / per_element;

	*row = (struct scrub_row){
		.data = group->chunk->columns,
		.parity = group->chunk->parity,
		.elements = group->chunk->columns + group->chunk->parity,
		.number = group->offset / BTRFS_STRIPE_LEN + in_group,
		.sector = (in_group * group->chunk->columns) * per_element + cell % per_element,
		.per_element = per_element,
	};
}

unsigned scrub_row_lane(const struct scrub_row *row, unsigned element)
{
	return (unsigned)((element + row->number) % row->elements);
}

unsigned scrub_row_element(const struct scrub_row *row, unsigned lane)
{
	return (unsigned)((lane + row->elements - row->number % row->elements) % row->elements);
}

bool scrub_row_has(const struct scrub_group *group, const struct scrub_row *row, unsigned element, uint32_t cell)
{
	const uint8_t flags = group->lanes[scrub_row_lane(row, element)].cells[cell];

	return (flags & CELL_SURE) || !(flags & (CELL_BAD | CELL_UNREAD));
}

bool scrub_row_recover(struct scrub_group *group, const struct scrub_row *row, uint32_t cell, unsigned want,
		       unsigned extra, uint8_t *out)
{
	void **pointers = (void **)(group->scratch + SCRUB_SCRATCH_ROW);
	unsigned lost[2], count = 0;

	for (unsigned e = 0; e < row->elements; e++) {
		pointers[e] = scrub_at(group, scrub_row_lane(row, e), cell);
		if (e != want && e != extra && scrub_row_has(group, row, e, cell))
			continue;
		if (count == row->parity)
			return false;
		pointers[e] = e == want ? out : group->scratch + SCRUB_SCRATCH_LOST + count * BTRFS_STRIPE_LEN;
		lost[count++] = e;
	}
	return xx_btrfs_raid_recover(row->data, row->parity, pointers, lost, count, group->engine->sectorsize) == 0;
}

/* All sectors of what is wanted, into the scratch block. */
static bool recover_cells(struct scrub_group *group, const struct scrub_row *row, uint32_t cell, uint32_t cells,
			  unsigned want, unsigned extra)
{
	const uint32_t size = group->engine->sectorsize;

	for (uint32_t i = 0; i < cells; i++) {
		if (!scrub_row_recover(group, row, cell + i, want, extra,
				       group->scratch + SCRUB_SCRATCH_BLOCK + i * size))
			return false;
	}
	return true;
}

/* May leaving this one out help? */
static bool is_doubtful(const struct scrub_group *group, const struct scrub_row *row, unsigned element, uint32_t cell,
			uint32_t cells, unsigned want)
{
	if (element == want)
		return false;
	return !scrub_cells_all(&group->lanes[scrub_row_lane(row, element)], cell, cells, CELL_SURE);
}

static bool try_all(struct scrub_group *group, const struct scrub_row *row, uint32_t cell, uint32_t cells,
		    uint32_t sector, unsigned want)
{
	const uint8_t *block = group->scratch + SCRUB_SCRATCH_BLOCK;
	struct xx_btrfs_block_check check;

	if (recover_cells(group, row, cell, cells, want, NO_EXTRA) &&
	    scrub_verify_contents(group, sector, block, &check) == 0)
		return true;
	if (row->parity < 2)
		return false;
	for (unsigned i = 0; i < row->elements; i++) {
		const unsigned extra = (row->data + i) % row->elements; /* P and Q before data */

		if (is_doubtful(group, row, extra, cell, cells, want) &&
		    recover_cells(group, row, cell, cells, want, extra) &&
		    scrub_verify_contents(group, sector, block, &check) == 0)
			return true;
	}
	return false;
}

/*
 * Nothing tells whether what comes out is right: where P and Q both are there they have to agree, unless nothing was
 * written there.
 */
static bool try_unsummed(struct scrub_group *group, const struct scrub_row *row, uint32_t cell, uint32_t sector,
			 unsigned want)
{
	uint8_t *block = group->scratch + SCRUB_SCRATCH_BLOCK;

	if (!scrub_row_recover(group, row, cell, want, NO_EXTRA, block))
		return false;
	if (row->parity < 2 || !scrub_written(group->what[sector]) || !scrub_row_has(group, row, row->data, cell) ||
	    !scrub_row_recover(group, row, cell, want, row->data, group->scratch + SCRUB_SCRATCH_P))
		return true;
	return memcmp(block, group->scratch + SCRUB_SCRATCH_P, group->engine->sectorsize) == 0;
}

bool scrub_rebuild(struct scrub_group *group, unsigned lane, uint32_t cell, uint32_t cells, uint32_t sector,
		   bool summed)
{
	struct scrub_row row;
	unsigned want;

	scrub_row_init(&row, group, cell);
	want = scrub_row_element(&row, lane);
	if (summed ? !try_all(group, &row, cell, cells, sector, want) : !try_unsummed(group, &row, cell, sector, want))
		return false;
	memcpy(scrub_at(group, lane, cell), group->scratch + SCRUB_SCRATCH_BLOCK,
	       (size_t)cells * group->engine->sectorsize);
	scrub_cells_set(&group->lanes[lane], cell, cells, summed ? CELL_SURE : 0, CELL_BAD | CELL_EIO | CELL_EILSEQ);
	return true;
}
