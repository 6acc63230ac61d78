/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_chunk.c - fuzzes the chunk map.
 *
 * The input is a sequence of chunks as the superblock's array has them (key, item). The first byte decides about the
 * sector size and mixed groups. Of what is accepted, places are looked up in both directions, and must agree.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xx/btrfs_block.h>
#include <xx/btrfs_chunk.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_all(struct xx_btrfs_chunk_map *map, const uint8_t *data, size_t size)
{
	const size_t key = sizeof(struct btrfs_disk_key);
	struct xx_btrfs_chunk_check check;

	while (size > key) {
		const struct btrfs_disk_key *at = (const struct btrfs_disk_key *)data;
		const struct btrfs_chunk *disk = (const struct btrfs_chunk *)(data + key);
		size_t item = size - key;
		int err;

		if (item >= sizeof(*disk)) {
			const size_t whole = sizeof(*disk) + le16_get(disk->num_stripes) * sizeof(struct btrfs_stripe);

			item = whole < item ? whole : item;
		}
		err = xx_btrfs_chunk_map_add(map, le64_get(at->offset), disk, item, &check);
		assert(err == check.error && (err != 0) == (check.text[0] != '\0'));
		data += key + item;
		size -= key + item;
	}
}

/* From an address to its places and back. */
static void both_ways(const struct xx_btrfs_chunk_map *map, const struct xx_btrfs_chunk *chunk, uint64_t logical)
{
	struct xx_btrfs_copies copies;

	assert(xx_btrfs_chunk_find(map, logical) == chunk);
	xx_btrfs_chunk_copies(chunk, logical, &copies);
	assert(copies.count >= 1 && copies.count <= 4 && copies.length > 0);
	assert(copies.length <= xx_btrfs_chunk_end(chunk) - logical);
	for (unsigned m = 0; m < copies.count; m++) {
		const struct xx_btrfs_place *place = &copies.place[m];
		const struct xx_btrfs_stripe *stripe = &chunk->stripes[place->stripe];
		struct xx_btrfs_location back;

		assert(place->physical >= stripe->physical);
		assert(place->physical + copies.length <= stripe->physical + chunk->stripe_length);
		xx_btrfs_stripe_locate(chunk, place->stripe, place->physical - stripe->physical, &back);
		assert(back.logical == logical && back.copy == m && back.role == XX_BTRFS_ROLE_DATA);
		assert(back.length == copies.length);
		if (xx_btrfs_chunk_locate(map, place->devid, place->physical, &back))
			continue; /* the map was not sealed */
		assert(back.chunk == chunk && back.logical == logical);
	}
}

/* Every element of a row lies where it is found again, parity too. */
static void one_row(const struct xx_btrfs_chunk *chunk, uint64_t logical)
{
	struct xx_btrfs_row row;

	xx_btrfs_chunk_row(chunk, logical, &row);
	for (unsigned c = 0; c < chunk->columns + chunk->parity; c++) {
		const struct xx_btrfs_place place = xx_btrfs_row_place(chunk, row.number, c, row.in_element);
		const uint64_t offset = place.physical - chunk->stripes[place.stripe].physical;
		struct xx_btrfs_location back;

		if (!xx_btrfs_chunk_striped(chunk) || offset >= chunk->stripe_length)
			continue;
		xx_btrfs_stripe_locate(chunk, place.stripe, offset, &back);
		assert(back.column == c && back.row == row.number);
	}
}

static void walk_device(const struct xx_btrfs_chunk_map *map, uint64_t devid)
{
	struct xx_btrfs_dev_range range;

	for (uint64_t pos = 0; xx_btrfs_dev_range_next(map, devid, pos, &range); pos = range.physical + range.length)
		assert(range.physical >= pos && range.length > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xx_btrfs_super super = { .sectorsize = 4096 };
	const struct xx_btrfs_chunk *chunk;
	struct xx_btrfs_chunk_check check;
	struct xx_btrfs_chunk_map *map;

	if (size == 0)
		return 0;
	super.sectorsize <<= data[0] % 5;
	super.incompat = data[0] & 0x80 ? BTRFS_FEATURE_INCOMPAT_MIXED_GROUPS : 0;
	if (xx_btrfs_chunk_map_create(&super, &map))
		abort();
	add_all(map, data + 1, size - 1);
	if (xx_btrfs_chunk_map_seal(map, &check))
		assert(check.text[0] != '\0');
	for (uint64_t pos = 0; (chunk = xx_btrfs_chunk_next(map, pos)); pos = xx_btrfs_chunk_end(chunk)) {
		const uint64_t places[] = { 0,
					    chunk->length - 1,
					    chunk->length / 2,
					    chunk->length / 3,
					    65535 % chunk->length,
					    65536 % chunk->length };

		assert(xx_btrfs_chunk_ways(chunk) >= 1 && xx_btrfs_profile_name(chunk->profile));
		for (size_t i = 0; i < XX_ARRAY_SIZE(places); i++) {
			both_ways(map, chunk, chunk->logical + places[i]);
			one_row(chunk, chunk->logical + places[i]);
		}
		for (unsigned i = 0; i < chunk->num_stripes; i++)
			walk_device(map, chunk->stripes[i].devid);
	}
	xx_btrfs_chunk_map_destroy(map);
	return 0;
}
