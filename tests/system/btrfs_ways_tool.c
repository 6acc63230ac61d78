/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_ways_tool.c - reads every tree block on every way, and computes every parity that covers something.
 *
 *	btrfs_ways_tool DEVICE...
 *
 * prints "blocks N ways N bad N absent N" (ways that were tried, those that gave no good block, those for which a device
 * is missing) and "parity N bad N absent N" (sectors of P and Q), after a line for each that is bad. What covers
 * preallocated space counts too: do not have any.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xx/btrfs_extent.h>
#include <xx/btrfs_fs.h>
#include <xx/btrfs_raid.h>
#include <xx/context.h>
#include <xx/device.h>
#include <xx/ring.h>

enum {
	DEVICES_MAX = 16,
	ELEMENTS_MAX = 16,
	BATCH = 4 << 20, /* bytes that are asked for at a time */
};

struct tool {
	struct xx_ctx *ctx;
	struct xx_ring *ring;
	struct xx_device *devices[DEVICES_MAX];
	size_t count;
	struct xx_btrfs_volume *volume;
	struct xx_btrfs_chunk_map *map;
	struct xx_btrfs_medium medium;
	struct xx_btrfs_fs *fs;
	uint32_t sector, node;
	uint8_t *block, *row;
	uint64_t blocks, ways, bad, absent;
	uint64_t parities, parity_bad, parity_absent;
};

static void sink(enum xx_level level, const char *text, void *private)
{
	(void)private;
	if (level <= XX_WARNING)
		fprintf(stderr, "%s\n", text);
}

static int open_all(struct tool *tool, char **paths, int count)
{
	const struct xx_device_options options = { .flags = 0 };
	const struct xx_btrfs_super *super;
	int ret = xx_ctx_create(sink, NULL, &tool->ctx);

	if (ret == 0)
		ret = xx_ring_create(tool->ctx, NULL, &tool->ring);
	for (int i = 0; ret == 0 && i < count && i < DEVICES_MAX; i++) {
		ret = xx_device_open(tool->ctx, paths[i], &options, &tool->devices[i]);
		tool->count += ret == 0;
	}
	if (ret == 0)
		ret = xx_btrfs_volume_create(tool->ctx, tool->ring, tool->devices, tool->count, &tool->volume);
	if (ret == 0)
		ret = xx_btrfs_load_chunks(tool->ctx, tool->ring, tool->volume, NULL, NULL, &tool->medium, &tool->map);
	if (ret == 0)
		ret = xx_btrfs_fs_open(tool->ctx, &tool->medium, 0, NULL, NULL, &tool->fs);
	if (ret)
		return ret;
	super = xx_btrfs_volume_super(tool->volume);
	tool->sector = super->sectorsize;
	tool->node = super->nodesize;
	tool->block = aligned_alloc(4096, tool->node);
	tool->row = aligned_alloc(4096, (size_t)(ELEMENTS_MAX + 2) * tool->sector);
	return tool->block && tool->row ? 0 : -ENOMEM;
}

static void close_all(struct tool *tool)
{
	free(tool->row);
	free(tool->block);
	xx_btrfs_fs_destroy(tool->fs);
	xx_btrfs_chunk_map_destroy(tool->map);
	xx_btrfs_volume_destroy(tool->volume);
	for (size_t i = 0; i < tool->count; i++)
		(void)xx_device_close(tool->devices[i]);
	xx_ring_destroy(tool->ring);
	xx_ctx_destroy(tool->ctx);
}

/* One tree block on each way. */
static int try_ways(struct tool *tool, const struct xx_btrfs_extent_entry *entry)
{
	const struct xx_btrfs_chunk *chunk = xx_btrfs_chunk_find(tool->map, entry->logical);
	int ret = chunk ? 0 : -EUCLEAN;

	tool->blocks++;
	for (unsigned way = 0; ret == 0 && way < xx_btrfs_chunk_ways(chunk); way++) {
		struct xx_btrfs_block_read read = {
			.medium = &tool->medium,
			.expect = { .logical = entry->logical, .generation = entry->generation, .level = -1 },
			.block = tool->block,
			.way = (int)way,
		};

		memset(tool->block, 0, tool->node);
		ret = xx_btrfs_block_submit(&read, NULL);
		if (ret == 0)
			ret = xx_ring_drain(tool->ring);
		tool->ways++;
		if (read.check.fault == XX_BTRFS_BLOCK_ABSENT) {
			tool->absent++;
		} else if (read.result) {
			tool->bad++;
			printf("block %" PRIu64 ", %s, way %u: %s\n", entry->logical,
			       xx_btrfs_profile_name(chunk->profile), way, read.check.text);
		}
	}
	return ret;
}

/* Parity of the row at one sector of the file system. */
static int try_parity(struct tool *tool, const struct xx_btrfs_chunk *chunk, uint64_t logical)
{
	const unsigned width = chunk->columns + chunk->parity;
	void *elements[ELEMENTS_MAX + 2];
	struct xx_btrfs_row row;

	xx_btrfs_chunk_row(chunk, logical, &row);
	for (unsigned c = 0; c < width; c++) {
		const struct xx_btrfs_place place = xx_btrfs_row_place(chunk, row.number, c, row.in_element);
		struct xx_device *device = xx_btrfs_volume_device(tool->volume, place.devid);
		int ret;

		elements[c] = tool->row + (size_t)c * tool->sector;
		if (!device) {
			tool->parity_absent += chunk->parity;
			return 0;
		}
		ret = xx_device_read(device, place.physical, elements[c], tool->sector);
		if (ret)
			return ret;
	}
	tool->parities += chunk->parity;
	memcpy(tool->row + (size_t)ELEMENTS_MAX * tool->sector, elements[chunk->columns],
	       (size_t)chunk->parity * tool->sector);
	if (xx_btrfs_raid_generate(chunk->columns, chunk->parity, elements, tool->sector))
		return -EINVAL;
	for (unsigned p = 0; p < chunk->parity; p++) {
		if (memcmp(elements[chunk->columns + p], tool->row + (size_t)(ELEMENTS_MAX + p) * tool->sector,
			   tool->sector) == 0)
			continue;
		tool->parity_bad++;
		printf("sector %" PRIu64 ", %s: %c differs\n", logical, xx_btrfs_profile_name(chunk->profile),
		       p ? 'Q' : 'P');
	}
	return 0;
}

static int try_extent(struct tool *tool, const struct xx_btrfs_extent_entry *entry)
{
	const struct xx_btrfs_chunk *chunk = xx_btrfs_chunk_find(tool->map, entry->logical);
	int ret = entry->tree ? try_ways(tool, entry) : 0;

	if (!chunk || chunk->columns + chunk->parity > ELEMENTS_MAX)
		return -EUCLEAN;
	for (uint64_t at = 0; ret == 0 && chunk->parity && at < entry->length; at += tool->sector)
		ret = try_parity(tool, chunk, entry->logical + at);
	return ret;
}

static int try_chunk(struct tool *tool, struct xx_btrfs_extent_cursor *cursor, const struct xx_btrfs_chunk *chunk)
{
	struct xx_btrfs_extent_list list = { .count = 0 };
	int ret = 0;

	for (uint64_t at = 0; ret == 0 && at < chunk->length; at += BATCH) {
		const uint64_t start = chunk->logical + at;
		const uint64_t left = chunk->length - at;

		ret = xx_btrfs_extent_cursor_read(cursor, start, left < BATCH ? left : BATCH, &list);
		for (size_t i = 0; ret == 0 && i < list.count; i++) {
			/* what began before was done with that */
			if (list.entries[i].logical >= start)
				ret = try_extent(tool, &list.entries[i]);
		}
	}
	xx_btrfs_extent_list_release(&list);
	return ret;
}

static int try_all(struct tool *tool)
{
	struct xx_btrfs_extent_cursor *cursor;
	const struct xx_btrfs_chunk *chunk;
	int ret = xx_btrfs_extent_cursor_create(tool->fs, &cursor);

	if (ret)
		return ret;
	for (uint64_t pos = 0; ret == 0 && (chunk = xx_btrfs_chunk_next(tool->map, pos));
	     pos = xx_btrfs_chunk_end(chunk))
		ret = try_chunk(tool, cursor, chunk);
	xx_btrfs_extent_cursor_destroy(cursor);
	return ret;
}

int main(int argc, char **argv)
{
	struct tool tool = { .ctx = NULL };
	int ret = open_all(&tool, argv + 1, argc - 1);

	if (ret == 0)
		ret = try_all(&tool);
	if (ret)
		fprintf(stderr, "%s\n", strerror(-ret));
	printf("blocks %" PRIu64 " ways %" PRIu64 " bad %" PRIu64 " absent %" PRIu64 "\n", tool.blocks, tool.ways,
	       tool.bad, tool.absent);
	printf("parity %" PRIu64 " bad %" PRIu64 " absent %" PRIu64 "\n", tool.parities, tool.parity_bad,
	       tool.parity_absent);
	close_all(&tool);
	return ret != 0;
}
