/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device.c - opens block devices and image files.
 *
 * The order matters: look at what the name is, look whether anybody uses it, open it exclusively, look again that it is
 * what was looked at; only then may a file lose what it held.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xx/context.h>
#include <xx/units.h>
#include "io/device_impl.h"

#define FILE_MAX_REQUEST (UINT32_C(4) << 20)

struct fd_open {
	struct xx_ctx *ctx;
	const char *path;
	const struct xx_device_options *options;
	struct stat st;
	bool exists;
	bool created;
};

static int fd_close(struct xx_device *dev)
{
	return close(dev->fd) < 0 ? -errno : 0;
}

static const struct xx_device_ops fd_ops = {
	.transfer = xx_device_fd_transfer,
	.close = fd_close,
};

int xx_device_init(struct xx_device *dev, struct xx_ctx *ctx, const struct xx_device_ops *ops, const char *path)
{
	dev->ctx = ctx;
	dev->ops = ops;
	dev->fd = -1;
	dev->path = strdup(path);
	dev->info.path = dev->path;
	return dev->path ? 0 : -ENOMEM;
}

int xx_device_close(struct xx_device *dev)
{
	int ret;

	if (!dev)
		return 0;
	ret = dev->ops->close(dev);
	free(dev->path);
	free(dev);
	return ret;
}

const struct xx_device_info *xx_device_info(const struct xx_device *dev)
{
	return &dev->info;
}

int xx_device_fd(const struct xx_device *dev)
{
	return dev->fd;
}

static int check_options(const struct fd_open *o)
{
	uint32_t flags = o->options->flags;
	uint32_t both = XX_DEVICE_DIRECT | XX_DEVICE_BUFFERED;
	uint32_t changing = XX_DEVICE_CREATE | XX_DEVICE_TRUNCATE;

	if ((flags & both) == both || (!(flags & XX_DEVICE_WRITE) && ((flags & changing) || o->options->set_size))) {
		xx_error(o->ctx, "%s: contradicting options for opening.", o->path);
		return -EINVAL;
	}
	if (o->options->set_size && o->options->size > INT64_MAX) {
		xx_error(o->ctx, "%s: no file can have %llu bytes.", o->path, (unsigned long long)o->options->size);
		return -EFBIG;
	}
	return 0;
}

/* Is it something that can hold a file system? */
static int check_kind(const struct fd_open *o)
{
	const char *kind = "neither a block device nor a regular file";

	switch (o->st.st_mode & S_IFMT) {
	case S_IFBLK:
	case S_IFREG:
		return 0;
	case S_IFDIR:
		xx_error(o->ctx, "%s is a directory, not a block device or a regular file.", o->path);
		return -EISDIR;
	case S_IFCHR:
		kind = "a character device";
		break;
	case S_IFIFO:
		kind = "a FIFO";
		break;
	case S_IFSOCK:
		kind = "a socket";
		break;
	}
	xx_error(o->ctx, "%s is %s, not a block device or a regular file.", o->path, kind);
	return -ENOTBLK;
}

static int look_failed(struct xx_ctx *ctx, const char *path)
{
	int err = -errno;

	xx_error(ctx, "%s cannot be looked at: %s.", path, strerror(-err));
	return err;
}

static int look(struct fd_open *o)
{
	if (stat(o->path, &o->st) == 0) {
		o->exists = true;
		return check_kind(o);
	}
	if (errno == ENOENT && (o->options->flags & XX_DEVICE_CREATE))
		return 0;
	return look_failed(o->ctx, o->path);
}

static int check_unused(const struct fd_open *o)
{
	char by[256];
	int ret;

	if (!o->exists || !(o->options->flags & XX_DEVICE_WRITE) || (o->options->flags & XX_DEVICE_SHARED))
		return 0;
	ret = xx_device_in_use(o->path, by, sizeof(by));
	if (ret <= 0)
		return 0;
	xx_error(o->ctx, "%s is in use: %s.", o->path, by);
	return -EBUSY;
}

/* Some kernels refuse to open a read-only device for writing, with errors that also mean something else. */
static bool is_read_only(const struct fd_open *o)
{
	int read_only = 0, fd;

	if (!o->exists || !S_ISBLK(o->st.st_mode))
		return false;
	fd = open(o->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	if (ioctl(fd, BLKROGET, &read_only) < 0)
		read_only = 0;
	close(fd);
	return read_only;
}

static int open_failed(const struct fd_open *o, int err)
{
	if ((err == -EACCES || err == -EPERM) && is_read_only(o))
		err = -EROFS;
	if (err == -EBUSY)
		xx_error(o->ctx, "%s is in use: the kernel refuses to open it exclusively.", o->path);
	else if (err == -EROFS)
		xx_error(o->ctx, "%s is read-only.", o->path);
	else
		xx_error(o->ctx, "%s cannot be opened: %s.", o->path, strerror(-err));
	return err;
}

static int open_fd(struct fd_open *o, int *out)
{
	uint32_t opt = o->options->flags;
	int flags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (opt & XX_DEVICE_WRITE ? O_RDWR : O_RDONLY);
	mode_t mode = o->options->mode ? o->options->mode : 0666;

	if (o->exists && S_ISBLK(o->st.st_mode) && (opt & XX_DEVICE_WRITE) && !(opt & XX_DEVICE_SHARED))
		flags |= O_EXCL;
	if (!o->exists)
		flags |= O_CREAT | O_EXCL;
	*out = open(o->path, flags, mode);
	if (*out >= 0) {
		o->created = !o->exists;
		return 0;
	}
	return open_failed(o, -errno);
}

/* The name may lead to something else by now; and a file may be locked by another program of ours. */
static int check_opened(struct fd_open *o, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return look_failed(o->ctx, o->path);
	if (o->exists && (st.st_dev != o->st.st_dev || st.st_ino != o->st.st_ino || st.st_rdev != o->st.st_rdev)) {
		xx_error(o->ctx, "%s was replaced while it was being opened.", o->path);
		return -EBUSY;
	}
	o->st = st;
	if (!(o->options->flags & XX_DEVICE_WRITE) || (o->options->flags & XX_DEVICE_SHARED) || !S_ISREG(st.st_mode))
		return 0;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
		xx_error(o->ctx, "%s is in use: another process has it locked.", o->path);
		return -EBUSY;
	}
	return 0;
}

static int check_writable(const struct fd_open *o, int fd)
{
	int read_only = 0;

	if (!(o->options->flags & XX_DEVICE_WRITE) || !S_ISBLK(o->st.st_mode))
		return 0;
	if (ioctl(fd, BLKROGET, &read_only) < 0 || !read_only)
		return 0;
	xx_error(o->ctx, "%s is read-only.", o->path);
	return -EROFS;
}

static int set_size(const struct fd_open *o, int fd)
{
	uint32_t flags = o->options->flags;
	int err;

	if (!S_ISREG(o->st.st_mode))
		return 0;
	if ((flags & XX_DEVICE_TRUNCATE) && ftruncate(fd, 0) < 0)
		goto failed;
	if (o->options->set_size && ftruncate(fd, (off_t)o->options->size) < 0)
		goto failed;
	return 0;
failed:
	err = -errno;
	xx_error(o->ctx, "%s cannot be given its size: %s.", o->path, strerror(-err));
	return err;
}

/* Turn O_DIRECT on where it works. It is not needed to open again for that, and a half-made file cannot be left. */
static int set_direct(const struct fd_open *o, struct xx_device *dev)
{
	int flags = fcntl(dev->fd, F_GETFL);

	if (flags < 0 || fcntl(dev->fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return look_failed(o->ctx, o->path);
	if (o->options->flags & XX_DEVICE_BUFFERED)
		return 0;
	if (fcntl(dev->fd, F_SETFL, (flags & ~O_NONBLOCK) | O_DIRECT) == 0) {
		dev->info.direct = true;
		return 0;
	}
	if (!(o->options->flags & XX_DEVICE_DIRECT))
		return 0;
	xx_error(o->ctx, "%s does not take direct I/O.", o->path);
	return -EINVAL;
}

static int learn(struct xx_device *dev)
{
	struct xx_device_info *info = &dev->info;
	struct stat st;
	int ret = 0;

	if (fstat(dev->fd, &st) < 0)
		return look_failed(dev->ctx, info->path);
	info->offset_align = 1;
	info->memory_align = 1;
	if (S_ISBLK(st.st_mode)) {
		info->kind = XX_DEVICE_BLOCK;
		info->number = st.st_rdev;
		ret = xx_device_learn_block(dev);
	} else {
		info->kind = XX_DEVICE_FILE;
		info->size = (uint64_t)st.st_size;
		info->logical_sector = XX_SECTOR;
		info->physical_sector = XX_SECTOR;
		info->max_request = FILE_MAX_REQUEST;
		info->zero_methods = XX_ZERO_RANGE | XX_ZERO_PUNCH;
	}
	if (ret == 0 && info->direct)
		xx_device_learn_direct(dev, S_ISBLK(st.st_mode) ? info->logical_sector : (uint32_t)st.st_blksize);
	return ret;
}

int xx_device_resize(struct xx_device *dev, uint64_t size)
{
	int err = -EINVAL;

	if (dev->info.kind == XX_DEVICE_FILE && dev->info.writable && size <= INT64_MAX)
		err = ftruncate(dev->fd, (off_t)size) < 0 ? -errno : 0;
	if (err)
		xx_error(dev->ctx, "%s cannot be given its size: %s.", dev->path, strerror(-err));
	else
		dev->info.size = size;
	return err;
}

int xx_device_buffer(struct xx_device *dev)
{
	int flags = dev->info.kind == XX_DEVICE_FILE ? fcntl(dev->fd, F_GETFL) : -1;
	int err = dev->info.kind == XX_DEVICE_FILE ? 0 : -EINVAL;

	if (!err && (flags < 0 || fcntl(dev->fd, F_SETFL, flags & ~O_DIRECT) < 0))
		err = -errno;
	if (err) {
		xx_error(dev->ctx, "%s cannot be used without direct I/O: %s.", dev->path, strerror(-err));
		return err;
	}
	dev->info.direct = false;
	dev->info.offset_align = 1;
	dev->info.memory_align = 1;
	return 0;
}

int xx_device_open(struct xx_ctx *ctx, const char *path, const struct xx_device_options *options,
		   struct xx_device **out)
{
	const struct xx_device_options none = { 0 };
	struct fd_open o = { .ctx = ctx, .path = path, .options = options ? options : &none };
	struct xx_device *dev = calloc(1, sizeof(*dev));
	int ret;

	ret = dev ? xx_device_init(dev, ctx, &fd_ops, path) : -ENOMEM;
	if (ret < 0) {
		xx_error(ctx, "Not enough memory.");
		free(dev);
		return ret;
	}
	ret = check_options(&o);
	if (ret == 0)
		ret = look(&o);
	if (ret == 0)
		ret = check_unused(&o);
	if (ret == 0)
		ret = open_fd(&o, &dev->fd);
	if (ret == 0)
		ret = check_opened(&o, dev->fd);
	if (ret == 0)
		ret = check_writable(&o, dev->fd);
	if (ret == 0)
		ret = set_direct(&o, dev);
	if (ret == 0)
		ret = set_size(&o, dev->fd);
	if (ret == 0)
		ret = learn(dev);
	if (ret < 0) {
		if (o.created)
			unlink(path);
		if (dev->fd >= 0)
			close(dev->fd);
		free(dev->path);
		free(dev);
		return ret;
	}
	dev->info.writable = o.options->flags & XX_DEVICE_WRITE;
	*out = dev;
	return 0;
}
