/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order in which old secondary superblocks are wiped. Arithmetic only: no device is touched here.
 */
#include <xx/units.h>

#include "mkfs/wipe_plan.h"

/* Adds groups first to last - 1, if there is one. */
static void add_range(struct mkfs_wipe_plan *plan, uint64_t first, uint64_t last)
{
	if (first < last)
		plan->range[plan->ranges++] = (struct mkfs_wipe_range){ first, last };
}

/* near <= middle <= end, so that no two overlap. */
static void find_must(const struct mkfs_wipe_plan *plan, struct mkfs_wipe_range must[MKFS_WIPE_MUST_RANGES])
{
	const uint64_t count = plan->old.ag_count;
	const uint64_t middle = count / 2 > MKFS_WIPE_MIDDLE / 2 ? count / 2 - MKFS_WIPE_MIDDLE / 2 : 1;
	const uint64_t end = count > MKFS_WIPE_END + 1 ? count - MKFS_WIPE_END : 1;
	uint64_t near = UINT64_MAX;

	if (plan->new.size <= UINT64_MAX / MKFS_WIPE_NEAR)
		near = xx_div_round_up(plan->new.size *MKFS_WIPE_NEAR, plan->old.ag_bytes);

	must[0].first = 1;
	must[0].last = xx_min(xx_min(near, MKFS_WIPE_NEAR_MOST) + 1, count);
	must[1].first = middle > must[0].last ? middle : must[0].last;
	must[1].last = xx_min(middle + MKFS_WIPE_MIDDLE, count);
	if (must[1].last < must[1].first)
		must[1].last = must[1].first;
	must[2].first = end > must[1].last ? end : must[1].last;
	must[2].last = count;
}

void mkfs_wipe_plan_make(struct mkfs_wipe_plan *plan, const struct xx_xfs_old *old, const struct mkfs_wipe_new *new,
			 uint32_t unit)
{
	struct mkfs_wipe_range must[MKFS_WIPE_MUST_RANGES];

	*plan = (struct mkfs_wipe_plan){ .old = *old, .new = *new, .unit = unit };
	if (old->ag_count < 2)
		return;
	find_must(plan, must);
	for (unsigned i = 0; i < MKFS_WIPE_MUST_RANGES; i++)
		add_range(plan, must[i].first, must[i].last);
	plan->must = plan->ranges;
	for (unsigned i = 1; i < MKFS_WIPE_MUST_RANGES; i++)
		add_range(plan, must[i - 1].last, must[i].first);
	plan->next = plan->range[0].first;
}

/* Is [offset, offset + unit) written by the new file system? */
static bool is_overwritten(const struct mkfs_wipe_plan *plan, uint64_t offset)
{
	const struct mkfs_wipe_new *new = &plan->new;
	const uint64_t end = offset + plan->unit;

	if (offset >= new->log_start && end <= new->log_end)
		return true;
	return end <= new->size &&offset % new->group_bytes + plan->unit <= new->header_bytes;
}

bool mkfs_wipe_plan_next(struct mkfs_wipe_plan *plan, bool late, uint64_t *offset)
{
	while (plan->current < plan->ranges) {
		const struct mkfs_wipe_range *range = &plan->range[plan->current];

		if (late && plan->current >= plan->must) {
			plan->stopped = true;
			return false;
		}
		while (plan->next < range->last) {
			const uint64_t at = plan->next++ * plan->old.ag_bytes;

			*offset = xx_round_down(at, plan->unit);
			if (!is_overwritten(plan, *offset))
				return true;
		}
		plan->current++;
		if (plan->current < plan->ranges)
			plan->next = plan->range[plan->current].first;
	}
	return false;
}

bool mkfs_wipe_plan_left_range(const struct mkfs_wipe_plan *plan, unsigned *index, struct mkfs_wipe_range *range)
{
	if (!plan->stopped)
		return false;
	if (*index < plan->current)
		*index = plan->current;
	for (; *index < plan->ranges; (*index)++) {
		*range = plan->range[*index];
		if (*index == plan->current)
			range->first = plan->next;
		if (range->first < range->last) {
			(*index)++;
			return true;
		}
	}
	return false;
}

uint64_t mkfs_wipe_plan_left(const struct mkfs_wipe_plan *plan)
{
	struct mkfs_wipe_range range;
	uint64_t left = 0;

	for (unsigned i = 0; mkfs_wipe_plan_left_range(plan, &i, &range);)
		left += range.last - range.first;
	return left;
}
