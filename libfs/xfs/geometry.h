/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * geometry.h - what the room xfs alone asks of a geometry.
 */
#ifndef XFS_GEOMETRY_H
#define XFS_GEOMETRY_H

#include <xx/xfs_geometry.h>

/* Blocks of an inode buffer, the unit in which inodes are read and logged. Source: xfs_ialloc_setup_geometry. */
uint32_t xx_xfs_inode_cluster_blocks(const struct xx_xfs_geometry *geo);

#endif
