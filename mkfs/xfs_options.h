/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the user asked mkfs.xx for, about an XFS: parsed and range-checked, one option at a time, but not yet put
 * together: whether the numbers fit each other and the devices is geometry policy.
 *
 * Made by mkfs_xfs_parse() from the command line and the file of -c options=; read by geometry policy and by what
 * makes the file system. The names of sub-options, their ranges and their defaults are rows of the table in
 * xfs_option_rows.c.
 *
 * Units: sizes that may carry a suffix (also b and s, blocks and sectors) are bytes here. The others are what their
 * comment says. `given` says whether the user, a configuration file or --compat said it.
 */
#ifndef MKFS_XFS_OPTIONS_H
#define MKFS_XFS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <xx/ring.h>

#include "tools/options.h"

struct xx_ctx;

struct mkfs_xfs_options {
	/* -b */
	struct tool_num block_size;
	/*
	 * -m. --compat=KERNEL shows here as well: a feature that this kernel does not mount (or only as an experiment)
	 * and that the user did not name is given as 0.
	 */
	struct tool_num crc, finobt, rmapbt, reflink, inobtcount, bigtime;
	bool uuid_given;
	uint8_t uuid[16];
	/* -d; dsunit and dswidth in 512-byte units, dsu in bytes, dsw a count, extszinherit and cowextsize in blocks */
	struct tool_num data_file, data_size, ag_count, ag_size;
	struct tool_num dsunit, dswidth, dsu, dsw, noalign;
	struct tool_num rtinherit, projinherit, extszinherit, cowextsize, daxinherit;
	struct tool_num data_concurrency; /* the number of CPUs (also 1) is UINT64_MAX */
	/* -d sectsize, -s size, -s sectsize */
	struct tool_num sector_size;
	/* -i */
	struct tool_num inode_size, inode_perblock, imaxpct, inode_align, attr, projid32bit, sparse, nrext64, exchange;
	/*
	 * -l; lsunit in 512-byte units, lsu in bytes. -l logdev and -l name give log_internal as 0 and set log_name.
	 * log_sector_size is also set by -s size (the later of -s and -l sectsize counts), not by -d sectsize.
	 */
	struct tool_num log_internal, log_size, log_version, lsunit, lsu, log_sector_size, log_ag, lazy_count;
	struct tool_num log_file, log_concurrency;
	/* -n; version=ci is refused when parsed */
	struct tool_num dir_block_size, dir_version, ftype, parent;
	/* -r */
	struct tool_num rt_extent_size, rt_size, rt_noalign, rt_file;

	/* Paths: not owned, valid as long as argv and until mkfs_xfs_options_release(). data_name is never NULL. */
	const char *data_name; /* -d name or the operand */
	const char *log_name; /* -l logdev or name; NULL: internal log */
	const char *rt_name; /* -r rtdev or name; NULL: no realtime section */
	const char *config_file;
	const char *label; /* NULL: none; at most 12 bytes */

	bool force, dry_run /* -N */, no_discard /* -K */, quiet /* -q */;
	/* ours */
	bool json, progress, verbose, unsupported;
	const char *type; /* "xfs" */
	int compat; /* row of the table of kernels in compat.c; -1: none */
	enum xx_engine_id io_engine;
	struct tool_num queue_depth;

	/* A value has the suffix s and the sector size was not given: see mkfs_xfs_options_set_sector(). */
	bool needs_sector;
	void *storage; /* owned: what the file of -c options= said */
};

/*
 * Parses argv (argv[0] is the program's name) into opt, which needs no preparation.
 *
 * Returns 0: go on. 1: done, exit 0 (--help, --version or -V were printed to stdout).
 * -EINVAL: the command line, or the configuration file, is wrong; -EOPNOTSUPP: it asks for what is not supported here.
 * Another negative errno: the configuration file could not be read, or no memory. One message was made through ctx's
 * sink, of at most two lines, the second of which points to --help.
 *
 * mkfs_xfs_options_release(opt) is due after each call, whatever it returned.
 */
int mkfs_xfs_parse(struct xx_ctx *ctx, int argc, char *const argv[], struct mkfs_xfs_options *opt)
	__attribute__((warn_unused_result));

/*
 * Works out the values with suffix s, now that the sector size of the data device is known: sector_size in bytes, as
 * policy chose it. Does nothing unless opt->needs_sector. Until it was called such a value is worked out with sectors
 * of 512 bytes, unchecked. 0, or -EINVAL with one message.
 */
int mkfs_xfs_options_set_sector(struct xx_ctx *ctx, struct mkfs_xfs_options *opt, uint32_t sector_size)
	__attribute__((warn_unused_result));

/* Frees what opt owns; its strings are gone then. */
void mkfs_xfs_options_release(struct mkfs_xfs_options *opt);

#endif
