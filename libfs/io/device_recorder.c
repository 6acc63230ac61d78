/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device_recorder.c - lies over another device and writes down what passes, so that a test can cut the power anywhere.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xx/units.h>
#include "io/device_impl.h"

struct recorder {
	struct xx_device dev;
	struct xx_device *lower;
	pthread_mutex_t lock;
	struct xx_record **records;
	size_t count, capacity;
};

static struct recorder *to_recorder(const struct xx_device *dev)
{
	return xx_container_of(dev, struct recorder, dev);
}

/* With the data after it, in one piece of memory. */
static struct xx_record *make_record(const struct xx_transfer *t, int result)
{
	static const enum xx_record_kind kinds[] = {
		[XX_OP_READ] = XX_RECORD_READ, [XX_OP_WRITE] = XX_RECORD_WRITE,	    [XX_OP_FLUSH] = XX_RECORD_FLUSH,
		[XX_OP_ZERO] = XX_RECORD_ZERO, [XX_OP_DISCARD] = XX_RECORD_DISCARD,
	};
	bool counted = t->op == XX_OP_READ || t->op == XX_OP_WRITE;
	uint64_t length = counted && result >= 0 ? (uint64_t)result : t->length;
	uint64_t keep = t->op == XX_OP_WRITE && result > 0 ? length : 0;
	struct xx_record *r = malloc(sizeof(*r) + keep);
	uint8_t *data = (uint8_t *)(r + 1);
	uint64_t done = 0;

	if (!r)
		return NULL;
	*r = (struct xx_record){
		.kind = kinds[t->op],
		.result = result < 0 ? result : 0,
		.offset = t->offset,
		.length = length,
		.data = keep ? data : NULL,
	};
	for (int i = 0; i < t->iovcnt && done < keep; i++) {
		size_t n = xx_min(t->iov[i].iov_len, keep - done);

		memcpy(data + done, t->iov[i].iov_base, n);
		done += n;
	}
	return r;
}

static int append(struct recorder *rec, struct xx_record *r)
{
	if (rec->count == rec->capacity) {
		size_t capacity = rec->capacity ? rec->capacity * 2 : 64;
		struct xx_record **records = realloc(rec->records, capacity * sizeof(struct xx_record *));

		if (!records)
			return -ENOMEM;
		rec->records = records;
		rec->capacity = capacity;
	}
	rec->records[rec->count++] = r;
	return 0;
}

/* The lock is held over the transfer, so that the order of the records is that of the transfers. */
static int recorder_transfer(struct xx_device *dev, const struct xx_transfer *t)
{
	struct recorder *rec = to_recorder(dev);
	struct xx_record *r;
	int res;

	pthread_mutex_lock(&rec->lock);
	res = xx_device_transfer(rec->lower, t);
	r = make_record(t, res);
	if (!r || append(rec, r) < 0) {
		free(r);
		res = -ENOMEM;
	}
	pthread_mutex_unlock(&rec->lock);
	return res;
}

static int recorder_close(struct xx_device *dev)
{
	struct recorder *rec = to_recorder(dev);

	xx_recorder_reset(dev);
	free(rec->records);
	pthread_mutex_destroy(&rec->lock);
	return 0;
}

static const struct xx_device_ops recorder_ops = {
	.transfer = recorder_transfer,
	.close = recorder_close,
};

int xx_device_recorder_create(struct xx_ctx *ctx, struct xx_device *lower, struct xx_device **out)
{
	struct recorder *rec = calloc(1, sizeof(*rec));
	const char *path;

	if (!rec)
		return -ENOMEM;
	if (xx_device_init(&rec->dev, ctx, &recorder_ops, "<recorder>") < 0) {
		free(rec);
		return -ENOMEM;
	}
	path = rec->dev.path;
	rec->lower = lower;
	rec->dev.info = lower->info;
	rec->dev.info.path = path;
	rec->dev.info.kind = XX_DEVICE_RECORDER;
	pthread_mutex_init(&rec->lock, NULL);
	*out = &rec->dev;
	return 0;
}

size_t xx_recorder_count(const struct xx_device *dev)
{
	return to_recorder(dev)->count;
}

const struct xx_record *xx_recorder_get(const struct xx_device *dev, size_t index)
{
	const struct recorder *rec = to_recorder(dev);

	return index < rec->count ? rec->records[index] : NULL;
}

void xx_recorder_reset(struct xx_device *dev)
{
	struct recorder *rec = to_recorder(dev);

	for (size_t i = 0; i < rec->count; i++)
		free(rec->records[i]);
	rec->count = 0;
}

int xx_record_replay(const struct xx_record *record, uint64_t length, struct xx_device *dev)
{
	struct xx_transfer t = { .offset = record->offset, .length = record->length, .method = XX_ZERO_RANGE };

	if (record->result < 0)
		return 0;
	switch (record->kind) {
	case XX_RECORD_WRITE:
		length = xx_min(length, record->length);
		return length ? xx_device_write(dev, record->offset, record->data, length) : 0;
	case XX_RECORD_ZERO:
		t.op = XX_OP_ZERO;
		return xx_device_transfer(dev, &t);
	case XX_RECORD_DISCARD:
		t.op = XX_OP_DISCARD;
		return xx_device_transfer(dev, &t);
	case XX_RECORD_READ:
	case XX_RECORD_FLUSH:
		break;
	}
	return 0;
}
