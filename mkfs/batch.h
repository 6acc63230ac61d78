/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch.h - many writes with the ring full, from a fixed number of slots: memory does not grow with their number.
 *
 *	while (there is more) {
 *		err = mkfs_batch_get(batch, &slot);	waits for a free one
 *		fill slot->buf
 *		err = mkfs_batch_write(batch, slot, offset, slot->buf, length);
 *	}
 *	err = mkfs_batch_finish(batch, err);		waits for all
 */
#ifndef MKFS_BATCH_H
#define MKFS_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include <xx/ring.h>

#include "mkfs/run.h"

struct mkfs_batch;

struct mkfs_slot {
	struct xx_request req;
	struct mkfs_batch *batch;
	struct mkfs_slot *next; /* among the free ones */
	uint8_t *buf; /* the slot's own, if the batch has buffers */
};

struct mkfs_batch {
	struct mkfs_run *run;
	struct mkfs_target *target;
	struct mkfs_slot *slots, *free;
	uint32_t count, used; /* slots; of these the ones that have ever been handed out */
	size_t buf_bytes; /* of each slot's buffer; 0: none */
	uint8_t *memory; /* all buffers */
	int error; /* the first write that failed */
	uint64_t error_offset;
};

/* Buffers of a batch take no more than this together. */
#define MKFS_BATCH_BYTES (16u * 1024 * 1024)

/* At most @most writes will be made. 0 or -ENOMEM with a message. */
int mkfs_batch_init(struct mkfs_batch *batch, struct mkfs_run *run, struct mkfs_target *target, uint64_t most,
		    size_t buf_bytes) __attribute__((warn_unused_result));

/* A free slot. An error: a write has failed, or the user wants it to stop. */
int mkfs_batch_get(struct mkfs_batch *batch, struct mkfs_slot **slot) __attribute__((warn_unused_result));

/* Write from @buf, which stays as it is until the batch is finished or the slot is handed out again. */
int mkfs_batch_write(struct mkfs_batch *batch, struct mkfs_slot *slot, uint64_t offset, void *buf, size_t length)
	__attribute__((warn_unused_result));

/*
 * Waits for all and frees everything. @err, or else the first error of a write, which is said with @what it was.
 * Must be called after a successful init, whatever happened since.
 */
int mkfs_batch_finish(struct mkfs_batch *batch, int err, const char *what) __attribute__((warn_unused_result));

#endif
