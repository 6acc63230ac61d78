/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.c - the ring: from submit to callback.
 *
 * A request goes through these states, one after the other:
 *
 *	caller's -> pending -> in slots -> ready -> caller's (its callback runs)
 *
 * pending	on the list `pending`, not yet all cut into slots (it may be in slots with its first part already). A chain
 *		of requests that a plug merged stands there as one, under its first.
 * in slots	own.slots of them work for it.
 * ready	on the list `ready`: all slots are through. Callbacks run from there, and only in run_ready().
 *
 * A slot goes through these:
 *
 *	free -> batched -> taken -> free
 *	           ^--- again ---'
 *
 * batched	ready to go down: in the array `batch` of its engine.
 * taken	the engine has it, and so perhaps the kernel: nobody touches it or its memory.
 * again	the attempt was short, or interrupted: what is missing is tried next (xx_ring_complete()).
 *
 * xx_ring_push() moves everything down that can go: it cuts, and hands batches to engines (dispatch.c). When an engine has no room, it
 * first harvests completions, whose requests become ready but whose callbacks do not run: submit pushes.
 * Reaping harvests, pushes (so that the queue is full again before time is spent in callbacks), and runs callbacks.
 *
 * There are up to three engines: the chosen one; a helper thread for what that cannot do; and one that serves devices
 * without file descriptor in the owner's own thread. Only the first is there from the start.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xx/context.h>
#include <xx/units.h>
#include "io/ring_impl.h"

int xx_ring_create(struct xx_ctx *ctx, const struct xx_ring_options *options, struct xx_ring **out)
{
	const struct xx_ring_options none = { 0 };
	struct xx_engine_setup setup;
	struct xx_ring *ring;
	int ret;

	options = options ? options : &none;
	if (options->depth > XX_RING_DEPTH_MAX) {
		xx_error(ctx, "The queue depth must be from 1 to %d.", XX_RING_DEPTH_MAX);
		return -EINVAL;
	}
	ring = calloc(1, sizeof(*ring));
	if (ring) {
		ring->depth = options->depth ? options->depth : XX_RING_DEPTH;
		ring->slots = calloc(ring->depth, sizeof(*ring->slots));
	}
	if (!ring || !ring->slots) {
		xx_error(ctx, "Not enough memory.");
		free(ring);
		return -ENOMEM;
	}
	ring->ctx = ctx;
	xx_inbox_init(&ring->inbox);
	for (uint32_t i = 0; i < ring->depth; i++) {
		ring->slots[i].index = i;
		xx_slot_append(&ring->free, &ring->slots[i]);
	}
	setup = xx_ring_setup(ring, 0);
	ret = xx_engine_choose(options->engine, &setup, &ring->native);
	if (ret < 0) {
		free(ring->slots);
		xx_inbox_destroy(&ring->inbox);
		free(ring);
		return ret;
	}
	ring->engine_name = ring->native->ops->name;
	ring->is_soft = ring->native->ops == &xx_engine_memory;
	*out = ring;
	return 0;
}

/* --- Submitting --- */

int xx_request_check(const struct xx_request *req)
{
	const struct xx_device_info *info = &req->device->info;
	bool moves = req->op == XX_OP_READ || req->op == XX_OP_WRITE;
	uint64_t sum = 0;

	if (req->op != XX_OP_READ && !info->writable)
		return -EBADF;
	if (req->op == XX_OP_FLUSH)
		return 0;
	if (req->length == 0 || req->offset > INT64_MAX || req->length > INT64_MAX - req->offset)
		return -EINVAL;
	if (req->op != XX_OP_DISCARD && (req->offset | req->length) & (info->offset_align - 1))
		return -EINVAL;
	if (!moves)
		return 0;
	for (uint32_t i = 0; i < req->iovcnt; i++) {
		const struct iovec *part = &req->iov[i];

		if (part->iov_len & (info->offset_align - 1) || (uintptr_t)part->iov_base & (info->memory_align - 1))
			return -EINVAL;
		if (part->iov_len > req->length - sum)
			return -EINVAL;
		sum += part->iov_len;
	}
	return sum == req->length ? 0 : -EINVAL;
}

void xx_ring_enqueue(struct xx_ring *ring, struct xx_request *req)
{
	for (struct xx_request *r = req; r; r = r->own.chain) {
		r->own.ring = ring;
		r->own.error = 0;
		r->own.cut = 0;
		r->own.cut_iov = 0;
		r->own.cut_skip = 0;
		r->own.slots = 0;
		r->own.cutting = true;
		ring->inflight++;
		ring->stats.merged += req->own.chain != NULL;
	}
	xx_request_append(&ring->pending, req);
}

int xx_ring_queue(struct xx_ring *ring, struct xx_request *req)
{
	int ret = xx_request_check(req);

	if (ret < 0)
		return ret;
	req->own.chain = NULL;
	xx_ring_enqueue(ring, req);
	return 0;
}

void xx_ring_commit(struct xx_ring *ring)
{
	xx_ring_push(ring);
}

int xx_ring_submit(struct xx_ring *ring, struct xx_request *req)
{
	int ret = xx_ring_queue(ring, req);

	if (ret == 0)
		xx_ring_push(ring);
	return ret;
}

/* --- Completing --- */

static int run_ready(struct xx_ring *ring)
{
	struct xx_request_list list = ring->ready;
	struct xx_request *req;
	int count = 0;

	ring->ready = (struct xx_request_list){ 0 };
	while ((req = xx_request_take(&list))) {
		req->own.ring = NULL;
		ring->inflight--;
		count++;
		if (req->done)
			req->done(req);
	}
	return count;
}

static int run_posts(struct xx_ring *ring, struct xx_post *posts)
{
	int count = 0;

	while (posts) {
		struct xx_post *post = posts;

		posts = post->next;
		post->next = NULL;
		if (post->expected) {
			post->expected = false;
			ring->inflight--;
		}
		count++;
		post->run(post);
	}
	return count;
}

/* One round, without waiting: how many callbacks ran, or a negative errno. */
static int turn(struct xx_ring *ring)
{
	struct xx_post *posts = xx_inbox_look(&ring->inbox);
	int ret = xx_ring_harvest(ring);
	int count;

	xx_ring_push(ring);
	ring->running = true;
	count = run_posts(ring, posts);
	count += run_ready(ring);
	ring->running = false;
	return ret < 0 ? ret : count;
}

/*
 * Nothing is ready, but something is in flight: sleep until there may be more. An engine that waits for the kernel is
 * woken by the inbox too; when nothing is with the kernel, the inbox alone can bring news.
 */
static int block(struct xx_ring *ring)
{
	struct xx_engine *native = ring->native;
	int ret = 0;

	if (!native->waits || native->taken == 0) {
		xx_inbox_sleep(&ring->inbox);
		return 0;
	}
	if (!xx_inbox_arm(&ring->inbox))
		return 0;
	ret = native->ops->wait(native);
	xx_inbox_disarm(&ring->inbox);
	return ret;
}

int xx_ring_reap(struct xx_ring *ring)
{
	return ring->running ? -EDEADLK : turn(ring);
}

int xx_ring_wait(struct xx_ring *ring, uint32_t min)
{
	uint32_t count = 0;
	int ret;

	if (ring->running)
		return -EDEADLK;
	for (;;) {
		ret = turn(ring);
		if (ret < 0)
			return ret;
		count += (uint32_t)ret;
		if (count >= min || ring->inflight == 0)
			return (int)count;
		if (ret > 0 || ring->ready.first)
			continue;
		ret = block(ring);
		if (ret < 0)
			return ret;
	}
}

int xx_ring_drain(struct xx_ring *ring)
{
	while (ring->inflight > 0) {
		int ret = xx_ring_wait(ring, 1);

		if (ret < 0)
			return ret;
	}
	return 0;
}

static void run_done(struct xx_request *req)
{
	struct xx_run *run = req->private;

	run->over = true;
	run->result = req->result;
	req->done = run->done;
	req->private = run->private;
	if (req->done)
		req->done(req);
}

/* There is one at a time: callbacks may not wait. Its state lives in the ring, since it may be left by an error. */
int xx_ring_run(struct xx_ring *ring, struct xx_request *req)
{
	int ret = ring->running ? -EDEADLK : xx_request_check(req);

	if (ret < 0)
		return ret;
	ring->run = (struct xx_run){ .done = req->done, .private = req->private };
	req->done = run_done;
	req->private = &ring->run;
	ret = xx_ring_submit(ring, req);
	while (ret >= 0 && !ring->run.over)
		ret = xx_ring_wait(ring, 1);
	return ret < 0 ? ret : ring->run.result;
}

void xx_ring_expect(struct xx_ring *ring, struct xx_post *post)
{
	post->next = NULL;
	post->expected = true;
	ring->inflight++;
}

void xx_ring_post(struct xx_ring *ring, struct xx_post *post)
{
	xx_inbox_post(&ring->inbox, post);
}

void xx_ring_destroy(struct xx_ring *ring)
{
	struct xx_engine *engines[XX_ENGINES_MAX];
	uint32_t n;

	if (!ring)
		return;
	if (xx_ring_drain(ring) < 0)
		xx_error(ring->ctx, "The I/O engine %s failed with requests under way.", ring->engine_name);
	turn(ring);
	n = xx_ring_engines(ring, engines);
	for (uint32_t i = 0; i < n; i++)
		xx_engine_destroy(engines[i]);
	for (uint32_t i = 0; i < ring->depth; i++)
		if (ring->slots[i].iov != ring->slots[i].small)
			free(ring->slots[i].iov);
	if (ring->zeros)
		munmap(ring->zeros, XX_ZEROS_SIZE);
	free(ring->slots);
	xx_inbox_destroy(&ring->inbox);
	free(ring);
}

/* --- What a ring is like --- */

const char *xx_ring_engine_name(const struct xx_ring *ring)
{
	return ring->engine_name;
}

uint32_t xx_ring_depth(const struct xx_ring *ring)
{
	return ring->depth;
}

uint64_t xx_ring_inflight(const struct xx_ring *ring)
{
	return ring->inflight;
}

const struct xx_ring_stats *xx_ring_stats(const struct xx_ring *ring)
{
	return &ring->stats;
}

void xx_ring_memory(struct xx_ring *ring, void *base, size_t length)
{
	if (ring->native->ops->memory)
		ring->native->ops->memory(ring->native, base, length);
}

void xx_ring_device(struct xx_ring *ring, struct xx_device *device)
{
	if (ring->native->ops->file && (!device || device->fd >= 0))
		ring->native->ops->file(ring->native, device);
}
