/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csumio.h - a write whose checksums are computed beside it.
 *
 * While the device writes, a worker of a pool sums the same bytes, block by block. The request and the sums are two
 * halves of one completion: the callback runs when both are there, in the thread that owns the ring, when it reaps.
 * Serial: 1 / (1/csum + 1/device); beside each other: the slower of the two.
 *
 * The worker and the ring are each given a copy of the iovec array of their own, so neither can advance the other's, and
 * the caller's need not last. The data itself must not change until the callback has run: a direct write whose buffer
 * changes makes a wrong sum.
 */
#ifndef XX_CSUMIO_H
#define XX_CSUMIO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>
#include <xx/compiler.h>
#include <xx/csum.h>
#include <xx/pool.h>
#include <xx/ring.h>

struct xx_csumio;
struct xx_plug;

typedef void (*xx_csumio_fn)(struct xx_csumio *io);

/*
 * Lives in the caller's memory. From a submit that succeeded until its callback it belongs to the library; in the
 * callback it is the caller's again, and may be freed or submitted anew.
 */
struct xx_csumio {
	/* Set by the caller. */
	struct xx_device *device;
	uint64_t offset; /* bytes */
	const struct iovec *iov; /* copied by submit */
	uint32_t iovcnt;
	enum xx_csum_type type;
	size_t block; /* bytes that one sum covers; the last block may be shorter. Blocks may cross iovec elements */
	void *sums; /* for each block, xx_csum_size() bytes */
	xx_csumio_fn done; /* may be NULL */
	void *private; /* the caller's */

	/* Valid in the callback: 0 or a negative errno. */
	int write_result;
	int csum_result; /* when not 0, @sums says nothing */
	int result; /* the write's, or else that of the sums */

	/* The library's own. */
	struct {
		struct xx_ring *ring;
		uint64_t length; /* bytes, of the whole write */
		struct xx_request req;
		struct xx_work work;
		struct xx_post post;
		struct iovec *copies; /* the ring's array, then the worker's */
		unsigned halves; /* that are not there yet; touched by the owner alone */
	} own;
};

/*
 * Start. @plug: the write is put in it, which must be pulled, instead of being submitted at once; may be NULL. @pool
 * NULL: the sums are computed in this thread, before this returns. When all of the pool's room is taken, waits for a
 * worker.
 * 0; -EINVAL: block is 0, type is no type, or as xx_ring_submit(); -EBADF; -ENOMEM. After an error nothing was started,
 * and the callback does not run.
 */
XX_API XX_MUST_CHECK int xx_csumio_submit(struct xx_ring *ring, struct xx_pool *pool, struct xx_plug *plug,
					  struct xx_csumio *io);

#endif
