/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cancel.c - cancel and limit: what is told to a scrub that runs.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <xx/context.h>

#include "scrub/commands.h"
#include "scrub/control.h"
#include "scrub/load.h"
#include "scrub/members.h"

/* A scrub that runs. */
struct target {
	struct scrub_statedir dir;
	char fsid[XX_BTRFS_UUID_TEXT];
	pid_t holder;
};

/* Who scrubs it: 0, -ESRCH: nobody, or another error; each with a message. */
static int find_target(struct xx_ctx *ctx, const struct scrub_args *args, struct target *target)
{
	int ret;

	target->holder = 0;
	ret = scrub_statedir_open(ctx, false, &target->dir);
	if (ret && ret != -ENOENT)
		return ret;
	ret = scrub_members_fsid(ctx, args->operands[0], target->fsid);
	if (ret)
		return ret;
	ret = target->dir.fd < 0 ? 0 : scrub_lock_holder(&target->dir, target->fsid, &target->holder);
	if (ret < 0) {
		xx_error(ctx, "%s/%s.lock: %s.", target->dir.path, target->fsid, strerror(-ret));
		return ret;
	}
	if (ret == 0) {
		xx_error(ctx, "No scrub of %s is running.", target->fsid);
		return -ESRCH;
	}
	if (target->holder == 0) {
		xx_error(ctx, "The scrub of %s runs in another container, out of reach from here.", target->fsid);
		return -EPERM;
	}
	return 0;
}

static enum scrub_exit finish(struct target *target, int ret)
{
	scrub_statedir_close(&target->dir);
	return ret == 0 ? SCRUB_EXIT_OK : ret == -ESRCH ? SCRUB_EXIT_NOTHING : SCRUB_EXIT_FAILED;
}

enum scrub_exit scrub_cancel(struct xx_ctx *ctx, struct scrub_messages *messages, const struct scrub_args *args)
{
	struct target target;
	int ret;

	(void)messages;
	ret = find_target(ctx, args, &target);
	if (ret)
		return finish(&target, ret);
	ret = scrub_control_send_cancel(target.holder);
	/* It may have ended just now: the wait is then over at once. */
	if (ret == 0 || ret == -ESRCH)
		ret = scrub_lock_wait(&target.dir, target.fsid);
	if (ret)
		xx_error(ctx, "The scrub of %s, process %d, cannot be cancelled: %s.", target.fsid, (int)target.holder,
			 strerror(-ret));
	else if (!args->quiet)
		puts("scrub cancelled");
	return finish(&target, ret == -ESRCH ? -EIO : ret);
}

static int show_limit(struct xx_ctx *ctx, const struct target *target)
{
	struct scrub_record record;
	char size[SCRUB_TEXT];
	int ret = scrub_record_load(&target->dir, target->fsid, &record);

	if (ret)
		scrub_load_failed(ctx, &target->dir, target->fsid, ret);
	else if (record.limit)
		printf("%s/s for each device\n", scrub_text_size(size, &(struct scrub_units){ 0 }, record.limit));
	else
		puts("no limit");
	scrub_record_release(&record);
	return ret;
}

enum scrub_exit scrub_limit(struct xx_ctx *ctx, struct scrub_messages *messages, const struct scrub_args *args)
{
	struct target target;
	int ret;

	(void)messages;
	ret = find_target(ctx, args, &target);
	if (ret)
		return finish(&target, ret);
	if (!args->limit.given)
		return finish(&target, show_limit(ctx, &target));
	ret = scrub_control_send_limit(target.holder, args->limit.value);
	if (ret)
		xx_error(ctx, "Process %d, which scrubs %s, cannot be told: %s.", (int)target.holder, target.fsid,
			 strerror(-ret));
	return finish(&target, ret == -ESRCH ? -EIO : ret);
}
