/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plug.c - sorts requests and merges neighbours.
 */
#include <errno.h>
#include <limits.h>
#include <xx/plug.h>
#include <xx/units.h>
#include "io/ring_impl.h"

enum {
	RUNS = 64, /* sorted runs of 1, 2, 4... requests: enough for any number */
};

void xx_plug_init(struct xx_plug *plug, struct xx_ring *ring)
{
	*plug = (struct xx_plug){ .ring = ring };
}

int xx_plug_add(struct xx_plug *plug, struct xx_request *req)
{
	int ret = req->op == XX_OP_FLUSH ? -EINVAL : xx_request_check(req);

	if (ret < 0)
		return ret;
	req->own.next = NULL;
	req->own.chain = NULL;
	if (plug->last)
		plug->last->own.next = req;
	else
		plug->first = req;
	plug->last = req;
	plug->count++;
	if (req->op == XX_OP_READ || req->op == XX_OP_WRITE)
		plug->bytes += req->length;
	return 0;
}

/* Does @a go before @b, or does it not matter? */
static bool is_before(const struct xx_request *a, const struct xx_request *b)
{
	if (a->device != b->device)
		return (uintptr_t)a->device < (uintptr_t)b->device;
	return a->offset <= b->offset;
}

/* Two sorted lists to one; stable. */
static struct xx_request *merge_lists(struct xx_request *a, struct xx_request *b)
{
	struct xx_request *first = NULL, **end = &first;

	while (a && b) {
		struct xx_request **from = is_before(a, b) ? &a : &b;

		*end = *from;
		end = &(*from)->own.next;
		*from = *end;
	}
	*end = a ? a : b;
	return first;
}

/* Merge sort, from short runs to long ones: no memory, no recursion. */
static struct xx_request *sort(struct xx_request *list)
{
	struct xx_request *runs[RUNS] = { 0 };
	struct xx_request *sorted = NULL;

	while (list) {
		struct xx_request *run = list;
		int i = 0;

		list = list->own.next;
		run->own.next = NULL;
		for (; runs[i]; i++) {
			run = merge_lists(runs[i], run);
			runs[i] = NULL;
		}
		runs[i] = run;
	}
	for (int i = 0; i < RUNS; i++)
		if (runs[i])
			sorted = merge_lists(runs[i], sorted);
	return sorted;
}

/* What a merged transfer comes to. */
struct sum {
	uint64_t bytes;
	uint64_t parts;
};

static bool can_merge(const struct xx_request *a, const struct xx_request *b, struct sum sum)
{
	return a->device == b->device && a->op == b->op && (a->op == XX_OP_READ || a->op == XX_OP_WRITE) &&
	       a->offset + a->length == b->offset && sum.bytes + b->length <= a->device->info.max_request &&
	       sum.parts + b->iovcnt <= IOV_MAX;
}

/* Take the first of a sorted list out, with its neighbours chained to it. Returns the rest. */
static struct xx_request *take_chain(struct xx_request *first)
{
	struct sum sum = { first->length, first->iovcnt };
	struct xx_request *last = first;
	struct xx_request *next;

	while ((next = last->own.next) && can_merge(last, next, sum)) {
		last->own.chain = next;
		last->own.next = NULL;
		last = next;
		sum.bytes += next->length;
		sum.parts += next->iovcnt;
	}
	last->own.next = NULL;
	return next;
}

void xx_plug_pull(struct xx_plug *plug)
{
	struct xx_request *list = sort(plug->first);
	struct xx_ring *ring = plug->ring;

	xx_plug_init(plug, ring);
	while (list) {
		struct xx_request *first = list;

		list = take_chain(first);
		xx_ring_enqueue(ring, first);
	}
	xx_ring_push(ring);
}
