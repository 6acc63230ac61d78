/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_common.h - geometries for the tests of the room xfs.
 */
#ifndef XFS_COMMON_H
#define XFS_COMMON_H

#include <xx/xfs_build.h>
#include <xx/xfs_format.h>
#include <xx/xfs_geometry.h>

enum {
	FINOBT = 1,
	RMAPBT = 2,
	REFLINK = 4,
	SPARSE = 8,
	NREXT64 = 16,
	PARENT = 32,
	ALL = FINOBT | RMAPBT | REFLINK | SPARSE | NREXT64
};

/* A file system of @ag_count whole groups, 512-byte sectors and inodes, no log yet; not derived. */
struct xx_xfs_geometry xfs_geometry(uint32_t block, uint32_t ag_blocks, uint32_t ag_count, unsigned features);

/* Puts an internal log behind the headers of a group, at a multiple of @align, and derives. */
void xfs_geometry_log(struct xx_xfs_geometry *geo, uint32_t agno, uint32_t blocks, uint32_t align);

#endif
