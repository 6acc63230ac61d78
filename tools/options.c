/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c - the engine behind the table of options: sub-options, their values, ranges and conflicts.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <xx/context.h>
#include <xx/units.h>

#include "tools/options.h"
#include "tools/values.h"

/* A kept string; they hang in a list. */
struct kept {
	struct kept *next;
	char text[];
};

int tool_options_complain(const struct tool_parser *parser, int error, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);

	if (!text)
		xx_error(parser->ctx, "Out of memory.");
	else if (parser->file)
		xx_error(parser->ctx, "%s, line %u: %s; see %s --help.", parser->file, parser->line, text,
			 parser->table->program);
	else
		xx_error(parser->ctx, "%s; see %s --help.", text, parser->table->program);
	free(text);
	return error;
}

char *tool_options_keep(struct tool_parser *parser, const char *text, size_t length)
{
	struct kept *kept = malloc(sizeof(*kept) + length + 1);

	if (!kept) {
		xx_error(parser->ctx, "Out of memory.");
		return NULL;
	}
	memcpy(kept->text, text, length);
	kept->text[length] = '\0';
	kept->next = *parser->storage;
	*parser->storage = kept;
	return kept->text;
}

void tool_options_release(void *storage)
{
	struct kept *kept = storage;

	while (kept) {
		struct kept *next = kept->next;

		free(kept);
		kept = next;
	}
}

static struct tool_num *row_number(const struct tool_parser *parser, const struct tool_row *row)
{
	return (struct tool_num *)((char *)parser->target + row->field);
}

static bool is_size(const struct tool_row *row)
{
	return row->kind == TOOL_SIZE || row->kind == TOOL_LATE_SIZE;
}

const char *tool_options_range(char buf[TOOL_RANGE_TEXT], const struct tool_row *row)
{
	char low[TOOL_VALUE_TEXT], high[TOOL_VALUE_TEXT];
	const char *pow2 = row->flags & TOOL_POWER2 ? ", a power of two" : "";

	if (row->kind == TOOL_SWITCH || (row->min == 0 && row->max == 1))
		snprintf(buf, TOOL_RANGE_TEXT, "0 or 1");
	else if (row->min == row->max)
		snprintf(buf, TOOL_RANGE_TEXT, "%" PRIu64, row->min);
	else if (row->max == INT64_MAX)
		snprintf(buf, TOOL_RANGE_TEXT, "%s to less than 8e", tool_value_format(low, row->min));
	else if (is_size(row))
		snprintf(buf, TOOL_RANGE_TEXT, "%s to %s%s", tool_value_format(low, row->min),
			 tool_value_format(high, row->max), pow2);
	else
		snprintf(buf, TOOL_RANGE_TEXT, "%" PRIu64 " to %" PRIu64 "%s", row->min, row->max, pow2);
	return buf;
}

/* Says what is wrong with a value, and what would be right. */
static int bad_value(const struct tool_parser *parser, const struct tool_row *row, const char *text, const char *why)
{
	char range[TOOL_RANGE_TEXT];

	return tool_options_complain(parser, -EINVAL, "-%c %s=%s: %s; allowed: %s", row->letter, row->name, text, why,
				     tool_options_range(range, row));
}

static int check_range(const struct tool_parser *parser, const struct tool_row *row, const char *text, uint64_t number)
{
	if (number < row->min)
		return bad_value(parser, row, text, "too small");
	if (number > row->max)
		return bad_value(parser, row, text, "too large");
	if ((row->flags & TOOL_POWER2) && !xx_is_pow2(number))
		return bad_value(parser, row, text, "not a power of two");
	return 0;
}

static int read_number(const struct tool_parser *parser, const struct tool_row *row, const char *text,
		       const struct tool_units *units, uint64_t *number)
{
	switch (tool_value_parse(text, units, number)) {
	case 0:
		return 0;
	case -EDOM:
		return bad_value(parser, row, text, units->suffixes ? "unknown suffix" : "suffixes are not allowed");
	case -ERANGE:
		return bad_value(parser, row, text, strchr(text, '-') ? "below nought" : "more than 64 bits hold");
	default:
		return bad_value(parser, row, text, "not a number");
	}
}

/* Given twice, or against another one? */
static int check_seen(struct tool_parser *parser, const struct tool_row *row)
{
	const struct tool_row *rows = parser->table->rows;
	size_t self = (size_t)(row - rows);

	if (parser->seen[self] && !(row->flags & TOOL_AGAIN))
		return tool_options_complain(parser, -EINVAL, "-%c %s is given twice", row->letter, row->name);
	parser->seen[self] = true;

	for (size_t other = 1; other < parser->table->row_count; other++) {
		if (!parser->seen[other])
			continue;
		for (size_t i = 0; i < TOOL_CONFLICTS; i++) {
			if (row->conflicts[i] == other || rows[other].conflicts[i] == self)
				return tool_options_complain(parser, -EINVAL,
							     "-%c %s and -%c %s cannot be given together", row->letter,
							     row->name, rows[other].letter, rows[other].name);
		}
	}
	return 0;
}

int tool_options_number(const struct tool_parser *parser, const struct tool_row *row, const char *text,
			uint64_t *number)
{
	const struct tool_units units = { .suffixes = is_size(row) };
	int ret = read_number(parser, row, text, &units, number);

	return ret ? ret : check_range(parser, row, text, *number);
}

/* Reads the value of a row that is a number and stores it; late ones are only noted. */
static int set_number(struct tool_parser *parser, const struct tool_row *row, const char *value, uint64_t *number)
{
	struct tool_num *num = row_number(parser, row);
	int ret = 0;

	*number = row->kind == TOOL_LATE_SIZE ? 0 : 1;
	if (row->kind != TOOL_LATE_SIZE && value)
		ret = tool_options_number(parser, row, value, number);
	if (ret)
		return ret;
	num->given = true;
	num->value = *number;
	num->text = value;
	return 0;
}

/* A feature that is known but not supported may be switched off. */
static int set_refused(const struct tool_parser *parser, const struct tool_row *row, const char *value)
{
	if (value && strcmp(value, "0") == 0)
		return 0;
	return tool_options_complain(parser, -EOPNOTSUPP, "-%c %s is not supported: %s", row->letter, row->name,
				     row->help);
}

static bool needs_value(const struct tool_row *row)
{
	return row->kind != TOOL_SWITCH && row->kind != TOOL_REFUSED && !(row->flags & TOOL_BARE);
}

int tool_options_set(struct tool_parser *parser, const struct tool_row *row, const char *value)
{
	uint64_t number = 0;
	char range[TOOL_RANGE_TEXT];
	int ret;

	if (value && *value == '\0')
		value = NULL;
	ret = check_seen(parser, row);
	if (ret)
		return ret;
	if (!value && needs_value(row))
		return tool_options_complain(parser, -EINVAL, "-%c %s needs a value%s%s", row->letter, row->name,
					     row->max ? "; allowed: " : "",
					     row->max ? tool_options_range(range, row) : "");
	switch ((enum tool_kind)row->kind) {
	case TOOL_SWITCH:
	case TOOL_NUMBER:
	case TOOL_SIZE:
	case TOOL_LATE_SIZE:
		ret = set_number(parser, row, value, &number);
		break;
	case TOOL_TEXT:
		*(const char **)((char *)parser->target + row->field) = value;
		break;
	case TOOL_REFUSED:
		return set_refused(parser, row, value);
	case TOOL_SPECIAL:
		break;
	}
	if (ret == 0 && row->apply)
		ret = row->apply(parser, row, value, number);
	return ret;
}

int tool_options_count(const struct tool_parser *parser, const struct tool_flag *flag, const char *text,
		       struct tool_num *num)
{
	const struct tool_units units = { .suffixes = flag->kind == TOOL_FLAG_SIZE };
	uint64_t number;

	if (tool_value_parse(text, &units, &number) != 0 || number < flag->min || number > flag->max) {
		const struct tool_row row = { .kind = units.suffixes ? TOOL_SIZE : TOOL_NUMBER,
					      .min = flag->min,
					      .max = flag->max };
		char range[TOOL_RANGE_TEXT];

		return tool_options_complain(parser, -EINVAL, "--%s=%s: not possible; allowed: %s", flag->name, text,
					     tool_options_range(range, &row));
	}
	*num = (struct tool_num){ true, number, text };
	return 0;
}

int tool_options_late(struct tool_parser *parser, uint32_t block, uint32_t sector, bool only_sectors)
{
	const struct tool_units units = { .suffixes = true, .block = block, .sector = sector ? sector : 512 };
	const struct tool_table *table = parser->table;

	for (size_t i = 1; i < table->row_count; i++) {
		const struct tool_row *row = &table->rows[i];
		struct tool_num *num = row_number(parser, row);
		bool in_sectors;
		int ret;

		if (row->kind != TOOL_LATE_SIZE || !num->given)
			continue;
		in_sectors = tool_value_is_in_sectors(num->text);
		if (only_sectors && !in_sectors)
			continue;
		ret = read_number(parser, row, num->text, &units, &num->value);
		if (ret == 0 && (sector || !in_sectors))
			ret = check_range(parser, row, num->text, num->value);
		else if (ret == 0)
			parser->needs_sector = true;
		if (ret)
			return ret;
	}
	return 0;
}

const struct tool_row *tool_options_find(const struct tool_table *table, char letter, const char *name,
					 bool ignore_case)
{
	for (size_t i = 1; i < table->row_count; i++) {
		const struct tool_row *row = &table->rows[i];

		if (row->letter == letter && (ignore_case ? strcasecmp : strcmp)(row->name, name) == 0)
			return row;
	}
	return NULL;
}

/* Names the sub-options that there are. */
static int unknown_name(const struct tool_parser *parser, char letter, const char *name)
{
	const struct tool_table *table = parser->table;
	char known[512] = "";
	size_t length = 0;

	for (size_t i = 1; i < table->row_count; i++) {
		const struct tool_row *row = &table->rows[i];

		if (row->letter == letter && row->kind != TOOL_REFUSED && length < sizeof(known))
			length += (size_t)snprintf(known + length, sizeof(known) - length, "%s%s", length ? " " : "",
						   row->name);
	}
	return tool_options_complain(parser, -EINVAL, "-%c %s: unknown; known: %s", letter, name, known);
}

int tool_options_group(struct tool_parser *parser, char letter, const char *arg)
{
	char *text = tool_options_keep(parser, arg, strlen(arg));

	if (!text)
		return -ENOMEM;
	while (*text != '\0') {
		char *name = text, *value;
		const struct tool_row *row;
		int ret;

		text += strcspn(text, ",");
		if (*text != '\0')
			*text++ = '\0';
		value = strchr(name, '=');
		if (value)
			*value++ = '\0';
		row = tool_options_find(parser->table, letter, name, false);
		ret = row ? tool_options_set(parser, row, value) : unknown_name(parser, letter, name);
		if (ret)
			return ret;
	}
	return 0;
}
