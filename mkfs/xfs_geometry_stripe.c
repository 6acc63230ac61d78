/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Geometry policy: stripe unit and width of the data section, stripe unit of the log.
 * Facts: mkfs/xfs_mkfs.c:calc_stripe_factors, libxfs/xfs_sb.c:xfs_validate_stripe_geometry,
 * libxfs/topology.c:blkid_get_topology. Where mkfs.xfs computes in 32 bits, and a stripe of 4 GiB passes as none, here
 * it is refused.
 */
#include "mkfs/xfs_policy.h"

/* A stripe in bytes. */
struct stripe {
	uint64_t unit, width;
};

struct policy_io_hints policy_io_hints(const struct mkfs_volume *volume)
{
	struct policy_io_hints none = { 0 }, hints;

	/* A disk that knows no stripes reports its sector. */
	if (volume->is_file || volume->min_io == volume->physical_sector || volume->opt_io == volume->physical_sector)
		return none;
	hints.unit = xx_round_down(volume->min_io, XX_SECTOR);
	hints.width = xx_round_down(volume->opt_io, XX_SECTOR);
	return hints;
}

/* What is wrong with a stripe, as the end of a sentence; NULL: nothing. */
static const char *stripe_fault(const struct stripe *s, uint32_t sector_size)
{
	if (s->width > POLICY_STRIPE_MAX || s->unit > POLICY_STRIPE_MAX)
		return "the stripe width must be less than 2 GiB";
	if (s->unit > s->width)
		return "the stripe unit is larger than the stripe width";
	if (s->unit % sector_size)
		return "the stripe unit must be a multiple of the sector size";
	if (!s->unit && s->width)
		return "there is a stripe width but no stripe unit";
	if (s->unit && s->width % s->unit)
		return "the stripe width must be a multiple of the stripe unit";
	return NULL;
}

/* What the user gave, as bytes. Zeros: nothing. */
static int given_stripe(struct policy *p, struct stripe *s)
{
	const struct mkfs_xfs_options *opt = p->opt;
	const char *fault;

	if (opt->dsunit.given != opt->dswidth.given)
		return policy_refuse(p, "-d sunit and swidth must be given together.");
	/* su=0 alone says that there is no stripe. */
	if ((opt->dsu.value || opt->dsw.value) && opt->dsu.given != opt->dsw.given)
		return policy_refuse(p, "-d su and sw must be given together.");
	if (opt->dsu.value || opt->dsw.value) {
		s->unit = opt->dsu.value;
		if (xx_mul_checked(opt->dsu.value, opt->dsw.value, &s->width))
			s->width = UINT64_MAX;
	} else {
		s->unit = opt->dsunit.value * XX_SECTOR;
		s->width = opt->dswidth.value * XX_SECTOR;
	}
	fault = stripe_fault(s, p->geo->sector_size);
	if (fault)
		return policy_refuse(p, "-d %s: a stripe unit of %llu and width of %llu bytes: %s.",
				     opt->dsunit.given ? "sunit, swidth" : "su, sw", (unsigned long long)s->unit,
				     (unsigned long long)s->width, fault);
	if (s->unit % p->geo->block_size || s->width % p->geo->block_size)
		return policy_refuse(
			p,
			"-d %s: a stripe unit of %llu and width of %llu bytes: both must be multiples of the block "
			"size, %u.",
			opt->dsunit.given ? "sunit, swidth" : "su, sw", (unsigned long long)s->unit,
			(unsigned long long)s->width, p->geo->block_size);
	return 0;
}

/* What the device says, as far as it is of use. */
static struct stripe device_stripe(struct policy *p)
{
	struct policy_io_hints hints = policy_io_hints(&p->topo->data);
	struct stripe s = { hints.unit, hints.width }, none = { 0 };

	if (!s.unit && !s.width)
		return none;
	if (stripe_fault(&s, 1)) {
		xx_warn(p->ctx,
			"%s: the device reports an invalid stripe unit of %llu and width of %llu bytes, which are ignored.",
			p->opt->data_name, (unsigned long long)s.unit, (unsigned long long)s.width);
		return none;
	}
	if (p->geo->data_blocks < policy_blocks(p, XX_GIB)) {
		xx_warn(p->ctx,
			"%s: below 1 GiB the stripe unit of %llu and width of %llu bytes that the device reports are "
			"ignored.",
			p->opt->data_name, (unsigned long long)s.unit, (unsigned long long)s.width);
		return none;
	}
	if (s.unit % p->geo->block_size || s.width % p->geo->block_size)
		return none;
	return s;
}

static void compare_with_device(struct policy *p, const struct stripe *s)
{
	struct policy_io_hints hints = policy_io_hints(&p->topo->data);

	if (hints.unit && hints.unit != s->unit)
		xx_warn(p->ctx, "%s: the stripe unit given, %llu bytes, is not that of the device, %llu.",
			p->opt->data_name, (unsigned long long)s->unit, (unsigned long long)hints.unit);
	if (hints.width && hints.width != s->width)
		xx_warn(p->ctx, "%s: the stripe width given, %llu bytes, is not that of the device, %llu.",
			p->opt->data_name, (unsigned long long)s->width, (unsigned long long)hints.width);
}

static int data_stripe(struct policy *p)
{
	const struct mkfs_xfs_options *opt = p->opt;
	struct stripe s;
	int error;

	error = given_stripe(p, &s);
	if (error)
		return error;
	/* A stripe of nought is as good as noalign. */
	if (opt->noalign.value || ((opt->dsunit.given || opt->dsu.given) && !s.unit))
		return 0;
	if (s.unit)
		compare_with_device(p, &s);
	else
		s = device_stripe(p);
	p->geo->stripe_unit = (uint32_t)policy_blocks(p, s.unit);
	p->geo->stripe_width = (uint32_t)policy_blocks(p, s.width);
	return 0;
}

static int log_stripe(struct policy *p)
{
	const struct mkfs_xfs_options *opt = p->opt;
	uint32_t block_size = p->geo->block_size;
	uint64_t bytes = 0;

	if (opt->lsunit.given)
		bytes = opt->lsunit.value * XX_SECTOR;
	else if (opt->lsu.given)
		bytes = opt->lsu.value;
	else if (p->geo->log_sector_size > XX_SECTOR)
		bytes = block_size;
	if (bytes % block_size)
		return policy_refuse(p, "-l %s: a stripe unit of %llu bytes must be a multiple of the block size, %u.",
				     opt->lsunit.given ? "sunit" : "su", (unsigned long long)bytes, block_size);
	if (!bytes && p->geo->log_internal)
		bytes = (uint64_t)p->geo->stripe_unit * block_size;
	if (bytes > POLICY_LOG_SUNIT_MAX) {
		xx_warn(p->ctx, "A log stripe unit of %llu bytes is more than the largest, 256 KiB: 32 KiB are used.",
			(unsigned long long)bytes);
		bytes = 32 * XX_KIB;
	}
	/* None if a block is larger than the 32 KiB that stand in for too much. */
	p->log_sunit = policy_blocks(p, bytes);
	p->geo->log_stripe_unit = p->log_sunit ? (uint32_t)(p->log_sunit * block_size) : 1;
	return 0;
}

int policy_stripe(struct policy *p)
{
	int error = data_stripe(p);

	return error ? error : log_stripe(p);
}
