/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device_memory.c - a device that is an array, for tests: up to 8 EiB, of which only what was written takes memory.
 *
 * The array is a hash table of pages with open addressing; a page that reads like one never written is not kept.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xx/units.h>
#include "io/device_impl.h"

enum {
	PAGE = 4096,
	TABLE_MIN = 64,
};

struct page {
	uint64_t number;
	uint8_t *data; /* NULL: a free place */
};

struct memory {
	struct xx_device dev;
	pthread_mutex_t lock;
	struct page *table;
	uint64_t places; /* a power of two */
	uint64_t pages;
	uint8_t fill;
	bool no_zero, discard;
	uint8_t blank[PAGE];
};

static struct memory *to_memory(const struct xx_device *dev)
{
	return xx_container_of(dev, struct memory, dev);
}

static uint64_t home(const struct memory *m, uint64_t number)
{
	return (number * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & (m->places - 1);
}

/* The place of a page, or the free one where it belongs. */
static struct page *find(const struct memory *m, uint64_t number)
{
	uint64_t i = home(m, number);

	while (m->table[i].data && m->table[i].number != number)
		i = (i + 1) & (m->places - 1);
	return &m->table[i];
}

static int grow(struct memory *m)
{
	struct page *old = m->table;
	uint64_t places = m->places;

	m->table = calloc(places * 2, sizeof(*m->table));
	if (!m->table) {
		m->table = old;
		return -ENOMEM;
	}
	m->places = places * 2;
	for (uint64_t i = 0; i < places; i++)
		if (old[i].data)
			*find(m, old[i].number) = old[i];
	free(old);
	return 0;
}

/* Take a page out; those after it move up, so that no search ends early. */
static void drop(struct memory *m, struct page *page)
{
	uint64_t hole = (uint64_t)(page - m->table);
	uint64_t i = hole;

	free(page->data);
	m->pages--;
	for (;;) {
		i = (i + 1) & (m->places - 1);
		if (!m->table[i].data)
			break;
		if (((i - home(m, m->table[i].number)) & (m->places - 1)) >= ((i - hole) & (m->places - 1))) {
			m->table[hole] = m->table[i];
			hole = i;
		}
	}
	m->table[hole] = (struct page){ 0 };
}

/* Change part of a page; @from NULL: to zeros. */
static int put(struct memory *m, uint64_t number, size_t at, const uint8_t *from, size_t length)
{
	struct page *page = find(m, number);
	int ret;

	if (!page->data) {
		if (from ? memcmp(from, m->blank, length) == 0 : m->fill == 0)
			return 0;
		if (m->pages * 2 >= m->places) {
			ret = grow(m);
			if (ret < 0)
				return ret;
			page = find(m, number);
		}
		page->data = malloc(PAGE);
		if (!page->data)
			return -ENOMEM;
		page->number = number;
		memcpy(page->data, m->blank, PAGE);
		m->pages++;
	}
	if (from)
		memcpy(page->data + at, from, length);
	else
		memset(page->data + at, 0, length);
	if (memcmp(page->data, m->blank, PAGE) == 0)
		drop(m, page);
	return 0;
}

static void get(const struct memory *m, uint64_t number, size_t at, uint8_t *to, size_t length)
{
	const struct page *page = find(m, number);

	memcpy(to, (page->data ? page->data : m->blank) + at, length);
}

/* One part of a transfer: bytes, or a negative errno when not even one. */
static int move(struct memory *m, enum xx_op op, uint64_t offset, uint8_t *buf, uint64_t length)
{
	uint64_t done = 0;

	while (done < length) {
		uint64_t number = (offset + done) / PAGE;
		size_t at = (offset + done) % PAGE;
		size_t n = xx_min(length - done, PAGE - at);
		int ret = 0;

		if (op == XX_OP_READ)
			get(m, number, at, buf + done, n);
		else
			ret = put(m, number, at, buf + done, n);
		if (ret < 0)
			return done ? (int)done : ret;
		done += n;
	}
	return (int)done;
}

static int move_all(struct memory *m, const struct xx_transfer *t)
{
	uint64_t end = m->dev.info.size;
	uint64_t room = t->offset < end ? end - t->offset : 0;
	uint64_t done = 0;

	for (int i = 0; i < t->iovcnt && room; i++) {
		uint64_t n = xx_min(t->iov[i].iov_len, room);
		int res = move(m, t->op, t->offset + done, t->iov[i].iov_base, n);

		if (res < 0)
			return done ? (int)done : res;
		done += (uint64_t)res;
		room -= (uint64_t)res;
		if ((uint64_t)res < t->iov[i].iov_len)
			break;
	}
	return done == 0 && t->op == XX_OP_WRITE ? -ENOSPC : (int)done;
}

/* Zero a range by looking at each page that is there, or at each page of the range, whichever are fewer. */
static int clear(struct memory *m, uint64_t offset, uint64_t length)
{
	uint64_t end = offset + length;
	int ret = 0;

	if (offset > m->dev.info.size || length > m->dev.info.size - offset)
		return -EINVAL;
	if (m->fill == 0 && length / PAGE > m->places) {
		uint64_t i = 0;

		while (i < m->places) {
			struct page *page = &m->table[i];
			uint64_t start = page->number * PAGE;

			if (page->data && start >= offset && start + PAGE <= end)
				drop(m, page); /* another may have moved here */
			else
				i++;
		}
		if (offset % PAGE)
			ret = put(m, offset / PAGE, offset % PAGE, NULL, PAGE - offset % PAGE);
		if (ret == 0 && end % PAGE)
			ret = put(m, end / PAGE, 0, NULL, end % PAGE);
		return ret;
	}
	while (offset < end && ret == 0) {
		size_t n = xx_min(end - offset, PAGE - offset % PAGE);

		ret = put(m, offset / PAGE, offset % PAGE, NULL, n);
		offset += n;
	}
	return ret;
}

static int memory_transfer(struct xx_device *dev, const struct xx_transfer *t)
{
	struct memory *m = to_memory(dev);
	int ret = 0;

	pthread_mutex_lock(&m->lock);
	switch (t->op) {
	case XX_OP_READ:
	case XX_OP_WRITE:
		ret = move_all(m, t);
		break;
	case XX_OP_FLUSH:
		break;
	case XX_OP_ZERO:
		ret = m->no_zero ? -EOPNOTSUPP : clear(m, t->offset, t->length);
		break;
	case XX_OP_DISCARD:
		ret = m->discard ? clear(m, t->offset, t->length) : -EOPNOTSUPP;
		break;
	}
	pthread_mutex_unlock(&m->lock);
	return ret;
}

static int memory_close(struct xx_device *dev)
{
	struct memory *m = to_memory(dev);

	for (uint64_t i = 0; i < m->places; i++)
		free(m->table[i].data);
	free(m->table);
	pthread_mutex_destroy(&m->lock);
	return 0;
}

static const struct xx_device_ops memory_ops = {
	.transfer = memory_transfer,
	.close = memory_close,
};

static void describe(struct xx_device_info *info, const struct xx_memory_options *o)
{
	info->kind = XX_DEVICE_MEMORY;
	info->writable = true;
	info->size = o->size;
	info->logical_sector = o->logical_sector ? o->logical_sector : XX_SECTOR;
	info->physical_sector = o->physical_sector ? o->physical_sector : info->logical_sector;
	info->offset_align = o->offset_align ? o->offset_align : 1;
	info->memory_align = o->memory_align ? o->memory_align : 1;
	info->direct = info->offset_align > 1 || info->memory_align > 1;
	info->max_request = o->max_request ? o->max_request : (uint32_t)XX_MIB;
	info->zero_methods = XX_ZERO_RANGE;
	if (o->discard) {
		info->discard_granularity = info->logical_sector;
		info->discard_max = o->size;
	}
}

int xx_device_memory_create(struct xx_ctx *ctx, const struct xx_memory_options *options, struct xx_device **out)
{
	struct memory *m;

	if (options->size > INT64_MAX)
		return -EINVAL;
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	m->table = calloc(TABLE_MIN, sizeof(*m->table));
	if (!m->table || xx_device_init(&m->dev, ctx, &memory_ops, options->name ? options->name : "<memory>") < 0) {
		free(m->table);
		free(m);
		return -ENOMEM;
	}
	m->places = TABLE_MIN;
	m->no_zero = options->no_zero;
	m->discard = options->discard;
	m->fill = options->fill;
	memset(m->blank, m->fill, PAGE);
	pthread_mutex_init(&m->lock, NULL);
	describe(&m->dev.info, options);
	*out = &m->dev;
	return 0;
}

uint64_t xx_device_memory_used(const struct xx_device *dev)
{
	return to_memory(dev)->pages * PAGE;
}
