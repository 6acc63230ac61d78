/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * delwri.c - delayed-write queues.
 *
 * What a flush does with a buffer ends in one place, settle(), whatever became of it: written, refused by its verifier,
 * not taken by the ring, or failed. There, and only there, it leaves the queue and the queue's reference goes.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xx/context.h>
#include <xx/device.h>
#include "cache/buf.h"

/*
 * A plug is pulled when it has collected so much: large enough that neighbours meet, small enough that the device works
 * while the next ones are verified and stamped.
 */
enum {
	BATCH_REQUESTS = 256,
	BATCH_BYTES = 8 << 20
};

void delwri_init(struct xx_delwri *queue, struct xx_cache *cache)
{
	queue->cache = cache;
	queue->count = 0;
	queue->bytes = 0;
	list_init(&queue->waiting);
	list_init(&queue->writing);
}

void delwri_release(struct xx_delwri *queue)
{
	xx_delwri_cancel(queue);
	assert(queue->count == 0);
}

int xx_delwri_create(struct xx_cache *cache, struct xx_delwri **out)
{
	struct xx_delwri *queue = malloc(sizeof(*queue));

	if (!queue)
		return -ENOMEM;
	delwri_init(queue, cache);
	*out = queue;
	return 0;
}

void xx_delwri_destroy(struct xx_delwri *queue)
{
	if (!queue)
		return;
	delwri_release(queue);
	free(queue);
}

void delwri_append(struct xx_delwri *queue, struct buf *buf)
{
	xx_buf_get(&buf->pub);
	buf->queue = queue;
	list_append(&queue->waiting, &buf->queued);
	queue->count++;
	queue->bytes += buf->pub.length;
}

int xx_delwri_add(struct xx_delwri *queue, struct xx_buf *pub)
{
	struct buf *buf = buf_of(pub);

	assert(buf->cache == queue->cache);
	if (buf->pending || buf->writing || (buf->queue && buf->queue != queue))
		return -EBUSY;
	buf->filled = true;
	buf_set_dirty(buf, true);
	if (!buf->queue)
		delwri_append(queue, buf);
	return 0;
}

void delwri_remove(struct buf *buf)
{
	struct xx_delwri *queue = buf->queue;

	list_del(&buf->queued);
	buf->queue = NULL;
	queue->count--;
	queue->bytes -= buf->pub.length;
	xx_buf_put(&buf->pub);
}

uint64_t xx_delwri_count(const struct xx_delwri *queue)
{
	return queue->count;
}

uint64_t xx_delwri_bytes(const struct xx_delwri *queue)
{
	return queue->bytes;
}

void xx_delwri_cancel(struct xx_delwri *queue)
{
	while (!list_empty(&queue->waiting))
		delwri_remove(xx_container_of(queue->waiting.next, struct buf, queued));
}

static bool lies_before(const struct list *a, const struct list *b)
{
	const struct xx_buf *x = &xx_container_of(a, struct buf, queued)->pub;
	const struct xx_buf *y = &xx_container_of(b, struct buf, queued)->pub;

	if (x->device != y->device)
		return (uintptr_t)x->device < (uintptr_t)y->device;
	return x->offset < y->offset;
}

/* Move the members of two sorted lists to the end of a third, sorted. */
static void merge(struct list *out, struct list *a, struct list *b)
{
	while (!list_empty(a) && !list_empty(b))
		list_move(out, lies_before(b->next, a->next) ? b->next : a->next);
	list_splice(out, a);
	list_splice(out, b);
}

/* Merge sort with a row of lists, of which the i-th is empty or has 2^i members. Takes no memory of its own. */
static void sort(struct list *list)
{
	struct list runs[64];
	struct list carry, merged;
	unsigned used = 0;

	list_init(&carry);
	list_init(&merged);
	while (!list_empty(list)) {
		unsigned i;

		list_move(&carry, list->next);
		for (i = 0; i < used && !list_empty(&runs[i]); i++) {
			merge(&merged, &runs[i], &carry);
			list_splice(&carry, &merged);
		}
		if (i == used)
			list_init(&runs[used++]);
		list_splice(&runs[i], &carry);
	}
	for (unsigned i = 0; i < used; i++) {
		merge(&merged, &runs[i], list);
		list_splice(list, &merged);
	}
}

/* Verify and stamp a buffer. */
static int prepare(struct buf *buf)
{
	const struct xx_buf_ops *ops = buf->pub.ops;
	int ret = 0;

	if (ops && ops->verify_write)
		ret = ops->verify_write(&buf->pub);
	if (!ret && ops && ops->stamp)
		ret = ops->stamp(&buf->pub);
	return ret;
}

/* Hand everything that is sorted to the ring. */
static void submit(struct xx_delwri *queue, struct list *sorted)
{
	struct xx_plug plug;

	xx_plug_init(&plug, queue->cache->ring);
	while (!list_empty(sorted)) {
		struct buf *buf = xx_container_of(sorted->next, struct buf, queued);

		list_move(&queue->writing, &buf->queued);
		buf->writing = true;
		buf->io_error = prepare(buf);
		if (buf->io_error)
			continue;
		buf_submit(buf, XX_OP_WRITE, &plug, buf_piece_done);
		if (plug.count >= BATCH_REQUESTS || plug.bytes >= BATCH_BYTES)
			xx_plug_pull(&plug);
	}
	xx_plug_pull(&plug);
}

static int wait(struct xx_delwri *queue)
{
	struct list *member;

	for (member = queue->writing.next; member != &queue->writing; member = member->next) {
		const int ret = buf_wait(xx_container_of(member, struct buf, queued));

		if (ret)
			return ret;
	}
	return 0;
}

/* Take a buffer of which nothing is under way any more off the queue. What became of it. */
static int settle(struct buf *buf)
{
	const int ret = buf->io_error;

	buf->writing = false;
	buf->pub.error = ret;
	if (!ret)
		buf_set_dirty(buf, false);
	delwri_remove(buf);
	return ret;
}

static void tell(struct xx_delwri *queue, const struct xx_buf *first, uint64_t failures)
{
	const char *name = first->ops ? first->ops->name : "metadata";
	const char *path = xx_device_info(first->device)->path;
	char text[128];
	const char *why = strerror_r(-first->error, text, sizeof(text));

	if (failures == 1)
		xx_error(queue->cache->ctx, "Cannot write %s at byte %" PRIu64 " of %s: %s.", name, first->offset, path,
			 why);
	else
		xx_error(queue->cache->ctx,
			 "Cannot write %" PRIu64 " blocks of metadata, the first one %s at byte %" PRIu64 " of %s: %s.",
			 failures, name, first->offset, path, why);
}

/* Take all off the queue; the first error. */
static int settle_all(struct xx_delwri *queue)
{
	struct xx_buf *first = NULL;
	uint64_t failures = 0;
	int ret;

	while (!list_empty(&queue->writing)) {
		struct buf *buf = xx_container_of(queue->writing.next, struct buf, queued);

		if (!buf->io_error) {
			settle(buf);
			continue;
		}
		if (failures++ == 0)
			first = xx_buf_get(&buf->pub);
		settle(buf);
	}
	if (!first)
		return 0;
	tell(queue, first, failures);
	ret = first->error;
	xx_buf_put(first);
	return ret;
}

int xx_delwri_flush(struct xx_delwri *queue)
{
	struct list sorted;
	int ret;

	list_init(&sorted);
	list_splice(&sorted, &queue->waiting);
	ret = xx_ring_reap(queue->cache->ring);
	if (ret < 0) {
		list_splice(&queue->waiting, &sorted);
		return ret;
	}
	sort(&sorted);
	submit(queue, &sorted);
	ret = wait(queue);
	if (ret)
		return ret;
	return settle_all(queue);
}
