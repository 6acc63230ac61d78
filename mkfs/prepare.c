/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prepare.c - the devices and files of the data section, of an external log and of a realtime section.
 *
 * They are opened, exclusively, before anything is decided, so that what is in use is refused first of all. Files are
 * made, truncated or grown only when all else was found to be right: bad input leaves everything as it was.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <xx/context.h>
#include <xx/device.h>
#include <xx/units.h>

#include "mkfs/prepare.h"

/* What an XFS says of direct I/O; its header is not always installed. Source: xfs_fs.h:XFS_IOC_DIOINFO. */
struct dio_info {
	uint32_t d_mem, d_miniosz, d_maxiosz;
};
#define DIO_INFO _IOR('X', 30, struct dio_info)

static uint32_t dio_sector(int fd)
{
	struct dio_info info;

	if (fd < 0 || ioctl(fd, DIO_INFO, &info) || info.d_miniosz < XX_SECTOR)
		return XX_SECTOR;
	return info.d_miniosz;
}

/* The logical sector of a block device, or of the disk that a partition is on, as sysfs knows it; 0: it does not. */
static uint32_t sysfs_sector(dev_t number)
{
	static const char *const queues[] = { "queue", "../queue" };
	unsigned sector = 0;

	for (size_t i = 0; i < XX_ARRAY_SIZE(queues) && !sector; i++) {
		char path[96];
		FILE *file;

		snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%s/logical_block_size", major(number), minor(number),
			 queues[i]);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fscanf(file, "%u", &sector) != 1)
			sector = 0;
		fclose(file);
	}
	return sector;
}

/*
 * The sector of a file that is not there yet: only files answer DIO_INFO with what they are, but a directory shows that
 * it would be an XFS that answers, and with the sector of its device.
 */
static uint32_t future_sector(const char *path)
{
	char *copy = strdup(path);
	struct dio_info info;
	uint32_t sector = 0;
	struct stat st;
	int fd;

	if (!copy)
		return XX_SECTOR;
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		if (ioctl(fd, DIO_INFO, &info) == 0 && fstat(fd, &st) == 0)
			sector = sysfs_sector(st.st_dev);
		close(fd);
	}
	free(copy);
	return sector > XX_SECTOR ? sector : (uint32_t)XX_SECTOR;
}

static int open_target(struct xx_ctx *ctx, struct mkfs_target *target, const struct xx_device_options *options)
{
	return xx_device_open(ctx, target->name, options, &target->dev);
}

static bool is_same(int fd, int other)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && fstat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino &&
	       a.st_rdev == b.st_rdev;
}

/*
 * Signatures are looked for through the page cache (libblkid reads what is not aligned), and for that through another
 * descriptor: of the same device, whatever its name means by now.
 */
static int look_at_signatures(struct mkfs_run *run, struct mkfs_target *target, struct mkfs_volume *volume, bool force)
{
	const struct xx_device_info *info = xx_device_info(target->dev);
	char path[32];
	int fd, err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", xx_device_fd(target->dev));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fd = open(target->name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && !is_same(fd, xx_device_fd(target->dev))) {
		xx_error(run->ctx, "%s was replaced while it was being looked at.", target->name);
		close(fd);
		return -EBUSY;
	}
	if (fd < 0) {
		err = -errno;
		xx_error(run->ctx, "%s cannot be read: %s.", target->name, strerror(-err));
		return err;
	}
	if (info->kind == XX_DEVICE_BLOCK)
		mkfs_probe_topology(fd, volume);
	else
		volume->logical_sector = volume->physical_sector = dio_sector(fd);
	err = mkfs_probe_signatures(fd, info->size, &target->probe);
	if (err)
		xx_error(run->ctx, "Not enough memory.");
	else
		err = mkfs_probe_allow(run->ctx, &target->probe, target->name, force);
	close(fd);
	return err;
}

/* @make: -d file and the like, the file is made or truncated later. */
static int look(struct mkfs_run *run, struct mkfs_target *target, const struct mkfs_xfs_options *opt, bool make,
		struct mkfs_volume *volume)
{
	const struct xx_device_options options = { .flags = opt->dry_run ? 0 : XX_DEVICE_WRITE };
	struct stat st;
	int err;

	volume->present = true;
	if (make && stat(target->name, &st) == 0 && S_ISBLK(st.st_mode)) {
		xx_error(run->ctx, "%s is a block device; the sub-option file is for regular files.", target->name);
		return -EINVAL;
	}
	if (make) {
		target->fresh = true;
		volume->is_file = true;
		volume->logical_sector = volume->physical_sector = future_sector(target->name);
		return 0;
	}
	err = open_target(run->ctx, target, &options);
	if (err)
		return err;
	volume->is_file = xx_device_info(target->dev)->kind == XX_DEVICE_FILE;
	volume->size = xx_device_info(target->dev)->size;
	return look_at_signatures(run, target, volume, opt->force);
}

int mkfs_prepare_look(struct mkfs_run *run, const struct mkfs_xfs_options *opt, struct mkfs_topology *topo)
{
	struct mkfs_volume *volume[MKFS_TARGETS] = { &topo->data, &topo->log, &topo->rt };
	const bool make[MKFS_TARGETS] = { opt->data_file.value, opt->log_file.value, opt->rt_file.value };
	cpu_set_t cpus;

	*topo = (struct mkfs_topology){ 0 };
	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		topo->cpus = (uint32_t)CPU_COUNT(&cpus);
	run->target[MKFS_DATA].name = opt->data_name;
	run->target[MKFS_LOG].name = opt->log_name;
	run->target[MKFS_RT].name = opt->rt_name;
	for (unsigned i = 0; i < MKFS_TARGETS; i++) {
		int err;

		if (!run->target[i].name)
			continue;
		err = look(run, &run->target[i], opt, make[i], volume[i]);
		if (err)
			return err;
	}
	return 0;
}

/*
 * A file that is there already stays open, so that what was looked at is what is overwritten, whatever its name leads
 * to by now.
 */
static int settle(struct mkfs_run *run, struct mkfs_target *target, uint64_t needed, uint32_t sector)
{
	const struct xx_device_options anew = { .flags = XX_DEVICE_WRITE | XX_DEVICE_CREATE | XX_DEVICE_TRUNCATE,
						.set_size = true,
						.size = needed };
	const struct xx_device_info *info;
	int err = 0;

	if (!target->name)
		return 0;
	if (target->fresh)
		err = open_target(run->ctx, target, &anew);
	if (err)
		return err;
	info = xx_device_info(target->dev);
	if (info->kind != XX_DEVICE_FILE)
		return 0;
	if (info->size < needed)
		err = xx_device_resize(target->dev, needed);
	/* The sectors of the file system may be less than what the host can write directly. */
	if (!err && info->offset_align > sector)
		err = xx_device_buffer(target->dev);
	return err;
}

int mkfs_prepare_settle(struct mkfs_run *run)
{
	const struct xx_xfs_geometry *geo = run->geo;
	const uint64_t needed[MKFS_TARGETS] = {
		[MKFS_DATA] = geo->data_blocks * geo->block_size,
		[MKFS_LOG] = (uint64_t)geo->log_blocks * geo->block_size,
		[MKFS_RT] = geo->rt_blocks * geo->block_size,
	};
	int err = 0;

	for (unsigned i = 0; !err && i < MKFS_TARGETS; i++)
		err = settle(run, &run->target[i], needed[i], i == MKFS_LOG ? geo->log_sector_size : geo->sector_size);
	return err;
}

int mkfs_prepare_close(struct mkfs_run *run)
{
	int first = 0;

	for (unsigned i = 0; i < MKFS_TARGETS; i++) {
		struct mkfs_target *target = &run->target[i];
		int err = xx_device_close(target->dev);

		target->dev = NULL;
		if (err && !first) {
			xx_error(run->ctx, "%s: closing it failed: %s.", target->name, strerror(-err));
			first = err;
		}
	}
	return first;
}
