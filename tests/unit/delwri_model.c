/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * delwri_model.c - property test: the cache and two delayed-write queues against a plain array.
 *
 * A seed draws a long row of steps: fill blocks, queue them on one queue or the other, declare them dirty, hold and put
 * references, read, read ahead, forget, cancel, flush, with faults injected into the device meanwhile. The model knows of each
 * block what its users must see, whether it is dirty, and on which queue it stands. After every step that may have
 * written, what is clean must be on the medium; what is dirty must still be there; nothing else may have changed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xx/random.h>
#include "cachetest.h"

enum {
	BLOCKS = 48,
	STEPS = 400,
	SEEDS = 12,
	BUDGET_BLOCKS = 24,
	QUEUES = 2,
	NO_QUEUE = QUEUES,
};

struct model_block {
	uint32_t value; /* what users see */
	bool dirty;
	unsigned queue;
	struct xx_buf *held; /* a reference that the test keeps */
};

struct model {
	struct rig rig;
	struct xx_random random;
	struct xx_delwri *queues[QUEUES];
	struct model_block blocks[BLOCKS];
	struct xx_fault fault;
	bool faulty; /* a fault is injected */
	uint32_t next; /* value */
	uint64_t seed;
	unsigned step;
};

#define model_expect(m, cond) cr_assert((cond), "seed %lu, step %u: %s", (m)->seed, (m)->step, #cond)

static unsigned below(struct model *m, unsigned limit)
{
	return (unsigned)xx_random_below(&m->random, limit);
}

/* Blocks lie with gaps, so that some neighbours can be merged and others not. */
static unsigned place(unsigned nr)
{
	return nr + nr / 5;
}

static uint64_t offset_of(unsigned nr)
{
	return (uint64_t)place(nr) * RIG_BLOCK;
}

/* Faults come and go while nothing is under way: read-ahead is waited for. */
static void inject(struct model *m, struct xx_fault *fault)
{
	model_expect(m, xx_ring_drain(m->rig.ring) == 0);
	model_expect(m, xx_ring_inflight(m->rig.ring) == 0);
	xx_device_inject(m->rig.dev, fault);
	m->faulty = fault != NULL;
}

static void end_fault(struct model *m)
{
	inject(m, NULL);
}

static void begin_fault(struct model *m)
{
	static const enum xx_fault_kind kinds[] = { XX_FAULT_ERROR, XX_FAULT_SHORT,   XX_FAULT_TEAR,
						    XX_FAULT_DELAY, XX_FAULT_REORDER, XX_FAULT_COMMIT };
	static const int errors[] = { -EIO, -ENOSPC, -EAGAIN, -EILSEQ };

	end_fault(m);
	m->fault = (struct xx_fault){
		.kind = kinds[below(m, XX_ARRAY_SIZE(kinds))],
		.error = errors[below(m, XX_ARRAY_SIZE(errors))],
		.nth = 1 + below(m, 6),
		.count = 1 + below(m, 4),
		.keep = 1 + below(m, 4),
		.seed = xx_random_u64(&m->random),
	};
	inject(m, &m->fault);
}

/* The buffer of a block if it is in the cache, without a reference. */
static struct buf *find(struct model *m, unsigned nr)
{
	struct index_node *node = index_find(&m->rig.cache->index, m->rig.dev, offset_of(nr), RIG_BLOCK);

	return node ? xx_container_of(node, struct piece, node)->buf : NULL;
}

/* The cache may write what is on no queue when it needs room: learn what it did. */
static void learn(struct model *m, unsigned nr)
{
	const struct buf *buf = find(m, nr);
	const bool dirty = buf && buf->dirty;

	model_expect(m, m->blocks[nr].dirty || !dirty);
	model_expect(m, m->blocks[nr].queue == NO_QUEUE || dirty);
	m->blocks[nr].dirty = dirty;
}

/* What is clean is on the medium. */
static void check_medium(struct model *m)
{
	for (unsigned nr = 0; nr < BLOCKS; nr++)
		learn(m, nr);
	for (unsigned nr = 0; nr < BLOCKS; nr++) {
		if (!m->blocks[nr].dirty)
			model_expect(m, rig_holds(&m->rig, offset_of(nr), m->blocks[nr].value));
	}
}

static bool flush(struct model *m, unsigned queue);

/* Give the cache room again: no faults, everything flushed, nothing held. */
static void make_room(struct model *m)
{
	end_fault(m);
	for (unsigned q = 0; q < QUEUES; q++)
		model_expect(m, flush(m, q));
	model_expect(m, xx_cache_flush(m->rig.cache) == 0);
	for (unsigned nr = 0; nr < BLOCKS; nr++) {
		xx_buf_put(m->blocks[nr].held);
		m->blocks[nr].held = NULL;
	}
}

static struct xx_buf *get(struct model *m, unsigned nr)
{
	struct xx_buf *buf;
	int ret;

	ret = xx_cache_get(m->rig.cache, m->rig.dev, offset_of(nr), RIG_BLOCK, &buf);
	if (ret) {
		model_expect(m, ret == -ENOBUFS);
		make_room(m);
		ret = xx_cache_get(m->rig.cache, m->rig.dev, offset_of(nr), RIG_BLOCK, &buf);
	}
	model_expect(m, ret == 0);
	learn(m, nr);
	return buf;
}

/* A reference to a block that is filled. */
static struct xx_buf *read_block(struct model *m, unsigned nr)
{
	struct xx_buf *buf = get(m, nr);
	int ret;

	ret = xx_buf_read(buf, &rig_ops);
	if (ret) {
		model_expect(m, m->faulty && !m->blocks[nr].dirty);
		end_fault(m);
		ret = xx_buf_read(buf, &rig_ops);
	}
	model_expect(m, ret == 0);
	model_expect(m, rig_value(buf) == m->blocks[nr].value);
	return buf;
}

/* A block has just been flushed. Was it written? */
static bool flushed(struct model *m, unsigned nr)
{
	const struct buf *buf = find(m, nr);

	m->blocks[nr].queue = NO_QUEUE;
	model_expect(m, buf);
	model_expect(m, buf->dirty == (buf->pub.error != 0));
	m->blocks[nr].dirty = buf->dirty;
	return !buf->dirty;
}

static bool flush(struct model *m, unsigned queue)
{
	int ret = xx_delwri_flush(m->queues[queue]);
	bool all = true;

	end_fault(m);
	model_expect(m, xx_delwri_count(m->queues[queue]) == 0);
	for (unsigned nr = 0; nr < BLOCKS; nr++) {
		if (m->blocks[nr].queue == queue)
			all &= flushed(m, nr);
	}
	model_expect(m, all == (ret == 0));
	return all;
}

static void refill(struct model *m, unsigned nr, struct xx_buf **out)
{
	struct xx_buf *buf = get(m, nr);

	xx_buf_put(buf);
	buf = rig_fill(&m->rig, place(nr), ++m->next);
	m->blocks[nr].value = m->next;
	m->blocks[nr].dirty = true;
	*out = buf;
}

static void step_queue(struct model *m, unsigned nr)
{
	struct model_block *block = &m->blocks[nr];
	const unsigned queue = below(m, QUEUES);
	struct xx_buf *buf;

	refill(m, nr, &buf);
	if (block->queue == NO_QUEUE || block->queue == queue) {
		model_expect(m, xx_delwri_add(m->queues[queue], buf) == 0);
		block->queue = queue;
	} else {
		model_expect(m, xx_delwri_add(m->queues[queue], buf) == -EBUSY);
	}
	xx_buf_put(buf);
}

static void step_dirty(struct model *m, unsigned nr)
{
	struct xx_buf *buf;

	refill(m, nr, &buf);
	xx_buf_dirty(buf);
	xx_buf_put(buf);
}

static void step_hold(struct model *m, unsigned nr)
{
	struct model_block *block = &m->blocks[nr];

	if (block->held) {
		xx_buf_put(block->held);
		block->held = NULL;
		return;
	}
	block->held = read_block(m, nr);
}

/* What is forgotten is what the medium holds, which may be torn: so the block is made anew there. */
static void step_forget(struct model *m, unsigned nr)
{
	struct model_block *block = &m->blocks[nr];
	struct xx_buf *buf = get(m, nr);

	end_fault(m);
	xx_buf_forget(buf);
	rig_format(&m->rig, place(nr), ++m->next);
	block->value = m->next;
	block->dirty = false;
	block->queue = NO_QUEUE;
	xx_buf_put(buf);
}

static void step_cancel(struct model *m)
{
	const unsigned queue = below(m, QUEUES);

	xx_delwri_cancel(m->queues[queue]);
	for (unsigned nr = 0; nr < BLOCKS; nr++) {
		if (m->blocks[nr].queue == queue)
			m->blocks[nr].queue = NO_QUEUE;
	}
}

static void step_flush_cache(struct model *m)
{
	const bool faulty = m->faulty;
	const int ret = xx_cache_flush(m->rig.cache);

	end_fault(m);
	model_expect(m, ret == 0 || faulty);
	for (unsigned nr = 0; nr < BLOCKS; nr++) {
		learn(m, nr);
		model_expect(m, ret || !m->blocks[nr].dirty || m->blocks[nr].queue != NO_QUEUE);
	}
}

static void step(struct model *m)
{
	const unsigned nr = below(m, BLOCKS);

	switch (below(m, 20)) {
	case 0:
	case 1:
		begin_fault(m);
		break;
	case 2:
		flush(m, below(m, QUEUES));
		check_medium(m);
		break;
	case 3:
		step_cancel(m);
		break;
	case 4:
		step_forget(m, nr);
		break;
	case 5:
		step_flush_cache(m);
		check_medium(m);
		break;
	case 6:
	case 7:
		xx_cache_readahead(m->rig.cache, m->rig.dev, offset_of(nr), RIG_BLOCK);
		break;
	case 8:
	case 9:
		step_hold(m, nr);
		break;
	case 10:
	case 11:
		step_dirty(m, nr);
		break;
	case 12:
	case 13:
	case 14:
		xx_buf_put(read_block(m, nr));
		break;
	default:
		step_queue(m, nr);
		break;
	}
}

static void check_budget(struct model *m)
{
	struct xx_cache_stats stats;

	xx_cache_stats(m->rig.cache, &stats);
	model_expect(m, stats.bytes_max <= rig_room(BUDGET_BLOCKS));
}

/* The device is good again: everything gets to the medium. */
static void finish(struct model *m)
{
	make_room(m);
	check_budget(m);
	for (unsigned q = 0; q < QUEUES; q++)
		xx_delwri_destroy(m->queues[q]);
	model_expect(m, rig_close_cache(&m->rig) == 0);
	for (unsigned nr = 0; nr < BLOCKS; nr++)
		model_expect(m, rig_holds(&m->rig, offset_of(nr), m->blocks[nr].value));
	rig_close(&m->rig);
}

static void run(unsigned kind, uint64_t seed)
{
	struct model *m = calloc(1, sizeof(*m));

	cr_assert_not_null(m);
	rig_open(&m->rig, kind, rig_room(BUDGET_BLOCKS));
	m->seed = seed;
	xx_random_init_seed(&m->random, seed);
	for (unsigned q = 0; q < QUEUES; q++)
		cr_assert_eq(xx_delwri_create(m->rig.cache, &m->queues[q]), 0);
	for (unsigned nr = 0; nr < BLOCKS; nr++) {
		m->blocks[nr] = (struct model_block){ .value = ++m->next, .queue = NO_QUEUE };
		rig_format(&m->rig, place(nr), m->next);
	}
	for (m->step = 0; m->step < STEPS; m->step++)
		step(m);
	finish(m);
	free(m);
}

ON_EACH_ENGINE(delwri_model, like_a_plain_array)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		run(*kind, seed);
}
