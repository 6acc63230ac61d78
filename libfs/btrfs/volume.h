/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * volume.h - what the files of the volume share.
 */
#ifndef LIBFS_BTRFS_VOLUME_H
#define LIBFS_BTRFS_VOLUME_H

#include <xx/btrfs_volume.h>

/* A device that was handed in. */
struct volume_device {
	struct xx_device *device;
	struct xx_btrfs_supers supers;
	bool taken; /* it is a member */
};

struct xx_btrfs_volume {
	struct xx_ctx *ctx;
	const struct xx_btrfs_super *super; /* the one that is believed, in one of the devices */
	struct volume_device *devices;
	size_t device_count;
	struct xx_btrfs_member *members; /* by devid */
	size_t member_count, member_room;
};

static inline const struct xx_btrfs_super *volume_best(const struct volume_device *device)
{
	return &device->supers.super[device->supers.best];
}

const char *volume_path(const struct xx_device *device);

/* Insert a member, to be filled in; NULL: no memory. */
struct xx_btrfs_member *volume_insert(struct xx_btrfs_volume *volume, uint64_t devid);

/* Say of a member that it has that device. */
void volume_take(struct xx_btrfs_volume *volume, struct xx_btrfs_member *member, struct volume_device *device);

/* The member that may be changed; NULL: none. */
struct xx_btrfs_member *volume_member(struct xx_btrfs_volume *volume, uint64_t devid);

#endif
