/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csumio.c - checksums beside I/O on each engine, for ThreadSanitizer: workers sum while engines write, and the owner
 * reuses each job from its callback, with its data changed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xx/csumio.h>
#include <xx/device.h>
#include <xx/pool.h>
#include <xx/ring.h>

enum {
	JOBS = 24,
	ROUNDS = 20,
	LENGTH = 16384,
	BLOCK = 4096,
	SUMS = LENGTH / BLOCK
};

/* A job that submits itself again until it has made its rounds. */
struct job {
	struct xx_csumio io;
	struct iovec iov[2];
	uint8_t *data;
	le32 sums[SUMS];
	struct xx_ring *ring;
	struct xx_pool *pool;
	unsigned round;
	int failed;
};

static int job_start(struct job *job)
{
	memset(job->data, (int)(job->round * 7 + job->io.offset / LENGTH), LENGTH);
	memset(job->sums, 0, sizeof(job->sums));
	job->iov[0] = (struct iovec){ job->data, BLOCK };
	job->iov[1] = (struct iovec){ job->data + BLOCK, LENGTH - BLOCK };
	return xx_csumio_submit(job->ring, job->pool, NULL, &job->io);
}

static void job_done(struct xx_csumio *io)
{
	struct job *job = io->private;

	if (io->result)
		job->failed = io->result;
	for (unsigned i = 0; i < SUMS && !job->failed; i++)
		job->failed = xx_csum_verify(io->type, job->data + i * BLOCK, BLOCK, &job->sums[i]);
	if (!job->failed && ++job->round < ROUNDS)
		job->failed = job_start(job);
}

static int job_init(struct job *job, unsigned nr, struct xx_device *dev, struct xx_ring *ring, struct xx_pool *pool)
{
	memset(job, 0, sizeof(*job));
	job->data = aligned_alloc(BLOCK, LENGTH);
	if (!job->data)
		return -ENOMEM;
	job->ring = ring;
	job->pool = pool;
	job->io = (struct xx_csumio){
		.device = dev,
		.offset = (uint64_t)nr * LENGTH,
		.iov = job->iov,
		.iovcnt = 2,
		.type = XX_CSUM_CRC32C,
		.block = BLOCK,
		.sums = job->sums,
		.done = job_done,
		.private = job,
	};
	return job_start(job);
}

static int run_jobs(struct xx_device *dev, struct xx_ring *ring, struct xx_pool *pool)
{
	static struct job jobs[JOBS];
	int ret = 0;

	for (unsigned i = 0; i < JOBS && !ret; i++)
		ret = job_init(&jobs[i], i, dev, ring, pool);
	if (!ret)
		ret = xx_ring_drain(ring);
	for (unsigned i = 0; i < JOBS; i++) {
		if (!ret)
			ret = jobs[i].failed;
		if (!ret && jobs[i].round != ROUNDS)
			ret = -EPROTO;
		free(jobs[i].data);
		jobs[i].data = NULL;
	}
	return ret;
}

static int open_file(struct xx_device **dev)
{
	const struct xx_device_options options = {
		.flags = XX_DEVICE_WRITE,
		.set_size = true,
		.size = JOBS * LENGTH,
	};
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/xx-csumio-XXXXXX", dir ? dir : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		return -errno;
	ret = xx_device_open(NULL, path, &options, dev);
	close(fd);
	unlink(path);
	return ret;
}

static int run_engine(enum xx_engine_id engine)
{
	const struct xx_ring_options options = { .engine = engine, .depth = 8 };
	struct xx_device *dev = NULL;
	struct xx_ring *ring = NULL;
	struct xx_pool *pool = NULL;
	int ret;

	ret = open_file(&dev);
	if (!ret)
		ret = xx_pool_create(3, 4, &pool);
	if (!ret)
		ret = xx_ring_create(NULL, &options, &ring);
	if (ret == -EPERM || ret == -ENOSYS)
		ret = 0;
	else if (!ret)
		ret = run_jobs(dev, ring, pool);
	xx_ring_destroy(ring);
	xx_pool_destroy(pool);
	xx_device_close(dev);
	return ret;
}

int main(void)
{
	static const enum xx_engine_id engines[] = { XX_ENGINE_URING, XX_ENGINE_AIO, XX_ENGINE_THREADS };
	int failed = 0;

	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		const int ret = run_engine(engines[i]);

		if (ret) {
			fprintf(stderr, "csumio: engine %zu: %s\n", i, strerror(-ret));
			failed = 1;
		}
	}
	return failed;
}
