/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scrub_options.c - the command line of xxscrub: which command takes what, and what goes together.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include <xx/context.h>

#include "scrub/args.h"
#include "scrub/commands.h"
#include "scrub/engine.h"

struct parsed {
	int ret;
	struct scrub_args args;
	unsigned messages;
	char message[1024]; /* the last one */
	struct xx_ctx *ctx;
	char line[1024];
	char *argv[64];
};

static void sink(enum xx_level level, const char *text, void *private)
{
	struct parsed *parsed = private;

	(void)level;
	parsed->messages++;
	snprintf(parsed->message, sizeof(parsed->message), "%s", text);
}

/* Parses words with blanks between them. parse_end() is due. */
static void parse(struct parsed *parsed, const char *line)
{
	int argc = 0;

	memset(parsed, 0, sizeof(*parsed));
	snprintf(parsed->line, sizeof(parsed->line), "xxscrub %s", line);
	for (char *word = strtok(parsed->line, " "); word; word = strtok(NULL, " "))
		parsed->argv[argc++] = word;
	cr_assert_eq(xx_ctx_create(sink, parsed, &parsed->ctx), 0);
	parsed->ret = scrub_args_parse(parsed->ctx, argc, parsed->argv, &parsed->args);
	cr_expect_eq(parsed->messages, parsed->ret < 0 ? 1u : 0u, "%s: %u messages", line, parsed->messages);
}

static void parse_end(struct parsed *parsed)
{
	scrub_args_release(&parsed->args);
	xx_ctx_destroy(parsed->ctx);
}

static const struct {
	const char *line, *says;
} refused[] = {
	{ "", "No command" },
	{ "scrub x", "unknown command" },
	{ "-B start x", "a command comes first" },
	{ "start", "No device" },
	{ "start --json x", "needs -B" },
	{ "start --files x", "needs -B" },
	{ "start -B --files --json x", "together" },
	{ "start -B --metadata-only --data-only x", "together" },
	{ "start -z x", "needs --files" },
	{ "start -n 3 x", "needs -c" },
	{ "start -c 4 x", "0 to 3" },
	{ "start --limit=1x x", "--limit=1x" },
	{ "start --limit=-1 x", "--limit=-1" },
	{ "start --memory=1m x", "16m" },
	{ "start --queue-depth=0 x", "1 to 4096" },
	{ "start --io-engine=spdk x", "threads" },
	{ "start --watch x", "not an option of start" },
	{ "start --no-such x", "unknown option" },
	{ "resume -f x", "not an option of resume" },
	{ "resume --metadata-only x", "not an option of resume" },
	{ "cancel -r x", "not an option of cancel" },
	{ "cancel x y", "y: one device or UUID only" },
	{ "status -B x", "not an option of status" },
	{ "status --watch=0 x", "1 to" },
	{ "limit -d x", "not an option of limit" },
	{ "limit", "No device" },
};

Test(options, refused)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(refused); i++) {
		struct parsed parsed;

		parse(&parsed, refused[i].line);
		cr_expect_lt(parsed.ret, 0, "%s", refused[i].line);
		cr_expect(strstr(parsed.message, refused[i].says), "%s: %s", refused[i].line, parsed.message);
		cr_expect(strstr(parsed.message, "xxscrub --help"), "%s", parsed.message);
		parse_end(&parsed);
	}
}

Test(options, start)
{
	struct parsed parsed;

	parse(&parsed, "start -Brdq --limit 40m --files=list -z --memory=1g --io-engine=aio --queue-depth 7 -c 2 -n 5 "
		       "--device c a --device d b");
	cr_assert_eq(parsed.ret, 0);
	cr_expect_eq(parsed.args.command, SCRUB_START);
	cr_expect(parsed.args.foreground && parsed.args.read_only && parsed.args.per_device && parsed.args.quiet);
	cr_expect(!parsed.args.force && !parsed.args.raw && !parsed.args.json);
	cr_expect_eq(parsed.args.limit.value, 40u << 20);
	cr_expect_eq(parsed.args.memory.value, 1u << 30);
	cr_expect_eq(parsed.args.queue_depth.value, 7);
	cr_expect_eq(parsed.args.io_class.value, 2);
	cr_expect_eq(parsed.args.io_priority.value, 5);
	cr_expect_eq(parsed.args.io_engine, XX_ENGINE_AIO);
	cr_expect_str_eq(parsed.args.files, "list");
	cr_expect(parsed.args.nul);
	cr_assert_eq(parsed.args.operand_count, 2);
	cr_expect_str_eq(parsed.args.operands[0], "a");
	cr_expect_str_eq(parsed.args.operands[1], "b");
	cr_assert_eq(parsed.args.device_count, 2);
	cr_expect_str_eq(parsed.args.devices[0], "c");
	cr_expect_str_eq(parsed.args.devices[1], "d");
	parse_end(&parsed);
}

Test(options, values_that_may_be_left_out)
{
	struct parsed parsed;

	parse(&parsed, "start -B --files a");
	cr_assert_eq(parsed.ret, 0);
	cr_expect_str_eq(parsed.args.files, "-");
	cr_expect_eq(parsed.args.operand_count, 1);
	parse_end(&parsed);

	parse(&parsed, "status --watch a");
	cr_assert_eq(parsed.ret, 0);
	cr_expect_eq(parsed.args.watch.value, 1);
	parse_end(&parsed);

	parse(&parsed, "status --watch=5 a");
	cr_assert_eq(parsed.ret, 0);
	cr_expect_eq(parsed.args.watch.value, 5);
	parse_end(&parsed);

	parse(&parsed, "limit a");
	cr_assert_eq(parsed.ret, 0);
	cr_expect(!parsed.args.limit.given);
	parse_end(&parsed);

	parse(&parsed, "limit -l 0 a");
	cr_assert_eq(parsed.ret, 0);
	cr_expect(parsed.args.limit.given && parsed.args.limit.value == 0);
	parse_end(&parsed);
}

static const struct {
	const char *line;
	bool si;
	char unit;
} units[] = {
	{ "status x", false, 0 },
	{ "status --si x", true, 0 },
	{ "status --raw x", false, 'B' },
	{ "status --kbytes x", false, 'k' },
	{ "status --mbytes --si x", true, 'm' },
	{ "status --si --gbytes --iec x", false, 'g' },
	{ "resume --tbytes x", false, 't' },
	{ "start --raw --human-readable x", false, 0 },
};

Test(options, units)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(units); i++) {
		struct parsed parsed;

		parse(&parsed, units[i].line);
		cr_expect_eq(parsed.ret, 0, "%s", units[i].line);
		cr_expect_eq(parsed.args.units.si, units[i].si, "%s", units[i].line);
		cr_expect_eq(parsed.args.units.unit, units[i].unit, "%s", units[i].line);
		parse_end(&parsed);
	}
}

Test(options, help_names_every_command)
{
	const struct scrub_command *command;
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);

	cr_assert(out);
	scrub_args_help(out);
	fclose(out);
	for (size_t i = 0; (command = scrub_command_at(i)); i++) {
		char line[64];

		snprintf(line, sizeof(line), "\n  %s %s", command->name, command->operands);
		cr_expect(strstr(text, line), "%s", command->name);
		cr_expect_eq(command->also != NULL, i > 0, "%s", command->name);
	}
	free(text);
}
