/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_geometry.c - tests: derived numbers are those that mkfs.xfs 6.1.0 wrote into its superblocks, and sizes out of
 * the format's range are refused.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <xx/compiler.h>

#include "tests/unit/xfs_common.h"

struct row {
	uint32_t block, sector, inode, ag_blocks, ag_count, stripe_unit;
	unsigned features;
	uint32_t log_ag;
	uint64_t log_block; /* in its group */
	uint32_t log_blocks;
	/* as found in the superblock */
	uint32_t ag_block_log, inode_align, sparse_align;
	uint64_t root_inode;
};

static const struct row rows[] = {
	{ 1024, 512, 512, 2621440, 4, 0, 0, 2, UINT64_C(5), 65536, 22, 16, 0, 32 },
	{ 1024, 512, 512, 2621440, 4, 0, FINOBT | RMAPBT | REFLINK | SPARSE, 2, UINT64_C(8), 65536, 22, 32, 16, 64 },
	{ 1024, 512, 512, 2621440, 4, 0, FINOBT | RMAPBT | SPARSE, 2, UINT64_C(7), 65536, 22, 32, 16, 64 },
	{ 4096, 512, 512, 163824, 16, 16, FINOBT | REFLINK | SPARSE, 8, UINT64_C(16), 16384, 18, 8, 4, 128 },
	{ 4096, 512, 512, 163839, 16, 1, FINOBT | REFLINK | SPARSE, 8, UINT64_C(6), 16384, 18, 8, 4, 128 },
	{ 4096, 512, 512, 655360, 4, 0, 0, 2, UINT64_C(4), 16384, 20, 4, 0, 64 },
	{ 4096, 512, 512, 655360, 4, 0, FINOBT | RMAPBT | REFLINK | SPARSE, 2, UINT64_C(7), 16384, 20, 8, 4, 128 },
	{ 4096, 512, 512, 655360, 4, 0, FINOBT | RMAPBT | SPARSE, 2, UINT64_C(6), 16384, 20, 8, 4, 128 },
	{ 4096, 512, 512, 4914944, 17, 256, FINOBT | REFLINK | SPARSE, 8, UINT64_C(8), 38400, 23, 8, 4, 2048 },
	{ 4096, 512, 1024, 65536, 4, 0, FINOBT | REFLINK, 2, UINT64_C(6), 16384, 16, 8, 0, 64 },
	{ 4096, 512, 2048, 65536, 4, 0, FINOBT | REFLINK | SPARSE, 2, UINT64_C(6), 16384, 16, 32, 16, 64 },
	{ 4096, 4096, 512, 65536, 4, 0, FINOBT | REFLINK | SPARSE, 2, UINT64_C(9), 16384, 16, 8, 4, 128 },
	{ 65536, 512, 512, 40960, 4, 0, 0, 2, UINT64_C(4), 1024, 16, 0, 0, 1024 },
	{ 65536, 512, 512, 40960, 4, 0, FINOBT | RMAPBT | REFLINK | SPARSE, 2, UINT64_C(7), 2570, 16, 0, 0, 1664 },
	{ 65536, 512, 512, 40960, 4, 0, FINOBT | RMAPBT | SPARSE, 2, UINT64_C(6), 1024, 16, 0, 0, 1536 },
};

static struct xx_xfs_geometry geometry_of(const struct row *row)
{
	struct xx_xfs_geometry geo = xfs_geometry(row->block, row->ag_blocks, row->ag_count, row->features);

	geo.sector_size = row->sector;
	geo.log_sector_size = row->sector;
	geo.inode_size = row->inode;
	geo.stripe_unit = row->stripe_unit;
	geo.stripe_width = row->stripe_unit;
	cr_assert_eq(xx_xfs_geometry_derive(&geo), 0);
	geo.log_ag = row->log_ag;
	geo.log_blocks = row->log_blocks;
	geo.log_start = ((uint64_t)row->log_ag << geo.ag_block_log) + row->log_block;
	cr_assert_eq(xx_xfs_geometry_derive(&geo), 0);
	return geo;
}

ParameterizedTestParameters(xfs_geometry, as_mkfs)
{
	static size_t index[XX_ARRAY_SIZE(rows)];

	for (size_t i = 0; i < XX_ARRAY_SIZE(rows); i++)
		index[i] = i;
	return cr_make_param_array(size_t, index, XX_ARRAY_SIZE(rows));
}

ParameterizedTest(size_t *index, xfs_geometry, as_mkfs)
{
	const struct row *row = &rows[*index];
	const struct xx_xfs_geometry geo = geometry_of(row);

	cr_assert_eq(geo.ag_block_log, row->ag_block_log);
	cr_assert_eq(geo.inode_align, row->inode_align);
	cr_assert_eq(geo.sparse_align, row->sparse_align);
	cr_assert_eq(geo.root_inode, row->root_inode);
	cr_assert_eq(geo.rt_bitmap_inode, row->root_inode + 1);
	cr_assert_eq(geo.rt_summary_inode, row->root_inode + 2);
	cr_assert(xx_xfs_ag_has_log(&geo, row->log_ag));
	cr_assert_not(xx_xfs_ag_has_log(&geo, row->log_ag + 1));
	cr_assert_eq(xx_xfs_log_bytes(&geo), (uint64_t)row->log_blocks * row->block);
	cr_assert_eq(xx_xfs_log_offset(&geo), ((uint64_t)row->log_ag * row->ag_blocks + row->log_block) * row->block);
}

/* xfsprogs 6.13 and kernels since 6.2 leave the free list of a small group of large blocks shorter than 6.1 does. */
Test(xfs_geometry, small_groups_of_large_blocks)
{
	struct xx_xfs_geometry geo = xfs_geometry(65536, 4096, 4, ALL);

	cr_assert_eq(xx_xfs_geometry_derive(&geo), 0);
	cr_assert_eq(geo.alloc.levels_max, 1);
	cr_assert_eq(xx_xfs_ag_agfl_count(&geo, 0), 2);
	geo.features.rmapbt = false;
	cr_assert_eq(xx_xfs_geometry_derive(&geo), 0);
	cr_assert_eq(xx_xfs_ag_agfl_count(&geo, 0), 0);
}

Test(xfs_geometry, last_group_is_shorter)
{
	struct xx_xfs_geometry geo = xfs_geometry(4096, 100000, 3, ALL);

	geo.data_blocks -= 40000;
	cr_assert_eq(xx_xfs_geometry_derive(&geo), 0);
	cr_assert_eq(xx_xfs_ag_size(&geo, 1), 100000);
	cr_assert_eq(xx_xfs_ag_size(&geo, 2), 60000);
	cr_assert_eq(xx_xfs_ag_offset(&geo, 2, 5), UINT64_C(200005) * 4096);
}

/* Without 64-bit arithmetic the offsets of the last groups wrap. */
Test(xfs_geometry, beyond_32_bits)
{
	struct xx_xfs_geometry geo = xfs_geometry(4096, (1U << 28) - 1, 8388607, ALL);

	xfs_geometry_log(&geo, 4194303, 521728, 1);
	cr_assert_eq(xx_xfs_ag_offset(&geo, 8388606, 0), UINT64_C(8388606) * ((1U << 28) - 1) * 4096);
	cr_assert_eq(xx_xfs_log_offset(&geo), (UINT64_C(4194303) * ((1U << 28) - 1) + 7) * 4096);
}

Test(xfs_geometry, realtime_files)
{
	struct xx_xfs_geometry geo = xfs_geometry(4096, 100000, 4, ALL);

	geo.rt_blocks = 26214400;
	geo.rt_extents = 26214400;
	geo.rt_bitmap_blocks = 800;
	cr_assert_eq(xx_xfs_geometry_derive(&geo), 0);
	cr_assert_eq(geo.rt_extents_log, 24);
	cr_assert_eq(geo.rt_summary_blocks, 20); /* 25 logarithms, 800 blocks, 4 bytes */
}

static void refused(struct xx_xfs_geometry geo)
{
	cr_assert_eq(xx_xfs_geometry_derive(&geo), -EINVAL);
}

Test(xfs_geometry, out_of_range_is_refused)
{
	const struct xx_xfs_geometry good = xfs_geometry(4096, 100000, 4, ALL);
	struct xx_xfs_geometry bad;

#define REFUSED(field, value)        \
	do {                         \
		bad = good;          \
		bad.field = (value); \
		refused(bad);        \
	} while (0)

	REFUSED(block_size, 512);
	REFUSED(block_size, 4095);
	REFUSED(block_size, 131072);
	REFUSED(sector_size, 256);
	REFUSED(sector_size, 8192);
	REFUSED(inode_size, 256);
	REFUSED(inode_size, 4096);
	REFUSED(dir_block_size, 2048);
	REFUSED(dir_block_size, 131072);
	REFUSED(log_sector_size, 0);
	REFUSED(ag_count, 0);
	REFUSED(ag_count, 3);
	REFUSED(ag_count, 5);
	REFUSED(ag_blocks, 0);
	REFUSED(ag_blocks, (1U << 28) + 1);
}
