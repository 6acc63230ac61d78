/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config_file.h - options from a file: mkfs.xx -c options=FILE.
 *
 * The file is INI: a line is empty, a comment (# or ;), [section], or name=value (or name:value). The sections are those
 * of the table's groups, the names their sub-options; neither cares for case. A ; after a blank starts a comment too.
 */
#ifndef MKFS_CONFIG_FILE_H
#define MKFS_CONFIG_FILE_H

#include <stddef.h>

#include "tools/options.h"

/* Reads the file and sets what it says. What cannot be opened or read is its errno, what is wrong in it -EINVAL. */
XX_MUST_CHECK int mkfs_config_file_read(struct tool_parser *parser, const char *path);

/* The same for a text in memory; path is for messages. */
XX_MUST_CHECK int mkfs_config_text_read(struct tool_parser *parser, const char *path, const char *text, size_t length);

#endif
