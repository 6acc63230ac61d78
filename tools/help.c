/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * help.c - lines of --help.
 */
#include <string.h>

#include "tools/help.h"

#define COLUMN 30

void tool_help_start(FILE *out, int indent, const char *typed)
{
	int width = fprintf(out, "%*s%s", indent, "", typed);

	if (width > COLUMN - 2) {
		fputc('\n', out);
		width = 0;
	}
	fprintf(out, "%*s", COLUMN - width, "");
}

void tool_help_flag(FILE *out, const struct tool_flag *flag)
{
	const char *value = flag->value ? flag->value : "", *close = flag->bare ? "]" : "";
	const char *assign = !flag->value ? "" : flag->bare ? "[=" : "=";
	char typed[64];

	if (!flag->help)
		return;
	if (!flag->name)
		snprintf(typed, sizeof(typed), "-%c%s%s", flag->letter, flag->value ? " " : "", value);
	else if (!flag->letter)
		snprintf(typed, sizeof(typed), "    --%s%s%s%s", flag->name, assign, value, close);
	else
		snprintf(typed, sizeof(typed), "-%c, --%s%s%s%s", flag->letter, flag->name, assign, value, close);
	tool_help_start(out, 2, typed);
	fputs(flag->help, out);
	fputc('\n', out);
}
