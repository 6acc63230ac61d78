/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Geometry policy: how large the data section and an external log are.
 * Facts: mkfs/xfs_mkfs.c:calc_dev_size, open_devices, validate_datadev, validate_logdev.
 */
#include "mkfs/xfs_policy.h"

int policy_size_option(struct policy *p, const struct tool_num *num, const char *name, uint64_t *blocks)
{
	*blocks = 0;
	if (!num->given)
		return 0;
	if (num->value % XX_SECTOR)
		return policy_refuse(p, "%s=%llu: the size must be a multiple of %llu bytes.", name,
				     (unsigned long long)num->value, (unsigned long long)XX_SECTOR);
	*blocks = policy_blocks(p, num->value);
	if (num->value % p->geo->block_size)
		xx_warn(p->ctx, "%s=%llu is not a multiple of the block size: %llu bytes are used.", name,
			(unsigned long long)num->value, (unsigned long long)(*blocks * p->geo->block_size));
	return 0;
}

/* Linux knows the size of a device in KiB only, and what is behind the last whole sector cannot be written. */
uint64_t policy_volume_blocks(const struct policy *p, const struct mkfs_volume *volume, uint32_t sector_size)
{
	return policy_blocks(p, xx_round_down(volume->size, xx_max(sector_size, XX_KIB)));
}

int policy_volume_fits(struct policy *p, const char *name, const char *path, uint64_t blocks, uint64_t max)
{
	if (blocks <= max)
		return 0;
	return policy_refuse(p, "%s: %llu blocks of %u bytes are more than %s has: at most %llu.", name,
			     (unsigned long long)blocks, p->geo->block_size, path, (unsigned long long)max);
}

int policy_data_volume(struct policy *p)
{
	const struct mkfs_volume *data = &p->topo->data;
	const char *path = p->opt->data_name;
	uint64_t found = policy_volume_blocks(p, data, p->geo->sector_size);
	uint64_t min = policy_ag_min(p);
	uint64_t blocks;
	int error;

	error = policy_size_option(p, &p->opt->data_size, "-d size", &blocks);
	if (error)
		return error;
	if (!data->size && !data->is_file)
		return policy_refuse(p, "%s: the device has size 0.", path);
	if (!data->size && !p->opt->data_size.given)
		return policy_refuse(p, "%s: the file is empty; its size must be given with -d size=.", path);
	if (data->size && p->opt->data_size.given) {
		error = policy_volume_fits(p, "-d size", path, blocks, found);
		if (error)
			return error;
	}
	if (!p->opt->data_size.given)
		blocks = found;
	if (blocks < min)
		return policy_refuse(
			p, "%s: %llu blocks of %u bytes are too small for a file system: at least %llu are needed.",
			path, (unsigned long long)blocks, p->geo->block_size, (unsigned long long)min);
	p->geo->data_blocks = blocks;
	return 0;
}

static int external_log(struct policy *p)
{
	const struct mkfs_volume *log = &p->topo->log;
	const char *path = p->opt->log_name;
	uint64_t found = policy_volume_blocks(p, log, p->geo->log_sector_size);

	if (!path || !log->present)
		return policy_refuse(p, "-l internal=0: an external log needs its device, -l logdev=.");
	if (!log->size && !(log->is_file && p->log_blocks))
		return policy_refuse(p, "%s: the device of the log has size 0.", path);
	if (!log->is_file && log->logical_sector > p->geo->log_sector_size)
		return policy_refuse(
			p,
			"-l sectsize=%u: the sector of the log cannot be smaller than that of %s, which has "
			"%u bytes.",
			p->geo->log_sector_size, path, log->logical_sector);
	if (!p->log_blocks)
		p->log_blocks = found;
	else if (log->size)
		return policy_volume_fits(p, "-l size", path, p->log_blocks, found);
	return 0;
}

int policy_log_volume(struct policy *p)
{
	int error;

	error = policy_size_option(p, &p->opt->log_size, "-l size", &p->log_blocks);
	if (error)
		return error;
	if (!p->geo->log_internal)
		return external_log(p);
	if (p->opt->log_name)
		return policy_refuse(p, "-l internal=1: there cannot be an external log, %s, as well.",
				     p->opt->log_name);
	if (p->log_blocks >= p->geo->data_blocks)
		return policy_refuse(
			p,
			"-l size: %llu blocks of %u bytes are too large for an internal log: the file system has "
			"%llu.",
			(unsigned long long)p->log_blocks, p->geo->block_size, (unsigned long long)p->geo->data_blocks);
	return 0;
}
