/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_order.c - the order of the writes that make a file system, seen by a recorder: the old signatures first, the
 * primary superblock last, flushes between; one write for each group, and no read.
 */
#include <criterion/criterion.h>
#include <string.h>

#include <xx/units.h>

#include "tests/support/mkfs_fixture.h"

#define SIZE (512 * XX_MIB)

static struct xx_device *memory, *recorder;

static void setup(void)
{
	const struct xx_memory_options options = { .size = SIZE };

	cr_assert_eq(xx_device_memory_create(NULL, &options, &memory), 0);
	cr_assert_eq(xx_device_recorder_create(NULL, memory, &recorder), 0);
}

static void teardown(void)
{
	cr_assert_eq(xx_device_close(recorder), 0);
	cr_assert_eq(xx_device_close(memory), 0);
}

/* Makes a file system, and leaves the records of this. */
static void make(const char *const options[], struct xx_xfs_geometry *geo)
{
	struct mkfs_probe probe = mkfs_fixture_probe(memory);
	struct mkfs_fixture fixture;

	xx_recorder_reset(recorder);
	mkfs_fixture_init(&fixture, recorder, XX_ENGINE_MEMORY, &probe, options);
	cr_assert_eq(mkfs_write(&fixture.run), 0, "%s", fixture.message);
	*geo = fixture.geo;
	mkfs_fixture_release(&fixture);
}

static const struct xx_record *last_of(enum xx_record_kind kind, size_t *index)
{
	for (size_t i = xx_recorder_count(recorder); i-- > 0;) {
		if (xx_recorder_get(recorder, i)->kind == kind) {
			*index = i;
			return xx_recorder_get(recorder, i);
		}
	}
	return NULL;
}

static bool holds_superblock(const struct xx_record *record)
{
	return record->kind == XX_RECORD_WRITE && record->offset == 0 && record->length >= 4 &&
	       memcmp(record->data, "XFSB", 4) == 0;
}

TestSuite(mkfs_order, .init = setup, .fini = teardown);

Test(mkfs_order, the_primary_superblock_is_last_between_two_flushes)
{
	const struct xx_record *record;
	struct xx_xfs_geometry geo;
	size_t last, n;

	make(NULL, &geo);
	n = xx_recorder_count(recorder);
	record = last_of(XX_RECORD_WRITE, &last);
	cr_assert_not_null(record);
	cr_assert(holds_superblock(record));
	cr_assert_eq(record->length, geo.sector_size);
	cr_assert_eq(last, n - 2);
	cr_assert_eq(xx_recorder_get(recorder, n - 1)->kind, XX_RECORD_FLUSH);
	cr_assert_eq(xx_recorder_get(recorder, n - 3)->kind, XX_RECORD_FLUSH);
	for (size_t i = 0; i < last; i++)
		cr_assert_not(holds_superblock(xx_recorder_get(recorder, i)), "record %zu of %zu", i, n);
}

Test(mkfs_order, nothing_is_flushed_before_on_an_empty_device)
{
	struct xx_xfs_geometry geo;
	unsigned flushes = 0;

	make(NULL, &geo);
	for (size_t i = 0; i < xx_recorder_count(recorder); i++)
		flushes += xx_recorder_get(recorder, i)->kind == XX_RECORD_FLUSH;
	cr_assert_eq(flushes, 2);
}

Test(mkfs_order, the_old_signature_goes_first_and_alone)
{
	struct xx_xfs_geometry geo;
	const struct xx_record *record;

	make(NULL, &geo);
	make(NULL, &geo);
	record = xx_recorder_get(recorder, 0);
	cr_assert_eq(record->kind, XX_RECORD_WRITE);
	cr_assert_eq(record->offset, 0);
	cr_assert_eq(record->length, 512);
	cr_assert_eq(*(const char *)record->data, 0);
	cr_assert_eq(xx_recorder_get(recorder, 1)->kind, XX_RECORD_FLUSH);
	record = xx_recorder_get(recorder, 2);
	cr_assert_eq(record->offset, 0);
	cr_assert_eq(record->length, MKFS_END_BYTES);
	cr_assert_eq(xx_recorder_get(recorder, 3)->kind, XX_RECORD_FLUSH);
}

Test(mkfs_order, each_group_is_one_write_and_nothing_is_read)
{
	static const char *const options[] = { "--unsupported", "-d", "agcount=29", NULL };
	unsigned writes[29] = { 0 };
	struct xx_xfs_geometry geo;

	make(options, &geo);
	cr_assert_eq(geo.ag_count, 29);
	for (size_t i = 0; i < xx_recorder_count(recorder); i++) {
		const struct xx_record *record = xx_recorder_get(recorder, i);
		const uint64_t head = (uint64_t)geo.root_block.first_free * geo.block_size;
		const uint64_t group_bytes = (uint64_t)geo.ag_blocks * geo.block_size;
		const uint64_t agno = record->offset / group_bytes;

		cr_assert_neq(record->kind, XX_RECORD_READ);
		if (record->kind != XX_RECORD_WRITE || record->offset % group_bytes >= head)
			continue;
		if (holds_superblock(record))
			continue;
		cr_assert_eq(record->offset, xx_xfs_ag_offset(&geo, (uint32_t)agno, 0));
		cr_assert_eq(record->length, head);
		writes[agno]++;
	}
	for (unsigned i = 0; i < XX_ARRAY_SIZE(writes); i++)
		cr_assert_eq(writes[i], 1, "group %u: %u writes", i, writes[i]);
}

Test(mkfs_order, no_two_writes_between_flushes_overlap)
{
	static const char *const smaller[] = { "--unsupported", "-d", "agcount=7", NULL };
	struct xx_xfs_geometry geo;

	make(NULL, &geo);
	make(smaller, &geo);
	for (size_t i = 0; i < xx_recorder_count(recorder); i++) {
		const struct xx_record *a = xx_recorder_get(recorder, i);

		for (size_t j = i + 1; a->kind == XX_RECORD_WRITE && j < xx_recorder_count(recorder); j++) {
			const struct xx_record *b = xx_recorder_get(recorder, j);

			if (b->kind == XX_RECORD_FLUSH)
				break;
			cr_assert(b->kind != XX_RECORD_WRITE || a->offset + a->length <= b->offset ||
					  b->offset + b->length <= a->offset,
				  "records %zu and %zu", i, j);
		}
	}
}

Test(mkfs_order, old_secondaries_are_wiped)
{
	static const char *const few[] = { "--unsupported", "-d", "agcount=3", NULL };
	static const char *const many[] = { "--unsupported", "-d", "agcount=29", NULL };
	struct xx_xfs_geometry old, geo;
	char magic[4];

	make(many, &old);
	make(few, &geo);
	for (uint32_t agno = 1; agno < old.ag_count; agno++) {
		const uint64_t offset = xx_xfs_ag_offset(&old, agno, 0);

		cr_assert_eq(xx_device_read(memory, offset, magic, sizeof(magic)), 0);
		if (offset % ((uint64_t)geo.ag_blocks * geo.block_size) != 0)
			cr_assert_neq(memcmp(magic, "XFSB", 4), 0, "group %u", agno);
	}
}

static int stop_at_once(void)
{
	return 1;
}

Test(mkfs_order, a_signal_before_the_first_write_leaves_all_as_it_was)
{
	struct mkfs_fixture fixture;

	mkfs_fixture_init(&fixture, recorder, XX_ENGINE_MEMORY, NULL, NULL);
	fixture.run.stopped = stop_at_once;
	cr_assert_eq(mkfs_write(&fixture.run), -EINTR);
	cr_assert_eq(xx_recorder_count(recorder), 0);
	cr_assert_eq(fixture.messages, 1);
	mkfs_fixture_release(&fixture);
}
