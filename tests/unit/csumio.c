/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csumio.c - tests of checksums beside I/O, on each engine.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xx/csumio.h>
#include <xx/pool.h>
#include "cachetest.h"

enum {
	PIECES = 5,
	SUMS = 16
};

/* A write of several pieces, with all that it needs. */
struct job {
	struct xx_csumio io;
	struct iovec iov[PIECES];
	uint8_t *data;
	uint8_t sums[SUMS * XX_CSUM_MAX_SIZE];
	unsigned done; /* how often the callback ran */
};

static void job_done(struct xx_csumio *io)
{
	struct job *job = io->private;

	job->done++;
}

/* Pieces of 512 bytes and multiples, so that blocks cross them. */
static const size_t piece_sizes[PIECES] = { 1024, 512, 4096, 2048, 512 };

static size_t job_length(void)
{
	size_t length = 0;

	for (int i = 0; i < PIECES; i++)
		length += piece_sizes[i];
	return length;
}

static void job_init(struct job *job, struct rig *rig, uint64_t offset, enum xx_csum_type type, size_t block)
{
	const size_t length = job_length();
	uint8_t *pos;

	memset(job, 0, sizeof(*job));
	job->data = aligned_alloc(RIG_BLOCK, 2 * RIG_BLOCK);
	cr_assert_not_null(job->data);
	cr_assert_leq(length, 2 * RIG_BLOCK);
	for (size_t i = 0; i < length; i++)
		job->data[i] = (uint8_t)(i * 7 + (i >> 8) + offset / 512);
	pos = job->data;
	for (int i = 0; i < PIECES; i++) {
		job->iov[i] = (struct iovec){ pos, piece_sizes[i] };
		pos += piece_sizes[i];
	}
	job->io = (struct xx_csumio){
		.device = rig->dev,
		.offset = offset,
		.iov = job->iov,
		.iovcnt = PIECES,
		.type = type,
		.block = block,
		.sums = job->sums,
		.done = job_done,
		.private = job,
	};
}

/* Are all the sums those of the data, and is the data on the medium? */
static void job_check(struct job *job, struct rig *rig)
{
	const size_t size = xx_csum_size(job->io.type);
	const size_t length = job_length();
	const uint8_t *sum = job->sums;
	uint8_t *medium = aligned_alloc(RIG_BLOCK, 2 * RIG_BLOCK);

	for (size_t pos = 0; pos < length; pos += job->io.block, sum += size) {
		const size_t n = length - pos < job->io.block ? length - pos : job->io.block;

		cr_expect_eq(xx_csum_verify(job->io.type, job->data + pos, n, sum), 0, "sum of byte %zu", pos);
	}
	cr_assert_not_null(medium);
	cr_assert_eq(xx_device_read(rig->dev, job->io.offset, medium, length), 0);
	cr_expect_eq(memcmp(medium, job->data, length), 0);
	free(medium);
}

static void job_free(struct job *job)
{
	free(job->data);
}

static struct xx_pool *new_pool(unsigned threads, unsigned depth)
{
	struct xx_pool *pool;

	cr_assert_eq(xx_pool_create(threads, depth, &pool), 0);
	return pool;
}

/* An item that holds a worker up until it is let go: the slowest worker that can be. */
struct gate {
	struct xx_work work;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	bool open;
};

static void gate_run(struct xx_work *work)
{
	struct gate *gate = xx_container_of(work, struct gate, work);

	pthread_mutex_lock(&gate->mutex);
	while (!gate->open)
		pthread_cond_wait(&gate->cond, &gate->mutex);
	pthread_mutex_unlock(&gate->mutex);
}

static void gate_close(struct gate *gate, struct xx_pool *pool)
{
	*gate = (struct gate){ .work.run = gate_run };
	pthread_mutex_init(&gate->mutex, NULL);
	pthread_cond_init(&gate->cond, NULL);
	xx_pool_submit(pool, &gate->work);
}

static void gate_open(struct gate *gate)
{
	pthread_mutex_lock(&gate->mutex);
	gate->open = true;
	pthread_cond_signal(&gate->cond);
	pthread_mutex_unlock(&gate->mutex);
}

static const enum xx_csum_type types[] = { XX_CSUM_CRC32C, XX_CSUM_XXHASH64, XX_CSUM_SHA256, XX_CSUM_BLAKE2B };
static const size_t blocks[] = { 512, 1024, 1536, 4096, 100000 };

ON_EACH_ENGINE(csumio, sums_are_those_of_the_data)
{
	struct rig rig;
	struct xx_pool *pool;

	rig_open(&rig, *kind, 0);
	pool = new_pool(2, 0);
	for (size_t i = 0; i < XX_ARRAY_SIZE(types) * XX_ARRAY_SIZE(blocks); i++) {
		struct job job;

		job_init(&job, &rig, i * RIG_BLOCK, types[i % 4], blocks[i / 4]);
		cr_assert_eq(xx_csumio_submit(rig.ring, i % 3 ? pool : NULL, NULL, &job.io), 0);
		cr_expect_eq(job.done, 0, "never inside of submit");
		cr_expect_eq(xx_ring_drain(rig.ring), 0);
		cr_expect_eq(job.done, 1);
		cr_expect_eq(job.io.result, 0);
		job_check(&job, &rig);
		job_free(&job);
	}
	xx_pool_destroy(pool);
	rig_close(&rig);
}

/*
 * The write is over, and whoever handled it has advanced its array, before the worker even begins. The caller's array
 * is gone, too. The sums must be right nevertheless, and until they are there nothing has completed.
 */
ON_EACH_ENGINE(csumio, a_slow_worker_does_not_give_zero_sums)
{
	struct rig rig;
	struct xx_pool *pool;
	uint8_t zeros[RIG_BLOCK] = { 0 };
	struct gate gate;
	struct job job;

	rig_open(&rig, *kind, 0);
	pool = new_pool(1, 0);
	gate_close(&gate, pool);
	job_init(&job, &rig, 0, XX_CSUM_CRC32C, 512);
	cr_assert_eq(xx_csumio_submit(rig.ring, pool, NULL, &job.io), 0);
	memset(job.iov, 0, sizeof(job.iov));
	cr_expect_eq(xx_ring_wait(rig.ring, 1), 1, "the write");
	for (int i = 0; i < PIECES; i++)
		job.io.own.copies[i].iov_base = zeros;
	cr_expect_eq(xx_ring_reap(rig.ring), 0);
	cr_expect_eq(job.done, 0, "one half is missing");
	cr_expect_eq(xx_ring_inflight(rig.ring), 1);
	gate_open(&gate);
	cr_expect_eq(xx_ring_drain(rig.ring), 0);
	cr_expect_eq(job.done, 1);
	job_check(&job, &rig);
	job_free(&job);
	xx_pool_destroy(pool);
	rig_close(&rig);
}

/* The other way round: the sums are there, and the write is not even submitted, since its plug was not pulled. */
ON_EACH_ENGINE(csumio, a_slow_write_is_waited_for)
{
	struct rig rig;
	struct xx_pool *pool;
	struct xx_plug plug;
	struct job job;

	rig_open(&rig, *kind, 0);
	pool = new_pool(1, 0);
	xx_plug_init(&plug, rig.ring);
	job_init(&job, &rig, 0, XX_CSUM_SHA256, 4096);
	cr_assert_eq(xx_csumio_submit(rig.ring, pool, &plug, &job.io), 0);
	xx_pool_wait(pool);
	cr_expect_eq(xx_ring_wait(rig.ring, 1), 1, "the sums");
	cr_expect_eq(job.done, 0, "one half is missing");
	xx_plug_pull(&plug);
	cr_expect_eq(xx_ring_drain(rig.ring), 0);
	cr_expect_eq(job.done, 1);
	job_check(&job, &rig);
	job_free(&job);
	xx_pool_destroy(pool);
	rig_close(&rig);
}

static const struct {
	const char *what;
	uint64_t offset;
	enum xx_csum_type type;
	size_t block;
	unsigned pieces;
} refused[] = {
	{ "an offset that is not aligned or passes 2^63", INT64_MAX - 100, XX_CSUM_CRC32C, 512, PIECES },
	{ "no block size", 0, XX_CSUM_CRC32C, 0, PIECES },
	{ "no type", 0, (enum xx_csum_type)77, 512, PIECES },
	{ "nothing to write", 0, XX_CSUM_CRC32C, 512, 0 },
};

ON_EACH_ENGINE(csumio, a_refused_submit_starts_nothing)
{
	struct rig rig;
	struct xx_pool *pool;

	rig_open(&rig, *kind, 0);
	pool = new_pool(1, 0);
	for (size_t i = 0; i < XX_ARRAY_SIZE(refused); i++) {
		struct job job;

		job_init(&job, &rig, refused[i].offset, refused[i].type, refused[i].block);
		job.io.iovcnt = refused[i].pieces;
		cr_expect_eq(xx_csumio_submit(rig.ring, pool, NULL, &job.io), -EINVAL, "%s", refused[i].what);
		cr_expect_eq(xx_ring_inflight(rig.ring), 0, "%s", refused[i].what);
		xx_pool_wait(pool);
		cr_expect_eq(xx_ring_drain(rig.ring), 0);
		cr_expect_eq(job.done, 0, "%s", refused[i].what);
		job_free(&job);
	}
	xx_pool_destroy(pool);
	rig_close(&rig);
}

ON_EACH_ENGINE(csumio, a_failed_write_completes_once_with_its_error)
{
	struct xx_fault fault = { .kind = XX_FAULT_ERROR, .error = -ENOSPC, .ops = XX_FAULT_WRITE, .count = UINT64_MAX };
	struct rig rig;
	struct xx_pool *pool;
	struct gate gate;
	struct job job;

	rig_open(&rig, *kind, 0);
	pool = new_pool(1, 0);
	xx_device_inject(rig.dev, &fault);
	gate_close(&gate, pool);
	job_init(&job, &rig, 0, XX_CSUM_CRC32C, 512);
	cr_assert_eq(xx_csumio_submit(rig.ring, pool, NULL, &job.io), 0);
	cr_expect_eq(xx_ring_wait(rig.ring, 1), 1);
	cr_expect_eq(job.done, 0, "the worker still reads the data");
	gate_open(&gate);
	cr_expect_eq(xx_ring_drain(rig.ring), 0);
	cr_expect_eq(job.done, 1);
	cr_expect_eq(job.io.result, -ENOSPC);
	cr_expect_eq(job.io.write_result, -ENOSPC);
	cr_expect_eq(job.io.csum_result, 0);
	xx_device_inject(rig.dev, NULL);
	cr_assert_eq(xx_csumio_submit(rig.ring, pool, NULL, &job.io), 0, "the same again");
	cr_expect_eq(xx_ring_drain(rig.ring), 0);
	cr_expect_eq(job.io.result, 0);
	job_check(&job, &rig);
	job_free(&job);
	xx_pool_destroy(pool);
	rig_close(&rig);
}

/* More at once than the pool has room for and the ring is deep. */
ON_EACH_ENGINE(csumio, many_at_once)
{
	enum {
		JOBS = 60
	};
	struct rig rig;
	struct xx_pool *pool;
	struct job *jobs = calloc(JOBS, sizeof(*jobs));

	cr_assert_not_null(jobs);
	rig_open(&rig, *kind, 0);
	pool = new_pool(2, 4);
	for (unsigned i = 0; i < JOBS; i++) {
		job_init(&jobs[i], &rig, (uint64_t)i * 2 * RIG_BLOCK, types[i % 4], 1024);
		cr_assert_eq(xx_csumio_submit(rig.ring, pool, NULL, &jobs[i].io), 0);
	}
	cr_expect_eq(xx_ring_drain(rig.ring), 0);
	cr_expect_eq(xx_ring_inflight(rig.ring), 0);
	for (unsigned i = 0; i < JOBS; i++) {
		cr_expect_eq(jobs[i].done, 1);
		cr_expect_eq(jobs[i].io.result, 0);
		job_check(&jobs[i], &rig);
		job_free(&jobs[i]);
	}
	free(jobs);
	xx_pool_destroy(pool);
	rig_close(&rig);
}
