/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window.c - memory for what is in flight, and the reads of a group. A read that fails is tried again in pieces, down to
 * a sector, so that the error belongs to the sector that is bad.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <xx/context.h>
#include <xx/device.h>
#include <xx/plug.h>

#include "scrub/engine_impl.h"

#define SLICE_MAX ((uint64_t)1 << 20)
#define PIECES	  16u

/* What keeps all devices and all workers busy; more would only be cold memory. */
static uint64_t enough(const struct scrub_engine *engine)
{
	uint64_t bytes = xx_pool_threads(engine->pool) * 2 * (uint64_t)engine->max_lanes * engine->slice;

	for (size_t i = 0; i < engine->device_count; i++)
		bytes += engine->devices[i].device ? SCRUB_INFLIGHT / 4 * 5 : 0;
	return bytes;
}

static void limits(struct scrub_engine *engine, size_t memory)
{
	unsigned columns = 1;

	engine->max_lanes = 1;
	for (size_t i = 0; i < engine->chunk_count; i++) {
		const struct xx_btrfs_chunk *chunk = engine->chunks[i].chunk;

		if (chunk->num_stripes > engine->max_lanes)
			engine->max_lanes = chunk->num_stripes;
		if (chunk->columns > columns)
			columns = chunk->columns;
	}
	engine->slice = SLICE_MAX;
	while (engine->slice > BTRFS_STRIPE_LEN && engine->slice * engine->max_lanes * 4 > memory)
		engine->slice /= 2;
	engine->max_sectors = (uint32_t)(engine->slice / engine->sectorsize) * columns;
	engine->buffer_count = memory / engine->slice;
	if (engine->buffer_count > enough(engine) / engine->slice)
		engine->buffer_count = enough(engine) / engine->slice;
	if (engine->buffer_count < engine->max_lanes)
		engine->buffer_count = engine->max_lanes;
}

int scrub_window_create(struct scrub_engine *engine)
{
	void *memory;

	limits(engine, engine->options.memory / 8 * 5);
	engine->free_buffers = calloc(engine->buffer_count, sizeof(*engine->free_buffers));
	engine->needs = calloc(engine->max_sectors, sizeof(*engine->needs));
	engine->arena_bytes = engine->buffer_count * engine->slice;
	memory = mmap(NULL, engine->arena_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		      -1, 0);
	if (memory == MAP_FAILED || !engine->free_buffers || !engine->needs) {
		if (memory != MAP_FAILED)
			munmap(memory, engine->arena_bytes);
		return -ENOMEM;
	}
	engine->arena = memory;
	madvise(memory, engine->arena_bytes, MADV_HUGEPAGE);
	xx_ring_memory(engine->ring, memory, engine->arena_bytes);
	for (size_t i = 0; i < engine->buffer_count; i++)
		engine->free_buffers[i] = engine->arena + (engine->buffer_count - 1 - i) * engine->slice;
	engine->free_count = engine->buffer_count;
	return 0;
}

void scrub_window_destroy(struct scrub_engine *engine)
{
	while (engine->groups) {
		struct scrub_group *group = engine->groups;

		engine->groups = group->next;
		scrub_group_free(group);
	}
	if (engine->arena)
		munmap(engine->arena, engine->arena_bytes);
	free(engine->free_buffers);
	free(engine->needs);
}

static void take_buffers(struct scrub_group *group)
{
	struct scrub_engine *engine = group->engine;

	assert(engine->free_count >= group->lane_count);
	for (unsigned i = 0; i < group->lane_count; i++)
		group->lanes[i].buf = engine->free_buffers[--engine->free_count];
}

static void read_done(struct xx_request *req);

static void fail_cells(struct scrub_read *read, int error)
{
	struct scrub_lane *lane = &read->group->lanes[read->lane];
	struct scrub_device *device = lane->device;
	const unsigned flag = device->failed ? CELL_ABSENT : error == -EILSEQ ? CELL_EILSEQ : CELL_EIO;

	for (uint32_t i = read->cell; i < read->cell + read->cells; i++) {
		if (lane->cells[i] & CELL_PLANNED)
			lane->cells[i] |= (uint8_t)(flag | CELL_BAD);
	}
	device->bad_run += read->cells;
}

/* What no device says of a sector, but of itself. */
static bool is_gone(int error)
{
	return error == -ENODEV || error == -ENXIO || error == -ENOMEDIUM || error == -EBADF;
}

static void device_failed(struct scrub_engine *engine, struct scrub_device *device, int error)
{
	if (device->failed)
		return;
	device->failed = true;
	xx_error(engine->ctx, "%s (device %llu) has failed: %s. What is left of it is not verified.",
		 xx_device_info(device->device)->path, (unsigned long long)device->member->devid,
		 is_gone(error) ? "it is gone" : "too many sectors in a row cannot be read");
}

static int submit(struct scrub_read *read, struct xx_plug *plug)
{
	struct scrub_group *group = read->group;
	struct scrub_engine *engine = group->engine;
	struct scrub_lane *lane = &group->lanes[read->lane];
	const uint64_t length = (uint64_t)read->cells * engine->sectorsize;
	int ret;

	xx_request_init(&read->req, XX_OP_READ, lane->device->device,
			group->chunk->stripes[read->lane].physical + group->offset +
				(uint64_t)read->cell * engine->sectorsize,
			scrub_at(group, read->lane, read->cell), length, read_done, read);
	ret = xx_plug_add(plug, &read->req);
	if (ret)
		return ret;
	group->pending++;
	lane->device->inflight += length;
	return 0;
}

/* Try a read that failed again, in pieces. */
static void split(struct scrub_read *read)
{
	const uint32_t step = (read->cells + PIECES - 1) / PIECES;
	struct xx_plug plug;
	int ret;

	xx_plug_init(&plug, read->group->engine->ring);
	for (uint32_t i = 0; i < read->cells; i += step) {
		struct scrub_read *piece = calloc(1, sizeof(*piece));

		if (!piece) {
			read->group->error = -ENOMEM;
			break;
		}
		piece->group = read->group;
		piece->lane = read->lane;
		piece->cell = read->cell + i;
		piece->cells = read->cells - i < step ? read->cells - i : step;
		piece->piece = true;
		if (!scrub_cells_any(&read->group->lanes[read->lane], piece->cell, piece->cells, CELL_PLANNED)) {
			free(piece);
			continue;
		}
		ret = submit(piece, &plug);
		if (ret) {
			fail_cells(piece, ret);
			free(piece);
		}
	}
	xx_plug_pull(&plug);
}

static void read_failed(struct scrub_read *read, int error)
{
	struct scrub_group *group = read->group;
	struct scrub_device *device = group->lanes[read->lane].device;

	if (is_gone(error) || device->bad_run >= SCRUB_FAILED_RUN)
		device_failed(group->engine, device, error);
	if (device->failed || read->cells == 1)
		fail_cells(read, error);
	else
		split(read);
}

/* All is read: a worker may have it. */
static void group_read(struct scrub_group *group)
{
	scrub_list_add(&group->engine->arrived, group);
}

static void read_done(struct xx_request *req)
{
	struct scrub_read *read = req->private;
	struct scrub_group *group = read->group;
	struct scrub_device *device = group->lanes[read->lane].device;

	device->inflight -= req->length;
	if (req->result == 0)
		device->bad_run = 0;
	else
		read_failed(read, req->result);
	if (read->piece)
		free(read);
	if (--group->pending == 0)
		group_read(group);
}

static void add_read(struct scrub_group *group, struct xx_plug *plug, unsigned lane, uint32_t cell, uint32_t cells)
{
	struct scrub_read *read = &group->reads[group->read_count++];
	int ret;

	read->group = group;
	read->lane = lane;
	read->cell = cell;
	read->cells = cells;
	read->piece = false;
	ret = submit(read, plug);
	if (ret)
		fail_cells(read, ret);
}

static void read_lane(struct scrub_group *group, struct xx_plug *plug, unsigned lane)
{
	const uint32_t gap = SCRUB_GAP / group->engine->sectorsize;
	const uint8_t *cells = group->lanes[lane].cells;
	uint32_t first = 0, end;

	while (first < group->cells) {
		uint32_t seen;

		if (!(cells[first] & CELL_PLANNED)) {
			first++;
			continue;
		}
		end = first + 1;
		for (seen = end; seen < group->cells && seen - end <= gap; seen++) {
			if (cells[seen] & CELL_PLANNED)
				end = seen + 1;
		}
		add_read(group, plug, lane, first, end - first);
		first = end;
	}
}

void scrub_window_read(struct scrub_group *group)
{
	struct xx_plug plug;

	take_buffers(group);
	xx_plug_init(&plug, group->engine->ring);
	group->pending = 1; /* its own, until all are submitted */
	for (unsigned i = 0; i < group->lane_count; i++) {
		struct scrub_lane *lane = &group->lanes[i];

		if (lane->planned && !(lane->cells[0] & CELL_ABSENT)) {
			read_lane(group, &plug, i);
			scrub_schedule_charge(group->engine, lane->device, lane->planned);
		}
	}
	xx_plug_pull(&plug);
	if (--group->pending == 0)
		group_read(group);
}
