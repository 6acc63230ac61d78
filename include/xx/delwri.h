/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * delwri.h - a queue of buffers that are to be written together.
 *
 * The queue holds a reference of its own to each buffer: adding one does not take the caller's, and when the buffer has
 * left the queue, written or not, the queue's is given back. A buffer stands on one queue at most.
 *
 * A queue belongs to the thread of its cache. Nothing is written before a flush.
 */
#ifndef XX_DELWRI_H
#define XX_DELWRI_H

#include <stddef.h>
#include <stdint.h>
#include <xx/compiler.h>

struct xx_buf;
struct xx_cache;
struct xx_delwri;

/* An empty queue for buffers of @cache, which must outlive it. 0 or -ENOMEM. */
XX_API XX_MUST_CHECK int xx_delwri_create(struct xx_cache *cache, struct xx_delwri **out);

/* Cancel and release; NULL too. */
XX_API void xx_delwri_destroy(struct xx_delwri *queue);

/*
 * Declare, as its holder, that the buffer is filled or changed, and put it on the queue unless it stands there.
 * 0; -EBUSY: it stands on another queue, or is being written at the moment (only a callback can see that), and nothing
 * was changed.
 */
XX_API XX_MUST_CHECK int xx_delwri_add(struct xx_delwri *queue, struct xx_buf *buf);

/* How many buffers, and how many bytes of data, stand on the queue. */
XX_API uint64_t xx_delwri_count(const struct xx_delwri *queue);
XX_API uint64_t xx_delwri_bytes(const struct xx_delwri *queue);

/*
 * Write them all: sorted by device and offset, each verified and stamped, neighbours merged, with the ring full; wait
 * until all have completed. The data of buffers must not change meanwhile. What callbacks add waits for the next flush.
 *
 * 0, or the error of the first buffer, by place, that was not written: what its verify_write or stamp said, or the error
 * of the write. Such a buffer has the error in ->error and stays dirty, but leaves the queue like all others: the cache
 * keeps it, and who still wants it written adds it again or calls xx_cache_flush(). One message tells of the failures.
 * -EDEADLK (nothing was done): called from a callback.
 */
XX_API XX_MUST_CHECK int xx_delwri_flush(struct xx_delwri *queue);

/* Take all off the queue, unwritten. They stay dirty. */
XX_API void xx_delwri_cancel(struct xx_delwri *queue);

#endif
