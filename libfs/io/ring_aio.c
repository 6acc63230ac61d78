/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_aio.c - the engine over Linux AIO (libaio), for kernels and containers without io_uring.
 *
 * The inbox's eventfd is polled by the same queue (IOCB_CMD_POLL, since Linux 4.18), so that one wait serves both. The
 * poll is one-shot: it is armed before each wait unless it still is. Flush, zero and discard are left to the helper.
 */
#include <errno.h>
#include <libaio.h>
#include <poll.h>
#include <stdlib.h>
#include "io/engine.h"

enum {
	EVENTS = 64, /* collected in one call */
};

struct aio_engine {
	struct xx_inbox *inbox;
	io_context_t ctx;
	bool armed;
	struct xx_slot_list done;
	struct iocb poll;
	struct iocb **pointers; /* for a commit */
	struct iocb iocbs[]; /* one for each slot */
};

static int arm(struct aio_engine *ae)
{
	struct iocb *poll = &ae->poll;
	int ret;

	if (ae->armed)
		return 0;
	io_prep_poll(poll, ae->inbox->eventfd, POLLIN);
	do {
		ret = io_submit(ae->ctx, 1, &poll);
	} while (ret == -EINTR);
	if (ret < 0)
		return ret;
	ae->armed = true;
	return 0;
}

static void aio_destroy(struct xx_engine *engine)
{
	struct aio_engine *ae = engine->private;

	if (ae->ctx)
		io_destroy(ae->ctx);
	free(ae->pointers);
	free(ae);
}

static int aio_create(struct xx_engine *engine, const struct xx_engine_setup *setup)
{
	struct aio_engine *ae = calloc(1, sizeof(*ae) + setup->depth * sizeof(ae->iocbs[0]));
	int ret = -ENOMEM;

	if (!ae)
		return ret;
	ae->inbox = setup->inbox;
	engine->private = ae;
	engine->can = XX_CAN_MOVE;
	ae->pointers = calloc(setup->depth, sizeof(struct iocb *));
	if (ae->pointers)
		ret = io_setup((int)setup->depth + 1, &ae->ctx);
	if (ret == 0)
		ret = xx_inbox_open_eventfd(ae->inbox);
	if (ret == 0)
		ret = arm(ae);
	if (ret < 0)
		aio_destroy(engine);
	return ret;
}

static int aio_commit(struct xx_engine *engine, struct xx_slot **slots, uint32_t count)
{
	struct aio_engine *ae = engine->private;

	for (uint32_t i = 0; i < count; i++) {
		struct xx_slot *slot = slots[i];
		struct iocb *iocb = &ae->iocbs[slot->index];
		int fd = slot->device->fd;

		if (slot->op == XX_OP_READ)
			io_prep_preadv(iocb, fd, slot->iov, (int)slot->iovcnt, (long long)slot->at);
		else
			io_prep_pwritev(iocb, fd, slot->iov, (int)slot->iovcnt, (long long)slot->at);
		iocb->data = slot;
		ae->pointers[i] = iocb;
	}
	return io_submit(ae->ctx, count, ae->pointers);
}

static void collect(struct aio_engine *ae, const struct io_event *event)
{
	struct xx_slot *slot = event->data;

	if (event->obj == &ae->poll) {
		ae->armed = false;
		xx_inbox_empty(ae->inbox);
		return;
	}
	slot->res = (int)(long)event->res;
	xx_slot_append(&ae->done, slot);
}

/* Collect what there is, but wait for @min events first. */
static int get_events(struct aio_engine *ae, long min)
{
	struct io_event events[EVENTS];
	struct timespec now = { 0 };
	int n;

	do {
		n = io_getevents(ae->ctx, min, EVENTS, events, min ? NULL : &now);
		for (int i = 0; i < n; i++)
			collect(ae, &events[i]);
		min = 0;
	} while (n == EVENTS);
	return n == -EINTR || n > 0 ? 0 : n;
}

static int aio_reap(struct xx_engine *engine, struct xx_slot_list *done)
{
	struct aio_engine *ae = engine->private;
	int ret = get_events(ae, 0);
	struct xx_slot *slot;

	while ((slot = xx_slot_take(&ae->done)))
		xx_slot_append(done, slot);
	return ret;
}

static int aio_wait(struct xx_engine *engine)
{
	struct aio_engine *ae = engine->private;
	int ret = arm(ae);

	return ret < 0 ? ret : get_events(ae, 1);
}

const struct xx_engine_ops xx_engine_aio = {
	.name = "aio",
	.create = aio_create,
	.destroy = aio_destroy,
	.commit = aio_commit,
	.reap = aio_reap,
	.wait = aio_wait,
};
