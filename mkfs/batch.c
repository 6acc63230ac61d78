/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch.c - slots for writes, reused as they complete.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <xx/context.h>
#include <xx/units.h>

#include "mkfs/batch.h"

static void slot_done(struct xx_request *req)
{
	struct mkfs_slot *slot = req->private;
	struct mkfs_batch *batch = slot->batch;

	if (req->result && !batch->error) {
		batch->error = req->result;
		batch->error_offset = req->offset;
	}
	slot->next = batch->free;
	batch->free = slot;
}

/* The slots and the buffers; neither is touched before it is used, so a small batch takes little memory. */
static int allocate(struct mkfs_batch *batch)
{
	batch->slots = calloc(batch->count, sizeof(*batch->slots));
	if (!batch->slots)
		return -ENOMEM;
	if (batch->buf_bytes == 0)
		return 0;
	batch->memory =
		mmap(NULL, batch->count * batch->buf_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (batch->memory == MAP_FAILED) {
		batch->memory = NULL;
		free(batch->slots);
		return -ENOMEM;
	}
	return 0;
}

int mkfs_batch_init(struct mkfs_batch *batch, struct mkfs_run *run, struct mkfs_target *target, uint64_t most,
		    size_t buf_bytes)
{
	uint64_t count = xx_min(xx_ring_depth(run->ring), xx_max(most, 1));

	if (buf_bytes > 0)
		count = xx_max(1, xx_min(count, MKFS_BATCH_BYTES / buf_bytes));
	*batch = (struct mkfs_batch){
		.run = run,
		.target = target,
		.count = (uint32_t)count,
		.buf_bytes = buf_bytes,
	};
	if (allocate(batch)) {
		xx_error(run->ctx, "Not enough memory.");
		return -ENOMEM;
	}
	return 0;
}

int mkfs_batch_get(struct mkfs_batch *batch, struct mkfs_slot **slot)
{
	int err = mkfs_run_check(batch->run);

	if (!err && !batch->free && batch->used < batch->count) {
		*slot = &batch->slots[batch->used];
		(*slot)->batch = batch;
		if (batch->memory)
			(*slot)->buf = batch->memory + batch->used * batch->buf_bytes;
		batch->used++;
		return batch->error;
	}
	while (!err && !batch->free) {
		err = xx_ring_wait(batch->run->ring, 1);
		if (err > 0)
			err = mkfs_run_check(batch->run);
	}
	if (!err)
		err = batch->error;
	if (err)
		return err;
	*slot = batch->free;
	batch->free = (*slot)->next;
	return 0;
}

int mkfs_batch_write(struct mkfs_batch *batch, struct mkfs_slot *slot, uint64_t offset, void *buf, size_t length)
{
	int err;

	xx_request_init(&slot->req, XX_OP_WRITE, batch->target->dev, offset, buf, length, slot_done, slot);
	err = xx_ring_queue(batch->run->ring, &slot->req);
	if (err && !batch->error) {
		batch->error = err;
		batch->error_offset = offset;
	}
	if (!err)
		batch->target->dirty = true;
	return err;
}

int mkfs_batch_finish(struct mkfs_batch *batch, int err, const char *what)
{
	const int drained = xx_ring_drain(batch->run->ring);

	if (!err)
		err = batch->error ? batch->error : drained;
	if (err)
		err = mkfs_run_failed(batch->run, batch->target, what, batch->error_offset, err);
	if (batch->memory)
		munmap(batch->memory, batch->count * batch->buf_bytes);
	free(batch->slots);
	return err;
}
