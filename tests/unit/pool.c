/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pool.c - tests: each item runs once, in order, on bounded threads; nothing is lost; nobody locks up.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <xx/pool.h>

/* An item that counts its runs; the counters are shared by all items of a test. */
struct counters {
	atomic_uint runs, running, most;
};

struct item {
	struct xx_work work;
	struct counters *counters;
	struct xx_pool *pool;
	unsigned runs; /* of this item */
	unsigned again; /* submit it so often again */
};

static void item_run(struct xx_work *work)
{
	struct item *item = xx_container_of(work, struct item, work);
	struct counters *counters = item->counters;
	const unsigned running = atomic_fetch_add(&counters->running, 1) + 1;
	unsigned most = atomic_load(&counters->most);

	while (most < running && !atomic_compare_exchange_weak(&counters->most, &most, running))
		;
	item->runs++;
	atomic_fetch_add(&counters->runs, 1);
	atomic_fetch_sub(&counters->running, 1);
	if (item->again) {
		item->again--;
		xx_pool_submit(item->pool, &item->work);
	}
}

static struct xx_pool *pool_create(unsigned threads, unsigned depth)
{
	struct xx_pool *pool;

	cr_assert_eq(xx_pool_create(threads, depth, &pool), 0);
	return pool;
}

static void items_init(struct item *items, unsigned count, struct xx_pool *pool, struct counters *counters)
{
	for (unsigned i = 0; i < count; i++)
		items[i] = (struct item){ .work.run = item_run, .counters = counters, .pool = pool };
}

Test(pool, threads)
{
	struct xx_pool *pool = pool_create(3, 0);

	cr_assert_eq(xx_pool_threads(pool), 3);
	xx_pool_wait(pool);
	xx_pool_destroy(pool);
	pool = pool_create(0, 0);
	cr_assert(xx_pool_threads(pool) >= 1);
	xx_pool_destroy(pool);
	xx_pool_destroy(NULL);
	cr_assert_eq(xx_pool_create(XX_POOL_MAX_THREADS + 1, 0, &pool), -EINVAL);
}

#define MANY 5000u

/* With far less room than items: submit waits, and all run once. */
Test(pool, each_item_runs_once)
{
	static struct item items[MANY];
	struct counters counters = { 0 };
	struct xx_pool *pool = pool_create(3, 2);

	items_init(items, MANY, pool, &counters);
	for (unsigned i = 0; i < MANY; i++)
		xx_pool_submit(pool, &items[i].work);
	xx_pool_wait(pool);
	cr_assert_eq(atomic_load(&counters.runs), MANY);
	for (unsigned i = 0; i < MANY; i++)
		cr_assert_eq(items[i].runs, 1);
	cr_assert(atomic_load(&counters.most) <= 3);
	xx_pool_destroy(pool);
}

Test(pool, destroy_lets_all_run)
{
	static struct item items[MANY];
	struct counters counters = { 0 };
	struct xx_pool *pool = pool_create(2, MANY);

	items_init(items, MANY, pool, &counters);
	for (unsigned i = 0; i < MANY; i++)
		xx_pool_submit(pool, &items[i].work);
	xx_pool_destroy(pool);
	cr_assert_eq(atomic_load(&counters.runs), MANY);
}

/* Workers that submit while the queue is full do not wait for each other; destroy waits for what they submit. */
Test(pool, items_submit_items)
{
	struct item items[8];
	struct counters counters = { 0 };
	struct xx_pool *pool = pool_create(2, 1);

	items_init(items, 8, pool, &counters);
	for (unsigned i = 0; i < 8; i++) {
		items[i].again = 500;
		xx_pool_submit(pool, &items[i].work);
	}
	xx_pool_destroy(pool);
	cr_assert_eq(atomic_load(&counters.runs), 8 * 501);
}

struct ordered {
	struct xx_work work;
	unsigned *next;
	unsigned place;
};

static void ordered_run(struct xx_work *work)
{
	struct ordered *item = xx_container_of(work, struct ordered, work);

	item->place = (*item->next)++;
	/* the item is the callee's now */
	item->work.next = NULL;
}

Test(pool, first_come_first_served)
{
	static struct ordered items[MANY];
	struct xx_pool *pool = pool_create(1, 0);
	unsigned next = 0;

	for (unsigned i = 0; i < MANY; i++) {
		items[i] = (struct ordered){ .work.run = ordered_run, .next = &next };
		xx_pool_submit(pool, &items[i].work);
	}
	xx_pool_destroy(pool);
	for (unsigned i = 0; i < MANY; i++)
		cr_assert_eq(items[i].place, i);
}

/* Holds a worker until it is opened. */
struct gate {
	struct xx_work work;
	pthread_barrier_t entered, opened;
};

static void gate_run(struct xx_work *work)
{
	struct gate *gate = xx_container_of(work, struct gate, work);

	pthread_barrier_wait(&gate->entered);
	pthread_barrier_wait(&gate->opened);
}

/* Returns when a worker is held. */
static void gate_close(struct gate *gate, struct xx_pool *pool)
{
	gate->work.run = gate_run;
	pthread_barrier_init(&gate->entered, NULL, 2);
	pthread_barrier_init(&gate->opened, NULL, 2);
	xx_pool_submit(pool, &gate->work);
	pthread_barrier_wait(&gate->entered);
}

static void gate_open(struct gate *gate)
{
	pthread_barrier_wait(&gate->opened);
}

Test(pool, waiting_items_are_bounded)
{
	struct item items[4];
	struct counters counters = { 0 };
	struct xx_pool *pool = pool_create(1, 3);
	struct gate gate;

	items_init(items, 4, pool, &counters);
	gate_close(&gate, pool);
	for (unsigned i = 0; i < 3; i++)
		cr_assert_eq(xx_pool_try_submit(pool, &items[i].work), 0);
	cr_assert_eq(xx_pool_try_submit(pool, &items[3].work), -EAGAIN);
	cr_assert_eq(atomic_load(&counters.runs), 0);
	gate_open(&gate);
	xx_pool_submit(pool, &items[3].work);
	xx_pool_wait(pool);
	cr_assert_eq(atomic_load(&counters.runs), 4);
	xx_pool_destroy(pool);
}

/* The item is gone when it has run: it may free itself. */
static void free_run(struct xx_work *work)
{
	free(work);
}

Test(pool, items_may_free_themselves)
{
	struct xx_pool *pool = pool_create(2, 0);

	for (unsigned i = 0; i < 1000; i++) {
		struct xx_work *work = malloc(sizeof(*work));

		cr_assert_not_null(work);
		work->run = free_run;
		xx_pool_submit(pool, work);
	}
	xx_pool_destroy(pool);
}

struct submitter {
	struct xx_pool *pool;
	struct counters *counters;
	struct item items[MANY];
};

static void *submit_all(void *arg)
{
	struct submitter *submitter = arg;

	items_init(submitter->items, MANY, submitter->pool, submitter->counters);
	for (unsigned i = 0; i < MANY; i++)
		xx_pool_submit(submitter->pool, &submitter->items[i].work);
	xx_pool_wait(submitter->pool);
	for (unsigned i = 0; i < MANY; i++) {
		if (submitter->items[i].runs != 1)
			return submitter;
	}
	return NULL;
}

Test(pool, several_threads_submit)
{
	static struct submitter submitters[4];
	struct counters counters = { 0 };
	struct xx_pool *pool = pool_create(2, 4);
	pthread_t threads[XX_ARRAY_SIZE(submitters)];

	for (unsigned i = 0; i < XX_ARRAY_SIZE(submitters); i++) {
		submitters[i].pool = pool;
		submitters[i].counters = &counters;
		cr_assert_eq(pthread_create(&threads[i], NULL, submit_all, &submitters[i]), 0);
	}
	for (unsigned i = 0; i < XX_ARRAY_SIZE(submitters); i++) {
		void *failed;

		pthread_join(threads[i], &failed);
		cr_assert_null(failed);
	}
	cr_assert_eq(atomic_load(&counters.runs), XX_ARRAY_SIZE(submitters) * MANY);
	cr_assert(atomic_load(&counters.most) <= 2);
	xx_pool_destroy(pool);
}

struct signals {
	struct xx_work work;
	sigset_t blocked;
};

static void signals_run(struct xx_work *work)
{
	pthread_sigmask(SIG_BLOCK, NULL, &xx_container_of(work, struct signals, work)->blocked);
}

Test(pool, workers_leave_signals_to_the_program)
{
	struct signals item = { .work.run = signals_run };
	struct xx_pool *pool = pool_create(1, 0);
	sigset_t own;

	xx_pool_submit(pool, &item.work);
	xx_pool_destroy(pool);
	cr_assert(sigismember(&item.blocked, SIGINT));
	cr_assert(sigismember(&item.blocked, SIGTERM));
	cr_assert_not(sigismember(&item.blocked, SIGSEGV));
	pthread_sigmask(SIG_BLOCK, NULL, &own);
	cr_assert_not(sigismember(&own, SIGINT));
}

struct waiter {
	struct xx_work work;
	struct xx_pool *pool;
};

static void waiter_run(struct xx_work *work)
{
	xx_pool_wait(xx_container_of(work, struct waiter, work)->pool);
}

Test(pool, waiting_for_oneself_asserts, .signal = SIGABRT)
{
	struct xx_pool *pool = pool_create(1, 0);
	struct waiter item = { .work.run = waiter_run, .pool = pool };

	xx_pool_submit(pool, &item.work);
	xx_pool_destroy(pool);
}
