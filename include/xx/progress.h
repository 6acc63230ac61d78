/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h - how far a long operation is: share, rate, time left, and the text of a line that says so.
 *
 * The library counts and computes; a callback of the tool draws. It is called from xx_progress_add() and
 * xx_progress_finish(), in the caller's thread, and not more often than was asked for. A meter belongs to one thread.
 * Where a meter is wanted NULL is allowed: nothing is counted then.
 */
#ifndef XX_PROGRESS_H
#define XX_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <xx/compiler.h>

struct xx_progress;

/* Where an operation is. Amounts are in bytes or in items, as the meter was made. */
struct xx_progress_state {
	const char *what; /* the operation, such as "discard" */
	uint64_t done, total; /* total is 0 when it is not known */
	uint64_t rate; /* amount each second, since the beginning */
	uint64_t elapsed_ms;
	uint64_t left_ms; /* UINT64_MAX when it cannot be told */
	bool finished; /* the last call for this operation */
};

/* @text is the line for people, without a newline; it and @state are valid during the call only. */
typedef void (*xx_progress_draw_fn)(const struct xx_progress_state *state, const char *text, void *private);

struct xx_progress_options {
	const char *what; /* copied; NULL is "" */
	uint64_t total; /* 0: not known */
	bool items; /* amounts are items, else bytes */
	uint64_t delay_ms; /* draw nothing before; an operation that ends earlier is never drawn */
	uint64_t interval_ms; /* between two calls of draw; 0: at every change */
	xx_progress_draw_fn draw; /* NULL: only count */
	void *private; /* for draw */
	uint64_t (*now)(void *clock_private); /* monotonic nanoseconds; NULL: xx_clock_monotonic() */
	void *clock_private;
};

/* Make a meter; the operation begins now. 0 or -ENOMEM. */
XX_API XX_MUST_CHECK int xx_progress_create(const struct xx_progress_options *options, struct xx_progress **out);
XX_API void xx_progress_destroy(struct xx_progress *progress);

/* The total is known only now, or has changed. */
XX_API void xx_progress_set_total(struct xx_progress *progress, uint64_t total);

/* @amount more is done. */
XX_API void xx_progress_add(struct xx_progress *progress, uint64_t amount);

/* The operation has ended, well or not: draws once more with finished set, if anything has been drawn. */
XX_API void xx_progress_finish(struct xx_progress *progress);

/* Where it is; what the strings in @state point to lives as long as the meter. */
XX_API void xx_progress_get(const struct xx_progress *progress, struct xx_progress_state *state);

#endif
