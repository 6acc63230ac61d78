/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_option_rows.c - the options for an XFS, each a row.
 *
 * Names, ranges, what may be given without a value, and conflicts are those of mkfs.xfs 6.1 (xfsprogs,
 * mkfs/xfs_mkfs.c, the struct opt_params tables; limits from libxfs/xfs_format.h and include/xfs_multidisk.h) and, for
 * exchange, parent, concurrency and what is refused here, of mkfs.xfs 6.13. Sizes that only version 4 had (blocks of 512,
 * inodes of 256 bytes) are out of range, and a conflict holds in whatever order the two options come.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include <uuid.h>

#include <xx/ring.h>
#include <xx/units.h>

#include "mkfs/compat.h"
#include "mkfs/xfs_option_rows.h"
#include "mkfs/xfs_options.h"

#define FIELD(member)	   ((uint16_t)offsetof(struct mkfs_xfs_options, member))
#define MAX_AGS		   (UINT64_C(0xffffffff) - 1)
#define MAX_LOG		   (2 * XX_GIB - 10 * XX_MIB)
#define MAX_LOG_UNIT	   (256 * XX_KIB)
#define LOG_UNIT_SECTORS   (MAX_LOG_UNIT / XX_SECTOR)
#define MAX_INODE_PERBLOCK (65536 / 256)

static struct mkfs_xfs_options *xfs_options(struct tool_parser *parser)
{
	return parser->target;
}

static int apply_uuid(struct tool_parser *parser, const struct tool_row *row, const char *text, uint64_t number)
{
	(void)number;
	if (uuid_parse(text, xfs_options(parser)->uuid) != 0)
		return tool_options_complain(parser, -EINVAL,
					     "-%c %s=%s: not a UUID; allowed: 32 hexadecimal digits as 8-4-4-4-12",
					     row->letter, row->name, text);
	xfs_options(parser)->uuid_given = true;
	return 0;
}

/* A log on a device of its own is no internal one. */
static int apply_log_name(struct tool_parser *parser, const struct tool_row *row, const char *text, uint64_t number)
{
	(void)row;
	(void)text;
	(void)number;
	xfs_options(parser)->log_internal = (struct tool_num){ .given = true };
	return 0;
}

/* -s size is the sector size of data and log; the later of it and -l sectsize counts for the log. */
static int apply_sector(struct tool_parser *parser, const struct tool_row *row, const char *text, uint64_t number)
{
	(void)row;
	(void)text;
	(void)number;
	xfs_options(parser)->log_sector_size = xfs_options(parser)->sector_size;
	return 0;
}

static int apply_dir_version(struct tool_parser *parser, const struct tool_row *row, const char *text, uint64_t number)
{
	int ret;

	if (strcasecmp(text, "ci") == 0)
		return tool_options_complain(parser, -EOPNOTSUPP,
					     "-n version=ci is not supported: names that ignore case are deprecated");
	ret = tool_options_number(parser, row, text, &number);
	if (ret == 0)
		xfs_options(parser)->dir_version = (struct tool_num){ true, number, text };
	return ret;
}

/* 1, nr_cpus and no value at all mean the number of processors. */
static int apply_concurrency(struct tool_parser *parser, const struct tool_row *row, const char *text, uint64_t number)
{
	struct tool_num *num = (struct tool_num *)((char *)parser->target + row->field);
	int ret;

	number = 1;
	if (text && strcmp(text, "nr_cpus") != 0) {
		ret = tool_options_number(parser, row, text, &number);
		if (ret)
			return ret;
	}
	*num = (struct tool_num){ true, number == 1 ? UINT64_MAX : number, text };
	return 0;
}

static int apply_label(struct tool_parser *parser, const char *text)
{
	if (strlen(text) > 12)
		return tool_options_complain(parser, -EINVAL, "-L %s: too long; allowed: 12 bytes", text);
	xfs_options(parser)->label = text;
	return 0;
}

static int apply_type(struct tool_parser *parser, const char *text)
{
	if (strcmp(text, "btrfs") == 0)
		return tool_options_complain(parser, -EOPNOTSUPP, "--type=btrfs is not supported yet; allowed: xfs");
	if (strcmp(text, "xfs") != 0)
		return tool_options_complain(parser, -EINVAL, "--type=%s: unknown; allowed: xfs", text);
	xfs_options(parser)->type = text;
	return 0;
}

static int apply_compat(struct tool_parser *parser, const char *text)
{
	xfs_options(parser)->compat = mkfs_compat_find(text);
	if (xfs_options(parser)->compat >= 0)
		return 0;
	return tool_options_complain(parser, -EINVAL, "--compat=%s: unknown; allowed: %s", text, MKFS_COMPAT_NAMES);
}

static int apply_engine(struct tool_parser *parser, const char *text)
{
	if (xx_engine_parse(text, &xfs_options(parser)->io_engine) == 0)
		return 0;
	return tool_options_complain(parser, -EINVAL, "--io-engine=%s: unknown; allowed: %s", text, XX_ENGINE_NAMES);
}

static int apply_proto(struct tool_parser *parser, const char *text)
{
	return tool_options_complain(parser, -EOPNOTSUPP,
				     "-p %s is not supported: the file system is made empty, without a prototype",
				     text);
}

/* Kinds of rows; what else a row says follows as designated initialisers. */
#define ROW(letter_, kind_, name_, help_, ...)                                                  \
	{                                                                                       \
		.letter = (letter_), .kind = (kind_), .name = name_, .help = help_, __VA_ARGS__ \
	}
#define SWITCH(letter, name, member, preset_, help, ...) \
	ROW(letter, TOOL_SWITCH, name, help, .field = FIELD(member), .max = 1, .preset = preset_, __VA_ARGS__)
#define COUNTED(kind, letter, name, member, min_, max_, value_, preset_, help, ...)                          \
	ROW(letter, kind, name, help, .field = FIELD(member), .min = (min_), .max = (max_), .value = value_, \
	    .preset = preset_, __VA_ARGS__)
#define NUMBER(letter, name, member, min, max, preset, help, ...) \
	COUNTED(TOOL_NUMBER, letter, name, member, min, max, "N", preset, help, __VA_ARGS__)
#define SIZE(letter, name, member, min, max, preset, help, ...) \
	COUNTED(TOOL_SIZE, letter, name, member, min, max, "SIZE", preset, help, __VA_ARGS__)
#define LATE_SIZE(letter, name, member, min, max, preset, help, ...) \
	COUNTED(TOOL_LATE_SIZE, letter, name, member, min, max, "SIZE", preset, help, __VA_ARGS__)
#define TEXT(letter, name, member, value_, help, ...) \
	ROW(letter, TOOL_TEXT, name, help, .field = FIELD(member), .value = value_, __VA_ARGS__)
#define OWN(letter, name, flags_, min_, max_, value_, preset_, help, ...)                                       \
	ROW(letter, TOOL_SPECIAL, name, help, .flags = (flags_), .min = (min_), .max = (max_), .value = value_, \
	    .preset = preset_, __VA_ARGS__)
#define REFUSED(letter, name, why) ROW(letter, TOOL_REFUSED, name, why, .max = 1)

static const struct tool_row rows[MKFS_XFS_ROWS] = {
	[B_SIZE] = SIZE('b', "size", block_size, 1024, 65536, "4096", "size of a block", .flags = TOOL_POWER2),

	[C_OPTIONS] = TEXT('c', "options", config_file, "FILE",
			   "more options, in an INI file with the section names that stand here"),

	[M_CRC] = SWITCH('m', "crc", crc, "1",
			 "checksums of all metadata; always on: without them it is the old version 4"),
	[M_FINOBT] = SWITCH('m', "finobt", finobt, "1", "tree of free inodes"),
	[M_UUID] = OWN('m', "uuid", TOOL_AGAIN, 0, 0, "UUID", "random", "UUID of the file system", .apply = apply_uuid),
	[M_RMAPBT] = SWITCH('m', "rmapbt", rmapbt, "1", "tree of the owners of blocks"),
	[M_REFLINK] = SWITCH('m', "reflink", reflink, "1", "shared blocks"),
	[M_INOBTCOUNT] = SWITCH('m', "inobtcount", inobtcount, "1", "block counts of the inode trees"),
	[M_BIGTIME] = SWITCH('m', "bigtime", bigtime, "1", "time stamps until 2486"),
	[M_METADIR] = REFUSED('m', "metadir", "there are no metadata directories here"),
	[M_AUTOFSCK] = REFUSED('m', "autofsck", "set the property of the root directory with xfs_property(8) instead"),
	[M_UQUOTA] = REFUSED('m', "uquota", "it needs metadir, mount with uquota"),
	[M_GQUOTA] = REFUSED('m', "gquota", "it needs metadir, mount with gquota"),
	[M_PQUOTA] = REFUSED('m', "pquota", "it needs metadir, mount with pquota"),
	[M_QUOTA] = REFUSED('m', "quota", "it needs metadir, mount with quota"),

	[D_AGCOUNT] = NUMBER('d', "agcount", ag_count, 1, MAX_AGS, NULL, "number of allocation groups",
			     .conflicts = { D_AGSIZE }),
	[D_AGSIZE] = LATE_SIZE('d', "agsize", ag_size, 16 * XX_MIB, XX_TIB, NULL, "size of an allocation group"),
	[D_FILE] = SWITCH('d', "file", data_file, "0", "name is a regular file, created or truncated to size"),
	[D_NAME] = TEXT('d', "name", data_name, "PATH", "the device or file, instead of the operand"),
	[D_SIZE] = LATE_SIZE('d', "size", data_size, 16 * XX_MIB, INT64_MAX, "the device", "size of the data section"),
	[D_SUNIT] = NUMBER('d', "sunit", dsunit, 0, UINT_MAX, NULL, "stripe unit, in 512-byte units",
			   .conflicts = { D_SU, D_SW, D_NOALIGN }),
	[D_SWIDTH] = NUMBER('d', "swidth", dswidth, 0, UINT_MAX, NULL, "stripe width, in 512-byte units",
			    .conflicts = { D_SU, D_SW, D_NOALIGN }),
	[D_SU] = LATE_SIZE('d', "su", dsu, 0, UINT_MAX, "the device's", "stripe unit", .conflicts = { D_NOALIGN }),
	[D_SW] = NUMBER('d', "sw", dsw, 0, UINT_MAX, "the device's", "stripe width, in stripe units",
			.conflicts = { D_NOALIGN }),
	[D_NOALIGN] = SWITCH('d', "noalign", noalign, "0", "do not align to stripes"),
	[D_SECTSIZE] = SIZE('d', "sectsize", sector_size, 512, 32768, "the device's", "size of a sector",
			    .flags = TOOL_POWER2, .conflicts = { S_SIZE, S_SECTSIZE }),
	[D_RTINHERIT] = SWITCH('d', "rtinherit", rtinherit, "0", "new files go to the realtime section"),
	[D_PROJINHERIT] =
		NUMBER('d', "projinherit", projinherit, 0, UINT_MAX, NULL, "new files belong to this project"),
	[D_EXTSZINHERIT] =
		NUMBER('d', "extszinherit", extszinherit, 0, UINT_MAX, "0", "extent size hint of new files, in blocks"),
	[D_COWEXTSIZE] =
		NUMBER('d', "cowextsize", cowextsize, 0, UINT_MAX, "0", "copy-on-write extent size hint, in blocks"),
	[D_DAXINHERIT] = SWITCH('d', "daxinherit", daxinherit, "0", "new files are accessed directly"),
	[D_CONCURRENCY] = OWN('d', "concurrency", TOOL_BARE, 0, INT_MAX, "N", "0",
			      "allocation groups for so many writers; 1: the number of processors",
			      .conflicts = { D_AGCOUNT, D_AGSIZE }, .field = FIELD(data_concurrency),
			      .apply = apply_concurrency),

	[I_SIZE] = NUMBER('i', "size", inode_size, 512, 2048, "512", "size of an inode in bytes", .flags = TOOL_POWER2,
			  .conflicts = { I_PERBLOCK }),
	[I_PERBLOCK] = NUMBER('i', "perblock", inode_perblock, 2, MAX_INODE_PERBLOCK, NULL, "inodes in a block",
			      .flags = TOOL_POWER2),
	[I_MAXPCT] = NUMBER('i', "maxpct", imaxpct, 0, 100, "0", "percentage of space for inodes; 0: by the size"),
	[I_ALIGN] = SWITCH('i', "align", inode_align, "1", "aligned inode chunks"),
	[I_ATTR] = NUMBER('i', "attr", attr, 0, 2, "2", "version of extended attributes"),
	[I_PROJID32BIT] = SWITCH('i', "projid32bit", projid32bit, "1", "project IDs of 32 bits"),
	[I_SPARSE] = SWITCH('i', "sparse", sparse, "1", "sparse inode chunks"),
	[I_NREXT64] = SWITCH('i', "nrext64", nrext64, "1", "extent counters of 64 bits"),
	[I_EXCHANGE] = SWITCH('i', "exchange", exchange, "0", "atomic exchange of file ranges, Linux 6.10"),

	[L_INTERNAL] = SWITCH('l', "internal", log_internal, "1", "the log lies in the data section",
			      .conflicts = { L_LOGDEV, L_NAME, L_FILE, L_SECTSIZE }),
	[L_LOGDEV] = TEXT('l', "logdev", log_name, "PATH", "a device for the log", .conflicts = { L_AGNUM, L_NAME },
			  .apply = apply_log_name),
	[L_NAME] = TEXT('l', "name", log_name, "PATH", "the same, also for a file", .conflicts = { L_AGNUM },
			.apply = apply_log_name),
	[L_FILE] = SWITCH('l', "file", log_file, "0", "name is a regular file, created or truncated to size"),
	[L_SIZE] = LATE_SIZE('l', "size", log_size, 2 * XX_MIB, MAX_LOG, "1/2048 of the data, 64m or more",
			     "size of the log"),
	[L_AGNUM] = NUMBER('l', "agnum", log_ag, 0, UINT_MAX, "the middle one", "allocation group that holds the log"),
	[L_VERSION] = NUMBER('l', "version", log_version, 1, 2, "2", "version of the log"),
	[L_SUNIT] = NUMBER('l', "sunit", lsunit, 1, LOG_UNIT_SECTORS, NULL, "log stripe unit, in 512-byte units",
			   .conflicts = { L_SU }),
	[L_SU] = LATE_SIZE('l', "su", lsu, XX_SECTOR, MAX_LOG_UNIT, "as the data", "log stripe unit"),
	[L_SECTSIZE] = SIZE('l', "sectsize", log_sector_size, 512, 32768, "as the data, 512 if external",
			    "size of a sector of the log", .flags = TOOL_POWER2),
	[L_LAZY_COUNT] = SWITCH('l', "lazy-count", lazy_count, "1", "counters of the superblock are not logged"),
	[L_CONCURRENCY] = OWN('l', "concurrency", TOOL_BARE, 0, INT_MAX, "N", "0",
			      "a log for so many writers; 1: the number of processors",
			      .conflicts = { L_SIZE, L_LOGDEV, L_NAME }, .field = FIELD(log_concurrency),
			      .apply = apply_concurrency),

	[N_SIZE] = LATE_SIZE('n', "size", dir_block_size, 4096, 65536, "4096, a block if that is more",
			     "size of a directory block", .flags = TOOL_POWER2),
	[N_VERSION] = OWN('n', "version", 0, 2, 2, "N", "2", "version of directories", .apply = apply_dir_version),
	[N_FTYPE] = SWITCH('n', "ftype", ftype, "1", "file types in directory entries"),
	[N_PARENT] = SWITCH('n', "parent", parent, "0", "parent pointers, Linux 6.10"),

	[R_RTDEV] = TEXT('r', "rtdev", rt_name, "PATH", "a device for the realtime section", .conflicts = { R_NAME }),
	[R_NAME] = TEXT('r', "name", rt_name, "PATH", "the same, also for a file"),
	[R_FILE] = SWITCH('r', "file", rt_file, "0", "name is a regular file, created or truncated to size"),
	[R_SIZE] = LATE_SIZE('r', "size", rt_size, 0, INT64_MAX, "the device", "size of the realtime section"),
	[R_EXTSIZE] = LATE_SIZE('r', "extsize", rt_extent_size, 4 * XX_KIB, XX_GIB, "the stripe width, or 4096",
				"size of a realtime extent"),
	[R_NOALIGN] = SWITCH('r', "noalign", rt_noalign, "0", "do not align to stripes"),
	[R_RGCOUNT] = REFUSED('r', "rgcount", "there are no realtime groups here"),
	[R_RGSIZE] = REFUSED('r', "rgsize", "there are no realtime groups here"),
	[R_CONCURRENCY] = REFUSED('r', "concurrency", "there are no realtime groups here"),
	[R_ZONED] = REFUSED('r', "zoned", "there are no zoned devices here"),
	[R_START] = REFUSED('r', "start", "there are no zoned devices here"),
	[R_RESERVED] = REFUSED('r', "reserved", "there are no zoned devices here"),

	[S_SIZE] = SIZE('s', "size", sector_size, 512, 32768, "the device's", "size of a sector, of data and log",
			.flags = TOOL_POWER2, .conflicts = { S_SECTSIZE }, .apply = apply_sector),
	[S_SECTSIZE] = SIZE('s', "sectsize", sector_size, 512, 32768, NULL, "the same", .flags = TOOL_POWER2,
			    .apply = apply_sector),
};

static const struct tool_group groups[] = {
	{ 'b', "block", "blocks" },	  { 'c', NULL, "configuration file" },
	{ 'm', "metadata", "metadata" },  { 'd', "data", "data section" },
	{ 'i', "inode", "inodes" },	  { 'l', "log", "log" },
	{ 'n', "naming", "directories" }, { 'r', "realtime", "realtime section" },
	{ 's', "sector", "sectors" },
};

#define FLAG(letter_, name_, member, help_)                                                                     \
	{                                                                                                       \
		.letter = letter_, .kind = TOOL_FLAG_BOOL, .field = FIELD(member), .name = name_, .help = help_ \
	}
#define SPECIAL(letter_, name_, value_, help_, apply_)                                                       \
	{                                                                                                    \
		.letter = letter_, .kind = TOOL_FLAG_SPECIAL, .name = name_, .value = value_, .help = help_, \
		.apply = apply_                                                                              \
	}

static const struct tool_flag flags[] = {
	FLAG('f', NULL, force, "overwrite what is there: file system, RAID member, partition table"),
	FLAG('C', NULL, force, NULL),
	SPECIAL('L', NULL, "LABEL", "label of the file system, at most 12 bytes", apply_label),
	FLAG('N', NULL, dry_run, "show the geometry, write nothing"),
	FLAG('K', NULL, no_discard, "do not discard blocks first"),
	FLAG('q', NULL, quiet, "show nothing"),
	SPECIAL('p', NULL, "FILE", NULL, apply_proto),
	SPECIAL('t', "type", "TYPE", "type of the file system: xfs", apply_type),
	SPECIAL(0, "compat", "KERNEL", "only features that this kernel mounts: " MKFS_COMPAT_NAMES, apply_compat),
	FLAG(0, "json", json, "show the geometry as JSON"),
	FLAG(0, "progress", progress, "show progress, even if this is no terminal"),
	SPECIAL(0, "io-engine", "ENGINE", "how to reach the device: " XX_ENGINE_NAMES, apply_engine),
	{ .kind = TOOL_FLAG_COUNT,
	  .field = FIELD(queue_depth),
	  .name = "queue-depth",
	  .value = "N",
	  .min = 1,
	  .max = XX_RING_DEPTH_MAX,
	  .help = "requests in flight" },
	FLAG(0, "unsupported", unsupported, "allow a file system that is too small to be of use"),
	FLAG('v', "verbose", verbose, "say more"),
	{ .letter = 'h', .kind = TOOL_FLAG_HELP, .name = "help", .help = "this text" },
	{ .letter = 'V', .kind = TOOL_FLAG_VERSION, .name = "version", .help = "the version" },
};

const struct tool_table mkfs_xfs_table = {
	.program = "mkfs.xx",
	.groups = groups,
	.group_count = XX_ARRAY_SIZE(groups),
	.rows = rows,
	.row_count = XX_ARRAY_SIZE(rows),
	.flags = flags,
	.flag_count = XX_ARRAY_SIZE(flags),
	.operand = D_NAME,
};
