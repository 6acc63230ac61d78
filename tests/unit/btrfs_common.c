/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_common.c - see btrfs_common.h.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "btrfs_common.h"

const char *const data_csums[4] = { "crc32c", "xxhash64", "sha256", "blake2b" };

void data_read(const char *group, const char *name, void *block)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/fuzz/btrfs_%s/%s", XX_TEST_DATA, group, name);
	file = fopen(path, "rb");
	cr_assert_not_null(file, "%s", path);
	cr_assert_eq(fread(block, 1, DATA_BLOCK, file), (size_t)DATA_BLOCK);
	fclose(file);
}

void data_super(const char *name, struct xx_btrfs_super *out)
{
	struct btrfs_super_block block;
	struct xx_btrfs_super_check check;

	data_read("super", name, &block);
	cr_assert_eq(xx_btrfs_super_parse(&block, xx_btrfs_super_offset(0), out, &check), 0, "%s", check.text);
}

void data_stamp(enum xx_csum_type type, void *block, size_t size)
{
	memset(block, 0, BTRFS_CSUM_SIZE);
	cr_assert_eq(xx_csum(type, (uint8_t *)block + BTRFS_CSUM_SIZE, size - BTRFS_CSUM_SIZE, block), 0);
}

uint8_t data_uuid_byte(uint64_t devid)
{
	return (uint8_t)(0xa0 + devid);
}

size_t data_chunk_item(const struct data_chunk *chunk, void *item)
{
	struct btrfs_chunk *disk = item;
	const bool dup = chunk->type & BTRFS_BLOCK_GROUP_DUP;

	*disk = (struct btrfs_chunk){
		.length = le64_make(chunk->length),
		.owner = le64_make(BTRFS_EXTENT_TREE_OBJECTID),
		.stripe_len = le64_make(BTRFS_STRIPE_LEN),
		.type = le64_make(chunk->type),
		.sector_size = le32_make(4096),
		.num_stripes = le16_make(chunk->num_stripes),
		.sub_stripes = le16_make(chunk->sub_stripes),
	};
	for (unsigned i = 0; i < chunk->num_stripes; i++) {
		const uint64_t devid = dup ? 1 : i + 1;

		disk->stripe[i].devid = le64_make(devid);
		disk->stripe[i].offset = le64_make(chunk->physical + ((uint64_t)i << 30));
		memset(disk->stripe[i].dev_uuid, data_uuid_byte(devid), BTRFS_UUID_SIZE);
	}
	return sizeof(*disk) + chunk->num_stripes * sizeof(disk->stripe[0]);
}

static void hear(enum xx_level level, const char *text, void *private)
{
	struct data_rig *rig = private;

	(void)level;
	rig->messages++;
	snprintf(rig->said, sizeof(rig->said), "%s", text);
}

void data_rig_open(struct data_rig *rig, uint64_t size)
{
	static const char *const names[DATA_DEVICES] = { "disk1", "disk2", "disk3", "disk4", "disk5", "disk6" };
	const struct xx_ring_options options = { .engine = XX_ENGINE_MEMORY };

	*rig = (struct data_rig){ .messages = 0 };
	cr_assert_eq(xx_ctx_create(hear, rig, &rig->ctx), 0);
	cr_assert_eq(xx_ring_create(rig->ctx, &options, &rig->ring), 0);
	for (unsigned i = 0; i < DATA_DEVICES; i++) {
		const struct xx_memory_options memory = {
			.name = names[i],
			.size = size,
			.offset_align = 4096,
			.memory_align = 4096,
		};

		cr_assert_eq(xx_device_memory_create(rig->ctx, &memory, &rig->devices[i]), 0);
	}
}

void data_rig_close(struct data_rig *rig)
{
	xx_ring_destroy(rig->ring);
	for (unsigned i = 0; i < DATA_DEVICES; i++)
		cr_assert_eq(xx_device_close(rig->devices[i]), 0);
	xx_ctx_destroy(rig->ctx);
}

struct btrfs_dev_item data_dev_item(const struct xx_btrfs_super *like, uint64_t devid, uint64_t size)
{
	struct btrfs_dev_item item = like->raw.dev_item;

	item.devid = le64_make(devid);
	item.total_bytes = le64_make(size);
	memset(item.uuid, data_uuid_byte(devid), sizeof(item.uuid));
	memcpy(item.fsid, like->metadata_uuid, sizeof(item.fsid));
	return item;
}

void data_write_super(struct xx_device *device, const struct xx_btrfs_super *like, uint64_t devid, uint64_t count,
		      uint64_t generation)
{
	const uint64_t size = xx_device_info(device)->size;
	/* Not on the stack: the one that AddressSanitizer puts in its place is not aligned so far. */
	static _Alignas(4096) struct btrfs_super_block block;

	block = like->raw;
	memcpy(block.fsid, like->fsid, sizeof(block.fsid));
	block.flags = le64_make(like->flags);
	block.num_devices = le64_make(count);
	block.generation = le64_make(generation);
	block.chunk_root_generation = le64_make(generation);
	block.dev_item = data_dev_item(like, devid, size);
	for (unsigned i = 0; i < xx_btrfs_super_count(size); i++) {
		block.bytenr = le64_make(xx_btrfs_super_offset(i));
		data_stamp(like->csum_type, &block, sizeof(block));
		cr_assert_eq(xx_device_write(device, xx_btrfs_super_offset(i), &block, sizeof(block)), 0);
	}
}
