/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_compat.c - --compat: which features a kernel mounts.
 */
#include <errno.h>

#include <xx/units.h>

#include "mkfs/compat.h"
#include "mkfs_parse.h"

/* -1: left to the default, 0: off. */
static const struct {
	const char *kernel;
	int inobtcount, bigtime, nrext64, exchange, parent;
} kernels[] = {
	{ "linux-5.10", 0, 0, 0, 0, 0 },   { "linux-5.15", -1, -1, 0, 0, 0 },  { "linux-6.1", -1, -1, 0, 0, 0 },
	{ "linux-6.6", -1, -1, -1, 0, 0 }, { "linux-6.12", -1, -1, -1, 0, 0 },
};

static int state(const struct tool_num *num)
{
	return num->given ? (int)num->value : -1;
}

Test(compat, features_of_each_kernel)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(kernels); i++) {
		struct parsed parsed;
		char line[64];

		snprintf(line, sizeof(line), "--compat=%s /x", kernels[i].kernel);
		parse(&parsed, line);
		cr_assert_eq(parsed.ret, 0, "%s", parsed.message);
		cr_expect_str_eq(mkfs_compat_name(parsed.opt.compat), kernels[i].kernel);
		cr_expect_eq(state(&parsed.opt.inobtcount), kernels[i].inobtcount, "%s", line);
		cr_expect_eq(state(&parsed.opt.bigtime), kernels[i].bigtime, "%s", line);
		cr_expect_eq(state(&parsed.opt.nrext64), kernels[i].nrext64, "%s", line);
		cr_expect_eq(state(&parsed.opt.exchange), kernels[i].exchange, "%s", line);
		cr_expect_eq(state(&parsed.opt.parent), kernels[i].parent, "%s", line);
		cr_expect_eq(state(&parsed.opt.rmapbt), -1);
		cr_expect_eq(state(&parsed.opt.reflink), -1);
		parse_end(&parsed);
	}
}

Test(compat, names_in_the_help_are_those_of_the_table)
{
	char names[256] = "";

	for (int row = 0; mkfs_compat_name(row); row++) {
		cr_expect_eq(mkfs_compat_find(mkfs_compat_name(row)), row);
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", row ? ", " : "",
			 mkfs_compat_name(row));
	}
	cr_expect_str_eq(names, MKFS_COMPAT_NAMES);
	cr_expect_eq(mkfs_compat_find("linux-2.4"), -1);
	cr_expect_null(mkfs_compat_name(-1));
}

Test(compat, contradictions_are_refused)
{
	refused_as("--compat=linux-5.15 -i nrext64=1 /x", -EINVAL,
		   "-i nrext64=1 and --compat=linux-5.15: Linux mounts this since 5.19");
	refused_as("-i nrext64 --compat linux-5.10 /x", -EINVAL, "since 5.19");
	refused_as("--compat=linux-6.6 -i exchange=1 /x", -EINVAL, "since 6.10");
	refused_as("--compat=linux-6.6 -n parent=1 /x", -EINVAL, "since 6.10");
	refused_as("--compat=linux-4.19 /x", -EINVAL, "--compat=linux-4.19: unknown; allowed: linux-5.10, ");
}

Test(compat, what_the_kernel_mounts_may_be_asked_for)
{
	static const char *const lines[] = {
		"--compat=linux-6.1 -i nrext64=1 /x",
		"--compat=linux-5.10 -m bigtime=1,inobtcount=1 /x",
		"--compat=linux-6.12 -i exchange=1 -n parent=1 /x",
		"--compat=linux-5.10 -i nrext64=0,exchange=0 /x",
	};

	for (size_t i = 0; i < XX_ARRAY_SIZE(lines); i++) {
		struct parsed parsed;

		parse(&parsed, lines[i]);
		cr_expect_eq(parsed.ret, 0, "%s: %s", lines[i], parsed.message);
		parse_end(&parsed);
	}
}

/* Blocks larger than a page are no feature: another machine's page may hold them, so it is said and not refused. */
Test(compat, blocks_larger_than_a_page_are_warned_of)
{
	static const struct {
		const char *line;
		bool warned;
	} lines[] = {
		{ "--compat=linux-6.6 -b size=8k /x", true },
		{ "--compat=linux-5.10 -b size=64k /x", true },
		{ "--compat=linux-6.12 -b size=64k /x", false },
		{ "--compat=linux-6.6 -b size=4k /x", false },
		{ "--compat=linux-6.6 /x", false },
		{ "-b size=64k /x", false },
	};

	for (size_t i = 0; i < XX_ARRAY_SIZE(lines); i++) {
		struct parsed parsed;

		parse(&parsed, lines[i].line);
		cr_expect_eq(parsed.ret, 0, "%s: %s", lines[i].line, parsed.message);
		cr_expect_eq(parsed.messages, lines[i].warned ? 1 : 0, "%s: %s", lines[i].line, parsed.message);
		cr_expect(!lines[i].warned || strstr(parsed.message, "page size"), "%s", parsed.message);
		parse_end(&parsed);
	}
}
