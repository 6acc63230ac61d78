/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into mkfs.xx and mkfs.xfs by topology.sh: libblkid answers what the environment says, so that a loop device
 * is a RAID, a disk with large sectors or a misaligned partition. A variable that is not set answers 0.
 */
#include <blkid.h>
#include <stdlib.h>

static unsigned long answer(const char *name)
{
	const char *value = getenv(name);

	return value ? strtoul(value, NULL, 0) : 0;
}

unsigned long blkid_topology_get_alignment_offset(blkid_topology tp)
{
	(void)tp;
	return answer("SHIM_ALIGNMENT");
}

unsigned long blkid_topology_get_minimum_io_size(blkid_topology tp)
{
	(void)tp;
	return answer("SHIM_MIN_IO");
}

unsigned long blkid_topology_get_optimal_io_size(blkid_topology tp)
{
	(void)tp;
	return answer("SHIM_OPT_IO");
}

unsigned long blkid_topology_get_logical_sector_size(blkid_topology tp)
{
	(void)tp;
	return answer("SHIM_LOGICAL");
}

unsigned long blkid_topology_get_physical_sector_size(blkid_topology tp)
{
	(void)tp;
	return answer("SHIM_PHYSICAL");
}
