/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine.h - what an engine of a ring has to provide. An engine is one file and one row of the table in engine.c.
 *
 * An engine moves slots: it is given them with commit, and gives each of them back once with reap, with `res` filled
 * in. It runs in the owner's thread and calls nobody back. When it has a completion that does not come from a queue of
 * the kernel on which its `wait` waits, it calls xx_inbox_notify(), so that the owner does not sleep over it. The core (ring.c,
 * slot.c) does all the rest: cutting, merging, continuing, retrying, errors.
 */
#ifndef XX_IO_ENGINE_H
#define XX_IO_ENGINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>
#include <xx/ring.h>
#include "io/device_impl.h"
#include "io/inbox.h"

struct xx_engine;

enum {
	XX_SLOT_SMALL = 4, /* parts of a transfer that take no extra memory */
};

/* One transfer: all of a request, a piece of it, or several merged ones. There are `depth` of them in a ring. */
struct xx_slot {
	/* What an engine needs. It may change iov, iovcnt and left: they are made anew for each attempt. */
	struct xx_device *device;
	enum xx_op op;
	enum xx_zero_method method; /* when op is XX_OP_ZERO */
	uint32_t index; /* below depth, for the engine's own arrays */
	uint32_t iovcnt;
	uint64_t at; /* byte offset where this attempt begins */
	uint64_t left; /* bytes of this attempt */
	struct iovec *iov;
	int res; /* read, write: bytes transferred; others: 0; or negative errno */
	uint8_t tamper; /* enum xx_fault_kind, of the fault engine */
	uint32_t age; /* of the fault engine */

	/* What the core knows. */
	struct xx_slot *next;
	struct xx_engine *engine;
	struct xx_request *req; /* the first one, when merged */
	bool merged;
	bool zeros; /* a request to zero that turned into writes */
	uint16_t tries; /* attempts without progress */
	uint64_t offset, length; /* all of it */
	uint64_t done;
	uint32_t iov_index; /* where in the array of a request that is cut this begins */
	uint64_t iov_skip;
	uint32_t iovcap;
	struct iovec small[XX_SLOT_SMALL];
};

struct xx_slot_list {
	struct xx_slot *first, *last;
};

static inline void xx_slot_append(struct xx_slot_list *list, struct xx_slot *slot)
{
	slot->next = NULL;
	if (list->last)
		list->last->next = slot;
	else
		list->first = slot;
	list->last = slot;
}

static inline struct xx_slot *xx_slot_take(struct xx_slot_list *list)
{
	struct xx_slot *slot = list->first;

	if (slot) {
		list->first = slot->next;
		if (!list->first)
			list->last = NULL;
		slot->next = NULL;
	}
	return slot;
}

/* The transfer as a function that does it at once wants it. */
static inline struct xx_transfer xx_slot_transfer(const struct xx_slot *slot)
{
	return (struct xx_transfer){
		.op = slot->op,
		.method = slot->method,
		.offset = slot->at,
		.length = slot->left,
		.iov = slot->iov,
		.iovcnt = (int)slot->iovcnt,
	};
}

/* What an engine is told when it is made. */
struct xx_engine_setup {
	struct xx_ctx *ctx;
	struct xx_inbox *inbox;
	uint32_t depth;
	uint32_t threads; /* at most, for the engine that has them */
};

struct xx_engine_ops {
	const char *name;
	/* Enter what is described below into the engine. Negative errno when it does not work here; no message. */
	int (*create)(struct xx_engine *engine, const struct xx_engine_setup *setup);
	/* Nothing is with it any more. */
	void (*destroy)(struct xx_engine *engine);
	/*
	 * Take slots, the first so many of the array, and start them: how many (at least one), or a negative errno and
	 * none. -EAGAIN, -EBUSY, -ENOMEM and -EINTR mean to try again later; any other belongs to the first slot.
	 */
	int (*commit)(struct xx_engine *engine, struct xx_slot **slots, uint32_t count);
	/* Append what has completed to @done, without waiting. 0, or a negative errno of the engine itself. */
	int (*reap)(struct xx_engine *engine, struct xx_slot_list *done);
	/*
	 * Only of an engine whose completions come from the kernel: wait until there is one, or the inbox was notified.
	 * May return early. The others have NULL: they notify.
	 */
	int (*wait)(struct xx_engine *engine);
	/* Hints, may be NULL: memory and the device that most requests use. */
	void (*memory)(struct xx_engine *engine, void *base, size_t length);
	void (*file)(struct xx_engine *engine, struct xx_device *device);
};

struct xx_engine {
	const struct xx_engine_ops *ops;
	uint32_t can; /* bits 1 << enum xx_op */
	bool waits; /* has ops->wait */
	void *private;

	/* The core's: slots that are ready to go down, and how many are down. */
	struct xx_slot **batch;
	uint32_t batched;
	uint32_t taken;
	uint32_t stalls; /* commits in a row that found no room */
};

enum {
	XX_CAN_MOVE = 1 << XX_OP_READ | 1 << XX_OP_WRITE,
	XX_CAN_ALL = XX_CAN_MOVE | 1 << XX_OP_FLUSH | 1 << XX_OP_ZERO | 1 << XX_OP_DISCARD,
	XX_STALLS_MAX = 64,
};

extern const struct xx_engine_ops xx_engine_uring;
extern const struct xx_engine_ops xx_engine_aio;
extern const struct xx_engine_ops xx_engine_threads;
extern const struct xx_engine_ops xx_engine_memory;

/* Make an engine, with its batch. */
int xx_engine_create(const struct xx_engine_ops *ops, const struct xx_engine_setup *setup, struct xx_engine **out);
void xx_engine_destroy(struct xx_engine *engine);

/* The engine of that kind, or the best one that works. A message when there is none. */
int xx_engine_choose(enum xx_engine_id id, const struct xx_engine_setup *setup, struct xx_engine **out);

/* Stack the fault engine on one that may be at work. The same again when it is stacked already. 0 or -ENOMEM. */
int xx_engine_add_faults(struct xx_engine *engine, struct xx_inbox *inbox);

#endif
