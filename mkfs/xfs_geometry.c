/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Geometry policy: the sequence of its steps. Each step stands in a file named after it.
 */
#include "mkfs/xfs_geometry.h"

#include <string.h>

#include "mkfs/xfs_policy.h"

static int supported(struct policy *p)
{
	const struct xx_xfs_geometry *geo = p->geo;

	if (p->opt->unsupported) {
		xx_warn(p->ctx, "Filesystems formatted with --unsupported are not supported!!");
		return 0;
	}
	if (geo->data_blocks < policy_blocks(p, POLICY_DATA_SUPPORTED))
		return policy_refuse(p,
				     "%s: %llu MiB are too small for a file system: at least 300 MiB are needed "
				     "(--unsupported makes smaller ones, for tests).",
				     p->opt->data_name,
				     (unsigned long long)(geo->data_blocks * geo->block_size / XX_MIB));
	if (geo->log_blocks < policy_blocks(p, POLICY_LOG_SUPPORTED))
		return policy_refuse(
			p,
			"The log would have %u blocks of %u bytes: it must have at least 64 MiB (-l size=64m, "
			"fewer groups, or --unsupported for tests).",
			geo->log_blocks, geo->block_size);
	if (geo->ag_count < 2)
		return policy_refuse(
			p, "One allocation group is not enough, there must be a second superblock: -d agcount "
			   "must be at least 2 (--unsupported allows 1, for tests).");
	return 0;
}

static int derive(struct policy *p)
{
	if (xx_xfs_geometry_derive(p->geo))
		return policy_refuse(p, "%s: a file system of this shape cannot be described by the format.",
				     p->opt->data_name);
	return 0;
}

static void identity(struct policy *p)
{
	const struct mkfs_xfs_options *opt = p->opt;

	if (opt->uuid_given)
		memcpy(p->geo->uuid, opt->uuid, sizeof(p->geo->uuid));
	if (opt->label)
		memcpy(p->geo->label, opt->label, strnlen(opt->label, sizeof(p->geo->label)));
}

int mkfs_xfs_geometry(struct xx_ctx *ctx, struct mkfs_xfs_options *opt, const struct mkfs_topology *topo,
		      struct xx_xfs_geometry *geo)
{
	/* The order is that of mkfs.xfs, so that of two faults the same one is reported. */
	static int (*const steps[])(struct policy *) = {
		policy_block_size,
		policy_sector_size,
		policy_log_sector_size,
		policy_features,
		policy_dir_block_size,
		policy_inode_size,
		policy_rt_extent_size,
		policy_data_volume,
		policy_log_volume,
		policy_rt_volume,
		policy_stripe,
		policy_ag,
		derive,
		policy_log,
		derive,
		policy_root_hints,
		supported,
	};
	struct policy p = { .ctx = ctx, .opt = opt, .topo = topo, .geo = geo };

	memset(geo, 0, sizeof(*geo));
	identity(&p);
	for (size_t i = 0; i < XX_ARRAY_SIZE(steps); i++) {
		int error = steps[i](&p);

		if (error)
			return error;
	}
	return 0;
}
