/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dispatch.c - between a ring and its engines: which one carries a slot, handing batches down, collecting completions.
 */
#include <errno.h>
#include <string.h>
#include "io/ring_impl.h"

struct xx_engine_setup xx_ring_setup(struct xx_ring *ring, uint32_t threads)
{
	return (struct xx_engine_setup){ .ctx = ring->ctx,
					 .inbox = &ring->inbox,
					 .depth = ring->depth,
					 .threads = threads };
}

uint32_t xx_ring_engines(const struct xx_ring *ring, struct xx_engine *engines[XX_ENGINES_MAX])
{
	uint32_t n = 0;

	engines[n++] = ring->native;
	if (ring->helper)
		engines[n++] = ring->helper;
	if (ring->soft)
		engines[n++] = ring->soft;
	return n;
}

/* An engine that is made when it is first needed; NULL when that fails. */
static struct xx_engine *lazy(struct xx_ring *ring, struct xx_engine **engine, const struct xx_engine_ops *ops)
{
	struct xx_engine_setup setup = xx_ring_setup(ring, 1);

	if (!*engine && xx_engine_create(ops, &setup, engine) < 0)
		*engine = NULL;
	return *engine;
}

struct xx_engine *xx_ring_engine(struct xx_ring *ring, const struct xx_slot *slot)
{
	struct xx_engine *engine = ring->native;

	if (slot->device->fd < 0)
		engine = ring->is_soft ? engine : lazy(ring, &ring->soft, &xx_engine_memory);
	else if (!(engine->can & 1u << slot->op))
		engine = lazy(ring, &ring->helper, &xx_engine_threads);
	if (engine && slot->device->fault && xx_engine_add_faults(engine, &ring->inbox) < 0)
		return NULL;
	return engine;
}

int xx_ring_harvest(struct xx_ring *ring)
{
	struct xx_engine *engines[XX_ENGINES_MAX];
	uint32_t n = xx_ring_engines(ring, engines);
	struct xx_slot *slot;
	int count = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct xx_slot_list done = { 0 };
		int ret = engines[i]->ops->reap(engines[i], &done);

		while ((slot = xx_slot_take(&done))) {
			engines[i]->taken--;
			xx_ring_complete(ring, slot);
			count++;
		}
		if (ret < 0)
			return ret;
	}
	return count;
}

static void account(struct xx_ring_stats *stats, const struct xx_slot *slot)
{
	switch (slot->op) {
	case XX_OP_READ:
		stats->reads++;
		stats->read_bytes += slot->left;
		break;
	case XX_OP_WRITE:
		stats->writes++;
		stats->write_bytes += slot->left;
		break;
	case XX_OP_FLUSH:
		stats->flushes++;
		break;
	case XX_OP_ZERO:
		stats->zeros++;
		break;
	case XX_OP_DISCARD:
		stats->discards++;
		break;
	}
}

static bool is_transient(int err)
{
	return err == -EAGAIN || err == -EBUSY || err == -ENOMEM || err == -EINTR;
}

static void drop_batched(struct xx_engine *engine, uint32_t count)
{
	engine->batched -= count;
	memmove(engine->batch, engine->batch + count, engine->batched * sizeof(*engine->batch));
}

/* The engine does not take the first slot of its batch, and waiting does not help. */
static void refuse_first(struct xx_ring *ring, struct xx_engine *engine, int err)
{
	struct xx_slot *slot = engine->batch[0];

	drop_batched(engine, 1);
	engine->stalls = 0;
	slot->tries = XX_TRIES_MAX;
	slot->res = err;
	xx_ring_complete(ring, slot);
}

/*
 * There was no room. What has completed makes some; without any, it is tried when something that is down has completed,
 * and at once, but not for ever, when nothing is down. True: go on.
 */
static bool make_room(struct xx_ring *ring, struct xx_engine *engine, int err)
{
	if (xx_ring_harvest(ring) > 0)
		return true;
	if (engine->taken > 0)
		return false;
	if (++engine->stalls > XX_STALLS_MAX)
		refuse_first(ring, engine, err);
	return true;
}

/* Hand the batch of an engine down. */
static void send(struct xx_ring *ring, struct xx_engine *engine)
{
	while (engine->batched > 0) {
		int taken;

		ring->stats.commits++;
		taken = engine->ops->commit(engine, engine->batch, engine->batched);
		if (taken > 0) {
			for (int i = 0; i < taken; i++)
				account(&ring->stats, engine->batch[i]);
			engine->taken += (uint32_t)taken;
			engine->stalls = 0;
			drop_batched(engine, (uint32_t)taken);
		} else if (!is_transient(taken)) {
			refuse_first(ring, engine, taken);
		} else if (!make_room(ring, engine, taken)) {
			return;
		}
	}
}

static bool is_anything_to_cut(const struct xx_ring *ring)
{
	return ring->again.first || (ring->pending.first && ring->free.first);
}

void xx_ring_push(struct xx_ring *ring)
{
	struct xx_engine *engines[XX_ENGINES_MAX];
	uint32_t n;

	do {
		xx_ring_cut(ring);
		n = xx_ring_engines(ring, engines);
		for (uint32_t i = 0; i < n; i++)
			send(ring, engines[i]);
	} while (is_anything_to_cut(ring));
}
