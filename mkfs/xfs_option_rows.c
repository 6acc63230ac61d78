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

static struct mkfs_xfs_options *xfs_options(struct mkfs_parser *parser)
{
	return parser->target;
}

static int apply_uuid(struct mkfs_parser *parser, const struct mkfs_row *row, const char *text, uint64_t number)
{
	(void)number;
	if (uuid_parse(text, xfs_options(parser)->uuid) != 0)
		return mkfs_options_complain(parser, -EINVAL,
					     "-%c %s=%s: not a UUID; allowed: 32 hexadecimal digits as 8-4-4-4-12",
					     row->letter, row->name, text);
	xfs_options(parser)->uuid_given = true;
	return 0;
}

/* A log on a device of its own is no internal one. */
static int apply_log_name(struct mkfs_parser *parser, const struct mkfs_row *row, const char *text, uint64_t number)
{
	(void)row;
	(void)text;
	(void)number;
	xfs_options(parser)->log_internal = (struct mkfs_num){ .given = true };
	return 0;
}

/* -s size is the sector size of data and log; the later of it and -l sectsize counts for the log. */
static int apply_sector(struct mkfs_parser *parser, const struct mkfs_row *row, const char *text, uint64_t number)
{
	(void)row;
	(void)text;
	(void)number;
	xfs_options(parser)->log_sector_size = xfs_options(parser)->sector_size;
	return 0;
}

static int apply_dir_version(struct mkfs_parser *parser, const struct mkfs_row *row, const char *text, uint64_t number)
{
	int ret;

	if (strcasecmp(text, "ci") == 0)
		return mkfs_options_complain(parser, -EOPNOTSUPP,
					     "-n version=ci is not supported: names that ignore case are deprecated");
	ret = mkfs_options_number(parser, row, text, &number);
	if (ret == 0)
		xfs_options(parser)->dir_version = (struct mkfs_num){ true, number, text };
	return ret;
}

/* 1, nr_cpus and no value at all mean the number of processors. */
static int apply_concurrency(struct mkfs_parser *parser, const struct mkfs_row *row, const char *text, uint64_t number)
{
	struct mkfs_num *num = (struct mkfs_num *)((char *)parser->target + row->field);
	int ret;

	number = 1;
	if (text && strcmp(text, "nr_cpus") != 0) {
		ret = mkfs_options_number(parser, row, text, &number);
		if (ret)
			return ret;
	}
	*num = (struct mkfs_num){ true, number == 1 ? UINT64_MAX : number, text };
	return 0;
}

static int apply_label(struct mkfs_parser *parser, const char *text)
{
	if (strlen(text) > 12)
		return mkfs_options_complain(parser, -EINVAL, "-L %s: too long; allowed: 12 bytes", text);
	xfs_options(parser)->label = text;
	return 0;
}

static int apply_type(struct mkfs_parser *parser, const char *text)
{
	if (strcmp(text, "btrfs") == 0)
		return mkfs_options_complain(parser, -EOPNOTSUPP, "--type=btrfs is not supported yet; allowed: xfs");
	if (strcmp(text, "xfs") != 0)
		return mkfs_options_complain(parser, -EINVAL, "--type=%s: unknown; allowed: xfs", text);
	xfs_options(parser)->type = text;
	return 0;
}

static int apply_compat(struct mkfs_parser *parser, const char *text)
{
	xfs_options(parser)->compat = mkfs_compat_find(text);
	if (xfs_options(parser)->compat >= 0)
		return 0;
	return mkfs_options_complain(parser, -EINVAL, "--compat=%s: unknown; allowed: %s", text, MKFS_COMPAT_NAMES);
}

static int apply_engine(struct mkfs_parser *parser, const char *text)
{
	xfs_options(parser)->io_engine = text;
	return 0;
}

static int apply_proto(struct mkfs_parser *parser, const char *text)
{
	return mkfs_options_complain(parser, -EOPNOTSUPP,
				     "-p %s is not supported: the file system is made empty, without a prototype",
				     text);
}

static const struct mkfs_row rows[MKFS_XFS_ROWS] = {
	[B_SIZE] = { 'b',
		     MKFS_SIZE,
		     MKFS_POWER2,
		     {},
		     FIELD(block_size),
		     "size",
		     1024,
		     65536,
		     "SIZE",
		     "4096",
		     "size of a block" },

	[C_OPTIONS] = { 'c',
			MKFS_TEXT,
			0,
			{},
			FIELD(config_file),
			"options",
			0,
			0,
			"FILE",
			NULL,
			"more options, in an INI file with the section names that stand here" },

	[M_CRC] = { 'm',
		    MKFS_SWITCH,
		    0,
		    {},
		    FIELD(crc),
		    "crc",
		    0,
		    1,
		    NULL,
		    "1",
		    "checksums of all metadata; always on: without them it is the old version 4" },
	[M_FINOBT] = { 'm', MKFS_SWITCH, 0, {}, FIELD(finobt), "finobt", 0, 1, NULL, "1", "tree of free inodes" },
	[M_UUID] = { 'm',
		     MKFS_SPECIAL,
		     MKFS_AGAIN,
		     {},
		     0,
		     "uuid",
		     0,
		     0,
		     "UUID",
		     "random",
		     "UUID of the file system",
		     apply_uuid },
	[M_RMAPBT] = { 'm', MKFS_SWITCH, 0, {}, FIELD(rmapbt), "rmapbt", 0, 1, NULL, "1", "tree of the owners of blocks" },
	[M_REFLINK] = { 'm', MKFS_SWITCH, 0, {}, FIELD(reflink), "reflink", 0, 1, NULL, "1", "shared blocks" },
	[M_INOBTCOUNT] = { 'm',
			   MKFS_SWITCH,
			   0,
			   {},
			   FIELD(inobtcount),
			   "inobtcount",
			   0,
			   1,
			   NULL,
			   "1",
			   "block counts of the inode trees" },
	[M_BIGTIME] = { 'm', MKFS_SWITCH, 0, {}, FIELD(bigtime), "bigtime", 0, 1, NULL, "1", "time stamps until 2486" },
	[M_METADIR] = { 'm',
			MKFS_REFUSED,
			0,
			{},
			0,
			"metadir",
			0,
			1,
			NULL,
			"0",
			"there are no metadata directories here" },
	[M_AUTOFSCK] = { 'm',
			 MKFS_REFUSED,
			 0,
			 {},
			 0,
			 "autofsck",
			 0,
			 1,
			 NULL,
			 "0",
			 "set the property of the root directory with xfs_property(8) instead" },
	[M_UQUOTA] = { 'm', MKFS_REFUSED, 0, {}, 0, "uquota", 0, 1, NULL, "0", "it needs metadir, mount with uquota" },
	[M_GQUOTA] = { 'm', MKFS_REFUSED, 0, {}, 0, "gquota", 0, 1, NULL, "0", "it needs metadir, mount with gquota" },
	[M_PQUOTA] = { 'm', MKFS_REFUSED, 0, {}, 0, "pquota", 0, 1, NULL, "0", "it needs metadir, mount with pquota" },
	[M_QUOTA] = { 'm', MKFS_REFUSED, 0, {}, 0, "quota", 0, 1, NULL, "0", "it needs metadir, mount with quota" },

	[D_AGCOUNT] = { 'd',
			MKFS_NUMBER,
			0,
			{ D_AGSIZE },
			FIELD(ag_count),
			"agcount",
			1,
			MAX_AGS,
			"N",
			NULL,
			"number of allocation groups" },
	[D_AGSIZE] = { 'd',
		       MKFS_LATE_SIZE,
		       0,
		       {},
		       FIELD(ag_size),
		       "agsize",
		       16 * XX_MIB,
		       XX_TIB,
		       "SIZE",
		       NULL,
		       "size of an allocation group" },
	[D_FILE] = { 'd',
		     MKFS_SWITCH,
		     0,
		     {},
		     FIELD(data_file),
		     "file",
		     0,
		     1,
		     NULL,
		     "0",
		     "name is a regular file, created or truncated to size" },
	[D_NAME] = { 'd',
		     MKFS_TEXT,
		     0,
		     {},
		     FIELD(data_name),
		     "name",
		     0,
		     0,
		     "PATH",
		     NULL,
		     "the device or file, instead of the operand" },
	[D_SIZE] = { 'd',
		     MKFS_LATE_SIZE,
		     0,
		     {},
		     FIELD(data_size),
		     "size",
		     16 * XX_MIB,
		     INT64_MAX,
		     "SIZE",
		     "the device",
		     "size of the data section" },
	[D_SUNIT] = { 'd',
		      MKFS_NUMBER,
		      0,
		      { D_SU, D_SW, D_NOALIGN },
		      FIELD(dsunit),
		      "sunit",
		      0,
		      UINT_MAX,
		      "N",
		      NULL,
		      "stripe unit, in 512-byte units" },
	[D_SWIDTH] = { 'd',
		       MKFS_NUMBER,
		       0,
		       { D_SU, D_SW, D_NOALIGN },
		       FIELD(dswidth),
		       "swidth",
		       0,
		       UINT_MAX,
		       "N",
		       NULL,
		       "stripe width, in 512-byte units" },
	[D_SU] = { 'd',
		   MKFS_LATE_SIZE,
		   0,
		   { D_NOALIGN },
		   FIELD(dsu),
		   "su",
		   0,
		   UINT_MAX,
		   "SIZE",
		   "the device's",
		   "stripe unit" },
	[D_SW] = { 'd',
		   MKFS_NUMBER,
		   0,
		   { D_NOALIGN },
		   FIELD(dsw),
		   "sw",
		   0,
		   UINT_MAX,
		   "N",
		   "the device's",
		   "stripe width, in stripe units" },
	[D_NOALIGN] = { 'd', MKFS_SWITCH, 0, {}, FIELD(noalign), "noalign", 0, 1, NULL, "0", "do not align to stripes" },
	[D_SECTSIZE] = { 'd',
			 MKFS_SIZE,
			 MKFS_POWER2,
			 { S_SIZE, S_SECTSIZE },
			 FIELD(sector_size),
			 "sectsize",
			 512,
			 32768,
			 "SIZE",
			 "the device's",
			 "size of a sector" },
	[D_RTINHERIT] = { 'd',
			  MKFS_SWITCH,
			  0,
			  {},
			  FIELD(rtinherit),
			  "rtinherit",
			  0,
			  1,
			  NULL,
			  "0",
			  "new files go to the realtime section" },
	[D_PROJINHERIT] = { 'd',
			    MKFS_NUMBER,
			    0,
			    {},
			    FIELD(projinherit),
			    "projinherit",
			    0,
			    UINT_MAX,
			    "ID",
			    NULL,
			    "new files belong to this project" },
	[D_EXTSZINHERIT] = { 'd',
			     MKFS_NUMBER,
			     0,
			     {},
			     FIELD(extszinherit),
			     "extszinherit",
			     0,
			     UINT_MAX,
			     "N",
			     "0",
			     "extent size hint of new files, in blocks" },
	[D_COWEXTSIZE] = { 'd',
			   MKFS_NUMBER,
			   0,
			   {},
			   FIELD(cowextsize),
			   "cowextsize",
			   0,
			   UINT_MAX,
			   "N",
			   "0",
			   "copy-on-write extent size hint, in blocks" },
	[D_DAXINHERIT] = { 'd',
			   MKFS_SWITCH,
			   0,
			   {},
			   FIELD(daxinherit),
			   "daxinherit",
			   0,
			   1,
			   NULL,
			   "0",
			   "new files are accessed directly" },
	[D_CONCURRENCY] = { 'd',
			    MKFS_SPECIAL,
			    MKFS_BARE,
			    { D_AGCOUNT, D_AGSIZE },
			    FIELD(data_concurrency),
			    "concurrency",
			    0,
			    INT_MAX,
			    "N",
			    "0",
			    "allocation groups for so many writers; 1: the number of processors",
			    apply_concurrency },

	[I_SIZE] = { 'i',
		     MKFS_NUMBER,
		     MKFS_POWER2,
		     { I_PERBLOCK },
		     FIELD(inode_size),
		     "size",
		     512,
		     2048,
		     "N",
		     "512",
		     "size of an inode in bytes" },
	[I_PERBLOCK] = { 'i',
			 MKFS_NUMBER,
			 MKFS_POWER2,
			 {},
			 FIELD(inode_perblock),
			 "perblock",
			 2,
			 MAX_INODE_PERBLOCK,
			 "N",
			 NULL,
			 "inodes in a block" },
	[I_MAXPCT] = { 'i',
		       MKFS_NUMBER,
		       0,
		       {},
		       FIELD(imaxpct),
		       "maxpct",
		       0,
		       100,
		       "N",
		       "25, 5 or 1, by size",
		       "percentage of space for inodes; 0: all" },
	[I_ALIGN] = { 'i', MKFS_SWITCH, 0, {}, FIELD(inode_align), "align", 0, 1, NULL, "1", "aligned inode chunks" },
	[I_ATTR] = { 'i', MKFS_NUMBER, 0, {}, FIELD(attr), "attr", 0, 2, "N", "2", "version of extended attributes" },
	[I_PROJID32BIT] = { 'i',
			    MKFS_SWITCH,
			    0,
			    {},
			    FIELD(projid32bit),
			    "projid32bit",
			    0,
			    1,
			    NULL,
			    "1",
			    "project IDs of 32 bits" },
	[I_SPARSE] = { 'i', MKFS_SWITCH, 0, {}, FIELD(sparse), "sparse", 0, 1, NULL, "1", "sparse inode chunks" },
	[I_NREXT64] = { 'i',
			MKFS_SWITCH,
			0,
			{},
			FIELD(nrext64),
			"nrext64",
			0,
			1,
			NULL,
			"1",
			"extent counters of 64 bits" },
	[I_EXCHANGE] = { 'i',
			 MKFS_SWITCH,
			 0,
			 {},
			 FIELD(exchange),
			 "exchange",
			 0,
			 1,
			 NULL,
			 "0",
			 "atomic exchange of file ranges, Linux 6.10" },

	[L_INTERNAL] = { 'l',
			 MKFS_SWITCH,
			 0,
			 { L_LOGDEV, L_NAME, L_FILE, L_SECTSIZE },
			 FIELD(log_internal),
			 "internal",
			 0,
			 1,
			 NULL,
			 "1",
			 "the log lies in the data section" },
	[L_LOGDEV] = { 'l',
		       MKFS_TEXT,
		       0,
		       { L_AGNUM, L_NAME },
		       FIELD(log_name),
		       "logdev",
		       0,
		       0,
		       "PATH",
		       NULL,
		       "a device for the log",
		       apply_log_name },
	[L_NAME] = { 'l',
		     MKFS_TEXT,
		     0,
		     { L_AGNUM },
		     FIELD(log_name),
		     "name",
		     0,
		     0,
		     "PATH",
		     NULL,
		     "the same, also for a file",
		     apply_log_name },
	[L_FILE] = { 'l',
		     MKFS_SWITCH,
		     0,
		     {},
		     FIELD(log_file),
		     "file",
		     0,
		     1,
		     NULL,
		     "0",
		     "name is a regular file, created or truncated to size" },
	[L_SIZE] = { 'l',
		     MKFS_LATE_SIZE,
		     0,
		     {},
		     FIELD(log_size),
		     "size",
		     2 * XX_MIB,
		     MAX_LOG,
		     "SIZE",
		     "1/2048 of the data, 64m or more",
		     "size of the log" },
	[L_AGNUM] = { 'l',
		      MKFS_NUMBER,
		      0,
		      {},
		      FIELD(log_ag),
		      "agnum",
		      0,
		      UINT_MAX,
		      "N",
		      "the middle one",
		      "allocation group that holds the log" },
	[L_VERSION] = { 'l', MKFS_NUMBER, 0, {}, FIELD(log_version), "version", 1, 2, "N", "2", "version of the log" },
	[L_SUNIT] = { 'l',
		      MKFS_NUMBER,
		      0,
		      { L_SU },
		      FIELD(lsunit),
		      "sunit",
		      1,
		      LOG_UNIT_SECTORS,
		      "N",
		      NULL,
		      "log stripe unit, in 512-byte units" },
	[L_SU] = { 'l',
		   MKFS_LATE_SIZE,
		   0,
		   {},
		   FIELD(lsu),
		   "su",
		   XX_SECTOR,
		   MAX_LOG_UNIT,
		   "SIZE",
		   "as the data",
		   "log stripe unit" },
	[L_SECTSIZE] = { 'l',
			 MKFS_SIZE,
			 MKFS_POWER2,
			 {},
			 FIELD(log_sector_size),
			 "sectsize",
			 512,
			 32768,
			 "SIZE",
			 "as the data, 512 if external",
			 "size of a sector of the log" },
	[L_LAZY_COUNT] = { 'l',
			   MKFS_SWITCH,
			   0,
			   {},
			   FIELD(lazy_count),
			   "lazy-count",
			   0,
			   1,
			   NULL,
			   "1",
			   "counters of the superblock are not logged" },
	[L_CONCURRENCY] = { 'l',
			    MKFS_SPECIAL,
			    MKFS_BARE,
			    { L_SIZE, L_LOGDEV, L_NAME },
			    FIELD(log_concurrency),
			    "concurrency",
			    0,
			    INT_MAX,
			    "N",
			    "0",
			    "a log for so many writers; 1: the number of processors",
			    apply_concurrency },

	[N_SIZE] = { 'n',
		     MKFS_LATE_SIZE,
		     MKFS_POWER2,
		     {},
		     FIELD(dir_block_size),
		     "size",
		     4096,
		     65536,
		     "SIZE",
		     "4096, a block if that is more",
		     "size of a directory block" },
	[N_VERSION] = { 'n',
			MKFS_SPECIAL,
			0,
			{},
			0,
			"version",
			2,
			2,
			"N",
			"2",
			"version of directories",
			apply_dir_version },
	[N_FTYPE] = { 'n', MKFS_SWITCH, 0, {}, FIELD(ftype), "ftype", 0, 1, NULL, "1", "file types in directory entries" },
	[N_PARENT] = { 'n', MKFS_SWITCH, 0, {}, FIELD(parent), "parent", 0, 1, NULL, "0", "parent pointers, Linux 6.10" },

	[R_RTDEV] = { 'r',
		      MKFS_TEXT,
		      0,
		      { R_NAME },
		      FIELD(rt_name),
		      "rtdev",
		      0,
		      0,
		      "PATH",
		      NULL,
		      "a device for the realtime section" },
	[R_NAME] = { 'r', MKFS_TEXT, 0, {}, FIELD(rt_name), "name", 0, 0, "PATH", NULL, "the same, also for a file" },
	[R_FILE] = { 'r',
		     MKFS_SWITCH,
		     0,
		     {},
		     FIELD(rt_file),
		     "file",
		     0,
		     1,
		     NULL,
		     "0",
		     "name is a regular file, created or truncated to size" },
	[R_SIZE] = { 'r',
		     MKFS_LATE_SIZE,
		     0,
		     {},
		     FIELD(rt_size),
		     "size",
		     0,
		     INT64_MAX,
		     "SIZE",
		     "the device",
		     "size of the realtime section" },
	[R_EXTSIZE] = { 'r',
			MKFS_LATE_SIZE,
			0,
			{},
			FIELD(rt_extent_size),
			"extsize",
			4 * XX_KIB,
			XX_GIB,
			"SIZE",
			"the stripe width, or 4096",
			"size of a realtime extent" },
	[R_NOALIGN] = { 'r',
			MKFS_SWITCH,
			0,
			{},
			FIELD(rt_noalign),
			"noalign",
			0,
			1,
			NULL,
			"0",
			"do not align to stripes" },
	[R_RGCOUNT] = { 'r', MKFS_REFUSED, 0, {}, 0, "rgcount", 0, 1, NULL, "0", "there are no realtime groups here" },
	[R_RGSIZE] = { 'r', MKFS_REFUSED, 0, {}, 0, "rgsize", 0, 1, NULL, "0", "there are no realtime groups here" },
	[R_CONCURRENCY] = { 'r',
			    MKFS_REFUSED,
			    0,
			    {},
			    0,
			    "concurrency",
			    0,
			    1,
			    NULL,
			    "0",
			    "there are no realtime groups here" },
	[R_ZONED] = { 'r', MKFS_REFUSED, 0, {}, 0, "zoned", 0, 1, NULL, "0", "there are no zoned devices here" },
	[R_START] = { 'r', MKFS_REFUSED, 0, {}, 0, "start", 0, 1, NULL, "0", "there are no zoned devices here" },
	[R_RESERVED] = { 'r', MKFS_REFUSED, 0, {}, 0, "reserved", 0, 1, NULL, "0", "there are no zoned devices here" },

	[S_SIZE] = { 's',
		     MKFS_SIZE,
		     MKFS_POWER2,
		     { S_SECTSIZE },
		     FIELD(sector_size),
		     "size",
		     512,
		     32768,
		     "SIZE",
		     "the device's",
		     "size of a sector, of data and log",
		     apply_sector },
	[S_SECTSIZE] = { 's',
			 MKFS_SIZE,
			 MKFS_POWER2,
			 {},
			 FIELD(sector_size),
			 "sectsize",
			 512,
			 32768,
			 "SIZE",
			 NULL,
			 "the same",
			 apply_sector },
};

static const struct mkfs_group groups[] = {
	{ 'b', "block", "blocks" },	  { 'c', NULL, "configuration file" },
	{ 'm', "metadata", "metadata" },  { 'd', "data", "data section" },
	{ 'i', "inode", "inodes" },	  { 'l', "log", "log" },
	{ 'n', "naming", "directories" }, { 'r', "realtime", "realtime section" },
	{ 's', "sector", "sectors" },
};

#define FLAG(letter, name, member, help)                                            \
	{                                                                           \
		letter, MKFS_FLAG_BOOL, FIELD(member), name, NULL, 0, 0, help, NULL \
	}
#define SPECIAL(letter, name, value, help, apply)                            \
	{                                                                    \
		letter, MKFS_FLAG_SPECIAL, 0, name, value, 0, 0, help, apply \
	}

static const struct mkfs_flag flags[] = {
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
	SPECIAL(0, "io-engine", "ENGINE", "auto, uring, aio or threads", apply_engine),
	{ 0, MKFS_FLAG_COUNT, FIELD(queue_depth), "queue-depth", "N", 1, 4096, "requests in flight", NULL },
	FLAG(0, "unsupported", unsupported, "allow a file system that is too small to be of use"),
	FLAG('v', "verbose", verbose, "say more"),
	{ 'h', MKFS_FLAG_HELP, 0, "help", NULL, 0, 0, "this text", NULL },
	{ 'V', MKFS_FLAG_VERSION, 0, "version", NULL, 0, 0, "the version", NULL },
};

const struct mkfs_table mkfs_xfs_table = {
	.groups = groups,
	.group_count = XX_ARRAY_SIZE(groups),
	.rows = rows,
	.row_count = XX_ARRAY_SIZE(rows),
	.flags = flags,
	.flag_count = XX_ARRAY_SIZE(flags),
	.operand = D_NAME,
};
