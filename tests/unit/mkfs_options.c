/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_options.c - the command line of mkfs.xx: every row, and what rows do to each other.
 */
#include <errno.h>
#include <inttypes.h>

#include <xx/units.h>

#include "tools/values.h"
#include "mkfs/xfs_help.h"
#include "mkfs/xfs_option_rows.h"
#include "mkfs_parse.h"

/* A word that the row takes as a value. */
static void good_value(char *buf, size_t size, const struct tool_row *row)
{
	if (row->kind == TOOL_TEXT)
		snprintf(buf, size, "/x");
	else if (row->kind == TOOL_REFUSED)
		snprintf(buf, size, "0");
	else if (row->max == 0)
		snprintf(buf, size, "12345678-1234-1234-1234-123456789abc");
	else
		snprintf(buf, size, "%" PRIu64, row->min);
}

static bool is_numeric(const struct tool_row *row)
{
	return row->kind == TOOL_SWITCH || row->kind == TOOL_NUMBER || row->kind == TOOL_SIZE ||
	       row->kind == TOOL_LATE_SIZE;
}

static const struct tool_row *row_at(size_t i)
{
	return &mkfs_xfs_table.rows[i];
}

Test(options, every_row_is_whole)
{
	for (size_t i = 1; i < mkfs_xfs_table.row_count; i++) {
		const struct tool_row *row = row_at(i);

		cr_assert(row->letter && row->name && row->help, "row %zu", i);
		cr_expect_leq(row->min, row->max, "-%c %s", row->letter, row->name);
		cr_expect(row->kind == TOOL_SWITCH || row->kind == TOOL_REFUSED || row->value, "-%c %s", row->letter,
			  row->name);
		cr_expect_eq(tool_options_find(&mkfs_xfs_table, row->letter, row->name, false), row,
			     "-%c %s is there once", row->letter, row->name);
		cr_expect(!is_numeric(row) || row->kind == TOOL_REFUSED || row->field || i == B_SIZE, "-%c %s",
			  row->letter, row->name);
	}
}

Test(options, every_row_takes_its_ends_and_nothing_beyond)
{
	for (size_t i = 1; i < mkfs_xfs_table.row_count; i++) {
		const struct tool_row *row = row_at(i);
		char line[128];

		if (!is_numeric(row))
			continue;
		if (row->min > 0) {
			snprintf(line, sizeof(line), "-%c %s=%" PRIu64 " -r rtdev=/r /x", row->letter, row->name,
				 row->min - 1);
			refused_as(line, -EINVAL, "too small; allowed: ");
		}
		snprintf(line, sizeof(line), "-%c %s=%" PRIu64 " -r rtdev=/r /x", row->letter, row->name, row->max + 1);
		refused_as(line, -EINVAL, "too large; allowed: ");
		snprintf(line, sizeof(line), "-%c %s=frog -r rtdev=/r /x", row->letter, row->name);
		refused_as(line, -EINVAL, "not a number; allowed: ");
		snprintf(line, sizeof(line), "-%c %s=1x -r rtdev=/r /x", row->letter, row->name);
		refused_as(line, -EINVAL, "suffix");
	}
}

Test(options, both_ends_of_a_range_are_in_it)
{
	for (size_t i = 1; i < mkfs_xfs_table.row_count; i++) {
		const struct tool_row *row = row_at(i);

		for (int end = 0; is_numeric(row) && end < 2; end++) {
			uint64_t value = end ? row->max : row->min;
			struct parsed parsed;
			struct tool_num *num;
			char line[128];

			if (i == D_FILE || i == L_INTERNAL || i == R_FILE)
				continue;
			snprintf(line, sizeof(line), "-%c %s=%" PRIu64 " -r rtdev=/r /x", row->letter, row->name,
				 value);
			parse(&parsed, line);
			cr_expect_eq(parsed.ret, 0, "%s: %s", line, parsed.message);
			num = (struct tool_num *)((char *)&parsed.opt + row->field);
			cr_expect(num->given, "%s", line);
			cr_expect_eq(num->value, value, "%s", line);
			parse_end(&parsed);
		}
	}
}

Test(options, powers_of_two)
{
	for (size_t i = 1; i < mkfs_xfs_table.row_count; i++) {
		const struct tool_row *row = row_at(i);
		char line[64];

		if (!(row->flags & TOOL_POWER2))
			continue;
		snprintf(line, sizeof(line), "-%c %s=%" PRIu64 " /x", row->letter, row->name, row->min + 1);
		refused_as(line, -EINVAL, "not a power of two");
	}
}

Test(options, without_a_value)
{
	for (size_t i = 1; i < mkfs_xfs_table.row_count; i++) {
		const struct tool_row *row = row_at(i);
		struct parsed parsed;
		char line[64];

		snprintf(line, sizeof(line), "-%c %s /x", row->letter, row->name);
		if (i == D_FILE) {
			refused_as(line, -EINVAL, "-d file needs -d name and -d size too");
		} else if (row->kind == TOOL_REFUSED) {
			refused_as(line, -EOPNOTSUPP, "is not supported");
		} else if (row->kind == TOOL_SWITCH || (row->flags & TOOL_BARE)) {
			parse(&parsed, line);
			cr_expect_eq(parsed.ret, 0, "%s: %s", line, parsed.message);
			cr_expect_eq(((struct tool_num *)((char *)&parsed.opt + row->field))->value,
				     row->kind == TOOL_SWITCH ? 1 : UINT64_MAX, "%s", line);
			parse_end(&parsed);
		} else {
			refused_as(line, -EINVAL, "needs a value");
		}
	}
}

Test(options, twice_is_once_too_often)
{
	for (size_t i = 1; i < mkfs_xfs_table.row_count; i++) {
		const struct tool_row *row = row_at(i);
		char line[256], value[64];

		good_value(value, sizeof(value), row);
		if (row->flags & TOOL_AGAIN)
			continue;
		snprintf(line, sizeof(line), "-%c %s=%s,%s=%s", row->letter, row->name, value, row->name, value);
		refused_as(line, -EINVAL, "is given twice");
		snprintf(line, sizeof(line), "-%c %s=%s -%c %s=%s", row->letter, row->name, value, row->letter,
			 row->name, value);
		refused_as(line, -EINVAL, "is given twice");
	}
	refused_as("-d name=/x /y", -EINVAL, "-d name is given twice");
}

Test(options, conflicts_in_either_order)
{
	for (size_t i = 1; i < mkfs_xfs_table.row_count; i++) {
		const struct tool_row *row = row_at(i);

		for (size_t c = 0; c < TOOL_CONFLICTS && row->conflicts[c]; c++) {
			const struct tool_row *other = row_at(row->conflicts[c]);
			char line[256], value[64], other_value[64];

			good_value(value, sizeof(value), row);
			good_value(other_value, sizeof(other_value), other);
			snprintf(line, sizeof(line), "-%c %s=%s -%c %s=%s /x", row->letter, row->name, value,
				 other->letter, other->name, other_value);
			refused_as(line, -EINVAL, "cannot be given together");
			snprintf(line, sizeof(line), "-%c %s=%s -%c %s=%s /x", other->letter, other->name, other_value,
				 row->letter, row->name, value);
			refused_as(line, -EINVAL, "cannot be given together");
		}
	}
}

Test(options, messages_point_to_help)
{
	refused_as("-d agcount=0 /x", -EINVAL, "-d agcount=0: too small; allowed: 1 to 4294967294; see mkfs.xx --help");
	refused_as("-b size=3k /x", -EINVAL, "allowed: 1k to 64k, a power of two");
	refused_as("-d size=1m /x", -EINVAL, "allowed: 16m to less than 8e");
	refused_as("-i nrext64=2 /x", -EINVAL, "allowed: 0 or 1");
	refused_as("-n version=3 /x", -EINVAL, "allowed: 2;");
	refused_as("-d agsize=-1 /x", -EINVAL, "below nought");
	refused_as("-d size=99999999999999999999 /x", -EINVAL, "more than 64 bits hold");
	refused_as("-d frog=1 /x", -EINVAL, "-d frog: unknown; known: agcount agsize");
	refused_as("-d ,agcount=4 /x", -EINVAL, "-d : unknown");
	refused_as("-m uuid=frog /x", -EINVAL, "not a UUID");
	refused_as("-L thirteenbytes /x", -EINVAL, "allowed: 12 bytes");
	refused_as("-n version=ci /x", -EOPNOTSUPP, "ignore case");
	refused_as("-p proto /x", -EOPNOTSUPP, "-p proto is not supported");
	refused_as("-m metadir=1 /x", -EOPNOTSUPP, "-m metadir is not supported");
	refused_as("-t btrfs /x", -EOPNOTSUPP, "allowed: xfs");
	refused_as("--type=ext4 /x", -EINVAL, "allowed: xfs");
	refused_as("--queue-depth=0 /x", -EINVAL, "allowed: 1 to 4096");
	refused_as("--queue-depth=x /x", -EINVAL, "allowed: 1 to 4096");
	refused_as("--io-engine=frog /x", -EINVAL, "allowed: auto, uring, aio, threads");
	refused_as("-z /x", -EINVAL, "-z: unknown option");
	refused_as("--frog /x", -EINVAL, "--frog: unknown option");
	refused_as("--json=1 /x", -EINVAL, "--json=1: ");
	refused_as("-d", -EINVAL, "-d: needs a value");
	refused_as("--compat", -EINVAL, "--compat: needs a value");
	refused_as("/x /y", -EINVAL, "/y: one device only");
	refused_as("", -EINVAL, "No device is named");
	refused_as("-N", -EINVAL, "No device is named");
}

Test(options, what_must_go_together)
{
	refused_as("-d file,size=1g", -EINVAL, "-d file needs");
	refused_as("-l file,name=/l /x", -EINVAL, "-l file needs");
	refused_as("-l internal=0 /x", -EINVAL, "-l internal=0 needs");
	refused_as("-r size=1g /x", -EINVAL, "-r size=1g needs");
	refused_as("-r file,name=/r /x", -EINVAL, "-r file needs");
}

Test(options, plain)
{
	struct parsed parsed;

	parse(&parsed, "/dev/x");
	cr_assert_eq(parsed.ret, 0);
	cr_expect_str_eq(parsed.opt.data_name, "/dev/x");
	cr_expect_str_eq(parsed.opt.type, "xfs");
	cr_expect_eq(parsed.opt.compat, -1);
	cr_expect(!parsed.opt.log_name && !parsed.opt.rt_name && !parsed.opt.label);
	cr_expect_eq(parsed.opt.io_engine, XX_ENGINE_AUTO);
	cr_expect(!parsed.opt.force && !parsed.opt.dry_run && !parsed.opt.quiet && !parsed.opt.no_discard);
	cr_expect(!parsed.opt.json && !parsed.opt.progress && !parsed.opt.verbose && !parsed.opt.unsupported);
	for (size_t i = 1; i < mkfs_xfs_table.row_count; i++) {
		if (is_numeric(row_at(i)))
			cr_expect(!((struct tool_num *)((char *)&parsed.opt + row_at(i)->field))->given, "%s",
				  row_at(i)->name);
	}
	cr_expect_eq(parsed.messages, 0);
	parse_end(&parsed);
}

Test(options, flags)
{
	struct parsed parsed;

	parse(&parsed, "-f -N -K -q -v -L twelve_bytes --json --progress --io-engine=threads --queue-depth=7 "
		       "--unsupported --type=xfs /x");
	cr_assert_eq(parsed.ret, 0, "%s", parsed.message);
	cr_expect(parsed.opt.force && parsed.opt.dry_run && parsed.opt.quiet && parsed.opt.no_discard);
	cr_expect(parsed.opt.json && parsed.opt.progress && parsed.opt.verbose && parsed.opt.unsupported);
	cr_expect_str_eq(parsed.opt.label, "twelve_bytes");
	cr_expect_eq(parsed.opt.io_engine, XX_ENGINE_THREADS);
	cr_expect_eq(parsed.opt.queue_depth.value, 7);
	parse_end(&parsed);

	parse(&parsed, "/x -CNL label -- ");
	cr_assert_eq(parsed.ret, 0, "%s", parsed.message);
	cr_expect(parsed.opt.force && parsed.opt.dry_run);
	cr_expect_str_eq(parsed.opt.label, "label");
	parse_end(&parsed);
}

Test(options, sizes_in_blocks_and_sectors_wait_for_these)
{
	struct parsed parsed;

	parse(&parsed, "-d size=100000b,agsize=9000b -l size=20000S -b size=8k -s size=4096 /x");
	cr_assert_eq(parsed.ret, 0, "%s", parsed.message);
	cr_expect_eq(parsed.opt.data_size.value, 100000 * 8192);
	cr_expect_eq(parsed.opt.ag_size.value, 9000 * 8192);
	cr_expect_eq(parsed.opt.log_size.value, 20000 * 4096);
	cr_expect(!parsed.opt.needs_sector);
	parse_end(&parsed);

	refused_as("-b size=4b /x", -EINVAL, "unknown suffix");
	refused_as("-b size=4s /x", -EINVAL, "unknown suffix");
	refused_as("-d size=4000b /x", -EINVAL, "-d size=4000b: too small");
}

Test(options, sectors_of_the_device)
{
	struct parsed parsed;

	parse(&parsed, "-d size=8000s,agsize=6000s /x");
	cr_assert_eq(parsed.ret, 0, "%s", parsed.message);
	cr_expect(parsed.opt.needs_sector);
	cr_expect_eq(parsed.opt.data_size.value, 8000 * 512);
	cr_assert_eq(mkfs_xfs_options_set_sector(parsed.ctx, &parsed.opt, 4096), 0);
	cr_expect(!parsed.opt.needs_sector);
	cr_expect_eq(parsed.opt.data_size.value, 8000 * 4096);
	cr_expect_eq(parsed.opt.ag_size.value, 6000 * 4096);
	cr_expect_eq(mkfs_xfs_options_set_sector(parsed.ctx, &parsed.opt, 512), 0);
	cr_expect_eq(parsed.opt.data_size.value, 8000 * 4096, "the second time does nothing");
	parse_end(&parsed);

	parse(&parsed, "-d size=8000s /x");
	cr_assert_eq(parsed.ret, 0);
	cr_expect_eq(mkfs_xfs_options_set_sector(parsed.ctx, &parsed.opt, 512), -EINVAL);
	cr_expect_eq(parsed.messages, 1);
	parse_end(&parsed);
}

Test(options, sector_sizes)
{
	struct parsed parsed;

	parse(&parsed, "-d sectsize=4096 /x");
	cr_expect_eq(parsed.opt.sector_size.value, 4096);
	cr_expect(!parsed.opt.log_sector_size.given);
	parse_end(&parsed);

	parse(&parsed, "-s size=4096 /x");
	cr_expect_eq(parsed.opt.sector_size.value, 4096);
	cr_expect_eq(parsed.opt.log_sector_size.value, 4096);
	parse_end(&parsed);

	parse(&parsed, "-l sectsize=512 -s sectsize=4096 /x");
	cr_expect_eq(parsed.opt.log_sector_size.value, 4096);
	parse_end(&parsed);

	parse(&parsed, "-s size=4096 -l sectsize=512 /x");
	cr_expect_eq(parsed.opt.log_sector_size.value, 512);
	parse_end(&parsed);
}

Test(options, logs_and_realtime_devices)
{
	struct parsed parsed;

	parse(&parsed, "-l logdev=/l -r rtdev=/r,extsize=64k,size=1g -d name=/d");
	cr_assert_eq(parsed.ret, 0, "%s", parsed.message);
	cr_expect_str_eq(parsed.opt.log_name, "/l");
	cr_expect_str_eq(parsed.opt.rt_name, "/r");
	cr_expect_str_eq(parsed.opt.data_name, "/d");
	cr_expect(parsed.opt.log_internal.given && parsed.opt.log_internal.value == 0);
	cr_expect_eq(parsed.opt.rt_extent_size.value, 65536);
	cr_expect_eq(parsed.opt.rt_size.value, XX_GIB);
	parse_end(&parsed);

	parse(&parsed, "-l name=/l,file,size=100m -r name=/r,file=1,size=1g -d file=1,size=1g /x");
	cr_assert_eq(parsed.ret, 0, "%s", parsed.message);
	cr_expect(parsed.opt.log_file.value && parsed.opt.rt_file.value && parsed.opt.data_file.value);
	parse_end(&parsed);
}

Test(options, the_last_uuid_counts)
{
	struct parsed parsed;
	const uint8_t wanted[16] = { 0x12, 0x34, 0x56, 0x78, 0x12, 0x34, 0x12, 0x34,
				     0x12, 0x34, 0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC };

	parse(&parsed, "-m uuid=aaaaaaaa-1234-1234-1234-123456789abc,uuid=12345678-1234-1234-1234-123456789ABC /x");
	cr_assert_eq(parsed.ret, 0, "%s", parsed.message);
	cr_expect(parsed.opt.uuid_given);
	cr_expect_arr_eq(parsed.opt.uuid, wanted, 16);
	parse_end(&parsed);
}

Test(options, concurrency)
{
	struct parsed parsed;

	parse(&parsed, "-d concurrency=nr_cpus -l concurrency=12 /x");
	cr_assert_eq(parsed.ret, 0, "%s", parsed.message);
	cr_expect_eq(parsed.opt.data_concurrency.value, UINT64_MAX);
	cr_expect_eq(parsed.opt.log_concurrency.value, 12);
	parse_end(&parsed);

	parse(&parsed, "-d concurrency=0 -l concurrency=1 /x");
	cr_expect_eq(parsed.opt.data_concurrency.value, 0);
	cr_expect_eq(parsed.opt.log_concurrency.value, UINT64_MAX);
	parse_end(&parsed);

	refused_as("-d concurrency=frog /x", -EINVAL, "not a number");
}

Test(options, empty_words_between_commas)
{
	struct parsed parsed;

	parse(&parsed, "-d agcount=4, -d noalign= /x");
	cr_assert_eq(parsed.ret, 0, "%s", parsed.message);
	cr_expect_eq(parsed.opt.ag_count.value, 4);
	cr_expect_eq(parsed.opt.noalign.value, 1);
	parse_end(&parsed);
}

Test(options, help_and_version_end_it)
{
	struct parsed parsed;

	parse(&parsed, "--version -d nonsense");
	cr_expect_eq(parsed.ret, 1);
	parse_end(&parsed);
	parse(&parsed, "-V");
	cr_expect_eq(parsed.ret, 1);
	parse_end(&parsed);
	parse(&parsed, "--help");
	cr_expect_eq(parsed.ret, 1);
	cr_expect_eq(parsed.messages, 0);
	parse_end(&parsed);
}

Test(options, help_names_every_row)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	cr_assert(out);
	mkfs_xfs_help(out);
	fclose(out);
	for (size_t i = 1; i < mkfs_xfs_table.row_count; i++) {
		const struct tool_row *row = row_at(i);
		char with_value[64], bare[64];

		snprintf(with_value, sizeof(with_value), "        %s=%s", row->name, row->value ? row->value : "");
		snprintf(bare, sizeof(bare), "        %s[=%s]", row->name, row->value ? row->value : "0|1");
		if (row->kind != TOOL_REFUSED)
			cr_expect(strstr(text, with_value) || strstr(text, bare), "-%c %s", row->letter, row->name);
	}
	free(text);
}
