/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * super.c - the copies of the superblock: what loading found wrong with them is told, counted and repaired.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <xx/context.h>
#include <xx/device.h>

#include "scrub/engine_impl.h"

#define SUPER_BYTES sizeof(struct btrfs_super_block)

static int run_request(struct scrub_engine *engine, struct scrub_device *device, enum xx_op op, uint64_t offset,
		       void *buf)
{
	struct xx_request req;

	xx_request_init(&req, op, device->device, offset, buf, op == XX_OP_FLUSH ? 0 : SUPER_BYTES, NULL, NULL);
	return xx_ring_run(engine->ring, &req);
}

/* Write, make durable, read back: 0 when the medium has it. */
static int put(struct scrub_engine *engine, struct scrub_device *device, uint64_t offset, void *block)
{
	void *copy = aligned_alloc(4096, SUPER_BYTES);
	const int fd = xx_device_fd(device->device);
	int ret;

	if (!copy)
		return -ENOMEM;
	ret = run_request(engine, device, XX_OP_WRITE, offset, block);
	if (ret == 0)
		ret = run_request(engine, device, XX_OP_FLUSH, 0, NULL);
	if (fd >= 0 && !xx_device_info(device->device)->direct)
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (ret == 0)
		ret = run_request(engine, device, XX_OP_READ, offset, copy);
	if (ret == 0 && memcmp(copy, block, SUPER_BYTES) != 0)
		ret = -EIO;
	free(copy);
	return ret;
}

/* The device item as the chunk tree has it, into a superblock that is to be that of @devid. */
static int put_item(struct scrub_engine *engine, uint64_t devid, struct btrfs_super_block *raw)
{
	const struct xx_btrfs_key key = { BTRFS_DEV_ITEMS_OBJECTID, BTRFS_DEV_ITEM_KEY, devid };
	struct xx_btrfs_root_info root;
	struct xx_btrfs_iter *iter;
	struct xx_btrfs_item item;
	int ret = xx_btrfs_fs_root(engine->fs, BTRFS_CHUNK_TREE_OBJECTID, &root);

	if (ret)
		return ret;
	ret = xx_btrfs_iter_create(xx_btrfs_fs_reader(engine->fs), NULL, NULL, &iter);
	if (ret)
		return ret;
	xx_btrfs_iter_seek(iter, &root.root, &key, &key);
	ret = xx_btrfs_iter_next(iter, &item);
	if (ret > 0 && item.size >= sizeof(raw->dev_item))
		memcpy(&raw->dev_item, item.data, sizeof(raw->dev_item));
	xx_btrfs_iter_destroy(iter);
	return ret > 0 ? 0 : ret < 0 ? ret : -ENOENT;
}

/* The log, as all first copies know it, and no other does. */
static void put_log(const struct scrub_engine *engine, unsigned copy, struct btrfs_super_block *raw)
{
	const struct xx_btrfs_super *super = xx_btrfs_volume_super(engine->volume);

	if (copy > 0) {
		raw->log_root = le64_make(0);
		raw->log_root_level = 0;
	} else if (super->generation == le64_get(raw->generation)) {
		raw->log_root = super->raw.log_root;
		raw->log_root_level = super->raw.log_root_level;
	}
}

/* What a copy should be: from another one of the device, or, when it missed commits, of the others. */
static int make(struct scrub_engine *engine, const struct scrub_device *device, unsigned copy,
		struct btrfs_super_block *block)
{
	const struct xx_btrfs_supers *supers = device->member->supers;
	struct xx_btrfs_super from = supers->super[supers->best];

	if (device->member->stale) {
		from = *xx_btrfs_volume_super(engine->volume);
		const int ret = put_item(engine, device->member->devid, &from.raw);

		if (ret)
			return ret;
	}
	put_log(engine, copy, &from.raw);
	return xx_btrfs_super_make(&from, xx_btrfs_super_offset(copy), block);
}

static enum scrub_kind kind_of(const struct xx_btrfs_super_check *check)
{
	if (check->fault != XX_BTRFS_SUPER_UNREADABLE)
		return SCRUB_SUPER;
	return check->error == -EILSEQ ? SCRUB_PROTECTION : SCRUB_READ;
}

static void tell_intent(const struct scrub_engine *engine, const struct scrub_device *device, unsigned copy)
{
	const struct scrub_intent intent = {
		.devid = device->member->devid,
		.physical = xx_btrfs_super_offset(copy),
		.length = SUPER_BYTES,
		.kind = kind_of(&device->member->supers->check[copy]),
	};

	if (engine->options.callbacks.intents)
		engine->options.callbacks.intents(engine->options.callbacks.private, &intent, 1);
}

static enum scrub_state repair(struct scrub_engine *engine, struct scrub_device *device, unsigned copy, int *error)
{
	struct btrfs_super_block *block = aligned_alloc(4096, SUPER_BYTES);
	enum scrub_state state = SCRUB_LOST;

	*error = block ? make(engine, device, copy, block) : -ENOMEM;
	if (*error == 0) {
		state = SCRUB_REPAIRABLE;
		if (device->writable)
			tell_intent(engine, device, copy);
		if (device->writable)
			*error = put(engine, device, xx_btrfs_super_offset(copy), block);
		if (device->writable && *error == 0)
			state = SCRUB_CORRECTED;
	}
	free(block);
	return state;
}

static void bad_copy(struct scrub_engine *engine, struct scrub_device *device, unsigned copy, const char *text,
		     struct scrub_counts *counts)
{
	const struct xx_btrfs_super_check *check = &device->member->supers->check[copy];
	struct scrub_finding finding = {
		.kind = kind_of(check),
		.member = device->member,
		.physical = xx_btrfs_super_offset(copy),
		.length = SUPER_BYTES,
		.copy = copy,
		.level = -1,
		.text = text,
	};

	finding.state = repair(engine, device, copy, &finding.error);
	if (device->writable && finding.state == SCRUB_REPAIRABLE)
		counts->write_errors++;
	if (engine->options.callbacks.finding)
		engine->options.callbacks.finding(engine->options.callbacks.private, &finding);
	scrub_count_finding(counts, finding.kind, finding.state, 1);
}

/* A copy that is good: by a run that was interrupted, before it could count that? */
static void good_copy(struct scrub_engine *engine, struct scrub_device *device, unsigned copy,
		      struct scrub_counts *counts)
{
	const struct scrub_finding finding = {
		.kind = scrub_intents_super(engine, device->member->devid, xx_btrfs_super_offset(copy)),
		.state = SCRUB_CORRECTED,
		.member = device->member,
		.physical = xx_btrfs_super_offset(copy),
		.length = SUPER_BYTES,
		.copy = copy,
		.level = -1,
		.text = "it was bad in the run before, which was interrupted",
	};

	if (finding.kind == SCRUB_KINDS)
		return;
	if (engine->options.callbacks.finding)
		engine->options.callbacks.finding(engine->options.callbacks.private, &finding);
	scrub_count_finding(counts, finding.kind, finding.state, 1);
}

/* btrfs-image restores the first copy alone. */
bool scrub_super_is_left_out(const struct scrub_engine *engine, const struct xx_btrfs_super_check *check)
{
	return check->fault == XX_BTRFS_SUPER_ABSENT || (engine->metadump && check->fault == XX_BTRFS_SUPER_NO_MAGIC);
}

static void check_device(struct scrub_engine *engine, struct scrub_device *device)
{
	const struct xx_btrfs_supers *supers = device->member->supers;
	struct scrub_counts counts = { 0 };

	for (unsigned i = 0; i < supers->count; i++) {
		if (scrub_super_is_left_out(engine, &supers->check[i]))
			continue;
		if (supers->check[i].fault != XX_BTRFS_SUPER_GOOD)
			bad_copy(engine, device, i, supers->check[i].text, &counts);
		else if (device->member->stale)
			bad_copy(engine, device, i, "its generation is lower than that of the file system", &counts);
		else
			good_copy(engine, device, i, &counts);
		counts.super_bytes += SUPER_BYTES;
	}
	scrub_count(engine, device, &counts);
	pthread_mutex_lock(&engine->lock);
	device->done += counts.super_bytes;
	engine->run_bytes += counts.super_bytes;
	pthread_mutex_unlock(&engine->lock);
}

int scrub_supers(struct scrub_engine *engine)
{
	for (size_t i = 0; i < engine->device_count; i++) {
		struct scrub_device *device = &engine->devices[i];

		if (device->device && !engine->options.skip_metadata)
			check_device(engine, device);
	}
	engine->supers_done = true;
	return 0;
}
