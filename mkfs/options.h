/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - the engine of command lines: options, sub-options and files of them are rows of const tables.
 *
 * A format (XFS, later others) has one struct mkfs_table. The parsing of `-d agcount=4,su=64k` and of the same in a
 * configuration file, ranges, powers of two, conflicts, `given twice`, --help and the test of the man page come from
 * its rows. To add a sub-option add a row, a field for it, and a word in the man page; nothing else.
 *
 * Every function that returns int gives 0 or a negative errno; where it is not 0 one message was made.
 */
#ifndef MKFS_OPTIONS_H
#define MKFS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/compiler.h>

struct xx_ctx;
struct mkfs_num;
struct mkfs_parser;

enum mkfs_kind {
	MKFS_SWITCH, /* 0 or 1, and 1 when given without a value */
	MKFS_NUMBER, /* no suffixes */
	MKFS_SIZE, /* bytes, suffixes but b and s */
	MKFS_LATE_SIZE, /* bytes, all suffixes: worked out when the sizes of blocks and sectors are known */
	MKFS_TEXT, /* kept as it is */
	MKFS_SPECIAL, /* apply() reads the text */
	MKFS_REFUSED, /* known, not supported: only 0 is taken */
};

enum mkfs_row_flag {
	MKFS_POWER2 = 1 << 0, /* the value must be a power of two */
	MKFS_BARE = 1 << 1, /* may be given without a value (switches always may) */
	MKFS_AGAIN = 1 << 2, /* may be given twice; the last one counts */
};

#define MKFS_CONFLICTS 5
#define MKFS_ROWS_MAX  128

/* One sub-option. Its place in the table is its name for the code: 0 is never used. */
struct mkfs_row {
	char letter; /* of the option that it belongs to */
	uint8_t kind; /* enum mkfs_kind */
	uint8_t flags; /* enum mkfs_row_flag */
	uint8_t conflicts[MKFS_CONFLICTS]; /* rows that cannot be given too, 0-terminated; one of two rows names it */
	uint16_t field; /* offset in the target of a struct mkfs_num, or of a const char * (MKFS_TEXT); 0: none */
	const char *name;
	uint64_t min, max; /* of numbers and sizes */
	const char *value; /* how --help calls the value; NULL for switches */
	const char *preset; /* the default, for --help; NULL: not worth a word */
	const char *help;
	/* Called last, with the text (NULL: given without value) and the number. */
	int (*apply)(struct mkfs_parser *parser, const struct mkfs_row *row, const char *text, uint64_t number);
};

/* An option with sub-options. */
struct mkfs_group {
	char letter;
	const char *section; /* of configuration files; NULL: not to be given there */
	const char *title;
};

enum mkfs_flag_kind {
	MKFS_FLAG_BOOL, /* sets a bool */
	MKFS_FLAG_COUNT, /* sets a struct mkfs_num, in a range */
	MKFS_FLAG_SPECIAL, /* apply() does it */
	MKFS_FLAG_HELP,
	MKFS_FLAG_VERSION,
};

/* An option without sub-options. */
struct mkfs_flag {
	char letter; /* 0: none */
	uint8_t kind; /* enum mkfs_flag_kind */
	uint16_t field;
	const char *name; /* long; NULL: none */
	const char *value; /* NULL: takes none */
	uint64_t min, max;
	const char *help; /* NULL: taken, but not shown */
	int (*apply)(struct mkfs_parser *parser, const char *text);
};

struct mkfs_table {
	const struct mkfs_group *groups;
	size_t group_count;
	const struct mkfs_row *rows;
	size_t row_count; /* at most MKFS_ROWS_MAX */
	const struct mkfs_flag *flags;
	size_t flag_count;
	uint8_t operand; /* row that the operand belongs to */
};

/* The state of one parse. */
struct mkfs_parser {
	struct xx_ctx *ctx;
	const struct mkfs_table *table;
	void *target; /* the structure that fields are offsets in */
	void **storage; /* list of the strings that were kept */
	bool seen[MKFS_ROWS_MAX];
	const char *file; /* now reading this file; NULL: the command line */
	unsigned line;
	bool needs_sector; /* set by mkfs_options_late() */
};

/* What a command line led to. */
enum mkfs_outcome {
	MKFS_GO_ON,
	MKFS_WANTS_HELP,
	MKFS_WANTS_VERSION
};

/* Parses a whole command line, with its operand. */
XX_MUST_CHECK int mkfs_options_parse(struct mkfs_parser *parser, int argc, char *const argv[],
				     enum mkfs_outcome *outcome);

/* Parses the argument of one option with sub-options: "agcount=4,noalign". */
XX_MUST_CHECK int mkfs_options_group(struct mkfs_parser *parser, char letter, const char *arg);

/* Gives the sub-option of the row a value; NULL: named without one. */
XX_MUST_CHECK int mkfs_options_set(struct mkfs_parser *parser, const struct mkfs_row *row, const char *value);

/* Reads the text as the row's kind of number and looks at its range: for rows with an apply() of their own. */
XX_MUST_CHECK int mkfs_options_number(const struct mkfs_parser *parser, const struct mkfs_row *row, const char *text,
				      uint64_t *number);

/* Reads the value of a flag that is a number. */
XX_MUST_CHECK int mkfs_options_count(const struct mkfs_parser *parser, const struct mkfs_flag *flag, const char *text,
				     struct mkfs_num *num);

/*
 * Works out the MKFS_LATE_SIZE values; with only_sectors those which are counted in sectors. A sector of 0 means that
 * it is not known yet: then 512 is taken for it, ranges are not looked at, and parser->needs_sector is set.
 */
XX_MUST_CHECK int mkfs_options_late(struct mkfs_parser *parser, uint32_t block, uint32_t sector, bool only_sectors);

/* The row of a sub-option; NULL: unknown. Case counts on the command line, not in files. */
const struct mkfs_row *mkfs_options_find(const struct mkfs_table *table, char letter, const char *name,
					 bool ignore_case);

/*
 * Makes the message about a wrong command line: where it stands if in a file, then the text, then the way to --help.
 * Returns error.
 */
int mkfs_options_complain(const struct mkfs_parser *parser, int error, const char *fmt, ...) XX_PRINTF(3, 4);

/* A copy that lives until mkfs_options_release(); NULL: no memory, and a message was made. */
char *mkfs_options_keep(struct mkfs_parser *parser, const char *text, size_t length);

/* Frees the list of kept strings. */
void mkfs_options_release(void *storage);

/* "16m to 1t", "512 to 32k, a power of two": the range of a row for a message or for --help. */
#define MKFS_RANGE_TEXT 80
const char *mkfs_options_range(char buf[MKFS_RANGE_TEXT], const struct mkfs_row *row);

#endif
