/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log_reservation.h - how much of the journal each kind of transaction reserves.
 */
#ifndef XFS_LOG_RESERVATION_H
#define XFS_LOG_RESERVATION_H

#include <stdint.h>

#include <xx/xfs_geometry.h>

struct xx_xfs_reservation {
	uint64_t bytes; /* for one roll of the transaction */
	uint64_t count; /* rolls; 0 counts as 1 */
};

/* Those that can be the largest. */
#define XX_XFS_RESERVATIONS 20

void xx_xfs_reservations(const struct xx_xfs_geometry *geo, struct xx_xfs_reservation out[XX_XFS_RESERVATIONS]);

/* Setting the largest extended attribute that is logged. */
struct xx_xfs_reservation xx_xfs_reservation_attr(const struct xx_xfs_geometry *geo);

#endif
