/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_common.c - geometries for the tests of the room xfs.
 */
#include <criterion/criterion.h>
#include <xx/units.h>

#include "tests/unit/xfs_common.h"

struct xx_xfs_geometry xfs_geometry(uint32_t block, uint32_t ag_blocks, uint32_t ag_count, unsigned features)
{
	return (struct xx_xfs_geometry){
		.uuid = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 },
		.label = "test",
		.features = {
			.finobt = features & FINOBT,
			.rmapbt = features & RMAPBT,
			.reflink = features & REFLINK,
			.sparse_inodes = features & SPARSE,
			.nrext64 = features & NREXT64,
			.parent = features & PARENT,
			.inobtcount = features & FINOBT,
			.ftype = true,
			.bigtime = true,
			.inode_align = true,
			.attr2 = true,
			.lazy_counters = true,
			.projid32 = true,
			.nlink = true,
		},
		.block_size = block,
		.sector_size = 512,
		.inode_size = 512,
		.dir_block_size = block < 4096 ? 4096 : block,
		.data_blocks = (uint64_t)ag_blocks * ag_count,
		.ag_count = ag_count,
		.ag_blocks = ag_blocks,
		.inode_max_percent = 25,
		.log_internal = true,
		.log_sector_size = 512,
		.log_stripe_unit = 1,
		.rt_extent_size = block < 4096 ? 4096 / block : 1,
	};
}

void xfs_geometry_log(struct xx_xfs_geometry *geo, uint32_t agno, uint32_t blocks, uint32_t align)
{
	cr_assert_eq(xx_xfs_geometry_derive(geo), 0);
	geo->log_ag = agno;
	geo->log_blocks = blocks;
	geo->log_start = ((uint64_t)agno << geo->ag_block_log) + xx_round_up(geo->root_block.first_free, align);
	cr_assert_eq(xx_xfs_geometry_derive(geo), 0);
}
