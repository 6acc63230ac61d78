/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repair.c - what a worker knows the right contents of is written, made durable, and read back from the medium: only then
 * it is corrected.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <xx/device.h>
#include <xx/plug.h>

#include "scrub/engine_impl.h"

struct scrub_write {
	struct xx_request req;
	struct scrub_repair *repair;
	struct scrub_bad *bad;
	uint8_t *copy; /* what was read back */
};

struct scrub_flush {
	struct xx_request req;
	struct scrub_repair *repair;
	struct scrub_device *device;
};

struct scrub_repair {
	struct scrub_group *group;
	struct scrub_write *writes;
	size_t count;
	struct scrub_flush *flushes; /* one for each device that was written to */
	size_t flush_count;
	uint64_t pending;
	void (*next)(struct scrub_repair *repair); /* when nothing is pending */
};

void scrub_repair_free(struct scrub_group *group)
{
	struct scrub_repair *repair = group->repair;

	if (!repair)
		return;
	for (size_t i = 0; i < repair->count; i++)
		free(repair->writes[i].copy);
	free(repair->writes);
	free(repair->flushes);
	free(repair);
	group->repair = NULL;
}

static void step_done(struct scrub_repair *repair)
{
	if (--repair->pending == 0)
		repair->next(repair);
}

/* --- read back --- */

static void finish(struct scrub_repair *repair)
{
	struct scrub_group *group = repair->group;

	for (size_t i = 0; i < repair->count; i++) {
		struct scrub_write *write = &repair->writes[i];
		struct scrub_bad *bad = write->bad;

		if (bad->error)
			continue;
		bad->wrote = memcmp(write->copy, scrub_at(group, bad->lane, bad->cell), write->req.length) == 0;
		if (!bad->wrote)
			bad->error = -EIO;
	}
	scrub_list_add(&group->engine->todo, group);
}

static void request_done(struct xx_request *req)
{
	struct scrub_write *write = req->private;

	if (req->result)
		write->bad->error = req->result;
	step_done(write->repair);
}

static void submit_all(struct scrub_repair *repair, enum xx_op op)
{
	struct scrub_engine *engine = repair->group->engine;
	struct xx_plug plug;

	xx_plug_init(&plug, engine->ring);
	repair->pending = 1;
	for (size_t i = 0; i < repair->count; i++) {
		struct scrub_write *write = &repair->writes[i];
		const struct xx_btrfs_stripe *stripe = &repair->group->chunk->stripes[write->bad->lane];
		uint8_t *buf = op == XX_OP_READ ? write->copy :
						  scrub_at(repair->group, write->bad->lane, write->bad->cell);

		if (write->bad->error)
			continue;
		xx_request_init(&write->req, op, repair->group->lanes[write->bad->lane].device->device,
				stripe->physical + repair->group->offset +
					(uint64_t)write->bad->cell * engine->sectorsize,
				buf, (uint64_t)write->bad->cells * engine->sectorsize, request_done, write);
		write->bad->error = xx_plug_add(&plug, &write->req);
		if (write->bad->error == 0)
			repair->pending++;
	}
	xx_plug_pull(&plug);
	step_done(repair);
}

static void read_back(struct scrub_repair *repair)
{
	repair->next = finish;
	submit_all(repair, XX_OP_READ);
}

/* --- made durable --- */

/* What cannot be made durable is not repaired. */
static void flush_failed(struct scrub_flush *flush, int error)
{
	struct scrub_repair *repair = flush->repair;

	for (size_t i = 0; i < repair->count; i++) {
		struct scrub_bad *bad = repair->writes[i].bad;

		if (repair->group->lanes[bad->lane].device == flush->device && !bad->error)
			bad->error = error;
	}
}

/* Through a page cache: reads back shall not be answered by that. */
static void forget_pages(const struct scrub_device *device)
{
	const int fd = xx_device_fd(device->device);

	if (fd >= 0 && !xx_device_info(device->device)->direct)
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

static void flush_done(struct xx_request *req)
{
	struct scrub_flush *flush = req->private;

	if (req->result)
		flush_failed(flush, req->result);
	else
		forget_pages(flush->device);
	step_done(flush->repair);
}

static void flush_all(struct scrub_repair *repair)
{
	repair->next = read_back;
	repair->pending = 1;
	for (size_t i = 0; i < repair->flush_count; i++) {
		struct scrub_flush *flush = &repair->flushes[i];
		int ret;

		xx_request_init(&flush->req, XX_OP_FLUSH, flush->device->device, 0, NULL, 0, flush_done, flush);
		ret = xx_ring_submit(repair->group->engine->ring, &flush->req);
		if (ret)
			flush_failed(flush, ret);
		else
			repair->pending++;
	}
	step_done(repair);
}

/* --- written --- */

static void add_flush(struct scrub_repair *repair, struct scrub_device *device)
{
	for (size_t i = 0; i < repair->flush_count; i++) {
		if (repair->flushes[i].device == device)
			return;
	}
	repair->flushes[repair->flush_count++] = (struct scrub_flush){ .repair = repair, .device = device };
}

static bool is_to_be_written(const struct scrub_group *group, const struct scrub_bad *bad)
{
	const struct scrub_device *device = group->lanes[bad->lane].device;

	return bad->fixed && device->writable && !device->failed;
}

static bool add_write(struct scrub_repair *repair, struct scrub_bad *bad)
{
	struct scrub_write *write = &repair->writes[repair->count];
	const size_t bytes = (size_t)bad->cells * repair->group->engine->sectorsize;

	write->copy = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
	if (!write->copy)
		return false;
	write->repair = repair;
	write->bad = bad;
	bad->error = 0;
	repair->count++;
	add_flush(repair, repair->group->lanes[bad->lane].device);
	return true;
}

static bool prepare(struct scrub_group *group, size_t count)
{
	struct scrub_repair *repair = calloc(1, sizeof(*repair));

	group->repair = repair;
	if (!repair)
		return false;
	repair->group = group;
	repair->writes = calloc(count, sizeof(*repair->writes));
	repair->flushes = calloc(group->lane_count, sizeof(*repair->flushes));
	if (!repair->writes || !repair->flushes)
		return false;
	for (size_t i = 0; i < group->bad_count; i++) {
		if (is_to_be_written(group, &group->bad[i]) && !add_write(repair, &group->bad[i]))
			return false;
	}
	return true;
}

/* What is going to be written is told before. */
static bool tell_intents(const struct scrub_repair *repair)
{
	const struct scrub_group *group = repair->group;
	const struct scrub_engine *engine = group->engine;
	struct scrub_intent *intents;

	if (!engine->options.callbacks.intents)
		return true;
	intents = calloc(repair->count, sizeof(*intents));
	if (!intents)
		return false;
	for (size_t i = 0; i < repair->count; i++) {
		const struct scrub_bad *bad = repair->writes[i].bad;

		intents[i] = (struct scrub_intent){
			.devid = group->lanes[bad->lane].device->member->devid,
			.physical = group->chunk->stripes[bad->lane].physical + group->offset +
				    (uint64_t)bad->cell * engine->sectorsize,
			.length = (uint64_t)bad->cells * engine->sectorsize,
			.kind = bad->kind,
			.is_tree = bad->tree,
		};
	}
	engine->options.callbacks.intents(engine->options.callbacks.private, intents, repair->count);
	free(intents);
	return true;
}

void scrub_repair_group(struct scrub_group *group)
{
	size_t count = 0;

	for (size_t i = 0; i < group->bad_count; i++)
		count += is_to_be_written(group, &group->bad[i]);
	if (count == 0 || group->error) {
		scrub_list_add(&group->engine->todo, group);
		return;
	}
	if (!prepare(group, count) || !tell_intents(group->repair)) {
		group->error = -ENOMEM;
		scrub_list_add(&group->engine->todo, group);
		return;
	}
	group->repair->next = flush_all;
	submit_all(group->repair, XX_OP_WRITE);
}
