/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.c - what the steps of making a file system share.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xx/context.h>
#include <xx/device.h>
#include <xx/ring.h>
#include <xx/units.h>

#include "mkfs/run.h"

int mkfs_run_check(const struct mkfs_run *run)
{
	return run->stopped && run->stopped() ? -EINTR : 0;
}

void *mkfs_run_zeros(struct mkfs_run *run)
{
	if (!run->zeros) {
		run->zeros = aligned_alloc(65536, MKFS_END_BYTES);
		if (run->zeros)
			memset(run->zeros, 0, MKFS_END_BYTES);
		else
			xx_error(run->ctx, "Not enough memory.");
	}
	return run->zeros;
}

uint32_t mkfs_target_unit(const struct mkfs_target *target)
{
	const struct xx_device_info *info = xx_device_info(target->dev);
	uint32_t unit = info->logical_sector > info->offset_align ? info->logical_sector : info->offset_align;

	return unit > XX_SECTOR ? unit : (uint32_t)XX_SECTOR;
}

const char *mkfs_run_outcome(const struct mkfs_run *run)
{
	if (run->cleared)
		return "There is no file system on it now.";
	return run->touched ? "What it held may be damaged." : "It was not touched.";
}

int mkfs_run_failed(const struct mkfs_run *run, const struct mkfs_target *target, const char *what, uint64_t offset,
		    int err)
{
	if (err == -EINTR)
		return err;
	if (err == -ENOSPC)
		xx_error(run->ctx, "%s: no space left for the %s (at byte %llu). %s", target->name, what,
			 (unsigned long long)offset, mkfs_run_outcome(run));
	else
		xx_error(run->ctx, "%s: cannot write the %s (at byte %llu): %s. %s", target->name, what,
			 (unsigned long long)offset, strerror(-err), mkfs_run_outcome(run));
	return err;
}

int mkfs_run_flush(struct mkfs_run *run)
{
	for (unsigned i = 0; i < MKFS_TARGETS; i++) {
		struct mkfs_target *target = &run->target[i];
		struct xx_request req;
		int err;

		if (!target->dev || !target->dirty)
			continue;
		xx_request_init(&req, XX_OP_FLUSH, target->dev, 0, NULL, 0, NULL, NULL);
		err = xx_ring_run(run->ring, &req);
		if (err) {
			xx_error(run->ctx, "%s: what was written could not be made durable: %s. %s", target->name,
				 strerror(-err), mkfs_run_outcome(run));
			return err;
		}
		target->dirty = false;
	}
	return 0;
}

struct xx_progress *mkfs_run_progress(const struct mkfs_run *run, const char *what, uint64_t total, bool items)
{
	const struct xx_progress_options options = {
		.what = what,
		.total = total,
		.items = items,
		.delay_ms = run->draw_delay_ms,
		.interval_ms = run->draw_interval_ms,
		.draw = run->draw,
	};
	struct xx_progress *progress;

	if (!run->draw || xx_progress_create(&options, &progress))
		return NULL;
	return progress;
}

void mkfs_run_release(struct mkfs_run *run)
{
	free(run->zeros);
	run->zeros = NULL;
	for (unsigned i = 0; i < MKFS_TARGETS; i++)
		mkfs_probe_release(&run->target[i].probe);
}
