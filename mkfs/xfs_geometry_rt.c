/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Geometry policy: the realtime section.
 * Facts: mkfs/xfs_mkfs.c:validate_rtextsize, validate_rtdev.
 */
#include "mkfs/xfs_policy.h"

/* A striped device makes its stripe width the extent, when that can be one. */
static uint64_t default_extent_bytes(const struct policy *p)
{
	const struct mkfs_xfs_options *opt = p->opt;
	const struct mkfs_volume *rt = &p->topo->rt;
	uint64_t least = xx_max(p->geo->block_size, POLICY_RT_EXTENT_MIN);
	uint64_t width;

	if (opt->rt_noalign.value || !rt->present || rt->is_file || (!opt->rt_size.given && p->topo->data.is_file))
		return least;
	width = policy_io_hints(rt).width;
	if (width % p->geo->block_size || width <= POLICY_RT_EXTENT_MIN || width > POLICY_RT_EXTENT_MAX)
		return least;
	return width;
}

int policy_rt_extent_size(struct policy *p)
{
	const struct tool_num *given = &p->opt->rt_extent_size;
	uint64_t bytes = given->given ? given->value : default_extent_bytes(p);

	if (bytes < POLICY_RT_EXTENT_MIN || bytes > POLICY_RT_EXTENT_MAX || bytes % p->geo->block_size)
		return policy_refuse(
			p,
			"-r extsize=%llu: a realtime extent must have from %u to %llu bytes, a multiple of the "
			"block size, %u.",
			(unsigned long long)bytes, POLICY_RT_EXTENT_MIN, (unsigned long long)POLICY_RT_EXTENT_MAX,
			p->geo->block_size);
	p->geo->rt_extent_size = (uint32_t)policy_blocks(p, bytes);
	return 0;
}

/* The length of the section in blocks. */
static int section(struct policy *p, uint64_t *blocks)
{
	const struct mkfs_volume *rt = &p->topo->rt;
	const struct tool_num *given = &p->opt->rt_size;
	const char *path = p->opt->rt_name;
	uint64_t found = policy_volume_blocks(p, rt, p->geo->sector_size);
	int error;

	error = policy_size_option(p, given, "-r size", blocks);
	if (error)
		return error;
	if (!rt->size && !(rt->is_file && given->given))
		return policy_refuse(p, "%s: the realtime device has size 0.", path);
	if (!rt->is_file && rt->logical_sector > p->geo->sector_size)
		return policy_refuse(p,
				     "-s size=%u: the sector cannot be smaller than that of the realtime device %s, "
				     "which has %u bytes.",
				     p->geo->sector_size, path, rt->logical_sector);
	if (!given->given) {
		*blocks = found;
		return 0;
	}
	return rt->size ? policy_volume_fits(p, "-r size", path, *blocks, found) : 0;
}

int policy_rt_volume(struct policy *p)
{
	uint64_t blocks, extents, bitmap;
	int error;

	if (!p->opt->rt_name) {
		if (p->opt->rt_size.given)
			return policy_refuse(p, "-r size: there is no realtime device; name it with -r rtdev=.");
		return 0;
	}
	if (p->topo->rt.misaligned && !p->opt->force)
		return policy_refuse(p, "%s: the device is not properly aligned; -f uses it all the same.",
				     p->opt->rt_name);
	error = section(p, &blocks);
	if (error)
		return error;
	extents = blocks / p->geo->rt_extent_size;
	if (!extents)
		return policy_refuse(p,
				     "%s: %llu blocks are less than one realtime extent, which has %u (-r extsize=).",
				     p->opt->rt_name, (unsigned long long)blocks, p->geo->rt_extent_size);
	bitmap = xx_div_round_up(extents, (uint64_t)p->geo->block_size * 8);
	if (bitmap > UINT32_MAX)
		return policy_refuse(
			p, "%s: %llu realtime extents are too many to map, larger ones are needed (-r extsize=).",
			p->opt->rt_name, (unsigned long long)extents);
	p->geo->rt_blocks = blocks;
	p->geo->rt_extents = extents;
	p->geo->rt_bitmap_blocks = (uint32_t)bitmap;
	return 0;
}
