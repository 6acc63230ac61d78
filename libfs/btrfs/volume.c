/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * volume.c - which of the devices that were handed in make a file system.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xx/context.h>
#include <xx/device.h>
#include "volume.h"

const char *volume_path(const struct xx_device *device)
{
	return xx_device_info(device)->path;
}

/* --- Members --- */

/* The index of the first member whose devid is not lower. */
static size_t member_at(const struct xx_btrfs_volume *volume, uint64_t devid)
{
	size_t i = 0;

	while (i < volume->member_count && volume->members[i].devid < devid)
		i++;
	return i;
}

struct xx_btrfs_member *volume_member(struct xx_btrfs_volume *volume, uint64_t devid)
{
	const size_t i = member_at(volume, devid);

	return i < volume->member_count && volume->members[i].devid == devid ? &volume->members[i] : NULL;
}

struct xx_btrfs_member *volume_insert(struct xx_btrfs_volume *volume, uint64_t devid)
{
	const size_t at = member_at(volume, devid);

	if (volume->member_count == volume->member_room) {
		const size_t room = volume->member_room ? volume->member_room * 2 : 8;
		struct xx_btrfs_member *members = reallocarray(volume->members, room, sizeof(*members));

		if (!members)
			return NULL;
		volume->members = members;
		volume->member_room = room;
	}
	memmove(&volume->members[at + 1], &volume->members[at], (volume->member_count - at) * sizeof(*volume->members));
	volume->member_count++;
	volume->members[at] = (struct xx_btrfs_member){ .devid = devid };
	return &volume->members[at];
}

void volume_take(struct xx_btrfs_volume *volume, struct xx_btrfs_member *member, struct volume_device *device)
{
	const struct xx_btrfs_super *super = volume_best(device);

	device->taken = true;
	member->device = device->device;
	member->supers = &device->supers;
	member->generation = super->generation;
	member->total_bytes = super->dev_total_bytes;
	member->seed = memcmp(super->metadata_uuid, volume->super->metadata_uuid, BTRFS_FSID_SIZE) != 0;
	member->stale = !member->seed && super->generation < volume->super->generation;
	memcpy(member->uuid, super->dev_uuid, sizeof(member->uuid));
	memcpy(member->fsid, super->metadata_uuid, sizeof(member->fsid));
}

/* --- Looking at the devices --- */

static int refuse_device(struct xx_ctx *ctx, const struct volume_device *device, int err)
{
	const char *path = volume_path(device->device);

	if (err == -ENOENT)
		xx_error(ctx, "%s is no btrfs: there is no superblock of it.", path);
	for (unsigned i = 0; i < device->supers.count && err != -ENOENT; i++)
		xx_error(ctx, "%s, superblock %u at %llu: %s.", path, i, (unsigned long long)xx_btrfs_super_offset(i),
			 device->supers.check[i].text);
	return err;
}

static int read_devices(struct xx_btrfs_volume *volume, struct xx_ring *ring, struct xx_device *const *devices)
{
	for (size_t i = 0; i < volume->device_count; i++) {
		struct volume_device *device = &volume->devices[i];
		int err;

		device->device = devices[i];
		err = xx_btrfs_supers_read(ring, devices[i], &device->supers);
		if (err)
			return refuse_device(volume->ctx, device, err);
	}
	return 0;
}

static bool seeding(const struct volume_device *device)
{
	return volume_best(device)->flags & BTRFS_SUPER_FLAG_SEEDING;
}

static bool same_file_system(const struct xx_btrfs_super *a, const struct xx_btrfs_super *b)
{
	return memcmp(a->fsid, b->fsid, BTRFS_FSID_SIZE) == 0;
}

/* Only the first copy on each device knows of a log: of two that are as new, one that has it is believed. */
static bool newer(const struct xx_btrfs_super *super, const struct xx_btrfs_super *than)
{
	if (super->generation != than->generation)
		return super->generation > than->generation;
	return super->log_root && !than->log_root;
}

/* The file system is that of the first device that is no seed; believed is its highest generation. */
static void choose_super(struct xx_btrfs_volume *volume)
{
	size_t first = 0;

	while (first < volume->device_count && seeding(&volume->devices[first]))
		first++;
	if (first == volume->device_count)
		first = 0;
	volume->super = volume_best(&volume->devices[first]);
	for (size_t i = 0; i < volume->device_count; i++) {
		const struct xx_btrfs_super *super = volume_best(&volume->devices[i]);

		if (same_file_system(super, volume->super) && newer(super, volume->super))
			volume->super = super;
	}
}

static int take_own(struct xx_btrfs_volume *volume)
{
	for (size_t i = 0; i < volume->device_count; i++) {
		struct volume_device *device = &volume->devices[i];
		const struct xx_btrfs_super *super = volume_best(device);
		struct xx_btrfs_member *member;

		if (!same_file_system(super, volume->super))
			continue;
		member = volume_member(volume, super->devid);
		if (member) {
			xx_error(volume->ctx,
				 "%s and %s are both device %llu of one file system. Leave one of them out.",
				 volume_path(member->device), volume_path(device->device),
				 (unsigned long long)super->devid);
			return -EEXIST;
		}
		member = volume_insert(volume, super->devid);
		if (!member)
			return -ENOMEM;
		volume_take(volume, member, device);
	}
	return 0;
}

int xx_btrfs_volume_create(struct xx_ctx *ctx, struct xx_ring *ring, struct xx_device *const *devices, size_t count,
			   struct xx_btrfs_volume **out)
{
	struct xx_btrfs_volume *volume = calloc(1, sizeof(*volume));
	int err = -ENOMEM;

	if (!volume)
		return -ENOMEM;
	volume->ctx = ctx;
	volume->device_count = count;
	volume->devices = calloc(count, sizeof(*volume->devices));
	if (volume->devices)
		err = read_devices(volume, ring, devices);
	if (!err) {
		choose_super(volume);
		err = take_own(volume);
	}
	if (err)
		xx_btrfs_volume_destroy(volume);
	else
		*out = volume;
	return err;
}

void xx_btrfs_volume_destroy(struct xx_btrfs_volume *volume)
{
	if (!volume)
		return;
	free(volume->devices);
	free(volume->members);
	free(volume);
}

/* --- Asking --- */

const struct xx_btrfs_super *xx_btrfs_volume_super(const struct xx_btrfs_volume *volume)
{
	return volume->super;
}

size_t xx_btrfs_volume_count(const struct xx_btrfs_volume *volume)
{
	return volume->member_count;
}

const struct xx_btrfs_member *xx_btrfs_volume_get(const struct xx_btrfs_volume *volume, size_t index)
{
	return index < volume->member_count ? &volume->members[index] : NULL;
}

const struct xx_btrfs_member *xx_btrfs_volume_find(const struct xx_btrfs_volume *volume, uint64_t devid)
{
	const size_t i = member_at(volume, devid);

	return i < volume->member_count && volume->members[i].devid == devid ? &volume->members[i] : NULL;
}

struct xx_device *xx_btrfs_volume_device(const struct xx_btrfs_volume *volume, uint64_t devid)
{
	const struct xx_btrfs_member *member = xx_btrfs_volume_find(volume, devid);

	/* before the chunk tree was read, what is no member may be a seed */
	for (size_t i = 0; !member && i < volume->device_count; i++) {
		if (!volume->devices[i].taken && volume_best(&volume->devices[i])->devid == devid)
			return volume->devices[i].device;
	}
	return member ? member->device : NULL;
}

size_t xx_btrfs_volume_missing(const struct xx_btrfs_volume *volume)
{
	size_t missing = 0;

	for (size_t i = 0; i < volume->member_count; i++)
		missing += !volume->members[i].device;
	return missing;
}

bool xx_btrfs_volume_knows(const struct xx_btrfs_volume *volume, const uint8_t fsid[BTRFS_FSID_SIZE])
{
	for (size_t i = 0; i < volume->member_count; i++) {
		if (memcmp(volume->members[i].fsid, fsid, BTRFS_FSID_SIZE) == 0)
			return true;
	}
	/* possible seeds; settling refuses a file system with devices that are none */
	for (size_t i = 0; i < volume->device_count; i++) {
		if (memcmp(volume_best(&volume->devices[i])->metadata_uuid, fsid, BTRFS_FSID_SIZE) == 0)
			return true;
	}
	return memcmp(volume->super->metadata_uuid, fsid, BTRFS_FSID_SIZE) == 0;
}
