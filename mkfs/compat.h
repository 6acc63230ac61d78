/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat.h - what a kernel mounts: --compat=linux-6.1.
 */
#ifndef MKFS_COMPAT_H
#define MKFS_COMPAT_H

#include <xx/compiler.h>

struct tool_parser;

/* The kernels, for messages and --help. A test holds it against the table. */
#define MKFS_COMPAT_NAMES "linux-5.10, linux-5.15, linux-6.1, linux-6.6, linux-6.12"

/* The row of a kernel; -1: unknown. */
int mkfs_compat_find(const char *name);

/* The name of a row; NULL: there is no such row. */
const char *mkfs_compat_name(int row);

/*
 * Fits the options (the parser's target, a struct mkfs_xfs_options) to its row of the table: a feature that the kernel
 * does not mount, or that was an experiment in it, is given as off; one that the user switched on although the kernel
 * does not mount it is -EINVAL with a message. Does nothing when no kernel was named.
 */
XX_MUST_CHECK int mkfs_compat_apply(const struct tool_parser *parser);

#endif
