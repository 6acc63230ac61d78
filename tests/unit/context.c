/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context.c - tests: messages reach the sink whole, at the levels that are wanted, and one at a time.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xx/context.h>

struct record {
	unsigned calls;
	enum xx_level level;
	char text[4096];
	bool busy, overlapped;
};

static void record_message(enum xx_level level, const char *text, void *private)
{
	struct record *record = private;

	record->overlapped |= record->busy;
	record->busy = true;
	record->calls++;
	record->level = level;
	strncpy(record->text, text, sizeof(record->text) - 1);
	record->busy = false;
	errno = EBADF;
}

Test(context, passes_text_and_level)
{
	struct record record = { 0 };
	struct xx_ctx *ctx;

	cr_assert_eq(xx_ctx_create(record_message, &record, &ctx), 0);
	xx_error(ctx, "block %d of %s", 7, "disk");
	cr_assert_eq(record.level, XX_ERROR);
	cr_assert_str_eq(record.text, "block 7 of disk");
	xx_warn(ctx, "w");
	cr_assert_eq(record.level, XX_WARNING);
	xx_notice(ctx, "n");
	cr_assert_eq(record.level, XX_NOTICE);
	cr_assert_eq(record.calls, 3);
	xx_ctx_destroy(ctx);
}

Test(context, holds_back_what_is_not_wanted)
{
	struct record record = { 0 };
	struct xx_ctx *ctx;

	cr_assert_eq(xx_ctx_create(record_message, &record, &ctx), 0);
	xx_verbose(ctx, "v");
	xx_debug(ctx, "d");
	cr_assert_eq(record.calls, 0);
	cr_assert(xx_ctx_wants(ctx, XX_NOTICE));
	cr_assert_not(xx_ctx_wants(ctx, XX_VERBOSE));
	xx_ctx_set_level(ctx, XX_VERBOSE);
	xx_verbose(ctx, "v");
	xx_debug(ctx, "d");
	cr_assert_eq(record.calls, 1);
	xx_ctx_set_level(ctx, XX_DEBUG);
	xx_debug(ctx, "d");
	cr_assert_eq(record.level, XX_DEBUG);
	xx_ctx_set_level(ctx, XX_ERROR);
	xx_warn(ctx, "w");
	cr_assert_eq(record.calls, 2);
	xx_ctx_destroy(ctx);
}

Test(context, nothing_where_there_is_no_sink)
{
	struct xx_ctx *ctx;

	xx_error(NULL, "dropped");
	xx_ctx_set_level(NULL, XX_DEBUG);
	cr_assert_not(xx_ctx_wants(NULL, XX_ERROR));
	xx_ctx_destroy(NULL);
	cr_assert_eq(xx_ctx_create(NULL, NULL, &ctx), 0);
	cr_assert_not(xx_ctx_wants(ctx, XX_ERROR));
	xx_error(ctx, "dropped");
	xx_ctx_destroy(ctx);
}

Test(context, long_text_is_whole)
{
	struct record record = { 0 };
	struct xx_ctx *ctx;

	cr_assert_eq(xx_ctx_create(record_message, &record, &ctx), 0);
	xx_error(ctx, "%*d", 3000, 5);
	cr_assert_eq(strlen(record.text), 3000);
	cr_assert_eq(record.text[2999], '5');
	xx_ctx_destroy(ctx);
}

Test(context, errno_stays)
{
	struct record record = { 0 };
	struct xx_ctx *ctx;

	cr_assert_eq(xx_ctx_create(record_message, &record, &ctx), 0);
	errno = ENOSPC;
	xx_error(ctx, "the sink changes errno");
	cr_assert_eq(errno, ENOSPC);
	cr_assert_eq(record.calls, 1);
	xx_ctx_destroy(ctx);
}

#define THREADS	 4
#define MESSAGES 500

static void *make_messages(void *arg)
{
	for (int i = 0; i < MESSAGES; i++)
		xx_error(arg, "message %d", i);
	return NULL;
}

Test(context, calls_do_not_overlap)
{
	struct record record = { 0 };
	pthread_t threads[THREADS];
	struct xx_ctx *ctx;

	cr_assert_eq(xx_ctx_create(record_message, &record, &ctx), 0);
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, make_messages, ctx), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	cr_assert_eq(record.calls, THREADS * MESSAGES);
	cr_assert_not(record.overlapped);
	xx_ctx_destroy(ctx);
}
