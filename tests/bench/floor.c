/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * floor.c - what the device can take at all: a bare io_uring loop that writes requests of one size at equal distances
 * with the queue full, and makes them durable. The measure for mkfs.xx, and so made without libxx.
 *
 *	floor FILE COUNT BYTES STRIDE [FIRST]
 *
 * Prints the seconds.
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEPTH 128u

struct job {
	int fd;
	uint64_t count, bytes, stride, first;
	uint8_t *buf;
};

static uint64_t parse(const char *text)
{
	char *end;
	const uint64_t value = strtoull(text, &end, 0);

	if (*text == '\0' || *end != '\0') {
		fprintf(stderr, "floor: %s is no number\n", text);
		exit(2);
	}
	return value;
}

static void fail(const char *what, int err)
{
	fprintf(stderr, "floor: %s: %s\n", what, strerror(err));
	exit(1);
}

static void reap(struct io_uring *ring, const struct job *job, uint64_t *inflight)
{
	struct io_uring_cqe *cqe;
	unsigned head, seen = 0;

	io_uring_for_each_cqe(ring, head, cqe)
	{
		if (cqe->res < 0 || (uint64_t)cqe->res != job->bytes)
			fail("write", cqe->res < 0 ? -cqe->res : EIO);
		seen++;
	}
	io_uring_cq_advance(ring, seen);
	*inflight -= seen;
}

static void write_all(struct io_uring *ring, const struct job *job)
{
	uint64_t next = 0, inflight = 0;

	while (next < job->count || inflight > 0) {
		for (; next < job->count && inflight < DEPTH; next++, inflight++) {
			struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

			if (!sqe)
				fail("submission queue", ENOBUFS);
			io_uring_prep_write(sqe, job->fd, job->buf, (unsigned)job->bytes,
					    job->first + next * job->stride);
		}
		if (io_uring_submit_and_wait(ring, 1) < 0)
			fail("io_uring_submit_and_wait", EIO);
		reap(ring, job, &inflight);
	}
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char *argv[])
{
	struct io_uring ring;
	struct job job = { 0 };
	double begun;
	int err;

	if (argc < 5 || argc > 6) {
		fputs("usage: floor FILE COUNT BYTES STRIDE [FIRST]\n", stderr);
		return 2;
	}
	job.count = parse(argv[2]);
	job.bytes = parse(argv[3]);
	job.stride = parse(argv[4]);
	job.first = argc == 6 ? parse(argv[5]) : 0;
	job.buf = aligned_alloc(4096, (job.bytes + 4095) / 4096 * 4096);
	if (!job.buf)
		fail("memory", ENOMEM);
	memset(job.buf, 0x58, job.bytes);
	begun = seconds();
	job.fd = open(argv[1], O_RDWR | O_DIRECT | O_CLOEXEC);
	if (job.fd < 0)
		fail(argv[1], errno);
	err = io_uring_queue_init(DEPTH, &ring, 0);
	if (err)
		fail("io_uring_queue_init", -err);
	write_all(&ring, &job);
	if (fsync(job.fd))
		fail("fsync", errno);
	io_uring_queue_exit(&ring);
	if (close(job.fd))
		fail("close", errno);
	printf("%.4f\n", seconds() - begun);
	free(job.buf);
	return 0;
}
