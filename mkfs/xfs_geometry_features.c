/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Geometry policy: what the file system can do, and what its root directory hands on to new files.
 *
 * The defaults are those of mkfs.xfs 6.13; exchange and parent are off: kernels before 6.10 and boot
 * loaders refuse them.
 * A profile (--compat) has become options that are given as 0 before policy sees it.
 * Facts: mkfs/xfs_mkfs.c:validate_sb_features, sb_set_features, validate_extsize_hint, validate_cowextsize_hint;
 * libxfs/xfs_inode_buf.c:xfs_inode_validate_extsize; parent turning exchange on: 6.13.
 */
#include "mkfs/xfs_policy.h"

#include <linux/fs.h>

/* Always on in a file system with checksums: naming a lesser value is an error. */
static int fixed_features(struct policy *p)
{
	const struct mkfs_xfs_options *opt = p->opt;
	const struct {
		const struct tool_num *num;
		uint64_t value;
		const char *name, *what;
	} fixed[] = {
		{ &opt->crc, 1, "-m crc", "metadata checksums are always on" },
		{ &opt->inode_align, 1, "-i align", "inodes are always aligned" },
		{ &opt->lazy_count, 1, "-l lazy-count", "the counters of the superblock are always lazy" },
		{ &opt->log_version, 2, "-l version", "the log is always of version 2" },
		{ &opt->attr, 2, "-i attr", "extended attributes are always of version 2" },
		{ &opt->projid32bit, 1, "-i projid32bit", "project identifiers always have 32 bits" },
		{ &opt->dir_version, 2, "-n version", "directories are always of version 2" },
		{ &opt->ftype, 1, "-n ftype", "directories always know the type of a file" },
	};

	for (size_t i = 0; i < XX_ARRAY_SIZE(fixed); i++) {
		if (policy_num(fixed[i].num, fixed[i].value) != fixed[i].value)
			return policy_refuse(p, "%s=%llu: %s, the value must be %llu.", fixed[i].name,
					     (unsigned long long)fixed[i].num->value, fixed[i].what,
					     (unsigned long long)fixed[i].value);
	}
	p->geo->features.inode_align = true;
	p->geo->features.lazy_counters = true;
	p->geo->features.attr2 = true;
	p->geo->features.projid32 = true;
	p->geo->features.ftype = true;
	return 0;
}

/*
 * A feature that is on by default gives way silently to what it cannot live with; one that was asked for is an error.
 */
static int yield(struct policy *p, bool *feature, const struct tool_num *num, const char *name, const char *why)
{
	if (*feature && num->given)
		return policy_refuse(p, "%s=1 cannot be had %s: it must be 0.", name, why);
	*feature = false;
	return 0;
}

static int dependencies(struct policy *p)
{
	const struct mkfs_xfs_options *opt = p->opt;
	struct xx_xfs_features *f = &p->geo->features;
	int error = 0;

	if (!f->finobt)
		error = yield(p, &f->inobtcount, &opt->inobtcount, "-m inobtcount", "without -m finobt=1");
	if (!error && opt->rt_name)
		error = yield(p, &f->reflink, &opt->reflink, "-m reflink", "with a realtime device");
	if (!error && opt->rt_name)
		error = yield(p, &f->rmapbt, &opt->rmapbt, "-m rmapbt", "with a realtime device");
	if (error)
		return error;
	if (opt->cowextsize.value && !f->reflink)
		return policy_refuse(p, "-d cowextsize=%llu means nothing without -m reflink=1: it must be 0.",
				     (unsigned long long)opt->cowextsize.value);
	return 0;
}

static void root_flags(struct policy *p)
{
	const struct mkfs_xfs_options *opt = p->opt;
	uint32_t xflags = 0;

	if (opt->rtinherit.value)
		xflags |= FS_XFLAG_RTINHERIT;
	if (opt->projinherit.given)
		xflags |= FS_XFLAG_PROJINHERIT;
	if (opt->extszinherit.value)
		xflags |= FS_XFLAG_EXTSZINHERIT;
	if (opt->cowextsize.value)
		xflags |= FS_XFLAG_COWEXTSIZE;
	if (opt->daxinherit.value)
		xflags |= FS_XFLAG_DAX;
	p->geo->root.xflags = xflags;
	p->geo->root.projid = (uint32_t)opt->projinherit.value;
	p->geo->root.extsize = (uint32_t)opt->extszinherit.value;
	p->geo->root.cowextsize = (uint32_t)opt->cowextsize.value;
}

int policy_features(struct policy *p)
{
	const struct mkfs_xfs_options *opt = p->opt;
	struct xx_xfs_features *f = &p->geo->features;
	int error;

	error = fixed_features(p);
	if (error)
		return error;
	f->finobt = policy_num(&opt->finobt, 1);
	f->rmapbt = policy_num(&opt->rmapbt, 1);
	f->reflink = policy_num(&opt->reflink, 1);
	f->inobtcount = policy_num(&opt->inobtcount, 1);
	f->bigtime = policy_num(&opt->bigtime, 1);
	f->sparse_inodes = policy_num(&opt->sparse, 1);
	f->nrext64 = policy_num(&opt->nrext64, 1);
	f->parent = policy_num(&opt->parent, 0);
	/* Parent pointers are of use to an online repair only if it can exchange what it rebuilt for what is there. */
	f->exchange = policy_num(&opt->exchange, f->parent);
	root_flags(p);
	return dependencies(p);
}

int policy_root_hints(struct policy *p)
{
	const struct mkfs_xfs_options *opt = p->opt;
	uint64_t max = xx_min(POLICY_EXTENT_MAX, p->geo->ag_blocks / 2);
	uint64_t hint = opt->extszinherit.value;

	if (hint > max)
		return policy_refuse(p, "-d extszinherit=%llu: the hint must be at most %llu blocks.",
				     (unsigned long long)hint, (unsigned long long)max);
	if (opt->rtinherit.value && hint % p->geo->rt_extent_size)
		return policy_refuse(
			p,
			"-d extszinherit=%llu: with rtinherit the hint must be a multiple of the realtime extent, "
			"which has %u blocks.",
			(unsigned long long)hint, p->geo->rt_extent_size);
	if (opt->cowextsize.value > max)
		return policy_refuse(p, "-d cowextsize=%llu: the hint must be at most %llu blocks.",
				     (unsigned long long)opt->cowextsize.value, (unsigned long long)max);
	return 0;
}
