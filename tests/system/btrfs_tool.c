/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_tool.c - what the library reads of a btrfs, for a shell test to compare with what others read.
 *
 *	btrfs_tool extents DEVICE...		LOGICAL LENGTH data|tree LEVEL GENERATION [log], in order
 *	btrfs_tool groups DEVICE...		LOGICAL LENGTH FLAGS of each block group
 *	btrfs_tool devices DEVICE...		DEVID PHYSICAL LENGTH CHUNK of each device extent
 *	btrfs_tool sums DEVICE...		LOGICAL SUM of each sector that has one
 *	btrfs_tool verify DEVICE...		all data against its sums, and what has none: counts
 *	btrfs_tool resolve LOGICAL DEVICE...	INODE OFFSET TREE of each file extent that holds the byte
 *	btrfs_tool paths TREE INODE DEVICE...	SUBVOLUME: PATH of each name
 *	btrfs_tool files DEVICE...		LOGICAL SUBVOLUME: PATH OFFSET of the first sector of each data extent
 *	btrfs_tool trees DEVICE...		LOGICAL TREE... of each tree block
 *	btrfs_tool blocks DEVICE...		the superblock and all tree blocks, one after the other, for fuzzers
 * What is lost is told as "lost TREE LEVEL LOGICAL" on the standard error.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xx/btrfs_path.h>
#include <xx/btrfs_ref.h>
#include <xx/btrfs_sum.h>
#include <xx/context.h>
#include <xx/csum.h>
#include <xx/device.h>
#include <xx/ring.h>

#define DEVICES_MAX 16
#define BATCH	    (UINT64_C(4) << 20) /* bytes that are asked for at a time */

struct tool {
	struct xx_ctx *ctx;
	struct xx_ring *ring;
	struct xx_device *devices[DEVICES_MAX];
	size_t count;
	struct xx_btrfs_volume *volume;
	struct xx_btrfs_chunk_map *map;
	struct xx_btrfs_medium medium;
	struct xx_btrfs_fs *fs;
	struct xx_btrfs_resolver *resolver;
	struct xx_btrfs_pather *pather;
	struct xx_btrfs_sum_cursor *sum_cursor;
	struct xx_btrfs_sums *sums;
	uint64_t numbers[2];
	uint64_t good, bad, absent, needed;
};

static void sink(enum xx_level level, const char *text, void *private)
{
	(void)private;
	if (level <= XX_WARNING)
		fprintf(stderr, "%s\n", text);
}

static void lost(void *private, const struct xx_btrfs_lost *what)
{
	(void)private;
	fprintf(stderr, "lost %" PRIu64 " %u %" PRIu64 "\n", what->root, what->level, what->logical);
}

static int open_all(struct tool *tool, char **paths, int count)
{
	const struct xx_ring_options ring = { .engine = XX_ENGINE_AUTO };
	int ret = xx_ctx_create(sink, NULL, &tool->ctx);

	if (ret == 0)
		ret = xx_ring_create(tool->ctx, &ring, &tool->ring);
	for (; ret == 0 && (int)tool->count < count && tool->count < DEVICES_MAX; tool->count++) {
		const struct xx_device_options options = { .flags = 0 };

		ret = xx_device_open(tool->ctx, paths[tool->count], &options, &tool->devices[tool->count]);
		if (ret)
			break;
	}
	if (ret == 0)
		ret = xx_btrfs_volume_create(tool->ctx, tool->ring, tool->devices, tool->count, &tool->volume);
	if (ret == 0)
		ret = xx_btrfs_load_chunks(tool->ctx, tool->ring, tool->volume, lost, NULL, &tool->medium, &tool->map);
	if (ret == 0)
		ret = xx_btrfs_fs_open(tool->ctx, &tool->medium, 0, lost, NULL, &tool->fs);
	if (ret == 0)
		ret = xx_btrfs_resolver_create(tool->fs, &tool->resolver);
	if (ret == 0)
		ret = xx_btrfs_pather_create(tool->fs, &tool->pather);
	if (ret == 0)
		ret = xx_btrfs_sum_cursor_create(tool->fs, &tool->sum_cursor);
	if (ret == 0)
		ret = xx_btrfs_sums_create(tool->fs, (uint32_t)(BATCH / xx_btrfs_fs_params(tool->fs)->sectorsize),
					   &tool->sums);
	return ret;
}

static void close_all(struct tool *tool)
{
	xx_btrfs_sums_destroy(tool->sums);
	xx_btrfs_sum_cursor_destroy(tool->sum_cursor);
	xx_btrfs_pather_destroy(tool->pather);
	xx_btrfs_resolver_destroy(tool->resolver);
	xx_btrfs_fs_destroy(tool->fs);
	if (tool->map)
		xx_btrfs_chunk_map_destroy(tool->map);
	xx_btrfs_volume_destroy(tool->volume);
	xx_ring_destroy(tool->ring);
	for (size_t i = 0; i < tool->count; i++)
		xx_device_close(tool->devices[i]);
	xx_ctx_destroy(tool->ctx);
}

/* --- Walks --- */

/* Call @fn for each extent that begins in a chunk; batches overlap where an extent reaches over their end. */
static int each_extent(struct tool *tool, int (*fn)(struct tool *tool, const struct xx_btrfs_extent_entry *entry))
{
	const struct xx_btrfs_chunk *chunk = xx_btrfs_chunk_next(tool->map, 0);
	struct xx_btrfs_extent_list list = { 0 };
	struct xx_btrfs_extent_cursor *cursor;
	int ret = xx_btrfs_extent_cursor_create(tool->fs, &cursor);

	if (ret)
		return ret;
	for (; ret == 0 && chunk; chunk = xx_btrfs_chunk_next(tool->map, xx_btrfs_chunk_end(chunk))) {
		for (uint64_t at = chunk->logical; ret == 0 && at < xx_btrfs_chunk_end(chunk); at += BATCH) {
			uint64_t length = xx_btrfs_chunk_end(chunk) - at;

			if (length > BATCH)
				length = BATCH;
			ret = xx_btrfs_extent_cursor_read(cursor, at, length, &list);
			for (size_t i = 0; ret == 0 && i < list.count; i++)
				ret = list.entries[i].logical < at ? 0 : fn(tool, &list.entries[i]);
			for (size_t i = 0; i < list.unknown_count; i++)
				printf("unknown %" PRIu64 " %" PRIu64 "\n", list.unknown[i].logical,
				       list.unknown[i].length);
			if (list.bad)
				printf("bad %zu\n", list.bad);
		}
	}
	xx_btrfs_extent_list_release(&list);
	xx_btrfs_extent_cursor_destroy(cursor);
	return ret;
}

static int print_extent(struct tool *tool, const struct xx_btrfs_extent_entry *entry)
{
	(void)tool;
	printf("%" PRIu64 " %" PRIu64 " %s %u %" PRIu64 "%s\n", entry->logical, entry->length,
	       entry->tree ? "tree" : "data", entry->level, entry->generation, entry->log ? " log" : "");
	return 0;
}

static int do_extents(struct tool *tool)
{
	return each_extent(tool, print_extent);
}

static int print_trees(struct tool *tool, const struct xx_btrfs_extent_entry *entry)
{
	struct xx_btrfs_tree_list list = { 0 };
	int ret;

	if (!entry->tree)
		return 0;
	ret = xx_btrfs_resolve_tree(tool->resolver, entry->logical, &list);
	printf("%" PRIu64, entry->logical);
	for (size_t i = 0; i < list.count; i++)
		printf(" %" PRIu64, list.roots[i]);
	printf("%s\n", list.incomplete ? " incomplete" : "");
	xx_btrfs_tree_list_release(&list);
	return ret;
}

/* The first copy of a tree block. */
static int write_block(struct tool *tool, const struct xx_btrfs_extent_entry *entry)
{
	const struct xx_btrfs_expect expect = { .logical = entry->logical, .level = entry->level };
	struct xx_btrfs_reader *reader = xx_btrfs_fs_reader(tool->fs);
	struct xx_btrfs_block *block;
	int ret;

	if (!entry->tree)
		return 0;
	ret = xx_btrfs_reader_get(reader, &expect, &block);
	if (ret)
		return ret;
	if (fwrite(xx_btrfs_block_data(block), xx_btrfs_reader_nodesize(reader), 1, stdout) != 1)
		ret = -EIO;
	xx_btrfs_reader_put(reader, block);
	return ret;
}

static int do_blocks(struct tool *tool)
{
	const struct xx_btrfs_super *super = xx_btrfs_volume_super(tool->volume);

	if (fwrite(&super->raw, sizeof(super->raw), 1, stdout) != 1)
		return -EIO;
	return each_extent(tool, write_block);
}

static int do_trees(struct tool *tool)
{
	return each_extent(tool, print_trees);
}

static int print_group(void *private, const struct xx_btrfs_block_group *group)
{
	(void)private;
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", group->logical, group->length, group->flags);
	return 0;
}

static int do_groups(struct tool *tool)
{
	return xx_btrfs_block_groups(tool->fs, print_group, lost, tool);
}

static int print_device_extent(void *private, const struct xx_btrfs_dev_extent *extent)
{
	(void)private;
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", extent->devid, extent->physical, extent->length,
	       extent->chunk);
	return 0;
}

static int do_devices(struct tool *tool)
{
	return xx_btrfs_dev_extents(tool->fs, UINT64_MAX, print_device_extent, lost, tool);
}

static int do_sums(struct tool *tool)
{
	struct xx_btrfs_range range = { 0 };
	int ret;

	while ((ret = xx_btrfs_sum_cursor_find(tool->sum_cursor, range.logical + range.length, BATCH / 2, &range)) >
	       0) {
		const uint32_t sector = tool->sums->sectorsize;
		uint32_t count = (uint32_t)(range.length / sector);

		if (count > tool->sums->room)
			count = tool->sums->room;
		range.length = (uint64_t)count * sector;
		ret = xx_btrfs_sum_cursor_read(tool->sum_cursor, range.logical, count, tool->sums);
		if (ret)
			return ret;
		for (uint32_t i = 0; i < count; i++) {
			const uint8_t *sum = xx_btrfs_sums_get(tool->sums, i);

			printf("%" PRIu64 " ", range.logical + (uint64_t)i * sector);
			for (uint32_t byte = 0; sum && byte < tool->sums->sum_size; byte++)
				printf("%02x", sum[byte]);
			printf("\n");
		}
	}
	return ret;
}

/* --- Data against sums --- */

static int read_sector(struct tool *tool, uint64_t logical, void *buf, uint32_t length)
{
	const struct xx_btrfs_chunk *chunk = xx_btrfs_chunk_find(tool->map, logical);
	struct xx_btrfs_copies copies;
	struct xx_device *device;

	if (!chunk)
		return -EUCLEAN;
	xx_btrfs_chunk_copies(chunk, logical, &copies);
	device = xx_btrfs_volume_device(tool->volume, copies.place[0].devid);
	return device ? xx_device_read(device, copies.place[0].physical, buf, length) : -ENXIO;
}

static int verify_batch(struct tool *tool, uint64_t logical, uint32_t count, void *buf)
{
	const uint32_t sector = tool->sums->sectorsize;
	enum xx_btrfs_sum_need *need = calloc(count, sizeof(*need));
	int ret = need ? xx_btrfs_sum_cursor_read(tool->sum_cursor, logical, count, tool->sums) : -ENOMEM;

	if (ret == 0)
		ret = xx_btrfs_resolve_sum_need(tool->resolver, logical, count, need);
	for (uint32_t i = 0; ret == 0 && i < count; i++) {
		const uint8_t *sum = xx_btrfs_sums_get(tool->sums, i);

		if (!sum) {
			tool->absent++;
			tool->needed += need[i] == XX_BTRFS_SUM_NEEDED || need[i] == XX_BTRFS_SUM_UNKNOWN;
			continue;
		}
		ret = read_sector(tool, logical + (uint64_t)i * sector, buf, sector);
		if (ret == 0 && xx_csum_verify(tool->medium.identity.csum_type, buf, sector, sum) == 0)
			tool->good++;
		else
			tool->bad++;
	}
	free(need);
	return ret;
}

static int verify_extent(struct tool *tool, const struct xx_btrfs_extent_entry *entry)
{
	const uint64_t end = entry->logical + entry->length;
	void *buf;
	int ret = 0;

	if (entry->tree)
		return 0;
	buf = aligned_alloc(4096, tool->sums->sectorsize);
	if (!buf)
		return -ENOMEM;
	for (uint64_t at = entry->logical; ret == 0 && at < end; at += BATCH) {
		const uint64_t length = end - at < BATCH ? end - at : BATCH;

		ret = verify_batch(tool, at, (uint32_t)(length / tool->sums->sectorsize), buf);
	}
	free(buf);
	return ret;
}

static int do_verify(struct tool *tool)
{
	int ret = each_extent(tool, verify_extent);

	printf("bad %" PRIu64 " missing %" PRIu64 "\n", tool->bad, tool->needed);
	printf("good %" PRIu64 "\nabsent %" PRIu64 "\n", tool->good, tool->absent);
	return ret;
}

/* --- Names --- */

static int do_resolve(struct tool *tool)
{
	struct xx_btrfs_file_list list = { 0 };
	int ret = xx_btrfs_resolve_data(tool->resolver, tool->numbers[0], 1, &list);

	for (size_t i = 0; i < list.count; i++)
		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", list.ranges[i].inode, list.ranges[i].offset,
		       list.ranges[i].subvolume);
	xx_btrfs_file_list_release(&list);
	return ret;
}

static int print_path(void *private, const char *subvolume, const char *path)
{
	(void)private;
	printf("%s: %s\n", subvolume, path);
	return 0;
}

static int do_paths(struct tool *tool)
{
	return xx_btrfs_paths(tool->pather, tool->numbers[0], tool->numbers[1], print_path, NULL);
}

struct file {
	uint64_t logical, offset;
};

static int print_file(void *private, const char *subvolume, const char *path)
{
	const struct file *file = private;

	printf("%" PRIu64 " %s: %s %" PRIu64 "\n", file->logical, subvolume, path, file->offset);
	return 0;
}

static int print_files(struct tool *tool, const struct xx_btrfs_extent_entry *entry)
{
	struct file file = { .logical = entry->logical };
	struct xx_btrfs_file_list list = { 0 };
	int ret;

	if (entry->tree)
		return 0;
	ret = xx_btrfs_resolve_data(tool->resolver, entry->logical, 4096, &list);
	if (list.incomplete)
		printf("%" PRIu64 " incomplete\n", entry->logical);
	for (size_t i = 0; ret == 0 && i < list.count; i++) {
		file.offset = list.ranges[i].offset;
		ret = xx_btrfs_paths(tool->pather, list.ranges[i].subvolume, list.ranges[i].inode, print_file, &file);
		ret = ret == -ENOENT ? 0 : ret;
	}
	xx_btrfs_file_list_release(&list);
	return ret;
}

static int do_files(struct tool *tool)
{
	return each_extent(tool, print_files);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int numbers;
		int (*run)(struct tool *tool);
	} verbs[] = {
		{ "extents", 0, do_extents }, { "groups", 0, do_groups }, { "devices", 0, do_devices },
		{ "sums", 0, do_sums },	      { "verify", 0, do_verify }, { "resolve", 1, do_resolve },
		{ "paths", 2, do_paths },     { "files", 0, do_files },	  { "trees", 0, do_trees },
		{ "blocks", 0, do_blocks },
	};
	struct tool tool = { 0 };
	int ret = -EINVAL;

	for (size_t i = 0; argc > 1 && i < XX_ARRAY_SIZE(verbs); i++) {
		const int first = 2 + verbs[i].numbers;

		if (strcmp(argv[1], verbs[i].name) != 0 || argc <= first)
			continue;
		for (int n = 0; n < verbs[i].numbers; n++)
			tool.numbers[n] = strtoull(argv[2 + n], NULL, 10);
		ret = open_all(&tool, argv + first, argc - first) ?: verbs[i].run(&tool);
		close_all(&tool);
	}
	if (ret)
		fprintf(stderr, "btrfs_tool: %s\n", strerror(-ret));
	return ret != 0;
}
