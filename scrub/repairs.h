/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repairs.h - notes of what is about to be repaired, so that a process that dies in between leaves nothing uncounted.
 *
 * FSID.repairs in the state directory: a line for each repair, with devid, physical address, length, kind, and 1 for a tree
 * block. A line that is cut short, at the end, is of a repair that was not begun.
 */
#ifndef SCRUB_REPAIRS_H
#define SCRUB_REPAIRS_H

#include "scrub/engine.h"
#include "scrub/statedir.h"

/* Append notes, and make them durable. 0 or a negative errno. */
XX_MUST_CHECK int scrub_repairs_note(const struct scrub_statedir *dir, const char *fsid,
				     const struct scrub_intent *intents, size_t count);

/* All notes, allocated. 0, also when there are none, or a negative errno. */
XX_MUST_CHECK int scrub_repairs_read(const struct scrub_statedir *dir, const char *fsid, struct scrub_intent **intents,
				     size_t *count);

/* A new scrub has none. */
void scrub_repairs_forget(const struct scrub_statedir *dir, const char *fsid);

/* The notes of a text, which is changed: up to the first line that is none. 0 or -ENOMEM. */
XX_MUST_CHECK int scrub_repairs_parse(char *text, struct scrub_intent **intents, size_t *count);

#endif
