/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pool.h - a bounded pool of worker threads that run items of work.
 *
 * An item lies in the caller's own structure, so that submitting one allocates nothing and cannot fail:
 *
 *	struct job {
 *		struct xx_work work;
 *		...
 *	};
 *
 *	static void job_run(struct xx_work *work)
 *	{
 *		struct job *job = xx_container_of(work, struct job, work);
 *		...
 *	}
 *
 *	job->work.run = job_run;
 *	xx_pool_submit(pool, &job->work);
 *
 * What always holds: each submitted item runs exactly once, on a worker; items begin in the order in which they were
 * submitted; threads and waiting items are bounded; all functions but destroy may be called from any number of
 * threads at the same time. A pool gives no results back: the item does this itself, for example by posting to the
 * ring of whoever waits for it.
 *
 * Workers block all signals, so that these reach the program's own threads.
 */
#ifndef XX_POOL_H
#define XX_POOL_H

#include <xx/compiler.h>

struct xx_pool;

/*
 * An item. It is the pool's from submit until @run is called; then it is the callee's, which may free it or submit it
 * again.
 */
struct xx_work {
	void (*run)(struct xx_work *work); /* set by the caller */
	struct xx_work *next; /* the pool's own */
};

/*
 * A pool of @threads workers (0: as many as CPUs that this process may use) in which at most @depth items wait (0: a
 * default of 64 for each worker). Where the machine allows fewer threads, but at least one, the pool has fewer.
 * 0, -EINVAL (more threads than XX_POOL_MAX_THREADS), -ENOMEM or -EAGAIN (no thread at all).
 */
#define XX_POOL_MAX_THREADS 4096
XX_API XX_MUST_CHECK int xx_pool_create(unsigned threads, unsigned depth, struct xx_pool **out);

/* Let everything that was submitted run, also what items submit meanwhile, then end the threads. NULL is allowed. */
XX_API void xx_pool_destroy(struct xx_pool *pool);

/* How many workers there are. */
XX_API unsigned xx_pool_threads(const struct xx_pool *pool);

/*
 * Queue an item. When @depth items wait already, a worker of this pool queues it nevertheless (else all workers might
 * wait for each other); any other thread waits until there is room.
 */
XX_API void xx_pool_submit(struct xx_pool *pool, struct xx_work *work);

/* Queue an item unless @depth items wait already. 0, or -EAGAIN and the item is still the caller's. Never waits. */
XX_API XX_MUST_CHECK int xx_pool_try_submit(struct xx_pool *pool, struct xx_work *work);

/* Wait until no item is queued or runs. Not from a worker of this pool: that is a fault that asserts. */
XX_API void xx_pool_wait(struct xx_pool *pool);

#endif
