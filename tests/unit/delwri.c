/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * delwri.c - tests of delayed-write queues, on each engine. Many are named after a fault of other programs that must
 * not happen here.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "cachetest.h"

static struct xx_delwri *new_queue(struct rig *rig)
{
	struct xx_delwri *queue;

	cr_assert_eq(xx_delwri_create(rig->cache, &queue), 0);
	return queue;
}

/* Fill block @nr, queue it, and give the reference back. */
static void enqueue(struct rig *rig, struct xx_delwri *queue, unsigned nr, uint32_t value)
{
	struct xx_buf *buf = rig_fill(rig, nr, value);

	cr_assert_eq(xx_delwri_add(queue, buf), 0);
	xx_buf_put(buf);
}

ON_EACH_ENGINE(delwri, adding_does_not_take_the_callers_reference)
{
	struct rig rig;
	struct xx_delwri *queue;
	struct xx_buf *buf;

	rig_open(&rig, *kind, 0);
	queue = new_queue(&rig);
	buf = rig_fill(&rig, 1, 11);
	cr_expect_eq(rig_refs(buf), 1);
	cr_expect_eq(xx_delwri_add(queue, buf), 0);
	cr_expect_eq(rig_refs(buf), 2, "the queue's own");
	cr_expect_eq(xx_delwri_add(queue, buf), 0);
	cr_expect_eq(rig_refs(buf), 2, "added once only");
	cr_expect_eq(xx_delwri_count(queue), 1);
	cr_expect_eq(xx_delwri_bytes(queue), RIG_BLOCK);
	xx_buf_put(buf);
	cr_expect_eq(rig_refs(buf), 1, "the queue keeps it");
	cr_expect_eq(xx_delwri_flush(queue), 0);
	cr_expect(rig_holds(&rig, RIG_BLOCK, 11));
	xx_delwri_destroy(queue);
	rig_close(&rig);
}

/* The ways in which a buffer leaves a queue. */
enum way {
	WRITTEN,
	REFUSED_BY_VERIFIER,
	REFUSED_BY_STAMP,
	NOT_TAKEN_BY_RING,
	FAILED,
	CANCELLED,
	FORGOTTEN,
	DESTROYED
};

static const struct {
	enum way way;
	int result;
	bool stays_dirty;
} ways[] = {
	{ WRITTEN, 0, false },
	{ REFUSED_BY_VERIFIER, -EUCLEAN, true },
	{ REFUSED_BY_STAMP, -EOPNOTSUPP, true },
	{ NOT_TAKEN_BY_RING, -EINVAL, true },
	{ FAILED, -EIO, true },
	{ CANCELLED, 0, true },
	{ FORGOTTEN, 0, false },
	{ DESTROYED, 0, true },
};

/* Let the one buffer on the queue leave it. */
static int leave(struct rig *rig, struct xx_delwri **queue, struct xx_buf *buf, enum way way)
{
	struct xx_fault fault = { .kind = XX_FAULT_ERROR, .error = -EIO, .ops = XX_FAULT_WRITE };
	struct index_node *node = &buf_of(buf)->pieces[0].node;
	int ret = 0;

	switch (way) {
	case REFUSED_BY_VERIFIER:
		rig->seen.refuse_write = buf->offset;
		break;
	case REFUSED_BY_STAMP:
		rig->seen.refuse_stamp = buf->offset;
		break;
	case NOT_TAKEN_BY_RING:
		node->len = 0;
		break;
	case FAILED:
		xx_device_inject(rig->dev, &fault);
		break;
	case CANCELLED:
		xx_delwri_cancel(*queue);
		break;
	case FORGOTTEN:
		xx_buf_forget(buf);
		break;
	case DESTROYED:
		xx_delwri_destroy(*queue);
		*queue = NULL;
		break;
	case WRITTEN:
		break;
	}
	if (*queue)
		ret = xx_delwri_flush(*queue);
	xx_device_inject(rig->dev, NULL);
	rig->seen.refuse_write = UINT64_MAX;
	rig->seen.refuse_stamp = UINT64_MAX;
	node->len = RIG_BLOCK;
	return ret;
}

ON_EACH_ENGINE(delwri, the_reference_goes_in_every_path)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(ways); i++) {
		struct rig rig;
		struct xx_delwri *queue;
		struct xx_buf *buf;

		rig_open(&rig, *kind, 0);
		queue = new_queue(&rig);
		buf = rig_fill(&rig, 5, 55);
		cr_assert_eq(xx_delwri_add(queue, buf), 0);
		cr_expect_eq(leave(&rig, &queue, buf, ways[i].way), ways[i].result, "way %zu", i);
		cr_expect_eq(rig_refs(buf), 1, "way %zu: the caller's alone", i);
		cr_expect_eq(xx_buf_is_dirty(buf), ways[i].stays_dirty, "way %zu", i);
		cr_expect_eq(buf->error, ways[i].result, "way %zu", i);
		cr_expect_eq(rig.messages, ways[i].result != 0, "way %zu", i);
		cr_expect_eq(xx_ring_inflight(rig.ring), 0, "way %zu", i);
		cr_expect_eq(buf_of(buf)->pending, 0, "way %zu", i);
		xx_delwri_destroy(queue);
		queue = new_queue(&rig);
		buf->ops = &rig_ops;
		cr_expect_eq(xx_delwri_add(queue, buf), 0, "way %zu: it is on no queue", i);
		xx_buf_put(buf);
		cr_expect_eq(xx_delwri_flush(queue), 0, "way %zu", i);
		cr_expect(rig_holds(&rig, 5 * RIG_BLOCK, 55), "way %zu", i);
		xx_delwri_destroy(queue);
		rig_close(&rig);
	}
}

static bool begins_with(struct rig *rig, uint64_t offset, int byte)
{
	char *block = rig_peek(rig, offset);
	const bool same = block[0] == byte;

	free(block);
	return same;
}

/* Of several ranges one is not taken by the ring: its count goes, those of the others are waited for. */
ON_EACH_ENGINE(delwri, a_refused_submit_decrements_both_counts)
{
	const struct xx_extent ranges[] = { { 0, RIG_BLOCK },
					    { 4 * RIG_BLOCK, RIG_BLOCK },
					    { 9 * RIG_BLOCK, RIG_BLOCK } };
	struct rig rig;
	struct xx_delwri *queue;
	struct xx_buf *buf;

	rig_open(&rig, *kind, 0);
	queue = new_queue(&rig);
	for (unsigned i = 0; i < 3; i++) {
		cr_assert_eq(xx_cache_get_ranges(rig.cache, rig.dev, ranges, 3, &buf), 0);
		memset(buf->data, 'a' + (int)i, buf->length);
		cr_assert_eq(xx_delwri_add(queue, buf), 0);
		buf_of(buf)->pieces[i].node.len = 0;
		cr_expect_eq(xx_delwri_flush(queue), -EINVAL, "range %u", i);
		buf_of(buf)->pieces[i].node.len = RIG_BLOCK;
		cr_expect_eq(xx_ring_inflight(rig.ring), 0, "range %u", i);
		cr_expect_eq(buf_of(buf)->pending, 0, "range %u", i);
		cr_expect_eq(rig_refs(buf), 1, "range %u", i);
		cr_expect(xx_buf_is_dirty(buf), "range %u", i);
		for (unsigned k = 0; k < 3; k++)
			cr_expect_eq(begins_with(&rig, ranges[k].start, 'a' + (int)i), k != i, "range %u of %u", k, i);
		cr_expect_eq(xx_cache_flush(rig.cache), 0, "range %u", i);
		cr_expect_not(xx_buf_is_dirty(buf), "range %u", i);
		xx_buf_put(buf);
	}
	xx_delwri_destroy(queue);
	rig_close(&rig);
}

ON_EACH_ENGINE(delwri, a_batch_that_cannot_go_down_fails_its_buffers)
{
	struct xx_fault fault = { .kind = XX_FAULT_COMMIT, .error = -EIO, .count = UINT64_MAX };
	struct rig rig;
	struct xx_delwri *queue;

	rig_open(&rig, *kind, 0);
	queue = new_queue(&rig);
	for (unsigned nr = 0; nr < 40; nr++)
		enqueue(&rig, queue, 2 * nr, nr);
	xx_device_inject(rig.dev, &fault);
	cr_expect_eq(xx_delwri_flush(queue), -EIO);
	cr_expect_eq(xx_ring_inflight(rig.ring), 0);
	cr_expect_eq(xx_delwri_count(queue), 0);
	xx_device_inject(rig.dev, NULL);
	cr_expect_eq(xx_cache_flush(rig.cache), 0);
	for (unsigned nr = 0; nr < 40; nr++)
		cr_expect(rig_holds(&rig, 2 * nr * RIG_BLOCK, nr), "block %u", 2 * nr);
	xx_delwri_destroy(queue);
	rig_close(&rig);
}

ON_EACH_ENGINE(delwri, a_buffer_stands_on_one_queue_at_most)
{
	struct rig rig;
	struct xx_delwri *a, *b;
	struct xx_buf *buf;

	rig_open(&rig, *kind, 0);
	a = new_queue(&rig);
	b = new_queue(&rig);
	buf = rig_fill(&rig, 1, 1);
	cr_expect_eq(xx_delwri_add(a, buf), 0);
	cr_expect_eq(xx_delwri_add(b, buf), -EBUSY);
	cr_expect_eq(xx_delwri_count(b), 0);
	cr_expect_eq(rig_refs(buf), 2);
	cr_expect_eq(xx_delwri_flush(a), 0);
	cr_expect_eq(xx_delwri_add(b, buf), 0);
	xx_buf_put(buf);
	xx_delwri_destroy(a);
	xx_delwri_destroy(b);
	rig_close(&rig);
}

ON_EACH_ENGINE(delwri, verified_then_stamped_once_a_flush)
{
	struct rig rig;
	struct xx_delwri *queue;

	rig_open(&rig, *kind, 0);
	queue = new_queue(&rig);
	for (unsigned nr = 0; nr < 10; nr++)
		enqueue(&rig, queue, nr, nr);
	rig.seen.refuse_write = 3 * RIG_BLOCK;
	cr_expect_eq(xx_delwri_flush(queue), -EUCLEAN);
	cr_expect_eq(rig.seen.verify_write, 10);
	cr_expect_eq(rig.seen.stamp, 9, "what was refused is not stamped");
	cr_expect(rig_holds(&rig, 2 * RIG_BLOCK, 2) && rig_holds(&rig, 4 * RIG_BLOCK, 4));
	cr_expect_not(rig_holds(&rig, 3 * RIG_BLOCK, 3), "nor written");
	rig.seen.refuse_write = UINT64_MAX;
	cr_expect_eq(xx_cache_flush(rig.cache), 0);
	cr_expect_eq(rig.seen.stamp, 10);
	cr_expect(rig_holds(&rig, 3 * RIG_BLOCK, 3));
	xx_delwri_destroy(queue);
	rig_close(&rig);
}

/* Two blocks fail, the one that lies first with -EIO; all complete before the flush returns. */
ON_EACH_ENGINE(delwri, the_first_error_after_all_have_completed)
{
	struct xx_fault fault = {
		.kind = XX_FAULT_ERROR,
		.error = -EIO,
		.ops = XX_FAULT_WRITE,
		.count = UINT64_MAX,
		.offset = 20 * RIG_BLOCK,
		.length = RIG_BLOCK,
	};
	struct rig rig;
	struct xx_delwri *queue;

	rig_open(&rig, *kind, 0);
	queue = new_queue(&rig);
	for (unsigned nr = 0; nr < 60; nr++)
		enqueue(&rig, queue, 59 - nr, 59 - nr);
	rig.seen.refuse_write = 40 * RIG_BLOCK;
	xx_device_inject(rig.dev, &fault);
	cr_expect_eq(xx_delwri_flush(queue), -EIO);
	cr_expect_eq(xx_ring_inflight(rig.ring), 0);
	cr_expect_eq(xx_delwri_count(queue), 0);
	cr_expect_eq(rig.messages, 1);
	cr_expect_not_null(strstr(rig.said, " 2 blocks"), "%s", rig.said);
	xx_device_inject(rig.dev, NULL);
	for (unsigned nr = 0; nr < 60; nr++) {
		struct xx_buf *buf = rig_get(&rig, nr);
		const int error = nr == 20 ? -EIO : nr == 40 ? -EUCLEAN : 0;

		cr_expect_eq(buf->error, error, "block %u", nr);
		cr_expect_eq(xx_buf_is_dirty(buf), error != 0, "block %u", nr);
		cr_expect(error || rig_holds(&rig, nr * RIG_BLOCK, nr), "block %u", nr);
		xx_buf_put(buf);
	}
	rig.seen.refuse_write = UINT64_MAX;
	xx_delwri_destroy(queue);
	rig_close(&rig);
}

static const enum xx_fault_kind harmless[] = { XX_FAULT_DELAY, XX_FAULT_REORDER, XX_FAULT_SHORT };

ON_EACH_ENGINE(delwri, late_reordered_and_short_writes_are_whole)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(harmless); i++) {
		struct xx_fault fault = { .kind = harmless[i],
					  .count = 10,
					  .keep = 5,
					  .seed = 1,
					  .ops = XX_FAULT_WRITE };
		struct rig rig;
		struct xx_delwri *queue;

		rig_open(&rig, *kind, 0);
		queue = new_queue(&rig);
		for (unsigned nr = 0; nr < 60; nr++)
			enqueue(&rig, queue, nr + nr / 3, nr);
		xx_device_inject(rig.dev, &fault);
		cr_expect_eq(xx_delwri_flush(queue), 0);
		cr_expect_gt(fault.hits, 0);
		xx_device_inject(rig.dev, NULL);
		for (unsigned nr = 0; nr < 60; nr++)
			cr_expect(rig_holds(&rig, (nr + nr / 3) * RIG_BLOCK, nr), "block %u", nr + nr / 3);
		xx_delwri_destroy(queue);
		rig_close(&rig);
	}
}

ON_EACH_ENGINE(delwri, a_torn_write_is_written_again)
{
	struct xx_fault fault = { .kind = XX_FAULT_TEAR, .error = -EIO, .ops = XX_FAULT_WRITE, .count = UINT64_MAX };
	struct rig rig;
	struct xx_delwri *queue;

	rig_open(&rig, *kind, 0);
	queue = new_queue(&rig);
	enqueue(&rig, queue, 3, 33);
	xx_device_inject(rig.dev, &fault);
	cr_expect_eq(xx_delwri_flush(queue), -EIO);
	xx_device_inject(rig.dev, NULL);
	cr_expect_not(rig_holds(&rig, 3 * RIG_BLOCK, 33));
	cr_expect_eq(xx_cache_flush(rig.cache), 0);
	cr_expect(rig_holds(&rig, 3 * RIG_BLOCK, 33));
	xx_delwri_destroy(queue);
	rig_close(&rig);
}

ON_EACH_ENGINE(delwri, neighbours_leave_together)
{
	struct rig rig;
	struct xx_delwri *queue;

	rig_open(&rig, *kind, 0);
	queue = new_queue(&rig);
	for (unsigned nr = 0; nr < 64; nr++)
		enqueue(&rig, queue, (nr * 29) % 64, nr);
	cr_expect_eq(xx_delwri_flush(queue), 0);
	cr_expect_leq(xx_ring_stats(rig.ring)->writes, 4, "%llu writes",
		      (unsigned long long)xx_ring_stats(rig.ring)->writes);
	cr_expect_eq(xx_ring_stats(rig.ring)->write_bytes, 64 * RIG_BLOCK);
	xx_delwri_destroy(queue);
	rig_close(&rig);
}

/* More single writes than the ring is deep go down in a few batches, not one by one. */
ON_EACH_ENGINE(delwri, the_ring_is_kept_full)
{
	struct rig rig;
	struct xx_delwri *queue;

	rig_open(&rig, *kind, 0);
	queue = new_queue(&rig);
	for (unsigned nr = 0; nr < RIG_DEPTH; nr++)
		enqueue(&rig, queue, 2 * nr, nr);
	cr_expect_eq(xx_delwri_flush(queue), 0);
	cr_expect_eq(xx_ring_stats(rig.ring)->writes, RIG_DEPTH);
	cr_expect_leq(xx_ring_stats(rig.ring)->commits, 2, "%llu commits",
		      (unsigned long long)xx_ring_stats(rig.ring)->commits);
	xx_delwri_destroy(queue);
	rig_close(&rig);
}

/* What a recorder saw of a queue that was filled in a wild order, over two devices. */
Test(delwri, a_flush_is_sorted_by_device_and_place)
{
	struct xx_device *recorder;
	struct xx_delwri *queue;
	struct rig rig;
	uint64_t last = 0;

	rig_open(&rig, 3, 0);
	queue = new_queue(&rig);
	cr_assert_eq(xx_device_recorder_create(rig.ctx, rig.dev, &recorder), 0);
	for (unsigned i = 0; i < 100; i++) {
		const uint64_t offset = (i * 37) % 100 * 2 * RIG_BLOCK;
		struct xx_buf *buf;

		cr_assert_eq(xx_cache_get(rig.cache, i % 2 ? rig.dev : recorder, offset, RIG_BLOCK, &buf), 0);
		cr_assert_eq(xx_delwri_add(queue, buf), 0);
		xx_buf_put(buf);
	}
	cr_expect_eq(xx_delwri_flush(queue), 0);
	cr_expect_eq(xx_recorder_count(recorder), 50);
	for (size_t i = 0; i < xx_recorder_count(recorder); i++) {
		const struct xx_record *record = xx_recorder_get(recorder, i);

		cr_expect(i == 0 || record->offset > last, "write %zu", i);
		last = record->offset;
	}
	xx_delwri_destroy(queue);
	cr_expect_eq(rig_close_cache(&rig), 0);
	cr_expect_eq(xx_device_close(recorder), 0);
	rig_close(&rig);
}

ON_EACH_ENGINE(delwri, an_empty_flush_does_nothing)
{
	struct rig rig;
	struct xx_delwri *queue;

	rig_open(&rig, *kind, 0);
	queue = new_queue(&rig);
	cr_expect_eq(xx_delwri_flush(queue), 0);
	cr_expect_eq(xx_ring_stats(rig.ring)->commits, 0);
	xx_delwri_destroy(queue);
	xx_delwri_destroy(NULL);
	rig_close(&rig);
}

/* A callback that runs inside of a flush, of a read that is submitted when the flush stamps a block. */
struct visitor {
	struct rig rig;
	struct xx_request req;
	void *block;
	struct xx_delwri *queue;
	struct xx_buf *written; /* by the flush, at the moment */
	struct xx_buf *other;
	int add_written, add_other;
	bool visited;
};

static void visit(struct xx_request *req)
{
	struct visitor *visitor = req->private;

	visitor->visited = true;
	visitor->add_written = xx_delwri_add(visitor->queue, visitor->written);
	visitor->add_other = xx_delwri_add(visitor->queue, visitor->other);
}

static int send_visitor(struct xx_buf *buf)
{
	struct visitor *visitor = xx_container_of(buf->fs, struct visitor, rig.seen);

	if (visitor->visited)
		return rig_ops.stamp(buf);
	xx_request_init(&visitor->req, XX_OP_READ, buf->device, 0, visitor->block, RIG_BLOCK, visit, visitor);
	cr_expect_eq(xx_ring_submit(visitor->rig.ring, &visitor->req), 0);
	return rig_ops.stamp(buf);
}

static const struct xx_buf_ops visited_ops = { .name = "visited block", .stamp = send_visitor };

ON_EACH_ENGINE(delwri, what_is_added_in_a_flush_waits_for_the_next)
{
	/* The write comes late, so that the visitor comes while it is under way. */
	struct xx_fault fault = { .kind = XX_FAULT_DELAY, .ops = XX_FAULT_WRITE, .keep = 1 };
	struct visitor visitor = { .block = aligned_alloc(RIG_BLOCK, RIG_BLOCK) };
	struct rig *rig = &visitor.rig;

	rig_open(rig, *kind, 0);
	visitor.queue = new_queue(rig);
	visitor.written = rig_fill(rig, 3, 31);
	visitor.written->ops = &visited_ops;
	visitor.other = rig_fill(rig, 4, 41);
	cr_assert_eq(xx_delwri_add(visitor.queue, visitor.written), 0);
	xx_device_inject(rig->dev, &fault);
	cr_expect_eq(xx_delwri_flush(visitor.queue), 0);
	xx_device_inject(rig->dev, NULL);
	cr_expect(visitor.visited);
	cr_expect_eq(visitor.add_written, -EBUSY, "it is being written");
	cr_expect_eq(visitor.add_other, 0);
	cr_expect(rig_holds(rig, 3 * RIG_BLOCK, 31));
	cr_expect_not(xx_buf_is_dirty(visitor.written));
	cr_expect_not(rig_holds(rig, 4 * RIG_BLOCK, 41));
	cr_expect(xx_buf_is_dirty(visitor.other));
	cr_expect_eq(xx_delwri_flush(visitor.queue), 0);
	cr_expect(rig_holds(rig, 4 * RIG_BLOCK, 41));
	xx_buf_put(visitor.written);
	xx_buf_put(visitor.other);
	xx_delwri_destroy(visitor.queue);
	free(visitor.block);
	rig_close(rig);
}
