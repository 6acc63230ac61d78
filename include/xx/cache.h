/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache.h - buffers of metadata, found by their place, and a cache that keeps them.
 *
 * A buffer is a range of bytes of a device in memory, or several ranges that belong together (a directory block of
 * several file system blocks). It is found by (device, offset, length), counted, carries the functions that verify and
 * stamp its kind, and its own error.
 *
 *	struct xx_buf *buf;
 *	int ret = xx_cache_read(cache, dev, offset, length, &my_ops, &buf);
 *
 *	if (ret)
 *		return ret;
 *	... change what buf->data points to ...
 *	ret = xx_delwri_add(queue, buf);	takes a reference of its own
 *	xx_buf_put(buf);
 *
 * A cache belongs to the owner of its ring, with all its buffers and queues: one thread. What waits for I/O (get, read,
 * flush, destroy) must not be called from a ring's callback: -EDEADLK.
 *
 * A buffer is
 * - *filled* when its data is what the medium holds, or what a caller put there and declared by xx_buf_dirty() or
 *   xx_delwri_add();
 * - *dirty* when it is to be written. It stays so until a write succeeded. Dirty buffers are written, never dropped,
 *   unless the caller says that they are no longer wanted: xx_buf_forget(), xx_cache_abandon().
 *
 * Memory: a cache has a budget, of data and of what it needs for itself. To make room it drops filled, clean buffers
 * that nobody references, least recently used first. When that is not enough it writes the dirty ones that nobody
 * references and no queue holds, and drops these. It never writes what stands on a queue: whoever fills a queue decides
 * when to flush, and should do so before the queue takes a large part of the budget (xx_delwri_bytes()).
 */
#ifndef XX_CACHE_H
#define XX_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xx/compiler.h>
#include <xx/extent_map.h>

struct xx_cache;
struct xx_ctx;
struct xx_device;
struct xx_ring;
struct xx_buf;

/* What is to be known of a kind of block. Any function may be NULL. A const table of the format's room. */
struct xx_buf_ops {
	const char *name; /* for messages: "AGF", "inode B+tree block" */

	/* Is what was read in order? 0, -EBADMSG (checksum) or -EUCLEAN (content). */
	int (*verify_read)(const struct xx_buf *buf);

	/* Is what is to be written in order, the checksum apart? 0 or -EUCLEAN: it is not written then. */
	int (*verify_write)(const struct xx_buf *buf);

	/* Put the checksum in, just before the write. 0 or an error: it is not written then. */
	int (*stamp)(struct xx_buf *buf);
};

/* Members are to be read, but for the content of @data, and @ops. */
struct xx_buf {
	struct xx_device *device;
	uint64_t offset; /* bytes; of the first range */
	size_t length; /* bytes; of all ranges */
	void *data; /* @length bytes, in one piece, aligned for O_DIRECT; zeros in a new buffer */

	/*
	 * The kind. A read that verified sets it; who fills a buffer sets it before xx_buf_dirty() or xx_delwri_add().
	 * NULL: none, written as it is.
	 */
	const struct xx_buf_ops *ops;

	/* What the last read, verification or write of it came to: 0 or a negative errno. */
	int error;

	void *fs; /* what the cache was given, for verifiers */
};

/* --- The cache --- */

#define XX_CACHE_BUDGET ((size_t)64 << 20) /* bytes, when none is given */

/*
 * A cache of at most @budget bytes (0: XX_CACHE_BUDGET) over @ring, which must outlive it. @fs is handed on to
 * verifiers in each buffer; may be NULL. 0 or -ENOMEM.
 */
XX_API XX_MUST_CHECK int xx_cache_create(struct xx_ctx *ctx, struct xx_ring *ring, size_t budget, void *fs,
					 struct xx_cache **out);

/*
 * Write what is dirty, wait for what is under way, and release everything; NULL too. All references must have been put
 * and all queues be destroyed (asserts). 0, or the first error of a write: what could not be written is lost then.
 */
XX_API XX_MUST_CHECK int xx_cache_destroy(struct xx_cache *cache);

/*
 * Write all dirty buffers that stand on no queue, referenced or not, also those whose write failed before, and wait.
 * 0 or the first error, by place; what failed stays dirty.
 */
XX_API XX_MUST_CHECK int xx_cache_flush(struct xx_cache *cache);

/* Forget, unwritten, everything that is dirty and stands on no queue: for a tool that gives up. */
XX_API void xx_cache_abandon(struct xx_cache *cache);

struct xx_cache_stats {
	size_t bytes; /* of the budget, now */
	size_t bytes_max; /* the most that it was */
	uint64_t buffers; /* now */
	uint64_t dirty; /* of these */
	uint64_t hits, misses; /* buffers that were looked for, and were there, or were made */
	uint64_t evictions; /* buffers that were dropped to make room */
};

XX_API void xx_cache_stats(const struct xx_cache *cache, struct xx_cache_stats *out);

/* --- Buffers --- */

/*
 * The buffer of a range, with a reference for the caller, made when there is none. Nothing is read: it is for who will
 * fill all of it. (Two who hold the same buffer see each other's changes.)
 *
 * 0; -EINVAL: the range is empty, passes 2^63 or does not have the device's alignment; -ENOBUFS: all of the budget is
 * referenced, on queues, or cannot be written: flush, put, try again; -ENOMEM; -EDEADLK.
 *
 * A buffer that overlaps another one without being the same is a fault that asserts, if that other one is referenced
 * or dirty; else it is dropped. Who follows pointers that cannot be trusted asks xx_cache_conflicts() first.
 */
XX_API XX_MUST_CHECK int xx_cache_get(struct xx_cache *cache, struct xx_device *dev, uint64_t offset, size_t length,
				      struct xx_buf **out);

/*
 * The same of @count ranges, which are read and written each for itself and lie behind each other in the buffer. Ranges
 * that touch may be given as one or as several. They must not overlap each other (-EINVAL).
 */
XX_API XX_MUST_CHECK int xx_cache_get_ranges(struct xx_cache *cache, struct xx_device *dev,
					     const struct xx_extent *ranges, unsigned count, struct xx_buf **out);

/* Would xx_cache_get() of this range assert? */
XX_API bool xx_cache_conflicts(const struct xx_cache *cache, const struct xx_device *dev, uint64_t offset,
			       size_t length);

/* Another reference. */
XX_API struct xx_buf *xx_buf_get(struct xx_buf *buf);

/* Give a reference back; NULL too. */
XX_API void xx_buf_put(struct xx_buf *buf);

/*
 * Fill a buffer that the caller holds from the medium unless it is filled, and verify it as @ops unless that was done
 * (ops NULL: do not verify). 0; what the verifier said; the error of the read (-EIO, -EILSEQ: the device's own checksum
 * is wrong, -ENXIO: beyond its end); -EUCLEAN also when the buffer is dirty and of another kind; -EDEADLK.
 * After an error the data is what was read, to look at or to mend, and the next read reads again. No message: who
 * wanted the block knows for what.
 */
XX_API XX_MUST_CHECK int xx_buf_read(struct xx_buf *buf, const struct xx_buf_ops *ops);

/* xx_cache_get() and xx_buf_read() in one; no buffer when it fails. */
XX_API XX_MUST_CHECK int xx_cache_read(struct xx_cache *cache, struct xx_device *dev, uint64_t offset, size_t length,
				       const struct xx_buf_ops *ops, struct xx_buf **out);

/*
 * Begin to read a range that will be wanted soon. Collected until xx_cache_start() or until anything of the cache waits,
 * then sorted, merged and sent together. A hint: what does not fit into the budget, overlaps a buffer that is there,
 * or fails is passed over, and read (with its error) when it is asked for. Never waits, and a callback may call it.
 */
XX_API void xx_cache_readahead(struct xx_cache *cache, struct xx_device *dev, uint64_t offset, size_t length);

/* Send what read-ahead collected. */
XX_API void xx_cache_start(struct xx_cache *cache);

/*
 * Declare that the caller, who holds it, has filled or changed the buffer: it is dirty and will be written when room is
 * needed, by xx_cache_flush() or at the end. Not while it is being written (asserts).
 */
XX_API void xx_buf_dirty(struct xx_buf *buf);

XX_API bool xx_buf_is_dirty(const struct xx_buf *buf);

/*
 * The caller, who holds it, declares that its range is no longer what the buffer says (a block that was freed): it
 * leaves its queue, is no longer dirty nor filled. Not while it is being written (asserts).
 */
XX_API void xx_buf_forget(struct xx_buf *buf);

#endif
