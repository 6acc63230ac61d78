/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_line.c - walks over argv with what the table of options says.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include <xx/context.h>

#include "mkfs/options.h"
#include "mkfs/xfs_options.h"

/* What getopt_long() is told: made of the groups and flags of a table. */
struct syntax {
	char *letters;
	struct option *names;
};

/* Codes of getopt_long() for the flags; the letters of options are below. */
#define FLAG_CODE 256

static char *append_letter(char *at, char letter, bool has_value)
{
	*at++ = letter;
	if (has_value)
		*at++ = ':';
	return at;
}

static int syntax_create(const struct mkfs_parser *parser, struct syntax *syntax)
{
	const struct mkfs_table *table = parser->table;
	struct option *name;
	char *at;

	syntax->letters = calloc(2 * (table->group_count + table->flag_count) + 2, 1);
	syntax->names = calloc(table->flag_count + 1, sizeof(*syntax->names));
	if (!syntax->letters || !syntax->names) {
		xx_error(parser->ctx, "Out of memory.");
		return -ENOMEM;
	}
	name = syntax->names;
	at = append_letter(syntax->letters, ':', false); /* tells a missing value from an unknown option */
	for (size_t i = 0; i < table->group_count; i++)
		at = append_letter(at, table->groups[i].letter, true);
	for (size_t i = 0; i < table->flag_count; i++) {
		const struct mkfs_flag *flag = &table->flags[i];

		if (flag->letter)
			at = append_letter(at, flag->letter, flag->value);
		if (!flag->name)
			continue;
		name->name = flag->name;
		name->has_arg = flag->value ? required_argument : no_argument;
		name->val = FLAG_CODE + (int)i;
		name++;
	}
	return 0;
}

static void syntax_destroy(struct syntax *syntax)
{
	free(syntax->letters);
	free(syntax->names);
}

/* The flag that getopt_long() found; NULL: an option with sub-options. */
static const struct mkfs_flag *find_flag(const struct mkfs_table *table, int code)
{
	if (code >= FLAG_CODE)
		return &table->flags[code - FLAG_CODE];
	for (size_t i = 0; i < table->flag_count; i++) {
		if (table->flags[i].letter == code)
			return &table->flags[i];
	}
	return NULL;
}

static int set_flag(struct mkfs_parser *parser, const struct mkfs_flag *flag, const char *value,
		    enum mkfs_outcome *outcome)
{
	char *field = (char *)parser->target + flag->field;

	switch ((enum mkfs_flag_kind)flag->kind) {
	case MKFS_FLAG_BOOL:
		*(bool *)field = true;
		break;
	case MKFS_FLAG_COUNT:
		return mkfs_options_count(parser, flag, value, (struct mkfs_num *)field);
	case MKFS_FLAG_SPECIAL:
		return flag->apply(parser, value);
	case MKFS_FLAG_HELP:
		*outcome = MKFS_WANTS_HELP;
		break;
	case MKFS_FLAG_VERSION:
		*outcome = MKFS_WANTS_VERSION;
		break;
	}
	return 0;
}

/* getopt_long() said '?' or ':' about the argument before optind, or about a letter in it. */
static int bad_option(const struct mkfs_parser *parser, int code, char *const argv[])
{
	const char *what = code == ':' ? "needs a value" : "unknown option, or a value where none is taken";

	if (optopt > 0 && optopt < FLAG_CODE)
		return mkfs_options_complain(parser, -EINVAL, "-%c: %s", optopt, what);
	return mkfs_options_complain(parser, -EINVAL, "%s: %s", argv[optind - 1], what);
}

static int parse_operands(struct mkfs_parser *parser, int count, char *const operands[])
{
	if (count > 1)
		return mkfs_options_complain(parser, -EINVAL, "%s: one device only, %s came before", operands[1],
					     operands[0]);
	if (count == 0)
		return 0;
	return mkfs_options_set(parser, &parser->table->rows[parser->table->operand], operands[0]);
}

int mkfs_options_parse(struct mkfs_parser *parser, int argc, char *const argv[], enum mkfs_outcome *outcome)
{
	struct syntax syntax = { 0 };
	int code, ret;

	*outcome = MKFS_GO_ON;
	ret = syntax_create(parser, &syntax);
	optind = 0; /* start anew: getopt_long() may have been used before */
	opterr = 0;
	while (ret == 0 && *outcome == MKFS_GO_ON) {
		const struct mkfs_flag *flag;

		code = getopt_long(argc, argv, syntax.letters, syntax.names, NULL);
		if (code < 0)
			break;
		if (code == '?' || code == ':') {
			ret = bad_option(parser, code, argv);
			break;
		}
		flag = find_flag(parser->table, code);
		ret = flag ? set_flag(parser, flag, optarg, outcome) : mkfs_options_group(parser, (char)code, optarg);
	}
	if (ret == 0 && *outcome == MKFS_GO_ON)
		ret = parse_operands(parser, argc - optind, argv + optind);
	syntax_destroy(&syntax);
	return ret;
}
