/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statedir.h - the directory where records of scrubs are kept, and who holds one.
 *
 * /var/lib/xx/scrub for root; $XDG_STATE_HOME/xx/scrub (~/.local/state/xx/scrub) for others; $XX_STATE_DIR/scrub when that
 * is set. Of a file system it has FSID (the record, see record.h), FSID.files (what was damaged, see filelist.h) and
 * FSID.lock, which is empty.
 *
 * Whoever scrubs a file system holds a write lock on FSID.lock until it ends, in whatever way: that a process runs, and
 * which, is asked of the kernel and stored nowhere.
 */
#ifndef SCRUB_STATEDIR_H
#define SCRUB_STATEDIR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <xx/compiler.h>

struct xx_ctx;

struct scrub_statedir {
	int fd; /* -1: none */
	char *path; /* for messages */
};

/*
 * Open it, made if need be when @create. 0, -ENOENT without @create (no message), or another error with a message. To be
 * closed in any case.
 */
XX_MUST_CHECK int scrub_statedir_open(struct xx_ctx *ctx, bool create, struct scrub_statedir *out);
void scrub_statedir_close(struct scrub_statedir *dir);

/* The whole of a file, followed by a zero byte; allocated. 0, -ENOENT, -EFBIG, other errors. No message. */
XX_MUST_CHECK int scrub_statedir_read(const struct scrub_statedir *dir, const char *name, char **text, size_t *length);

/* Replace a file: whoever reads it, also after a power cut, gets the old or the new one. No message. */
XX_MUST_CHECK int scrub_statedir_write(const struct scrub_statedir *dir, const char *name, const char *text,
				       size_t length);

/*
 * Take the lock of a file system; it is held until @fd is closed, by this process alone. 0; -EBUSY with @holder (0: not
 * known, it runs in another container). No message. Do not open the file otherwise while it is held.
 */
XX_MUST_CHECK int scrub_lock_take(const struct scrub_statedir *dir, const char *fsid, int *fd, pid_t *holder);

/* Who has it: 1 with @holder; 0: nobody; or an error. */
XX_MUST_CHECK int scrub_lock_holder(const struct scrub_statedir *dir, const char *fsid, pid_t *holder);

/* Wait until nobody has it. */
XX_MUST_CHECK int scrub_lock_wait(const struct scrub_statedir *dir, const char *fsid);

#endif
