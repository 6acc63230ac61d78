/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context.c - messages on their way from where their cause is known to the sink of the tool.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <xx/context.h>

struct xx_ctx {
	xx_sink_fn sink;
	void *private;
	atomic_int level;
	pthread_mutex_t lock; /* calls of the sink do not overlap */
};

int xx_ctx_create(xx_sink_fn sink, void *private, struct xx_ctx **out)
{
	struct xx_ctx *ctx = malloc(sizeof(*ctx));

	if (!ctx)
		return -ENOMEM;
	ctx->sink = sink;
	ctx->private = private;
	atomic_init(&ctx->level, XX_NOTICE);
	pthread_mutex_init(&ctx->lock, NULL);
	*out = ctx;
	return 0;
}

void xx_ctx_destroy(struct xx_ctx *ctx)
{
	if (!ctx)
		return;
	pthread_mutex_destroy(&ctx->lock);
	free(ctx);
}

void xx_ctx_set_level(struct xx_ctx *ctx, enum xx_level level)
{
	if (ctx)
		atomic_store_explicit(&ctx->level, (int)level, memory_order_relaxed);
}

bool xx_ctx_wants(const struct xx_ctx *ctx, enum xx_level level)
{
	return ctx && ctx->sink && (int)level <= atomic_load_explicit(&ctx->level, memory_order_relaxed);
}

static void ctx_pass_on(struct xx_ctx *ctx, enum xx_level level, const char *text)
{
	pthread_mutex_lock(&ctx->lock);
	ctx->sink(level, text, ctx->private);
	pthread_mutex_unlock(&ctx->lock);
}

XX_PRINTF(3, 0) static void ctx_message(struct xx_ctx *ctx, enum xx_level level, const char *fmt, va_list args)
{
	const int saved_errno = errno;
	char cut[512];
	char *text = NULL;
	va_list again;

	if (!xx_ctx_wants(ctx, level))
		return;
	va_copy(again, args);
	if (vasprintf(&text, fmt, args) >= 0) {
		ctx_pass_on(ctx, level, text);
		free(text);
	} else {
		vsnprintf(cut, sizeof(cut), fmt, again);
		ctx_pass_on(ctx, level, cut);
	}
	va_end(again);
	errno = saved_errno;
}

void xx_error(struct xx_ctx *ctx, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	ctx_message(ctx, XX_ERROR, fmt, args);
	va_end(args);
}

void xx_warn(struct xx_ctx *ctx, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	ctx_message(ctx, XX_WARNING, fmt, args);
	va_end(args);
}

void xx_notice(struct xx_ctx *ctx, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	ctx_message(ctx, XX_NOTICE, fmt, args);
	va_end(args);
}

void xx_verbose(struct xx_ctx *ctx, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	ctx_message(ctx, XX_VERBOSE, fmt, args);
	va_end(args);
}

void xx_debug(struct xx_ctx *ctx, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	ctx_message(ctx, XX_DEBUG, fmt, args);
	va_end(args);
}
