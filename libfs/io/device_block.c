/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device_block.c - what the kernel tells of a block device: size and topology by ioctl, queue limits and integrity
 * profile in sysfs (Documentation/ABI/stable/sysfs-block), alignment of O_DIRECT by statx.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <xx/context.h>
#include <xx/units.h>
#include "io/device_impl.h"

enum {
	MAX_REQUEST_FLOOR = 64 * 1024, /* so that a strange limit does not cut everything to pieces */
	MAX_REQUEST_CEILING = 16 * 1024 * 1024,
	MAX_REQUEST_UNKNOWN = 512 * 1024,
};

/* The directory of the whole disk: a partition has neither queue/ nor integrity/. -1 when there is none. */
static int sysfs_open(dev_t number)
{
	char path[64];
	int dir, up;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(number), minor(number));
	dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || faccessat(dir, "partition", F_OK, 0) < 0)
		return dir;
	up = openat(dir, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	close(dir);
	return up;
}

/* The first line of an attribute, "" when it is not there. */
static void sysfs_text(int dir, const char *name, char *text, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0;

	if (fd >= 0) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

static uint64_t sysfs_number(int dir, const char *name)
{
	char text[32];

	sysfs_text(dir, name, text, sizeof(text));
	return strtoull(text, NULL, 10);
}

/* The directory is there without protection too: look at what it says. */
static void learn_integrity(int dir, struct xx_integrity *integrity)
{
	char format[sizeof(integrity->format)];

	sysfs_text(dir, "integrity/format", format, sizeof(format));
	if (format[0] == '\0' || strcmp(format, "none") == 0 || strcmp(format, "nop") == 0)
		return;
	memcpy(integrity->format, format, sizeof(format));
	integrity->capable = sysfs_number(dir, "integrity/device_is_integrity_capable") != 0;
	integrity->tag_size = (uint32_t)sysfs_number(dir, "integrity/tag_size");
	integrity->interval = (uint32_t)sysfs_number(dir, "integrity/protection_interval_bytes");
}

static void learn_sysfs(struct xx_device *dev)
{
	struct xx_device_info *info = &dev->info;
	int dir = sysfs_open(info->number);
	uint64_t bytes;

	info->max_request = MAX_REQUEST_UNKNOWN;
	if (dir < 0)
		return;
	bytes = sysfs_number(dir, "queue/max_sectors_kb") * XX_KIB;
	if (bytes) {
		bytes = xx_round_down(bytes, xx_max(info->logical_sector, 4096));
		info->max_request = (uint32_t)xx_min(xx_max(bytes, MAX_REQUEST_FLOOR), MAX_REQUEST_CEILING);
	}
	info->rotational = sysfs_number(dir, "queue/rotational") != 0;
	info->discard_granularity = sysfs_number(dir, "queue/discard_granularity");
	info->discard_max = sysfs_number(dir, "queue/discard_max_bytes");
	info->write_zeroes_max = sysfs_number(dir, "queue/write_zeroes_max_bytes");
	if (info->discard_max == 0)
		info->discard_granularity = 0;
	learn_integrity(dir, &info->integrity);
	close(dir);
}

static uint32_t topology(int fd, unsigned long request)
{
	unsigned int value = 0;

	return ioctl(fd, request, &value) < 0 ? 0 : value;
}

int xx_device_learn_block(struct xx_device *dev)
{
	struct xx_device_info *info = &dev->info;
	int alignment = 0;
	int err;

	if (ioctl(dev->fd, BLKGETSIZE64, &info->size) < 0) {
		err = -errno;
		xx_error(dev->ctx, "%s does not tell its size: %s.", info->path, strerror(-err));
		return err;
	}
	info->logical_sector = topology(dev->fd, BLKSSZGET);
	if (!xx_is_pow2(info->logical_sector) || info->logical_sector < XX_SECTOR)
		info->logical_sector = XX_SECTOR;
	info->physical_sector = topology(dev->fd, BLKPBSZGET);
	if (info->physical_sector < info->logical_sector || !xx_is_pow2(info->physical_sector))
		info->physical_sector = info->logical_sector;
	info->io_min = topology(dev->fd, BLKIOMIN);
	info->io_opt = topology(dev->fd, BLKIOOPT);
	if (ioctl(dev->fd, BLKALIGNOFF, &alignment) == 0)
		info->alignment_offset = alignment;
	info->zero_methods = XX_ZERO_RANGE;
	learn_sysfs(dev);
	return 0;
}

/* What statx has to say, since 6.1: a file system that says nothing, or 0, leaves it at the fallback. */
static bool statx_alignment(int fd, uint32_t *memory, uint32_t *offset)
{
#ifdef STATX_DIOALIGN
	struct statx stx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) < 0 || !(stx.stx_mask & STATX_DIOALIGN))
		return false;
	*memory = stx.stx_dio_mem_align;
	*offset = stx.stx_dio_offset_align;
	return xx_is_pow2(*memory) && xx_is_pow2(*offset);
#else
	(void)fd;
	(void)memory;
	(void)offset;
	return false;
#endif
}

void xx_device_learn_direct(struct xx_device *dev, uint32_t fallback)
{
	struct xx_device_info *info = &dev->info;
	uint32_t memory, offset;

	if (!statx_alignment(dev->fd, &memory, &offset)) {
		memory = fallback;
		offset = fallback;
	}
	info->memory_align = memory;
	info->offset_align = (uint32_t)xx_max(offset, info->logical_sector);
	info->max_request = (uint32_t)xx_max(xx_round_down(info->max_request, info->offset_align), info->offset_align);
}
