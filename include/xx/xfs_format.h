/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_format.h - XFS as it lies on the medium, all of it; include this one.
 *
 * The names of structures and fields are those of the format's documentation ("XFS Algorithms & Data Structures"),
 * and each structure names its chapter there. All structures are arrays of bytes with endian-typed fields
 * (endian.h): alignment 1, no padding. Units of the fields are file system blocks unless a comment says otherwise.
 */
#ifndef XX_XFS_FORMAT_H
#define XX_XFS_FORMAT_H

#include <xx/xfs_format_sb.h>
#include <xx/xfs_format_ag.h>
#include <xx/xfs_format_btree.h>
#include <xx/xfs_format_inode.h>
#include <xx/xfs_format_log.h>

#endif
