/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * buf.h - the inside of buffers, caches and delayed-write queues, shared by the files of this room.
 */
#ifndef CACHE_BUF_H
#define CACHE_BUF_H

#include <xx/cache.h>
#include <xx/delwri.h>
#include <xx/plug.h>
#include <xx/ring.h>
#include "cache/index.h"
#include "cache/list.h"

/* A range of a buffer, with the request that reads or writes it. */
struct piece {
	struct index_node node;
	struct buf *buf;
	struct xx_request req;
};

struct buf {
	struct xx_buf pub;
	struct xx_cache *cache;
	struct list lru; /* on one of the cache's lists, see buf_settle() */
	struct list queued; /* on ->queue, if that is not NULL */
	struct xx_delwri *queue;
	uint64_t refs;
	unsigned pending; /* pieces that are under way */
	bool ahead; /* is read ahead: one of the references is the read's */
	bool writing; /* a flush has it: from before it is verified until it leaves the queue */
	int io_error; /* the first of these */
	bool filled; /* see cache.h */
	bool dirty;
	size_t charge; /* bytes of the budget */
	unsigned npieces;
	struct piece pieces[];
};

struct xx_cache {
	struct xx_ctx *ctx;
	struct xx_ring *ring;
	void *fs;
	struct index index;
	struct list busy; /* referenced */
	struct list clean; /* not referenced, clean; least recently used first */
	struct list dirty; /* not referenced, dirty; least recently used first */
	struct xx_plug ahead; /* what read-ahead collects */
	size_t budget;
	struct xx_cache_stats stats;
};

struct xx_delwri {
	struct xx_cache *cache;
	struct list waiting; /* for a flush, in the order in which they came */
	struct list writing; /* handed to the ring, or failed before; sorted */
	uint64_t count, bytes; /* of both */
};

static inline struct buf *buf_of(const struct xx_buf *pub)
{
	return xx_container_of(pub, struct buf, pub);
}

/* --- buf.c: one buffer --- */

/* Make a buffer of ranges that are sorted out already, with one reference, and put it into the cache. 0 or -ENOMEM. */
XX_MUST_CHECK int buf_create(struct xx_cache *cache, struct xx_device *dev, const struct xx_extent *ranges,
			     unsigned count, struct buf **out);

/* What a buffer of so many ranges and bytes takes of the budget. */
size_t buf_charge(unsigned count, size_t length);

/* Take an unreferenced buffer out of the cache and free it. */
void buf_destroy(struct buf *buf);

/* Put the buffer on that list of the cache where it belongs now, at the end. */
void buf_settle(struct buf *buf);

void buf_set_dirty(struct buf *buf, bool dirty);

/* --- bufio.c: reading and writing --- */

/*
 * Put a request for each range in the plug. Those that are not taken count as failed: look at io_error once pending is
 * 0. The caller keeps the buffer referenced until then.
 */
void buf_submit(struct buf *buf, enum xx_op op, struct xx_plug *plug, xx_request_fn done);

/* The callback for buf_submit(): one range has been read or written. */
void buf_piece_done(struct xx_request *req);

/* Collect the reads of an unfilled buffer for read-ahead; the caller's reference is put when they are done. */
void buf_read_ahead(struct buf *buf);

/* Wait until nothing of the buffer is under way. 0, or an error of the ring itself (-EDEADLK in a callback). */
XX_MUST_CHECK int buf_wait(struct buf *buf);

/* --- delwri.c: a queue that lies in the caller's memory --- */

void delwri_init(struct xx_delwri *queue, struct xx_cache *cache);
void delwri_release(struct xx_delwri *queue);

/* Put a dirty buffer that stands on no queue on one, which takes a reference. */
void delwri_append(struct xx_delwri *queue, struct buf *buf);

/* Take a buffer off its queue, whose reference goes. */
void delwri_remove(struct buf *buf);

/* --- room.c: the budget --- */

/* Add all buffers that are dirty and stand on no queue: those that nobody references, or all. */
void cache_collect_dirty(struct xx_cache *cache, struct xx_delwri *queue, bool all);

/* Make room for a buffer that takes @charge bytes, by dropping what is clean. 0 or -ENOBUFS. */
XX_MUST_CHECK int cache_evict(struct xx_cache *cache, size_t charge);

/* The same, if need be also by writing. 0, -ENOBUFS or -EDEADLK. */
XX_MUST_CHECK int cache_make_room(struct xx_cache *cache, size_t charge);

#endif
