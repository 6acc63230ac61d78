/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signatures.c - the old signatures go first: until the primary superblock is written, the last thing of all, nothing
 * on the device is a file system.
 *
 * First only the sectors with a signature, each of which a device writes wholly or not at all, and a flush: before it
 * the old file system is whole (but for spare copies), behind it there is none. Only then the ends, which may be torn.
 */
#include <errno.h>

#include <xx/device.h>
#include <xx/units.h>

#include "mkfs/batch.h"

/* Zeroes [offset, offset + bytes) and what else is in the same units. */
static int zero_range(struct mkfs_batch *batch, uint64_t offset, uint64_t bytes)
{
	const uint32_t unit = mkfs_target_unit(batch->target);
	const uint64_t size = xx_round_down(xx_device_info(batch->target->dev)->size, unit);
	const uint64_t end = xx_min(xx_round_up(offset + bytes, unit), size);

	for (uint64_t at = xx_round_down(offset, unit); at < end;) {
		const size_t len = xx_min(end - at, MKFS_END_BYTES);
		struct mkfs_slot *slot;
		int err = mkfs_batch_get(batch, &slot);

		if (!err)
			err = mkfs_batch_write(batch, slot, at, batch->run->zeros, len);
		if (err)
			return err;
		at += len;
	}
	return 0;
}

/* The sectors that make an old file system one. */
static int zero_places(struct mkfs_batch *batch)
{
	const struct mkfs_probe *probe = &batch->target->probe;
	int err = 0;

	for (size_t i = 0; !err && i < probe->places; i++)
		err = zero_range(batch, probe->place[i].offset, probe->place[i].bytes);
	return err;
}

static int zero_ends(struct mkfs_batch *batch)
{
	const struct mkfs_probe *probe = &batch->target->probe;
	const uint64_t size = xx_device_info(batch->target->dev)->size;
	const uint64_t ends = xx_min(size, MKFS_END_BYTES);
	int err = 0;

	if (probe->head_used)
		err = zero_range(batch, 0, ends);
	if (!err && probe->tail_used && size > MKFS_END_BYTES)
		err = zero_range(batch, xx_max(size - MKFS_END_BYTES, ends), ends);
	return err;
}

/* On all devices, and then made durable. */
static int zero_all(struct mkfs_run *run, int (*zero)(struct mkfs_batch *batch))
{
	for (unsigned i = 0; i < MKFS_TARGETS; i++) {
		struct mkfs_target *target = &run->target[i];
		struct mkfs_batch batch;
		int err;

		if (!target->dev || target->fresh)
			continue;
		err = mkfs_batch_init(&batch, run, target, UINT64_MAX, 0);
		if (!err)
			err = mkfs_batch_finish(&batch, zero(&batch), "zeros over old signatures");
		if (err)
			return err;
	}
	return mkfs_run_flush(run);
}

static bool has_something(const struct mkfs_run *run)
{
	for (unsigned i = 0; i < MKFS_TARGETS; i++) {
		const struct mkfs_probe *probe = &run->target[i].probe;

		if (probe->head_used || probe->tail_used || probe->places > 0)
			return true;
	}
	return false;
}

int mkfs_zero_signatures(struct mkfs_run *run)
{
	int err;

	run->cleared = !has_something(run);
	run->touched = true;
	if (run->cleared)
		return 0;
	if (!mkfs_run_zeros(run))
		return -ENOMEM;
	err = zero_all(run, zero_places);
	run->cleared = err == 0;
	return err ? err : zero_all(run, zero_ends);
}
