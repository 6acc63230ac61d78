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

#include "mkfs/options.h"
#include "mkfs/values.h"
#include "mkfs/xfs_options.h"

/* A kept string; they hang in a list. */
struct kept {
	struct kept *next;
	char text[];
};

int mkfs_options_complain(const struct mkfs_parser *parser, int error, const char *fmt, ...)
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
		xx_error(parser->ctx, "%s, line %u: %s; see mkfs.xx --help.", parser->file, parser->line, text);
	else
		xx_error(parser->ctx, "%s; see mkfs.xx --help.", text);
	free(text);
	return error;
}

char *mkfs_options_keep(struct mkfs_parser *parser, const char *text, size_t length)
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

void mkfs_options_release(void *storage)
{
	struct kept *kept = storage;

	while (kept) {
		struct kept *next = kept->next;

		free(kept);
		kept = next;
	}
}

static struct mkfs_num *row_number(const struct mkfs_parser *parser, const struct mkfs_row *row)
{
	return (struct mkfs_num *)((char *)parser->target + row->field);
}

static bool is_size(const struct mkfs_row *row)
{
	return row->kind == MKFS_SIZE || row->kind == MKFS_LATE_SIZE;
}

const char *mkfs_options_range(char buf[MKFS_RANGE_TEXT], const struct mkfs_row *row)
{
	char low[MKFS_VALUE_TEXT], high[MKFS_VALUE_TEXT];
	const char *pow2 = row->flags & MKFS_POWER2 ? ", a power of two" : "";

	if (row->kind == MKFS_SWITCH || (row->min == 0 && row->max == 1))
		snprintf(buf, MKFS_RANGE_TEXT, "0 or 1");
	else if (row->min == row->max)
		snprintf(buf, MKFS_RANGE_TEXT, "%" PRIu64, row->min);
	else if (row->max == INT64_MAX)
		snprintf(buf, MKFS_RANGE_TEXT, "%s to less than 8e", mkfs_value_format(low, row->min));
	else if (is_size(row))
		snprintf(buf, MKFS_RANGE_TEXT, "%s to %s%s", mkfs_value_format(low, row->min),
			 mkfs_value_format(high, row->max), pow2);
	else
		snprintf(buf, MKFS_RANGE_TEXT, "%" PRIu64 " to %" PRIu64 "%s", row->min, row->max, pow2);
	return buf;
}

/* Says what is wrong with a value, and what would be right. */
static int bad_value(const struct mkfs_parser *parser, const struct mkfs_row *row, const char *text, const char *why)
{
	char range[MKFS_RANGE_TEXT];

	return mkfs_options_complain(parser, -EINVAL, "-%c %s=%s: %s; allowed: %s", row->letter, row->name, text, why,
				     mkfs_options_range(range, row));
}

static int check_range(const struct mkfs_parser *parser, const struct mkfs_row *row, const char *text, uint64_t number)
{
	if (number < row->min)
		return bad_value(parser, row, text, "too small");
	if (number > row->max)
		return bad_value(parser, row, text, "too large");
	if ((row->flags & MKFS_POWER2) && !xx_is_pow2(number))
		return bad_value(parser, row, text, "not a power of two");
	return 0;
}

static int read_number(const struct mkfs_parser *parser, const struct mkfs_row *row, const char *text,
		       const struct mkfs_units *units, uint64_t *number)
{
	switch (mkfs_value_parse(text, units, number)) {
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
static int check_seen(struct mkfs_parser *parser, const struct mkfs_row *row)
{
	const struct mkfs_row *rows = parser->table->rows;
	size_t self = (size_t)(row - rows);

	if (parser->seen[self] && !(row->flags & MKFS_AGAIN))
		return mkfs_options_complain(parser, -EINVAL, "-%c %s is given twice", row->letter, row->name);
	parser->seen[self] = true;

	for (size_t other = 1; other < parser->table->row_count; other++) {
		if (!parser->seen[other])
			continue;
		for (size_t i = 0; i < MKFS_CONFLICTS; i++) {
			if (row->conflicts[i] == other || rows[other].conflicts[i] == self)
				return mkfs_options_complain(parser, -EINVAL,
							     "-%c %s and -%c %s cannot be given together", row->letter,
							     row->name, rows[other].letter, rows[other].name);
		}
	}
	return 0;
}

int mkfs_options_number(const struct mkfs_parser *parser, const struct mkfs_row *row, const char *text,
			uint64_t *number)
{
	const struct mkfs_units units = { .suffixes = is_size(row) };
	int ret = read_number(parser, row, text, &units, number);

	return ret ? ret : check_range(parser, row, text, *number);
}

/* Reads the value of a row that is a number and stores it; late ones are only noted. */
static int set_number(struct mkfs_parser *parser, const struct mkfs_row *row, const char *value, uint64_t *number)
{
	struct mkfs_num *num = row_number(parser, row);
	int ret = 0;

	*number = row->kind == MKFS_LATE_SIZE ? 0 : 1;
	if (row->kind != MKFS_LATE_SIZE && value)
		ret = mkfs_options_number(parser, row, value, number);
	if (ret)
		return ret;
	num->given = true;
	num->value = *number;
	num->text = value;
	return 0;
}

/* A feature that is known but not supported may be switched off. */
static int set_refused(const struct mkfs_parser *parser, const struct mkfs_row *row, const char *value)
{
	if (value && strcmp(value, "0") == 0)
		return 0;
	return mkfs_options_complain(parser, -EOPNOTSUPP, "-%c %s is not supported: %s", row->letter, row->name,
				     row->help);
}

static bool needs_value(const struct mkfs_row *row)
{
	return row->kind != MKFS_SWITCH && row->kind != MKFS_REFUSED && !(row->flags & MKFS_BARE);
}

int mkfs_options_set(struct mkfs_parser *parser, const struct mkfs_row *row, const char *value)
{
	uint64_t number = 0;
	char range[MKFS_RANGE_TEXT];
	int ret;

	if (value && *value == '\0')
		value = NULL;
	ret = check_seen(parser, row);
	if (ret)
		return ret;
	if (!value && needs_value(row))
		return mkfs_options_complain(parser, -EINVAL, "-%c %s needs a value%s%s", row->letter, row->name,
					     row->max ? "; allowed: " : "",
					     row->max ? mkfs_options_range(range, row) : "");
	switch ((enum mkfs_kind)row->kind) {
	case MKFS_SWITCH:
	case MKFS_NUMBER:
	case MKFS_SIZE:
	case MKFS_LATE_SIZE:
		ret = set_number(parser, row, value, &number);
		break;
	case MKFS_TEXT:
		*(const char **)((char *)parser->target + row->field) = value;
		break;
	case MKFS_REFUSED:
		return set_refused(parser, row, value);
	case MKFS_SPECIAL:
		break;
	}
	if (ret == 0 && row->apply)
		ret = row->apply(parser, row, value, number);
	return ret;
}

int mkfs_options_count(const struct mkfs_parser *parser, const struct mkfs_flag *flag, const char *text,
		       struct mkfs_num *num)
{
	const struct mkfs_units units = { 0 };
	uint64_t number;

	if (mkfs_value_parse(text, &units, &number) != 0 || number < flag->min || number > flag->max)
		return mkfs_options_complain(parser, -EINVAL, "--%s=%s: not possible; allowed: %" PRIu64 " to %" PRIu64,
					     flag->name, text, flag->min, flag->max);
	*num = (struct mkfs_num){ true, number, text };
	return 0;
}

int mkfs_options_late(struct mkfs_parser *parser, uint32_t block, uint32_t sector, bool only_sectors)
{
	const struct mkfs_units units = { .suffixes = true, .block = block, .sector = sector ? sector : 512 };
	const struct mkfs_table *table = parser->table;

	for (size_t i = 1; i < table->row_count; i++) {
		const struct mkfs_row *row = &table->rows[i];
		struct mkfs_num *num = row_number(parser, row);
		bool in_sectors;
		int ret;

		if (row->kind != MKFS_LATE_SIZE || !num->given)
			continue;
		in_sectors = mkfs_value_is_in_sectors(num->text);
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

const struct mkfs_row *mkfs_options_find(const struct mkfs_table *table, char letter, const char *name,
					 bool ignore_case)
{
	for (size_t i = 1; i < table->row_count; i++) {
		const struct mkfs_row *row = &table->rows[i];

		if (row->letter == letter && (ignore_case ? strcasecmp : strcmp)(row->name, name) == 0)
			return row;
	}
	return NULL;
}

/* Names the sub-options that there are. */
static int unknown_name(const struct mkfs_parser *parser, char letter, const char *name)
{
	const struct mkfs_table *table = parser->table;
	char known[512] = "";
	size_t length = 0;

	for (size_t i = 1; i < table->row_count; i++) {
		const struct mkfs_row *row = &table->rows[i];

		if (row->letter == letter && row->kind != MKFS_REFUSED && length < sizeof(known))
			length += (size_t)snprintf(known + length, sizeof(known) - length, "%s%s", length ? " " : "",
						   row->name);
	}
	return mkfs_options_complain(parser, -EINVAL, "-%c %s: unknown; known: %s", letter, name, known);
}

int mkfs_options_group(struct mkfs_parser *parser, char letter, const char *arg)
{
	char *text = mkfs_options_keep(parser, arg, strlen(arg));

	if (!text)
		return -ENOMEM;
	while (*text != '\0') {
		char *name = text, *value;
		const struct mkfs_row *row;
		int ret;

		text += strcspn(text, ",");
		if (*text != '\0')
			*text++ = '\0';
		value = strchr(name, '=');
		if (value)
			*value++ = '\0';
		row = mkfs_options_find(parser->table, letter, name, false);
		ret = row ? mkfs_options_set(parser, row, value) : unknown_name(parser, letter, name);
		if (ret)
			return ret;
	}
	return 0;
}
