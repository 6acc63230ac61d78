/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * args.c - the options of xxscrub, each a row, and what of them goes together.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xx/context.h>
#include <xx/units.h>
#include <xx/version.h>

#include "scrub/args.h"
#include "scrub/commands.h"
#include "scrub/engine.h"
#include "tools/help.h"

#define FIELD(member) ((uint16_t)offsetof(struct scrub_args, member))

#define RUNS  (SCRUB_START | SCRUB_RESUME)
#define SHOWS (RUNS | SCRUB_STATUS)

static struct scrub_args *args_of(struct tool_parser *parser)
{
	return parser->target;
}

static int apply_device(struct tool_parser *parser, const char *text)
{
	struct scrub_args *args = args_of(parser);
	const char **more = realloc(args->devices, (args->device_count + 1) * sizeof(*more));

	if (!more) {
		xx_error(parser->ctx, "Out of memory.");
		return -ENOMEM;
	}
	more[args->device_count++] = text;
	args->devices = more;
	return 0;
}

static int apply_engine(struct tool_parser *parser, const char *text)
{
	if (xx_engine_parse(text, &args_of(parser)->io_engine) != 0)
		return tool_options_complain(parser, -EINVAL, "--io-engine=%s: allowed: auto, uring, aio, threads",
					     text);
	return 0;
}

static int apply_bytes(struct tool_parser *parser, const char *text)
{
	(void)text;
	args_of(parser)->units.unit = 'B';
	return 0;
}

static int apply_fitting(struct tool_parser *parser, const char *text)
{
	(void)text;
	args_of(parser)->units.unit = 0;
	return 0;
}

static int apply_iec(struct tool_parser *parser, const char *text)
{
	(void)text;
	args_of(parser)->units.si = false;
	return 0;
}

static int apply_si(struct tool_parser *parser, const char *text)
{
	(void)text;
	args_of(parser)->units.si = true;
	return 0;
}

static int apply_kbytes(struct tool_parser *parser, const char *text)
{
	(void)text;
	args_of(parser)->units.unit = 'k';
	return 0;
}

static int apply_mbytes(struct tool_parser *parser, const char *text)
{
	(void)text;
	args_of(parser)->units.unit = 'm';
	return 0;
}

static int apply_gbytes(struct tool_parser *parser, const char *text)
{
	(void)text;
	args_of(parser)->units.unit = 'g';
	return 0;
}

static int apply_tbytes(struct tool_parser *parser, const char *text)
{
	(void)text;
	args_of(parser)->units.unit = 't';
	return 0;
}

#define FLAG(letter_, name_, member, scope_, help_)                                                                \
	{                                                                                                          \
		.letter = letter_, .kind = TOOL_FLAG_BOOL, .field = FIELD(member), .name = name_, .scope = scope_, \
		.help = help_                                                                                      \
	}
#define NUMBER(letter_, name_, member, kind_, min_, max_, value_, scope_, help_)                                       \
	{                                                                                                              \
		.letter = letter_, .kind = kind_, .field = FIELD(member), .name = name_, .value = value_, .min = min_, \
		.max = max_, .scope = scope_, .help = help_                                                            \
	}
#define SPECIAL(name_, value_, scope_, help_, apply_)                                                      \
	{                                                                                                  \
		.kind = TOOL_FLAG_SPECIAL, .name = name_, .value = value_, .scope = scope_, .help = help_, \
		.apply = apply_                                                                            \
	}

static const struct tool_flag flags[] = {
	FLAG('B', "foreground", foreground, RUNS, "stay in the foreground, with progress, and show the result"),
	FLAG('r', "readonly", read_only, RUNS, "open the devices read-only and repair nothing"),
	FLAG('f', "force", force, SCRUB_START, "start although the record of the last scrub is damaged"),
	FLAG(0, "metadata-only", metadata_only, SCRUB_START, "only superblocks and tree blocks"),
	FLAG(0, "data-only", data_only, SCRUB_START, "only data and their parity"),
	NUMBER('l', "limit", limit, TOOL_FLAG_SIZE, 0, INT64_MAX, "RATE", RUNS | SCRUB_LIMIT,
	       "bytes a second read from each device, such as 40m; 0: no limit"),
	{ .kind = TOOL_FLAG_TEXT,
	  .field = FIELD(files),
	  .name = "files",
	  .value = "FILE",
	  .bare = "-",
	  .scope = SHOWS,
	  .help = "list every damaged file in FILE, or on standard output" },
	FLAG('z', "null", nul, SHOWS, "lines of this list end in a zero byte, names are not escaped"),
	FLAG(0, "json", json, SHOWS, "show the result as one JSON object (start and resume: with -B)"),
	FLAG('d', "per-device", per_device, SHOWS, "show each device"),
	FLAG('R', "raw-counts", raw, SHOWS, "show all counters instead of a summary"),
	{ .kind = TOOL_FLAG_COUNT,
	  .field = FIELD(watch),
	  .name = "watch",
	  .value = "SECONDS",
	  .bare = "1",
	  .min = 1,
	  .max = 86400,
	  .scope = SCRUB_STATUS,
	  .help = "show the status again and again until the scrub has ended" },
	SPECIAL("device", "DEVICE", RUNS, "another member of the file system; none is searched for then", apply_device),
	NUMBER(0, "memory", memory, TOOL_FLAG_SIZE, SCRUB_MEMORY_MIN, INT64_MAX, "SIZE", RUNS,
	       "memory to use at most (256m)"),
	SPECIAL("io-engine", "ENGINE", RUNS, "auto, uring, aio or threads", apply_engine),
	NUMBER(0, "queue-depth", queue_depth, TOOL_FLAG_COUNT, 1, XX_RING_DEPTH_MAX, "N", RUNS, "requests in flight"),
	NUMBER('c', "io-class", io_class, TOOL_FLAG_COUNT, 0, 3, "CLASS", RUNS,
	       "I/O class: 1 realtime, 2 best effort, 3 idle; see ionice(1)"),
	NUMBER('n', "io-priority", io_priority, TOOL_FLAG_COUNT, 0, 7, "N", RUNS, "priority in the class"),
	FLAG(0, "progress", progress, RUNS, "show progress with -B even if this is no terminal"),
	FLAG('q', "quiet", quiet, 0, "show only errors"),
	FLAG('v', "verbose", verbose, 0, "say more"),
	SPECIAL("raw", NULL, SHOWS, "amounts in bytes", apply_bytes),
	SPECIAL("human-readable", NULL, SHOWS, "amounts in the unit that fits", apply_fitting),
	SPECIAL("iec", NULL, SHOWS, "units are powers of 1,024: KiB, MiB, ...", apply_iec),
	SPECIAL("si", NULL, SHOWS, "units are powers of 1,000: kB, MB, ...", apply_si),
	SPECIAL("kbytes", NULL, SHOWS, "amounts in KiB, or kB with --si", apply_kbytes),
	SPECIAL("mbytes", NULL, SHOWS, "amounts in MiB, or MB with --si", apply_mbytes),
	SPECIAL("gbytes", NULL, SHOWS, "amounts in GiB, or GB with --si", apply_gbytes),
	SPECIAL("tbytes", NULL, SHOWS, "amounts in TiB, or TB with --si", apply_tbytes),
	{ .letter = 'h', .kind = TOOL_FLAG_HELP, .name = "help", .help = "this text" },
	{ .letter = 'V', .kind = TOOL_FLAG_VERSION, .name = "version", .help = "the version" },
};

static const struct tool_table table = {
	.program = "xxscrub",
	.flags = flags,
	.flag_count = XX_ARRAY_SIZE(flags),
};

void scrub_args_help(FILE *out)
{
	const struct scrub_command *command;

	fputs("Usage: xxscrub COMMAND [OPTION]... DEVICE...\n"
	      "Reads all that a btrfs has written, verifies it, and repairs what can be repaired.\n\nCommands:\n",
	      out);
	for (size_t i = 0; (command = scrub_command_at(i)); i++) {
		char typed[64];

		snprintf(typed, sizeof(typed), "%s %s", command->name, command->operands);
		tool_help_start(out, 2, typed);
		fprintf(out, "%s\n", command->help);
	}
	fputs("\nA file system is a DEVICE or image file of it, or its UUID where only its record is needed.\n", out);
	for (size_t c = 0; (command = scrub_command_at(c)); c++) {
		fprintf(out, "\nOptions of %s:\n", command->name);
		for (size_t i = 0; i < XX_ARRAY_SIZE(flags); i++) {
			/* Each option once, with the first command that takes it. */
			if (flags[i].scope & (uint32_t)command->scope &&
			    !(flags[i].scope & ((uint32_t)command->scope - 1)))
				tool_help_flag(out, &flags[i]);
		}
		if (command->scope != SCRUB_START)
			fprintf(out, "  %s\n", command->also);
	}
	fputs("\nOptions of all commands:\n", out);
	for (size_t i = 0; i < XX_ARRAY_SIZE(flags); i++) {
		if (!flags[i].scope)
			tool_help_flag(out, &flags[i]);
	}
	fputs("\nA RATE or SIZE is bytes, or has a suffix: k m g t p e, powers of 1,024. See xxscrub(8).\n", out);
}

/* What cannot be asked for together. */
static int check_runs(const struct tool_parser *parser, const struct scrub_args *args)
{
	bool to_stdout = args->files && strcmp(args->files, "-") == 0;

	if (args->metadata_only && args->data_only)
		return tool_options_complain(parser, -EINVAL,
					     "--metadata-only and --data-only cannot be given together");
	if (args->json && !args->foreground)
		return tool_options_complain(parser, -EINVAL,
					     "--json needs -B; later `xxscrub status --json' shows it");
	if (to_stdout && !args->foreground)
		return tool_options_complain(
			parser, -EINVAL,
			"--files without a name needs -B: there is no standard output in the background");
	if (to_stdout && args->json)
		return tool_options_complain(parser, -EINVAL,
					     "--files on standard output and --json cannot be given together");
	return 0;
}

static int check(const struct tool_parser *parser, const struct scrub_args *args)
{
	if (args->command & RUNS) {
		int ret = check_runs(parser, args);

		if (ret)
			return ret;
	}
	if (args->nul && !args->files)
		return tool_options_complain(parser, -EINVAL, "-z needs --files");
	if (args->io_priority.given && !args->io_class.given)
		return tool_options_complain(parser, -EINVAL, "-n needs -c");
	if (args->operand_count + args->device_count == 0)
		return tool_options_complain(parser, -EINVAL, "No device is named");
	if (!(args->command & RUNS) && args->operand_count > 1)
		return tool_options_complain(parser, -EINVAL, "%s: one device or UUID only, %s came before",
					     args->operands[1], args->operands[0]);
	return 0;
}

static int find_command(const struct tool_parser *parser, int argc, char *const argv[],
			const struct scrub_command **out)
{
	const struct scrub_command *command;

	if (argc < 2)
		return tool_options_complain(parser, -EINVAL,
					     "No command is given: start, resume, cancel, status or limit");
	for (size_t i = 0; (command = scrub_command_at(i)); i++) {
		if (strcmp(command->name, argv[1]) == 0) {
			*out = command;
			return 0;
		}
	}
	/* --help and --version stand alone; all other options follow a command. */
	if (argv[1][0] == '-')
		return 0;
	return tool_options_complain(parser, -EINVAL,
				     "%s: unknown command; known: start, resume, cancel, status, limit", argv[1]);
}

int scrub_args_parse(struct xx_ctx *ctx, int argc, char *const argv[], struct scrub_args *args)
{
	struct tool_parser parser = { .ctx = ctx, .table = &table, .target = args, .storage = &args->storage };
	const struct scrub_command *command = NULL;
	enum tool_outcome outcome;
	int ret;

	*args = (struct scrub_args){ .io_engine = XX_ENGINE_AUTO };
	ret = find_command(&parser, argc, argv, &command);
	if (ret)
		return ret;
	if (command) {
		args->command = command->scope;
		parser.scope = command->scope;
		parser.command = command->name;
		argc--;
		argv++;
	} else {
		parser.command = "xxscrub itself: a command comes first";
	}
	ret = tool_options_parse(&parser, argc, argv, &outcome);
	if (ret)
		return ret;
	switch (outcome) {
	case TOOL_WANTS_HELP:
		scrub_args_help(stdout);
		return 1;
	case TOOL_WANTS_VERSION:
		printf("xxscrub version %s\n", xx_version());
		return 1;
	case TOOL_GO_ON:
		break;
	}
	if (!command)
		return tool_options_complain(&parser, -EINVAL, "A command comes first");
	args->operands = parser.operands;
	args->operand_count = parser.operand_count;
	return check(&parser, args);
}

void scrub_args_release(struct scrub_args *args)
{
	free(args->devices);
	tool_options_release(args->storage);
	*args = (struct scrub_args){ 0 };
}
