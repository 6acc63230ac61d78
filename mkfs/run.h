/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - the making of one file system: the devices, the ring, and what all steps share.
 *
 * A test makes one over devices in memory; main.c over what the user named.
 */
#ifndef MKFS_RUN_H
#define MKFS_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <xx/progress.h>
#include <xx/xfs_geometry.h>

#include "mkfs/probe.h"

struct xx_ctx;
struct xx_device;
struct xx_random;
struct xx_ring;
struct xx_xfs_new;

/* A device or file that becomes a part of the file system. */
struct mkfs_target {
	const char *name; /* as the user gave it */
	struct xx_device *dev; /* NULL: there is none */
	struct mkfs_probe probe; /* what was there */
	bool fresh; /* a file that was made or truncated just now: all of it reads as zeros */
	bool dirty; /* written to since the last flush */
};

enum mkfs_target_index {
	MKFS_DATA,
	MKFS_LOG,
	MKFS_RT,
	MKFS_TARGETS
};

struct mkfs_run {
	struct xx_ctx *ctx;
	struct xx_ring *ring;
	const struct xx_xfs_geometry *geo;
	struct mkfs_target target[MKFS_TARGETS];
	bool discard;
	bool touched; /* something was or may have been written */
	bool cleared; /* the old signatures are gone for good, or there were none */
	/* Times and generation numbers of the inodes that are made. */
	struct timespec now;
	struct xx_random *random;
	/* Draws progress; NULL: nobody looks. */
	xx_progress_draw_fn draw;
	uint64_t draw_delay_ms, draw_interval_ms;
	/* A device is being discarded (true), or that has ended. For what mkfs.xfs prints; NULL: nobody looks. */
	void (*discarding)(bool begun);
	/* Not 0: stop here. NULL: nobody asks. */
	int (*stopped)(void);
	void *zeros; /* MKFS_END_BYTES of them, made by mkfs_run_zeros() */
};

/* -EINTR when the user wants it to stop, else 0. */
int mkfs_run_check(const struct mkfs_run *run) __attribute__((warn_unused_result));

/* MKFS_END_BYTES of zeros, aligned for any device; NULL: no memory, with a message. */
void *mkfs_run_zeros(struct mkfs_run *run);

/* The least piece that may be written: a power of two, 512 or more. */
uint32_t mkfs_target_unit(const struct mkfs_target *target);

/* Makes what was written to all devices durable. 0 or a negative errno with a message. */
int mkfs_run_flush(struct mkfs_run *run) __attribute__((warn_unused_result));

/* What a failure means for what is on the devices: a sentence for the end of its message. */
const char *mkfs_run_outcome(const struct mkfs_run *run);

/* Says that writing failed, unless @err is -EINTR; @what is "superblock" or the like. Returns @err. */
int mkfs_run_failed(const struct mkfs_run *run, const struct mkfs_target *target, const char *what, uint64_t offset,
		    int err);

/* A meter for one step, drawn when the run draws; NULL when it does not, or no memory. */
struct xx_progress *mkfs_run_progress(const struct mkfs_run *run, const char *what, uint64_t total, bool items);

/* Frees what the run owns: closes nothing. */
void mkfs_run_release(struct mkfs_run *run);

/* --- the steps, in order: each 0 or a negative errno with a message (none for -EINTR) --- */

/* write.c: all of it. */
int mkfs_write(struct mkfs_run *run) __attribute__((warn_unused_result));

/* signatures.c: zeroes every place where an old signature is or may be. */
int mkfs_zero_signatures(struct mkfs_run *run) __attribute__((warn_unused_result));

/* discard.c: discards a device but for its ends. Not being able to is no error. */
int mkfs_discard(struct mkfs_run *run, struct mkfs_target *target) __attribute__((warn_unused_result));

/* zero_log.c: zeroes where the log will be. */
int mkfs_zero_log(struct mkfs_run *run) __attribute__((warn_unused_result));

/* wipe.c: zeroes the secondary superblocks of a former XFS. */
int mkfs_wipe(struct mkfs_run *run) __attribute__((warn_unused_result));

/* groups.c: writes all groups, the first one without the primary superblock, and what else the data section holds. */
int mkfs_write_groups(struct mkfs_run *run, const struct xx_xfs_new *fs) __attribute__((warn_unused_result));

#endif
