/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_old.h - the former XFS of a device, read from its superblock so that its secondary superblocks can be wiped.
 *
 * The superblock is untrusted input: whatever it says, the answer names places on the device only, and never more
 * of them than the device holds groups of the least size.
 */
#ifndef XX_XFS_OLD_H
#define XX_XFS_OLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/compiler.h>

/* Bytes that xx_xfs_old_parse() looks at, at most: the largest sector. Less will do if the sector is smaller. */
#define XX_XFS_OLD_BYTES 32768

struct xx_xfs_old {
	uint64_t ag_bytes; /* distance of the superblocks */
	uint64_t ag_count; /* of the superblocks that lie wholly on the device, the primary with them; at least 1 */
	uint64_t ag_count_said; /* as the superblock tells */
	uint32_t sector_size; /* bytes; each superblock takes one */
	uint8_t uuid[16];
	bool crc_valid; /* version 5, and its checksum is right; the geometry is told also when not */
};

/*
 * @buf: the start of the device, @len bytes; @device_bytes: its size.
 * 0; -ENODATA: no XFS superblock; -EUCLEAN: one whose sizes are nonsense.
 */
XX_API XX_MUST_CHECK int xx_xfs_old_parse(const void *buf, size_t len, uint64_t device_bytes, struct xx_xfs_old *out);

#endif
