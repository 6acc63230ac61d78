/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plug.c - tests: neighbours become one transfer, and one bad block is one bad request.
 */
#include "ring_criterion.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include "io/ring_impl.h"

enum {
	COUNT = 64,
};

/* 37 is odd: each block once, in no order. */
static void plug_all(struct rig *rig, struct xx_plug *plug, struct rig_request *r, enum xx_op op)
{
	xx_plug_init(plug, rig->ring);
	for (size_t i = 0; i < COUNT; i++) {
		rig_request(rig, &r[i], op, (i * 37 % COUNT) * RIG_BLOCK, RIG_BLOCK);
		cr_assert_eq(xx_plug_add(plug, &r[i].req), 0);
	}
	cr_assert_eq(plug->count, COUNT);
	cr_assert_eq(plug->bytes, COUNT * RIG_BLOCK);
	cr_assert_eq(xx_ring_inflight(rig->ring), 0);
}

static void release_all(struct rig_request *r, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		cr_assert_eq(r[i].calls, 1);
		rig_release(&r[i]);
	}
}

RIG_TEST(plug, merges_neighbours)
{
	struct rig_request r[COUNT];
	struct xx_plug plug;
	struct rig rig;

	rig_need(&rig, *kind, 8);
	plug_all(&rig, &plug, r, XX_OP_WRITE);
	xx_plug_pull(&plug);
	cr_assert_eq(plug.count, 0);
	cr_assert_eq(rig.calls, 0);
	cr_assert_eq(xx_ring_inflight(rig.ring), COUNT);
	cr_assert_eq(xx_ring_drain(rig.ring), 0);
	cr_assert_eq(xx_ring_stats(rig.ring)->writes, 1);
	cr_assert_eq(xx_ring_stats(rig.ring)->merged, COUNT);
	cr_assert_eq(rig.calls, COUNT);
	cr_assert_eq(rig.errors, 0);
	release_all(r, COUNT);
	cr_assert(rig_device_matches(&rig, 0, COUNT * RIG_BLOCK));
	rig_close(&rig);
}

RIG_TEST(plug, goes_down_in_one_call)
{
	struct rig_request r[COUNT];
	struct xx_plug plug;
	struct rig rig;

	rig_need(&rig, *kind, 128);
	xx_plug_init(&plug, rig.ring);
	for (size_t i = 0; i < COUNT; i++) {
		rig_request(&rig, &r[i], XX_OP_WRITE, 2 * i * RIG_BLOCK, RIG_BLOCK);
		cr_assert_eq(xx_plug_add(&plug, &r[i].req), 0);
	}
	xx_plug_pull(&plug);
	cr_assert_eq(xx_ring_stats(rig.ring)->commits, 1);
	cr_assert_eq(xx_ring_stats(rig.ring)->writes, COUNT);
	cr_assert_eq(xx_ring_drain(rig.ring), 0);
	cr_assert_eq(xx_ring_stats(rig.ring)->commits, 1);
	release_all(r, COUNT);
	rig_close(&rig);
}

/* Up to what the device takes. */
RIG_TEST(plug, merges_up_to_the_limit)
{
	struct rig_request r[12];
	struct xx_plug plug;
	struct rig rig;
	uint64_t each;

	rig_need(&rig, *kind, 8);
	each = xx_device_info(rig.dev)->max_request / 4;
	xx_plug_init(&plug, rig.ring);
	for (size_t i = 0; i < 12; i++) {
		rig_request(&rig, &r[i], XX_OP_WRITE, i * each, each);
		cr_assert_eq(xx_plug_add(&plug, &r[i].req), 0);
	}
	xx_plug_pull(&plug);
	cr_assert_eq(xx_ring_drain(rig.ring), 0);
	cr_assert_eq(xx_ring_stats(rig.ring)->writes, 3);
	release_all(r, 12);
	rig_close(&rig);
}

/* Up to IOV_MAX parts. */
RIG_TEST(plug, merges_up_to_iov_max)
{
	enum {
		PARTS = IOV_MAX + 10
	};
	struct rig_request *r = calloc(PARTS, sizeof(*r));
	uint64_t fit;
	struct xx_plug plug;
	struct rig rig;

	rig_need(&rig, *kind, 8);
	fit = xx_device_info(rig.dev)->max_request / RIG_BLOCK;
	if (fit > IOV_MAX)
		fit = IOV_MAX;
	xx_plug_init(&plug, rig.ring);
	for (size_t i = 0; i < PARTS; i++) {
		rig_request(&rig, &r[i], XX_OP_WRITE, i * RIG_BLOCK, RIG_BLOCK);
		cr_assert_eq(xx_plug_add(&plug, &r[i].req), 0);
	}
	xx_plug_pull(&plug);
	cr_assert_eq(xx_ring_drain(rig.ring), 0);
	cr_assert_eq(xx_ring_stats(rig.ring)->writes, (PARTS + fit - 1) / fit);
	release_all(r, PARTS);
	cr_assert(rig_device_matches(&rig, 0, PARTS * RIG_BLOCK));
	free(r);
	rig_close(&rig);
}

/* A gap, an overlap, another kind and another device are no neighbours. */
RIG_TEST(plug, strangers_stay_apart)
{
	struct xx_memory_options options = { .size = RIG_SIZE };
	struct xx_device *other;
	struct rig_request r[6];
	struct xx_plug plug;
	struct rig rig;

	rig_need(&rig, *kind, 8);
	cr_assert_eq(xx_device_memory_create(NULL, &options, &other), 0);
	rig_request(&rig, &r[0], XX_OP_WRITE, 0, RIG_BLOCK);
	rig_request(&rig, &r[1], XX_OP_READ, RIG_BLOCK, RIG_BLOCK);
	rig_request(&rig, &r[2], XX_OP_WRITE, 3 * RIG_BLOCK, RIG_BLOCK);
	rig_request(&rig, &r[3], XX_OP_WRITE, 4 * RIG_BLOCK, RIG_BLOCK);
	r[3].req.device = other;
	rig_request(&rig, &r[4], XX_OP_ZERO, 4 * RIG_BLOCK, RIG_BLOCK);
	rig_request(&rig, &r[5], XX_OP_ZERO, 5 * RIG_BLOCK, RIG_BLOCK);
	xx_plug_init(&plug, rig.ring);
	for (size_t i = 0; i < 6; i++)
		cr_assert_eq(xx_plug_add(&plug, &r[i].req), 0);
	xx_plug_pull(&plug);
	cr_assert_eq(xx_ring_drain(rig.ring), 0);
	cr_assert_eq(xx_ring_stats(rig.ring)->merged, 0);
	cr_assert_eq(rig.calls, 6);
	cr_assert_eq(rig.errors, 0);
	release_all(r, 6);
	rig_close(&rig);
	xx_device_close(other);
}

RIG_TEST(plug, refuses_what_submit_refuses)
{
	struct rig_request r;
	struct xx_plug plug;
	struct rig rig;

	rig_need(&rig, *kind, 8);
	xx_plug_init(&plug, rig.ring);
	rig_request(&rig, &r, XX_OP_FLUSH, 0, 0);
	cr_assert_eq(xx_plug_add(&plug, &r.req), -EINVAL);
	rig_request(&rig, &r, XX_OP_WRITE, 0, RIG_BLOCK);
	r.req.length = 0;
	cr_assert_eq(xx_plug_add(&plug, &r.req), -EINVAL);
	xx_plug_pull(&plug);
	cr_assert_eq(xx_ring_inflight(rig.ring), 0);
	cr_assert_eq(rig.calls, 0);
	rig_release(&r);
	rig_close(&rig);
}

/* Contract 5. A direct read that spans one bad block fails whole; the error belongs to the block that is bad. */
RIG_TEST(plug, one_bad_block_is_one_bad_request)
{
	static const enum xx_op ops[] = { XX_OP_READ, XX_OP_WRITE };
	struct rig_request r[COUNT];
	struct xx_plug plug;
	struct rig rig;

	for (size_t o = 0; o < XX_ARRAY_SIZE(ops); o++) {
		struct xx_fault fault = { .kind = XX_FAULT_ERROR,
					  .error = -EILSEQ,
					  .count = UINT64_MAX,
					  .offset = 23 * RIG_BLOCK,
					  .length = 512 };

		rig_need(&rig, *kind, 8);
		plug_all(&rig, &plug, r, ops[o]);
		xx_device_inject(rig.dev, &fault);
		xx_plug_pull(&plug);
		cr_assert_eq(xx_ring_drain(rig.ring), 0);
		xx_device_inject(rig.dev, NULL);
		cr_assert_eq(fault.hits, 2);
		cr_assert_eq(xx_ring_stats(rig.ring)->splits, 1);
		cr_assert_eq(rig.errors, 1);
		cr_assert_eq(rig.calls, COUNT);
		for (size_t i = 0; i < COUNT; i++)
			cr_assert_eq(r[i].result, r[i].req.offset == 23 * RIG_BLOCK ? -EILSEQ : 0);
		release_all(r, COUNT);
		if (ops[o] == XX_OP_WRITE)
			cr_assert(rig_device_matches(&rig, 24 * RIG_BLOCK, (COUNT - 24) * RIG_BLOCK));
		cr_assert_eq(xx_ring_inflight(rig.ring), 0);
		rig_close(&rig);
	}
}

/* A merged transfer that is short goes on in the middle of one of its requests. */
RIG_TEST(plug, merged_and_short)
{
	struct xx_fault fault = { .kind = XX_FAULT_SHORT, .count = 6 };
	struct rig_request r[COUNT];
	struct xx_plug plug;
	struct rig rig;

	rig_need(&rig, *kind, 8);
	plug_all(&rig, &plug, r, XX_OP_WRITE);
	xx_device_inject(rig.dev, &fault);
	xx_plug_pull(&plug);
	cr_assert_eq(xx_ring_drain(rig.ring), 0);
	xx_device_inject(rig.dev, NULL);
	cr_assert_eq(fault.hits, 6);
	cr_assert_eq(rig.errors, 0);
	cr_assert(rig_device_matches(&rig, 0, COUNT * RIG_BLOCK));
	release_all(r, COUNT);
	rig_close(&rig);
}

/* The device ends inside of the last request: its neighbours are good. */
RIG_TEST(plug, merged_over_the_end)
{
	struct rig_request r[4];
	struct xx_plug plug;
	struct rig rig;

	rig_need(&rig, *kind, 8);
	xx_plug_init(&plug, rig.ring);
	for (size_t i = 0; i < 4; i++) {
		rig_request(&rig, &r[i], XX_OP_READ, RIG_SIZE + i * RIG_BLOCK - 3 * RIG_BLOCK, RIG_BLOCK);
		cr_assert_eq(xx_plug_add(&plug, &r[i].req), 0);
	}
	xx_plug_pull(&plug);
	cr_assert_eq(xx_ring_drain(rig.ring), 0);
	for (size_t i = 0; i < 4; i++)
		cr_assert_eq(r[i].result, i < 3 ? 0 : -ENXIO);
	release_all(r, 4);
	rig_close(&rig);
}
