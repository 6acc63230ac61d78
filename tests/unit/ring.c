/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.c - tests: the contracts of a ring, on each engine.
 */
#include "ring_criterion.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "io/ring_impl.h"

enum {
	MANY = 200,
};

/* Contract 1: exactly once, when the owner reaps, in its thread, never inside submit. */
RIG_TEST(ring, completes_once_in_the_owners_thread)
{
	struct rig_request r[MANY];
	struct rig rig;

	rig_need(&rig, *kind, 8);
	for (size_t i = 0; i < MANY; i++) {
		rig_request(&rig, &r[i], XX_OP_WRITE, i * RIG_BLOCK, RIG_BLOCK);
		cr_assert_eq(xx_ring_submit(rig.ring, &r[i].req), 0);
		cr_assert_eq(rig.calls, 0);
		cr_assert_leq(rig.ring->native->taken, 8);
	}
	cr_assert_eq(xx_ring_inflight(rig.ring), MANY);
	cr_assert_eq(xx_ring_drain(rig.ring), 0);
	cr_assert_eq(xx_ring_inflight(rig.ring), 0);
	cr_assert_eq(rig.calls, MANY);
	cr_assert(!rig.elsewhere);
	for (size_t i = 0; i < MANY; i++) {
		cr_assert_eq(r[i].calls, 1);
		cr_assert_eq(r[i].result, 0);
		rig_release(&r[i]);
	}
	cr_assert(rig_device_matches(&rig, 0, MANY * RIG_BLOCK));
	rig_close(&rig);
}

RIG_TEST(ring, reads_what_was_written)
{
	struct rig_request w, r;
	struct rig rig;

	rig_need(&rig, *kind, 0);
	rig_request(&rig, &w, XX_OP_WRITE, 3 * RIG_BLOCK, 64 * RIG_BLOCK);
	rig_request(&rig, &r, XX_OP_READ, 3 * RIG_BLOCK, 64 * RIG_BLOCK);
	cr_assert_eq(xx_ring_run(rig.ring, &w.req), 0);
	cr_assert_eq(xx_ring_run(rig.ring, &r.req), 0);
	cr_assert(rig_matches(r.buf, 3 * RIG_BLOCK, 64 * RIG_BLOCK));
	cr_assert_eq(r.calls, 1);
	cr_assert_eq(xx_ring_stats(rig.ring)->read_bytes, 64 * RIG_BLOCK);
	rig_release(&w);
	rig_release(&r);
	rig_close(&rig);
}

/* Contract 2: also after a submit that failed. */
RIG_TEST(ring, failed_submit_is_not_in_flight)
{
	struct rig_request r;
	struct rig rig;

	rig_need(&rig, *kind, 4);
	rig_request(&rig, &r, XX_OP_WRITE, 0, RIG_BLOCK);
	r.req.length = 0;
	cr_assert_eq(xx_ring_submit(rig.ring, &r.req), -EINVAL);
	r.req.length = 2 * RIG_BLOCK;
	cr_assert_eq(xx_ring_submit(rig.ring, &r.req), -EINVAL);
	r.req.length = RIG_BLOCK;
	r.req.offset = (uint64_t)INT64_MAX - 100;
	cr_assert_eq(xx_ring_submit(rig.ring, &r.req), -EINVAL);
	r.req.offset = UINT64_MAX - RIG_BLOCK + 1;
	cr_assert_eq(xx_ring_submit(rig.ring, &r.req), -EINVAL);
	cr_assert_eq(xx_ring_inflight(rig.ring), 0);
	cr_assert_eq(xx_ring_drain(rig.ring), 0);
	cr_assert_eq(rig.calls, 0);
	rig_release(&r);
	rig_close(&rig);
}

RIG_TEST(ring, unaligned_is_refused_where_direct)
{
	struct rig_request r;
	struct rig rig;

	rig_need(&rig, *kind, 4);
	rig_request(&rig, &r, XX_OP_WRITE, 0, 2 * RIG_BLOCK);
	r.req.offset = 100;
	int expected = xx_device_info(rig.dev)->offset_align > 1 ? -EINVAL : 0;
	cr_assert_eq(xx_ring_run(rig.ring, &r.req), expected);
	r.req.offset = 0;
	r.req.length = r.req.one.iov_len = 1000;
	cr_assert_eq(xx_ring_run(rig.ring, &r.req), expected);
	r.req.length = r.req.one.iov_len = RIG_BLOCK;
	r.req.one.iov_base = (char *)r.buf + 1;
	cr_assert_eq(xx_ring_run(rig.ring, &r.req), xx_device_info(rig.dev)->memory_align > 1 ? -EINVAL : 0);
	rig_release(&r);
	rig_close(&rig);
}

/* Contract 3: no slot is used anew while it is down; all that is submitted beyond the depth waits its turn. */
RIG_TEST(ring, depth_is_bounded_when_completions_come_late)
{
	struct xx_fault fault = { .kind = XX_FAULT_DELAY, .count = UINT64_MAX, .keep = 3 };
	struct rig_request r[MANY];
	struct rig rig;

	rig_need(&rig, *kind, 4);
	xx_device_inject(rig.dev, &fault);
	for (size_t i = 0; i < MANY; i++) {
		rig_request(&rig, &r[i], XX_OP_WRITE, (MANY - i) * RIG_BLOCK, RIG_BLOCK);
		cr_assert_eq(xx_ring_queue(rig.ring, &r[i].req), 0);
	}
	while (xx_ring_inflight(rig.ring) > 0) {
		cr_assert_geq(xx_ring_wait(rig.ring, 1), 1);
		cr_assert_leq(rig.ring->native->taken, 4);
	}
	xx_device_inject(rig.dev, NULL);
	for (size_t i = 0; i < MANY; i++) {
		cr_assert_eq(r[i].calls, 1);
		rig_release(&r[i]);
	}
	cr_assert(rig_device_matches(&rig, RIG_BLOCK, MANY * RIG_BLOCK));
	cr_assert_eq(fault.hits, MANY);
	rig_close(&rig);
}

RIG_TEST(ring, reordered_completions)
{
	struct xx_fault fault = { .kind = XX_FAULT_REORDER, .count = UINT64_MAX, .keep = 16, .seed = 7 };
	struct rig_request r[MANY];
	struct rig rig;

	rig_need(&rig, *kind, 32);
	xx_device_inject(rig.dev, &fault);
	for (size_t i = 0; i < MANY; i++) {
		rig_request(&rig, &r[i], XX_OP_WRITE, i * RIG_BLOCK, RIG_BLOCK);
		cr_assert_eq(xx_ring_submit(rig.ring, &r[i].req), 0);
	}
	cr_assert_eq(xx_ring_drain(rig.ring), 0);
	xx_device_inject(rig.dev, NULL);
	for (size_t i = 0; i < MANY; i++) {
		cr_assert_eq(r[i].calls, 1);
		rig_release(&r[i]);
	}
	cr_assert(rig_device_matches(&rig, 0, MANY * RIG_BLOCK));
	rig_close(&rig);
}

/* Contract 4: the end of the device is an error, not a buffer of zeros. */
RIG_TEST(ring, end_of_device_is_an_error)
{
	struct rig_request r;
	struct rig rig;

	rig_need(&rig, *kind, 0);
	rig_request(&rig, &r, XX_OP_READ, RIG_SIZE - RIG_BLOCK, 3 * RIG_BLOCK);
	cr_assert_eq(xx_ring_run(rig.ring, &r.req), -ENXIO);
	r.req.offset = RIG_SIZE + 16 * RIG_BLOCK;
	cr_assert_eq(xx_ring_run(rig.ring, &r.req), -ENXIO);
	cr_assert_eq(xx_ring_stats(rig.ring)->read_errors, 2);
	cr_assert_eq(xx_ring_stats(rig.ring)->write_errors, 0);
	rig_release(&r);
	rig_close(&rig);
}

/* More parts than IOV_MAX, and more bytes than the device's limit: still one completion. */
RIG_TEST(ring, long_requests_are_cut_and_joined)
{
	enum {
		PARTS = 3000
	};
	struct iovec *iov = calloc(PARTS, sizeof(*iov));
	struct rig_request w, r;
	struct rig rig;

	cr_assert_gt(PARTS, 2 * IOV_MAX);
	rig_need(&rig, *kind, 2);
	rig_request(&rig, &w, XX_OP_WRITE, RIG_BLOCK, PARTS * RIG_BLOCK);
	for (size_t i = 0; i < PARTS; i++)
		iov[i] = (struct iovec){ (char *)w.buf + i * RIG_BLOCK, RIG_BLOCK };
	w.req.iov = iov;
	w.req.iovcnt = PARTS;
	cr_assert_eq(xx_ring_run(rig.ring, &w.req), 0);
	cr_assert_eq(w.calls, 1);
	cr_assert_eq(xx_ring_inflight(rig.ring), 0);
	cr_assert_gt(xx_ring_stats(rig.ring)->writes, 2);
	cr_assert(rig_device_matches(&rig, RIG_BLOCK, PARTS * RIG_BLOCK));

	rig_request(&rig, &r, XX_OP_READ, RIG_BLOCK, PARTS * RIG_BLOCK);
	cr_assert_eq(xx_ring_run(rig.ring, &r.req), 0);
	cr_assert_eq(r.calls, 1);
	cr_assert(rig_matches(r.buf, RIG_BLOCK, PARTS * RIG_BLOCK));
	rig_release(&w);
	rig_release(&r);
	free(iov);
	rig_close(&rig);
}

/* Parts of all lengths, where nothing asks for alignment, and a part of nothing. */
RIG_TEST(ring, odd_parts)
{
	static const size_t lengths[] = { 1, 511, 0, 4097, 3, 70000, 0, 2, 513 };
	struct iovec iov[XX_ARRAY_SIZE(lengths)];
	struct xx_fault fault = { .kind = XX_FAULT_SHORT, .count = 9 };
	size_t done = 0;
	struct rig_request w;
	struct rig rig;

	rig_need(&rig, *kind, 2);
	if (xx_device_info(rig.dev)->offset_align > 1) {
		rig_close(&rig);
		return;
	}
	rig_request(&rig, &w, XX_OP_WRITE, 77, 80000);
	for (size_t i = 0; i < XX_ARRAY_SIZE(lengths); i++) {
		iov[i] = (struct iovec){ (char *)w.buf + done, lengths[i] };
		done += lengths[i];
	}
	xx_request_initv(&w.req, XX_OP_WRITE, rig.dev, 77, iov, XX_ARRAY_SIZE(lengths), w.req.done, &w);
	cr_assert_eq(w.req.length, done);
	xx_device_inject(rig.dev, &fault);
	cr_assert_eq(xx_ring_run(rig.ring, &w.req), 0);
	cr_assert_eq(fault.hits, 9);
	xx_device_inject(rig.dev, NULL);
	cr_assert(rig_device_matches(&rig, 77, done));
	rig_release(&w);
	rig_close(&rig);
}

RIG_TEST(ring, flush_and_zero_complete_like_the_rest)
{
	struct rig_request w, f, z;
	struct rig rig;

	rig_need(&rig, *kind, 0);
	rig_request(&rig, &w, XX_OP_WRITE, 0, 64 * RIG_BLOCK);
	cr_assert_eq(xx_ring_run(rig.ring, &w.req), 0);
	rig_request(&rig, &z, XX_OP_ZERO, 8 * RIG_BLOCK, 16 * RIG_BLOCK);
	cr_assert_eq(xx_ring_submit(rig.ring, &z.req), 0);
	cr_assert_eq(z.calls, 0);
	cr_assert_eq(xx_ring_drain(rig.ring), 0);
	cr_assert_eq(z.result, 0);
	rig_request(&rig, &f, XX_OP_FLUSH, 0, 0);
	cr_assert_eq(xx_ring_run(rig.ring, &f.req), 0);
	cr_assert_eq(xx_ring_stats(rig.ring)->flushes, 1);
	cr_assert(rig_device_matches(&rig, 0, 8 * RIG_BLOCK));
	cr_assert(rig_device_zero(&rig, 8 * RIG_BLOCK, 16 * RIG_BLOCK));
	cr_assert(rig_device_matches(&rig, 24 * RIG_BLOCK, 40 * RIG_BLOCK));
	rig_release(&w);
	rig_close(&rig);
}

/* A device that knows no way of zeroing gets zeros written, through the ring, in pieces; and is not asked again. */
RIG_TEST(ring, zeros_are_written_as_the_last_resort)
{
	struct xx_fault fault = { .kind = XX_FAULT_ERROR,
				  .error = -EOPNOTSUPP,
				  .ops = XX_FAULT_ZERO,
				  .count = UINT64_MAX };
	struct rig_request w, z;
	struct rig rig;

	rig_need(&rig, *kind, 3);
	rig_request(&rig, &w, XX_OP_WRITE, 0, 32 << 20);
	cr_assert_eq(xx_ring_run(rig.ring, &w.req), 0);
	xx_device_inject(rig.dev, &fault);
	for (int i = 0; i < 2; i++) {
		rig_request(&rig, &z, XX_OP_ZERO, RIG_BLOCK, (31 << 20) - RIG_BLOCK);
		cr_assert_eq(xx_ring_run(rig.ring, &z.req), 0);
		cr_assert_eq(z.calls, 1);
	}
	cr_assert_leq(fault.hits, 2);
	xx_device_inject(rig.dev, NULL);
	cr_assert(rig_device_matches(&rig, 0, RIG_BLOCK));
	cr_assert(rig_device_zero(&rig, RIG_BLOCK, (31 << 20) - RIG_BLOCK));
	cr_assert(rig_device_matches(&rig, 31 << 20, 1 << 20));
	rig_release(&w);
	rig_close(&rig);
}

/* A file is never discarded, nor a device that does not know it; said as such, and no error of writing. */
RIG_TEST(ring, discard_that_is_not_supported)
{
	struct rig_request r;
	struct rig rig;

	rig_need(&rig, *kind, 0);
	rig_request(&rig, &r, XX_OP_DISCARD, 0, 1 << 20);
	cr_assert_eq(xx_ring_run(rig.ring, &r.req), -EOPNOTSUPP);
	cr_assert_eq(xx_ring_stats(rig.ring)->write_errors, 0);
	rig_close(&rig);
}

static void submit_next(struct xx_request *req)
{
	struct rig_request *r = req->private;

	r->calls++;
	r->result = req->result;
	if (r->calls < 100 && xx_ring_submit(r->rig->ring, req) < 0)
		r->result = 1;
}

/* A callback may submit, the same request too; it may not wait. */
RIG_TEST(ring, callbacks_submit)
{
	struct rig_request r;
	struct rig rig;

	rig_need(&rig, *kind, 1);
	rig_request(&rig, &r, XX_OP_WRITE, 0, RIG_BLOCK);
	r.req.done = submit_next;
	cr_assert_eq(xx_ring_submit(rig.ring, &r.req), 0);
	cr_assert_eq(xx_ring_drain(rig.ring), 0);
	cr_assert_eq(r.calls, 100);
	cr_assert_eq(r.result, 0);
	rig_release(&r);
	rig_close(&rig);
}

static void wait_inside(struct xx_request *req)
{
	struct rig_request *r = req->private;
	struct xx_request other;

	xx_request_init(&other, XX_OP_FLUSH, req->device, 0, NULL, 0, NULL, NULL);
	r->calls += xx_ring_wait(r->rig->ring, 1) == -EDEADLK;
	r->calls += xx_ring_reap(r->rig->ring) == -EDEADLK;
	r->calls += xx_ring_run(r->rig->ring, &other) == -EDEADLK;
}

RIG_TEST(ring, callbacks_do_not_wait)
{
	struct rig_request r;
	struct rig rig;

	rig_need(&rig, *kind, 1);
	rig_request(&rig, &r, XX_OP_WRITE, 0, RIG_BLOCK);
	r.req.done = wait_inside;
	cr_assert_eq(xx_ring_run(rig.ring, &r.req), 0);
	cr_assert_eq(r.calls, 3);
	rig_release(&r);
	rig_close(&rig);
}

/* Destroying drains: what was submitted is done, and says so. */
RIG_TEST(ring, destroy_drains)
{
	struct rig_request r[20];
	struct rig rig;

	rig_need(&rig, *kind, 4);
	for (size_t i = 0; i < 20; i++) {
		rig_request(&rig, &r[i], XX_OP_WRITE, i * RIG_BLOCK, RIG_BLOCK);
		cr_assert_eq(xx_ring_queue(rig.ring, &r[i].req), 0);
	}
	xx_ring_destroy(rig.ring);
	rig.ring = NULL;
	cr_assert_eq(rig.calls, 20);
	cr_assert(rig_device_matches(&rig, 0, 20 * RIG_BLOCK));
	for (size_t i = 0; i < 20; i++)
		rig_release(&r[i]);
	rig_close(&rig);
}

/* Wait returns when so many callbacks have run, and when there is nothing to wait for. */
RIG_TEST(ring, wait_for_some)
{
	struct rig_request r[10];
	struct rig rig;
	int got;

	rig_need(&rig, *kind, 4);
	cr_assert_eq(xx_ring_wait(rig.ring, 5), 0);
	for (size_t i = 0; i < 10; i++) {
		rig_request(&rig, &r[i], XX_OP_WRITE, i * RIG_BLOCK, RIG_BLOCK);
		cr_assert_eq(xx_ring_submit(rig.ring, &r[i].req), 0);
	}
	got = xx_ring_wait(rig.ring, 3);
	cr_assert_geq(got, 3);
	cr_assert_eq(rig.calls, (uint64_t)got);
	cr_assert_eq(xx_ring_wait(rig.ring, 100), 10 - got);
	for (size_t i = 0; i < 10; i++)
		rig_release(&r[i]);
	rig_close(&rig);
}

/* A device opened for reading does not get a write, whatever the engine thinks of it. */
Test(ring, read_only_device)
{
	struct xx_memory_options options = { .size = RIG_SIZE };
	struct xx_device *dev;
	struct xx_ring *ring;
	struct xx_request req;
	char byte = 0;

	cr_assert_eq(xx_device_memory_create(NULL, &options, &dev), 0);
	dev->info.writable = false;
	cr_assert_eq(xx_ring_create(NULL, NULL, &ring), 0);
	xx_request_init(&req, XX_OP_WRITE, dev, 0, &byte, 1, NULL, NULL);
	cr_assert_eq(xx_ring_submit(ring, &req), -EBADF);
	cr_assert_eq(xx_device_write(dev, 0, &byte, 1), -EBADF);
	xx_ring_destroy(ring);
	xx_device_close(dev);
}

/* 64 bits everywhere: the last bytes below 8 EiB. */
Test(ring, far_offsets)
{
	struct xx_memory_options options = { .size = INT64_MAX };
	const uint64_t far = (uint64_t)INT64_MAX - 3 * 4096 + 1;
	struct xx_device *dev;
	struct xx_ring *ring;
	struct xx_request req;
	char buf[8192], back[8192];

	cr_assert_eq(xx_device_memory_create(NULL, &options, &dev), 0);
	cr_assert_eq(xx_ring_create(NULL, NULL, &ring), 0);
	rig_fill(buf, far, sizeof(buf));
	xx_request_init(&req, XX_OP_WRITE, dev, far, buf, sizeof(buf), NULL, NULL);
	cr_assert_eq(xx_ring_run(ring, &req), 0);
	xx_request_init(&req, XX_OP_READ, dev, far, back, sizeof(back), NULL, NULL);
	cr_assert_eq(xx_ring_run(ring, &req), 0);
	cr_assert_arr_eq(buf, back, sizeof(buf));
	xx_request_init(&req, XX_OP_ZERO, dev, 4096, NULL, far - 4096, NULL, NULL);
	cr_assert_eq(xx_ring_run(ring, &req), 0);
	cr_assert_eq(xx_device_memory_used(dev), 8192);
	xx_ring_destroy(ring);
	xx_device_close(dev);
}

Test(ring, depth_out_of_range)
{
	struct xx_ring_options options = { .depth = XX_RING_DEPTH_MAX + 1 };
	struct xx_ring *ring = NULL;

	cr_assert_eq(xx_ring_create(NULL, &options, &ring), -EINVAL);
	options.depth = XX_RING_DEPTH_MAX;
	cr_assert_eq(xx_ring_create(NULL, &options, &ring), 0);
	xx_ring_destroy(ring);
	xx_ring_destroy(NULL);
}
