/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * everyn.h - the kinds of fault that the every-N tests of the cache's room inject into the Nth transfer.
 */
#ifndef TESTS_EVERYN_H
#define TESTS_EVERYN_H

#include <errno.h>
#include <stdbool.h>
#include <xx/fault.h>

struct everyn {
	enum xx_fault_kind kind;
	int error;
	uint64_t count; /* transfers in a row */
	bool harmless; /* the run must succeed nevertheless */
};

static const struct everyn everyn[] = {
	{ XX_FAULT_ERROR, -EIO, UINT64_MAX, false }, /* the device is gone from there on */
	{ XX_FAULT_ERROR, -EIO, 1, false },
	{ XX_FAULT_ERROR, -ENOSPC, UINT64_MAX, false },
	{ XX_FAULT_ERROR, -EILSEQ, UINT64_MAX, false },
	{ XX_FAULT_ERROR, -EAGAIN, 2, true },
	{ XX_FAULT_TEAR, -EIO, UINT64_MAX, false },
	{ XX_FAULT_COMMIT, -EIO, UINT64_MAX, false },
	{ XX_FAULT_COMMIT, -EAGAIN, 2, true },
	{ XX_FAULT_SHORT, 0, 2, true },
	{ XX_FAULT_DELAY, 0, 2, true },
	{ XX_FAULT_REORDER, 0, 8, true },
};

static inline struct xx_fault everyn_fault(const struct everyn *row, uint64_t nth)
{
	return (struct xx_fault){
		.kind = row->kind,
		.error = row->error,
		.nth = nth,
		.count = row->count,
		.keep = 3,
		.seed = nth,
	};
}

#endif
