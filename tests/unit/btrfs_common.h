/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_common.h - what the tests of btrfs share: blocks that stock mkfs.btrfs made, chunk items, checksums fixed up.
 *
 * tests/data/fuzz/btrfs_super: superblocks at 64 KiB, one for each type of checksum (one device, 120 MiB, nodes of 4 KiB,
 * DUP metadata), and raid6: the second of four devices. tests/data/fuzz/btrfs_block: from the same file systems the root
 * leaf of the chunk tree, and node_crc32c: the root of a file tree of level 1.
 */
#ifndef XX_TESTS_BTRFS_COMMON_H
#define XX_TESTS_BTRFS_COMMON_H

#include <xx/btrfs_block.h>
#include <xx/btrfs_chunk.h>
#include <xx/btrfs_super.h>
#include <xx/context.h>
#include <xx/device.h>
#include <xx/ring.h>

enum {
	DATA_BLOCK = 4096, /* bytes of each committed block */
};

/* The names of the types of checksum, by number. */
extern const char *const data_csums[4];

/* Read a committed block; @group is "super" or "block". */
void data_read(const char *group, const char *name, void *block);

/* Read and parse a committed superblock. */
void data_super(const char *name, struct xx_btrfs_super *out);

/* Make the checksum at the front of a block of @size bytes right. */
void data_stamp(enum xx_csum_type type, void *block, size_t size);

/* A chunk item; stripe i lies on device i + 1 (with DUP both on 1) at @physical + i times 1 GiB. */
struct data_chunk {
	uint64_t length;
	uint64_t type;
	uint16_t num_stripes, sub_stripes;
	uint64_t physical;
};
#define DATA_ITEM_MAX (sizeof(struct btrfs_chunk) + 300 * sizeof(struct btrfs_stripe))
size_t data_chunk_item(const struct data_chunk *chunk, void *item);

/* A byte of a UUID of device @devid, all its bytes being the same. */
uint8_t data_uuid_byte(uint64_t devid);

/* Devices in memory, and what reads them. */
enum {
	DATA_DEVICES = 6
};
struct data_rig {
	struct xx_ctx *ctx;
	struct xx_ring *ring;
	struct xx_device *devices[DATA_DEVICES];
	char said[512]; /* the last message */
	unsigned messages;
};
void data_rig_open(struct data_rig *rig, uint64_t size);
void data_rig_close(struct data_rig *rig);

/* Write copies of a superblock to a device, as that of @devid of @count with a generation. */
void data_write_super(struct xx_device *device, const struct xx_btrfs_super *like, uint64_t devid, uint64_t count,
		      uint64_t generation);

/* The device item that fits what was written. */
struct btrfs_dev_item data_dev_item(const struct xx_btrfs_super *like, uint64_t devid, uint64_t size);

#endif
