/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault.c - which transfers an injected fault hits.
 */
#include "io/fault_impl.h"

void xx_device_inject(struct xx_device *dev, struct xx_fault *fault)
{
	dev->fault = fault;
}

enum xx_fault_kind xx_fault_decide(struct xx_fault *fault, enum xx_op op, uint64_t offset, uint64_t length)
{
	uint64_t first = fault->nth ? fault->nth : 1;
	uint64_t count = fault->count ? fault->count : 1;
	uint64_t index;

	if (fault->ops && !(fault->ops & (1u << op)))
		return XX_FAULT_NONE;
	if (fault->length && (offset >= fault->offset + fault->length || fault->offset >= offset + length))
		return XX_FAULT_NONE;
	index = __atomic_add_fetch(&fault->seen, 1, __ATOMIC_RELAXED);
	if (fault->kind == XX_FAULT_NONE || index < first || index - first >= count)
		return XX_FAULT_NONE;
	__atomic_add_fetch(&fault->hits, 1, __ATOMIC_RELAXED);
	return fault->kind;
}

int xx_fault_sync(struct xx_device *dev, const struct xx_transfer *t)
{
	if (dev->fault && xx_fault_decide(dev->fault, t->op, t->offset, t->length) == XX_FAULT_ERROR)
		return dev->fault->error;
	return xx_device_transfer(dev, t);
}
