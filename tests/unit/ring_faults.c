/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_faults.c - tests: what a ring does with errors, short transfers and refusals, on each engine.
 */
#include "ring_criterion.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "io/ring_impl.h"

enum {
	SOME = 40,
};

static void submit_some(struct rig *rig, struct rig_request *r, enum xx_op op)
{
	for (size_t i = 0; i < SOME; i++) {
		rig_request(rig, &r[i], op, 2 * i * RIG_BLOCK, RIG_BLOCK);
		cr_assert_eq(xx_ring_queue(rig->ring, &r[i].req), 0);
	}
	xx_ring_commit(rig->ring);
	cr_assert_eq(rig->calls, 0);
}

static void end_some(struct rig *rig, struct rig_request *r)
{
	cr_assert_eq(xx_ring_drain(rig->ring), 0);
	cr_assert_eq(xx_ring_inflight(rig->ring), 0);
	cr_assert_eq(rig->ring->native->taken, 0);
	cr_assert_eq(rig->calls, SOME);
	xx_device_inject(rig->dev, NULL);
	for (size_t i = 0; i < SOME; i++) {
		cr_assert_eq(r[i].calls, 1);
		rig_release(&r[i]);
	}
}

/* EINTR and EAGAIN of a transfer are nobody's business. */
RIG_TEST(ring_faults, eintr_and_eagain_are_retried)
{
	static const int errors[] = { -EINTR, -EAGAIN };

	for (size_t e = 0; e < XX_ARRAY_SIZE(errors); e++) {
		struct xx_fault fault = { .kind = XX_FAULT_ERROR, .error = errors[e], .nth = 5, .count = 30 };
		struct rig_request r[SOME];
		struct rig rig;

		rig_need(&rig, *kind, 8);
		xx_device_inject(rig.dev, &fault);
		submit_some(&rig, r, XX_OP_WRITE);
		end_some(&rig, r);
		cr_assert_eq(rig.errors, 0);
		cr_assert_eq(fault.hits, 30);
		cr_assert_eq(xx_ring_stats(rig.ring)->retried, 30);
		rig_close(&rig);
	}
}

/* But not for ever. */
RIG_TEST(ring_faults, eagain_for_ever_ends)
{
	struct xx_fault fault = { .kind = XX_FAULT_ERROR, .error = -EAGAIN, .count = UINT64_MAX };
	struct rig_request r[SOME];
	struct rig rig;

	rig_need(&rig, *kind, 8);
	xx_device_inject(rig.dev, &fault);
	submit_some(&rig, r, XX_OP_WRITE);
	end_some(&rig, r);
	cr_assert_eq(rig.errors, SOME);
	cr_assert_eq(rig.last_error, -EAGAIN);
	rig_close(&rig);
}

/* A short transfer goes on from where it ended; with O_DIRECT from the last aligned offset. */
RIG_TEST(ring_faults, short_transfers_are_continued)
{
	struct xx_fault fault = { .kind = XX_FAULT_SHORT, .count = 8 };
	struct rig_request w, r;
	struct rig rig;

	rig_need(&rig, *kind, 4);
	rig_request(&rig, &w, XX_OP_WRITE, RIG_BLOCK, 37 * RIG_BLOCK);
	rig_request(&rig, &r, XX_OP_READ, RIG_BLOCK, 37 * RIG_BLOCK);
	xx_device_inject(rig.dev, &fault);
	cr_assert_eq(xx_ring_run(rig.ring, &w.req), 0);
	cr_assert_eq(fault.hits, 8);
	cr_assert_eq(xx_ring_stats(rig.ring)->continued, 8);
	fault = (struct xx_fault){ .kind = XX_FAULT_SHORT, .count = 8 };
	cr_assert_eq(xx_ring_run(rig.ring, &r.req), 0);
	cr_assert_eq(fault.hits, 8);
	cr_assert(rig_matches(r.buf, RIG_BLOCK, 37 * RIG_BLOCK));
	xx_device_inject(rig.dev, NULL);
	cr_assert(rig_device_matches(&rig, RIG_BLOCK, 37 * RIG_BLOCK));
	rig_release(&w);
	rig_release(&r);
	rig_close(&rig);
}

/* EAGAIN and ENOMEM when handing down: what has completed is harvested, but no callback runs, and it goes on. */
RIG_TEST(ring_faults, commit_without_room_is_tried_again)
{
	static const int errors[] = { -EAGAIN, -ENOMEM, -EINTR };

	for (size_t e = 0; e < XX_ARRAY_SIZE(errors); e++) {
		struct xx_fault fault = { .kind = XX_FAULT_COMMIT, .error = errors[e], .nth = 3, .count = 20 };
		struct rig_request r[SOME];
		struct rig rig;

		rig_need(&rig, *kind, 8);
		xx_device_inject(rig.dev, &fault);
		submit_some(&rig, r, XX_OP_WRITE);
		end_some(&rig, r);
		cr_assert_eq(rig.errors, 0);
		cr_assert_eq(fault.hits, 20);
		rig_close(&rig);
	}
}

/*
 * The proof of concept on the list counted a failed submit out of what is in flight, but not out of its buffer, which
 * was never released. Here each request ends, with its error.
 */
RIG_TEST(ring_faults, failed_commit_completes_the_request)
{
	static const int errors[] = { -EBADF, -EAGAIN };

	for (size_t e = 0; e < XX_ARRAY_SIZE(errors); e++) {
		struct xx_fault fault = { .kind = XX_FAULT_COMMIT, .error = errors[e], .count = UINT64_MAX };
		struct rig_request r[SOME];
		struct rig rig;

		rig_need(&rig, *kind, 8);
		xx_device_inject(rig.dev, &fault);
		submit_some(&rig, r, XX_OP_WRITE);
		end_some(&rig, r);
		cr_assert_eq(rig.errors, SOME);
		cr_assert_eq(rig.last_error, errors[e]);
		cr_assert_eq(xx_ring_stats(rig.ring)->write_errors, SOME);
		rig_close(&rig);
	}
}

/*
 * The proof of concept ended a buffer's I/O at its first failing piece, while others were with the kernel. Here the
 * callback comes when all pieces are back.
 */
RIG_TEST(ring_faults, failing_piece_waits_for_the_others)
{
	struct xx_fault fault = { .kind = XX_FAULT_ERROR, .error = -EIO, .nth = 2 };
	struct rig_request w;
	struct rig rig;

	rig_need(&rig, *kind, 8);
	rig_request(&rig, &w, XX_OP_WRITE, 0, 40 << 20);
	xx_device_inject(rig.dev, &fault);
	cr_assert_eq(xx_ring_run(rig.ring, &w.req), -EIO);
	cr_assert_eq(w.calls, 1);
	cr_assert_eq(rig.ring->native->taken, 0);
	cr_assert_eq(xx_ring_inflight(rig.ring), 0);
	cr_assert_eq(xx_ring_stats(rig.ring)->write_errors, 1);
	xx_device_inject(rig.dev, NULL);
	rig_release(&w);
	rig_close(&rig);
}

/* Contract 7: reads and writes report apart, a write error is never lost. */
RIG_TEST(ring_faults, write_errors_are_kept_apart)
{
	struct xx_fault bad_read = { .kind = XX_FAULT_ERROR, .error = -EILSEQ, .ops = XX_FAULT_READ };
	struct xx_fault bad_write = { .kind = XX_FAULT_ERROR, .error = -ENOSPC, .ops = XX_FAULT_WRITE };
	struct xx_fault bad_flush = { .kind = XX_FAULT_ERROR, .error = -EIO, .ops = XX_FAULT_FLUSH };
	const struct xx_ring_stats *stats;
	struct rig_request w, r, f;
	struct rig rig;

	rig_need(&rig, *kind, 8);
	stats = xx_ring_stats(rig.ring);
	rig_request(&rig, &w, XX_OP_WRITE, 0, RIG_BLOCK);
	rig_request(&rig, &r, XX_OP_READ, 0, RIG_BLOCK);
	rig_request(&rig, &f, XX_OP_FLUSH, 0, 0);
	xx_device_inject(rig.dev, &bad_read);
	cr_assert_eq(xx_ring_run(rig.ring, &r.req), -EILSEQ);
	cr_assert_eq(stats->first_read_error, -EILSEQ);
	cr_assert_eq(stats->first_write_error, 0);
	xx_device_inject(rig.dev, &bad_write);
	cr_assert_eq(xx_ring_run(rig.ring, &w.req), -ENOSPC);
	xx_device_inject(rig.dev, &bad_flush);
	cr_assert_eq(xx_ring_run(rig.ring, &f.req), -EIO);
	xx_device_inject(rig.dev, NULL);
	cr_assert_eq(xx_ring_run(rig.ring, &w.req), 0);
	cr_assert_eq(stats->first_write_error, -ENOSPC);
	cr_assert_eq(stats->write_errors, 2);
	cr_assert_eq(stats->read_errors, 1);
	rig_release(&w);
	rig_release(&r);
	rig_close(&rig);
}

/* The device's own checksum (EILSEQ), a bad medium (EIO, of NVMe ENODATA), a full host: told apart all the way. */
RIG_TEST(ring_faults, errors_are_told_apart)
{
	static const int errors[] = { -EIO, -EILSEQ, -ENODATA, -ENOSPC, -EREMOTEIO };
	struct rig_request r;
	struct rig rig;

	rig_need(&rig, *kind, 8);
	for (size_t e = 0; e < XX_ARRAY_SIZE(errors); e++) {
		struct xx_fault fault = { .kind = XX_FAULT_ERROR, .error = errors[e] };

		rig_request(&rig, &r, XX_OP_READ, 0, RIG_BLOCK);
		xx_device_inject(rig.dev, &fault);
		cr_assert_eq(xx_ring_run(rig.ring, &r.req), errors[e]);
		rig_release(&r);
	}
	xx_device_inject(rig.dev, NULL);
	rig_close(&rig);
}

/* Half of it is there, and the request failed. */
RIG_TEST(ring_faults, torn_write)
{
	struct xx_fault fault = { .kind = XX_FAULT_TEAR, .error = -EIO };
	struct rig_request w;
	struct rig rig;

	rig_need(&rig, *kind, 8);
	rig_request(&rig, &w, XX_OP_WRITE, 0, 2 * RIG_BLOCK);
	xx_device_inject(rig.dev, &fault);
	cr_assert_eq(xx_ring_run(rig.ring, &w.req), -EIO);
	xx_device_inject(rig.dev, NULL);
	cr_assert(rig_device_matches(&rig, 0, RIG_BLOCK));
	cr_assert(rig_device_zero(&rig, RIG_BLOCK, RIG_BLOCK));
	rig_release(&w);
	rig_close(&rig);
}
