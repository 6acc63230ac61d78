/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inode.c - an inode by its number.
 */
#include <errno.h>

#include "btrfs/fs.h"

int xx_btrfs_inode_find(struct xx_btrfs_iter *iter, const struct xx_btrfs_root *root, uint64_t inode,
			struct xx_btrfs_inode *out)
{
	const struct xx_btrfs_key key = { inode, BTRFS_INODE_ITEM_KEY, 0 };
	const uint64_t dead = xx_btrfs_iter_lost(iter);
	struct xx_btrfs_item item;
	int ret;

	xx_btrfs_iter_seek(iter, root, &key, &key);
	ret = xx_btrfs_iter_next(iter, &item);
	if (ret < 0)
		return ret;
	if (ret > 0)
		return xx_btrfs_inode_parse(&item, out);
	return xx_btrfs_iter_lost(iter) != dead ? -EIO : -ENOENT;
}
