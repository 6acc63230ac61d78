/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_every_n.c - fault tests: the Nth transfer is hit, for N = 1, 2, ... until a run passes without a hit; on each
 * engine, with each kind of fault. Whatever happens: each callback once, nothing in flight, no error lost, and what was
 * said to be written is there.
 */
#include "tests/unit/ring_criterion.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "io/ring_impl.h"

enum {
	SINGLES = 6, /* requests apart from each other */
	MERGED = 8, /* neighbours in a plug */
	LIMIT = 128 << 10, /* of the device */
	LONG_SIZE = 5 * LIMIT / 2,
	REQUESTS = SINGLES + MERGED + 3,
	FAR = 32 << 20, /* where the long one and the zeroed range are */
	RUNS_MAX = 400,
};

static const struct xx_fault faults[] = {
	{ .kind = XX_FAULT_ERROR, .error = -EIO },
	{ .kind = XX_FAULT_ERROR, .error = -ENOSPC },
	{ .kind = XX_FAULT_ERROR, .error = -EILSEQ },
	{ .kind = XX_FAULT_ERROR, .error = -EAGAIN },
	{ .kind = XX_FAULT_ERROR, .error = -EINTR },
	{ .kind = XX_FAULT_ERROR, .error = -EIO, .count = UINT64_MAX },
	{ .kind = XX_FAULT_ERROR, .error = -EOPNOTSUPP, .ops = XX_FAULT_ZERO },
	{ .kind = XX_FAULT_SHORT },
	{ .kind = XX_FAULT_SHORT, .count = 3 },
	{ .kind = XX_FAULT_TEAR, .error = -EIO },
	{ .kind = XX_FAULT_DELAY, .keep = 2 },
	{ .kind = XX_FAULT_DELAY, .keep = 2, .count = UINT64_MAX },
	{ .kind = XX_FAULT_REORDER, .keep = 4, .count = UINT64_MAX, .seed = 1 },
	{ .kind = XX_FAULT_COMMIT, .error = -EAGAIN },
	{ .kind = XX_FAULT_COMMIT, .error = -ENOMEM, .count = 5 },
	{ .kind = XX_FAULT_COMMIT, .error = -EIO },
	{ .kind = XX_FAULT_COMMIT, .error = -EIO, .count = UINT64_MAX },
};

/* Faults that nobody may notice. */
static bool is_harmless(const struct xx_fault *fault)
{
	return fault->error == -EAGAIN || fault->error == -EINTR || fault->error == -ENOMEM ||
	       fault->error == -EOPNOTSUPP || fault->kind == XX_FAULT_SHORT || fault->kind == XX_FAULT_DELAY ||
	       fault->kind == XX_FAULT_REORDER;
}

static void submit_all(struct rig *rig, struct rig_request *r)
{
	struct xx_plug plug;
	size_t n = 0;

	for (size_t i = 0; i < SINGLES; i++, n++) {
		rig_request(rig, &r[n], XX_OP_WRITE, 2 * i * RIG_BLOCK, RIG_BLOCK);
		cr_assert_eq(xx_ring_submit(rig->ring, &r[n].req), 0);
	}
	xx_plug_init(&plug, rig->ring);
	for (size_t i = 0; i < MERGED; i++, n++) {
		rig_request(rig, &r[n], XX_OP_WRITE, (64 + i) * RIG_BLOCK, RIG_BLOCK);
		cr_assert_eq(xx_plug_add(&plug, &r[n].req), 0);
	}
	rig_request(rig, &r[n], XX_OP_WRITE, FAR, LONG_SIZE);
	cr_assert_eq(xx_plug_add(&plug, &r[n++].req), 0);
	xx_plug_pull(&plug);
	rig_request(rig, &r[n], XX_OP_ZERO, FAR + 2 * LONG_SIZE, 64 * RIG_BLOCK);
	cr_assert_eq(xx_ring_submit(rig->ring, &r[n++].req), 0);
	cr_assert_eq(xx_ring_drain(rig->ring), 0);
	rig_request(rig, &r[n], XX_OP_FLUSH, 0, 0);
	cr_assert_eq(xx_ring_submit(rig->ring, &r[n++].req), 0);
	cr_assert_eq(xx_ring_drain(rig->ring), 0);
	cr_assert_eq(n, REQUESTS);
}

static void check_all(struct rig *rig, struct rig_request *r, const struct xx_fault *fault)
{
	uint64_t failed = 0;

	cr_assert_eq(rig->calls, REQUESTS);
	cr_assert_eq(xx_ring_inflight(rig->ring), 0);
	cr_assert_eq(rig->ring->native->taken, 0);
	for (size_t i = 0; i < REQUESTS; i++) {
		cr_assert_eq(r[i].calls, 1);
		failed += r[i].result != 0;
		cr_assert(r[i].result == 0 || r[i].result == fault->error);
		if (r[i].result == 0 && r[i].req.op == XX_OP_WRITE)
			cr_assert(rig_device_matches(rig, r[i].req.offset, r[i].req.length));
		if (r[i].result == 0 && r[i].req.op == XX_OP_ZERO)
			cr_assert(rig_device_zero(rig, r[i].req.offset, r[i].req.length));
		rig_release(&r[i]);
	}
	cr_assert_eq(xx_ring_stats(rig->ring)->write_errors, failed);
	if (is_harmless(fault))
		cr_assert_eq(failed, 0);
	cr_assert_eq(xx_ring_stats(rig->ring)->first_write_error, failed ? fault->error : 0);
}

/* What was written before must not look like what is to be written. */
static void reset(struct rig *rig)
{
	void *buf = rig_buffer(LONG_SIZE);

	memset(buf, 0xdc, LONG_SIZE);
	cr_assert_eq(xx_device_write(rig->dev, 0, buf, LONG_SIZE), 0);
	cr_assert_eq(xx_device_write(rig->dev, FAR, buf, LONG_SIZE), 0);
	cr_assert_eq(xx_device_write(rig->dev, FAR + 2 * LONG_SIZE, buf, LONG_SIZE), 0);
	free(buf);
	atomic_store(&rig->dev->zero_failed, 0);
	rig->ring->stats = (struct xx_ring_stats){ 0 };
	rig->calls = 0;
}

/* One run; true when the fault hit. */
static bool run(struct rig *rig, const struct xx_fault *pattern, uint64_t nth)
{
	struct xx_fault fault = *pattern;
	struct rig_request r[REQUESTS];

	fault.nth = nth;
	reset(rig);
	xx_device_inject(rig->dev, &fault);
	submit_all(rig, r);
	xx_device_inject(rig->dev, NULL);
	check_all(rig, r, &fault);
	return fault.hits > 0;
}

RIG_TEST(ring_every_n, until_all_succeeds)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(faults); i++) {
		struct rig rig;
		uint64_t nth = 1;

		rig_need(&rig, *kind, 5);
		rig.dev->info.max_request = LIMIT;
		while (run(&rig, &faults[i], nth))
			cr_assert_leq(++nth, RUNS_MAX);
		cr_assert_gt(nth, 1);
		rig_close(&rig);
	}
}
