/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zero_log.c - the journal is zeros but for its first record. Where a file has a hole there it is zeros already;
 * else the ring's zero request finds the cheapest way that the device knows.
 */
#include <xx/device.h>
#include <xx/ring.h>
#include <xx/units.h>

#include "mkfs/run.h"

/* A signal is seen between two pieces. */
#define PIECE (256 * XX_MIB)

int mkfs_zero_log(struct mkfs_run *run)
{
	struct mkfs_target *target = &run->target[run->geo->log_internal ? MKFS_DATA : MKFS_LOG];
	const uint64_t start = xx_xfs_log_offset(run->geo);
	const uint64_t end = start + xx_xfs_log_bytes(run->geo);
	struct xx_progress *progress;
	int err = 0;

	if (xx_device_info(target->dev)->kind == XX_DEVICE_FILE &&
	    mkfs_probe_is_hole(xx_device_fd(target->dev), start, end - start))
		return 0;
	progress = mkfs_run_progress(run, "zeroing the log", end - start, false);
	for (uint64_t at = start; !err && at < end;) {
		const uint64_t len = xx_min(end - at, PIECE);
		struct xx_request req;

		xx_request_init(&req, XX_OP_ZERO, target->dev, at, NULL, len, NULL, NULL);
		target->dirty = true;
		err = mkfs_run_check(run);
		if (!err)
			err = xx_ring_run(run->ring, &req);
		if (err)
			err = mkfs_run_failed(run, target, "zeros of the log", at, err);
		at += len;
		xx_progress_add(progress, len);
	}
	xx_progress_finish(progress);
	xx_progress_destroy(progress);
	return err;
}
