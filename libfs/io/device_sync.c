/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device_sync.c - transfers made at once, in the calling thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <xx/units.h>
#include "io/device_impl.h"
#include "io/fault_impl.h"

enum {
	SYNC_TRIES = 16, /* without progress */
};

static int errno_or(ssize_t res)
{
	return res < 0 ? -errno : (int)res;
}

static int fd_zero(struct xx_device *dev, const struct xx_transfer *t)
{
	uint64_t range[2] = { t->offset, t->length };
	int mode = t->method == XX_ZERO_RANGE ? FALLOC_FL_ZERO_RANGE : FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;

	if (dev->info.kind == XX_DEVICE_BLOCK)
		return errno_or(ioctl(dev->fd, BLKZEROOUT, range));
	return errno_or(fallocate(dev->fd, mode, (off_t)t->offset, (off_t)t->length));
}

static int fd_discard(struct xx_device *dev, const struct xx_transfer *t)
{
	uint64_t range[2] = { t->offset, t->length };

	if (dev->info.kind != XX_DEVICE_BLOCK)
		return -EOPNOTSUPP;
	return errno_or(ioctl(dev->fd, BLKDISCARD, range));
}

int xx_device_fd_transfer(struct xx_device *dev, const struct xx_transfer *t)
{
	switch (t->op) {
	case XX_OP_READ:
		return errno_or(preadv(dev->fd, t->iov, t->iovcnt, (off_t)t->offset));
	case XX_OP_WRITE:
		return errno_or(pwritev(dev->fd, t->iov, t->iovcnt, (off_t)t->offset));
	case XX_OP_FLUSH:
		return errno_or(fdatasync(dev->fd));
	case XX_OP_ZERO:
		return fd_zero(dev, t);
	case XX_OP_DISCARD:
		return fd_discard(dev, t);
	}
	return -EINVAL;
}

int xx_device_transfer(struct xx_device *dev, const struct xx_transfer *t)
{
	return dev->ops->transfer(dev, t);
}

enum xx_zero_method xx_device_zero_method(const struct xx_device *dev)
{
	uint32_t left = dev->info.zero_methods & ~atomic_load_explicit(&dev->zero_failed, memory_order_relaxed);

	if (left & XX_ZERO_RANGE)
		return XX_ZERO_RANGE;
	return left & XX_ZERO_PUNCH ? XX_ZERO_PUNCH : 0;
}

/* All of it, at once. */
static int sync_all(struct xx_device *dev, enum xx_op op, uint64_t offset, void *buf, size_t length)
{
	const struct xx_device_info *info = &dev->info;
	size_t done = 0;
	int tries = 0;

	if (length == 0 || offset > INT64_MAX || length > INT64_MAX - offset || offset % info->offset_align ||
	    length % info->offset_align || (uintptr_t)buf % info->memory_align)
		return -EINVAL;
	while (done < length) {
		struct iovec iov = { (char *)buf + done, xx_min(length - done, info->max_request) };
		struct xx_transfer t = { .op = op,
					 .offset = offset + done,
					 .length = iov.iov_len,
					 .iov = &iov,
					 .iovcnt = 1 };
		int res = xx_fault_sync(dev, &t);
		size_t progress;

		if (res == 0)
			return op == XX_OP_READ ? -ENXIO : -EIO;
		if (res < 0 && res != -EINTR && res != -EAGAIN)
			return res;
		progress = res < 0 ? 0 : xx_round_down((size_t)res, info->offset_align);
		tries = progress ? 0 : tries + 1;
		if (tries > SYNC_TRIES)
			return res < 0 ? res : op == XX_OP_READ ? -ENXIO : -EIO;
		done += progress;
	}
	return 0;
}

int xx_device_read(struct xx_device *dev, uint64_t offset, void *buf, size_t length)
{
	return sync_all(dev, XX_OP_READ, offset, buf, length);
}

int xx_device_write(struct xx_device *dev, uint64_t offset, const void *buf, size_t length)
{
	if (!dev->info.writable)
		return -EBADF;
	return sync_all(dev, XX_OP_WRITE, offset, (void *)(uintptr_t)buf, length);
}

int xx_device_flush(struct xx_device *dev)
{
	struct xx_transfer t = { .op = XX_OP_FLUSH };
	int res;

	do {
		res = xx_fault_sync(dev, &t);
	} while (res == -EINTR);
	return res;
}
