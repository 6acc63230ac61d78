/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_super.h - superblocks: one copy verified, the copies of a device, a copy made again from a good one.
 *
 * A device carries up to three copies, at 64 KiB, 64 MiB and 256 GiB; a place that does not wholly lie on the device has
 * none. A commit writes all copies; an fsync that makes a log tree writes the first alone, without raising the
 * generation: then copies of one generation differ in log_root, and the first one is right (kernel, fs/btrfs/disk-io.c,
 * write_all_supers). So the best copy is the one of the highest generation, and of these the first.
 *
 * Source of the places and checks: fs/btrfs/disk-io.c, btrfs_validate_super(); On-disk Format, "Superblock".
 */
#ifndef XX_BTRFS_SUPER_H
#define XX_BTRFS_SUPER_H

#include <stdbool.h>
#include <stdint.h>
#include <xx/btrfs_format.h>
#include <xx/compiler.h>
#include <xx/csum.h>

struct xx_device;
struct xx_ring;

/* A superblock in the machine's byte order: what the rest of the library needs of it. */
struct xx_btrfs_super {
	uint8_t fsid[BTRFS_FSID_SIZE]; /* what users see */
	uint8_t metadata_uuid[BTRFS_FSID_SIZE]; /* what tree blocks carry: the same unless that feature is set */
	uint64_t generation;
	uint64_t flags, compat, compat_ro, incompat;
	uint64_t root, chunk_root, log_root; /* logical addresses; log_root 0: none */
	uint64_t chunk_root_generation; /* the root's is generation, the log root's generation + 1 */
	uint8_t root_level, chunk_root_level, log_root_level;
	uint64_t total_bytes, bytes_used, num_devices;
	uint32_t sectorsize, nodesize; /* bytes */
	enum xx_csum_type csum_type;
	uint32_t csum_size; /* bytes */
	uint64_t devid; /* of the device that it lies on */
	uint64_t dev_total_bytes;
	uint8_t dev_uuid[BTRFS_UUID_SIZE];
	char label[BTRFS_LABEL_SIZE + 1];
	struct btrfs_super_block raw; /* as it was read: system chunks, backups */
};

/* What is wrong with a copy. */
enum xx_btrfs_super_fault {
	XX_BTRFS_SUPER_GOOD = 0,
	XX_BTRFS_SUPER_ABSENT, /* the device is too small for it: no fault */
	XX_BTRFS_SUPER_UNREADABLE, /* see .error */
	XX_BTRFS_SUPER_NO_MAGIC, /* no btrfs here, or overwritten */
	XX_BTRFS_SUPER_CSUM_TYPE, /* a type of checksum that is not known */
	XX_BTRFS_SUPER_CSUM,
	XX_BTRFS_SUPER_BYTENR, /* the checksum is right, but it belongs elsewhere */
	XX_BTRFS_SUPER_ABSURD, /* the checksum is right, the contents cannot be */
	XX_BTRFS_SUPER_UNSUPPORTED, /* a feature that cannot be read; the text names it */
	XX_BTRFS_SUPER_STALE, /* good in itself, but of a lower generation than another copy */
	XX_BTRFS_SUPER_FOREIGN, /* good in itself, but of another file system or device than the best copy */
};

struct xx_btrfs_super_check {
	enum xx_btrfs_super_fault fault;
	int error; /* 0 when good or absent, else a negative errno: -EBADMSG, -EUCLEAN, -EOPNOTSUPP, of the read */
	char text[160]; /* what is wrong, without a place: "the checksum is wrong"; "" when good */
};

/* Bytes from the start of the device to copy 0, 1 or 2. */
XX_API uint64_t xx_btrfs_super_offset(unsigned copy);

/* How many copies a device of that size (bytes) has: 0 to 3. */
XX_API unsigned xx_btrfs_super_count(uint64_t device_size);

/*
 * Verify the 4,096 bytes of a superblock that were read from byte @offset of a device, and decode them. The result is
 * check->error: 0 when good. With XX_BTRFS_SUPER_UNSUPPORTED @out is filled too.
 */
XX_API XX_MUST_CHECK int xx_btrfs_super_parse(const void *block, uint64_t offset, struct xx_btrfs_super *out,
					      struct xx_btrfs_super_check *check);

/*
 * The block for byte @offset of the same device, made from a good copy: its address and checksum are set, all else is as
 * in the good one. 0 or an error of xx_csum().
 */
XX_API XX_MUST_CHECK int xx_btrfs_super_make(const struct xx_btrfs_super *good, uint64_t offset,
					     struct btrfs_super_block *block);

/* All copies of one device. */
struct xx_btrfs_supers {
	unsigned count; /* how many there are on the device */
	int best; /* the copy that is believed; -1: none is good */
	struct xx_btrfs_super_check check[BTRFS_SUPER_MIRROR_MAX];
	struct xx_btrfs_super super[BTRFS_SUPER_MIRROR_MAX]; /* valid where the check is good, stale or foreign */
};

/*
 * Judge copies among each other after each has been parsed into @supers: sets best, and marks what is stale or foreign.
 */
XX_API void xx_btrfs_supers_choose(struct xx_btrfs_supers *supers);

/*
 * Read and verify all copies of a device and choose among them; all reads go down together. 0 when there is a good one;
 * -ENOENT: no copy has the magic, this is no btrfs; -EOPNOTSUPP: a copy is right and cannot be supported; -EUCLEAN: there
 * were superblocks and none is good; else the error of the first copy's read. @out is filled in any case, and no message
 * is made.
 */
XX_API XX_MUST_CHECK int xx_btrfs_supers_read(struct xx_ring *ring, struct xx_device *device,
					      struct xx_btrfs_supers *out);

/* The text of a UUID, 36 characters. */
#define XX_BTRFS_UUID_TEXT 37
XX_API void xx_btrfs_uuid_text(const uint8_t uuid[BTRFS_UUID_SIZE], char text[XX_BTRFS_UUID_TEXT]);

#endif
