/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_impl.h - a ring as its own files see it; ring.c says how it works.
 */
#ifndef XX_IO_RING_IMPL_H
#define XX_IO_RING_IMPL_H

#include <xx/ring.h>
#include "io/engine.h"

enum {
	XX_TRIES_MAX =
		64, /* of one transfer without progress: EAGAIN, EINTR, nothing or less than the alignment moved */
	XX_ENGINES_MAX = 3, /* of one ring */
	XX_ZEROS_SIZE = 64 * 1024, /* bytes of the buffer of zeros */
};

struct xx_request_list {
	struct xx_request *first, *last;
};

/* The request of xx_ring_run(), and what the caller had in it. */
struct xx_run {
	xx_request_fn done;
	void *private;
	bool over;
	int result;
};

struct xx_ring {
	struct xx_ctx *ctx;
	uint32_t depth;
	uint64_t inflight; /* submitted or expected, callback not run */
	bool running; /* callbacks */
	struct xx_run run;
	struct xx_ring_stats stats;
	struct xx_inbox inbox;

	struct xx_engine *native; /* the chosen one */
	const char *engine_name;
	bool is_soft; /* the chosen one serves devices without file descriptor too */
	struct xx_engine *helper; /* one thread, made when first needed, for what the native one cannot do */
	struct xx_engine *soft; /* made when first needed, for devices without file descriptor */

	struct xx_request_list pending; /* not, or not yet all, cut into slots */
	struct xx_request_list ready; /* completed, callback not run */
	struct xx_slot *slots;
	struct xx_slot_list free;
	struct xx_slot_list again; /* to be continued or retried */
	void *zeros; /* made when first needed */
};

static inline void xx_request_append(struct xx_request_list *list, struct xx_request *req)
{
	req->own.next = NULL;
	if (list->last)
		list->last->own.next = req;
	else
		list->first = req;
	list->last = req;
}

static inline void xx_request_prepend(struct xx_request_list *list, struct xx_request *req)
{
	req->own.next = list->first;
	list->first = req;
	if (!list->last)
		list->last = req;
}

static inline struct xx_request *xx_request_take(struct xx_request_list *list)
{
	struct xx_request *req = list->first;

	if (req) {
		list->first = req->own.next;
		if (!list->first)
			list->last = NULL;
		req->own.next = NULL;
	}
	return req;
}

/* May this request be submitted? 0, -EINVAL or -EBADF; see xx_ring_submit(). */
int xx_request_check(const struct xx_request *req);

/* Take a checked request, or a chain of merged ones of which it is the first. */
void xx_ring_enqueue(struct xx_ring *ring, struct xx_request *req);

/* slot.c: give slots to what is pending, as many as there are; each goes into the batch of its engine. */
void xx_ring_cut(struct xx_ring *ring);

/* slot.c: an attempt is over. The slot is free after that, or stands on the list `again`. */
void xx_ring_complete(struct xx_ring *ring, struct xx_slot *slot);

/* dispatch.c: what an engine of this ring is made with; threads 0: as many as make sense. */
struct xx_engine_setup xx_ring_setup(struct xx_ring *ring, uint32_t threads);

/* dispatch.c: the engines that are there, and how many. */
uint32_t xx_ring_engines(const struct xx_ring *ring, struct xx_engine *engines[XX_ENGINES_MAX]);

/* dispatch.c: collect what has completed, and settle it; nothing waits, no callback runs. How many, or negative errno. */
int xx_ring_harvest(struct xx_ring *ring);

/* dispatch.c: cut what is pending, and hand all batches down, as far as there is room. */
void xx_ring_push(struct xx_ring *ring);

/* dispatch.c: the engine for a slot, NULL when it cannot be had. */
struct xx_engine *xx_ring_engine(struct xx_ring *ring, const struct xx_slot *slot);

#endif
