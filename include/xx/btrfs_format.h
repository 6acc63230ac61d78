/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_format.h - btrfs as it lies on the medium, all of it; include this one.
 *
 * The names of structures and fields are those of the format's own header (BT: kernel-shared/uapi/btrfs_tree.h of
 * btrfs-progs 6.19), which is also the only complete documentation; "On-disk Format" among btrfs-progs' developer
 * documents describes the same with some age. All structures are arrays of bytes with little-endian fields (endian.h):
 * alignment 1, no padding. Addresses are bytes: *logical* ones in the file system's own address space, *physical* ones
 * on a device.
 */
#ifndef XX_BTRFS_FORMAT_H
#define XX_BTRFS_FORMAT_H

#include <xx/btrfs_format_tree.h>
#include <xx/btrfs_format_super.h>
#include <xx/btrfs_format_chunk.h>
#include <xx/btrfs_format_extent.h>
#include <xx/btrfs_format_inode.h>

#endif
