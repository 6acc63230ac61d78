/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_help.c - the text of mkfs.xx --help, from the table of options.
 */
#include <string.h>

#include "mkfs/xfs_help.h"
#include "mkfs/xfs_option_rows.h"
#include "tools/help.h"

static void show_row(FILE *out, const struct tool_row *row)
{
	char range[TOOL_RANGE_TEXT], typed[64];

	if (row->kind == TOOL_REFUSED)
		return;
	if (row->kind == TOOL_SWITCH)
		snprintf(typed, sizeof(typed), "%s[=0|1]", row->name);
	else
		snprintf(typed, sizeof(typed), row->flags & TOOL_BARE ? "%s[=%s]" : "%s=%s", row->name, row->value);
	tool_help_start(out, 8, typed);
	fputs(row->help, out);
	if (row->max > 1)
		fprintf(out, "; %s", tool_options_range(range, row));
	if (row->preset)
		fprintf(out, " (%s)", row->preset);
	fputc('\n', out);
}

static void show_group(FILE *out, const struct tool_table *table, const struct tool_group *group)
{
	fprintf(out, "\n  -%c, %s", group->letter, group->title);
	if (group->section)
		fprintf(out, " [%s]", group->section);
	fputs(":\n", out);
	for (size_t i = 1; i < table->row_count; i++) {
		if (table->rows[i].letter == group->letter)
			show_row(out, &table->rows[i]);
	}
}

void mkfs_xfs_help(FILE *out)
{
	const struct tool_table *table = &mkfs_xfs_table;

	fputs("Usage: mkfs.xx [OPTION]... DEVICE\n"
	      "Makes an XFS file system on a device or an image file.\n\n",
	      out);
	for (size_t i = 0; i < table->flag_count; i++)
		tool_help_flag(out, &table->flags[i]);
	fputs("\nOptions with sub-options, as in -d agcount=4,su=64k (in parentheses: the default; in brackets: the\n"
	      "section of a configuration file):\n",
	      out);
	for (size_t i = 0; i < table->group_count; i++)
		show_group(out, table, &table->groups[i]);
	fputs("\nSizes are bytes, decimal, 0x hexadecimal or 0 octal, or with a suffix: s sectors, b blocks, or\n"
	      "k m g t p e, powers of 1,024. See mkfs.xx(8).\n",
	      out);
}
