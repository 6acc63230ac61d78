/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * groups.c - all allocation groups: each is built in one buffer and leaves as one write, with the ring full. Nothing
 * is read, and the memory is that of the slots, however many groups there are.
 */
#include <xx/xfs_build.h>

#include "mkfs/batch.h"
#include "mkfs/contents.h"

static int build_all(struct mkfs_batch *batch, const struct xx_xfs_new *fs, struct xx_progress *progress)
{
	const struct xx_xfs_geometry *geo = batch->run->geo;

	for (uint32_t agno = 0; agno < geo->ag_count; agno++) {
		struct mkfs_slot *slot;
		int err = mkfs_batch_get(batch, &slot);

		if (!err)
			err = xx_xfs_new_ag_build(fs, agno, slot->buf);
		if (!err)
			err = mkfs_batch_write(batch, slot, xx_xfs_ag_offset(geo, agno, 0), slot->buf, fs->head_bytes);
		if (err)
			return err;
		xx_progress_add(progress, 1);
	}
	return 0;
}

int mkfs_write_groups(struct mkfs_run *run, const struct xx_xfs_new *fs)
{
	struct xx_progress *progress;
	struct mkfs_batch batch;
	int err;

	err = mkfs_batch_init(&batch, run, &run->target[MKFS_DATA], (uint64_t)run->geo->ag_count + MKFS_CONTENTS_WRITES,
			      mkfs_contents_bytes(fs));
	if (err)
		return err;
	progress = mkfs_run_progress(run, "writing allocation groups", run->geo->ag_count, true);
	err = build_all(&batch, fs, progress);
	if (!err)
		err = mkfs_contents_write(&batch, fs);
	err = mkfs_batch_finish(&batch, err, "allocation groups");
	xx_progress_finish(progress);
	xx_progress_destroy(progress);
	return err;
}
