/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scrub_every_n.c - the Nth transfer of a scrub fails, for N from 1 until none does, on each engine. Whatever happens, what
 * was found is what became of it; all good is said only when the devices are as they were before the damage; and once
 * the device works again, a second scrub repairs the rest.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <xx/fault.h>

#include "tests/support/scrub_run.h"

#define MOST 2000

static const struct {
	enum xx_fault_kind kind;
	int error;
	uint32_t ops;
	uint64_t count;
} faults[] = {
	{ XX_FAULT_ERROR, -EIO, XX_FAULT_READ, 1 },
	{ XX_FAULT_ERROR, -EIO, XX_FAULT_READ, 12 },
	{ XX_FAULT_ERROR, -EILSEQ, XX_FAULT_READ, UINT64_MAX },
	{ XX_FAULT_ERROR, -ENODEV, XX_FAULT_READ, UINT64_MAX },
	{ XX_FAULT_ERROR, -ENODEV, 0, UINT64_MAX },
	{ XX_FAULT_ERROR, -EIO, XX_FAULT_WRITE, 1 },
	{ XX_FAULT_ERROR, -EIO, XX_FAULT_WRITE, UINT64_MAX },
	{ XX_FAULT_TEAR, -EIO, XX_FAULT_WRITE, 1 },
	{ XX_FAULT_ERROR, -EIO, XX_FAULT_FLUSH, 1 },
	{ XX_FAULT_SHORT, 0, XX_FAULT_READ, 2 },
	{ XX_FAULT_REORDER, 0, XX_FAULT_READ, 8 },
};

static const struct {
	const char *name;
	uint64_t profile;
	unsigned devices;
} profiles[] = {
	{ "RAID1", BTRFS_BLOCK_GROUP_RAID1, 2 },
	{ "RAID6", BTRFS_BLOCK_GROUP_RAID6, 4 },
};

/* What the devices were before the damage. */
static uint64_t damaged(struct fixture *f, size_t profile, enum xx_engine_id engine)
{
	const struct fixture_options options = {
		.profile = profiles[profile].profile,
		.devices = profiles[profile].devices,
		.zeros = true,
		.files = engine != XX_ENGINE_MEMORY,
	};
	const struct xx_btrfs_place super = { .devid = 1, .physical = xx_btrfs_super_offset(1) };
	uint64_t pristine;

	fixture_init(f, &options);
	pristine = fixture_hash(f);
	fixture_damage(f, super, 100);
	fixture_damage(f, fixture_place(f, f->summed, 0), 4096);
	fixture_damage(f, fixture_place(f, f->prealloc + 8192, 0), 4096);
	fixture_damage(f, fixture_place(f, f->extent_tree, 0), 4096);
	return pristine;
}

static bool all_good(const struct run *run)
{
	return run->created == 0 && run->result == 0 && run->counts.unverified_bytes == 0 &&
	       scrub_counts_found(&run->counts) == run->counts.corrected;
}

static void check_counts(const struct run *run, const char *what, uint64_t nth)
{
	cr_assert_eq(run->counts.corrected + run->counts.repairable + run->counts.uncorrectable,
		     scrub_counts_found(&run->counts), "%s, number %llu", what, (unsigned long long)nth);
	cr_assert_not(run->over);
	if (run->created == 0 && run->result == 0)
		cr_assert_eq(run->progress.bytes_done, run->progress.bytes_total);
}

/* True: the fault was not met any more. */
static bool run_with(size_t profile, size_t at, enum xx_engine_id engine, uint64_t nth)
{
	struct xx_fault fault = {
		.kind = faults[at].kind,
		.error = faults[at].error,
		.ops = faults[at].ops,
		.count = faults[at].count,
		.nth = nth,
		.keep = 3,
		.seed = nth,
	};
	const struct run start = { .options = { .ring = { .engine = engine } } };
	struct fixture f;
	const uint64_t pristine = damaged(&f, profile, engine);
	struct run broken = start, healed = start;
	const char *name = profiles[profile].name;

	xx_device_inject(f.devices[0], &fault);
	run_scrub(&f, &broken);
	xx_device_inject(f.devices[0], NULL);
	check_counts(&broken, name, nth);
	if (all_good(&broken))
		cr_assert_eq(fixture_hash(&f), pristine, "%s, fault %zu, number %llu: all good is said", name, at,
			     (unsigned long long)nth);
	run_scrub(&f, &healed);
	check_counts(&healed, name, nth);
	cr_assert(all_good(&healed), "%s, fault %zu, number %llu", name, at, (unsigned long long)nth);
	cr_assert_eq(fixture_hash(&f), pristine, "%s, fault %zu, number %llu: not healed", name, at,
		     (unsigned long long)nth);
	run_release(&broken);
	run_release(&healed);
	fixture_release(&f);
	return fault.hits == 0;
}

static void run_until_none(enum xx_engine_id engine, uint64_t step)
{
	struct xx_ring *ring;
	const struct xx_ring_options options = { .engine = engine };

	if (xx_ring_create(NULL, &options, &ring))
		cr_skip_test("this engine is not permitted here");
	xx_ring_destroy(ring);
	for (size_t p = 0; p < XX_ARRAY_SIZE(profiles); p++) {
		for (size_t i = 0; i < XX_ARRAY_SIZE(faults); i++) {
			uint64_t nth = 1;

			for (; !run_with(p, i, engine, nth); nth += step)
				cr_assert_lt(nth, MOST);
			cr_assert_gt(nth, 1, "fault %zu was never met", i);
		}
	}
}

Test(scrub_every_n, memory, .timeout = 0)
{
	run_until_none(XX_ENGINE_MEMORY, 1);
}

/* The order of what an engine does differs from run to run: a few of them. */
Test(scrub_every_n, uring, .timeout = 0)
{
	run_until_none(XX_ENGINE_URING, 5);
}

Test(scrub_every_n, aio, .timeout = 0)
{
	run_until_none(XX_ENGINE_AIO, 5);
}

Test(scrub_every_n, threads, .timeout = 0)
{
	run_until_none(XX_ENGINE_THREADS, 5);
}

/* One sector that can never be read, and one whose checksum the device itself finds wrong. */
static void bad_place(int error, enum scrub_kind kind)
{
	struct fixture f;
	const uint64_t pristine = damaged(&f, 0, XX_ENGINE_MEMORY);
	const struct xx_btrfs_place place = fixture_place(&f, f.nocow + 12288, 0);
	struct run run = { .options = { .ring = { .engine = XX_ENGINE_MEMORY } } };
	struct xx_fault fault = {
		.kind = XX_FAULT_ERROR,
		.error = error,
		.ops = XX_FAULT_READ,
		.count = UINT64_MAX,
		.offset = place.physical,
		.length = 4096,
	};

	xx_device_inject(f.devices[0], &fault);
	run_scrub(&f, &run);
	xx_device_inject(f.devices[0], NULL);
	cr_assert_eq(run.result, 0);
	cr_assert_eq(run.counts.found[kind], 1);
	cr_assert_eq(scrub_counts_found(&run.counts), 5);
	cr_assert_eq(run.counts.corrected, 4);
	cr_assert_eq(run.counts.repairable, 1, "what is written cannot be read back");
	cr_assert_eq(run.counts.write_errors, 1);
	cr_assert_eq(fixture_hash(&f), pristine);
	run_release(&run);
	fixture_release(&f);
}

Test(scrub_every_n, a_sector_that_cannot_be_read)
{
	bad_place(-EIO, SCRUB_READ);
	bad_place(-EILSEQ, SCRUB_PROTECTION);
}

/* A device that vanishes in the middle: the rest of it is unverified, the other one is scrubbed. */
Test(scrub_every_n, a_device_that_vanishes)
{
	struct fixture f;
	struct run run = { .options = { .ring = { .engine = XX_ENGINE_MEMORY } } };
	struct xx_fault fault = { .kind = XX_FAULT_ERROR, .error = -ENODEV, .count = UINT64_MAX, .length = 1 };

	damaged(&f, 0, XX_ENGINE_MEMORY);
	fault.offset = fixture_place(&f, f.nocow, 1).physical;
	xx_device_inject(f.devices[1], &fault);
	run_scrub(&f, &run);
	xx_device_inject(f.devices[1], NULL);
	cr_assert_eq(run.result, 0);
	cr_assert_gt(run.counts.unverified_bytes, 0);
	cr_assert_eq(run.unverified_bytes, run.counts.unverified_bytes);
	cr_assert_eq(run.progress.bytes_done, run.progress.bytes_total);
	/* But what lies where the other one could not be read has lost its copy. */
	cr_assert_eq(run.counts.corrected, 3);
	cr_assert_eq(run.counts.uncorrectable, 1);
	run_release(&run);
	fixture_release(&f);
}
