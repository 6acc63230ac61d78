/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * volume_settle.c - the devices as the chunk tree has them, compared with those that are there.
 */
#include <errno.h>
#include <string.h>
#include <xx/context.h>
#include <xx/device.h>
#include "volume.h"

/* A device of another file system that the item means: a seed. */
static struct volume_device *find_seed(struct xx_btrfs_volume *volume, uint64_t devid, const uint8_t *uuid)
{
	for (size_t i = 0; i < volume->device_count; i++) {
		struct volume_device *device = &volume->devices[i];
		const struct xx_btrfs_super *super = volume_best(device);

		if (!device->taken && super->devid == devid && memcmp(super->dev_uuid, uuid, BTRFS_UUID_SIZE) == 0)
			return device;
	}
	return NULL;
}

/* A member that was not among the devices of the file system's own fsid. */
static struct xx_btrfs_member *add_other(struct xx_btrfs_volume *volume, uint64_t devid,
					 const struct btrfs_dev_item *item)
{
	struct volume_device *seed = find_seed(volume, devid, item->uuid);
	struct xx_btrfs_member *member = volume_insert(volume, devid);

	if (!member)
		return NULL;
	if (seed) {
		volume_take(volume, member, seed);
	} else {
		memcpy(member->uuid, item->uuid, sizeof(member->uuid));
		memcpy(member->fsid, item->fsid, sizeof(member->fsid));
		member->seed = memcmp(item->fsid, volume->super->metadata_uuid, BTRFS_FSID_SIZE) != 0;
	}
	return member;
}

static int bad_item(struct xx_btrfs_volume *volume, uint64_t devid, const char *what)
{
	xx_error(volume->ctx, "The chunk tree's item of device %llu %s.", (unsigned long long)devid, what);
	return -EUCLEAN;
}

int xx_btrfs_volume_add_item(struct xx_btrfs_volume *volume, uint64_t devid, const void *item, size_t size)
{
	const struct btrfs_dev_item *disk = item;
	struct xx_btrfs_member *member;

	if (size != sizeof(*disk))
		return bad_item(volume, devid, "has a wrong length");
	if (le64_get(disk->devid) != devid)
		return bad_item(volume, devid, "has the number of another device");
	if (le64_get(disk->total_bytes) == 0 || le64_get(disk->total_bytes) > INT64_MAX)
		return bad_item(volume, devid, "has an impossible size");
	member = volume_member(volume, devid);
	if (!member)
		member = add_other(volume, devid, disk);
	if (!member)
		return -ENOMEM;
	if (member->has_item)
		return bad_item(volume, devid, "stands there twice");
	if (memcmp(member->uuid, disk->uuid, sizeof(member->uuid)) != 0)
		return bad_item(volume, devid, "has another UUID than the device");
	member->has_item = true;
	member->total_bytes = le64_get(disk->total_bytes);
	return 0;
}

static int settle_foreign(const struct xx_btrfs_volume *volume)
{
	char uuid[XX_BTRFS_UUID_TEXT];
	int err = 0;

	for (size_t i = 0; i < volume->device_count; i++) {
		const struct volume_device *device = &volume->devices[i];

		if (device->taken)
			continue;
		xx_btrfs_uuid_text(volume_best(device)->fsid, uuid);
		xx_error(volume->ctx, "%s belongs to another file system, %s.", volume_path(device->device), uuid);
		err = -EXDEV;
	}
	return err;
}

/* Bytes from the start of a device to the end of its last device extent. */
static uint64_t used_end(const struct xx_btrfs_chunk_map *map, uint64_t devid)
{
	struct xx_btrfs_dev_range range;
	uint64_t end = 0;

	while (xx_btrfs_dev_range_next(map, devid, end, &range))
		end = range.physical + range.length;
	return end;
}

static int settle_sizes(const struct xx_btrfs_volume *volume, const struct xx_btrfs_member *member, uint64_t end)
{
	const struct xx_device_info *info = member->device ? xx_device_info(member->device) : NULL;

	if (end > member->total_bytes) {
		xx_error(volume->ctx, "A chunk ends at %llu on device %llu, which has %llu bytes by its item.",
			 (unsigned long long)end, (unsigned long long)member->devid,
			 (unsigned long long)member->total_bytes);
		return -EUCLEAN;
	}
	if (info && end > info->size) {
		xx_error(volume->ctx, "%s has %llu bytes, but a chunk on it (device %llu) ends at %llu.", info->path,
			 (unsigned long long)info->size, (unsigned long long)member->devid, (unsigned long long)end);
		return -EUCLEAN;
	}
	if (info && info->size < member->total_bytes)
		xx_warn(volume->ctx, "%s is smaller than the file system takes it to be: %llu bytes instead of %llu.",
			info->path, (unsigned long long)info->size, (unsigned long long)member->total_bytes);
	return 0;
}

static int settle_member(const struct xx_btrfs_volume *volume, const struct xx_btrfs_member *member,
			 const struct xx_btrfs_chunk_map *map)
{
	const uint64_t super = volume->super->generation;

	if (!member->has_item) {
		xx_error(volume->ctx, "%s says that it is device %llu, which the file system does not have.",
			 volume_path(member->device), (unsigned long long)member->devid);
		return -EUCLEAN;
	}
	if (!member->device)
		xx_warn(volume->ctx, "Device %llu%s is missing.", (unsigned long long)member->devid,
			member->seed ? ", a seed," : "");
	else if (member->stale)
		xx_warn(volume->ctx, "%s (device %llu) is stale: its generation is %llu, that of the file system %llu.",
			volume_path(member->device), (unsigned long long)member->devid,
			(unsigned long long)member->generation, (unsigned long long)super);
	return settle_sizes(volume, member, used_end(map, member->devid));
}

/* Each stripe lies on a member, and on the one that it means. */
static int settle_chunks(const struct xx_btrfs_volume *volume, const struct xx_btrfs_chunk_map *map)
{
	const struct xx_btrfs_chunk *chunk;

	for (uint64_t pos = 0; (chunk = xx_btrfs_chunk_next(map, pos)); pos = xx_btrfs_chunk_end(chunk)) {
		for (unsigned i = 0; i < chunk->num_stripes; i++) {
			const struct xx_btrfs_stripe *stripe = &chunk->stripes[i];
			const struct xx_btrfs_member *member = xx_btrfs_volume_find(volume, stripe->devid);

			if (member && memcmp(member->uuid, stripe->dev_uuid, BTRFS_UUID_SIZE) == 0)
				continue;
			xx_error(volume->ctx, "The chunk at %llu lies on device %llu, %s.",
				 (unsigned long long)chunk->logical, (unsigned long long)stripe->devid,
				 member ? "but with another UUID" : "which the file system does not have");
			return -EUCLEAN;
		}
	}
	return 0;
}

int xx_btrfs_volume_settle(struct xx_btrfs_volume *volume, const struct xx_btrfs_chunk_map *map)
{
	int err = settle_foreign(volume);

	for (size_t i = 0; i < volume->member_count && !err; i++)
		err = settle_member(volume, &volume->members[i], map);
	return err ? err : settle_chunks(volume, map);
}
