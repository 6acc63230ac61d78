/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_volume.h - the devices of one file system: which belong to it, which are missing, stale, or not its own.
 *
 *	xx_btrfs_volume_create()	reads the superblocks of the devices that it is handed, and chooses
 *	xx_btrfs_volume_add_item()	for each device item of the chunk tree
 *	xx_btrfs_volume_settle()	says what is missing, foreign, too small
 *
 * The file system is that of the first device which is no seed, or else of the first. A device of another file system is
 * a possible seed until the chunk tree has been read. The superblock of the highest generation is believed; a member whose
 * own best copy has a lower one is stale: it missed writes, and its blocks are not to be trusted without a checksum.
 *
 * Devices stay the caller's, open until the volume is destroyed. After settling the volume does not change and may be
 * read from several threads.
 */
#ifndef XX_BTRFS_VOLUME_H
#define XX_BTRFS_VOLUME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xx/btrfs_chunk.h>
#include <xx/btrfs_super.h>
#include <xx/compiler.h>

struct xx_ctx;
struct xx_device;
struct xx_ring;

struct xx_btrfs_member {
	uint64_t devid; /* unique in the file system, seeds included */
	uint8_t uuid[BTRFS_UUID_SIZE];
	uint8_t fsid[BTRFS_FSID_SIZE]; /* of the tree blocks that it was made with: a seed's own */
	struct xx_device *device; /* NULL: missing */
	const struct xx_btrfs_supers *supers; /* its superblocks; NULL: missing */
	uint64_t generation; /* of its best superblock; 0: missing */
	uint64_t total_bytes; /* by its item; until that was read by its superblock */
	bool stale; /* its generation is lower than the file system's */
	bool seed; /* it belongs to a file system that this one grew from; nothing may be written to it */
	bool has_item; /* a device item was read */
};

struct xx_btrfs_volume;

/*
 * Read the superblocks of @count devices (at least one) and take those that belong together. Each failure makes a
 * message: -ENOENT a device without btrfs; -EUCLEAN no good superblock on a device; -EOPNOTSUPP a feature that cannot be
 * read; -EEXIST two devices with one devid, or one twice; -ENOMEM; an error of a read. Bad copies next to a good one are
 * not messages: they are findings, in the members.
 */
XX_API XX_MUST_CHECK int xx_btrfs_volume_create(struct xx_ctx *ctx, struct xx_ring *ring,
						struct xx_device *const *devices, size_t count,
						struct xx_btrfs_volume **out);
XX_API void xx_btrfs_volume_destroy(struct xx_btrfs_volume *volume);

/* The superblock that is believed. */
XX_API const struct xx_btrfs_super *xx_btrfs_volume_super(const struct xx_btrfs_volume *volume);

/* Members in ascending order of devid. */
XX_API size_t xx_btrfs_volume_count(const struct xx_btrfs_volume *volume);
XX_API const struct xx_btrfs_member *xx_btrfs_volume_get(const struct xx_btrfs_volume *volume, size_t index);

/* The member with that devid, present or missing; NULL: none. */
XX_API const struct xx_btrfs_member *xx_btrfs_volume_find(const struct xx_btrfs_volume *volume, uint64_t devid);

/* The device at a place of the chunk map; NULL: missing. */
XX_API struct xx_device *xx_btrfs_volume_device(const struct xx_btrfs_volume *volume, uint64_t devid);

/*
 * Take a device item of the chunk tree in, of @size bytes: a member that no device was given for becomes a missing one, a
 * possible seed becomes one. @devid is the key's offset. -EUCLEAN with a message: the item is cut short, contradicts its
 * key, stands there twice, or the device with that devid has another UUID.
 */
XX_API XX_MUST_CHECK int xx_btrfs_volume_add_item(struct xx_btrfs_volume *volume, uint64_t devid, const void *item,
						  size_t size);

/*
 * All items were read, and @map is complete and sealed. Messages and errors: -EXDEV a device belongs to another file
 * system (named); -EUCLEAN a device is smaller than a device extent on it, a device has no item, a chunk lies on a device
 * that has none, or beyond its item's size. Warnings: a missing, a stale member; a device whose size is not its item's.
 * Missing members are no error here: count them.
 */
XX_API XX_MUST_CHECK int xx_btrfs_volume_settle(struct xx_btrfs_volume *volume, const struct xx_btrfs_chunk_map *map);

XX_API size_t xx_btrfs_volume_missing(const struct xx_btrfs_volume *volume);

/*
 * Is that the fsid (metadata_uuid) which tree blocks of this file system may carry: its own, or that of a seed?
 */
XX_API bool xx_btrfs_volume_knows(const struct xx_btrfs_volume *volume, const uint8_t fsid[BTRFS_FSID_SIZE]);

#endif
