/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plug.h - collects requests, so that neighbours become one.
 *
 * A plug belongs to the owner of its ring, lives in the caller's memory (on the stack, say) and takes none: requests are
 * linked through themselves. When it is pulled they are sorted by device and offset, neighbours of the same kind are
 * merged into one vectored transfer up to the device's limit and IOV_MAX, and all go down together.
 *
 * A merged transfer that failed is taken apart and its requests are tried again alone, so that the error belongs to the
 * request that is bad. Each request completes for itself.
 *
 * Requests in one plug are not ordered among each other: of writes that overlap, any may win.
 */
#ifndef XX_PLUG_H
#define XX_PLUG_H

#include <stdint.h>
#include <xx/compiler.h>
#include <xx/ring.h>

struct xx_plug {
	struct xx_ring *ring;
	struct xx_request *first, *last; /* linked by own.next */
	uint64_t count;
	uint64_t bytes; /* of reads and writes */
};

/* Begin to collect. */
XX_API void xx_plug_init(struct xx_plug *plug, struct xx_ring *ring);

/*
 * Put a request in; it belongs to the plug, and to the ring and in flight once the plug is pulled. The errors are those
 * of xx_ring_submit(); also -EINVAL for a flush, which would be pointless among others.
 */
XX_API XX_MUST_CHECK int xx_plug_add(struct xx_plug *plug, struct xx_request *req);

/* Submit all that was collected; the plug is empty then, and may be used again. Cannot fail. */
XX_API void xx_plug_pull(struct xx_plug *plug);

#endif
