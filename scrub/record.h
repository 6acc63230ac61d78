/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - what is known of the last scrub of a file system, running or not: how far it is, and what it found.
 *
 * As a file it is text: a line "xxscrub 1" with the version, then one line for each fact, a keyword and its values with
 * blanks between them, then "end". Names are escaped as scrub_text_escape() does; of counters only those stand there that
 * are not 0. A reader does not pass over a line that it does not know: it would resume something else than was begun.
 */
#ifndef SCRUB_RECORD_H
#define SCRUB_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scrub/engine.h"

struct xx_ctx;

enum scrub_run_state {
	SCRUB_RUNNING,
	SCRUB_FINISHED, /* all that was planned was dealt with */
	SCRUB_CANCELLED,
	SCRUB_FAILED, /* it could not go on: see .reason */
	SCRUB_INTERRUPTED, /* the process died: never in a file, but what "running" means when nobody runs */
	SCRUB_RUN_STATES
};

const char *scrub_run_state_name(enum scrub_run_state state);

struct scrub_record_device {
	uint64_t devid;
	char *path; /* "": missing */
	bool missing, failed;
	uint64_t bytes_done, bytes_total, last_physical;
	struct scrub_counts counts;
};

struct scrub_record {
	char fsid[XX_BTRFS_UUID_TEXT];
	enum scrub_run_state state;
	uint64_t started, updated; /* seconds since 1970; when it ended, if it has */
	uint64_t duration_ms; /* of all runs */
	bool read_only, skip_data, skip_metadata;
	bool resumed; /* there was more than one run */
	bool changed; /* the file system changed between two runs */
	uint64_t limit; /* bytes a second; 0: none */
	uint64_t bytes_done, bytes_total, rate;
	uint64_t files_length; /* bytes of the list of damaged files that belong to this record */
	char *reason; /* why it failed; NULL */

	/* The position: see struct scrub_position. */
	uint64_t generation;
	bool supers, sums;
	struct scrub_range *ranges;
	size_t range_count;

	struct scrub_counts total, nowhere;
	struct scrub_record_device *devices; /* in ascending order of devid */
	size_t device_count;
};

/* The version of the format that is written, and the only one that is read. */
#define SCRUB_RECORD_VERSION 1

/*
 * Reads the text of a record; @text is followed by a zero byte and is changed. 0; -EBADMSG it is damaged or cut short;
 * -EOPNOTSUPP of another version; -ENOMEM. @out is to be released in any case.
 */
XX_MUST_CHECK int scrub_record_parse(char *text, size_t length, struct scrub_record *out);

/* The text of a record, allocated. 0 or -ENOMEM. */
XX_MUST_CHECK int scrub_record_format(const struct scrub_record *record, char **text, size_t *length);

/* Frees what it points to, and clears it. */
void scrub_record_release(struct scrub_record *record);

/*
 * Takes over what the engine knows at a consistent point: position, counts, devices, progress. @before_ms is the time
 * that earlier runs took. 0 or -ENOMEM.
 */
XX_MUST_CHECK int scrub_record_update(struct scrub_record *record, struct scrub_engine *engine, uint64_t before_ms);

/* Was all read, and nothing bad found? */
bool scrub_record_is_clean(const struct scrub_record *record);

/* Devices that are missing. */
size_t scrub_record_missing(const struct scrub_record *record);

/* The exit status that belongs to it; enum scrub_exit. */
int scrub_record_exit(const struct scrub_record *record);

/* --- one line of counters, for records and for status -R --- */

struct scrub_counter {
	const char *name;
	size_t offset; /* of a uint64_t in struct scrub_counts */
};

/* Counters beside those of found[]. */
extern const struct scrub_counter scrub_counters[];
extern const size_t scrub_counter_count;

#endif
