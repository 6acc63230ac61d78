/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Geometry policy: how many allocation groups, and how long.
 * Facts: libxfs/topology.c:calc_default_ag_geometry; mkfs/xfs_mkfs.c:calculate_initial_ag_geometry,
 * align_ag_geometry, validate_ag_geometry, calculate_imaxpct; concurrency:
 * calc_concurrency_ag_geometry (6.8).
 */
#include "mkfs/xfs_policy.h"

static void set_ag_blocks(struct policy *p, uint64_t ag_blocks)
{
	p->ag_blocks = ag_blocks;
	p->ag_count = xx_div_round_up(p->geo->data_blocks, ag_blocks);
}

/* log2 of the number of groups of a file system that is too small for groups of the largest size. */
static unsigned default_count_log(const struct policy *p)
{
	static const struct {
		uint64_t bytes;
		unsigned log;
	} striped[] = { { 32 * XX_MIB, 0 }, { 64 * XX_MIB, 1 }, { 128 * XX_MIB, 2 } };
	uint64_t data_blocks = p->geo->data_blocks;

	if (!p->geo->stripe_unit && data_blocks >= policy_blocks(p, 128 * XX_MIB))
		return 2;
	for (size_t i = 0; i < XX_ARRAY_SIZE(striped); i++) {
		if (data_blocks < policy_blocks(p, striped[i].bytes))
			return striped[i].log;
	}
	if (data_blocks <= policy_blocks(p, 8 * XX_GIB))
		return 3;
	return data_blocks <= policy_blocks(p, 512 * XX_GIB) ? 4 : 5;
}

static uint64_t default_ag_blocks(const struct policy *p)
{
	uint64_t largest_from = p->geo->stripe_unit ? 32 * XX_TIB : 4 * XX_TIB;
	unsigned count_log = default_count_log(p);

	if (p->geo->data_blocks >= policy_blocks(p, largest_from))
		return policy_ag_max(p);
	return xx_min(xx_div_round_up(p->geo->data_blocks, UINT64_C(1) << count_log), policy_ag_max(p));
}

/*
 * A multiple of the number of writers, of groups that have at least 4 GiB; never fewer than there would be without.
 */
static uint64_t concurrent_ag_blocks(const struct policy *p, uint64_t writers)
{
	uint64_t data_blocks = p->geo->data_blocks;
	uint64_t dflt = default_ag_blocks(p);
	uint64_t dflt_count = xx_div_round_up(data_blocks, dflt);
	uint64_t least = policy_blocks(p, 4 * XX_GIB);
	uint64_t count = writers;

	if (!writers || writers < dflt_count)
		return dflt;
	if (data_blocks / writers < least) {
		count = data_blocks / least;
		return count <= dflt_count ? dflt : data_blocks / count;
	}
	while (data_blocks / count > policy_ag_max(p) && data_blocks / count > dflt)
		count += writers;
	return data_blocks / count;
}

static int initial(struct policy *p)
{
	const struct mkfs_xfs_options *opt = p->opt;
	uint64_t writers = opt->data_concurrency.value;

	if (writers == UINT64_MAX)
		writers = p->topo->cpus;
	if (opt->ag_size.given) {
		if (opt->ag_size.value % p->geo->block_size)
			return policy_refuse(
				p, "-d agsize=%llu: the size of a group must be a multiple of the block size, %u.",
				(unsigned long long)opt->ag_size.value, p->geo->block_size);
		set_ag_blocks(p, policy_blocks(p, opt->ag_size.value));
	} else if (opt->ag_count.given) {
		p->ag_count = opt->ag_count.value;
		p->ag_blocks = xx_div_round_up(p->geo->data_blocks, p->ag_count);
	} else {
		set_ag_blocks(p, concurrent_ag_blocks(p, writers));
	}
	return 0;
}

/* To a multiple of the stripe unit. The number of groups is left alone if it was given. */
static void round_to_unit(struct policy *p)
{
	uint64_t unit = p->geo->stripe_unit;
	uint64_t ag_blocks = xx_round_up(p->ag_blocks, unit);

	if (p->ag_blocks % unit == 0)
		return;
	if (ag_blocks > policy_ag_max(p))
		ag_blocks = xx_round_down(p->ag_blocks, unit);
	p->ag_blocks = ag_blocks;
	if (!p->opt->ag_count.given)
		set_ag_blocks(p, ag_blocks);
	if (p->opt->ag_size.given)
		xx_warn(p->ctx, "-d agsize: rounded to %llu blocks, a multiple of the stripe unit, %llu.",
			(unsigned long long)ag_blocks, (unsigned long long)unit);
}

/* Groups of whole stripes would have their headers all on one disk: one stripe unit less or more spreads them. */
static void leave_first_disk(struct policy *p)
{
	uint64_t unit = p->geo->stripe_unit, width = p->geo->stripe_width;

	if (p->ag_blocks % width || width == unit || p->ag_count <= 1)
		return;
	if (p->opt->ag_count.given || p->opt->ag_size.given) {
		xx_warn(p->ctx,
			"The size of a group is a multiple of the stripe width, so that all groups begin on the same disk; "
			"one that is a stripe unit smaller or larger avoids that, for example %llu blocks.",
			(unsigned long long)(p->ag_blocks - unit));
		return;
	}
	set_ag_blocks(p, p->ag_blocks >= unit + policy_ag_min(p) ? p->ag_blocks - unit : p->ag_blocks + unit);
}

/* Rounding can leave nothing for the last of the groups that were asked for. */
static int all_groups_exist(struct policy *p)
{
	uint64_t count = xx_div_round_up(p->geo->data_blocks, p->ag_blocks);

	if (p->ag_count == count)
		return 0;
	return policy_refuse(p, "-d agcount=%llu: %llu blocks in groups of %llu make %llu groups.",
			     (unsigned long long)p->ag_count, (unsigned long long)p->geo->data_blocks,
			     (unsigned long long)p->ag_blocks, (unsigned long long)count);
}

/* A last group that is too short is left away. */
static void drop_short_group(struct policy *p)
{
	uint64_t last = p->geo->data_blocks % p->ag_blocks;

	if (!last || last >= policy_ag_min(p))
		return;
	p->ag_count--;
	p->geo->data_blocks = p->ag_count * p->ag_blocks;
	if (p->opt->ag_count.given)
		xx_warn(p->ctx, "-d agcount=%llu: the last group would have %llu blocks only and is left away.",
			(unsigned long long)p->opt->ag_count.value, (unsigned long long)last);
}

static int validate(struct policy *p)
{
	const char *name = p->opt->ag_size.given ? "-d agsize" : p->opt->ag_count.given ? "-d agcount" : "Stripe unit";
	uint64_t max = xx_min(policy_ag_max(p), p->geo->data_blocks);

	if (p->ag_blocks < policy_ag_min(p) || p->ag_blocks > max)
		return policy_refuse(p, "%s: groups of %llu blocks; a group must have from %llu to %llu blocks here.",
				     name, (unsigned long long)p->ag_blocks, (unsigned long long)policy_ag_min(p),
				     (unsigned long long)max);
	if (p->ag_count > POLICY_AG_COUNT_MAX)
		return policy_refuse(p, "%s: %llu groups are too many, there can be %llu.", name,
				     (unsigned long long)p->ag_count, (unsigned long long)POLICY_AG_COUNT_MAX);
	return 0;
}

static void inode_percent(struct policy *p)
{
	uint64_t given = p->opt->imaxpct.value;

	if (given)
		p->geo->inode_max_percent = (uint8_t)given;
	else if (p->geo->data_blocks < policy_blocks(p, XX_TIB))
		p->geo->inode_max_percent = 25;
	else
		p->geo->inode_max_percent = p->geo->data_blocks < policy_blocks(p, 50 * XX_TIB) ? 5 : 1;
}

int policy_ag(struct policy *p)
{
	int error;

	error = initial(p);
	if (error)
		return error;
	if (p->geo->stripe_unit) {
		round_to_unit(p);
		leave_first_disk(p);
	}
	error = all_groups_exist(p);
	if (error)
		return error;
	error = validate(p);
	if (error)
		return error;
	drop_short_group(p);
	p->geo->ag_blocks = (uint32_t)p->ag_blocks;
	p->geo->ag_count = (uint32_t)p->ag_count;
	inode_percent(p);
	return 0;
}
