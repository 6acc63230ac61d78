/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slot.c - cuts requests into transfers, and joins transfers into completions.
 *
 * A request on its own is cut at the device's limit and at IOV_MAX into one slot after another; it is complete when all
 * of it has been cut and no slot works for it any more. Requests that a plug merged share one slot, which is never cut
 * (the plug saw to that). When that fails, the requests go back to the front of the queue, each on its own
 * (split_merged()).
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xx/units.h>
#include "io/ring_impl.h"

/* A place in the iovec array of a request. */
struct place {
	uint32_t index;
	uint64_t skip;
};

/*
 * Walk on from @place over at most @max bytes, and at most @cap parts, which are entered into @iov (NULL: just walk).
 * Returns the bytes, and how many parts in @count.
 */
static uint64_t walk(const struct xx_request *req, struct place *place, uint64_t max, struct iovec *iov, uint32_t cap,
		     uint32_t *count)
{
	uint64_t bytes = 0;

	while (bytes < max && place->index < req->iovcnt && *count < cap) {
		const struct iovec *part = &req->iov[place->index];
		uint64_t n = xx_min(part->iov_len - place->skip, max - bytes);

		if (n && iov)
			iov[*count] = (struct iovec){ (char *)part->iov_base + place->skip, n };
		*count += n != 0;
		bytes += n;
		place->skip += n;
		if (place->skip == part->iov_len)
			*place = (struct place){ place->index + 1, 0 };
	}
	return bytes;
}

/* Room for @count parts. */
static int grow(struct xx_slot *slot, uint32_t count)
{
	struct iovec *iov;

	if (!slot->iov) {
		slot->iov = slot->small;
		slot->iovcap = XX_SLOT_SMALL;
	}
	if (count <= slot->iovcap)
		return 0;
	iov = malloc(count * sizeof(*iov));
	if (!iov)
		return -ENOMEM;
	if (slot->iov != slot->small)
		free(slot->iov);
	slot->iov = iov;
	slot->iovcap = count;
	return 0;
}

static int fill_zeros(struct xx_ring *ring, struct xx_slot *slot)
{
	uint64_t count = xx_div_round_up(slot->left, XX_ZEROS_SIZE);
	int ret = grow(slot, (uint32_t)count);

	if (ret < 0)
		return ret;
	if (!ring->zeros) {
		void *zeros = mmap(NULL, XX_ZEROS_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (zeros == MAP_FAILED)
			return -ENOMEM;
		ring->zeros = zeros;
	}
	for (uint64_t i = 0; i < count; i++)
		slot->iov[i] = (struct iovec){ ring->zeros, xx_min(slot->left - i * XX_ZEROS_SIZE, XX_ZEROS_SIZE) };
	slot->iovcnt = (uint32_t)count;
	return 0;
}

static int fill_merged(struct xx_slot *slot)
{
	uint64_t skip = slot->done;
	uint32_t count = 0;
	int ret;

	for (struct xx_request *req = slot->req; req; req = req->own.chain)
		count += req->iovcnt;
	ret = grow(slot, count);
	if (ret < 0)
		return ret;
	slot->iovcnt = 0;
	for (struct xx_request *req = slot->req; req; req = req->own.chain) {
		struct place place = { 0 };
		uint32_t none = 0;

		skip -= walk(req, &place, skip, NULL, UINT32_MAX, &none);
		walk(req, &place, UINT64_MAX, slot->iov, slot->iovcap, &slot->iovcnt);
	}
	return 0;
}

static int fill_single(struct xx_slot *slot)
{
	const struct xx_request *req = slot->req;
	struct place place = { slot->iov_index, slot->iov_skip };
	uint32_t none = 0;
	int ret;

	ret = grow(slot, (uint32_t)xx_min(req->iovcnt - slot->iov_index, IOV_MAX));
	if (ret < 0)
		return ret;
	walk(req, &place, slot->done, NULL, UINT32_MAX, &none);
	slot->iovcnt = 0;
	walk(req, &place, slot->left, slot->iov, slot->iovcap, &slot->iovcnt);
	return 0;
}

/* Make the next attempt ready: what has not been done yet. */
static int fill(struct xx_ring *ring, struct xx_slot *slot)
{
	slot->at = slot->offset + slot->done;
	slot->left = slot->length - slot->done;
	slot->iovcnt = 0;
	slot->tamper = 0;
	if (slot->op != XX_OP_READ && slot->op != XX_OP_WRITE)
		return 0;
	if (slot->zeros)
		return fill_zeros(ring, slot);
	return slot->merged ? fill_merged(slot) : fill_single(slot);
}

static void finish(struct xx_ring *ring, struct xx_request *req)
{
	struct xx_ring_stats *stats = &ring->stats;

	req->result = req->own.error;
	xx_request_append(&ring->ready, req);
	if (req->result == 0)
		return;
	if (req->op == XX_OP_READ) {
		stats->read_errors++;
		if (!stats->first_read_error)
			stats->first_read_error = req->result;
	} else if (req->op != XX_OP_DISCARD) {
		stats->write_errors++;
		if (!stats->first_write_error)
			stats->first_write_error = req->result;
	}
}

static void release(struct xx_ring *ring, struct xx_slot *slot)
{
	slot->req = NULL;
	xx_slot_append(&ring->free, slot);
}

/* Back to the start, at the front of the queue. */
static void restart(struct xx_ring *ring, struct xx_request *req)
{
	req->own.chain = NULL;
	req->own.cut = 0;
	req->own.cut_iov = 0;
	req->own.cut_skip = 0;
	req->own.cutting = true;
	xx_request_prepend(&ring->pending, req);
}

/* Somewhere in it is an error: each is tried again alone, in the order in which they were merged. */
static void split_merged(struct xx_ring *ring, struct xx_slot *slot)
{
	struct xx_request *reversed = NULL, *next;

	ring->stats.splits++;
	for (struct xx_request *req = slot->req; req; req = next) {
		next = req->own.chain;
		req->own.slots--;
		req->own.next = reversed;
		reversed = req;
	}
	for (struct xx_request *req = reversed; req; req = next) {
		next = req->own.next;
		restart(ring, req);
	}
	release(ring, slot);
}

/* A slot of a request on its own is through with it; @err 0 or negative errno. */
static void end_single(struct xx_ring *ring, struct xx_slot *slot, int err)
{
	struct xx_request *req = slot->req;

	if (err && !req->own.error)
		req->own.error = err;
	req->own.slots--;
	if (req->own.slots == 0 && !req->own.cutting)
		finish(ring, req);
	release(ring, slot);
}

static void end_merged(struct xx_ring *ring, struct xx_slot *slot)
{
	struct xx_request *next;

	for (struct xx_request *req = slot->req; req; req = next) {
		next = req->own.chain;
		req->own.chain = NULL;
		req->own.slots--;
		finish(ring, req);
	}
	release(ring, slot);
}

static bool cannot(int err)
{
	return err == -EOPNOTSUPP || err == -ENOSYS || err == -ENOTTY || err == -EINVAL;
}

/* The device cannot zero like that: it is not asked again, and the request starts anew with the next method. */
static void next_zero_method(struct xx_ring *ring, struct xx_slot *slot)
{
	struct xx_request *req = slot->req;

	atomic_fetch_or_explicit(&slot->device->zero_failed, (unsigned int)slot->method, memory_order_relaxed);
	req->own.slots--;
	restart(ring, req);
	release(ring, slot);
}

static void fail(struct xx_ring *ring, struct xx_slot *slot, int err)
{
	if (slot->merged)
		split_merged(ring, slot);
	else if (slot->op == XX_OP_ZERO && cannot(err))
		next_zero_method(ring, slot);
	else
		end_single(ring, slot, err);
}

/* Another attempt, unless there were many in vain. */
static void again(struct xx_ring *ring, struct xx_slot *slot, int err)
{
	if (++slot->tries > XX_TRIES_MAX)
		fail(ring, slot, err);
	else
		xx_slot_append(&ring->again, slot);
}

/* Something was transferred: how far is it certain? With O_DIRECT the next attempt must begin aligned. */
static void moved(struct xx_ring *ring, struct xx_slot *slot)
{
	uint64_t left = slot->length - slot->done;
	uint64_t moved = (uint64_t)slot->res;

	if (moved >= left) {
		if (slot->merged)
			end_merged(ring, slot);
		else
			end_single(ring, slot, 0);
		return;
	}
	ring->stats.continued++;
	moved = xx_round_down(moved, slot->device->info.offset_align);
	slot->done += moved;
	if (moved)
		slot->tries = 0;
	again(ring, slot, slot->op == XX_OP_READ ? -ENXIO : -EIO);
}

void xx_ring_complete(struct xx_ring *ring, struct xx_slot *slot)
{
	bool moves = slot->op == XX_OP_READ || slot->op == XX_OP_WRITE;

	if (slot->res == -EINTR || slot->res == -EAGAIN) {
		ring->stats.retried++;
		again(ring, slot, slot->res);
	} else if (slot->res < 0) {
		fail(ring, slot, slot->res);
	} else if (!moves) {
		end_single(ring, slot, 0);
	} else if (slot->res == 0) {
		fail(ring, slot, slot->op == XX_OP_READ ? -ENXIO : -EIO);
	} else {
		moved(ring, slot);
	}
}

/* --- Cutting --- */

/* How much of a request goes into the next slot; moves the cut on. */
static uint64_t next_piece(struct xx_request *req, const struct xx_slot *slot)
{
	const struct xx_device_info *info = &slot->device->info;
	struct place place = { req->own.cut_iov, req->own.cut_skip };
	uint64_t left = req->length - req->own.cut;
	uint64_t max = xx_min(left, xx_min(info->max_request, INT_MAX));
	uint32_t count = 0;

	if (slot->op != XX_OP_READ && slot->op != XX_OP_WRITE)
		return left;
	if (slot->zeros)
		return xx_min(max, (uint64_t)XX_ZEROS_SIZE * IOV_MAX);
	max = walk(req, &place, max, NULL, IOV_MAX, &count);
	req->own.cut_iov = place.index;
	req->own.cut_skip = place.skip;
	return max;
}

/* Describe in the slot what it is for; a whole chain, or the next piece of a request. */
static void assign(struct xx_slot *slot, struct xx_request *req)
{
	slot->device = req->device;
	slot->req = req;
	slot->op = req->op;
	slot->method = 0;
	slot->merged = req->own.chain;
	slot->zeros = false;
	slot->tries = 0;
	slot->done = 0;
	slot->offset = req->offset + req->own.cut;
	slot->iov_index = req->own.cut_iov;
	slot->iov_skip = req->own.cut_skip;
	slot->length = 0;
	if (req->op == XX_OP_ZERO) {
		slot->method = xx_device_zero_method(req->device);
		slot->zeros = slot->method == 0;
		slot->op = slot->zeros ? XX_OP_WRITE : XX_OP_ZERO;
	}
	if (!slot->merged) {
		slot->length = next_piece(req, slot);
		req->own.cut += slot->length;
		req->own.slots++;
		return;
	}
	for (; req; req = req->own.chain) {
		slot->length += req->length;
		req->own.cut = req->length;
		req->own.slots++;
		req->own.cutting = false;
	}
}

/* Put a slot into the batch of its engine. */
static void launch(struct xx_ring *ring, struct xx_slot *slot)
{
	int ret = fill(ring, slot);

	if (ret == 0) {
		slot->engine = xx_ring_engine(ring, slot);
		if (!slot->engine)
			ret = -ENOMEM;
	}
	if (ret < 0)
		fail(ring, slot, ret);
	else
		slot->engine->batch[slot->engine->batched++] = slot;
}

/* The first of the queue gets a slot; or it has failed already, and the rest of it is not tried. */
static void cut_first(struct xx_ring *ring)
{
	struct xx_request *req = ring->pending.first;
	struct xx_slot *slot = NULL;

	if (!req->own.error) {
		slot = xx_slot_take(&ring->free);
		assign(slot, req);
	}
	if (!slot || req->own.cut == req->length || req->op == XX_OP_FLUSH) {
		xx_request_take(&ring->pending);
		req->own.cutting = false;
	}
	if (slot)
		launch(ring, slot);
	else if (req->own.slots == 0)
		finish(ring, req);
}

void xx_ring_cut(struct xx_ring *ring)
{
	struct xx_slot_list list = ring->again;
	struct xx_slot *slot;

	ring->again = (struct xx_slot_list){ 0 };
	while ((slot = xx_slot_take(&list)))
		launch(ring, slot);
	while (ring->pending.first && ring->free.first)
		cut_first(ring);
}
