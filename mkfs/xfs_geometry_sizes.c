/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Geometry policy: block, sector, log sector, directory block and inode sizes.
 * Facts: mkfs/xfs_mkfs.c:validate_blocksize, validate_sectorsize, validate_log_sectorsize, validate_dirblocksize,
 * validate_inodesize; libxfs/topology.c:blkid_get_topology.
 */
#include "mkfs/xfs_policy.h"

int policy_block_size(struct policy *p)
{
	uint64_t size = policy_num(&p->opt->block_size, POLICY_BLOCK_DEFAULT);

	if (size < POLICY_BLOCK_MIN || size > POLICY_BLOCK_MAX || !xx_is_pow2(size))
		return policy_refuse(p, "-b size=%llu: the block size must be a power of two from %u to %u.",
				     (unsigned long long)size, POLICY_BLOCK_MIN, POLICY_BLOCK_MAX);
	p->geo->block_size = (uint32_t)size;
	return 0;
}

/* The sectors of the data device, as far as they can be believed. */
struct sectors {
	uint32_t logical, physical;
};

static int device_sectors(struct policy *p, struct sectors *out)
{
	const struct mkfs_volume *data = &p->topo->data;

	out->logical = data->logical_sector ? data->logical_sector : POLICY_SECTOR_MIN;
	out->physical = data->physical_sector;
	if (data->misaligned) {
		if (!p->opt->force)
			return policy_refuse(p, "%s: the device is not properly aligned; -f uses it all the same.",
					     p->opt->data_name);
		xx_warn(p->ctx, "%s: the device is not properly aligned.", p->opt->data_name);
		out->physical = out->logical;
	}
	/* A RAM disk can report a page as its physical sector, and a page can be larger than any sector here. */
	if (!out->physical || out->physical > POLICY_SECTOR_MAX)
		out->physical = out->logical;
	return 0;
}

static uint32_t default_sector_size(struct policy *p, const struct sectors *sectors)
{
	uint32_t block_size = p->geo->block_size;

	if (block_size >= sectors->physical || block_size < sectors->logical)
		return sectors->physical;
	xx_warn(p->ctx,
		"%s: blocks of %u bytes are smaller than the physical sector of %u bytes: sectors of %u bytes are used.",
		p->opt->data_name, block_size, sectors->physical, sectors->logical);
	return sectors->logical;
}

int policy_sector_size(struct policy *p)
{
	const struct tool_num *given = &p->opt->sector_size;
	struct sectors sectors;
	uint64_t size;
	int error;

	error = device_sectors(p, &sectors);
	if (error)
		return error;
	size = given->given ? given->value : default_sector_size(p, &sectors);
	if (size < POLICY_SECTOR_MIN || size > POLICY_SECTOR_MAX || !xx_is_pow2(size))
		return policy_refuse(p, "-s size=%llu: the sector size must be a power of two from %u to %u.",
				     (unsigned long long)size, POLICY_SECTOR_MIN, POLICY_SECTOR_MAX);
	if (size > p->geo->block_size)
		return policy_refuse(p, "-b size=%u: a block cannot be smaller than the sector, which has %llu bytes.",
				     p->geo->block_size, (unsigned long long)size);
	if (size < sectors.logical)
		return policy_refuse(p,
				     "-s size=%llu: the sector cannot be smaller than that of %s, which has %u bytes.",
				     (unsigned long long)size, p->opt->data_name, sectors.logical);
	p->geo->sector_size = (uint32_t)size;
	return mkfs_xfs_options_set_sector(p->ctx, p->opt, p->geo->sector_size);
}

int policy_log_sector_size(struct policy *p)
{
	const struct tool_num *given = &p->opt->log_sector_size;
	bool internal = policy_num(&p->opt->log_internal, 1) != 0;
	uint64_t size = internal ? p->geo->sector_size : POLICY_SECTOR_MIN;

	if (given->given && internal && given->value != p->geo->sector_size)
		return policy_refuse(p,
				     "-l sectsize=%llu: an internal log has the sectors of the data section, %u bytes.",
				     (unsigned long long)given->value, p->geo->sector_size);
	if (given->given)
		size = given->value;
	if (size < POLICY_SECTOR_MIN || size > POLICY_SECTOR_MAX || size > p->geo->block_size || !xx_is_pow2(size))
		return policy_refuse(
			p, "-l sectsize=%llu: the sector size of the log must be a power of two from %u to %llu.",
			(unsigned long long)size, POLICY_SECTOR_MIN,
			(unsigned long long)xx_min(POLICY_SECTOR_MAX, p->geo->block_size));
	p->geo->log_internal = internal;
	p->geo->log_sector_size = (uint32_t)size;
	return 0;
}

int policy_dir_block_size(struct policy *p)
{
	uint64_t size = policy_num(&p->opt->dir_block_size, xx_max(p->geo->block_size, POLICY_DIR_BLOCK_MIN));

	if (size < p->geo->block_size || size < POLICY_DIR_BLOCK_MIN || size > POLICY_BLOCK_MAX || !xx_is_pow2(size))
		return policy_refuse(p,
				     "-n size=%llu: a directory block must have a power of two from %llu to %u bytes.",
				     (unsigned long long)size,
				     (unsigned long long)xx_max(p->geo->block_size, POLICY_DIR_BLOCK_MIN),
				     POLICY_BLOCK_MAX);
	p->geo->dir_block_size = (uint32_t)size;
	return 0;
}

int policy_inode_size(struct policy *p)
{
	const struct mkfs_xfs_options *opt = p->opt;
	uint64_t max = xx_min(p->geo->block_size / 2, POLICY_INODE_MAX);
	uint64_t size = policy_num(&opt->inode_size, POLICY_INODE_MIN);

	if (opt->inode_perblock.given && opt->inode_perblock.value)
		size = p->geo->block_size / opt->inode_perblock.value;
	if (size < POLICY_INODE_MIN || size > max || !xx_is_pow2(size))
		return policy_refuse(
			p,
			"-i %s=%llu: with blocks of %u bytes an inode must have a power of two from %u to %llu "
			"bytes.",
			opt->inode_perblock.given ? "perblock" : "size",
			(unsigned long long)(opt->inode_perblock.given ? opt->inode_perblock.value : size),
			p->geo->block_size, POLICY_INODE_MIN, (unsigned long long)max);
	p->geo->inode_size = (uint32_t)size;
	return 0;
}
