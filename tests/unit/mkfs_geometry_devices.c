/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Geometry policy and what devices say of themselves: sectors, stripes, sizes.
 */
#include <criterion/criterion.h>
#include <string.h>

#include <xx/compiler.h>
#include <xx/units.h>

#include "tests/unit/mkfs_geometry_common.h"

/* Sectors: what the device has, what is asked for, and what comes out; 0: refused. */
static const struct {
	uint32_t logical, physical;
	bool misaligned;
	const char *args;
	uint32_t sector, warnings;
} sectors[] = {
	{ 512, 512, false, "", 512, 0 },
	{ 512, 4096, false, "", 4096, 0 },
	{ 4096, 4096, false, "", 4096, 0 },
	{ 0, 0, false, "", 512, 0 },
	{ 512, 4096, false, "-b size=1k", 512, 1 },
	{ 1024, 4096, false, "-b size=2k", 1024, 1 },
	{ 4096, 4096, false, "-b size=2k", 0, 0 },
	{ 512, 4096, false, "-s size=512", 512, 0 },
	{ 512, 512, false, "-s size=4k", 4096, 0 },
	{ 4096, 4096, false, "-s size=512", 0, 0 },
	{ 512, 65536, false, "-b size=64k", 512, 0 },
	{ 512, 4096, true, "", 0, 0 },
	{ 512, 4096, true, "-f", 512, 1 },
	{ 512, 4096, true, "-f -s size=4k", 4096, 1 },
};

Test(mkfs_geometry, takes_the_sector_of_the_device)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(sectors); i++) {
		struct mkfs_topology topo = plain_disk(2 * XX_GIB);
		struct outcome out;

		topo.data.logical_sector = sectors[i].logical;
		topo.data.physical_sector = sectors[i].physical;
		topo.data.min_io = sectors[i].physical;
		topo.data.misaligned = sectors[i].misaligned;
		decide(sectors[i].args, &topo, &out);
		cr_expect_eq(out.error == 0, sectors[i].sector != 0, "%zu: %s", i, out.text);
		cr_expect_eq(out.errors, sectors[i].sector == 0, "%zu: %s", i, out.text);
		if (out.error)
			continue;
		cr_expect_eq(out.geo.sector_size, sectors[i].sector, "%zu: %u", i, out.geo.sector_size);
		cr_expect_eq(out.geo.log_sector_size, sectors[i].sector, "%zu", i);
		cr_expect_eq(out.warnings, sectors[i].warnings, "%zu: %s", i, out.text);
	}
}

Test(mkfs_geometry, counts_suffix_s_in_the_sectors_found)
{
	struct mkfs_topology topo = plain_disk(4 * XX_GIB);
	struct outcome out;

	decide("-d agsize=262144s", &topo, &out);
	cr_assert_eq(out.error, 0, "%s", out.text);
	cr_expect_eq(out.geo.ag_blocks, 32768);
	topo.data.physical_sector = 4096;
	decide("-d agsize=262144s", &topo, &out);
	cr_assert_eq(out.error, 0, "%s", out.text);
	cr_expect_eq(out.geo.ag_blocks, 262144);
}

/* Stripes: what the device reports in bytes; blocks of 4 KiB unless the options say otherwise. */
static const struct {
	uint64_t size, min_io, opt_io;
	uint32_t physical;
	const char *args;
	uint32_t unit, width, warnings;
} stripes[] = {
	{ XX_TIB, 65536, 262144, 512, "", 16, 64, 0 },
	{ XX_TIB, 512, 0, 512, "", 0, 0, 0 },
	{ XX_TIB, 4096, 0, 4096, "", 0, 0, 0 },
	{ XX_TIB, 65536, 512, 512, "", 0, 0, 0 },
	{ XX_TIB, 0, 0, 512, "", 0, 0, 0 },
	{ XX_TIB, 65536, 262144, 512, "-d noalign", 0, 0, 0 },
	{ XX_TIB, 65536, 262144, 512, "-d su=0,sw=0", 0, 0, 0 },
	{ XX_TIB, 65536, 262144, 512, "-d sunit=0,swidth=0", 0, 0, 0 },
	{ XX_TIB, 65536, 262144, 512, "-d su=64k,sw=4", 16, 64, 0 },
	{ XX_TIB, 65536, 262144, 512, "-d su=64k,sw=2", 16, 32, 1 },
	{ XX_TIB, 65536, 262144, 512, "-d su=32k,sw=2", 8, 16, 2 },
	{ XX_GIB - 4096, 65536, 262144, 512, "", 0, 0, 1 },
	{ XX_GIB, 65536, 262144, 512, "", 16, 64, 0 },
	{ XX_TIB, 65536, 0, 512, "", 0, 0, 1 },
	{ XX_TIB, 4096, 65536, 512, "", 1, 16, 0 },
	{ XX_TIB, 65536, 98304, 512, "", 0, 0, 1 },
	{ XX_TIB, 0, 98304, 512, "", 0, 0, 1 },
	{ XX_TIB, 131072, 65536, 512, "", 0, 0, 1 },
	{ XX_TIB, 65536, UINT32_MAX - 65535, 512, "", 0, 0, 1 },
	{ XX_TIB, 6144, 12288, 512, "", 0, 0, 0 },
	{ XX_TIB, 65536, 262144, 512, "-b size=64k", 1, 4, 0 },
	{ XX_TIB, 32768, 262144, 512, "-b size=64k", 0, 0, 0 },
	{ XX_TIB, 33553920, 33553920, 512, "", 0, 0, 0 },
};

Test(mkfs_geometry, takes_the_stripe_of_the_device)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(stripes); i++) {
		struct mkfs_topology topo = plain_disk(stripes[i].size);
		struct outcome out;

		topo.data.min_io = stripes[i].min_io;
		topo.data.opt_io = stripes[i].opt_io;
		topo.data.physical_sector = stripes[i].physical;
		decide(stripes[i].args, &topo, &out);
		cr_assert_eq(out.error, 0, "%zu: %s", i, out.text);
		cr_expect_eq(out.geo.stripe_unit, stripes[i].unit, "%zu: %u", i, out.geo.stripe_unit);
		cr_expect_eq(out.geo.stripe_width, stripes[i].width, "%zu: %u", i, out.geo.stripe_width);
		cr_expect_eq(out.warnings, stripes[i].warnings, "%zu: %s", i, out.text);
		cr_expect_eq(out.geo.ag_blocks % xx_max(1, out.geo.stripe_unit), 0, "%zu", i);
	}
}

Test(mkfs_geometry, a_file_has_no_stripes)
{
	struct mkfs_topology topo = plain_disk(XX_TIB);
	struct outcome out;

	topo.data.is_file = true;
	topo.data.min_io = 65536;
	topo.data.opt_io = 262144;
	decide("", &topo, &out);
	cr_assert_eq(out.error, 0, "%s", out.text);
	cr_expect_eq(out.geo.stripe_unit, 0);
	cr_expect_eq(out.geo.ag_count, 4);
}

/* Sizes of the device and the blocks that come out; 0: refused. */
static const struct {
	uint64_t size;
	bool is_file;
	const char *args;
	uint64_t blocks;
} sizes[] = {
	{ XX_TIB, false, "", XX_TIB / 4096 },
	{ XX_TIB + 4095, false, "", XX_TIB / 4096 },
	{ XX_TIB + 512, false, "-b size=1k", XX_TIB / 1024 },
	{ XX_TIB + 1024, false, "-b size=1k", XX_TIB / 1024 + 1 },
	{ XX_TIB, false, "-d size=1g", XX_GIB / 4096 },
	{ XX_GIB, false, "-d size=1g", XX_GIB / 4096 },
	{ XX_GIB - 512, false, "-d size=1g", 0 },
	{ XX_GIB, true, "-d size=2g", 0 },
	{ 0, true, "-d size=2g", 2 * XX_GIB / 4096 },
	{ 0, true, "", 0 },
	{ 0, false, "", 0 },
	{ 0, false, "-d size=1g", 0 },
	{ 1, true, "", 0 },
	{ 299 * XX_MIB, true, "", 0 },
	{ 16 * XX_MIB - 1, true, "--unsupported", 0 },
	{ 16 * XX_MIB, true, "--unsupported", 4096 },
	{ 8191 * XX_PIB, false, "", 8191 * (XX_PIB / 4096) },
	{ UINT64_C(0x7fffffffffffffff), false, "", UINT64_C(0x7ffffffffffff) },
};

Test(mkfs_geometry, takes_the_size_of_the_device)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(sizes); i++) {
		struct mkfs_topology topo = plain_disk(sizes[i].size);
		struct outcome out;

		topo.data.is_file = sizes[i].is_file;
		decide(sizes[i].args, &topo, &out);
		cr_expect_eq(out.error == 0, sizes[i].blocks != 0, "%zu: %s", i, out.text);
		cr_expect_eq(out.errors, sizes[i].blocks == 0, "%zu: %s", i, out.text);
		if (!out.error)
			cr_expect_eq(out.geo.data_blocks, sizes[i].blocks, "%zu: %s", i, out.text);
	}
}

Test(mkfs_geometry, a_striped_realtime_device_sets_the_extent)
{
	static const struct {
		const char *args;
		bool data_is_file, rt_is_file;
		uint64_t width;
		uint32_t extent;
	} rows[] = {
		{ "-r rtdev=/dev/rt", false, false, 262144, 64 },
		{ "-r rtdev=/dev/rt,noalign", false, false, 262144, 1 },
		{ "-r rtdev=/dev/rt,extsize=16k", false, false, 262144, 4 },
		{ "-r rtdev=/dev/rt", false, true, 262144, 1 },
		{ "-r rtdev=/dev/rt", true, false, 262144, 1 },
		{ "-r rtdev=/dev/rt,size=1g", true, false, 262144, 64 },
		{ "-r rtdev=/dev/rt", false, false, 6144, 1 },
		{ "-r rtdev=/dev/rt", false, false, 4096, 1 },
		{ "-r rtdev=/dev/rt", false, false, 2 * XX_GIB, 1 },
	};

	for (size_t i = 0; i < XX_ARRAY_SIZE(rows); i++) {
		struct mkfs_topology topo = plain_disk(2 * XX_GIB);
		struct outcome out;

		topo.data.is_file = rows[i].data_is_file;
		topo.rt = topo.data;
		topo.rt.is_file = rows[i].rt_is_file;
		topo.rt.min_io = 1024;
		topo.rt.opt_io = rows[i].width;
		decide(rows[i].args, &topo, &out);
		cr_assert_eq(out.error, 0, "%zu: %s", i, out.text);
		cr_expect_eq(out.geo.rt_extent_size, rows[i].extent, "%zu: %u", i, out.geo.rt_extent_size);
	}
}

Test(mkfs_geometry, an_external_log_is_no_longer_than_its_device)
{
	struct mkfs_topology topo = plain_disk(4 * XX_GIB);
	struct outcome out;

	topo.log = plain_disk(100 * XX_MIB + 4096).data;
	decide("-l logdev=/dev/log,su=32k", &topo, &out);
	cr_assert_eq(out.error, 0, "%s", out.text);
	cr_expect_eq(out.geo.log_blocks, 25600);
	cr_expect_eq(out.geo.log_start, 0);
	cr_expect_not(out.geo.log_internal);
}
