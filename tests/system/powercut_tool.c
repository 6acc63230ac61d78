/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * powercut_tool.c - what is on a device when the power is cut while mkfs.xx works.
 *
 *	powercut_tool IMAGE TYPE CHECK OPTION...
 *
 * Makes an XFS over a copy in memory of IMAGE, which holds a file system of TYPE, with these options of mkfs.xx, and
 * records all writes. Then builds what may be left of a cut: all up to a flush, and of what follows up to the next one
 * all but one write, all with one torn, or what comes first in one of 200 seeded orders, the last of these torn at
 * times. The kernel (mount, through a read-only loop device) and libblkid are the judges: before the first flush the
 * old file system is there, and CHECK finds it clean, or nothing; then nothing, or the new one with all its bytes.
 *
 * Prints the counts; status 0 if that held in each state.
 */
#include <blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xx/device.h>
#include <xx/random.h>
#include <xx/units.h>

#include "tests/support/mkfs_fixture.h"

#define ORDERS	 200
#define MOST_BAD 10 /* states that are described */

struct cut {
	uint64_t size;
	int fd; /* the device as it is in the present state */
	uint8_t *now; /* the same in memory */
	uint8_t *base; /* everything up to the last flush */
	uint8_t *final; /* when all was done */
	struct xx_device *recorder;
	size_t first, last; /* the records since that flush */
	unsigned epoch;
	const char *type, *check;
	char dir[64];
	struct xx_random random;
	unsigned states, nothing, old, new, bad;
};

static void need(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "powercut_tool: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* --- states ------------------------------------------------------------------------------------------------------ */

static bool changes(const struct xx_record *record)
{
	return record->kind == XX_RECORD_WRITE || record->kind == XX_RECORD_ZERO || record->kind == XX_RECORD_DISCARD;
}

/* Bytes from to end - 1 of a record are made. */
static void apply_part(const struct xx_record *record, uint8_t *memory, uint64_t from, uint64_t end)
{
	if (!changes(record) || from >= end)
		return;
	if (record->kind == XX_RECORD_WRITE)
		memcpy(memory + record->offset + from, (const uint8_t *)record->data + from, end - from);
	else
		memset(memory + record->offset + from, 0, end - from);
}

static void apply(const struct xx_record *record, uint8_t *memory)
{
	apply_part(record, memory, 0, record->length);
}

static void restore(struct cut *cut)
{
	for (size_t i = cut->first; i < cut->last; i++) {
		const struct xx_record *record = xx_recorder_get(cut->recorder, i);

		if (changes(record))
			memcpy(cut->now + record->offset, cut->base + record->offset, record->length);
	}
}

/* --- judges ------------------------------------------------------------------------------------------------------ */

static int attach(struct cut *cut, char path[32])
{
	const struct loop_config config = { .fd = (uint32_t)cut->fd, .info.lo_flags = LO_FLAGS_READ_ONLY };
	const int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int fd = -1;

	need(control >= 0, "/dev/loop-control");
	/* Another process may take the free one first. */
	for (int tries = 0; fd < 0 && tries < 1000; tries++) {
		const int number = ioctl(control, LOOP_CTL_GET_FREE);

		need(number >= 0, "LOOP_CTL_GET_FREE");
		snprintf(path, 32, "/dev/loop%d", number);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && ioctl(fd, LOOP_CONFIGURE, &config)) {
			close(fd);
			fd = -1;
		}
	}
	need(fd >= 0, "no loop device");
	close(control);
	return fd;
}

/* Which type the kernel mounts; NULL: none. */
static const char *mounted_type(const struct cut *cut, const char *device)
{
	static const char *const types[] = { "xfs", "ext4", "btrfs" };

	for (size_t i = 0; i < XX_ARRAY_SIZE(types); i++) {
		if (mount(device, cut->dir, types[i], MS_RDONLY, NULL))
			continue;
		need(umount(cut->dir) == 0, "umount");
		return types[i];
	}
	return NULL;
}

static bool passes(const char *check, const char *device)
{
	char command[256];

	snprintf(command, sizeof(command), "%s %s >/dev/null 2>&1", check, device);
	return system(command) == 0;
}

/* Does libblkid find what was there before? */
static bool blkid_finds_old(const struct cut *cut)
{
	blkid_probe pr = blkid_new_probe();
	const char *type;
	bool found = false;

	need(pr && blkid_probe_set_device(pr, cut->fd, 0, 0) == 0, "blkid");
	blkid_probe_enable_superblocks(pr, 1);
	blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE);
	if (blkid_do_safeprobe(pr) == 0 && blkid_probe_lookup_value(pr, "TYPE", &type, NULL) == 0)
		found = strcmp(type, cut->type) == 0;
	blkid_free_probe(pr);
	return found;
}

static bool is_final(const struct cut *cut)
{
	for (size_t i = 0; i < xx_recorder_count(cut->recorder); i++) {
		const struct xx_record *record = xx_recorder_get(cut->recorder, i);

		if (changes(record) &&
		    memcmp(cut->now + record->offset, cut->final + record->offset, record->length) != 0)
			return false;
	}
	return true;
}

static void judge(struct cut *cut, const char *what, size_t index)
{
	char device[32];
	const int loop = attach(cut, device);
	const char *mounted = mounted_type(cut, device);
	const char *wrong = NULL;

	cut->states++;
	if (!mounted) {
		cut->nothing++;
		if (cut->epoch > 0 && strcmp(cut->type, "xfs") != 0 && blkid_finds_old(cut))
			wrong = "blkid finds the old file system";
	} else if (strcmp(mounted, "xfs") == 0 && is_final(cut)) {
		cut->new ++;
	} else if (cut->epoch == 0 && strcmp(mounted, cut->type) == 0) {
		cut->old++;
		if (!passes(cut->check, device))
			wrong = "the old file system mounts and is not clean";
	} else {
		wrong = "something mounts that is neither the old nor the whole new file system";
	}
	if (wrong && ++cut->bad <= MOST_BAD)
		printf("epoch %u, %s, record %zu: %s\n", cut->epoch, what, index, wrong);
	need(ioctl(loop, LOOP_CLR_FD) == 0, "LOOP_CLR_FD");
	close(loop);
	restore(cut);
}

/* --- which states ------------------------------------------------------------------------------------------------ */

enum damage {
	MISSING,
	FIRST_HALF,
	LAST_HALF,
	DAMAGES
};

/* A sector is written wholly or not at all: only its beginning can be torn off, which is more than a device does. */
static bool can_be(enum damage damage, const struct xx_record *record)
{
	return damage != LAST_HALF || record->length > XX_SECTOR;
}

static void damage_each(struct cut *cut, enum damage damage)
{
	static const char *const names[] = { "missing", "only the first half", "only the last half" };

	for (size_t bad = cut->first; bad < cut->last; bad++) {
		const struct xx_record *record = xx_recorder_get(cut->recorder, bad);
		const uint64_t half = record->length / 2;

		if (!changes(record) || !can_be(damage, record))
			continue;
		for (size_t i = cut->first; i < cut->last; i++)
			if (i != bad)
				apply(xx_recorder_get(cut->recorder, i), cut->now);
		if (damage == FIRST_HALF)
			apply_part(record, cut->now, 0, half);
		else if (damage == LAST_HALF)
			apply_part(record, cut->now, half, record->length);
		judge(cut, names[damage], bad);
	}
}

static void shuffle(struct cut *cut, size_t *order, size_t count)
{
	for (size_t i = 0; i < count; i++)
		order[i] = cut->first + i;
	for (size_t i = count; i > 1; i--) {
		const size_t j = xx_random_below(&cut->random, i), swap = order[i - 1];

		order[i - 1] = order[j];
		order[j] = swap;
	}
}

static void random_orders(struct cut *cut)
{
	const size_t count = cut->last - cut->first;
	size_t *order = calloc(count, sizeof(*order));

	need(order != NULL, "memory");
	for (unsigned n = 0; count > 1 && n < ORDERS; n++) {
		size_t made;

		shuffle(cut, order, count);
		made = xx_random_below(&cut->random, count);
		for (size_t i = 0; i < made; i++)
			apply(xx_recorder_get(cut->recorder, order[i]), cut->now);
		if (xx_random_below(&cut->random, 2) == 0) {
			const struct xx_record *torn = xx_recorder_get(cut->recorder, order[made]);

			apply_part(torn, cut->now, 0, xx_round_down(torn->length / 2, XX_SECTOR));
		}
		judge(cut, "in order", n);
	}
	free(order);
}

/* All flushes, and what lies before each. */
static void cut_everywhere(struct cut *cut)
{
	const size_t count = xx_recorder_count(cut->recorder);

	for (cut->first = 0; cut->first < count; cut->first = cut->last + 1, cut->epoch++) {
		for (cut->last = cut->first; cut->last < count; cut->last++)
			if (xx_recorder_get(cut->recorder, cut->last)->kind == XX_RECORD_FLUSH)
				break;
		for (enum damage damage = MISSING; damage < DAMAGES; damage++)
			damage_each(cut, damage);
		random_orders(cut);
		for (size_t i = cut->first; i < cut->last; i++) {
			apply(xx_recorder_get(cut->recorder, i), cut->base);
			apply(xx_recorder_get(cut->recorder, i), cut->now);
		}
		judge(cut, "all up to the flush", cut->last);
		for (size_t i = cut->first; i < cut->last; i++)
			apply(xx_recorder_get(cut->recorder, i), cut->now);
	}
}

/* --- the run ----------------------------------------------------------------------------------------------------- */

static struct xx_device *memory_with(const struct cut *cut)
{
	const struct xx_memory_options options = { .size = cut->size };
	struct xx_device *dev;

	errno = -xx_device_memory_create(NULL, &options, &dev);
	need(errno == 0, "device in memory");
	for (uint64_t at = 0; at < cut->size; at += 4096) {
		static const uint8_t zeros[4096];

		if (memcmp(cut->now + at, zeros, sizeof(zeros)) == 0)
			continue;
		errno = -xx_device_write(dev, at, cut->now + at, sizeof(zeros));
		need(errno == 0, "device in memory");
	}
	return dev;
}

static void load(struct cut *cut, const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	need(fd >= 0 && fstat(fd, &st) == 0, path);
	cut->size = (uint64_t)st.st_size;
	cut->fd = memfd_create("powercut", MFD_CLOEXEC);
	need(cut->fd >= 0 && ftruncate(cut->fd, st.st_size) == 0, "memfd");
	cut->now = mmap(NULL, cut->size, PROT_READ | PROT_WRITE, MAP_SHARED, cut->fd, 0);
	cut->base = malloc(cut->size);
	cut->final = malloc(cut->size);
	need(cut->now != MAP_FAILED && cut->base && cut->final, "memory");
	for (uint64_t at = 0; at < cut->size;) {
		const ssize_t n = pread(fd, cut->now + at, cut->size - at, (off_t)at);

		need(n > 0, path);
		at += (uint64_t)n;
	}
	close(fd);
	memcpy(cut->base, cut->now, cut->size);
	memcpy(cut->final, cut->now, cut->size);
}

static void record(struct cut *cut, struct xx_device *memory, const char *const options[])
{
	struct mkfs_fixture fixture;
	struct mkfs_probe probe;

	errno = -mkfs_probe_signatures(cut->fd, cut->size, &probe);
	need(errno == 0 && probe.found, "no file system is there before");
	errno = -xx_device_recorder_create(NULL, memory, &cut->recorder);
	need(errno == 0, "recorder");
	mkfs_fixture_init(&fixture, cut->recorder, XX_ENGINE_MEMORY, &probe, options);
	errno = -mkfs_write(&fixture.run);
	need(errno == 0, fixture.message);
	mkfs_fixture_release(&fixture);
	for (size_t i = 0; i < xx_recorder_count(cut->recorder); i++)
		apply(xx_recorder_get(cut->recorder, i), cut->final);
}

int main(int argc, char *argv[])
{
	struct cut cut = { 0 };
	struct xx_device *memory;

	if (argc < 4) {
		fputs("usage: powercut_tool IMAGE TYPE CHECK OPTION...\n", stderr);
		return 2;
	}
	cut.type = argv[2];
	cut.check = argv[3];
	snprintf(cut.dir, sizeof(cut.dir), "%s", "powercut.XXXXXX");
	need(mkdtemp(cut.dir) != NULL, "directory");
	xx_random_init_seed(&cut.random, 4711);
	load(&cut, argv[1]);
	memory = memory_with(&cut);
	record(&cut, memory, (const char *const *)argv + 4);
	cut_everywhere(&cut);
	rmdir(cut.dir);
	printf("%zu records, %u flushes, %u states: nothing %u, the old one %u, the new one %u, bad %u\n",
	       xx_recorder_count(cut.recorder), cut.epoch, cut.states, cut.nothing, cut.old, cut.new, cut.bad);
	if (xx_device_close(cut.recorder) || xx_device_close(memory))
		return 2;
	return cut.bad > 0 || cut.new == 0 || cut.old == 0;
}
