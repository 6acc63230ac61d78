/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_make.c - from the wishes of the user to a file system.
 */
#include <errno.h>

#include <xx/context.h>

#include "mkfs/xfs_make.h"
#include "mkfs/xfs_options.h"

int mkfs_xfs_make(struct xx_ctx *ctx, struct mkfs_xfs_options *opt)
{
	xx_error(ctx, "%s was not made: this version parses only.", opt->data_name);
	return -EOPNOTSUPP;
}
