/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_fixture.c - see btrfs_fixture.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xx/btrfs_raid.h>
#include <xx/btrfs_super.h>

#include "tests/support/btrfs_fixture_impl.h"

#define MIB	   UINT64_C(1048576)
#define DEVICE	   (80 * MIB)
#define PER_STRIPE (4 * MIB) /* of the data chunk; the system chunk has one MiB */

const uint8_t fixture_fsid[BTRFS_FSID_SIZE] = "fixture-of-btrf";

static void hear(enum xx_level level, const char *text, void *private)
{
	struct fixture *f = private;

	(void)level;
	f->messages++;
	snprintf(f->said, sizeof(f->said), "%s", text);
}

/* --- chunks --- */

struct shape {
	unsigned stripes, columns;
};

static struct shape shape_of(const struct fixture_options *options)
{
	const unsigned n = options->devices;

	switch (options->profile) {
	case 0:
		return (struct shape){ 1, 1 };
	case BTRFS_BLOCK_GROUP_DUP:
		return (struct shape){ 2, 1 };
	case BTRFS_BLOCK_GROUP_RAID0:
		return (struct shape){ n, n };
	case BTRFS_BLOCK_GROUP_RAID10:
		return (struct shape){ n, n / 2 };
	case BTRFS_BLOCK_GROUP_RAID5:
		return (struct shape){ n, n - 1 };
	case BTRFS_BLOCK_GROUP_RAID6:
		return (struct shape){ n, n - 2 };
	default:
		return (struct shape){ n, 1 };
	}
}

size_t fixture_chunk_item(const struct fixture_options *options, bool data, struct btrfs_chunk *item)
{
	const struct shape shape = shape_of(options);
	const uint64_t per_stripe = data ? PER_STRIPE : MIB;
	const bool dup = options->profile == BTRFS_BLOCK_GROUP_DUP;

	*item = (struct btrfs_chunk){
		.length = le64_make(per_stripe * shape.columns),
		.owner = le64_make(BTRFS_EXTENT_TREE_OBJECTID),
		.stripe_len = le64_make(BTRFS_STRIPE_LEN),
		.type = le64_make((data ? BTRFS_BLOCK_GROUP_DATA : BTRFS_BLOCK_GROUP_SYSTEM) | options->profile),
		.io_align = le32_make(65536),
		.io_width = le32_make(65536),
		.sector_size = le32_make(FIXTURE_SECTOR),
		.num_stripes = le16_make((uint16_t)shape.stripes),
		.sub_stripes = le16_make(options->profile == BTRFS_BLOCK_GROUP_RAID10 ? 2 : 1),
	};
	for (unsigned i = 0; i < shape.stripes; i++) {
		const uint64_t devid = dup ? 1 : i + 1;
		const uint64_t base = data ? 8 * MIB : 2 * MIB;

		item->stripe[i].devid = le64_make(devid);
		/* At another place on each device, so that nothing fits by chance. */
		item->stripe[i].offset = le64_make(base + i * (dup ? 2 * per_stripe : 0) + (dup ? 0 : i * 65536));
		memset(item->stripe[i].dev_uuid, (int)(0xd0 + devid), BTRFS_UUID_SIZE);
	}
	return sizeof(*item) + shape.stripes * sizeof(item->stripe[0]);
}

struct btrfs_dev_item fixture_dev_item(uint64_t devid)
{
	struct btrfs_dev_item item = {
		.devid = le64_make(devid),
		.total_bytes = le64_make(DEVICE),
		.bytes_used = le64_make(PER_STRIPE + MIB),
		.sector_size = le32_make(FIXTURE_SECTOR),
	};

	memset(item.uuid, (int)(0xd0 + devid), sizeof(item.uuid));
	memcpy(item.fsid, fixture_fsid, sizeof(item.fsid));
	return item;
}

/* --- writing at logical addresses --- */

void fixture_put(struct fixture *f, uint64_t logical, const uint8_t *data, uint64_t length)
{
	while (length > 0) {
		const struct xx_btrfs_chunk *chunk = xx_btrfs_chunk_find(f->map, logical);
		struct xx_btrfs_copies copies;
		uint64_t part;

		fixture_must(chunk != NULL);
		xx_btrfs_chunk_copies(chunk, logical, &copies);
		part = copies.length < length ? copies.length : length;
		for (unsigned i = 0; i < copies.count; i++)
			fixture_must(xx_device_write(f->devices[copies.place[i].devid - 1], copies.place[i].physical,
						     data, part) == 0);
		logical += part;
		data += part;
		length -= part;
	}
}

/* P and Q of one row, from what lies on the devices. */
static void put_parity(struct fixture *f, const struct xx_btrfs_chunk *chunk, uint64_t row)
{
	const unsigned elements = chunk->columns + chunk->parity;
	void *data[FIXTURE_DEVICES_MAX] = { 0 };

	for (unsigned e = 0; e < elements; e++) {
		const struct xx_btrfs_place place = xx_btrfs_row_place(chunk, row, e, 0);

		data[e] = aligned_alloc(4096, BTRFS_STRIPE_LEN);
		fixture_must(data[e] && xx_device_read(f->devices[place.devid - 1], place.physical, data[e],
						       BTRFS_STRIPE_LEN) == 0);
	}
	fixture_must(xx_btrfs_raid_generate(chunk->columns, chunk->parity, data, BTRFS_STRIPE_LEN) == 0);
	for (unsigned e = 0; e < elements; e++) {
		const struct xx_btrfs_place place = xx_btrfs_row_place(chunk, row, e, 0);

		if (e >= chunk->columns)
			fixture_must(xx_device_write(f->devices[place.devid - 1], place.physical, data[e],
						     BTRFS_STRIPE_LEN) == 0);
		free(data[e]);
	}
}

/* Of all rows in which something was written: what lies behind has garbage for parity. */
void fixture_put_parities(struct fixture *f, const struct xx_btrfs_chunk *chunk, uint64_t end)
{
	struct xx_btrfs_row row;

	if (!chunk->parity)
		return;
	xx_btrfs_chunk_row(chunk, end - 1, &row);
	for (uint64_t i = 0; i <= row.number; i++)
		put_parity(f, chunk, i);
}

uint8_t fixture_pattern(uint64_t i)
{
	return (uint8_t)((i * 2654435761u) >> 13);
}

static void put_files(struct fixture *f)
{
	const uint64_t length = FIXTURE_SUMMED + FIXTURE_NOCOW + FIXTURE_PREALLOC / 2;
	uint8_t *data = aligned_alloc(4096, length);

	fixture_must(data != NULL);
	for (uint64_t i = 0; i < length; i++)
		data[i] = fixture_pattern(i);
	fixture_put(f, f->summed, data, length);
	fixture_put_parities(f, f->data, f->prealloc + FIXTURE_PREALLOC / 2);
	free(data);
}

/* --- superblocks --- */

static void fill_super(const struct fixture *f, uint64_t devid, struct btrfs_super_block *super)
{
	struct btrfs_disk_key *key = (struct btrfs_disk_key *)super->sys_chunk_array;
	_Alignas(8) uint8_t item[1024];
	const size_t size = fixture_chunk_item(&f->options, false, (struct btrfs_chunk *)item);

	memset(super, 0, sizeof(*super));
	memcpy(super->fsid, fixture_fsid, sizeof(super->fsid));
	super->flags = le64_make(1);
	super->magic = le64_make(BTRFS_MAGIC);
	super->generation = super->chunk_root_generation = le64_make(FIXTURE_GENERATION);
	super->root = le64_make(f->root_tree);
	super->chunk_root = le64_make(f->chunk_tree);
	super->total_bytes = le64_make(f->device_count * DEVICE);
	super->bytes_used =
		le64_make(5 * FIXTURE_NODE + FIXTURE_SUMMED + FIXTURE_NOCOW + FIXTURE_PREALLOC + FIXTURE_NODE);
	super->root_dir_objectid = le64_make(BTRFS_ROOT_TREE_DIR_OBJECTID);
	super->num_devices = le64_make(f->device_count);
	super->sectorsize = super->stripesize = le32_make(FIXTURE_SECTOR);
	super->nodesize = super->unused_leafsize = le32_make(FIXTURE_NODE);
	super->sys_chunk_array_size = le32_make((uint32_t)(sizeof(*key) + size));
	super->incompat_flags = le64_make(BTRFS_FEATURE_INCOMPAT_MIXED_BACKREF | BTRFS_FEATURE_INCOMPAT_BIG_METADATA |
					  BTRFS_FEATURE_INCOMPAT_EXTENDED_IREF |
					  BTRFS_FEATURE_INCOMPAT_SKINNY_METADATA | BTRFS_FEATURE_INCOMPAT_NO_HOLES |
					  BTRFS_FEATURE_INCOMPAT_RAID56 | BTRFS_FEATURE_INCOMPAT_RAID1C34);
	super->csum_type = le16_make((uint16_t)f->options.csum);
	super->dev_item = fixture_dev_item(devid);
	*key = xx_btrfs_key_make(
		(struct xx_btrfs_key){ BTRFS_FIRST_CHUNK_TREE_OBJECTID, BTRFS_CHUNK_ITEM_KEY, FIXTURE_SYSTEM });
	memcpy(key + 1, item, size);
}

static void put_supers(struct fixture *f)
{
	/* Not on the stack: the one that AddressSanitizer puts in its place is not aligned so far. */
	static _Alignas(4096) struct btrfs_super_block super;

	for (unsigned i = 0; i < f->device_count; i++) {
		fill_super(f, i + 1, &super);
		for (unsigned copy = 0; copy < xx_btrfs_super_count(DEVICE); copy++) {
			super.bytenr = le64_make(xx_btrfs_super_offset(copy));
			memset(super.csum, 0, sizeof(super.csum));
			fixture_must(xx_csum(f->options.csum, (uint8_t *)&super + BTRFS_CSUM_SIZE,
					     sizeof(super) - BTRFS_CSUM_SIZE, super.csum) == 0);
			fixture_must(xx_device_write(f->devices[i], xx_btrfs_super_offset(copy), &super,
						     sizeof(super)) == 0);
		}
	}
}

/* --- all of it --- */

static void make_map(struct fixture *f)
{
	struct xx_btrfs_chunk_check check;
	struct xx_btrfs_super super = { .sectorsize = FIXTURE_SECTOR, .nodesize = FIXTURE_NODE };
	_Alignas(8) uint8_t item[1024];

	fixture_must(xx_btrfs_chunk_map_create(&super, &f->map) == 0);
	for (unsigned data = 0; data < 2; data++) {
		const size_t size = fixture_chunk_item(&f->options, data, (struct btrfs_chunk *)item);

		fixture_must(xx_btrfs_chunk_map_add(f->map, data ? FIXTURE_DATA : FIXTURE_SYSTEM, item, size, &check) ==
			     0);
	}
	fixture_must(xx_btrfs_chunk_map_seal(f->map, &check) == 0);
	f->system = xx_btrfs_chunk_find(f->map, FIXTURE_SYSTEM);
	f->data = xx_btrfs_chunk_find(f->map, FIXTURE_DATA);
}

static void make_memory(struct fixture *f, unsigned i)
{
	static const char *const names[FIXTURE_DEVICES_MAX] = { "one", "two", "three", "four", "five", "six" };
	const struct xx_memory_options memory = {
		.name = names[i],
		.size = DEVICE,
		.offset_align = 512,
		.memory_align = 512,
		.fill = (uint8_t)(f->options.zeros ? 0 : 0x5a + i),
	};

	fixture_must(xx_device_memory_create(f->ctx, &memory, &f->devices[i]) == 0);
}

static void make_file(struct fixture *f, unsigned i)
{
	const struct xx_device_options options = { .flags = XX_DEVICE_WRITE, .set_size = true, .size = DEVICE };
	const char *directory = getenv("TMPDIR");
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/xx-fixture.XXXXXX", directory ? directory : "/tmp");
	fd = mkstemp(path);
	fixture_must(fd >= 0);
	close(fd);
	fixture_must(xx_device_open(f->ctx, path, &options, &f->devices[i]) == 0);
	unlink(path);
}

static void make_devices(struct fixture *f)
{
	f->device_count = f->options.devices;
	for (unsigned i = 0; i < f->device_count; i++) {
		if (f->options.files)
			make_file(f, i);
		else
			make_memory(f, i);
	}
}

void fixture_init(struct fixture *f, const struct fixture_options *options)
{
	*f = (struct fixture){ .options = *options };
	fixture_must(xx_ctx_create(hear, f, &f->ctx) == 0);
	xx_ctx_set_level(f->ctx, XX_WARNING);
	make_map(f);
	make_devices(f);
	f->chunk_tree = f->system->logical;
	f->root_tree = f->chunk_tree + FIXTURE_NODE;
	f->extent_tree = f->root_tree + FIXTURE_NODE;
	f->csum_tree = f->extent_tree + FIXTURE_NODE;
	f->fs_tree = f->csum_tree + FIXTURE_NODE;
	f->summed = f->data->logical;
	f->nocow = f->summed + FIXTURE_SUMMED;
	f->prealloc = f->nocow + FIXTURE_NOCOW;
	put_files(f);
	fixture_put_trees(f);
	put_supers(f);
}

void fixture_release(struct fixture *f)
{
	for (unsigned i = 0; i < f->device_count; i++)
		fixture_must(xx_device_close(f->devices[i]) == 0);
	xx_btrfs_chunk_map_destroy(f->map);
	xx_ctx_destroy(f->ctx);
}

struct xx_btrfs_place fixture_place(const struct fixture *f, uint64_t logical, unsigned copy)
{
	const struct xx_btrfs_chunk *chunk = xx_btrfs_chunk_find(f->map, logical);
	struct xx_btrfs_copies copies;
	struct xx_btrfs_row row;

	fixture_must(chunk != NULL);
	if (chunk->parity && copy > 0) {
		xx_btrfs_chunk_row(chunk, logical, &row);
		return xx_btrfs_row_place(chunk, row.number, chunk->columns + copy - 1, row.in_element);
	}
	xx_btrfs_chunk_copies(chunk, logical, &copies);
	fixture_must(copy < copies.count);
	return copies.place[copy];
}

void fixture_damage(struct fixture *f, struct xx_btrfs_place place, uint32_t length)
{
	struct xx_device *device = f->devices[place.devid - 1];
	const uint64_t bytes = (length + UINT64_C(4095)) / 4096 * 4096;
	uint8_t *data = aligned_alloc(4096, bytes);

	fixture_must(data && xx_device_read(device, place.physical, data, bytes) == 0);
	for (uint32_t i = 0; i < length; i++)
		data[i] ^= 0x81;
	fixture_must(xx_device_write(device, place.physical, data, bytes) == 0);
	free(data);
}

uint64_t fixture_hash(const struct fixture *f)
{
	uint8_t *data = aligned_alloc(4096, MIB);
	uint64_t hash = 0;

	fixture_must(data != NULL);
	for (unsigned i = 0; i < f->device_count; i++) {
		for (uint64_t at = 0; at < DEVICE; at += MIB) {
			uint64_t sum;

			fixture_must(xx_device_read(f->devices[i], at, data, MIB) == 0);
			fixture_must(xx_csum(XX_CSUM_XXHASH64, data, MIB, &sum) == 0);
			hash = (hash << 7 | hash >> 57) ^ sum;
		}
	}
	free(data);
	return hash;
}
