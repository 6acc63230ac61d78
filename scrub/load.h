/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.h - the record of a file system, read from the state directory.
 */
#ifndef SCRUB_LOAD_H
#define SCRUB_LOAD_H

#include "scrub/record.h"
#include "scrub/statedir.h"

/*
 * Read the record. 0; -ENOENT: there is none; -EBADMSG, -EOPNOTSUPP, others; no message. @out is to be released in any
 * case.
 */
XX_MUST_CHECK int scrub_record_load(const struct scrub_statedir *dir, const char *fsid, struct scrub_record *out);

/* The message for such an error, which is returned. */
int scrub_load_failed(struct xx_ctx *ctx, const struct scrub_statedir *dir, const char *fsid, int error);

/*
 * The record of the file system that @text means (a UUID or a device), with "running" turned to "interrupted" when nobody
 * runs. 0, or a negative errno with a message; @out is to be released when it is 0.
 */
XX_MUST_CHECK int scrub_load(struct xx_ctx *ctx, const char *text, const struct scrub_statedir *dir,
			     struct scrub_record *out);

#endif
