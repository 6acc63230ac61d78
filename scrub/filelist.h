/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filelist.h - the list of damaged files: kept beside the record while a scrub runs, and shown to people and programs.
 *
 * The kept list is text, a line for each part of a file that is damaged: state, kind, subvolume id, inode, offset, length,
 * logical address, "/" and the path of the subvolume, "/" and the path in it or "-" when it has no name; escaped as
 * scrub_text_escape() does. How much of it counts is said by the record: what was appended after it was last written is
 * found again by the next run, and is cut off.
 */
#ifndef SCRUB_FILELIST_H
#define SCRUB_FILELIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "scrub/engine.h"
#include "scrub/statedir.h"

struct scrub_filelist;

/* Open the list of a file system for appending behind its first @length bytes. 0 or a negative errno; no message. */
XX_MUST_CHECK int scrub_filelist_open(const struct scrub_statedir *dir, const char *fsid, uint64_t length,
				      struct scrub_filelist **out);
void scrub_filelist_close(struct scrub_filelist *files);

/* Append; an error is kept for the next flush. */
void scrub_filelist_add(struct scrub_filelist *files, const struct scrub_file *file);

/* Make it durable. 0 with its length, or a negative errno. */
XX_MUST_CHECK int scrub_filelist_flush(struct scrub_filelist *files, uint64_t *length);

/*
 * Call @fn with each part of a file in the first @length bytes of the list; what it is given is valid during the call.
 * 0; -EBADMSG: the list is damaged, or shorter; other errors.
 */
XX_MUST_CHECK int scrub_filelist_each(const struct scrub_statedir *dir, const char *fsid, uint64_t length,
				      void (*fn)(void *private, const struct scrub_file *file), void *private);

/* Take one line, without its newline, apart; it is changed. 0 or -EBADMSG. */
XX_MUST_CHECK int scrub_filelist_parse(char *line, struct scrub_file *file);

/*
 * For people and scripts: state, offset, length and path with tabs between them. The path is that from the top of the
 * file system; in it newlines, tabs and backslashes are written as in C, or with @nul nothing, and the line ends in \0.
 */
void scrub_filelist_show(FILE *out, const struct scrub_file *file, bool nul);

/* The path from the top, or what is known when it has no name; allocated; NULL: no memory. */
char *scrub_filelist_path(const struct scrub_file *file);

#endif
