/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - carries requests to devices, and completions back.
 *
 * A ring belongs to the thread that made it, its owner. All functions but xx_ring_post() are for the owner alone.
 * Callbacks run in the owner's thread inside xx_ring_reap(), xx_ring_wait(), xx_ring_drain() and xx_ring_destroy(), and
 * nowhere else: what a callback touches is single-threaded. A callback may submit and post; it must not reap, wait or
 * drain (-EDEADLK).
 *
 * What holds with each engine:
 * - A request completes exactly once, with everything transferred (result 0) or a negative errno. A short transfer is
 *   continued inside. When a submit function fails, that request was not taken, and its callback does not run.
 * - At most `depth` transfers are with the kernel at a time; what is submitted beyond waits in the caller's own memory.
 *   The memory of a ring depends on its depth alone.
 * - Requests are not ordered among each other, but for a flush: it makes durable what had *completed* (callback run or
 *   not) before it was submitted. Wait for writes before a flush.
 * - Nothing sleeps to poll.
 */
#ifndef XX_RING_H
#define XX_RING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>
#include <xx/compiler.h>

struct xx_ctx;
struct xx_device;
struct xx_ring;
struct xx_request;

/* --- Requests --- */

enum xx_op {
	XX_OP_READ,
	XX_OP_WRITE,
	XX_OP_FLUSH, /* offset and length are not used */
	XX_OP_ZERO, /* the range reads as zeros: by the device, the file system, or as the last resort by writing */
	XX_OP_DISCARD, /* -EOPNOTSUPP where the device does not know it. One command, however long: cut it yourself */
};

typedef void (*xx_request_fn)(struct xx_request *req);

/*
 * Lives in the caller's memory, usually inside of what it is for. From a submit that succeeded until its callback it
 * belongs to the ring, with its iovec array and the memory that this points to; data to be written does not change.
 * In the callback all is the caller's again: it may be freed, or submitted anew.
 */
struct xx_request {
	enum xx_op op;
	struct xx_device *device;
	uint64_t offset; /* bytes */
	uint64_t length; /* bytes; for read and write the sum of the iovec array */
	struct iovec *iov; /* for read and write; &one for a single buffer */
	uint32_t iovcnt; /* any number: what is over IOV_MAX is cut */
	struct iovec one;
	xx_request_fn done; /* may be NULL */
	void *private; /* the caller's */

	/*
	 * 0 or a negative errno, valid in the callback. -ENXIO: the end of the device lies inside of a read. -EILSEQ:
	 * the device's own checksum of a block is wrong. With several errors, the one that was seen first.
	 */
	int result;

	/* The ring's own. */
	struct {
		struct xx_request *next; /* on one of the ring's lists, or a plug's */
		struct xx_request *chain; /* the next one that was merged with this */
		struct xx_ring *ring; /* while it belongs to one */
		uint64_t cut; /* bytes that have been handed to slots */
		uint32_t cut_iov; /* where that is in the iovec array */
		uint64_t cut_skip; /* bytes into that element */
		uint32_t slots; /* how many slots work for it */
		uint8_t method; /* of zeroing, the one being tried */
		bool cutting; /* stands on the list of what is still to be cut */
		int error; /* the first */
	} own;
};

/* Fill a request for one buffer in; the rest is zeroed. */
static inline void xx_request_init(struct xx_request *req, enum xx_op op, struct xx_device *device, uint64_t offset,
				   void *buf, uint64_t length, xx_request_fn done, void *private)
{
	*req = (struct xx_request){
		.op = op,
		.device = device,
		.offset = offset,
		.length = length,
		.one = { .iov_base = buf, .iov_len = (size_t)length },
		.done = done,
		.private = private,
	};
	if (op == XX_OP_READ || op == XX_OP_WRITE) {
		req->iov = &req->one;
		req->iovcnt = 1;
	}
}

/* Fill a request for many buffers in; the array stays the caller's. */
static inline void xx_request_initv(struct xx_request *req, enum xx_op op, struct xx_device *device, uint64_t offset,
				    struct iovec *iov, uint32_t iovcnt, xx_request_fn done, void *private)
{
	xx_request_init(req, op, device, offset, NULL, 0, done, private);
	req->iov = iov;
	req->iovcnt = iovcnt;
	for (uint32_t i = 0; i < iovcnt; i++)
		req->length += iov[i].iov_len;
}

/* --- Rings --- */

enum xx_engine_id {
	XX_ENGINE_AUTO, /* the best that works: uring, aio, threads */
	XX_ENGINE_URING, /* io_uring */
	XX_ENGINE_AIO, /* Linux AIO */
	XX_ENGINE_THREADS, /* preadv() and pwritev() in threads */
	XX_ENGINE_MEMORY, /* in the owner's thread, one after the other; for tests */
};

/* The names of those that a user may choose, for messages and help. */
#define XX_ENGINE_NAMES "auto, uring, aio, threads"

/* The engine of that name, or -EINVAL. */
XX_API XX_MUST_CHECK int xx_engine_parse(const char *name, enum xx_engine_id *out);

enum {
	XX_RING_DEPTH = 128, /* when none is asked for */
	XX_RING_DEPTH_MAX = 4096,
};

struct xx_ring_options {
	enum xx_engine_id engine;
	uint32_t depth; /* transfers with the kernel at a time; 0: XX_RING_DEPTH */
};

struct xx_ring_stats {
	uint64_t reads, read_bytes; /* transfers that the kernel was asked for */
	uint64_t writes, write_bytes;
	uint64_t flushes, zeros, discards;
	uint64_t commits; /* times that a batch was handed down */
	uint64_t merged; /* requests that went down in one transfer with others */
	uint64_t splits; /* merged transfers that failed and were tried again one by one */
	uint64_t continued; /* short transfers */
	uint64_t retried; /* EINTR, EAGAIN */
	/*
	 * Requests that failed. Writes are writes, zeros and flushes; a discard counts in neither. The first error of
	 * each kind stays here until the ring is gone: ask before you say that all went well.
	 */
	uint64_t read_errors, write_errors;
	int first_read_error, first_write_error;
};

/*
 * Make a ring owned by this thread; options NULL: all defaults. With XX_ENGINE_AUTO an engine that is not permitted
 * here is passed over; a named one that does not work is an error with a message: -EPERM, -ENOSYS, -ENOMEM, -EAGAIN as
 * the kernel said, -EINVAL for a depth out of range. All failures make one message.
 */
XX_API XX_MUST_CHECK int xx_ring_create(struct xx_ctx *ctx, const struct xx_ring_options *options,
					struct xx_ring **out);

/* Drain and release; NULL too. */
XX_API void xx_ring_destroy(struct xx_ring *ring);

/* "uring", "aio", "threads", "memory". */
XX_API const char *xx_ring_engine_name(const struct xx_ring *ring);

XX_API uint32_t xx_ring_depth(const struct xx_ring *ring);

/* Requests that were submitted, and posts that are expected, whose callback has not run. */
XX_API uint64_t xx_ring_inflight(const struct xx_ring *ring);

XX_API const struct xx_ring_stats *xx_ring_stats(const struct xx_ring *ring);

/*
 * Take a request and start it, as far as the depth has room; never waits. -EINVAL: an empty range or one that passes
 * 2^63, a length that is not the sum of the iovec array, an alignment that the device does not take (xx_device_info);
 * -EBADF: a write to a device opened for reading.
 */
XX_API XX_MUST_CHECK int xx_ring_submit(struct xx_ring *ring, struct xx_request *req);

/* The same without starting it. For several to go down in one system call: xx_ring_commit(), or any wait, starts them. */
XX_API XX_MUST_CHECK int xx_ring_queue(struct xx_ring *ring, struct xx_request *req);
XX_API void xx_ring_commit(struct xx_ring *ring);

/* Run the callbacks of what has completed; never waits. How many ran, or a negative errno. */
XX_API int xx_ring_reap(struct xx_ring *ring);

/*
 * Wait until @min callbacks have run, or all that were in flight, and run what else has completed. How many ran, or a
 * negative errno.
 */
XX_API int xx_ring_wait(struct xx_ring *ring, uint32_t min);

/*
 * Wait until nothing is in flight, nor anything that callbacks submitted meanwhile. 0 or a negative errno of the engine
 * itself: errors of requests are in the requests, and in the stats.
 */
XX_API XX_MUST_CHECK int xx_ring_drain(struct xx_ring *ring);

/*
 * Submit one request and wait for it; callbacks of others run meanwhile, and its own. The result of the request, or why
 * it could not be submitted.
 */
XX_API XX_MUST_CHECK int xx_ring_run(struct xx_ring *ring, struct xx_request *req);

/*
 * Memory that many requests will use, for engines that can pin it once instead of for each request. A hint: nothing
 * changes but the speed. One region for each ring; it stays valid until the ring is destroyed or another is given
 * (NULL: none) while nothing is in flight.
 */
XX_API void xx_ring_memory(struct xx_ring *ring, void *base, size_t length);

/*
 * The device that most requests are for, likewise a hint. It stays open until the ring is destroyed or another is given
 * (NULL: none) while nothing is in flight.
 */
XX_API void xx_ring_device(struct xx_ring *ring, struct xx_device *device);

/* --- What others hand to the owner --- */

/* Lives in the caller's memory; belongs to the ring from the post until its function runs. */
struct xx_post {
	void (*run)(struct xx_post *post); /* in the owner's thread, like a callback */
	void *private;
	struct xx_post *next; /* the ring's own */
	bool expected; /* the ring's own */
};

/*
 * Announce, as the owner, that @post will be posted: until it has run it counts as in flight, and waits wait for it.
 * Clears what is the ring's own: call it before another thread may post.
 */
XX_API void xx_ring_expect(struct xx_ring *ring, struct xx_post *post);

/*
 * From any thread: hand @post to the owner, and wake it when it waits. One that was not announced must have
 * .expected false; it runs at the next reap or wait, but no wait waits for it. Never fails; the ring must exist.
 */
XX_API void xx_ring_post(struct xx_ring *ring, struct xx_post *post);

#endif
