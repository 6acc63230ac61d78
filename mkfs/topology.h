/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What geometry policy has to know about the devices. Filled by what opens them (or by a test, out of nothing);
 * policy itself touches no device.
 */
#ifndef MKFS_TOPOLOGY_H
#define MKFS_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * One volume. All sizes are bytes, as they were found: policy does the rounding and decides what to believe.
 *
 * Block device: the sector and I/O sizes are what libblkid's topology says, 0 what it does not say.
 *
 * Regular file, there or to be created: both sectors are the least direct I/O that the file's host allows when that is
 * an XFS (d_miniosz of XFS_IOC_DIOINFO), else 512; the I/O sizes are 0. A file that will be created or truncated
 * (-d file, -l file, -r file) has size 0: then the size comes from the option.
 */
struct mkfs_volume {
	bool present; /* an external log or a realtime device that was not asked for is not */
	bool is_file;
	uint64_t size;
	uint32_t logical_sector, physical_sector;
	uint64_t min_io, opt_io;
	bool misaligned; /* its sectors do not begin where its physical sectors do (an alignment offset) */
};

struct mkfs_topology {
	struct mkfs_volume data, log, rt;
	uint32_t cpus; /* CPUs of this machine, for concurrency=nr_cpus only; 0: not known */
};

#endif
