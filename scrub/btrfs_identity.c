/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_identity.c - what a device says of the btrfs that it belongs to.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xx/btrfs_format.h>
#include <xx/btrfs_super.h>
#include <xx/context.h>
#include <xx/device.h>

#include "scrub/members.h"

#define BLOCK_ALIGN 4096

/* Reads and judges all copies; 0, -EIO: none could be read. */
static int read_copies(struct xx_device *device, void *block, struct xx_btrfs_supers *supers)
{
	supers->count = xx_btrfs_super_count(xx_device_info(device)->size);
	supers->best = -1;
	for (unsigned copy = 0; copy < supers->count; copy++) {
		struct xx_btrfs_super_check *check = &supers->check[copy];
		uint64_t offset = xx_btrfs_super_offset(copy);
		int ret = xx_device_read(device, offset, block, sizeof(struct btrfs_super_block));

		if (ret == 0) {
			check->error = xx_btrfs_super_parse(block, offset, &supers->super[copy], check);
			continue;
		}
		check->fault = XX_BTRFS_SUPER_UNREADABLE;
		check->error = ret;
		snprintf(check->text, sizeof(check->text), "it cannot be read: %s", strerror(-ret));
	}
	xx_btrfs_supers_choose(supers);
	return 0;
}

/* Why no copy is good; -ENOENT: it is no btrfs at all. */
static int refuse(struct xx_ctx *ctx, struct xx_device *device, const struct xx_btrfs_supers *supers)
{
	const struct xx_btrfs_super_check *worst = NULL;

	for (unsigned copy = 0; copy < supers->count; copy++) {
		const struct xx_btrfs_super_check *check = &supers->check[copy];

		if (check->fault == XX_BTRFS_SUPER_NO_MAGIC || check->fault == XX_BTRFS_SUPER_ABSENT)
			continue;
		if (!worst || check->fault == XX_BTRFS_SUPER_UNSUPPORTED)
			worst = check;
	}
	if (!worst)
		return -ENOENT;
	xx_error(ctx, "%s: no copy of the superblock is good: %s.", xx_device_info(device)->path, worst->text);
	return worst->error ? worst->error : -EUCLEAN;
}

static int identify(struct xx_ctx *ctx, struct xx_device *device, struct scrub_identity *out)
{
	struct xx_btrfs_supers *supers = calloc(1, sizeof(*supers));
	void *block = aligned_alloc(BLOCK_ALIGN, sizeof(struct btrfs_super_block));
	int ret = -ENOMEM;

	if (supers && block)
		ret = read_copies(device, block, supers);
	else
		xx_error(ctx, "Out of memory.");
	if (ret == 0 && supers->best < 0)
		ret = refuse(ctx, device, supers);
	if (ret == 0) {
		const struct xx_btrfs_super *super = &supers->super[supers->best];

		memcpy(out->fsid, super->fsid, sizeof(out->fsid));
		out->devid = super->devid;
		out->devices = super->num_devices;
		out->seed = super->flags & BTRFS_SUPER_FLAG_SEEDING;
	}
	free(block);
	free(supers);
	return ret;
}

static void mounted_path(const char *fsid, char *path, size_t size)
{
	snprintf(path, size, "/sys/fs/btrfs/%s/devices", fsid);
}

const struct scrub_format scrub_format_btrfs = {
	.name = "btrfs",
	.scrub_mounted = "btrfs scrub",
	.identify = identify,
	.mounted_path = mounted_path,
};
