/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_fault.c - the engine that stacks on any other and does to transfers what the fault attached to their device says.
 *
 * Slots go down one by one, since each may be another case. Completions that are to come late or in another order are
 * held; when nothing is down any more, all that is held is let go, so that nobody waits in vain.
 */
#include <errno.h>
#include <stdlib.h>
#include <xx/units.h>
#include "io/engine.h"
#include "io/fault_impl.h"

struct fault_engine {
	struct xx_engine lower;
	struct xx_inbox *inbox;
	uint32_t below; /* slots that the lower engine has */
	struct xx_slot_list done; /* failed without going down */
	struct xx_slot_list held;
	uint32_t holding;
	uint64_t random;
};

static uint64_t draw(struct fault_engine *fe, uint64_t seed)
{
	fe->random = (fe->random ? fe->random : seed) + UINT64_C(0x9e3779b97f4a7c15);
	uint64_t z = (fe->random ^ fe->random >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	return (z ^ z >> 27) >> 16;
}

/* Make the transfer end after @bytes, at least one. */
static void truncate_slot(struct xx_slot *slot, uint64_t bytes)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < slot->iovcnt; i++) {
		uint64_t n = xx_min(slot->iov[i].iov_len, bytes - sum);

		slot->iov[i].iov_len = n;
		sum += n;
		if (sum == bytes) {
			slot->iovcnt = i + 1;
			break;
		}
	}
	slot->left = bytes;
}

static bool is_move(const struct xx_slot *slot)
{
	return slot->op == XX_OP_READ || slot->op == XX_OP_WRITE;
}

/*
 * What is to happen to a slot. O_DIRECT below cannot move a part of a sector: then what is moved ends with a whole one,
 * and what is reported does not.
 */
static void tamper(struct xx_slot *slot)
{
	struct xx_fault *fault = slot->device->fault;
	uint64_t unit = slot->device->info.offset_align;
	uint64_t half = slot->left / 2;

	slot->tamper = XX_FAULT_NONE;
	if (!fault)
		return;
	slot->tamper = (uint8_t)xx_fault_decide(fault, slot->op, slot->at, slot->left);
	slot->age = 0;
	if (slot->tamper == XX_FAULT_SHORT && is_move(slot) && half > 0)
		truncate_slot(slot, xx_round_up(half, unit));
	if (slot->tamper == XX_FAULT_TEAR && slot->op == XX_OP_WRITE) {
		half = xx_round_down(half, xx_max(unit, XX_SECTOR));
		if (half > 0)
			truncate_slot(slot, half);
		else
			slot->tamper = XX_FAULT_ERROR;
	}
}

/* 1 when it went down or failed here; 0 or a negative errno when the batch cannot go down. */
static int commit_one(struct fault_engine *fe, struct xx_slot *slot)
{
	uint64_t half = slot->left / 2;
	int ret;

	tamper(slot);
	if (slot->tamper == XX_FAULT_COMMIT)
		return slot->device->fault->error;
	if (slot->tamper == XX_FAULT_ERROR) {
		slot->res = slot->device->fault->error;
		xx_slot_append(&fe->done, slot);
		xx_inbox_wake(fe->inbox);
		return 1;
	}
	if (slot->tamper == XX_FAULT_SHORT)
		slot->age = (uint32_t)half;
	ret = fe->lower.ops->commit(&fe->lower, &slot, 1);
	if (ret == 1)
		fe->below++;
	return ret;
}

static int fault_commit(struct xx_engine *engine, struct xx_slot **slots, uint32_t count)
{
	struct fault_engine *fe = engine->private;

	for (uint32_t i = 0; i < count; i++) {
		int ret = commit_one(fe, slots[i]);

		if (ret != 1)
			return i ? (int)i : ret;
	}
	return (int)count;
}

/* Out of the list of what is held, the one at @index. */
static struct xx_slot *take_held(struct fault_engine *fe, uint32_t index)
{
	struct xx_slot_list rest = { 0 };
	struct xx_slot *slot, *found = NULL;

	for (uint32_t i = 0; (slot = xx_slot_take(&fe->held)); i++) {
		if (i == index)
			found = slot;
		else
			xx_slot_append(&rest, slot);
	}
	fe->held = rest;
	fe->holding--;
	return found;
}

/* Let go what has been held long enough, or everything. */
static void let_go(struct fault_engine *fe, struct xx_slot_list *done)
{
	bool all = fe->below == 0;
	uint32_t i = 0;

	for (struct xx_slot *slot = fe->held.first; slot && !all; slot = slot->next)
		all = slot->tamper == XX_FAULT_REORDER && fe->holding >= xx_max(slot->device->fault->keep, 1);
	while (all && fe->holding > 0)
		xx_slot_append(done,
			       take_held(fe, (uint32_t)(draw(fe, fe->held.first->device->fault->seed) % fe->holding)));
	for (struct xx_slot *slot = fe->held.first, *next; slot; slot = next, i++) {
		next = slot->next;
		if (slot->tamper == XX_FAULT_DELAY && slot->age >= slot->device->fault->keep)
			xx_slot_append(done, take_held(fe, i--));
	}
}

/* A completion from below. */
static void arrive(struct fault_engine *fe, struct xx_slot *slot, struct xx_slot_list *done)
{
	enum xx_fault_kind kind = slot->tamper;

	for (struct xx_slot *held = fe->held.first; held; held = held->next)
		held->age++;
	if (kind == XX_FAULT_SHORT && is_move(slot) && slot->res > 0 && slot->age > 0)
		slot->res = (int)xx_min((uint64_t)slot->res, slot->age);
	if (kind == XX_FAULT_TEAR && slot->op == XX_OP_WRITE)
		slot->res = slot->device->fault->error;
	if (kind == XX_FAULT_DELAY || kind == XX_FAULT_REORDER) {
		slot->age = 0;
		xx_slot_append(&fe->held, slot);
		fe->holding++;
	} else {
		xx_slot_append(done, slot);
	}
}

static int fault_reap(struct xx_engine *engine, struct xx_slot_list *done)
{
	struct fault_engine *fe = engine->private;
	struct xx_slot_list arrived = { 0 };
	struct xx_slot *slot;
	int ret = fe->lower.ops->reap(&fe->lower, &arrived);

	while ((slot = xx_slot_take(&arrived))) {
		fe->below--;
		arrive(fe, slot, done);
	}
	while ((slot = xx_slot_take(&fe->done)))
		xx_slot_append(done, slot);
	if (fe->holding)
		let_go(fe, done);
	return ret;
}

static int fault_wait(struct xx_engine *engine)
{
	struct fault_engine *fe = engine->private;

	return fe->below ? fe->lower.ops->wait(&fe->lower) : 0;
}

static void fault_destroy(struct xx_engine *engine)
{
	struct fault_engine *fe = engine->private;

	fe->lower.ops->destroy(&fe->lower);
	free(fe);
}

static const struct xx_engine_ops fault_ops = {
	.name = "fault",
	.destroy = fault_destroy,
	.commit = fault_commit,
	.reap = fault_reap,
	.wait = fault_wait,
};

/* The core goes on to hold the same engine: what it does moves below. */
int xx_engine_add_faults(struct xx_engine *engine, struct xx_inbox *inbox)
{
	struct fault_engine *fe;

	if (engine->ops == &fault_ops)
		return 0;
	fe = calloc(1, sizeof(*fe));
	if (!fe)
		return -ENOMEM;
	fe->inbox = inbox;
	fe->below = engine->taken;
	fe->lower = (struct xx_engine){ .ops = engine->ops, .can = engine->can, .private = engine->private };
	engine->ops = &fault_ops;
	engine->private = fe;
	return 0;
}
