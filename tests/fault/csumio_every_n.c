/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csumio_every_n.c - the Nth transfer of a row of writes with checksums beside them fails, for N = 1, 2, ... until
 * nothing does.
 *
 * Whatever N: each callback runs once, in the owner's reap, with the error of its own write and right sums; nothing
 * stays in flight.
 */
#include <stdlib.h>
#include <string.h>
#include <xx/csumio.h>
#include <xx/plug.h>
#include <xx/pool.h>
#include "tests/fault/everyn.h"
#include "tests/unit/cachetest.h"

enum {
	JOBS = 12,
	BLOCK = 512,
	SUMS = RIG_BLOCK / BLOCK
};

struct job {
	struct xx_csumio io;
	struct iovec iov;
	le32 sums[SUMS];
	unsigned done;
};

static void job_done(struct xx_csumio *io)
{
	struct job *job = io->private;

	job->done++;
}

/* Neighbours, which are merged, with a gap in the middle. */
static uint64_t place(unsigned i)
{
	return (uint64_t)(i + i / 6) * RIG_BLOCK;
}

static void submit(struct rig *rig, struct xx_pool *pool, struct job *jobs, uint8_t *data, uint64_t n)
{
	struct xx_plug plug;

	xx_plug_init(&plug, rig->ring);
	for (unsigned i = 0; i < JOBS; i++) {
		struct job *job = &jobs[i];

		memset(job, 0, sizeof(*job));
		job->iov = (struct iovec){ data + (size_t)i * RIG_BLOCK, RIG_BLOCK };
		for (unsigned k = 0; k < RIG_BLOCK; k++)
			data[i * RIG_BLOCK + k] = (uint8_t)(n * 13 + i * 5 + k / BLOCK + k);
		job->io = (struct xx_csumio){
			.device = rig->dev,
			.offset = place(i),
			.iov = &job->iov,
			.iovcnt = 1,
			.type = XX_CSUM_CRC32C,
			.block = BLOCK,
			.sums = job->sums,
			.done = job_done,
			.private = job,
		};
		cr_assert_eq(xx_csumio_submit(rig->ring, pool, i % 2 ? &plug : NULL, &job->io), 0);
	}
	xx_plug_pull(&plug);
}

static void check(struct rig *rig, const struct everyn *row, struct job *job, const uint8_t *data, uint64_t n)
{
	uint8_t *medium = rig_peek(rig, job->io.offset);

	cr_expect_eq(job->done, 1, "N %lu", n);
	cr_expect_eq(job->io.csum_result, 0, "N %lu", n);
	cr_expect_eq(job->io.result, job->io.write_result, "N %lu", n);
	cr_expect(job->io.result == 0 || (job->io.result == row->error && !row->harmless), "N %lu: %d", n,
		  job->io.result);
	cr_expect(job->io.result || memcmp(medium, data, RIG_BLOCK) == 0, "N %lu: success, and not written", n);
	for (unsigned i = 0; i < SUMS; i++)
		cr_expect_eq(xx_csum_verify(XX_CSUM_CRC32C, data + i * BLOCK, BLOCK, &job->sums[i]), 0, "N %lu", n);
	free(medium);
}

static bool run(struct rig *rig, struct xx_pool *pool, const struct everyn *row, uint64_t n)
{
	struct xx_fault fault = everyn_fault(row, n);
	struct job *jobs = calloc(JOBS, sizeof(*jobs));
	uint8_t *data = aligned_alloc(RIG_BLOCK, JOBS * RIG_BLOCK);
	unsigned failures = 0;

	cr_assert(jobs && data);
	xx_device_inject(rig->dev, &fault);
	submit(rig, pool, jobs, data, n);
	cr_expect_eq(xx_ring_drain(rig->ring), 0, "N %lu", n);
	cr_expect_eq(xx_ring_inflight(rig->ring), 0, "N %lu", n);
	xx_device_inject(rig->dev, NULL);
	for (unsigned i = 0; i < JOBS; i++) {
		check(rig, row, &jobs[i], data + (size_t)i * RIG_BLOCK, n);
		failures += jobs[i].io.result != 0;
	}
	cr_expect(row->harmless || row->count == 1 || fault.hits == 0 || failures > 0, "N %lu: an error is lost", n);
	free(data);
	free(jobs);
	return fault.hits > 0;
}

ON_EACH_ENGINE(csumio_every_n, write)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(everyn); i++) {
		struct xx_pool *pool;
		struct rig rig;
		uint64_t n = 1;

		rig_open(&rig, *kind, 0);
		cr_assert_eq(xx_pool_create(2, 4, &pool), 0);
		while (run(&rig, pool, &everyn[i], n))
			n++;
		cr_expect_gt(n, 1, "row %zu", i);
		xx_pool_destroy(pool);
		rig_close(&rig);
	}
}
