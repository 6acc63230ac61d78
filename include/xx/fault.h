/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault.h - faults injected into the requests of a device, for tests.
 *
 * A plan is attached to a device. Each ring that meets that device then stacks its fault engine on whatever engine
 * carries the request, so all engines can be tested alike. What is counted is transfers, as an engine is given them:
 * after merging, cutting and zeros that turned into writes, and each continuation or retry counts again.
 */
#ifndef XX_FAULT_H
#define XX_FAULT_H

#include <stdint.h>
#include <xx/compiler.h>

struct xx_device;

enum xx_fault_kind {
	XX_FAULT_NONE, /* only counts */
	XX_FAULT_ERROR, /* fails with .error, nothing is transferred */
	XX_FAULT_SHORT, /* half of it is transferred (rounded down, not to alignment), and so reported */
	XX_FAULT_TEAR, /* half of a write is made (rounded down to 512), and .error reported */
	XX_FAULT_DELAY, /* completes only after .keep later ones have, or when nothing else is under way */
	XX_FAULT_REORDER, /* completions come in an order drawn from .seed, .keep of them at a time */
	XX_FAULT_COMMIT, /* handing the batch down fails with .error, and the engine takes nothing */
};

/* Which kinds of request are meant; combined with |. */
enum xx_fault_ops {
	XX_FAULT_READ = 1 << 0,
	XX_FAULT_WRITE = 1 << 1,
	XX_FAULT_FLUSH = 1 << 2,
	XX_FAULT_ZERO = 1 << 3,
	XX_FAULT_DISCARD = 1 << 4,
};

struct xx_fault {
	enum xx_fault_kind kind;
	int error; /* negative errno */
	uint32_t ops; /* enum xx_fault_ops; 0: all */
	uint64_t nth; /* the first one to fail, from 1; 0: the first */
	uint64_t count; /* how many in a row; 0: one; UINT64_MAX: all from there on */
	uint64_t offset; /* only what touches these bytes is counted; length 0: everywhere */
	uint64_t length;
	uint32_t keep;
	uint64_t seed;

	/* Filled in; read them when no request is under way. */
	uint64_t seen; /* how many were counted */
	uint64_t hits; /* how many of them were tampered with */
};

/*
 * Attach @fault to the device, NULL to end it. It belongs to the caller, and stays until then. No request may be under
 * way.
 */
XX_API void xx_device_inject(struct xx_device *dev, struct xx_fault *fault);

#endif
