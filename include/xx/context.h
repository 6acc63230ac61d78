/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context.h - what a caller of the library hands to nearly every function: where messages go.
 *
 * The library prints nothing. A message is made once, where its cause is known, and goes through the context to the
 * sink of the tool. The text is one or more whole sentences without a newline at the end and without the name of the
 * program or of the level: the sink adds these.
 *
 * A context may be used from several threads; calls of the sink never overlap. A sink must not make messages itself.
 * Where a context is wanted NULL is allowed: such messages are dropped.
 */
#ifndef XX_CONTEXT_H
#define XX_CONTEXT_H

#include <stdbool.h>
#include <xx/compiler.h>

struct xx_ctx;

/* From what is always shown to what only a developer wants. */
enum xx_level {
	XX_ERROR, /* the operation fails */
	XX_WARNING, /* it goes on, but the user should look */
	XX_NOTICE, /* what the user normally sees */
	XX_VERBOSE, /* with -v */
	XX_DEBUG,
};

/*
 * Receives a message. @text belongs to the library and is valid during the call only; @private is what
 * xx_ctx_create() was given.
 */
typedef void (*xx_sink_fn)(enum xx_level level, const char *text, void *private);

/*
 * Make a context whose messages go to @sink (NULL: nowhere). Messages up to and with XX_NOTICE are passed on until
 * xx_ctx_set_level() says otherwise. 0 or -ENOMEM.
 */
XX_API XX_MUST_CHECK int xx_ctx_create(xx_sink_fn sink, void *private, struct xx_ctx **out);

/* Release a context, NULL too. Whoever still uses it must be gone. */
XX_API void xx_ctx_destroy(struct xx_ctx *ctx);

/* Pass messages up to and with @level on. */
XX_API void xx_ctx_set_level(struct xx_ctx *ctx, enum xx_level level);

/* Would a message of @level reach the sink? For whoever has to compute much to make one. */
XX_API bool xx_ctx_wants(const struct xx_ctx *ctx, enum xx_level level);

/* Make a message. errno is left as it was. When memory is short, a long text is cut. */
XX_API void xx_error(struct xx_ctx *ctx, const char *fmt, ...) XX_PRINTF(2, 3);
XX_API void xx_warn(struct xx_ctx *ctx, const char *fmt, ...) XX_PRINTF(2, 3);
XX_API void xx_notice(struct xx_ctx *ctx, const char *fmt, ...) XX_PRINTF(2, 3);
XX_API void xx_verbose(struct xx_ctx *ctx, const char *fmt, ...) XX_PRINTF(2, 3);
XX_API void xx_debug(struct xx_ctx *ctx, const char *fmt, ...) XX_PRINTF(2, 3);

#endif
