/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_report.c - the geometry as it is shown.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <json-c/json.h>

#include <xx/units.h>
#include <xx/xfs_geometry.h>

#include "mkfs/xfs_options.h"
#include "mkfs/xfs_report.h"

/* What mkfs.xfs 6.1 makes of 1 TiB with -m rmapbt=1 -i nrext64=1. */
static const struct xx_xfs_geometry plain = {
	.uuid = { 1, 2, 3 },
	.label = "twelve_bytes",
	.features = { .finobt = true,
		      .rmapbt = true,
		      .reflink = true,
		      .inobtcount = true,
		      .bigtime = true,
		      .sparse_inodes = true,
		      .nrext64 = true,
		      .ftype = true,
		      .inode_align = true,
		      .attr2 = true,
		      .lazy_counters = true,
		      .projid32 = true },
	.block_size = 4096,
	.sector_size = 512,
	.inode_size = 512,
	.dir_block_size = 4096,
	.data_blocks = 268435456,
	.ag_count = 4,
	.ag_blocks = 67108864,
	.inode_max_percent = 5,
	.log_internal = true,
	.log_blocks = 131072,
	.log_ag = 2,
	.log_sector_size = 512,
	.log_stripe_unit = 1,
	.rt_extent_size = 1,
};

static char *shown(const struct mkfs_xfs_options *opt, const struct xx_xfs_geometry *geo)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	cr_assert(out);
	cr_assert_eq(mkfs_xfs_report(out, opt, geo), 0);
	fclose(out);
	return text;
}

static void shows(const struct mkfs_xfs_options *opt, const struct xx_xfs_geometry *geo, const char *wanted)
{
	char *text = shown(opt, geo);

	cr_expect_str_eq(text, wanted);
	free(text);
}

Test(report, ten_lines)
{
	const struct mkfs_xfs_options opt = { .data_name = "/tmp/image" };

	shows(&opt, &plain,
	      "meta-data=/tmp/image             isize=512    agcount=4, agsize=67108864 blks\n"
	      "         =                       sectsz=512   attr=2, projid32bit=1\n"
	      "         =                       crc=1        finobt=1, sparse=1, rmapbt=1\n"
	      "         =                       reflink=1    bigtime=1 inobtcount=1 nrext64=1\n"
	      "data     =                       bsize=4096   blocks=268435456, imaxpct=5\n"
	      "         =                       sunit=0      swidth=0 blks\n"
	      "naming   =version 2              bsize=4096   ascii-ci=0, ftype=1\n"
	      "log      =internal log           bsize=4096   blocks=131072, version=2\n"
	      "         =                       sectsz=512   sunit=0 blks, lazy-count=1\n"
	      "realtime =none                   extsz=4096   blocks=0, rtextents=0\n");
}

Test(report, other_devices)
{
	const struct mkfs_xfs_options opt = { .data_name = "/dev/a-name-that-is-longer-than-its-column",
					      .log_name = "/dev/l",
					      .rt_name = "/dev/r" };
	struct xx_xfs_geometry geo = plain;

	geo.log_internal = false;
	geo.log_sector_size = 4096;
	geo.log_stripe_unit = 32768;
	geo.stripe_unit = 16;
	geo.stripe_width = 64;
	geo.rt_extent_size = 16;
	geo.rt_blocks = UINT64_C(1) << 40;
	geo.rt_extents = UINT64_C(1) << 36;
	shows(&opt, &geo,
	      "meta-data=/dev/a-name-that-is-longer-than-its-column isize=512    agcount=4, agsize=67108864 blks\n"
	      "         =                       sectsz=512   attr=2, projid32bit=1\n"
	      "         =                       crc=1        finobt=1, sparse=1, rmapbt=1\n"
	      "         =                       reflink=1    bigtime=1 inobtcount=1 nrext64=1\n"
	      "data     =                       bsize=4096   blocks=268435456, imaxpct=5\n"
	      "         =                       sunit=16     swidth=64 blks\n"
	      "naming   =version 2              bsize=4096   ascii-ci=0, ftype=1\n"
	      "log      =/dev/l                 bsize=4096   blocks=131072, version=2\n"
	      "         =                       sectsz=4096  sunit=8 blks, lazy-count=1\n"
	      "realtime =/dev/r                 extsz=65536  blocks=1099511627776, rtextents=68719476736\n");
}

Test(report, newer_features_have_their_columns)
{
	const struct mkfs_xfs_options opt = { .data_name = "/x" };
	struct xx_xfs_geometry geo = plain;
	char *text;

	geo.features.exchange = true;
	text = shown(&opt, &geo);
	cr_expect(strstr(text, "nrext64=1\n         =                       exchange=1  \ndata "), "%s", text);
	cr_expect(strstr(text, "ascii-ci=0, ftype=1, parent=0\nlog "), "%s", text);
	free(text);

	geo.features.exchange = false;
	geo.features.parent = true;
	text = shown(&opt, &geo);
	cr_expect(strstr(text, "exchange=0  \n") && strstr(text, ", parent=1\n"), "%s", text);
	free(text);
}

static const char *json_text(struct json_object *object, const char *part, const char *name)
{
	struct json_object *value;

	if (part)
		cr_assert(json_object_object_get_ex(object, part, &object), "%s", part);
	cr_assert(json_object_object_get_ex(object, name, &value), "%s", name);
	return json_object_get_string(value);
}

Test(report, json)
{
	struct mkfs_xfs_options opt = { .data_name = "/x\"y", .json = true };
	struct xx_xfs_geometry geo = plain;
	struct json_object *object;
	char *text = shown(&opt, &geo);

	object = json_tokener_parse(text);
	cr_assert(object, "%s", text);
	cr_expect_eq(text[strlen(text) - 1], '\n');
	cr_expect_str_eq(json_text(object, NULL, "type"), "xfs");
	cr_expect_str_eq(json_text(object, NULL, "uuid"), "01020300-0000-0000-0000-000000000000");
	cr_expect_str_eq(json_text(object, NULL, "label"), "twelve_bytes");
	cr_expect_str_eq(json_text(object, "features", "rmapbt"), "true");
	cr_expect_str_eq(json_text(object, "features", "parent"), "false");
	cr_expect_str_eq(json_text(object, "data", "device"), "/x\"y");
	cr_expect_str_eq(json_text(object, "data", "blocks"), "268435456");
	cr_expect_str_eq(json_text(object, "inode", "size"), "512");
	cr_expect_str_eq(json_text(object, "naming", "block_size"), "4096");
	cr_expect_str_eq(json_text(object, "log", "agno"), "2");
	cr_expect_str_eq(json_text(object, "realtime", "blocks"), "0");
	json_object_put(object);
	free(text);

	opt.log_name = "/l";
	opt.rt_name = "/r";
	geo.log_internal = false;
	text = shown(&opt, &geo);
	object = json_tokener_parse(text);
	cr_assert(object, "%s", text);
	cr_expect_str_eq(json_text(object, "log", "device"), "/l");
	cr_expect_str_eq(json_text(object, "realtime", "device"), "/r");
	json_object_put(object);
	free(text);
}

Test(report, a_full_device_is_noticed)
{
	const struct mkfs_xfs_options opt = { .data_name = "/x" };
	FILE *out = fopen("/dev/full", "w");

	cr_assert(out);
	cr_expect_eq(mkfs_xfs_report(out, &opt, &plain), -EIO);
	fclose(out);
}
