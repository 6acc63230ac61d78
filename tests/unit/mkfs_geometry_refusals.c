/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Geometry policy: what it refuses, and how; what mkfs.xfs 6.1 accepts although the file system cannot be made; defaults
 * and dependencies of features; concurrency; that it is a function of its arguments.
 */
#include <criterion/criterion.h>
#include <linux/fs.h>
#include <string.h>

#include <xx/compiler.h>
#include <xx/units.h>

#include "tests/unit/mkfs_geometry_common.h"

/* On a disk of 4 GiB: the message must hold the word. */
static const struct {
	const char *args, *word;
} refusals[] = {
	{ "-b size=1k -s size=2k", "-b size=1024" },
	{ "-m crc=0", "-m crc=0" },
	{ "-i align=0", "-i align=0" },
	{ "-l version=1", "-l version=1" },
	{ "-m finobt=0,inobtcount=1", "-m inobtcount=1" },
	{ "-m reflink=0 -d cowextsize=8", "-d cowextsize=8" },
	{ "-i size=2048 -b size=2k", "from 512 to 1024" },
	{ "-i perblock=16", "-i perblock=16" },
	{ "-n size=8k -b size=16k", "-n size=8192" },
	{ "-d size=1000000513", "-d size=1000000513" },
	{ "-d size=5g", "at most 1048576" },
	{ "-d agcount=257", "from 4096 to 1048576" },
	{ "-d agcount=1", "agcount" },
	{ "-d agsize=5g", "-d agsize" },
	{ "-d agsize=16777728", "-d agsize=16777728" },
	{ "-d sunit=8", "sunit and swidth" },
	{ "-d su=64k", "su and sw" },
	{ "-d su=6k,sw=2", "4096" },
	{ "-d sunit=8388608,swidth=8388608", "2 GiB" },
	{ "-d su=1g,sw=4294967295", "2 GiB" },
	{ "-d sunit=16,swidth=24", "multiple of the stripe unit" },
	{ "-l size=2g", "-l size" },
	{ "-l size=1g", "at most" },
	{ "-l size=63m", "64 MiB" },
	{ "-l agnum=4", "from 0 to 3" },
	{ "-l su=6k", "-l su" },
	{ "-l sectsize=4k", "-l sectsize=4096" },
	{ "-l size=64m,su=12k", "multiple of the stripe unit" },
	{ "-r size=1g", "-r rtdev" },
	{ "-r extsize=6k", "-r extsize=6144" },
	{ "-d extszinherit=2097152", "-d extszinherit=2097152" },
	{ "-d rtinherit,extszinherit=9 -r extsize=16k", "multiple" },
	/* mkfs.xfs prints a geometry for these, then fails when it writes it */
	{ "-d agcount=60,su=8m,sw=1", "-d agcount=60" },
	{ "-d agsize=1000m -l agnum=4,size=200m", "do not fit into allocation group 4" },
};

Test(mkfs_geometry, refuses_with_one_message_that_names_the_option)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(refusals); i++) {
		struct mkfs_topology topo = plain_disk(4 * XX_GIB);
		struct outcome out;

		decide(refusals[i].args, &topo, &out);
		cr_expect(out.error < 0, "%s: not refused", refusals[i].args);
		cr_expect_eq(out.errors, 1, "%s: %s", refusals[i].args, out.text);
		cr_expect(strstr(out.text, refusals[i].word), "%s: %s", refusals[i].args, out.text);
	}
}

Test(mkfs_geometry, refuses_devices_of_no_use)
{
	static const struct {
		const char *args, *word;
		uint64_t data, log, rt;
	} rows[] = {
		{ "", "/dev/data", 0, 0, 0 },
		{ "", "300 MiB", 299 * XX_MIB, 0, 0 },
		{ "", "too small", 15 * XX_MIB, 0, 0 },
		{ "-l logdev=/dev/log", "/dev/log", XX_GIB, 0, 0 },
		{ "-l logdev=/dev/log", "at least", XX_GIB, XX_MIB, 0 },
		{ "-l logdev=/dev/log", "it must have from", XX_GIB, 3 * XX_GIB, 0 },
		{ "-l logdev=/dev/log,size=200m", "at most 25600", XX_GIB, 100 * XX_MIB, 0 },
		{ "-r rtdev=/dev/rt", "size 0", XX_GIB, 0, 0 },
		{ "-r rtdev=/dev/rt,size=2g", "at most 262144", XX_GIB, 0, XX_GIB },
		{ "-r rtdev=/dev/rt,extsize=1g", "less than one realtime extent", XX_GIB, 0, XX_GIB / 2 },
		{ "-r rtdev=/dev/rt -m reflink=1", "-m reflink=1", XX_GIB, 0, XX_GIB },
		{ "-r rtdev=/dev/rt -m rmapbt=1", "-m rmapbt=1", XX_GIB, 0, XX_GIB },
	};

	for (size_t i = 0; i < XX_ARRAY_SIZE(rows); i++) {
		struct mkfs_topology topo = plain_disk(rows[i].data);
		struct outcome out;

		topo.log = plain_disk(rows[i].log).data;
		topo.rt = plain_disk(rows[i].rt).data;
		decide(rows[i].args, &topo, &out);
		cr_expect_eq(out.errors, 1, "%zu: %s", i, out.text);
		cr_expect(strstr(out.text, rows[i].word), "%zu: %s", i, out.text);
	}
}

Test(mkfs_geometry, features_are_those_of_6_13)
{
	struct mkfs_topology topo = plain_disk(4 * XX_GIB);
	const struct xx_xfs_features *f;
	struct outcome out;

	decide("", &topo, &out);
	cr_assert_eq(out.error, 0, "%s", out.text);
	f = &out.geo.features;
	cr_expect(f->finobt && f->rmapbt && f->reflink && f->inobtcount && f->bigtime && f->sparse_inodes &&
		  f->nrext64);
	cr_expect(f->ftype && f->inode_align && f->attr2 && f->lazy_counters && f->projid32);
	cr_expect(!f->exchange && !f->parent);

	topo.rt = topo.data;
	decide("-r rtdev=/dev/rt -m finobt=0", &topo, &out);
	cr_assert_eq(out.error, 0, "%s", out.text);
	cr_expect(!f->finobt && !f->inobtcount && !f->rmapbt && !f->reflink);
}

Test(mkfs_geometry, parent_pointers_bring_exchange)
{
	struct mkfs_topology topo = plain_disk(4 * XX_GIB);
	struct outcome out;

	decide("-n parent=1", &topo, &out);
	cr_expect(out.error == 0 && out.geo.features.parent && out.geo.features.exchange, "%s", out.text);
	decide("-n parent=1 -i exchange=0", &topo, &out);
	cr_expect(out.error == 0 && out.geo.features.parent && !out.geo.features.exchange, "%s", out.text);
	decide("-i exchange=1", &topo, &out);
	cr_expect(out.error == 0 && !out.geo.features.parent && out.geo.features.exchange, "%s", out.text);
}

Test(mkfs_geometry, an_old_kernel_gets_what_it_mounts)
{
	struct mkfs_topology topo = plain_disk(4 * XX_GIB);
	struct outcome out;

	decide("--compat=linux-5.10", &topo, &out);
	cr_assert_eq(out.error, 0, "%s", out.text);
	cr_expect(!out.geo.features.bigtime && !out.geo.features.inobtcount && !out.geo.features.nrext64);
	cr_expect(out.geo.features.finobt && out.geo.features.reflink && out.geo.features.sparse_inodes);
}

Test(mkfs_geometry, the_root_directory_hands_on)
{
	struct mkfs_topology topo = plain_disk(4 * XX_GIB);
	struct outcome out;

	decide("-d rtinherit,projinherit=42,extszinherit=16,cowextsize=32,daxinherit", &topo, &out);
	cr_assert_eq(out.error, 0, "%s", out.text);
	cr_expect_eq(out.geo.root.xflags, FS_XFLAG_RTINHERIT | FS_XFLAG_PROJINHERIT | FS_XFLAG_EXTSZINHERIT |
						  FS_XFLAG_COWEXTSIZE | FS_XFLAG_DAX);
	cr_expect_eq(out.geo.root.projid, 42);
	cr_expect_eq(out.geo.root.extsize, 16);
	cr_expect_eq(out.geo.root.cowextsize, 32);
	decide("-d extszinherit=0,cowextsize=0,rtinherit=0", &topo, &out);
	cr_expect(out.error == 0 && out.geo.root.xflags == 0, "%s", out.text);
}

/* Groups for so many writers: at least 4 GiB each, never fewer than without, a multiple when they are many. */
Test(mkfs_geometry, concurrency_sets_the_number_of_groups)
{
	static const struct {
		uint64_t size;
		const char *args;
		uint32_t cpus, groups;
	} rows[] = {
		{ 64 * XX_GIB, "", 16, 4 },
		{ 64 * XX_GIB, "-d concurrency=0", 16, 4 },
		{ 64 * XX_GIB, "-d concurrency=8", 2, 8 },
		{ 64 * XX_GIB, "-d concurrency=16", 2, 16 },
		{ 64 * XX_GIB, "-d concurrency=17", 2, 16 },
		{ 64 * XX_GIB, "-d concurrency=1000", 2, 16 },
		{ 64 * XX_GIB, "-d concurrency=2", 8, 4 },
		{ 64 * XX_GIB, "-d concurrency=1", 8, 8 },
		{ 64 * XX_GIB, "-d concurrency", 8, 8 },
		{ 64 * XX_GIB, "-d concurrency=nr_cpus", 8, 8 },
		{ 64 * XX_GIB, "-d concurrency=nr_cpus", 0, 4 },
		{ 8 * XX_GIB, "-d concurrency=32", 2, 4 },
		{ 10 * XX_TIB, "-d concurrency=32", 2, 32 },
		{ 10 * XX_PIB, "-d concurrency=32", 2, 10241 },
	};

	for (size_t i = 0; i < XX_ARRAY_SIZE(rows); i++) {
		struct mkfs_topology topo = plain_disk(rows[i].size);
		struct outcome out;

		topo.cpus = rows[i].cpus;
		decide(rows[i].args, &topo, &out);
		cr_assert_eq(out.error, 0, "%zu: %s", i, out.text);
		cr_expect_eq(out.geo.ag_count, rows[i].groups, "%zu: %u", i, out.geo.ag_count);
	}
}

Test(mkfs_geometry, concurrency_makes_the_log_larger_up_to_its_limit)
{
	struct mkfs_topology topo = plain_disk(100 * XX_GIB);
	struct outcome plain, some, many;

	decide("-l concurrency=0", &topo, &plain);
	decide("-l concurrency=64", &topo, &some);
	decide("-l concurrency=2147483647", &topo, &many);
	cr_assert(plain.error == 0 && some.error == 0 && many.error == 0, "%s", many.text);
	cr_expect_eq(plain.geo.log_blocks, 16384);
	cr_expect_gt(some.geo.log_blocks, plain.geo.log_blocks);
	cr_expect_eq((uint64_t)some.geo.log_blocks, xx_xfs_log_transaction_bytes(&some.geo) * 3 * 64 / 2 / 4096);
	cr_expect_eq((uint64_t)many.geo.log_blocks * 4096, XX_XFS_LOG_MAX_BYTES);
}

Test(mkfs_geometry, is_a_function_of_its_arguments)
{
	struct mkfs_topology topo = plain_disk(3 * XX_TIB);
	static struct outcome one, two;

	topo.data.min_io = 65536;
	topo.data.opt_io = 262144;
	decide("-L twelve-bytes -m uuid=00112233-4455-6677-8899-aabbccddeeff", &topo, &one);
	topo.cpus = 99;
	decide("-L twelve-bytes -m uuid=00112233-4455-6677-8899-aabbccddeeff", &topo, &two);
	cr_assert_eq(one.error, 0, "%s", one.text);
	cr_expect_eq(memcmp(&one.geo, &two.geo, sizeof(one.geo)), 0);
	cr_expect_eq(memcmp(one.geo.label, "twelve-bytes", 12), 0);
	cr_expect_eq(one.geo.uuid[15], 0xff);
}

Test(mkfs_geometry, unsupported_says_so)
{
	struct mkfs_topology topo = plain_disk(100 * XX_MIB);
	struct outcome out;

	decide("--unsupported", &topo, &out);
	cr_assert_eq(out.error, 0, "%s", out.text);
	cr_expect_eq(out.warnings, 1);
	cr_expect(strstr(out.text, "not supported"));
}
