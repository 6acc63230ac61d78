/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scrub_engine.c - a small btrfs of each profile, damaged in one place after the other: what is found, where, in which
 * file, and whether all is as it was after a repair.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <string.h>

#include "tests/support/scrub_run.h"

static const struct row {
	const char *name;
	uint64_t profile;
	unsigned devices, copies, parity;
	enum xx_csum_type csum;
} rows[] = {
	{ "single", 0, 1, 1, 0, XX_CSUM_CRC32C },
	{ "DUP", BTRFS_BLOCK_GROUP_DUP, 1, 2, 0, XX_CSUM_XXHASH64 },
	{ "RAID0", BTRFS_BLOCK_GROUP_RAID0, 3, 1, 0, XX_CSUM_CRC32C },
	{ "RAID1", BTRFS_BLOCK_GROUP_RAID1, 2, 2, 0, XX_CSUM_SHA256 },
	{ "RAID1C3", BTRFS_BLOCK_GROUP_RAID1C3, 3, 3, 0, XX_CSUM_CRC32C },
	{ "RAID1C4", BTRFS_BLOCK_GROUP_RAID1C4, 4, 4, 0, XX_CSUM_BLAKE2B },
	{ "RAID10", BTRFS_BLOCK_GROUP_RAID10, 4, 2, 0, XX_CSUM_CRC32C },
	{ "RAID5 of two", BTRFS_BLOCK_GROUP_RAID5, 2, 1, 1, XX_CSUM_CRC32C },
	{ "RAID5", BTRFS_BLOCK_GROUP_RAID5, 4, 1, 1, XX_CSUM_XXHASH64 },
	{ "RAID6 of three", BTRFS_BLOCK_GROUP_RAID6, 3, 1, 2, XX_CSUM_CRC32C },
	{ "RAID6", BTRFS_BLOCK_GROUP_RAID6, 5, 1, 2, XX_CSUM_CRC32C },
};

static void make(struct fixture *f, const struct row *row)
{
	const struct fixture_options options = { .profile = row->profile, .devices = row->devices, .csum = row->csum };

	fixture_init(f, &options);
}

static bool redundant(const struct row *row)
{
	return row->copies > 1 || row->parity > 0;
}

/* The sum of what was found is what became of it, all was read, and nothing but @kind was found, @number times. */
static void expect(const struct row *row, const char *what, const struct run *run, enum scrub_kind kind,
		   uint64_t number)
{
	cr_assert_eq(run->created, 0, "%s, %s", row->name, what);
	cr_assert_eq(run->result, 0, "%s, %s", row->name, what);
	cr_assert_eq(run->progress.bytes_done, run->progress.bytes_total, "%s, %s", row->name, what);
	cr_assert_not(run->over);
	cr_assert_eq(run->counts.found[kind], number, "%s, %s: %llu %s", row->name, what,
		     (unsigned long long)run->counts.found[kind], scrub_kind_name(kind));
	cr_assert_eq(scrub_counts_found(&run->counts), number, "%s, %s", row->name, what);
	cr_assert_eq(run->counts.corrected + run->counts.repairable + run->counts.uncorrectable, number);
	cr_assert_eq(run->finding_count, number);
	cr_assert_eq(run->counts.unverified_bytes, 0);
}

/* Damage is found read-only without a change, then repaired, unless it is to be lost. */
static void found_and_repaired(const struct row *row, struct fixture *f, const char *what, enum scrub_kind kind,
			       uint64_t number, bool lost, uint64_t pristine)
{
	const uint64_t damaged = fixture_hash(f);
	struct run look = { .options = { .read_only = true, .ring = { .engine = XX_ENGINE_MEMORY } } };
	struct run repair = { .options = { .ring = { .engine = XX_ENGINE_MEMORY } } };

	cr_assert_neq(damaged, pristine, "%s, %s: no damage was done", row->name, what);
	run_scrub(f, &look);
	expect(row, what, &look, kind, number);
	cr_assert_eq(look.counts.uncorrectable, lost ? number : 0, "%s, %s", row->name, what);
	cr_assert_eq(fixture_hash(f), damaged, "%s, %s: something was written", row->name, what);
	run_scrub(f, &repair);
	expect(row, what, &repair, kind, number);
	cr_assert_eq(repair.counts.corrected, lost ? 0 : number, "%s, %s", row->name, what);
	cr_assert_eq(fixture_hash(f) == pristine, !lost, "%s, %s", row->name, what);
	run_release(&look);
	run_release(&repair);
}

#define EACH_PROFILE(test)                                                      \
	ParameterizedTestParameters(scrub_engine, test)                         \
	{                                                                       \
		static size_t index[XX_ARRAY_SIZE(rows)];                       \
		for (size_t i = 0; i < XX_ARRAY_SIZE(rows); i++)                \
			index[i] = i;                                           \
		return cr_make_param_array(size_t, index, XX_ARRAY_SIZE(rows)); \
	}                                                                       \
	ParameterizedTest(size_t *at, scrub_engine, test)

/* Garbage fills what is free: nothing is found. All that was planned is read. */
EACH_PROFILE(clean)
{
	const struct row *row = &rows[*at];
	struct fixture f;
	struct run run = { .options = { .ring = { .engine = XX_ENGINE_MEMORY } } };
	uint64_t pristine;

	make(&f, row);
	pristine = fixture_hash(&f);
	run_scrub(&f, &run);
	expect(row, "clean", &run, SCRUB_DATA, 0);
	cr_assert_eq(run.counts.super_bytes, row->devices * UINT64_C(2) * 4096);
	if (row->parity == 0)
		cr_assert_eq(run.counts.data_bytes, row->copies * (FIXTURE_SUMMED + FIXTURE_NOCOW + FIXTURE_PREALLOC));
	cr_assert_eq(run.counts.tree_blocks, row->copies * UINT64_C(5));
	cr_assert_eq(run.counts.data_extents, 3);
	cr_assert_eq(fixture_hash(&f), pristine);
	cr_assert_eq(f.messages, 0, "%s", f.said);
	run_release(&run);
	fixture_release(&f);
}

/* One sector of data, in each copy; then in all. */
EACH_PROFILE(data)
{
	const struct row *row = &rows[*at];
	struct fixture f;
	uint64_t pristine;
	uint64_t logical;

	make(&f, row);
	pristine = fixture_hash(&f);
	logical = f.summed + 77 * UINT64_C(4096);
	for (unsigned copy = 0; copy < row->copies; copy++) {
		const struct xx_btrfs_place place = fixture_place(&f, logical, copy);

		fixture_damage(&f, place, 4096);
		found_and_repaired(row, &f, "one copy", SCRUB_DATA, 1, !redundant(row), pristine);
		if (!redundant(row))
			fixture_damage(&f, place, 4096);
	}
	for (unsigned copy = 0; copy < row->copies; copy++)
		fixture_damage(&f, fixture_place(&f, logical, copy), 1);
	if (row->parity == 0)
		found_and_repaired(row, &f, "all copies", SCRUB_DATA, row->copies, true, pristine);
	fixture_release(&f);
}

/* What is told of one bad sector: its place, and its file. */
EACH_PROFILE(names)
{
	const struct row *row = &rows[*at];
	struct fixture f;
	struct run run = { .options = { .read_only = true, .ring = { .engine = XX_ENGINE_MEMORY } } };
	const enum scrub_state state = redundant(row) ? SCRUB_REPAIRABLE : SCRUB_LOST;
	uint64_t logical;
	struct xx_btrfs_place place;

	make(&f, row);
	logical = f.summed + 9 * UINT64_C(4096);
	place = fixture_place(&f, logical, 0);
	fixture_damage(&f, place, 10);
	run_scrub(&f, &run);
	expect(row, "names", &run, SCRUB_DATA, 1);
	cr_assert_eq(run.findings[0].physical, place.physical);
	cr_assert_eq(run.findings[0].logical, logical);
	cr_assert_eq(run.findings[0].length, 4096);
	cr_assert_eq(run.findings[0].state, state);
	cr_assert_eq(run.file_count, 1);
	cr_assert_str_eq(run.files[0].path, "summed");
	cr_assert_eq(run.files[0].offset, 9 * UINT64_C(4096));
	cr_assert_eq(run.files[0].length, 4096);
	cr_assert_eq(run.files[0].state, state);
	run_release(&run);
	fixture_release(&f);
}

/* A tree block counts as one, however much of it is bad. */
EACH_PROFILE(trees)
{
	const struct row *row = &rows[*at];
	struct fixture f;
	uint64_t pristine;
	uint64_t blocks[5];

	make(&f, row);
	pristine = fixture_hash(&f);
	memcpy(blocks, (uint64_t[]){ f.chunk_tree, f.root_tree, f.extent_tree, f.csum_tree, f.fs_tree },
	       sizeof(blocks));
	for (size_t i = 0; i < XX_ARRAY_SIZE(blocks) && redundant(row); i++) {
		for (unsigned copy = 0; copy < row->copies; copy++) {
			fixture_damage(&f, fixture_place(&f, blocks[i], copy), FIXTURE_NODE);
			found_and_repaired(row, &f, "tree", SCRUB_TREE, 1, false, pristine);
		}
	}
	fixture_release(&f);
}

EACH_PROFILE(parity)
{
	const struct row *row = &rows[*at];
	struct fixture f;
	uint64_t pristine;
	uint64_t logical;

	make(&f, row);
	pristine = fixture_hash(&f);
	logical = f.summed + 33 * UINT64_C(4096);
	for (unsigned q = 0; q < row->parity; q++) {
		fixture_damage(&f, fixture_place(&f, logical, 1 + q), 4096);
		found_and_repaired(row, &f, "parity", SCRUB_PARITY, 1, false, pristine);
	}
	if (row->parity == 2) {
		fixture_damage(&f, fixture_place(&f, logical, 1), 4096);
		fixture_damage(&f, fixture_place(&f, logical, 2), 4096);
		found_and_repaired(row, &f, "P and Q", SCRUB_PARITY, 2, false, pristine);
	}
	fixture_release(&f);
}

/* Without checksums: copies are compared, and the majority is right; with P and Q both, what is bad is found. */
EACH_PROFILE(unsummed)
{
	const struct row *row = &rows[*at];
	struct fixture f;
	const bool majority = row->copies > 2 || row->parity == 2;
	uint64_t pristine;

	make(&f, row);
	pristine = fixture_hash(&f);
	fixture_damage(&f, fixture_place(&f, f.nocow + 5 * UINT64_C(4096), row->copies - 1), 4096);
	if (redundant(row)) {
		/* With one column of data, P and Q are copies of it: as good as three. */
		found_and_repaired(row, &f, "unsummed", SCRUB_UNSUMMED_MISMATCH, 1, !majority, pristine);
	} else {
		struct run run = { .options = { .ring = { .engine = XX_ENGINE_MEMORY } } };

		run_scrub(&f, &run);
		expect(row, "unsummed", &run, SCRUB_DATA, 0);
		run_release(&run);
	}
	fixture_release(&f);
}

/* What was preallocated and not written may be anything, in each copy. */
EACH_PROFILE(unwritten)
{
	const struct row *row = &rows[*at];
	struct fixture f;
	struct run run = { .options = { .ring = { .engine = XX_ENGINE_MEMORY } } };

	make(&f, row);
	/* In a row of its own, behind all that was written: what shares one has a parity that counts. */
	fixture_damage(&f, fixture_place(&f, f.prealloc + FIXTURE_PREALLOC - 4096, 0), 4096);
	run_scrub(&f, &run);
	if (row->parity == 0)
		expect(row, "unwritten", &run, SCRUB_DATA, 0);
	run_release(&run);
	fixture_release(&f);
}

EACH_PROFILE(supers)
{
	const struct row *row = &rows[*at];
	struct fixture f;
	uint64_t pristine;

	make(&f, row);
	pristine = fixture_hash(&f);
	for (unsigned copy = 0; copy < 2; copy++) {
		const struct xx_btrfs_place place = { .devid = row->devices, .physical = xx_btrfs_super_offset(copy) };

		fixture_damage(&f, place, 4096);
		found_and_repaired(row, &f, "superblock", SCRUB_SUPER, 1, false, pristine);
	}
	fixture_release(&f);
}

/* Without a device: what lies on it is unverified, exactly what is missing in the total. */
EACH_PROFILE(missing)
{
	const struct row *row = &rows[*at];
	struct fixture f;
	struct run all = { .options = { .read_only = true, .ring = { .engine = XX_ENGINE_MEMORY } } };

	make(&f, row);
	run_scrub(&f, &all);
	run_release(&all);
	for (unsigned missing = 0; missing < row->devices && row->devices > 1 && redundant(row); missing++) {
		struct run run = { .options = all.options };

		memcpy(run.devices, f.devices, sizeof(run.devices));
		run.devices[missing] = NULL;
		run_scrub(&f, &run);
		cr_assert_eq(run.created, 0, "%s", row->name);
		cr_assert_eq(run.result, 0);
		cr_assert_eq(run.progress.bytes_done, run.progress.bytes_total);
		cr_assert_eq(scrub_counts_found(&run.counts), 0, "%s without %u", row->name, missing + 1);
		/* Superblocks of the missing one are nobody's plan. */
		cr_assert_eq(run.counts.unverified_bytes + run.progress.bytes_total + UINT64_C(2) * 4096,
			     all.progress.bytes_total, "%s without %u", row->name, missing + 1);
		cr_assert_eq(run.unverified_bytes, run.counts.unverified_bytes);
		run_release(&run);
	}
	fixture_release(&f);
}

/* Cut short again and again, all is counted once. */
EACH_PROFILE(resume)
{
	const struct row *row = &rows[*at];
	struct fixture f;
	struct run whole = { .options = { .read_only = true, .memory = SCRUB_MEMORY_MIN } };
	struct run parts[64];
	unsigned n = 0;

	make(&f, row);
	whole.options.ring.engine = XX_ENGINE_MEMORY;
	fixture_damage(&f, fixture_place(&f, f.summed, 0), 4096);
	fixture_damage(&f, fixture_place(&f, f.prealloc, 0), 4096);
	run_scrub(&f, &whole);
	run_release(&whole);
	memset(&parts[0], 0, sizeof(parts[0]));
	parts[0].options = whole.options;
	parts[0].options.position = NULL;
	parts[0].options.counts_count = 0;
	parts[0].options.checkpoint_ms = 1;
	parts[0].cancel_after = 1;
	run_scrub(&f, &parts[0]);
	while (parts[n].result == -ECANCELED && n + 1 < XX_ARRAY_SIZE(parts)) {
		memset(&parts[n + 1], 0, sizeof(parts[n + 1]));
		parts[n + 1].options = parts[0].options;
		parts[n + 1].cancel_after = n < 40 ? 1 : 0;
		run_resume(&f, &parts[n + 1], &parts[n]);
		cr_assert_not(parts[n + 1].over);
		n++;
	}
	cr_assert_eq(parts[n].result, 0);
	cr_assert_eq(parts[n].progress.bytes_done, whole.progress.bytes_total, "%s", row->name);
	cr_assert_arr_eq(&parts[n].counts, &whole.counts, sizeof(whole.counts), "%s", row->name);
	run_release(&parts[n]);
	fixture_release(&f);
}

Test(scrub_engine, missing_and_extra_sums)
{
	const struct fixture_options options = {
		.profile = BTRFS_BLOCK_GROUP_RAID1,
		.devices = 2,
		.leave_out_sum = true,
		.extra_sum = true,
	};
	struct run run = { .options = { .ring = { .engine = XX_ENGINE_MEMORY } } };
	struct fixture f;

	fixture_init(&f, &options);
	run_scrub(&f, &run);
	cr_assert_eq(run.result, 0);
	cr_assert_eq(run.counts.found[SCRUB_MISSING_SUM], 1);
	cr_assert_eq(run.counts.found[SCRUB_EXTRA_SUM], 1);
	cr_assert_eq(scrub_counts_found(&run.counts), 2);
	cr_assert_eq(run.counts.uncorrectable, 2);
	cr_assert_eq(run.file_count, 1);
	cr_assert_str_eq(run.files[0].path, "summed");
	cr_assert_eq(run.files[0].offset, 4096);
	run_release(&run);
	fixture_release(&f);
}

/* Opened for reading, it cannot be repaired. */
Test(scrub_engine, memory_is_bounded_from_below)
{
	const struct fixture_options options = { .devices = 1 };
	struct run run = { .options = { .memory = 1 << 20 } };
	struct fixture f;

	fixture_init(&f, &options);
	run_scrub(&f, &run);
	cr_assert_eq(run.created, -EINVAL);
	cr_assert_eq(f.messages, 1);
	fixture_release(&f);
}
