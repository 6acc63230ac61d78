/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_parse.h - for the tests of mkfs.xx's command line: parses a line of words and keeps what it says.
 */
#ifndef TESTS_UNIT_MKFS_PARSE_H
#define TESTS_UNIT_MKFS_PARSE_H

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include <xx/context.h>

#include "mkfs/xfs_options.h"

struct parsed {
	int ret;
	struct mkfs_xfs_options opt;
	unsigned messages;
	char message[2048]; /* the last one */
	struct xx_ctx *ctx;
	char line[2048];
	char *argv[64];
};

static inline void parsed_sink(enum xx_level level, const char *text, void *private)
{
	struct parsed *parsed = private;

	(void)level;
	parsed->messages++;
	snprintf(parsed->message, sizeof(parsed->message), "%s", text);
}

/* Parses the words of the line, which blanks separate, as what follows "mkfs.xx". parse_end() is due. */
static inline void parse(struct parsed *parsed, const char *line)
{
	int argc = 0;

	memset(parsed, 0, sizeof(*parsed));
	snprintf(parsed->line, sizeof(parsed->line), "mkfs.xx %s", line);
	for (char *word = strtok(parsed->line, " "); word; word = strtok(NULL, " "))
		parsed->argv[argc++] = word;
	cr_assert_eq(xx_ctx_create(parsed_sink, parsed, &parsed->ctx), 0);
	parsed->ret = mkfs_xfs_parse(parsed->ctx, argc, parsed->argv, &parsed->opt);
}

static inline void parse_end(struct parsed *parsed)
{
	mkfs_xfs_options_release(&parsed->opt);
	xx_ctx_destroy(parsed->ctx);
}

/* The line is refused with error, with one message that has all the words of `says`, at most two lines long. */
static inline void refused_as(const char *line, int error, const char *says)
{
	struct parsed parsed;
	unsigned newlines = 0;

	parse(&parsed, line);
	cr_expect_eq(parsed.ret, error, "%s: %d", line, parsed.ret);
	cr_expect_eq(parsed.messages, 1, "%s: %u messages", line, parsed.messages);
	cr_expect(strstr(parsed.message, says), "%s: '%s' is not in: %s", line, says, parsed.message);
	for (const char *at = parsed.message; *at; at++)
		newlines += *at == '\n';
	cr_expect_leq(newlines, 1, "%s: too long: %s", line, parsed.message);
	parse_end(&parsed);
}

#endif
