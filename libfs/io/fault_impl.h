/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault_impl.h - deciding about injected faults; see <xx/fault.h>.
 */
#ifndef XX_IO_FAULT_IMPL_H
#define XX_IO_FAULT_IMPL_H

#include <xx/fault.h>
#include "io/device_impl.h"

/* Count a transfer; the kind of fault that is to hit it, XX_FAULT_NONE mostly. */
enum xx_fault_kind xx_fault_decide(struct xx_fault *fault, enum xx_op op, uint64_t offset, uint64_t length);

/* A transfer outside of a ring: errors only, other kinds are counted and pass. */
int xx_fault_sync(struct xx_device *dev, const struct xx_transfer *t);

#endif
