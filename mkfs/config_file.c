/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * config_file.c - reads options from an INI file.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <xx/context.h>

#include "mkfs/config_file.h"

/* No honest file of options is larger. */
#define MAX_FILE (1024 * 1024)

/* Cuts blanks off both ends, in place. */
static char *trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return text;
}

/* Cuts off a comment: a ; at the start or after a blank. */
static void cut_comment(char *text)
{
	for (char *at = text; *at != '\0'; at++) {
		if (*at == ';' && (at == text || isspace((unsigned char)at[-1]))) {
			*at = '\0';
			return;
		}
	}
}

static const struct tool_group *find_section(const struct tool_table *table, const char *name)
{
	for (size_t i = 0; i < table->group_count; i++) {
		if (table->groups[i].section && strcasecmp(table->groups[i].section, name) == 0)
			return &table->groups[i];
	}
	return NULL;
}

/* "[section" with its bracket cut off. */
static int enter_section(struct tool_parser *parser, char *line, const struct tool_group **group)
{
	char *end = strchr(line, ']');

	if (!end)
		return tool_options_complain(parser, -EINVAL, "[%s: the closing bracket is missing", line);
	*end = '\0';
	*group = find_section(parser->table, line);
	if (!*group)
		return tool_options_complain(parser, -EINVAL, "[%s]: unknown section", line);
	return 0;
}

static int set_value(struct tool_parser *parser, const struct tool_group *group, char *line)
{
	char *separator = strpbrk(line, "=:");
	const struct tool_row *row;
	const char *value;
	char *kept;

	if (!separator)
		return tool_options_complain(parser, -EINVAL, "%s: neither a section nor name=value", line);
	*separator = '\0';
	line = trim(line);
	cut_comment(separator + 1);
	value = trim(separator + 1);
	if (!group)
		return tool_options_complain(parser, -EINVAL, "%s=%s stands before any section", line, value);
	row = tool_options_find(parser->table, group->letter, line, true);
	if (!row)
		return tool_options_complain(parser, -EINVAL, "%s: unknown in section [%s]", line, group->section);
	kept = tool_options_keep(parser, value, strlen(value));
	return kept ? tool_options_set(parser, row, kept) : -ENOMEM;
}

static int read_line(struct tool_parser *parser, const struct tool_group **group, char *line)
{
	line = trim(line);
	if (*line == '\0' || *line == ';' || *line == '#')
		return 0;
	if (*line == '[')
		return enter_section(parser, line + 1, group);
	return set_value(parser, *group, line);
}

int mkfs_config_text_read(struct tool_parser *parser, const char *path, const char *text, size_t length)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	const struct tool_group *group = NULL;
	char *copy;
	int ret = 0;

	if (memchr(text, '\0', length))
		return tool_options_complain(parser, -EINVAL, "-c options=%s: not a text", path);
	copy = tool_options_keep(parser, text, length);
	if (!copy)
		return -ENOMEM;
	if (strncmp(copy, byte_order_mark, 3) == 0)
		copy += 3;
	parser->file = path;
	parser->line = 0;
	while (ret == 0 && *copy != '\0') {
		char *line = copy;

		copy += strcspn(copy, "\n");
		if (*copy != '\0')
			*copy++ = '\0';
		parser->line++;
		ret = read_line(parser, &group, line);
	}
	parser->file = NULL;
	return ret;
}

static int read_all(FILE *file, char **text, size_t *length)
{
	*text = malloc(MAX_FILE);
	if (!*text)
		return -ENOMEM;
	*length = fread(*text, 1, MAX_FILE, file);
	if (ferror(file))
		return errno ? -errno : -EIO;
	return *length == MAX_FILE ? -EFBIG : 0;
}

int mkfs_config_file_read(struct tool_parser *parser, const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t length = 0;
	int ret;

	ret = file ? read_all(file, &text, &length) : -errno;
	if (ret)
		xx_error(parser->ctx, "-c options=%s cannot be read: %s.", path, strerror(-ret));
	else
		ret = mkfs_config_text_read(parser, path, text, length);
	free(text);
	if (file)
		fclose(file);
	return ret;
}
