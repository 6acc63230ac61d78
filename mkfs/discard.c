/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * discard.c - tells the device that nothing on it is needed.
 *
 * The pieces begin small and double as long as one takes a short time, up to what a thin volume can do at once: few
 * commands where discarding costs nothing, and a signal is seen within a fraction of a second where it costs much.
 * Whoever cannot discard, or does it more slowly than it could be written, is left alone: it is no part of the work.
 *
 * Both ends of the device are left out. They were zeroed just now, and a device need not read as zeros where it was
 * discarded: an old signature could come back.
 */
#include <errno.h>
#include <string.h>

#include <xx/clock.h>
#include <xx/context.h>
#include <xx/device.h>
#include <xx/ring.h>
#include <xx/units.h>

#include "mkfs/run.h"

#define FIRST_PIECE   (2 * XX_GIB)
#define LEAST_PIECE   (64 * XX_MIB)
#define LARGEST_PIECE (512 * XX_TIB)
#define SHORT_NS      UINT64_C(50000000) /* then the next piece is larger */
#define LONG_NS	      UINT64_C(200000000) /* then it is smaller */

/* What any disk writes in a second. Slower than that over the first seconds is slower than writing. */
#define WRITE_RATE (100 * XX_MIB)
#define TRIAL_NS   UINT64_C(2000000000)

struct pace {
	uint64_t piece, begun, done;
};

/* Learn from a piece of @bytes that took @ns. False: it is too slow to go on. */
static bool pace_learn(struct pace *pace, uint64_t bytes, uint64_t ns, uint64_t elapsed)
{
	pace->done += bytes;
	if (ns < SHORT_NS)
		pace->piece = xx_min(pace->piece * 2, LARGEST_PIECE);
	else if (ns > LONG_NS)
		pace->piece = xx_max(pace->piece / 2, LEAST_PIECE);
	return elapsed < TRIAL_NS || pace->done / (elapsed / 1000000) >= WRITE_RATE / 1000;
}

static int discard_range(struct mkfs_run *run, struct mkfs_target *target, struct pace *pace, uint64_t offset,
			 uint64_t end, struct xx_progress *progress)
{
	while (offset < end) {
		const uint64_t len = xx_min(pace->piece, end - offset), start = xx_clock_monotonic();
		struct xx_request req;
		uint64_t now;
		int err = mkfs_run_check(run);

		if (err)
			return err;
		xx_request_init(&req, XX_OP_DISCARD, target->dev, offset, NULL, len, NULL, NULL);
		err = xx_ring_run(run->ring, &req);
		if (err) {
			xx_verbose(run->ctx, "%s: discard ended at byte %llu: %s.", target->name,
				   (unsigned long long)offset, strerror(-err));
			return 0;
		}
		if (run->discarding && pace->done == 0)
			run->discarding(true);
		target->dirty = true;
		offset += len;
		xx_progress_add(progress, len);
		now = xx_clock_monotonic();
		if (!pace_learn(pace, len, now - start, now - pace->begun)) {
			xx_verbose(run->ctx, "%s: discard ended at byte %llu: it is slower than writing.", target->name,
				   (unsigned long long)offset);
			return 0;
		}
	}
	xx_verbose(run->ctx, "%s: discarded.", target->name);
	return 0;
}

int mkfs_discard(struct mkfs_run *run, struct mkfs_target *target)
{
	struct pace pace = { .piece = FIRST_PIECE, .begun = xx_clock_monotonic() };
	const struct xx_device_info *info;
	struct xx_progress *progress;
	uint64_t start, end;
	int err;

	if (!run->discard || !target->dev)
		return 0;
	info = xx_device_info(target->dev);
	if (info->kind == XX_DEVICE_FILE || info->discard_granularity == 0)
		return 0;
	start = xx_round_up(MKFS_END_BYTES, info->discard_granularity);
	end = info->size - xx_min(info->size, MKFS_END_BYTES);
	end = xx_round_down(end, info->discard_granularity);
	if (start >= end)
		return 0;
	progress = mkfs_run_progress(run, "discarding", end - start, false);
	err = discard_range(run, target, &pace, start, end, progress);
	xx_progress_finish(progress);
	xx_progress_destroy(progress);
	if (run->discarding && pace.done > 0)
		run->discarding(false);
	return err;
}
