/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_every_n.c - the Nth transfer of making a file system fails, for N from 1 until all succeeds: the error is
 * returned with one message, and what is left is no file system: neither the new one, nor the old one in parts.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xx/fault.h>
#include <xx/units.h>

#include "tests/support/mkfs_fixture.h"

#define SIZE (300 * XX_MIB)
#define MOST 10000

static const char *const options[] = { "--unsupported", "-d", "agcount=9", NULL };

static const struct {
	enum xx_fault_kind kind;
	int error;
	uint32_t ops;
} faults[] = {
	{ XX_FAULT_ERROR, -EIO, XX_FAULT_WRITE }, { XX_FAULT_ERROR, -ENOSPC, XX_FAULT_WRITE },
	{ XX_FAULT_ERROR, -EIO, XX_FAULT_FLUSH }, { XX_FAULT_ERROR, -EIO, XX_FAULT_ZERO },
	{ XX_FAULT_TEAR, -EIO, XX_FAULT_WRITE },
};

static const enum xx_engine_id engines[] = { XX_ENGINE_MEMORY, XX_ENGINE_THREADS };

static struct xx_device *new_memory(bool no_zero)
{
	const struct xx_memory_options memory = { .size = SIZE, .no_zero = no_zero };
	struct xx_device *dev;

	cr_assert_eq(xx_device_memory_create(NULL, &memory, &dev), 0);
	return dev;
}

static bool has_superblock(struct xx_device *dev)
{
	char magic[4];

	cr_assert_eq(xx_device_read(dev, 0, magic, sizeof(magic)), 0);
	return memcmp(magic, "XFSB", 4) == 0;
}

static bool has_superblock_in(int fd)
{
	char magic[4];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && memcmp(magic, "XFSB", 4) == 0;
}

/* Writes, zeros and discards of the recorder that succeeded at least in part. */
static size_t count_changes(const struct xx_device *recorder)
{
	size_t changes = 0;

	for (size_t i = 0; i < xx_recorder_count(recorder); i++)
		changes += xx_recorder_get(recorder, i)->kind != XX_RECORD_FLUSH &&
			   xx_recorder_get(recorder, i)->kind != XX_RECORD_READ;
	return changes;
}

/* A former file system with other groups is there. True: the fault was not met any more. */
static bool run_with(size_t fault_index, enum xx_engine_id engine, uint64_t nth)
{
	struct xx_fault fault = {
		.kind = faults[fault_index].kind,
		.error = faults[fault_index].error,
		.ops = faults[fault_index].ops,
		.nth = nth,
	};
	struct xx_device *memory = new_memory(false), *recorder;
	struct mkfs_fixture fixture;
	struct mkfs_probe probe;
	int err;

	mkfs_fixture_init(&fixture, memory, XX_ENGINE_MEMORY, NULL, NULL);
	cr_assert_eq(mkfs_write(&fixture.run), 0, "%s", fixture.message);
	mkfs_fixture_release(&fixture);

	probe = mkfs_fixture_probe(memory);
	cr_assert(probe.has_old);
	cr_assert_eq(xx_device_recorder_create(NULL, memory, &recorder), 0);
	mkfs_fixture_init(&fixture, recorder, engine, &probe, options);
	xx_device_inject(recorder, &fault);
	err = mkfs_write(&fixture.run);
	xx_device_inject(recorder, NULL);
	if (fault.hits == 0) {
		cr_assert_eq(err, 0, "%s", fixture.message);
		cr_assert(has_superblock(memory));
	} else {
		cr_assert_eq(err, fault.error, "fault %zu, number %llu: %d", fault_index, (unsigned long long)nth, err);
		cr_assert_eq(fixture.messages, 1);
		cr_assert(!has_superblock(memory) || count_changes(recorder) == 0, "fault %zu, number %llu",
			  fault_index, (unsigned long long)nth);
	}
	mkfs_fixture_release(&fixture);
	cr_assert_eq(xx_device_close(recorder), 0);
	cr_assert_eq(xx_device_close(memory), 0);
	return fault.hits == 0;
}

static void run_until_it_succeeds(enum xx_engine_id engine)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(faults); i++) {
		uint64_t nth = 1;

		while (!run_with(i, engine, nth))
			cr_assert_lt(++nth, MOST);
		cr_assert_gt(nth, 1, "fault %zu was never met", i);
	}
}

Test(mkfs_every_n, memory)
{
	run_until_it_succeeds(engines[0]);
}

Test(mkfs_every_n, threads)
{
	run_until_it_succeeds(engines[1]);
}

/* A file that loses its end meanwhile takes all writes, but has no room for the file system. */
Test(mkfs_every_n, a_device_that_shrinks)
{
	const struct xx_device_options how = { .flags = XX_DEVICE_WRITE };
	char path[] = "/tmp/xx-shrinks.XXXXXX";
	const int fd = mkstemp(path);
	struct mkfs_fixture fixture;
	struct xx_device *dev;

	cr_assert_geq(fd, 0);
	cr_assert_eq(ftruncate(fd, (off_t)SIZE), 0);
	cr_assert_eq(xx_device_open(NULL, path, &how, &dev), 0);
	mkfs_fixture_init(&fixture, dev, XX_ENGINE_AUTO, NULL, NULL);
	cr_assert_eq(ftruncate(fd, (off_t)SIZE / 2), 0);
	cr_assert_eq(mkfs_write(&fixture.run), -ENOSPC);
	cr_assert_eq(fixture.messages, 1);
	cr_assert(strstr(fixture.message, "smaller"), "%s", fixture.message);
	cr_assert_not(has_superblock_in(fd));
	mkfs_fixture_release(&fixture);
	cr_assert_eq(xx_device_close(dev), 0);
	unlink(path);
	close(fd);
}

/* The device cannot zero, so zeros are written: a failure there is met too. */
Test(mkfs_every_n, zeros_that_are_written)
{
	for (uint64_t nth = 1; nth < 200; nth++) {
		struct xx_fault fault = { .kind = XX_FAULT_ERROR, .error = -EIO, .ops = XX_FAULT_WRITE, .nth = nth };
		struct xx_device *memory = new_memory(true);
		struct mkfs_fixture fixture;

		mkfs_fixture_init(&fixture, memory, XX_ENGINE_MEMORY, NULL, options);
		xx_device_inject(memory, &fault);
		cr_assert_eq(mkfs_write(&fixture.run) == 0, fault.hits == 0, "number %llu", (unsigned long long)nth);
		xx_device_inject(memory, NULL);
		cr_assert_eq(has_superblock(memory), fault.hits == 0);
		mkfs_fixture_release(&fixture);
		cr_assert_eq(xx_device_close(memory), 0);
		if (fault.hits == 0)
			return;
	}
	cr_assert_fail("it never succeeded");
}
