/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - the engine of command lines: options, sub-options and files of them are rows of const tables.
 *
 * What a tool takes is one struct tool_table (of mkfs.xx: one for each format). The parsing of `-d agcount=4,su=64k` and of the same in a
 * configuration file, ranges, powers of two, conflicts, `given twice`, --help and the test of the man page come from
 * its rows. To add a sub-option add a row, a field for it, and a word in the man page; nothing else.
 *
 * Every function that returns int gives 0 or a negative errno; where it is not 0 one message was made.
 */
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/compiler.h>

struct xx_ctx;
struct tool_parser;

/* One number. value is 0 when it was not given. A sub-option that is a switch has the value 0 or 1. */
struct tool_num {
	bool given;
	uint64_t value;
	/* The value as the user wrote it, for messages; NULL if not given, or given without a value. Not owned. */
	const char *text;
};

enum tool_kind {
	TOOL_SWITCH, /* 0 or 1, and 1 when given without a value */
	TOOL_NUMBER, /* no suffixes */
	TOOL_SIZE, /* bytes, suffixes but b and s */
	TOOL_LATE_SIZE, /* bytes, all suffixes: worked out when the sizes of blocks and sectors are known */
	TOOL_TEXT, /* kept as it is */
	TOOL_SPECIAL, /* apply() reads the text */
	TOOL_REFUSED, /* known, not supported: only 0 is taken */
};

enum tool_row_flag {
	TOOL_POWER2 = 1 << 0, /* the value must be a power of two */
	TOOL_BARE = 1 << 1, /* may be given without a value (switches always may) */
	TOOL_AGAIN = 1 << 2, /* may be given twice; the last one counts */
};

#define TOOL_CONFLICTS 5
#define TOOL_ROWS_MAX  128

/* One sub-option. Its place in the table is its name for the code: 0 is never used. */
struct tool_row {
	char letter; /* of the option that it belongs to */
	uint8_t kind; /* enum tool_kind */
	uint8_t flags; /* enum tool_row_flag */
	uint8_t conflicts[TOOL_CONFLICTS]; /* rows that cannot be given too, 0-terminated; one of two rows names it */
	uint16_t field; /* offset in the target of a struct tool_num, or of a const char * (TOOL_TEXT); 0: none */
	const char *name;
	uint64_t min, max; /* of numbers and sizes */
	const char *value; /* how --help calls the value; NULL for switches */
	const char *preset; /* the default, for --help; NULL: not worth a word */
	const char *help;
	/* Called last, with the text (NULL: given without value) and the number. */
	int (*apply)(struct tool_parser *parser, const struct tool_row *row, const char *text, uint64_t number);
};

/* An option with sub-options. */
struct tool_group {
	char letter;
	const char *section; /* of configuration files; NULL: not to be given there */
	const char *title;
};

enum tool_flag_kind {
	TOOL_FLAG_BOOL, /* sets a bool */
	TOOL_FLAG_COUNT, /* sets a struct tool_num, in a range */
	TOOL_FLAG_SIZE, /* the same, in bytes, with the suffixes k to e */
	TOOL_FLAG_TEXT, /* sets a const char * */
	TOOL_FLAG_SPECIAL, /* apply() does it */
	TOOL_FLAG_HELP,
	TOOL_FLAG_VERSION,
};

/* An option without sub-options. */
struct tool_flag {
	char letter; /* 0: none */
	uint8_t kind; /* enum tool_flag_kind */
	uint16_t field;
	const char *name; /* long; NULL: none */
	const char *value; /* NULL: takes none */
	uint64_t min, max;
	const char *help; /* NULL: taken, but not shown */
	int (*apply)(struct tool_parser *parser, const char *text);
	const char *bare; /* the value may be left out (long options only), and is this then; NULL: it may not */
	uint32_t scope; /* commands of the tool that take it, a bit each; 0: all */
};

struct tool_table {
	const char *program; /* for messages */
	const struct tool_group *groups;
	size_t group_count;
	const struct tool_row *rows;
	size_t row_count; /* at most TOOL_ROWS_MAX */
	const struct tool_flag *flags;
	size_t flag_count;
	uint8_t operand; /* row that the one operand belongs to; 0: there may be many, see tool_parser */
};

/* The state of one parse. */
struct tool_parser {
	struct xx_ctx *ctx;
	const struct tool_table *table;
	void *target; /* the structure that fields are offsets in */
	void **storage; /* list of the strings that were kept */
	uint32_t scope; /* the command's bit; flags that are not in its scope are refused */
	const char *command; /* for messages; NULL: the tool has no commands */
	char *const *operands; /* of a table without a row for them; part of argv */
	size_t operand_count;
	bool seen[TOOL_ROWS_MAX];
	const char *file; /* now reading this file; NULL: the command line */
	unsigned line;
	bool needs_sector; /* set by tool_options_late() */
};

/* What a command line led to. */
enum tool_outcome {
	TOOL_GO_ON,
	TOOL_WANTS_HELP,
	TOOL_WANTS_VERSION
};

/* Parses a whole command line, with its operand. */
XX_MUST_CHECK int tool_options_parse(struct tool_parser *parser, int argc, char *const argv[],
				     enum tool_outcome *outcome);

/* Parses the argument of one option with sub-options: "agcount=4,noalign". */
XX_MUST_CHECK int tool_options_group(struct tool_parser *parser, char letter, const char *arg);

/* Gives the sub-option of the row a value; NULL: named without one. */
XX_MUST_CHECK int tool_options_set(struct tool_parser *parser, const struct tool_row *row, const char *value);

/* Reads the text as the row's kind of number and looks at its range: for rows with an apply() of their own. */
XX_MUST_CHECK int tool_options_number(const struct tool_parser *parser, const struct tool_row *row, const char *text,
				      uint64_t *number);

/* Reads the value of a flag that is a number. */
XX_MUST_CHECK int tool_options_count(const struct tool_parser *parser, const struct tool_flag *flag, const char *text,
				     struct tool_num *num);

/*
 * Works out the TOOL_LATE_SIZE values; with only_sectors those which are counted in sectors. A sector of 0 means that
 * it is not known yet: then 512 is taken for it, ranges are not looked at, and parser->needs_sector is set.
 */
XX_MUST_CHECK int tool_options_late(struct tool_parser *parser, uint32_t block, uint32_t sector, bool only_sectors);

/* The row of a sub-option; NULL: unknown. Case counts on the command line, not in files. */
const struct tool_row *tool_options_find(const struct tool_table *table, char letter, const char *name,
					 bool ignore_case);

/*
 * Makes the message about a wrong command line: where it stands if in a file, then the text, then the way to --help.
 * Returns error.
 */
int tool_options_complain(const struct tool_parser *parser, int error, const char *fmt, ...) XX_PRINTF(3, 4);

/* A copy that lives until tool_options_release(); NULL: no memory, and a message was made. */
char *tool_options_keep(struct tool_parser *parser, const char *text, size_t length);

/* Frees the list of kept strings. */
void tool_options_release(void *storage);

/* "16m to 1t", "512 to 32k, a power of two": the range of a row for a message or for --help. */
#define TOOL_RANGE_TEXT 80
const char *tool_options_range(char buf[TOOL_RANGE_TEXT], const struct tool_row *row);

#endif
