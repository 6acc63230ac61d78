/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.c - a progress meter: counts, throttles by time, and makes the text; a callback of the tool draws it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xx/clock.h>
#include <xx/progress.h>
#include <xx/units.h>

#define NS_PER_MS UINT64_C(1000000)
#define MS_PER_S  UINT64_C(1000)

struct xx_progress {
	struct xx_progress_options options;
	char *what;
	uint64_t done, total;
	uint64_t begin_ns;
	uint64_t next_ms; /* draw when so much has elapsed */
	bool drawn, finished;
};

static uint64_t progress_now(const struct xx_progress *progress)
{
	const struct xx_progress_options *options = &progress->options;

	return options->now ? options->now(options->clock_private) : xx_clock_monotonic();
}

int xx_progress_create(const struct xx_progress_options *options, struct xx_progress **out)
{
	struct xx_progress *progress = calloc(1, sizeof(*progress));

	if (!progress)
		return -ENOMEM;
	progress->what = strdup(options->what ? options->what : "");
	if (!progress->what) {
		free(progress);
		return -ENOMEM;
	}
	progress->options = *options;
	progress->options.what = progress->what;
	progress->total = options->total;
	progress->next_ms = options->delay_ms;
	progress->begin_ns = progress_now(progress);
	*out = progress;
	return 0;
}

void xx_progress_destroy(struct xx_progress *progress)
{
	if (!progress)
		return;
	free(progress->what);
	free(progress);
}

/* a * b / c, UINT64_MAX when that does not fit; c is not 0. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c)
{
	const unsigned __int128 result = (unsigned __int128)a * b / c;

	return result > UINT64_MAX ? UINT64_MAX : (uint64_t)result;
}

static uint64_t progress_left(const struct xx_progress_state *state)
{
	if (state->finished)
		return 0;
	if (!state->total || !state->done)
		return UINT64_MAX;
	if (state->done >= state->total)
		return 0;
	return scale(state->total - state->done, state->elapsed_ms, state->done);
}

static uint64_t progress_elapsed_ms(const struct xx_progress *progress)
{
	return (progress_now(progress) - progress->begin_ns) / NS_PER_MS;
}

void xx_progress_get(const struct xx_progress *progress, struct xx_progress_state *state)
{
	memset(state, 0, sizeof(*state));
	state->what = "";
	state->left_ms = UINT64_MAX;
	if (!progress)
		return;
	state->what = progress->what;
	state->done = progress->done;
	state->total = progress->total;
	state->finished = progress->finished;
	state->elapsed_ms = progress_elapsed_ms(progress);
	if (state->elapsed_ms)
		state->rate = scale(state->done, MS_PER_S, state->elapsed_ms);
	state->left_ms = progress_left(state);
}

/* An amount as text, in @buf. */
static const char *amount_format(const struct xx_progress *progress, char buf[XX_SIZE_TEXT], uint64_t amount)
{
	if (!progress->options.items)
		return xx_size_format(buf, amount);
	snprintf(buf, XX_SIZE_TEXT, "%" PRIu64, amount);
	return buf;
}

/* Adds to a text of which @used bytes are there; what does not fit is cut. */
XX_PRINTF(4, 5) static void text_add(char *buf, size_t size, size_t *used, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(buf + *used, size - *used, fmt, args);
	va_end(args);
	if (len > 0)
		*used = (size_t)xx_min(*used + (size_t)len, size - 1);
}

/* "discard: 1.5 GiB of 4 GiB (37 %), 512 MiB/s, 0:05 left" */
static void progress_text(const struct xx_progress *progress, const struct xx_progress_state *state, char *buf,
			  size_t size)
{
	char amount[XX_SIZE_TEXT];
	size_t used = 0;

	buf[0] = '\0';
	text_add(buf, size, &used, "%s: %s", state->what, amount_format(progress, amount, state->done));
	if (state->total)
		text_add(buf, size, &used, " of %s (%u %%)", amount_format(progress, amount, state->total),
			 (unsigned)xx_min(scale(state->done, 100, state->total), 100));
	text_add(buf, size, &used, ", %s/s", amount_format(progress, amount, state->rate));
	if (!state->finished && state->left_ms != UINT64_MAX) {
		const uint64_t seconds = xx_div_round_up(state->left_ms, MS_PER_S);

		if (seconds >= 3600)
			text_add(buf, size, &used, ", %" PRIu64 ":%02u:%02u left", seconds / 3600,
				 (unsigned)(seconds / 60 % 60), (unsigned)(seconds % 60));
		else
			text_add(buf, size, &used, ", %u:%02u left", (unsigned)(seconds / 60),
				 (unsigned)(seconds % 60));
	}
}

static void progress_draw(struct xx_progress *progress)
{
	struct xx_progress_state state;
	char text[256];

	xx_progress_get(progress, &state);
	progress_text(progress, &state, text, sizeof(text));
	progress->drawn = true;
	progress->next_ms = state.elapsed_ms + progress->options.interval_ms;
	progress->options.draw(&state, text, progress->options.private);
}

void xx_progress_set_total(struct xx_progress *progress, uint64_t total)
{
	if (progress)
		progress->total = total;
}

void xx_progress_add(struct xx_progress *progress, uint64_t amount)
{
	if (!progress || progress->finished)
		return;
	progress->done += amount;
	if (progress->options.draw && progress_elapsed_ms(progress) >= progress->next_ms)
		progress_draw(progress);
}

void xx_progress_finish(struct xx_progress *progress)
{
	if (!progress || progress->finished)
		return;
	progress->finished = true;
	if (progress->drawn)
		progress_draw(progress);
}
