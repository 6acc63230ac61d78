/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_path.h - names: from (subvolume, inode) to paths, from a subvolume to its own.
 */
#ifndef XX_BTRFS_PATH_H
#define XX_BTRFS_PATH_H

#include <stddef.h>
#include <stdint.h>
#include <xx/btrfs_fs.h>
#include <xx/compiler.h>

struct xx_btrfs_pather;

/* Remembers directories and subvolumes that it named. @lost may be NULL. */
XX_API XX_MUST_CHECK int xx_btrfs_pather_create(struct xx_btrfs_fs *fs, struct xx_btrfs_pather **out);
XX_API void xx_btrfs_pather_destroy(struct xx_btrfs_pather *pather);

/*
 * Called with each path of an inode: @subvolume is the path of the subvolume from the top of the file system, "" for
 * the top itself, and "<tree ID>" for one that has no name (any more); @path is the path within it, without a
 * slash in front. Both are bytes that end with a zero, of any encoding. Other than 0 ends the walk and is returned.
 */
typedef int (*xx_btrfs_path_fn)(void *private, const char *subvolume, const char *path);

/*
 * All paths, one for each hard link. 0; -ENOENT: it has no name (deleted while open, or a file of the space cache);
 * -EIO: names stood in a dead block, at least one path could not be told; -EUCLEAN: directories that contain
 * themselves; -ENAMETOOLONG: over XX_BTRFS_PATH_MAX; -ENOMEM.
 */
#define XX_BTRFS_PATH_MAX ((size_t)1 << 20) /* bytes of a path */
XX_API XX_MUST_CHECK int xx_btrfs_paths(struct xx_btrfs_pather *pather, uint64_t subvolume, uint64_t inode,
					xx_btrfs_path_fn fn, void *private);

/* The path of a subvolume from the top, as above; valid until the pather is destroyed. 0, -ENOMEM. */
XX_API XX_MUST_CHECK int xx_btrfs_subvolume_path(struct xx_btrfs_pather *pather, uint64_t subvolume, const char **out);

#endif
