/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * help.h - lines of --help, made of rows of the table of options.
 */
#ifndef TOOL_HELP_H
#define TOOL_HELP_H

#include <stdio.h>

#include "tools/options.h"

/* Starts a line with what the user types, then goes to the column of the explanations. */
void tool_help_start(FILE *out, int indent, const char *typed);

/* The line of an option without sub-options; nothing for one that is not shown. */
void tool_help_flag(FILE *out, const struct tool_flag *flag);

#endif
