/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_memory.c - the engine that does everything at once, in the owner's thread: for devices that have no file
 * descriptor, and for tests.
 */
#include <errno.h>
#include <stdlib.h>
#include "io/engine.h"

struct memory_engine {
	struct xx_inbox *inbox;
	struct xx_slot_list done;
};

static int memory_create(struct xx_engine *engine, const struct xx_engine_setup *setup)
{
	struct memory_engine *me = calloc(1, sizeof(*me));

	if (!me)
		return -ENOMEM;
	me->inbox = setup->inbox;
	engine->private = me;
	engine->can = XX_CAN_ALL;
	return 0;
}

static void memory_destroy(struct xx_engine *engine)
{
	free(engine->private);
}

static int memory_commit(struct xx_engine *engine, struct xx_slot **slots, uint32_t count)
{
	struct memory_engine *me = engine->private;

	for (uint32_t i = 0; i < count; i++) {
		struct xx_transfer t = xx_slot_transfer(slots[i]);

		slots[i]->res = xx_device_transfer(slots[i]->device, &t);
		xx_slot_append(&me->done, slots[i]);
	}
	xx_inbox_wake(me->inbox);
	return (int)count;
}

static int memory_reap(struct xx_engine *engine, struct xx_slot_list *done)
{
	struct memory_engine *me = engine->private;
	struct xx_slot *slot;

	while ((slot = xx_slot_take(&me->done)))
		xx_slot_append(done, slot);
	return 0;
}

const struct xx_engine_ops xx_engine_memory = {
	.name = "memory",
	.create = memory_create,
	.destroy = memory_destroy,
	.commit = memory_commit,
	.reap = memory_reap,
};
