/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * new.h - the space of a new file system's groups, shared by those that lay it out.
 */
#ifndef XFS_NEW_H
#define XFS_NEW_H

#include <xx/xfs_build.h>

/* Free extents and free list of a group. Each extent that is taken splits one, at most. */
#define XX_XFS_NEW_FREE (2 * XX_XFS_NEW_RT_EXTENTS + 8)
#define XX_XFS_NEW_AGFL 8

/*
 * The two lists are changed as the two trees of mkfs.xfs are, in place: when one becomes shorter, the last entry stays
 * behind it, and in the unused part of the tree's block.
 */
struct xx_xfs_new_space {
	struct xx_xfs_free free[XX_XFS_NEW_FREE]; /* by start */
	struct xx_xfs_free by_length[XX_XFS_NEW_FREE]; /* the same by length, then start */
	uint32_t free_count;
	uint32_t slots; /* the most that free_count ever was */
	uint32_t agfl[XX_XFS_NEW_AGFL];
	uint32_t agfl_count;
};

/* The space of a group as far as the plan is made: without headers, log, free list, inode chunk, realtime files. */
void xx_xfs_new_space(const struct xx_xfs_new *fs, uint32_t agno, struct xx_xfs_new_space *space);

/* Takes a range that lies in one free extent out of it; false when it does not. */
bool xx_xfs_new_take(struct xx_xfs_new_space *space, uint32_t start, uint32_t len);

/* Places the realtime files and appends them to fs->rt_extent. 0, -ENOSPC or -EOPNOTSUPP. */
int xx_xfs_new_plan_rt(struct xx_xfs_new *fs);

#endif
