/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_line.c - walks over argv with what the table of options says.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include <xx/context.h>

#include "tools/options.h"

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

static int syntax_create(const struct tool_parser *parser, struct syntax *syntax)
{
	const struct tool_table *table = parser->table;
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
		const struct tool_flag *flag = &table->flags[i];

		if (flag->letter)
			at = append_letter(at, flag->letter, flag->value);
		if (!flag->name)
			continue;
		name->name = flag->name;
		name->has_arg = !flag->value ? no_argument : flag->bare ? optional_argument : required_argument;
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
static const struct tool_flag *find_flag(const struct tool_table *table, int code)
{
	if (code >= FLAG_CODE)
		return &table->flags[code - FLAG_CODE];
	for (size_t i = 0; i < table->flag_count; i++) {
		if (table->flags[i].letter == code)
			return &table->flags[i];
	}
	return NULL;
}

/* An option of another command of this tool. */
static int out_of_scope(const struct tool_parser *parser, const struct tool_flag *flag)
{
	if (flag->name)
		return tool_options_complain(parser, -EINVAL, "--%s: not an option of %s", flag->name, parser->command);
	return tool_options_complain(parser, -EINVAL, "-%c: not an option of %s", flag->letter, parser->command);
}

static int set_flag(struct tool_parser *parser, const struct tool_flag *flag, const char *value,
		    enum tool_outcome *outcome)
{
	char *field = (char *)parser->target + flag->field;

	if (flag->scope && !(flag->scope & parser->scope))
		return out_of_scope(parser, flag);
	if (!value)
		value = flag->bare;
	switch ((enum tool_flag_kind)flag->kind) {
	case TOOL_FLAG_BOOL:
		*(bool *)field = true;
		break;
	case TOOL_FLAG_COUNT:
	case TOOL_FLAG_SIZE:
		return tool_options_count(parser, flag, value, (struct tool_num *)field);
	case TOOL_FLAG_TEXT:
		*(const char **)field = value;
		break;
	case TOOL_FLAG_SPECIAL:
		return flag->apply(parser, value);
	case TOOL_FLAG_HELP:
		*outcome = TOOL_WANTS_HELP;
		break;
	case TOOL_FLAG_VERSION:
		*outcome = TOOL_WANTS_VERSION;
		break;
	}
	return 0;
}

/* getopt_long() said '?' or ':' about the argument before optind, or about a letter in it. */
static int bad_option(const struct tool_parser *parser, int code, char *const argv[])
{
	const char *what = code == ':' ? "needs a value" : "unknown option, or a value where none is taken";

	if (optopt > 0 && optopt < FLAG_CODE)
		return tool_options_complain(parser, -EINVAL, "-%c: %s", optopt, what);
	return tool_options_complain(parser, -EINVAL, "%s: %s", argv[optind - 1], what);
}

static int parse_operands(struct tool_parser *parser, int count, char *const operands[])
{
	parser->operands = operands;
	parser->operand_count = (size_t)count;
	if (parser->table->operand == 0)
		return 0;
	if (count > 1)
		return tool_options_complain(parser, -EINVAL, "%s: one device only, %s came before", operands[1],
					     operands[0]);
	if (count == 0)
		return 0;
	return tool_options_set(parser, &parser->table->rows[parser->table->operand], operands[0]);
}

int tool_options_parse(struct tool_parser *parser, int argc, char *const argv[], enum tool_outcome *outcome)
{
	struct syntax syntax = { 0 };
	int code, ret;

	*outcome = TOOL_GO_ON;
	ret = syntax_create(parser, &syntax);
	optind = 0; /* start anew: getopt_long() may have been used before */
	opterr = 0;
	while (ret == 0 && *outcome == TOOL_GO_ON) {
		const struct tool_flag *flag;

		code = getopt_long(argc, argv, syntax.letters, syntax.names, NULL);
		if (code < 0)
			break;
		if (code == '?' || code == ':') {
			ret = bad_option(parser, code, argv);
			break;
		}
		flag = find_flag(parser->table, code);
		ret = flag ? set_flag(parser, flag, optarg, outcome) : tool_options_group(parser, (char)code, optarg);
	}
	if (ret == 0 && *outcome == TOOL_GO_ON)
		ret = parse_operands(parser, argc - optind, argv + optind);
	syntax_destroy(&syntax);
	return ret;
}
