/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine_impl.h - what the files of the engine share.
 *
 * A *group* is a piece of a chunk: the same range of offsets in each of its stripes (device extents). A *lane* is what a
 * group has of one stripe, a *cell* one sector of a lane; cell i of all lanes lies at the same offset of its stripe, so
 * that copies of a sector, and the sectors of a row of RAID5 and RAID6, have the same number. The logical addresses of a
 * group are one range, too: its *sectors*.
 *
 * The life of a group, all but `verify` in the owner's thread:
 *
 *	plan.c		which sectors hold what, which cells are to be read
 *	sums.c		their checksums, in one search
 *	window.c	memory, reads; what cannot be read is tried again in pieces
 *	verify.c	(a worker) sums and tree blocks; mirror.c, parity.c: what the right contents are
 *	repair.c	written, made durable, read back
 *	account.c	counted; the only place that does
 *	schedule.c	chooses the next one: run.c keeps all that going
 */
#ifndef SCRUB_ENGINE_IMPL_H
#define SCRUB_ENGINE_IMPL_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include <xx/btrfs_block.h>
#include <xx/btrfs_chunk.h>
#include <xx/btrfs_extent.h>
#include <xx/btrfs_fs.h>
#include <xx/btrfs_path.h>
#include <xx/btrfs_ref.h>
#include <xx/btrfs_sum.h>
#include <xx/extent_map.h>
#include <xx/pool.h>
#include <xx/ring.h>

#include "scrub/engine.h"

/* What a sector holds. */
enum scrub_what {
	WHAT_NONE, /* nothing that is allocated, or asked for */
	WHAT_DATA, /* data, before the sums were looked up */
	WHAT_SUM, /* data with a checksum */
	WHAT_NOSUM, /* data that rightly has none */
	WHAT_MISSING, /* data that should have one, and has none */
	WHAT_UNWRITTEN, /* allocated, and never written or not used any more */
	WHAT_UNKNOWN, /* data; whether it has a checksum stood in a dead block */
	WHAT_TREE, /* a tree block begins here */
	WHAT_TREE_REST,
	WHAT_CROSSING, /* of a tree block that is cut by an element: such are not verified */
	WHAT_DARK, /* what it is stood in a dead block */
	WHAT_EXTRA, /* nothing, but there is a checksum for it */
};

enum scrub_cell {
	CELL_PLANNED = 1 << 0, /* is to be read */
	CELL_ABSENT = 1 << 1, /* its device is missing, or has failed */
	CELL_EIO = 1 << 2,
	CELL_EILSEQ = 1 << 3,
	CELL_BAD = 1 << 4, /* what is in the buffer is wrong, or was not read */
	CELL_SURE = 1 << 5, /* verified by a checksum: as it was read, or rebuilt */
};

#define CELL_UNREAD (CELL_ABSENT | CELL_EIO | CELL_EILSEQ)

/* A bad sector or block. */
struct scrub_bad {
	unsigned lane;
	uint32_t cell, cells;
	enum scrub_kind kind;
	bool tree;
	bool fixed; /* the buffer holds the right contents now */
	bool wrote; /* and they are on the medium, and were read back */
	int error; /* of the read, or the write */
	char text[120];
};

struct scrub_device {
	const struct xx_btrfs_member *member;
	struct xx_device *device; /* NULL: missing */
	unsigned index; /* of the member */
	bool failed;
	bool writable;
	uint64_t bad_run; /* sectors in a row that could not be read */
	uint64_t inflight; /* bytes of reads */
	uint64_t start_ns; /* not before: the limit */
	uint64_t walk; /* physical: chunks before are given out */
	uint64_t failed_bytes; /* unverified, because it is missing or has failed; in this run */
	struct xx_btrfs_extent_cursor *extents;
	struct xx_btrfs_sum_cursor *sums;

	/* Under the lock. */
	uint64_t done, total, last_physical;
	struct scrub_counts counts;
};

struct scrub_chunk {
	const struct xx_btrfs_chunk *chunk;
	uint64_t next; /* offset in its stripes of the next group */
	struct scrub_device *driver; /* whose cursors serve it */
	bool skip; /* not asked for */
};

struct scrub_lane {
	struct scrub_device *device;
	uint8_t *buf; /* NULL: nothing is read */
	uint8_t *cells; /* enum scrub_cell */
	uint64_t planned; /* bytes */
	struct scrub_counts delta; /* what accounting found */
};

struct scrub_read {
	struct xx_request req;
	struct scrub_group *group;
	unsigned lane;
	uint32_t cell, cells;
	bool piece; /* of one that failed; has memory of its own */
};

struct scrub_group {
	struct scrub_engine *engine;
	const struct xx_btrfs_chunk *chunk;
	uint64_t offset, length; /* in each stripe, bytes */
	uint64_t logical, logical_length; /* bytes */
	uint32_t cells; /* of a lane */
	uint32_t sectors;
	unsigned lane_count;
	bool reads_any; /* some cell is planned on a device that is there */

	struct scrub_lane *lanes;
	uint8_t *what; /* of each sector: enum scrub_what */
	uint32_t *entry; /* of each sector that is not WHAT_NONE: its place in the list of extents */
	uint8_t *cell_memory;
	struct xx_btrfs_extent_list extents;
	struct xx_btrfs_sums *sums;
	uint8_t *scratch; /* of the worker: scratch_bytes */

	struct scrub_read *reads;
	size_t read_count;
	uint64_t pending; /* requests in flight */
	uint64_t dark_bytes; /* under dead blocks, for the message */

	struct scrub_bad *bad;
	size_t bad_count, bad_room;
	int error; /* of the worker */
	struct scrub_repair *repair;

	struct xx_work work;
	struct xx_post post;
	struct scrub_group *next;
};

struct scrub_list {
	struct scrub_group *first, *last;
};

struct scrub_engine {
	struct xx_ctx *ctx;
	struct scrub_options options;
	struct xx_ring *ring;
	struct xx_pool *pool;
	bool own_pool;

	struct xx_btrfs_volume *volume;
	struct xx_btrfs_chunk_map *map;
	struct xx_btrfs_medium medium;
	struct xx_btrfs_fs *fs;
	struct xx_btrfs_resolver *resolver;
	struct xx_btrfs_pather *pather;
	uint32_t sectorsize, nodesize;
	bool metadump, changed;

	struct scrub_device *devices;
	size_t device_count;
	struct scrub_chunk *chunks; /* by logical address */
	size_t chunk_count;

	/* The window. */
	uint64_t slice; /* bytes of a lane at most */
	unsigned max_lanes;
	uint32_t max_sectors;
	uint8_t *arena;
	size_t arena_bytes;
	uint8_t **free_buffers; /* the one used last is on top: it is warm */
	size_t free_count, buffer_count;
	struct scrub_group *groups; /* unused ones */
	struct scrub_list todo; /* verified, or with nothing to verify: for the main loop */
	struct scrub_list arrived; /* read: for a worker */
	uint64_t working; /* groups that are under way */
	enum xx_btrfs_sum_need *needs; /* for one group */
	int error; /* what ends the run */

	/* What is done; the owner's. */
	struct xx_extent_map *done;
	bool supers_done, sums_done;
	struct scrub_intent *intents; /* of former runs, by devid and physical address */
	struct scrub_range *ranges; /* handed out with the position */
	struct scrub_unverified dark; /* told when the next one does not touch it */
	uint64_t checkpoint_ns, start_ns;

	atomic_bool cancelled;
	_Atomic uint64_t limit;
	uint64_t limit_seen; /* the owner's: what the devices' start_ns go by */
	sem_t wake;

	pthread_mutex_t lock;
	struct scrub_counts nowhere; /* of no device */
	uint64_t run_bytes;
	bool running;
	uint64_t elapsed_ns;
};

/* Bytes of reads that a device is given at a time. */
#define SCRUB_INFLIGHT ((uint64_t)16 << 20)
/* Sectors in a row that cannot be read: the device has failed. */
#define SCRUB_FAILED_RUN 4096u
/* Gaps up to so many bytes are read with what surrounds them. */
#define SCRUB_GAP 32768u

/* --- lists --- */

void scrub_list_add(struct scrub_list *list, struct scrub_group *group);
struct scrub_group *scrub_list_take(struct scrub_list *list);

/* --- group.c --- */

/* An unused group, or NULL: no memory. */
struct scrub_group *scrub_group_get(struct scrub_engine *engine);
/* Give it back with its buffers. */
void scrub_group_put(struct scrub_group *group);
void scrub_group_free(struct scrub_group *group);

/* What lies at a cell of a lane, and of how many more cells the same is true; 0: the chunk has ended there. */
uint32_t scrub_locate(const struct scrub_group *group, unsigned lane, uint32_t cell, struct xx_btrfs_location *at);

/* The number of the sector at a logical address within the group. */
static inline uint32_t scrub_sector(const struct scrub_group *group, uint64_t logical)
{
	return (uint32_t)((logical - group->logical) / group->engine->sectorsize);
}

static inline uint8_t *scrub_at(const struct scrub_group *group, unsigned lane, uint32_t cell)
{
	return group->lanes[lane].buf + (size_t)cell * group->engine->sectorsize;
}

/* Is something written there, as far as that can be told? */
static inline bool scrub_written(uint8_t what)
{
	return what != WHAT_NONE && what != WHAT_UNWRITTEN && what != WHAT_EXTRA;
}

/* Do any, or all, of these cells have one of the flags? */
bool scrub_cells_any(const struct scrub_lane *lane, uint32_t cell, uint32_t cells, unsigned flags);
bool scrub_cells_all(const struct scrub_lane *lane, uint32_t cell, uint32_t cells, unsigned flags);
void scrub_cells_set(struct scrub_lane *lane, uint32_t cell, uint32_t cells, unsigned set, unsigned clear);

/* --- window.c --- */

int scrub_window_create(struct scrub_engine *engine) XX_MUST_CHECK;
void scrub_window_destroy(struct scrub_engine *engine);
/* Start the reads of a planned group; there are buffers for max_lanes. */
void scrub_window_read(struct scrub_group *group);

/* --- plan.c --- */

/*
 * Shape the next group of a chunk, from @offset of its stripes on: what its sectors hold, which cells are to be read.
 * 1, or 0 when the chunk ends there, or a negative errno. *done: it was done by a former run.
 */
int scrub_plan_group(struct scrub_group *group, const struct scrub_chunk *chunk, uint64_t offset,
		     struct xx_btrfs_extent_cursor *cursor, bool *done) XX_MUST_CHECK;
/* Count what is to be done, and what of it is done. */
int scrub_plan_all(struct scrub_engine *engine) XX_MUST_CHECK;
/* The chunk at that logical address. */
struct scrub_chunk *scrub_plan_chunk(const struct scrub_engine *engine, uint64_t logical);

/* --- sums.c --- */

/* Look the checksums of a planned group up, and say of each data sector what it is. */
int scrub_sums_group(struct scrub_group *group, struct xx_btrfs_sum_cursor *cursor) XX_MUST_CHECK;
/* Checksums outside of all chunks that hold data: told and counted. */
int scrub_sums_outside(struct scrub_engine *engine) XX_MUST_CHECK;

/* --- verify.c: in a worker --- */

void scrub_verify(struct xx_work *work);
/* Remember something bad; NULL: no memory, and the group fails. */
struct scrub_bad *scrub_bad_add(struct scrub_group *group, unsigned lane, uint32_t cell, uint32_t cells,
				enum scrub_kind kind, const char *text);
/* Are the @cells sectors at @data what the group's plan says of @sector: by checksum, or as a tree block? */
int scrub_verify_contents(const struct scrub_group *group, uint32_t sector, const void *data,
			  struct xx_btrfs_block_check *check) XX_MUST_CHECK;

/* --- mirror.c, parity.c, rebuild.c: in a worker --- */

void scrub_mirror_fix(struct scrub_group *group);
void scrub_parity_fix(struct scrub_group *group);
/* Rebuild what is bad of a row from the rest; for what is summed, until the sum is right. */
bool scrub_rebuild(struct scrub_group *group, unsigned lane, uint32_t cell, uint32_t cells, uint32_t sector,
		   bool summed);

/* --- repair.c --- */

/* Write what is known to be right, if that is wanted; then the group is on the list of what is to be done. */
void scrub_repair_group(struct scrub_group *group);
void scrub_repair_free(struct scrub_group *group);

/* --- intent.c --- */

/* Take those of former runs over. */
int scrub_intents_take(struct scrub_engine *engine) XX_MUST_CHECK;
/* What a former run repaired, and nobody has counted, is bad and corrected. */
void scrub_intents_restore(struct scrub_group *group);
/* Did a former run repair this copy of a superblock? Its kind then, or SCRUB_KINDS. */
enum scrub_kind scrub_intents_super(const struct scrub_engine *engine, uint64_t devid, uint64_t physical);

/* --- account.c --- */

void scrub_retire(struct scrub_group *group);
/* Add to the counts of a device, or of none. */
void scrub_count(struct scrub_engine *engine, struct scrub_device *device, const struct scrub_counts *delta);
void scrub_counts_add(struct scrub_counts *to, const struct scrub_counts *from);
void scrub_count_finding(struct scrub_counts *counts, enum scrub_kind kind, enum scrub_state state, uint64_t number);
/* Tell what could not be verified so far, and has not been told. */
void scrub_tell_dark(struct scrub_engine *engine);
void scrub_tell_failed(struct scrub_engine *engine);

/* --- files.c --- */

/* Tell which files the bad data of a group belong to. */
int scrub_files_tell(struct scrub_group *group) XX_MUST_CHECK;

/* --- super.c --- */

int scrub_supers(struct scrub_engine *engine) XX_MUST_CHECK;
/* Is there no copy, rightly so? */
bool scrub_super_is_left_out(const struct scrub_engine *engine, const struct xx_btrfs_super_check *check);

/* --- schedule.c --- */

/* The device that the next group is to be given to, with its chunk; false: none has any, or may. *wait: when one may. */
bool scrub_schedule(struct scrub_engine *engine, struct scrub_device **device, struct scrub_chunk **chunk,
		    uint64_t *wait);
/* Bytes were given to a device: when may it have more? */
void scrub_schedule_charge(struct scrub_engine *engine, struct scrub_device *device, uint64_t bytes);

#endif
