/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * row.h - the sectors of one row of RAID5 or RAID6: element k is data column k, then P, then Q.
 */
#ifndef SCRUB_ROW_H
#define SCRUB_ROW_H

#include "scrub/engine_impl.h"

struct scrub_row {
	unsigned data, parity, elements; /* elements = data + parity */
	uint64_t number; /* from the start of the chunk */
	uint32_t sector; /* of the group: that of column 0 at the same place of the element */
	uint32_t per_element; /* sectors: column k has sector + k * per_element */
};

/* The row that a cell of the group lies in. */
void scrub_row_init(struct scrub_row *row, const struct scrub_group *group, uint32_t cell);
/* Which lane an element stands in, and which element a lane has. */
unsigned scrub_row_lane(const struct scrub_row *row, unsigned element);
unsigned scrub_row_element(const struct scrub_row *row, unsigned lane);
/* Is the sector in memory, and not known to be bad? */
bool scrub_row_has(const struct scrub_group *group, const struct scrub_row *row, unsigned element, uint32_t cell);

/*
 * Rebuild one sector of element @want into @out, from all others that are there but @extra. False: too many are lost.
 * Overwrites the scratch memory for what is lost.
 */
bool scrub_row_recover(struct scrub_group *group, const struct scrub_row *row, uint32_t cell, unsigned want,
		       unsigned extra, uint8_t *out);

#endif
