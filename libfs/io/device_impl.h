/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device_impl.h - a device as the room io sees it: what each kind of device has to provide.
 */
#ifndef XX_IO_DEVICE_IMPL_H
#define XX_IO_DEVICE_IMPL_H

#include <stdatomic.h>
#include <sys/uio.h>
#include <xx/device.h>
#include <xx/ring.h>

struct xx_fault;

/* One attempt at a transfer. */
struct xx_transfer {
	enum xx_op op;
	enum xx_zero_method method; /* when op is XX_OP_ZERO */
	uint64_t offset;
	uint64_t length;
	const struct iovec *iov;
	int iovcnt;
};

struct xx_device_ops {
	/*
	 * Try it in this thread: for read and write the bytes transferred, which may be fewer (0: the end), for the
	 * others 0; or a negative errno. May be called from several threads at the same time.
	 */
	int (*transfer)(struct xx_device *dev, const struct xx_transfer *t);
	/* Release all but the fields below. */
	int (*close)(struct xx_device *dev);
};

struct xx_device {
	const struct xx_device_ops *ops;
	struct xx_ctx *ctx;
	struct xx_device_info info;
	int fd; /* -1: requests are carried by ops->transfer alone */
	char *path; /* owned */
	struct xx_fault *fault;
	atomic_uint zero_failed; /* methods that were tried and are not supported */
};

/* Fill in what all kinds share; takes a copy of @path. 0 or -ENOMEM. */
int xx_device_init(struct xx_device *dev, struct xx_ctx *ctx, const struct xx_device_ops *ops, const char *path);

/* The next method of zeroing that is worth trying, after those that are known to fail; 0: write zeros. */
enum xx_zero_method xx_device_zero_method(const struct xx_device *dev);

/* One attempt, with the faults injected. */
int xx_device_transfer(struct xx_device *dev, const struct xx_transfer *t);

/* For devices with a file descriptor. */
int xx_device_fd_transfer(struct xx_device *dev, const struct xx_transfer *t);

/* What ioctls and sysfs tell of a block device. 0 or a negative errno with a message. */
int xx_device_learn_block(struct xx_device *dev);

/* Alignment of O_DIRECT; called when it is on. */
void xx_device_learn_direct(struct xx_device *dev, uint32_t fallback);

#endif
