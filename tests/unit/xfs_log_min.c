/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_log_min.c - tests: the least journal is the one that mkfs.xfs 6.1.0 names when a smaller one is asked for, and
 * what newer kernels want beyond that is there.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <xx/compiler.h>

#include "tests/unit/xfs_common.h"

struct row {
	uint32_t block, sector, inode, dir_block, ag_blocks;
	unsigned features;
	uint32_t log_unit, rt_extent; /* rt_extent: 0 without a realtime section */
	uint32_t least;
};

/* From `mkfs.xfs -N -l size=2m`. */
static const struct row rows[] = {
	{ 1024, 512, 512, 4096, 102400, FINOBT | REFLINK | SPARSE, 1, 0, 3527 },
	{ 1024, 512, 512, 4096, 102400, FINOBT | RMAPBT | REFLINK | SPARSE | NREXT64, 1, 0, 5363 },
	{ 1024, 512, 512, 4096, 102400, FINOBT | RMAPBT | REFLINK | SPARSE, 1, 0, 5363 },
	{ 1024, 512, 512, 4096, 102400, FINOBT | SPARSE, 1, 0, 2577 },
	{ 1024, 512, 512, 4096, 102400, SPARSE, 1, 0, 2577 },
	{ 1024, 512, 512, 4096, 262144, FINOBT | SPARSE, 1, 4, 2681 },
	{ 1024, 512, 512, 4096, 805306368, FINOBT | REFLINK | SPARSE, 1, 0, 5471 },
	{ 1024, 512, 512, 4096, 805306368, FINOBT | RMAPBT | REFLINK | SPARSE | NREXT64, 1, 0, 7307 },
	{ 1024, 512, 512, 4096, 805306368, FINOBT | RMAPBT | REFLINK | SPARSE, 1, 0, 7307 },
	{ 1024, 512, 512, 4096, 805306368, FINOBT | SPARSE, 1, 0, 2655 },
	{ 1024, 512, 512, 4096, 805306368, SPARSE, 1, 0, 2577 },
	{ 1024, 512, 512, 65536, 102400, FINOBT | RMAPBT | REFLINK, 1, 0, 8910 },
	{ 1024, 512, 512, 65536, 805306368, FINOBT | RMAPBT | REFLINK, 1, 0, 8910 },
	{ 2048, 512, 512, 4096, 51200, FINOBT | REFLINK | SPARSE, 1, 0, 2484 },
	{ 2048, 512, 512, 4096, 51200, FINOBT | RMAPBT | REFLINK | SPARSE | NREXT64, 1, 0, 4266 },
	{ 2048, 512, 512, 4096, 51200, FINOBT | RMAPBT | REFLINK | SPARSE, 1, 0, 4266 },
	{ 2048, 512, 512, 4096, 51200, FINOBT | SPARSE, 1, 0, 1447 },
	{ 2048, 512, 512, 4096, 51200, SPARSE, 1, 0, 1447 },
	{ 2048, 512, 512, 4096, 131072, FINOBT | SPARSE, 1, 512, 1447 },
	{ 2048, 512, 512, 4096, 402653184, FINOBT | REFLINK | SPARSE, 1, 0, 3708 },
	{ 2048, 512, 512, 4096, 402653184, FINOBT | RMAPBT | REFLINK | SPARSE | NREXT64, 1, 0, 5490 },
	{ 2048, 512, 512, 4096, 402653184, FINOBT | RMAPBT | REFLINK | SPARSE, 1, 0, 5490 },
	{ 2048, 512, 512, 4096, 402653184, FINOBT | SPARSE, 1, 0, 1525 },
	{ 2048, 512, 512, 4096, 402653184, SPARSE, 1, 0, 1447 },
	{ 2048, 512, 512, 65536, 51200, FINOBT | RMAPBT | REFLINK, 1, 0, 4266 },
	{ 2048, 512, 512, 65536, 402653184, FINOBT | RMAPBT | REFLINK, 1, 0, 5490 },
	{ 4096, 512, 512, 4096, 25600, FINOBT | REFLINK | SPARSE, 1, 0, 1368 },
	{ 4096, 512, 512, 4096, 25600, FINOBT | REFLINK | SPARSE, 4096, 0, 1032 },
	{ 4096, 512, 512, 4096, 25600, FINOBT | REFLINK | SPARSE, 262144, 0, 4608 },
	{ 4096, 512, 512, 4096, 25600, FINOBT | RMAPBT | REFLINK | SPARSE | NREXT64, 1, 0, 3075 },
	{ 4096, 512, 512, 4096, 25600, FINOBT | RMAPBT | REFLINK | SPARSE, 1, 0, 3075 },
	{ 4096, 512, 512, 4096, 25600, FINOBT | SPARSE | NREXT64, 1, 0, 4049 },
	{ 4096, 512, 512, 4096, 25600, FINOBT | SPARSE, 1, 0, 857 },
	{ 4096, 512, 512, 4096, 25600, FINOBT | SPARSE, 32768, 0, 624 },
	{ 4096, 512, 512, 4096, 25600, SPARSE, 1, 0, 857 },
	{ 4096, 512, 512, 4096, 65536, FINOBT | SPARSE, 1, 1, 1295 },
	{ 4096, 512, 512, 4096, 65536, FINOBT | SPARSE, 1, 16, 857 },
	{ 4096, 512, 512, 4096, 201326592, FINOBT | REFLINK | SPARSE, 1, 0, 2580 },
	{ 4096, 512, 512, 4096, 201326592, FINOBT | REFLINK | SPARSE, 4096, 0, 2244 },
	{ 4096, 512, 512, 4096, 201326592, FINOBT | REFLINK | SPARSE, 262144, 0, 5760 },
	{ 4096, 512, 512, 4096, 201326592, FINOBT | RMAPBT | REFLINK | SPARSE | NREXT64, 1, 0, 4287 },
	{ 4096, 512, 512, 4096, 201326592, FINOBT | RMAPBT | REFLINK | SPARSE, 1, 0, 4287 },
	{ 4096, 512, 512, 4096, 201326592, FINOBT | SPARSE | NREXT64, 1, 0, 4049 },
	{ 4096, 512, 512, 4096, 201326592, FINOBT | SPARSE, 1, 0, 924 },
	{ 4096, 512, 512, 4096, 201326592, FINOBT | SPARSE, 32768, 0, 744 },
	{ 4096, 512, 512, 4096, 201326592, SPARSE, 1, 0, 857 },
	{ 4096, 512, 512, 8192, 25600, FINOBT | REFLINK | SPARSE, 1, 0, 1368 },
	{ 4096, 512, 512, 8192, 201326592, FINOBT | REFLINK | SPARSE, 1, 0, 2580 },
	{ 4096, 512, 512, 16384, 25600, FINOBT | SPARSE, 1, 0, 1116 },
	{ 4096, 512, 512, 16384, 201326592, FINOBT | SPARSE, 1, 0, 1128 },
	{ 4096, 512, 512, 65536, 25600, FINOBT | RMAPBT | REFLINK, 1, 0, 3075 },
	{ 4096, 512, 512, 65536, 201326592, FINOBT | RMAPBT | REFLINK, 1, 0, 4287 },
	{ 4096, 512, 1024, 4096, 25600, REFLINK, 1, 0, 1368 },
	{ 4096, 512, 1024, 4096, 201326592, REFLINK, 1, 0, 2580 },
	{ 4096, 512, 2048, 4096, 25600, FINOBT | REFLINK | SPARSE, 1, 0, 1368 },
	{ 4096, 512, 2048, 4096, 201326592, FINOBT | REFLINK | SPARSE, 1, 0, 2580 },
	{ 4096, 4096, 512, 4096, 25600, FINOBT | REFLINK | SPARSE, 4096, 0, 1221 },
	{ 4096, 4096, 512, 4096, 201326592, FINOBT | REFLINK | SPARSE, 4096, 0, 2433 },
	{ 8192, 512, 512, 8192, 12800, FINOBT | REFLINK | SPARSE, 1, 0, 1128 },
	{ 8192, 512, 512, 8192, 12800, FINOBT | RMAPBT | REFLINK | SPARSE | NREXT64, 1, 0, 2810 },
	{ 8192, 512, 512, 8192, 12800, FINOBT | RMAPBT | REFLINK | SPARSE, 1, 0, 2810 },
	{ 8192, 512, 512, 8192, 12800, FINOBT | SPARSE, 1, 0, 559 },
	{ 8192, 512, 512, 8192, 12800, SPARSE, 1, 0, 559 },
	{ 8192, 512, 512, 8192, 100663296, FINOBT | REFLINK | SPARSE, 1, 0, 1920 },
	{ 8192, 512, 512, 8192, 100663296, FINOBT | RMAPBT | REFLINK | SPARSE | NREXT64, 1, 0, 3602 },
	{ 8192, 512, 512, 8192, 100663296, FINOBT | RMAPBT | REFLINK | SPARSE, 1, 0, 3602 },
	{ 8192, 512, 512, 8192, 100663296, FINOBT | SPARSE, 1, 0, 605 },
	{ 8192, 512, 512, 8192, 100663296, SPARSE, 1, 0, 559 },
	{ 8192, 512, 512, 65536, 12800, FINOBT | RMAPBT | REFLINK, 1, 0, 2810 },
	{ 8192, 512, 512, 65536, 100663296, FINOBT | RMAPBT | REFLINK, 1, 0, 3602 },
	{ 16384, 512, 512, 16384, 6400, FINOBT | REFLINK | SPARSE, 1, 0, 1002 },
	{ 16384, 512, 512, 16384, 6400, FINOBT | RMAPBT | REFLINK | SPARSE | NREXT64, 1, 0, 2671 },
	{ 16384, 512, 512, 16384, 6400, FINOBT | RMAPBT | REFLINK | SPARSE, 1, 0, 2671 },
	{ 16384, 512, 512, 16384, 50331648, FINOBT | REFLINK | SPARSE, 1, 0, 1589 },
	{ 16384, 512, 512, 16384, 50331648, FINOBT | RMAPBT | REFLINK | SPARSE | NREXT64, 1, 0, 3264 },
	{ 16384, 512, 512, 16384, 50331648, FINOBT | RMAPBT | REFLINK | SPARSE, 1, 0, 3264 },
	{ 16384, 512, 512, 65536, 6400, FINOBT | RMAPBT | REFLINK, 1, 0, 2671 },
	{ 16384, 512, 512, 65536, 50331648, FINOBT | RMAPBT | REFLINK, 1, 0, 3264 },
	{ 32768, 512, 512, 32768, 3200, FINOBT | REFLINK | SPARSE, 1, 0, 548 },
	{ 32768, 512, 512, 32768, 3200, FINOBT | RMAPBT | REFLINK | SPARSE | NREXT64, 1, 0, 2213 },
	{ 32768, 512, 512, 32768, 3200, FINOBT | RMAPBT | REFLINK | SPARSE, 1, 0, 2213 },
	{ 32768, 512, 512, 32768, 25165824, FINOBT | REFLINK | SPARSE, 1, 0, 1527 },
	{ 32768, 512, 512, 32768, 25165824, FINOBT | RMAPBT | REFLINK | SPARSE | NREXT64, 1, 0, 3192 },
	{ 32768, 512, 512, 32768, 25165824, FINOBT | RMAPBT | REFLINK | SPARSE, 1, 0, 3192 },
	{ 32768, 512, 512, 65536, 3200, FINOBT | RMAPBT | REFLINK, 1, 0, 2213 },
	{ 32768, 512, 512, 65536, 25165824, FINOBT | RMAPBT | REFLINK, 1, 0, 3192 },
	{ 65536, 512, 512, 65536, 12582912, FINOBT | REFLINK | SPARSE, 1, 0, 1105 },
	{ 65536, 512, 512, 65536, 12582912, FINOBT | RMAPBT | REFLINK | SPARSE | NREXT64, 1, 0, 2766 },
	{ 65536, 512, 512, 65536, 12582912, FINOBT | RMAPBT | REFLINK | SPARSE, 1, 0, 2766 },
	{ 65536, 512, 512, 65536, 12582912, FINOBT | RMAPBT | REFLINK, 1, 0, 2766 },
};

static struct xx_xfs_geometry geometry_of(const struct row *row)
{
	struct xx_xfs_geometry geo = xfs_geometry(row->block, row->ag_blocks, 4, row->features);

	geo.sector_size = row->sector;
	geo.log_sector_size = row->sector;
	geo.inode_size = row->inode;
	geo.dir_block_size = row->dir_block;
	geo.log_stripe_unit = row->log_unit;
	if (row->rt_extent) {
		geo.rt_extent_size = row->rt_extent;
		geo.rt_extents = 100;
		geo.rt_blocks = geo.rt_extents * row->rt_extent;
		geo.rt_bitmap_blocks = 1;
	}
	cr_assert_eq(xx_xfs_geometry_derive(&geo), 0);
	return geo;
}

ParameterizedTestParameters(xfs_log_min, as_mkfs)
{
	static size_t index[XX_ARRAY_SIZE(rows)];

	for (size_t i = 0; i < XX_ARRAY_SIZE(rows); i++)
		index[i] = i;
	return cr_make_param_array(size_t, index, XX_ARRAY_SIZE(rows));
}

ParameterizedTest(size_t *index, xfs_log_min, as_mkfs)
{
	const struct row *row = &rows[*index];
	const struct xx_xfs_geometry geo = geometry_of(row);

	cr_assert_eq(xx_xfs_log_min_blocks(&geo), row->least, "block %u features %u: %u, not %u", row->block,
		     row->features, xx_xfs_log_min_blocks(&geo), row->least);
}

/*
 * Kernel 6.18 reserves the end of an atomic write with one roll more for each kind of deferred update: it mounts a
 * journal of this length, and refuses one that is 3 % shorter.
 */
Test(xfs_log_min, rmapbt_without_reflink_is_larger_than_in_6_1)
{
	const struct row row = { 4096, 512, 512, 4096, 40000, FINOBT | RMAPBT | SPARSE, 1, 0, 975 };
	const struct xx_xfs_geometry geo = geometry_of(&row);

	cr_assert_eq(xx_xfs_log_min_blocks(&geo), row.least);
}

/* With parent pointers the overestimates of old kernels are dropped. */
Test(xfs_log_min, parent_pointers_use_the_new_rules)
{
	const struct row with = { 4096, 512, 512, 4096, 40000, ALL | PARENT, 1, 0, 2001 };
	const struct row without = { 4096, 512, 512, 4096, 40000, ALL, 1, 0, 3075 };
	struct xx_xfs_geometry geo = geometry_of(&with);

	cr_assert_eq(xx_xfs_log_min_blocks(&geo), with.least);
	geo = geometry_of(&without);
	cr_assert_eq(xx_xfs_log_min_blocks(&geo), without.least);
}
