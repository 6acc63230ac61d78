/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.c - reads records.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xx/context.h>

#include "scrub/load.h"
#include "scrub/members.h"

int scrub_record_load(const struct scrub_statedir *dir, const char *fsid, struct scrub_record *out)
{
	size_t length;
	char *text;
	int ret;

	*out = (struct scrub_record){ 0 };
	ret = scrub_statedir_read(dir, fsid, &text, &length);
	if (ret)
		return ret;
	ret = scrub_record_parse(text, length, out);
	free(text);
	if (ret == 0 && strcmp(out->fsid, fsid) != 0)
		ret = -EBADMSG;
	return ret;
}

int scrub_load_failed(struct xx_ctx *ctx, const struct scrub_statedir *dir, const char *fsid, int error)
{
	switch (error) {
	case -ENOENT:
		xx_error(ctx, "No scrub of %s is known.", fsid);
		break;
	case -EBADMSG:
		xx_error(ctx, "%s/%s: the record of the last scrub is damaged.", dir->path, fsid);
		break;
	case -EOPNOTSUPP:
		xx_error(ctx, "%s/%s: the record of the last scrub is of another version of xxscrub.", dir->path, fsid);
		break;
	default:
		xx_error(ctx, "%s/%s: %s.", dir->path, fsid, strerror(-error));
		break;
	}
	return error;
}

int scrub_load(struct xx_ctx *ctx, const char *text, const struct scrub_statedir *dir, struct scrub_record *out)
{
	char fsid[XX_BTRFS_UUID_TEXT];
	pid_t holder;
	int ret;

	ret = scrub_members_fsid(ctx, text, fsid);
	if (ret)
		return ret;
	ret = dir->fd < 0 ? -ENOENT : scrub_record_load(dir, fsid, out);
	if (ret == 0 && out->state == SCRUB_RUNNING && scrub_lock_holder(dir, fsid, &holder) == 0) {
		/* It may just have ended: then it has written a last record. */
		scrub_record_release(out);
		ret = scrub_record_load(dir, fsid, out);
		if (ret == 0 && out->state == SCRUB_RUNNING)
			out->state = SCRUB_INTERRUPTED;
	}
	if (ret) {
		if (dir->fd >= 0)
			scrub_record_release(out);
		return scrub_load_failed(ctx, dir, fsid, ret);
	}
	return 0;
}
