/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine.c - the table of engines, and the choice among them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xx/context.h>
#include "io/engine.h"

/* In the order of preference; what is not tried on its own comes last. */
static const struct row {
	enum xx_engine_id id;
	const struct xx_engine_ops *ops;
	bool automatic;
	const char *advice; /* when it does not work */
} engines[] = {
	{ XX_ENGINE_URING, &xx_engine_uring, true,
	  "see kernel.io_uring_disabled, and the seccomp filter of a container" },
	{ XX_ENGINE_AIO, &xx_engine_aio, true, "see fs.aio-nr and fs.aio-max-nr" },
	{ XX_ENGINE_THREADS, &xx_engine_threads, true, "see ulimit -u" },
	{ XX_ENGINE_MEMORY, &xx_engine_memory, false, "is memory short?" },
};

int xx_engine_parse(const char *name, enum xx_engine_id *out)
{
	if (strcmp(name, "auto") == 0) {
		*out = XX_ENGINE_AUTO;
		return 0;
	}
	for (size_t i = 0; i < XX_ARRAY_SIZE(engines); i++) {
		if (engines[i].automatic && strcmp(name, engines[i].ops->name) == 0) {
			*out = engines[i].id;
			return 0;
		}
	}
	return -EINVAL;
}

int xx_engine_create(const struct xx_engine_ops *ops, const struct xx_engine_setup *setup, struct xx_engine **out)
{
	struct xx_engine *engine = calloc(1, sizeof(*engine));
	int ret = -ENOMEM;

	if (!engine)
		return ret;
	engine->ops = ops;
	engine->waits = ops->wait;
	engine->batch = calloc(setup->depth, sizeof(struct xx_slot *));
	if (engine->batch)
		ret = ops->create(engine, setup);
	if (ret < 0) {
		free(engine->batch);
		free(engine);
		return ret;
	}
	*out = engine;
	return 0;
}

void xx_engine_destroy(struct xx_engine *engine)
{
	if (!engine)
		return;
	engine->ops->destroy(engine);
	free(engine->batch);
	free(engine);
}

int xx_engine_choose(enum xx_engine_id id, const struct xx_engine_setup *setup, struct xx_engine **out)
{
	int ret = -EINVAL;

	for (size_t i = 0; i < XX_ARRAY_SIZE(engines); i++) {
		const struct row *row = &engines[i];

		if (id == XX_ENGINE_AUTO ? !row->automatic : row->id != id)
			continue;
		ret = xx_engine_create(row->ops, setup, out);
		if (ret == 0)
			return 0;
		if (id != XX_ENGINE_AUTO)
			xx_error(setup->ctx, "The I/O engine %s does not work here: %s (%s).", row->ops->name,
				 strerror(-ret), row->advice);
		else
			xx_verbose(setup->ctx, "The I/O engine %s does not work here: %s; trying the next one.",
				   row->ops->name, strerror(-ret));
	}
	if (id == XX_ENGINE_AUTO)
		xx_error(setup->ctx, "No I/O engine works here; the last one said: %s.", strerror(-ret));
	else if (ret == -EINVAL)
		xx_error(setup->ctx, "There is no such I/O engine.");
	return ret;
}
