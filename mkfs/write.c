/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write.c - the order in which a file system comes into being.
 *
 *	1. old signatures are zeroed		flush: now nothing on the device can be mounted
 *	   both ends of the device are zeroed	flush
 *	2. discard; log, old secondaries, groups, inodes	flush: now all is there but the primary superblock
 *	3. the primary superblock		flush
 *
 * So at any point, whether it ends by a signal, an error or a power cut and whatever the device's cache kept of the
 * writes between two flushes, either nothing is mountable or the complete new file system is.
 */
#include <errno.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <xx/context.h>
#include <xx/device.h>
#include <xx/xfs_build.h>

#include "mkfs/batch.h"
#include "mkfs/contents.h"

static int plan(const struct mkfs_run *run, struct xx_xfs_new *fs)
{
	int err = xx_xfs_new_plan(fs, run->geo, run->now, run->random);

	if (err == -ENOSPC)
		xx_error(run->ctx, "%s: the first allocation group has no room for the root directory.",
			 run->target[MKFS_DATA].name);
	else if (err == -EOPNOTSUPP)
		xx_error(run->ctx,
			 "%s: the realtime bitmap does not fit into few enough pieces; larger allocation "
			 "groups or realtime extents help.",
			 run->target[MKFS_DATA].name);
	else if (err)
		xx_error(run->ctx, "%s: this geometry cannot be built: %s.", run->target[MKFS_DATA].name,
			 strerror(-err));
	return err;
}

/* The size of a device or file now, or what was found when it was opened. */
static uint64_t size_now(const struct mkfs_target *target)
{
	const struct xx_device_info *info = xx_device_info(target->dev);
	const int fd = xx_device_fd(target->dev);
	uint64_t size;
	struct stat st;

	if (info->kind == XX_DEVICE_BLOCK && ioctl(fd, BLKGETSIZE64, &size) == 0)
		return size;
	if (info->kind == XX_DEVICE_FILE && fstat(fd, &st) == 0)
		return (uint64_t)st.st_size;
	return info->size;
}

/* A device that shrank meanwhile took all writes so far, perhaps, but has no room for the file system. */
static int check_size(const struct mkfs_run *run, const struct mkfs_target *target, uint64_t needed)
{
	if (!target->dev || size_now(target) >= needed)
		return 0;
	xx_error(run->ctx, "%s became smaller while the file system was made. There is no file system on it now.",
		 target->name);
	return -ENOSPC;
}

static int check_sizes(const struct mkfs_run *run)
{
	const struct xx_xfs_geometry *geo = run->geo;
	int err = check_size(run, &run->target[MKFS_DATA], geo->data_blocks * geo->block_size);

	if (!err)
		err = check_size(run, &run->target[MKFS_LOG], (uint64_t)geo->log_blocks * geo->block_size);
	if (!err)
		err = check_size(run, &run->target[MKFS_RT], geo->rt_blocks * geo->block_size);
	return err;
}

static int write_all_but_primary(struct mkfs_run *run, const struct xx_xfs_new *fs)
{
	int err = 0;

	for (unsigned i = 0; !err && i < MKFS_TARGETS; i++)
		err = mkfs_discard(run, &run->target[i]);
	if (!err)
		err = mkfs_zero_log(run);
	if (!err)
		err = mkfs_wipe(run);
	if (!err)
		err = mkfs_write_groups(run, fs);
	if (!err)
		err = mkfs_contents_write_others(run);
	if (!err)
		err = check_sizes(run);
	if (!err)
		err = mkfs_run_check(run);
	return err ? err : mkfs_run_flush(run);
}

/* It failed, and the device may have it all the same: do what can be done for it not to stay. */
static void withdraw_primary(struct mkfs_run *run)
{
	struct mkfs_target *target = &run->target[MKFS_DATA];
	struct xx_request req;
	void *zeros = mkfs_run_zeros(run);
	int err;

	if (!zeros)
		return;
	xx_request_init(&req, XX_OP_WRITE, target->dev, 0, zeros, run->geo->sector_size, NULL, NULL);
	err = xx_ring_run(run->ring, &req);
	if (!err) {
		xx_request_init(&req, XX_OP_FLUSH, target->dev, 0, NULL, 0, NULL, NULL);
		err = xx_ring_run(run->ring, &req);
	}
	if (err)
		xx_error(run->ctx, "%s: the superblock may be on it all the same; it could not be zeroed again: %s.",
			 target->name, strerror(-err));
}

static int write_primary(struct mkfs_run *run, const struct xx_xfs_new *fs)
{
	struct mkfs_batch batch;
	struct mkfs_slot *slot;
	int err = mkfs_batch_init(&batch, run, &run->target[MKFS_DATA], 1, run->geo->sector_size);

	if (err)
		return err;
	err = mkfs_batch_get(&batch, &slot);
	if (!err) {
		xx_xfs_new_super_build(fs, slot->buf);
		err = mkfs_batch_write(&batch, slot, 0, slot->buf, run->geo->sector_size);
	}
	err = mkfs_batch_finish(&batch, err, "superblock");
	if (!err)
		err = mkfs_run_flush(run);
	if (err && err != -EINTR)
		withdraw_primary(run);
	return err;
}

int mkfs_write(struct mkfs_run *run)
{
	struct xx_xfs_new fs;
	int err = plan(run, &fs);

	if (!err)
		err = mkfs_run_check(run);
	if (!err)
		err = mkfs_zero_signatures(run);
	if (!err)
		err = write_all_but_primary(run, &fs);
	if (!err)
		err = write_primary(run, &fs);
	if (err == -EINTR)
		xx_error(run->ctx, "%s: interrupted. %s", run->target[MKFS_DATA].name, mkfs_run_outcome(run));
	return err;
}
