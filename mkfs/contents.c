/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contents.c - what a new XFS has besides its groups: a chunk of inodes with the root directory, the bitmap and the
 * summary of a realtime section, and the first record of the log.
 */
#include <errno.h>

#include <xx/context.h>
#include <xx/device.h>
#include <xx/units.h>
#include <xx/xfs_build.h>

#include "mkfs/batch.h"

/* Realtime files are written in pieces of about this many bytes. */
#define PIECE (256 * XX_KIB)

static int write_chunk(struct mkfs_batch *batch, const struct xx_xfs_new *fs)
{
	struct mkfs_slot *slot;
	int err = mkfs_batch_get(batch, &slot);

	if (!err)
		err = xx_xfs_new_chunk_build(fs, slot->buf);
	if (!err)
		err = mkfs_batch_write(batch, slot, fs->chunk_offset, slot->buf, fs->chunk_bytes);
	return err;
}

/* @blocks of an extent, from its block @first on. */
static int write_rt_piece(struct mkfs_batch *batch, const struct xx_xfs_new *fs,
			  const struct xx_xfs_new_rt_extent *extent, uint32_t first, uint32_t blocks)
{
	const uint32_t block_size = fs->geo->block_size;
	struct mkfs_slot *slot;
	int err = mkfs_batch_get(batch, &slot);

	if (err)
		return err;
	for (uint32_t i = 0; i < blocks; i++)
		xx_xfs_new_rt_block(fs, extent->summary, extent->offset + first + i,
				    slot->buf + (size_t)i * block_size);
	return mkfs_batch_write(batch, slot, xx_xfs_ag_offset(fs->geo, extent->agno, extent->agbno + first), slot->buf,
				(size_t)blocks * block_size);
}

static int write_rt_files(struct mkfs_batch *batch, const struct xx_xfs_new *fs)
{
	const uint32_t most = (uint32_t)(PIECE / fs->geo->block_size);

	for (uint32_t i = 0; i < fs->rt_extent_count; i++) {
		const struct xx_xfs_new_rt_extent *extent = &fs->rt_extent[i];

		for (uint32_t at = 0; at < extent->len;) {
			const uint32_t blocks = (uint32_t)xx_min(extent->len - at, most);
			int err = write_rt_piece(batch, fs, extent, at, blocks);

			if (err)
				return err;
			at += blocks;
		}
	}
	return 0;
}

static int write_data(struct mkfs_run *run, const struct xx_xfs_new *fs)
{
	struct mkfs_batch batch;
	int err = mkfs_batch_init(&batch, run, &run->target[MKFS_DATA], UINT64_MAX, xx_max(fs->chunk_bytes, PIECE));

	if (err)
		return err;
	err = write_chunk(&batch, fs);
	if (!err)
		err = write_rt_files(&batch, fs);
	return mkfs_batch_finish(&batch, err, "inodes");
}

static int write_log_head(struct mkfs_run *run)
{
	struct mkfs_target *target = &run->target[run->geo->log_internal ? MKFS_DATA : MKFS_LOG];
	const size_t bytes = xx_xfs_log_head_bytes(run->geo);
	struct mkfs_batch batch;
	struct mkfs_slot *slot;
	int err = mkfs_batch_init(&batch, run, target, 1, bytes);

	if (err)
		return err;
	err = mkfs_batch_get(&batch, &slot);
	if (!err) {
		xx_xfs_log_head_build(run->geo, slot->buf);
		err = mkfs_batch_write(&batch, slot, xx_xfs_log_offset(run->geo), slot->buf, bytes);
	}
	return mkfs_batch_finish(&batch, err, "log");
}

/* The last block of the realtime device, so that one that is shorter than it says fails now. */
static int write_rt_end(struct mkfs_run *run)
{
	struct mkfs_target *target = &run->target[MKFS_RT];
	struct mkfs_batch batch;
	struct mkfs_slot *slot;
	int err;

	if (!target->dev || run->geo->rt_blocks == 0)
		return 0;
	err = mkfs_batch_init(&batch, run, target, 1, run->geo->block_size);
	if (err)
		return err;
	err = mkfs_batch_get(&batch, &slot);
	if (!err)
		err = mkfs_batch_write(&batch, slot, (run->geo->rt_blocks - 1) * run->geo->block_size, slot->buf,
				       run->geo->block_size);
	return mkfs_batch_finish(&batch, err, "end of the realtime device");
}

int mkfs_write_contents(struct mkfs_run *run, const struct xx_xfs_new *fs)
{
	int err = write_data(run, fs);

	if (!err)
		err = write_log_head(run);
	if (!err)
		err = write_rt_end(run);
	return err;
}
