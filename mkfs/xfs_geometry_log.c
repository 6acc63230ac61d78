/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Geometry policy: size and place of the log.
 * Facts: mkfs/xfs_mkfs.c:calculate_log_size, adjust_ag0_internal_logblocks, align_internal_log, align_log_size,
 * validate_log_size; concurrency: calc_concurrency_logblocks (6.8). As since 6.8, rounding does not make an external log
 * larger than its device.
 */
#include "mkfs/xfs_policy.h"

/* Limits in blocks: what the kernel mounts, and what the group has room for. */
struct log_limits {
	uint64_t min, max;
};

/* The largest of any log. */
static uint64_t log_max(const struct policy *p)
{
	return xx_min(XX_XFS_LOG_MAX_BLOCKS, policy_blocks(p, XX_XFS_LOG_MAX_BYTES));
}

static uint64_t log_min(const struct policy *p)
{
	uint64_t min = xx_max(XX_XFS_LOG_MIN_BLOCKS, xx_xfs_log_min_blocks(p->geo));

	if (!p->opt->log_size.given && p->geo->data_blocks >= policy_blocks(p, XX_GIB))
		min = xx_max(min, policy_blocks(p, XX_XFS_LOG_MIN_BYTES));
	return min;
}

static int validate_size(struct policy *p, uint64_t min)
{
	if (p->log_blocks >= min && p->log_blocks <= log_max(p))
		return 0;
	return policy_refuse(p, "-l size: a log of %llu blocks of %u bytes; it must have from %llu to %llu here.",
			     (unsigned long long)p->log_blocks, p->geo->block_size, (unsigned long long)min,
			     (unsigned long long)log_max(p));
}

/* To a multiple of @unit: up, or down where up would be too large. A size that was given stays. */
static int round_size(struct policy *p, uint64_t unit, uint64_t max)
{
	uint64_t rounded = xx_round_up(p->log_blocks, unit);

	if (p->log_blocks == rounded)
		return 0;
	if (p->opt->log_size.given)
		return policy_refuse(p, "-l size: %llu blocks must be a multiple of the stripe unit, which has %llu.",
				     (unsigned long long)p->log_blocks, (unsigned long long)unit);
	if (rounded > xx_min(max, log_max(p)))
		rounded = xx_round_down(p->log_blocks, unit);
	p->log_blocks = rounded;
	return 0;
}

static int external(struct policy *p)
{
	const struct mkfs_volume *log = &p->topo->log;
	uint64_t room = log->size ? policy_volume_blocks(p, log, p->geo->log_sector_size) : log_max(p);
	uint64_t min = log_min(p);
	int error = 0;

	if (p->log_blocks < min)
		return policy_refuse(p,
				     "%s: %llu blocks of %u bytes are too small for a log, at least %llu are needed.",
				     p->opt->log_name, (unsigned long long)p->log_blocks, p->geo->block_size,
				     (unsigned long long)min);
	if (p->log_sunit)
		error = round_size(p, p->log_sunit, room);
	return error ? error : validate_size(p, min);
}

/* Room for as many transactions of the largest kind as there are writers, and half as much for background work. */
static uint64_t concurrent_size(const struct policy *p)
{
	uint64_t writers = p->opt->log_concurrency.value;
	uint64_t bytes;

	if (writers == UINT64_MAX)
		writers = p->topo->cpus;
	if (!writers || p->geo->data_blocks < policy_blocks(p, XX_GIB))
		return 0;
	if (xx_mul_checked(writers, xx_xfs_log_transaction_bytes(p->geo) * 3, &bytes))
		bytes = UINT64_MAX;
	return policy_blocks(p, xx_min(bytes / 2, XX_XFS_LOG_MAX_BYTES));
}

/* A 2048th of the file system, at least 64 MiB; the least that works when that is too much. */
static uint64_t default_size(const struct policy *p, const struct log_limits *limits)
{
	uint64_t size = xx_max(p->geo->data_blocks / 2048, policy_blocks(p, POLICY_LOG_SUPPORTED));

	if (p->geo->data_blocks < policy_blocks(p, POLICY_DATA_SUPPORTED))
		size = limits->min;
	size = xx_max(size, concurrent_size(p));
	size = xx_min(xx_max(size, limits->min), limits->max);
	return xx_min(size, log_max(p));
}

static int internal_size(struct policy *p, const struct log_limits *limits)
{
	uint64_t room = p->geo->ag_blocks - p->geo->root_block.first_free;
	int error = 0;

	if (!p->log_blocks) {
		p->log_blocks = default_size(p, limits);
		error = validate_size(p, limits->min);
	} else if (p->log_blocks > limits->max) {
		error = policy_refuse(
			p, "-l size: %llu blocks of %u bytes do not fit into an allocation group: at most %llu.",
			(unsigned long long)p->log_blocks, p->geo->block_size, (unsigned long long)limits->max);
	}
	if (!error && p->log_blocks > room)
		error = policy_refuse(
			p, "-l size: %llu blocks of %u bytes do not fit into an allocation group: at most %llu.",
			(unsigned long long)p->log_blocks, p->geo->block_size, (unsigned long long)room);
	return error;
}

/* The first group has to keep room for the root directory's inodes, wherever their alignment puts them. */
static int spare_root_inodes(struct policy *p, struct log_limits *limits)
{
	uint64_t chunk = (uint64_t)64 * p->geo->inode_size / p->geo->block_size;
	uint64_t spare = xx_max(chunk * 4, (uint64_t)p->geo->stripe_unit * 2);

	/* A stripe unit of more than half a group: all that counts then is that the log ends before the group does. */
	if (spare > limits->max) {
		limits->max = UINT64_MAX;
		return 0;
	}
	limits->max -= spare;
	if (p->log_blocks <= limits->max)
		return 0;
	if (p->opt->log_size.given)
		return policy_refuse(
			p, "-l size: %llu blocks of %u bytes do not fit into the first allocation group: at most %llu.",
			(unsigned long long)p->log_blocks, p->geo->block_size, (unsigned long long)limits->max);
	p->log_blocks = limits->max;
	return 0;
}

/* Does a log of @blocks lie in one group, behind the headers and roots? */
static bool inside_group(const struct policy *p, uint64_t blocks)
{
	const struct xx_xfs_geometry *geo = p->geo;
	uint64_t agbno = geo->log_start & ((UINT64_C(1) << geo->ag_block_log) - 1);
	uint64_t end;

	if (geo->log_ag >= geo->ag_count || agbno < geo->root_block.first_free)
		return false;
	end = xx_xfs_ag_size(geo, geo->log_ag);
	return agbno < end && blocks <= end - agbno;
}

/* The unit counts from fsblock 0, not from the beginning of the group: a large one may lead into the next group. */
static int align(struct policy *p, uint64_t unit, const struct log_limits *limits)
{
	int error;

	p->geo->log_start = xx_round_up(p->geo->log_start, unit);
	p->geo->log_ag = (uint32_t)(p->geo->log_start >> p->geo->ag_block_log);
	if (!inside_group(p, 1))
		return policy_refuse(
			p, "A stripe unit of %llu blocks leaves no place for the log in a group of %u blocks.",
			(unsigned long long)unit, p->geo->ag_blocks);
	error = round_size(p, unit, limits->max);
	if (error)
		return error;
	if (!inside_group(p, p->log_blocks) && p->log_blocks > unit)
		p->log_blocks -= unit;
	return 0;
}

static int place(struct policy *p, struct log_limits *limits)
{
	struct xx_xfs_geometry *geo = p->geo;
	uint64_t agno = policy_num(&p->opt->log_ag, geo->ag_count / 2);
	uint64_t unit = p->log_sunit ? p->log_sunit : geo->stripe_unit;
	int error = 0;

	if (agno >= geo->ag_count)
		return policy_refuse(p, "-l agnum=%llu: the group of the log must be from 0 to %u.",
				     (unsigned long long)agno, geo->ag_count - 1);
	geo->log_ag = (uint32_t)agno;
	if (!agno)
		error = spare_root_inodes(p, limits);
	if (error)
		return error;
	geo->log_start = (agno << geo->ag_block_log) + geo->root_block.first_free;
	if (unit)
		error = align(p, unit, limits);
	if (error)
		return error;
	if (!inside_group(p, p->log_blocks))
		return policy_refuse(
			p, "-l size: %llu blocks of %u bytes do not fit into allocation group %u, which has %u.",
			(unsigned long long)p->log_blocks, geo->block_size, geo->log_ag,
			xx_xfs_ag_size(geo, geo->log_ag));
	return validate_size(p, limits->min);
}

static int internal(struct policy *p)
{
	struct log_limits limits = { .min = log_min(p), .max = xx_xfs_ag_max_usable(p->geo) - 1 };
	int error;

	if (limits.max < limits.min)
		return policy_refuse(
			p,
			"A log needs at least %llu blocks of %u bytes, an allocation group has room for %llu: the file "
			"system is too small, or has too many groups.",
			(unsigned long long)limits.min, p->geo->block_size, (unsigned long long)limits.max);
	error = internal_size(p, &limits);
	return error ? error : place(p, &limits);
}

int policy_log(struct policy *p)
{
	int error = p->geo->log_internal ? internal(p) : external(p);

	if (error)
		return error;
	p->geo->log_blocks = (uint32_t)p->log_blocks;
	return 0;
}
