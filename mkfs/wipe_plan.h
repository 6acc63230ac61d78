/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which old secondary superblocks are wiped, in which order, and which are left when time runs out.
 *
 * A repair that has lost the primary superblock looks for secondaries, and would find those of a file system that was
 * here before. So every one that the new file system does not write over is wiped, as long as that takes no more than
 * MKFS_WIPE_SECONDS. What is worth most comes first and is wiped whatever the time: the middle and the end of the old
 * file system, where a repair's quick search looks, and what lies near the new one (up to MKFS_WIPE_NEAR times its
 * size, where it may grow to). Each part has its own limit, so that these together are at most 12,000 small writes.
 *
 * The time is a budget, not a count, since devices differ by a factor of 1,000. How it was chosen is in HACKING.md.
 */
#ifndef MKFS_WIPE_PLAN_H
#define MKFS_WIPE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include <xx/xfs_old.h>

#define MKFS_WIPE_SECONDS   5
#define MKFS_WIPE_NEAR	    10
#define MKFS_WIPE_NEAR_MOST 10000 /* groups */
#define MKFS_WIPE_MIDDLE    1000
#define MKFS_WIPE_END	    1000

/* What the new file system writes over anyway: the headers of its groups. And what else it fills: the log. */
struct mkfs_wipe_new {
	uint64_t size; /* bytes of the data section */
	uint64_t group_bytes; /* from group to group */
	uint64_t header_bytes; /* that are written at the beginning of each */
	uint64_t log_start, log_end; /* an internal log; log_end is its end. Both 0: none */
};

/* Groups first to last - 1. */
struct mkfs_wipe_range {
	uint64_t first, last;
};

#define MKFS_WIPE_MUST_RANGES 3 /* near, middle, end */
#define MKFS_WIPE_RANGES      (2 * MKFS_WIPE_MUST_RANGES) /* and what lies behind each */

/*
 * A plan and how far it got. The ranges follow each other without overlap and hold groups 1 to count - 1 together;
 * those that must be wiped come first.
 */
struct mkfs_wipe_plan {
	struct xx_xfs_old old;
	struct mkfs_wipe_new new;
	uint32_t unit; /* bytes of each write, its alignment too */
	struct mkfs_wipe_range range[MKFS_WIPE_RANGES];
	unsigned ranges, must; /* in use; of these the first `must` are wiped whatever the time */
	unsigned current;
	uint64_t next; /* the group to look at */
	bool stopped; /* time ran out */
};

/* @unit: the device's logical sector. */
void mkfs_wipe_plan_make(struct mkfs_wipe_plan *plan, const struct xx_xfs_old *old, const struct mkfs_wipe_new *new,
			 uint32_t unit);

/*
 * The next place to wipe: its byte offset in @offset. False at the end. With @late the time is over: only what must
 * be wiped is still given out.
 */
bool mkfs_wipe_plan_next(struct mkfs_wipe_plan *plan, bool late, uint64_t *offset);

/* How many old groups were left out because of the time (some of which the new file system may have written over). */
uint64_t mkfs_wipe_plan_left(const struct mkfs_wipe_plan *plan);

/* The first range of groups that was left out whose index is not below *@index, which moves on. False: no more. */
bool mkfs_wipe_plan_left_range(const struct mkfs_wipe_plan *plan, unsigned *index, struct mkfs_wipe_range *range);

#endif
