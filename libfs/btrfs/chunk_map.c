/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chunk_map.c - all chunks: added, indexed, found by logical address and by device.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "chunk.h"

int xx_btrfs_chunk_map_create(const struct xx_btrfs_super *super, struct xx_btrfs_chunk_map **out)
{
	struct xx_btrfs_chunk_map *map = calloc(1, sizeof(*map));

	if (!map)
		return -ENOMEM;
	map->limits.sectorsize = super->sectorsize;
	map->limits.mixed = super->incompat & BTRFS_FEATURE_INCOMPAT_MIXED_GROUPS;
	*out = map;
	return 0;
}

void xx_btrfs_chunk_map_destroy(struct xx_btrfs_chunk_map *map)
{
	if (!map)
		return;
	for (size_t i = 0; i < map->count; i++)
		free(map->chunks[i]);
	free(map->chunks);
	free(map->ranges);
	free(map);
}

size_t xx_btrfs_chunk_map_count(const struct xx_btrfs_chunk_map *map)
{
	return map->count;
}

/* The number of the first chunk that ends after @logical; count: none. */
static size_t first_after(const struct xx_btrfs_chunk_map *map, uint64_t logical)
{
	size_t low = 0;
	size_t high = map->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (xx_btrfs_chunk_end(map->chunks[middle]) > logical)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct xx_btrfs_chunk *xx_btrfs_chunk_next(const struct xx_btrfs_chunk_map *map, uint64_t logical)
{
	const size_t i = first_after(map, logical);

	return i < map->count ? map->chunks[i] : NULL;
}

const struct xx_btrfs_chunk *xx_btrfs_chunk_find(const struct xx_btrfs_chunk_map *map, uint64_t logical)
{
	const struct xx_btrfs_chunk *chunk = xx_btrfs_chunk_next(map, logical);

	return chunk && chunk->logical <= logical ? chunk : NULL;
}

static bool same_chunk(const struct xx_btrfs_chunk *a, const struct xx_btrfs_chunk *b)
{
	if (a->logical != b->logical || a->length != b->length || a->type != b->type ||
	    a->num_stripes != b->num_stripes)
		return false;
	for (unsigned i = 0; i < a->num_stripes; i++) {
		if (a->stripes[i].devid != b->stripes[i].devid || a->stripes[i].physical != b->stripes[i].physical ||
		    memcmp(a->stripes[i].dev_uuid, b->stripes[i].dev_uuid, BTRFS_UUID_SIZE) != 0)
			return false;
	}
	return true;
}

/* Put a chunk in; then it is the map's. -EEXIST: it is there already. */
static int insert(struct xx_btrfs_chunk_map *map, struct xx_btrfs_chunk *chunk, struct xx_btrfs_chunk_check *check)
{
	const size_t at = first_after(map, chunk->logical);
	const struct xx_btrfs_chunk *next = at < map->count ? map->chunks[at] : NULL;

	if (next && same_chunk(next, chunk))
		return -EEXIST;
	if (next && next->logical < xx_btrfs_chunk_end(chunk))
		return chunk_fault(check, -EUCLEAN, chunk->logical, "it overlaps the chunk at %llu",
				   (unsigned long long)next->logical);
	if (map->count == map->room) {
		const size_t room = map->room ? map->room * 2 : 16;
		struct xx_btrfs_chunk **chunks = reallocarray(map->chunks, room, sizeof(*chunks));

		if (!chunks)
			return chunk_fault(check, -ENOMEM, chunk->logical, "there is no memory for it");
		map->chunks = chunks;
		map->room = room;
	}
	memmove(map->chunks + at + 1, map->chunks + at, (map->count - at) * sizeof(*map->chunks));
	map->chunks[at] = chunk;
	map->count++;
	free(map->ranges);
	map->ranges = NULL;
	return 0;
}

int xx_btrfs_chunk_map_add(struct xx_btrfs_chunk_map *map, uint64_t logical, const void *item, size_t size,
			   struct xx_btrfs_chunk_check *check)
{
	struct xx_btrfs_chunk *chunk = NULL;
	int err = chunk_parse(&map->limits, logical, item, size, &chunk, check);

	if (err)
		return err;
	err = insert(map, chunk, check);
	if (err)
		free(chunk);
	return err == -EEXIST ? 0 : err;
}

/* One entry of the array of system chunks, of which @size bytes are left; @used tells its length. */
static int add_entry(struct xx_btrfs_chunk_map *map, const uint8_t *entry, size_t size, size_t *used,
		     struct xx_btrfs_chunk_check *check)
{
	const struct btrfs_disk_key *key = (const struct btrfs_disk_key *)entry;
	const struct btrfs_chunk *disk = (const struct btrfs_chunk *)(entry + sizeof(*key));
	const uint64_t logical = size < sizeof(*key) ? 0 : le64_get(key->offset);

	if (size < sizeof(*key) + sizeof(*disk) || size - sizeof(*key) < chunk_item_size(disk))
		return chunk_fault(check, -EUCLEAN, logical, "the array of system chunks ends in it");
	if (le64_get(key->objectid) != BTRFS_FIRST_CHUNK_TREE_OBJECTID || key->type != BTRFS_CHUNK_ITEM_KEY)
		return chunk_fault(check, -EUCLEAN, logical, "its key in the array of system chunks is no chunk's");
	if (!(le64_get(disk->type) & BTRFS_BLOCK_GROUP_SYSTEM))
		return chunk_fault(check, -EUCLEAN, logical, "it is in the array of system chunks, and none");
	*used = sizeof(*key) + chunk_item_size(disk);
	return xx_btrfs_chunk_map_add(map, logical, disk, chunk_item_size(disk), check);
}

int xx_btrfs_chunk_map_add_system(struct xx_btrfs_chunk_map *map, const struct xx_btrfs_super *super,
				  struct xx_btrfs_chunk_check *check)
{
	const uint8_t *array = super->raw.sys_chunk_array;
	const size_t size = le32_get(super->raw.sys_chunk_array_size);
	size_t pos = 0;

	*check = (struct xx_btrfs_chunk_check){ 0 };
	if (size > sizeof(super->raw.sys_chunk_array))
		return chunk_fault(check, -EUCLEAN, 0, "the array of system chunks has %zu bytes", size);
	while (pos < size) {
		size_t used = 0;
		const int err = add_entry(map, array + pos, size - pos, &used, check);

		if (err)
			return err;
		pos += used;
	}
	return 0;
}

/* --- By device --- */

static int compare_ranges(const void *left, const void *right)
{
	const struct chunk_range *a = left;
	const struct chunk_range *b = right;

	if (a->devid != b->devid)
		return a->devid < b->devid ? -1 : 1;
	if (a->physical != b->physical)
		return a->physical < b->physical ? -1 : 1;
	return 0;
}

static int check_overlap(const struct xx_btrfs_chunk_map *map, struct xx_btrfs_chunk_check *check)
{
	for (size_t i = 1; i < map->range_count; i++) {
		const struct chunk_range *a = &map->ranges[i - 1];
		const struct chunk_range *b = &map->ranges[i];

		if (a->devid == b->devid && a->physical + a->chunk->stripe_length > b->physical)
			return chunk_fault(check, -EUCLEAN, b->chunk->logical,
					   "on device %llu it overlaps the chunk %llu, at %llu",
					   (unsigned long long)b->devid, (unsigned long long)a->chunk->logical,
					   (unsigned long long)b->physical);
	}
	return 0;
}

static void fill_ranges(struct xx_btrfs_chunk_map *map)
{
	struct chunk_range *range = map->ranges;

	for (size_t i = 0; i < map->count; i++) {
		const struct xx_btrfs_chunk *chunk = map->chunks[i];

		for (unsigned s = 0; s < chunk->num_stripes; s++)
			*range++ = (struct chunk_range){
				.devid = chunk->stripes[s].devid,
				.physical = chunk->stripes[s].physical,
				.chunk = chunk,
				.stripe = s,
			};
	}
	qsort(map->ranges, map->range_count, sizeof(*map->ranges), compare_ranges);
}

int xx_btrfs_chunk_map_seal(struct xx_btrfs_chunk_map *map, struct xx_btrfs_chunk_check *check)
{
	int err;

	*check = (struct xx_btrfs_chunk_check){ 0 };
	free(map->ranges);
	map->range_count = 0;
	for (size_t i = 0; i < map->count; i++)
		map->range_count += map->chunks[i]->num_stripes;
	map->ranges = calloc(map->range_count + 1, sizeof(*map->ranges));
	if (!map->ranges)
		return chunk_fault(check, -ENOMEM, 0, "there is no memory for the index by device");
	fill_ranges(map);
	err = check_overlap(map, check);
	if (err) {
		free(map->ranges);
		map->ranges = NULL;
	}
	return err;
}

bool xx_btrfs_dev_range_next(const struct xx_btrfs_chunk_map *map, uint64_t devid, uint64_t physical,
			     struct xx_btrfs_dev_range *out)
{
	size_t low = 0;
	size_t high = map->ranges ? map->range_count : 0;
	const size_t end = high;

	/* the first that is of a later device, or ends after @physical on this one */
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct chunk_range *range = &map->ranges[middle];

		if (range->devid > devid ||
		    (range->devid == devid && range->physical + range->chunk->stripe_length > physical))
			high = middle;
		else
			low = middle + 1;
	}
	if (low == end || map->ranges[low].devid != devid)
		return false;
	*out = (struct xx_btrfs_dev_range){
		.chunk = map->ranges[low].chunk,
		.stripe = map->ranges[low].stripe,
		.physical = map->ranges[low].physical,
		.length = map->ranges[low].chunk->stripe_length,
	};
	return true;
}

int xx_btrfs_chunk_locate(const struct xx_btrfs_chunk_map *map, uint64_t devid, uint64_t physical,
			  struct xx_btrfs_location *out)
{
	struct xx_btrfs_dev_range range;

	if (!map->ranges)
		return -EINVAL;
	if (!xx_btrfs_dev_range_next(map, devid, physical, &range) || range.physical > physical)
		return -ENOENT;
	xx_btrfs_stripe_locate(range.chunk, range.stripe, physical - range.physical, out);
	return out->length ? 0 : -ENOENT;
}
