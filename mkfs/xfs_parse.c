/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_parse.c - the command line of mkfs.xx for an XFS: argv, the configuration file, then what can be said of the
 * options without knowing a device.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <xx/version.h>

#include "mkfs/compat.h"
#include "mkfs/config_file.h"
#include "mkfs/xfs_help.h"
#include "mkfs/xfs_option_rows.h"
#include "mkfs/xfs_options.h"

#define DEFAULT_BLOCK 4096

static uint32_t block_size(const struct mkfs_xfs_options *opt)
{
	return opt->block_size.given ? (uint32_t)opt->block_size.value : DEFAULT_BLOCK;
}

/* A regular file is made in the size that is said, so it must be said. */
static int check_file(const struct tool_parser *parser, char letter, const struct tool_num *file, const char *name,
		      const struct tool_num *size)
{
	if (!file->value || (name && size->given))
		return 0;
	return tool_options_complain(parser, -EINVAL, "-%c file needs -%c name and -%c size too", letter, letter,
				     letter);
}

static int check_log(const struct tool_parser *parser, const struct mkfs_xfs_options *opt)
{
	if (!opt->log_internal.given || opt->log_internal.value)
		return 0;
	if (!opt->log_name)
		return tool_options_complain(parser, -EINVAL, "-l internal=0 needs -l logdev or -l name too");
	return check_file(parser, 'l', &opt->log_file, opt->log_name, &opt->log_size);
}

static int check_realtime(const struct tool_parser *parser, const struct mkfs_xfs_options *opt)
{
	if (opt->rt_name)
		return check_file(parser, 'r', &opt->rt_file, opt->rt_name, &opt->rt_size);
	if (opt->rt_size.given)
		return tool_options_complain(parser, -EINVAL, "-r size=%s needs -r rtdev or -r name too",
					     opt->rt_size.text);
	return 0;
}

/* What must go together. */
static int check_names(const struct tool_parser *parser, const struct mkfs_xfs_options *opt)
{
	int ret = check_file(parser, 'd', &opt->data_file, opt->data_name, &opt->data_size);

	if (ret == 0 && !opt->data_name)
		ret = tool_options_complain(parser, -EINVAL, "No device is named");
	if (ret == 0)
		ret = check_log(parser, opt);
	if (ret == 0)
		ret = check_realtime(parser, opt);
	return ret;
}

static int finish(struct tool_parser *parser, struct mkfs_xfs_options *opt)
{
	int ret = 0;

	if (opt->config_file)
		ret = mkfs_config_file_read(parser, opt->config_file);
	if (ret == 0)
		ret = mkfs_compat_apply(parser);
	if (ret == 0)
		ret = check_names(parser, opt);
	if (ret == 0)
		ret = tool_options_late(parser, block_size(opt),
					opt->sector_size.given ? (uint32_t)opt->sector_size.value : 0, false);
	opt->needs_sector = parser->needs_sector;
	return ret;
}

int mkfs_xfs_parse(struct xx_ctx *ctx, int argc, char *const argv[], struct mkfs_xfs_options *opt)
{
	struct tool_parser parser = { .ctx = ctx, .table = &mkfs_xfs_table, .target = opt, .storage = &opt->storage };
	enum tool_outcome outcome;
	int ret;

	*opt = (struct mkfs_xfs_options){ .type = "xfs", .compat = -1 };
	ret = tool_options_parse(&parser, argc, argv, &outcome);
	if (ret)
		return ret;
	switch (outcome) {
	case TOOL_WANTS_HELP:
		mkfs_xfs_help(stdout);
		return 1;
	case TOOL_WANTS_VERSION:
		printf("mkfs.xx version %s\n", xx_version());
		return 1;
	case TOOL_GO_ON:
		break;
	}
	return finish(&parser, opt);
}

int mkfs_xfs_options_set_sector(struct xx_ctx *ctx, struct mkfs_xfs_options *opt, uint32_t sector_size)
{
	struct tool_parser parser = { .ctx = ctx, .table = &mkfs_xfs_table, .target = opt, .storage = &opt->storage };

	if (!opt->needs_sector)
		return 0;
	opt->needs_sector = false;
	return tool_options_late(&parser, block_size(opt), sector_size, true);
}

void mkfs_xfs_options_release(struct mkfs_xfs_options *opt)
{
	tool_options_release(opt->storage);
	*opt = (struct mkfs_xfs_options){ .compat = -1 };
}
