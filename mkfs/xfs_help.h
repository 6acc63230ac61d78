/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_help.h - mkfs.xx --help.
 */
#ifndef MKFS_XFS_HELP_H
#define MKFS_XFS_HELP_H

#include <stdio.h>

/* Writes the usage, made of the table of options. */
void mkfs_xfs_help(FILE *out);

#endif
