/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_threads.c - the engine that makes blocking calls in threads of its own, for kernels and containers that allow
 * nothing better. With a single thread it is the helper of other engines.
 *
 * Threads are started as work comes, and end with the engine. The lists have the lock of the inbox.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <xx/units.h>
#include "io/engine.h"

enum {
	THREADS_MAX = 16,
};

struct threads_engine {
	struct xx_inbox *inbox;
	pthread_cond_t work;
	struct xx_slot_list queue, done;
	uint32_t queued; /* on the queue */
	uint32_t idle; /* threads that wait for work */
	bool stop;
	uint32_t count, max;
	pthread_t threads[];
};

static void *worker(void *arg)
{
	struct threads_engine *te = arg;
	struct xx_inbox *inbox = te->inbox;

	pthread_mutex_lock(&inbox->lock);
	for (;;) {
		struct xx_slot *slot = xx_slot_take(&te->queue);
		struct xx_transfer t;

		if (!slot && te->stop)
			break;
		if (!slot) {
			te->idle++;
			pthread_cond_wait(&te->work, &inbox->lock);
			te->idle--;
			continue;
		}
		te->queued--;
		pthread_mutex_unlock(&inbox->lock);
		t = xx_slot_transfer(slot);
		slot->res = xx_device_transfer(slot->device, &t);
		pthread_mutex_lock(&inbox->lock);
		xx_slot_append(&te->done, slot);
		xx_inbox_notify(inbox);
	}
	pthread_mutex_unlock(&inbox->lock);
	return NULL;
}

static int threads_create(struct xx_engine *engine, const struct xx_engine_setup *setup)
{
	uint32_t max = (uint32_t)xx_min(setup->threads ? setup->threads : THREADS_MAX, setup->depth);
	struct threads_engine *te = calloc(1, sizeof(*te) + max * sizeof(te->threads[0]));

	if (!te)
		return -ENOMEM;
	te->inbox = setup->inbox;
	te->max = max;
	pthread_cond_init(&te->work, NULL);
	engine->private = te;
	engine->can = XX_CAN_ALL;
	return 0;
}

static void threads_destroy(struct xx_engine *engine)
{
	struct threads_engine *te = engine->private;

	pthread_mutex_lock(&te->inbox->lock);
	te->stop = true;
	pthread_cond_broadcast(&te->work);
	pthread_mutex_unlock(&te->inbox->lock);
	for (uint32_t i = 0; i < te->count; i++)
		pthread_join(te->threads[i], NULL);
	pthread_cond_destroy(&te->work);
	free(te);
}

/* With the lock held: as many threads as there is work. Signals are for the program's own threads. */
static void start_threads(struct threads_engine *te)
{
	sigset_t all, old;

	if (te->idle >= te->queued || te->count == te->max)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (uint32_t want = te->queued - te->idle; want > 0 && te->count < te->max; want--) {
		if (pthread_create(&te->threads[te->count], NULL, worker, te) != 0)
			break;
		te->count++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static int threads_commit(struct xx_engine *engine, struct xx_slot **slots, uint32_t count)
{
	struct threads_engine *te = engine->private;
	int ret = (int)count;

	pthread_mutex_lock(&te->inbox->lock);
	te->queued += count;
	start_threads(te);
	if (te->count == 0) {
		te->queued -= count;
		ret = -EAGAIN;
	}
	for (int i = 0; i < ret; i++)
		xx_slot_append(&te->queue, slots[i]);
	if (count == 1)
		pthread_cond_signal(&te->work);
	else
		pthread_cond_broadcast(&te->work);
	pthread_mutex_unlock(&te->inbox->lock);
	return ret;
}

static int threads_reap(struct xx_engine *engine, struct xx_slot_list *done)
{
	struct threads_engine *te = engine->private;
	struct xx_slot *slot;

	pthread_mutex_lock(&te->inbox->lock);
	while ((slot = xx_slot_take(&te->done)))
		xx_slot_append(done, slot);
	pthread_mutex_unlock(&te->inbox->lock);
	return 0;
}

const struct xx_engine_ops xx_engine_threads = {
	.name = "threads",
	.create = threads_create,
	.destroy = threads_destroy,
	.commit = threads_commit,
	.reap = threads_reap,
};
