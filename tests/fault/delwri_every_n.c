/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * delwri_every_n.c - the Nth transfer of a flush fails, for N = 1, 2, ... until nothing does.
 *
 * Whatever N: the flush ends, with nothing in flight; it reports success only when all is on the medium; what was not
 * written is still there, dirty, with its error, and is written when the device is good again.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/fault/everyn.h"
#include "tests/unit/cachetest.h"

enum {
	BLOCKS = 30
};

/* Two runs of neighbours and some that stand alone. */
static unsigned place(unsigned i)
{
	return i < 20 ? i + i / 10 : 3 * i;
}

static struct xx_delwri *fill_queue(struct rig *rig, uint64_t n)
{
	struct xx_delwri *queue;

	cr_assert_eq(xx_delwri_create(rig->cache, &queue), 0);
	for (unsigned i = 0; i < BLOCKS; i++) {
		struct xx_buf *buf = rig_fill(rig, place(i), (uint32_t)n * BLOCKS + i);

		cr_assert_eq(xx_delwri_add(queue, buf), 0);
		xx_buf_put(buf);
	}
	return queue;
}

static bool written(struct rig *rig, uint64_t n, unsigned i)
{
	return rig_holds(rig, (uint64_t)place(i) * RIG_BLOCK, (uint32_t)n * BLOCKS + i);
}

/* Each buffer says truly what became of it; how many are still dirty. */
static unsigned check_buffers(struct rig *rig, uint64_t n)
{
	unsigned dirty = 0;

	for (unsigned i = 0; i < BLOCKS; i++) {
		struct xx_buf *buf = rig_get(rig, place(i));

		cr_expect_eq(rig_refs(buf), 1, "N %lu, block %u: the queue's reference has gone", n, i);
		cr_expect_eq(xx_buf_is_dirty(buf), buf->error != 0, "N %lu, block %u", n, i);
		cr_expect_eq(rig_value(buf), (uint32_t)n * BLOCKS + i, "N %lu, block %u is not lost", n, i);
		cr_expect(xx_buf_is_dirty(buf) || written(rig, n, i), "N %lu, block %u", n, i);
		dirty += xx_buf_is_dirty(buf);
		xx_buf_put(buf);
	}
	return dirty;
}

/* One run. False when the fault did not come, so that the row is done. */
static bool run(struct rig *rig, const struct everyn *row, uint64_t n)
{
	struct xx_fault fault = everyn_fault(row, n);
	struct xx_delwri *queue = fill_queue(rig, n);
	unsigned dirty;
	int ret;

	xx_device_inject(rig->dev, &fault);
	ret = xx_delwri_flush(queue);
	xx_device_inject(rig->dev, NULL);
	cr_expect_eq(xx_ring_inflight(rig->ring), 0, "N %lu", n);
	cr_expect_eq(xx_delwri_count(queue), 0, "N %lu", n);
	dirty = check_buffers(rig, n);
	cr_expect_eq(ret == 0, dirty == 0, "N %lu: %d with %u dirty", n, ret, dirty);
	cr_expect(ret == 0 || (ret == row->error && !row->harmless), "N %lu: %d", n, ret);
	cr_expect_eq(xx_cache_flush(rig->cache), 0, "N %lu", n);
	for (unsigned i = 0; i < BLOCKS; i++)
		cr_expect(written(rig, n, i), "N %lu, block %u", n, i);
	xx_delwri_destroy(queue);
	return fault.hits > 0;
}

ON_EACH_ENGINE(delwri_every_n, flush)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(everyn); i++) {
		struct rig rig;
		uint64_t n = 1;

		rig_open(&rig, *kind, 0);
		while (run(&rig, &everyn[i], n))
			n++;
		cr_expect_gt(n, 1, "row %zu", i);
		rig_close(&rig);
	}
}
