/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log_limit.c - the least journal that a kernel mounts.
 *
 * The largest transaction, rolled as often as its log count says, must fit into a third of the journal. What each
 * transaction reserves is computed in log_reservation.c. Sources: kernel, xfs_log_calc_minimum_size,
 * xfs_log_calc_unit_res, xfs_log_get_max_trans_res.
 */
#include <xx/units.h>
#include <xx/xfs_format.h>
#include <xx/xfs_geometry.h>

#include "xfs/log_reservation.h"

#define MIN_LOG_FACTOR 3

/* Bytes of all headers of the largest log record. */
#define RECORD_HEADER_BYTES (XLOG_MAX_RECORD_BSIZE / XLOG_HEADER_CYCLE_SIZE * (uint32_t)XX_SECTOR)

#define OP_HEADER_BYTES	   ((uint64_t)sizeof(struct xlog_op_header))
#define TRANS_HEADER_BYTES 16U

/* What a transaction of @bytes takes in the journal: with operation and record headers, and padding to the unit. */
static uint64_t unit_bytes(const struct xx_xfs_geometry *geo, uint64_t bytes)
{
	const uint64_t space = XLOG_MAX_RECORD_BSIZE - RECORD_HEADER_BYTES;
	uint64_t headers;

	bytes += OP_HEADER_BYTES + TRANS_HEADER_BYTES + OP_HEADER_BYTES;
	headers = xx_div_round_up(bytes, space);
	bytes += OP_HEADER_BYTES * headers;
	while (headers == 0 || xx_div_round_up(bytes, space) > headers) {
		bytes += OP_HEADER_BYTES;
		headers++;
	}
	bytes += (headers + 1) * RECORD_HEADER_BYTES;
	return bytes + 2 * xx_max(geo->log_stripe_unit, XX_SECTOR);
}

/* The reservation with the largest product of bytes and count. */
static struct xx_xfs_reservation largest(const struct xx_xfs_geometry *geo)
{
	struct xx_xfs_reservation all[XX_XFS_RESERVATIONS];
	struct xx_xfs_reservation max = { 0, 0 };
	struct xx_xfs_reservation attr;

	xx_xfs_reservations(geo, all);
	for (int i = 0; i < XX_XFS_RESERVATIONS; i++) {
		if (all[i].bytes * xx_max(all[i].count, 1) > max.bytes * xx_max(max.count, 1))
			max = all[i];
	}
	/* The largest attribute that is logged competes as one roll, and is then counted for all of its rolls. */
	attr = xx_xfs_reservation_attr(geo);
	return attr.bytes > max.bytes * xx_max(max.count, 1) ? attr : max;
}

uint32_t xx_xfs_log_min_blocks(const struct xx_xfs_geometry *geo)
{
	const struct xx_xfs_reservation max = largest(geo);
	const uint64_t sectors = xx_div_round_up(unit_bytes(geo, max.bytes) * xx_max(max.count, 1), XX_SECTOR);
	uint64_t least;

	if (geo->log_stripe_unit > 1) {
		const uint64_t unit = xx_div_round_up(geo->log_stripe_unit, XX_SECTOR);

		least = xx_round_up(sectors, unit) + 2 * unit;
	} else {
		least = sectors + 2 * XX_SECTOR; /* sectors and bytes are mixed up there; the kernel counts on it */
	}
	return (uint32_t)xx_div_round_up(least * MIN_LOG_FACTOR, geo->block_size >> XX_SECTOR_SHIFT);
}

uint64_t xx_xfs_log_transaction_bytes(const struct xx_xfs_geometry *geo)
{
	const struct xx_xfs_reservation max = largest(geo);

	return max.bytes * xx_max(max.count, 1);
}
