/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat.c - the features of an XFS and the kernels that mount them.
 *
 * Facts: the kernel's fs/xfs/xfs_super.c and libxfs/xfs_format.h, by release: when a feature's bit is first accepted at
 * mount, and when its EXPERIMENTAL warning went (which for the older ones is what the configuration files lts_*.conf of
 * xfsprogs switch on). Features that every kernel here mounts without a warning (finobt, sparse inodes, rmapbt,
 * reflink) have no row.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <xx/context.h>
#include <xx/units.h>

#include "mkfs/compat.h"
#include "tools/options.h"
#include "mkfs/xfs_options.h"

#define LINUX(major, minor) ((major)*1000 + (minor))
#define FIELD(member)	    offsetof(struct mkfs_xfs_options, member)

/* The page of most machines. Source: xfs_super.c:xfs_fs_fill_super, the check of the block size up to 6.11. */
#define SMALL_PAGE 4096U

struct kernel {
	const char *name;
	int version;
};

struct feature {
	const char *name; /* as on the command line */
	size_t field;
	int mounted; /* by this and later kernels */
	int settled; /* no experiment since */
};

static const struct kernel kernels[] = {
	{ "linux-5.10", LINUX(5, 10) }, { "linux-5.15", LINUX(5, 15) }, { "linux-6.1", LINUX(6, 1) },
	{ "linux-6.6", LINUX(6, 6) },	{ "linux-6.12", LINUX(6, 12) },
};

static const struct feature features[] = {
	{ "-m inobtcount", FIELD(inobtcount), LINUX(5, 10), LINUX(5, 15) },
	{ "-m bigtime", FIELD(bigtime), LINUX(5, 10), LINUX(5, 15) },
	{ "-i nrext64", FIELD(nrext64), LINUX(5, 19), LINUX(6, 5) },
	{ "-i exchange", FIELD(exchange), LINUX(6, 10), LINUX(6, 18) },
	{ "-n parent", FIELD(parent), LINUX(6, 10), LINUX(6, 18) },
};

int mkfs_compat_find(const char *name)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(kernels); i++) {
		if (strcmp(kernels[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

const char *mkfs_compat_name(int row)
{
	return row >= 0 && (size_t)row < XX_ARRAY_SIZE(kernels) ? kernels[row].name : NULL;
}

int mkfs_compat_apply(const struct tool_parser *parser)
{
	struct mkfs_xfs_options *opt = parser->target;
	const struct kernel *kernel;

	if (opt->compat < 0)
		return 0;
	kernel = &kernels[opt->compat];
	for (size_t i = 0; i < XX_ARRAY_SIZE(features); i++) {
		const struct feature *feature = &features[i];
		struct tool_num *num = (struct tool_num *)((char *)opt + feature->field);

		if (num->given && num->value && kernel->version < feature->mounted)
			return tool_options_complain(parser, -EINVAL,
						     "%s=1 and --compat=%s: Linux mounts this since %d.%d",
						     feature->name, kernel->name, feature->mounted / 1000,
						     feature->mounted % 1000);
		if (!num->given && kernel->version < feature->settled)
			*num = (struct tool_num){ .given = true };
	}
	if (opt->block_size.given && opt->block_size.value > SMALL_PAGE && kernel->version < LINUX(6, 12))
		xx_warn(parser->ctx,
			"-b size=%llu and --compat=%s: before 6.12 Linux mounts blocks up to its page size only, "
			"which on most machines is %u.",
			(unsigned long long)opt->block_size.value, kernel->name, SMALL_PAGE);
	return 0;
}
