/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pool.c - worker threads that run items from one queue, in order. All state is under one lock.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>
#include <xx/pool.h>

#define DEPTH_PER_THREAD 64u

struct xx_pool {
	pthread_mutex_t lock;
	pthread_cond_t work; /* there is an item, or the end */
	pthread_cond_t room; /* fewer than depth items wait */
	pthread_cond_t idle; /* nothing waits, nothing runs */
	struct xx_work *first, **last;
	unsigned waiting, running, depth;
	bool stopping;
	unsigned thread_count;
	pthread_t threads[];
};

static void queue_push(struct xx_pool *pool, struct xx_work *work)
{
	work->next = NULL;
	*pool->last = work;
	pool->last = &work->next;
	pool->waiting++;
	pthread_cond_signal(&pool->work);
}

static struct xx_work *queue_pop(struct xx_pool *pool)
{
	struct xx_work *work = pool->first;

	pool->first = work->next;
	if (!pool->first)
		pool->last = &pool->first;
	pool->waiting--;
	if (pool->waiting < pool->depth)
		pthread_cond_signal(&pool->room);
	return work;
}

static void *worker_main(void *arg)
{
	struct xx_pool *pool = arg;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		struct xx_work *work;

		while (!pool->first && !pool->stopping)
			pthread_cond_wait(&pool->work, &pool->lock);
		if (!pool->first)
			break;
		work = queue_pop(pool);
		pool->running++;
		pthread_mutex_unlock(&pool->lock);
		work->run(work); /* and is gone */
		pthread_mutex_lock(&pool->lock);
		pool->running--;
		if (!pool->running && !pool->first)
			pthread_cond_broadcast(&pool->idle);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

static unsigned usable_cpus(void)
{
	cpu_set_t set;
	long online;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return (unsigned)CPU_COUNT(&set);
	/* more CPUs than the set has room for */
	online = sysconf(_SC_NPROCESSORS_ONLN);
	if (online < 1)
		return 1;
	return online < XX_POOL_MAX_THREADS ? (unsigned)online : XX_POOL_MAX_THREADS;
}

/* What a worker does not take: all signals but those that its own faults raise. */
static void blocked_signals(sigset_t *set)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS };

	sigfillset(set);
	for (unsigned i = 0; i < XX_ARRAY_SIZE(faults); i++)
		sigdelset(set, faults[i]);
}

/* Start up to @threads workers. 0 when there is at least one. They wait for the lock, which the caller holds. */
static int workers_start(struct xx_pool *pool, unsigned threads)
{
	sigset_t blocked, before;
	int err = 0;

	blocked_signals(&blocked);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	while (pool->thread_count < threads && !err) {
		err = pthread_create(&pool->threads[pool->thread_count], NULL, worker_main, pool);
		if (!err)
			pool->thread_count++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pool->thread_count ? 0 : -err;
}

/* For a pool whose threads are gone. */
static void pool_free(struct xx_pool *pool)
{
	pthread_cond_destroy(&pool->idle);
	pthread_cond_destroy(&pool->room);
	pthread_cond_destroy(&pool->work);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

int xx_pool_create(unsigned threads, unsigned depth, struct xx_pool **out)
{
	struct xx_pool *pool;
	int err;

	if (threads > XX_POOL_MAX_THREADS)
		return -EINVAL;
	if (!threads)
		threads = usable_cpus();
	pool = calloc(1, sizeof(*pool) + threads * sizeof(pool->threads[0]));
	if (!pool)
		return -ENOMEM;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->work, NULL);
	pthread_cond_init(&pool->room, NULL);
	pthread_cond_init(&pool->idle, NULL);
	pool->last = &pool->first;
	pool->depth = depth ? depth : threads * DEPTH_PER_THREAD;
	pthread_mutex_lock(&pool->lock);
	err = workers_start(pool, threads);
	pthread_mutex_unlock(&pool->lock);
	if (err)
		pool_free(pool);
	else
		*out = pool;
	return err;
}

/* With the lock held. */
static void wait_idle(struct xx_pool *pool)
{
	while (pool->first || pool->running)
		pthread_cond_wait(&pool->idle, &pool->lock);
}

void xx_pool_destroy(struct xx_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	wait_idle(pool);
	pool->stopping = true;
	pthread_cond_broadcast(&pool->work);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 0; i < pool->thread_count; i++)
		pthread_join(pool->threads[i], NULL);
	pool_free(pool);
}

unsigned xx_pool_threads(const struct xx_pool *pool)
{
	return pool->thread_count;
}

/* Is the calling thread one of the workers? With the lock held. */
static bool is_worker(const struct xx_pool *pool)
{
	const pthread_t self = pthread_self();

	for (unsigned i = 0; i < pool->thread_count; i++) {
		if (pthread_equal(pool->threads[i], self))
			return true;
	}
	return false;
}

void xx_pool_submit(struct xx_pool *pool, struct xx_work *work)
{
	pthread_mutex_lock(&pool->lock);
	if (pool->waiting >= pool->depth && !is_worker(pool)) {
		while (pool->waiting >= pool->depth)
			pthread_cond_wait(&pool->room, &pool->lock);
	}
	queue_push(pool, work);
	pthread_mutex_unlock(&pool->lock);
}

int xx_pool_try_submit(struct xx_pool *pool, struct xx_work *work)
{
	int err = 0;

	pthread_mutex_lock(&pool->lock);
	if (pool->waiting >= pool->depth)
		err = -EAGAIN;
	else
		queue_push(pool, work);
	pthread_mutex_unlock(&pool->lock);
	return err;
}

void xx_pool_wait(struct xx_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	assert(!is_worker(pool));
	wait_idle(pool);
	pthread_mutex_unlock(&pool->lock);
}
