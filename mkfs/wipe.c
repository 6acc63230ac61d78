/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wipe.c - zeroes the secondary superblocks of a former XFS, as wipe_plan.c orders them, with the ring full.
 *
 * The time: with the ring full, the 102,400 secondaries of a former 100 PB take 2.6 s (39,000 sectors each second,
 * on a sparse file on XFS on a loop device, two busy cores), so the budget of 5 s is worth some 190,000 of them: any
 * file system up to that size is wiped wholly. A disk that does 100 of them each second gets through 500 in that time
 * (a former 500 TB), and a crafted superblock cannot keep us longer than the budget and the 12,000 writes that are
 * made in any case.
 */
#include <errno.h>
#include <inttypes.h>

#include <xx/clock.h>
#include <xx/context.h>

#include "mkfs/batch.h"
#include "mkfs/wipe_plan.h"

/* The clock is read once in so many writes. */
#define CLOCK_EVERY 64

static void describe_new(const struct mkfs_run *run, struct mkfs_wipe_new *new)
{
	const struct xx_xfs_geometry *geo = run->geo;

	*new = (struct mkfs_wipe_new){
		.size = geo->data_blocks * geo->block_size,
		.group_bytes = (uint64_t)geo->ag_blocks * geo->block_size,
		.header_bytes = (uint64_t)geo->root_block.first_free * geo->block_size,
	};
	if (geo->log_internal) {
		new->log_start = xx_xfs_log_offset(geo);
		new->log_end = new->log_start + xx_xfs_log_bytes(geo);
	}
}

static int wipe_all(struct mkfs_batch *batch, struct mkfs_wipe_plan *plan, struct xx_progress *progress,
		    uint64_t *wiped)
{
	const uint64_t end = xx_clock_monotonic() + MKFS_WIPE_SECONDS * UINT64_C(1000000000);
	bool late = false;
	uint64_t offset;

	while (mkfs_wipe_plan_next(plan, late, &offset)) {
		struct mkfs_slot *slot;
		int err = mkfs_batch_get(batch, &slot);

		if (!err)
			err = mkfs_batch_write(batch, slot, offset, batch->run->zeros, plan->unit);
		if (err)
			return err;
		xx_progress_add(progress, 1);
		if (++*wiped % CLOCK_EVERY == 0)
			late = xx_clock_monotonic() > end;
	}
	return 0;
}

static void report(const struct mkfs_run *run, const struct mkfs_wipe_plan *plan, uint64_t wiped)
{
	const char *name = run->target[MKFS_DATA].name;
	const uint64_t left = mkfs_wipe_plan_left(plan);
	struct mkfs_wipe_range range;

	xx_verbose(run->ctx, "%s: wiped %" PRIu64 " old secondary superblocks of %" PRIu64 ".", name, wiped,
		   plan->old.ag_count - 1);
	if (left == 0)
		return;
	xx_verbose(run->ctx, "%s: after %d seconds, %" PRIu64 " old secondary superblocks were left.", name,
		   MKFS_WIPE_SECONDS, left);
	for (unsigned i = 0; mkfs_wipe_plan_left_range(plan, &i, &range);)
		xx_verbose(run->ctx,
			   "%s: left: those of the old groups %" PRIu64 " to %" PRIu64 " (bytes %" PRIu64 " to %" PRIu64
			   ").",
			   name, range.first, range.last - 1, range.first * plan->old.ag_bytes,
			   (range.last - 1) * plan->old.ag_bytes);
}

int mkfs_wipe(struct mkfs_run *run)
{
	struct mkfs_target *target = &run->target[MKFS_DATA];
	struct mkfs_wipe_plan plan;
	struct mkfs_wipe_new new;
	struct mkfs_batch batch;
	struct xx_progress *progress;
	uint64_t wiped = 0;
	int err;

	if (target->fresh || !target->probe.has_old || target->probe.old.ag_count < 2)
		return 0;
	if (!mkfs_run_zeros(run))
		return -ENOMEM;
	describe_new(run, &new);
	mkfs_wipe_plan_make(&plan, &target->probe.old, &new, mkfs_target_unit(target));
	err = mkfs_batch_init(&batch, run, target, plan.old.ag_count, 0);
	if (err)
		return err;
	progress = mkfs_run_progress(run, "wiping old superblocks", plan.old.ag_count - 1, true);
	err = mkfs_batch_finish(&batch, wipe_all(&batch, &plan, progress, &wiped), "zeros over old superblocks");
	xx_progress_finish(progress);
	xx_progress_destroy(progress);
	if (!err)
		report(run, &plan, wiped);
	return err;
}
