/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine.h - the scrub itself: reads everything that a btrfs has written, verifies it, repairs what can be repaired.
 *
 *	scrub_engine_create()	loads the file system from open devices, and plans: nothing is written
 *	scrub_engine_run()	works until it is done, cancelled or cannot go on
 *	scrub_engine_progress(), scrub_engine_counts()	how far it is, from any thread, at any time
 *	scrub_engine_destroy()
 *
 * Create, run and destroy are called by one thread, which owns the engine's ring; all callbacks run in that thread,
 * inside of run. Nothing is printed: messages go to the context, findings to the callbacks.
 *
 * Units. Data and parity are counted in sectors (of the file system), tree blocks and superblocks in blocks. Addresses
 * and lengths are bytes.
 *
 * Consistent points. A finding, its file names and its counts belong to a piece of work that is *retired* as a whole:
 * what was found is told, then it is added to the counts and to the list of what is done. The checkpoint callback runs
 * between two such pieces. What it can see is consistent: saved, and handed to the next run, nothing is counted twice and
 * nothing is left out.
 */
#ifndef SCRUB_ENGINE_H
#define SCRUB_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/btrfs_super.h>
#include <xx/btrfs_volume.h>
#include <xx/compiler.h>
#include <xx/ring.h>

struct xx_ctx;
struct xx_device;
struct xx_pool;

struct scrub_engine;

/* --- What can be found --- */

/* One bad sector or block is of one kind, and counts as one. */
enum scrub_kind {
	SCRUB_DATA, /* a data sector whose checksum is wrong */
	SCRUB_TREE, /* a tree block: checksum, address, generation, owner, level, keys, ... */
	SCRUB_SUPER, /* a copy of the superblock */
	SCRUB_PARITY, /* a sector of P or Q that the (good) data do not give */
	SCRUB_UNSUMMED_MISMATCH, /* copies of a sector without a checksum differ, or its row and parity do */
	SCRUB_MISSING_SUM, /* a sector that should have a checksum has none; counted once, not for each copy */
	SCRUB_READ, /* could not be read */
	SCRUB_PROTECTION, /* could not be read: the device's own checksum is wrong (EILSEQ) */
	SCRUB_EXTRA_SUM, /* a checksum of a sector that belongs to nothing; counted once */
	SCRUB_KINDS
};

/* "data", "tree", "super", "parity", "unsummed_mismatch", "missing_sum", "read", "protection", "extra_sum". */
const char *scrub_kind_name(enum scrub_kind kind);

enum scrub_state {
	SCRUB_CORRECTED, /* right contents were written, and read back */
	SCRUB_REPAIRABLE, /* right contents are known and not on the medium: read-only, a seed, or the write failed */
	SCRUB_LOST, /* nothing has the right contents, or nobody can tell which ones are right */
	SCRUB_STATES
};

/* "corrected", "repairable", "lost". */
const char *scrub_state_name(enum scrub_state state);

/* --- Counts --- */

struct scrub_counts {
	uint64_t found[SCRUB_KINDS]; /* sum = corrected + repairable + uncorrectable */
	uint64_t corrected, repairable;
	uint64_t uncorrectable; /* SCRUB_LOST */
	/*
	 * What was to be verified and could not be: on a device that is missing or failed, under a dead block of the
	 * extent or the checksum tree. "No errors" may be said only when this is 0.
	 */
	uint64_t unverified_bytes;
	uint64_t write_errors; /* writes of repairs, or reads back, that failed or gave other bytes; those are repairable */

	/* What was read and verified, or had nothing to verify against. */
	uint64_t data_bytes, tree_bytes, parity_bytes, super_bytes;
	uint64_t data_extents, tree_blocks; /* tree blocks: each copy; extents: as far as they begin in a piece */
	uint64_t unsummed_sectors; /* of data, each copy: written, without a checksum, rightly so */
};

/* The sum of what was found. */
uint64_t scrub_counts_found(const struct scrub_counts *counts);

/* --- Callbacks --- */

/* Something bad. Memory is valid during the call only. */
struct scrub_finding {
	enum scrub_kind kind;
	enum scrub_state state;
	/* NULL for checksums that belong to nothing; else the member, also one without a device. */
	const struct xx_btrfs_member *member;
	uint64_t physical; /* on that device */
	uint64_t logical; /* of parity: the first byte of its row's data, at the same place of the element; 0 for super */
	uint64_t length; /* bytes; a sector, or a block. Checksums that belong to nothing: many sectors together */
	unsigned copy; /* of a superblock, of data and trees */
	bool q; /* parity: it is Q, not P */
	uint64_t tree; /* SCRUB_TREE: a tree that refers to it; 0: not known */
	int level; /* of a tree block; -1: not known, or none */
	bool is_tree; /* a tree block, with SCRUB_READ and SCRUB_PROTECTION too */
	int error; /* of the read, or of a failed write of the repair: negative errno; 0: none */
	const char *text; /* what is wrong, for people: "its generation is 7, but 9 was expected"; never NULL */
};

/* A part of a file that is damaged; once for each path, in each subvolume and snapshot. */
struct scrub_file {
	const char *subvolume; /* path from the top of the file system, "" for the top; "<tree ID>" when it has none */
	const char *path; /* in the subvolume, without a slash in front; NULL: no name could be told */
	uint64_t subvolume_id, inode;
	uint64_t offset, length; /* bytes of the file */
	enum scrub_kind kind;
	enum scrub_state state; /* lost when no copy has the right contents */
	uint64_t logical;
};

/* What could not be verified. */
struct scrub_unverified {
	const struct xx_btrfs_member *member; /* NULL: on all devices, @bytes together */
	uint64_t logical, length; /* the range of addresses; length 0: no range, all that is left of the device */
	uint64_t bytes; /* as they were added to the counts */
	const char *text; /* why, for people: "a block of the extent tree is dead", "the device is missing" */
};

/*
 * What is about to be repaired. A repair that was written and not counted yet when the process dies will not be found bad
 * again: whoever wants to count it still notes it before, durably, and hands all notes to the next run. Such a sector that
 * is good then, and was not done according to the position, is found and corrected.
 */
struct scrub_intent {
	uint64_t devid, physical, length; /* bytes; a sector, or a block */
	enum scrub_kind kind;
	bool is_tree;
};

struct scrub_callbacks {
	void (*finding)(void *private, const struct scrub_finding *finding);
	void (*file)(void *private, const struct scrub_file *file);
	void (*unverified)(void *private, const struct scrub_unverified *range);
	/* These are written when this has returned. */
	void (*intents)(void *private, const struct scrub_intent *intents, size_t count);
	/* A consistent point: see above. Called at most every checkpoint_ms, and once at the end of each run. */
	void (*checkpoint)(void *private, struct scrub_engine *engine);
	void *private;
};

/* --- Options --- */

/* Logical addresses [start, start + length): done. */
struct scrub_range {
	uint64_t start, length; /* bytes */
};

/* Where a run was: with the counts of each device, all that a state file needs. */
struct scrub_position {
	uint64_t generation; /* of the file system then */
	bool supers; /* superblocks are done */
	bool sums; /* the search for checksums outside of all chunks is done */
	const struct scrub_range *ranges; /* ascending, not touching */
	size_t range_count;
};

/* Counts of one device, for a resume. */
struct scrub_device_counts {
	uint64_t devid; /* 0: what belongs to no device */
	struct scrub_counts counts;
};

struct scrub_options {
	bool read_only; /* not a byte is written, whatever the devices were opened for */
	bool skip_data, skip_metadata; /* --metadata-only, --data-only; superblocks are metadata */
	uint64_t limit; /* bytes each second from each device; 0: none. See scrub_engine_set_limit() */
	size_t memory; /* bytes for the window, the trees and all else; 0: SCRUB_MEMORY; at least SCRUB_MEMORY_MIN */
	struct xx_ring_options ring; /* engine and depth */
	struct xx_pool *pool; /* for verification; NULL: one of its own */
	uint64_t checkpoint_ms; /* 0: SCRUB_CHECKPOINT_MS */
	struct scrub_callbacks callbacks; /* each may be NULL */

	/* To resume; copied. Counts of devids that are gone are kept in the total. */
	const struct scrub_position *position; /* NULL: from the beginning */
	const struct scrub_device_counts *counts;
	size_t counts_count;
	const struct scrub_intent *intents; /* in any order */
	size_t intent_count;
};

#define SCRUB_MEMORY	    ((size_t)256 << 20)
#define SCRUB_MEMORY_MIN    ((size_t)16 << 20)
#define SCRUB_CHECKPOINT_MS UINT64_C(1000)

/* --- Life --- */

/*
 * Load the file system of @count open devices, which stay the caller's and open until destroy. Without .read_only they
 * have to be open for writing, but for seeds (-EBADF with a message). Missing members are warned of, and make a degraded
 * run. All failures make a message: those of xx_btrfs_volume_create() and _settle(), -EUCLEAN (no way to the chunk tree
 * or the tree of roots), -EOPNOTSUPP, -EINVAL (memory too small), -ENOMEM, or an error of the ring or a read.
 */
int scrub_engine_create(struct xx_ctx *ctx, struct xx_device *const *devices, size_t count,
			const struct scrub_options *options, struct scrub_engine **out) XX_MUST_CHECK;

/* NULL too. */
void scrub_engine_destroy(struct scrub_engine *engine);

/* The superblock that is believed, and the members: valid until destroy. */
const struct xx_btrfs_super *scrub_engine_super(const struct scrub_engine *engine);
const struct xx_btrfs_volume *scrub_engine_volume(const struct scrub_engine *engine);

/* The file system has another generation than the position that was handed in. */
bool scrub_engine_changed(const struct scrub_engine *engine);

/* An image restored by btrfs-image, without data: only metadata is verified. */
bool scrub_engine_is_metadump(const struct scrub_engine *engine);

/*
 * Scrub. 0: all that was planned is done, whatever was found; -ECANCELED: cancelled, the position says how far;
 * -EIO: no device is left that can be read; -ENOMEM, or an error of the ring, with a message. In all cases nothing is in
 * flight any more, what was written was made durable, and the last checkpoint was told.
 */
int scrub_engine_run(struct scrub_engine *engine) XX_MUST_CHECK;

/* --- From any thread --- */

/* End soon: what is in flight is finished. Also from a signal handler, and before run. */
void scrub_engine_cancel(struct scrub_engine *engine);

/* Another limit, bytes each second from each device; 0: none. Also from a signal handler. */
void scrub_engine_set_limit(struct scrub_engine *engine, uint64_t bytes_per_second);
uint64_t scrub_engine_limit(const struct scrub_engine *engine);

struct scrub_progress {
	/*
	 * Bytes that were dealt with, of those that are to be read from the devices at hand: exact, from the plan. Done
	 * never exceeds total, and equals it at the end. What lies on missing devices is in neither; what cannot be read
	 * from a device that fails is counted as done, and as unverified.
	 */
	uint64_t bytes_done, bytes_total;
	uint64_t bytes_run; /* done by this run: for the rate */
	uint64_t elapsed_ns; /* of this run */
};

void scrub_engine_progress(struct scrub_engine *engine, struct scrub_progress *out);

/* In all. */
void scrub_engine_counts(struct scrub_engine *engine, struct scrub_counts *out);

/* One device. The index is that of its member in the volume; -EINVAL: there is none. */
struct scrub_device_state {
	const struct xx_btrfs_member *member;
	uint64_t bytes_done, bytes_total; /* 0 of 0 for a missing one */
	uint64_t last_physical; /* the highest address up to which all was dealt with, as far as one number can say */
	bool failed; /* it failed in this run; the rest of it is unverified */
	struct scrub_counts counts;
};

int scrub_engine_device(struct scrub_engine *engine, size_t index, struct scrub_device_state *out) XX_MUST_CHECK;

/* --- At a consistent point: in the checkpoint callback, or when no run is under way --- */

/* The ranges are valid until the callback returns, or the engine is run again or destroyed. 0 or -ENOMEM. */
int scrub_engine_position(struct scrub_engine *engine, struct scrub_position *out) XX_MUST_CHECK;

/* What belongs to no device, devid 0 in scrub_device_counts: also save this. */
void scrub_engine_counts_nowhere(struct scrub_engine *engine, struct scrub_counts *out);

#endif
