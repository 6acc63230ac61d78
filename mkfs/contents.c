/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contents.c - writes what a new XFS has besides its groups.
 */
#include <errno.h>

#include <xx/device.h>
#include <xx/units.h>
#include <xx/xfs_build.h>

#include "mkfs/contents.h"

size_t mkfs_contents_bytes(const struct xx_xfs_new *fs)
{
	const size_t inner_log = fs->geo->log_internal ? xx_xfs_log_head_bytes(fs->geo) : 0;

	return xx_max(xx_max(fs->head_bytes, fs->chunk_bytes), inner_log);
}

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
	const uint32_t most = (uint32_t)(batch->buf_bytes / fs->geo->block_size);

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

static int write_log_head(struct mkfs_batch *batch)
{
	const struct xx_xfs_geometry *geo = batch->run->geo;
	struct mkfs_slot *slot;
	int err = mkfs_batch_get(batch, &slot);

	if (err)
		return err;
	xx_xfs_log_head_build(geo, slot->buf);
	return mkfs_batch_write(batch, slot, xx_xfs_log_offset(geo), slot->buf, xx_xfs_log_head_bytes(geo));
}

int mkfs_contents_write(struct mkfs_batch *batch, const struct xx_xfs_new *fs)
{
	int err = write_chunk(batch, fs);

	if (!err)
		err = write_rt_files(batch, fs);
	if (!err && fs->geo->log_internal)
		err = write_log_head(batch);
	return err;
}

static int write_external_log(struct mkfs_run *run)
{
	struct mkfs_batch batch;
	int err = mkfs_batch_init(&batch, run, &run->target[MKFS_LOG], 1, xx_xfs_log_head_bytes(run->geo));

	return err ? err : mkfs_batch_finish(&batch, write_log_head(&batch), "log");
}

static int write_rt_end(struct mkfs_run *run)
{
	const uint32_t block_size = run->geo->block_size;
	struct mkfs_batch batch;
	struct mkfs_slot *slot;
	int err = mkfs_batch_init(&batch, run, &run->target[MKFS_RT], 1, block_size);

	if (err)
		return err;
	err = mkfs_batch_get(&batch, &slot);
	if (!err)
		err = mkfs_batch_write(&batch, slot, (run->geo->rt_blocks - 1) * block_size, slot->buf, block_size);
	return mkfs_batch_finish(&batch, err, "end of the realtime device");
}

int mkfs_contents_write_others(struct mkfs_run *run)
{
	int err = 0;

	if (!run->geo->log_internal)
		err = write_external_log(run);
	if (!err && run->target[MKFS_RT].dev && run->geo->rt_blocks > 0)
		err = write_rt_end(run);
	return err;
}
