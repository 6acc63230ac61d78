/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.c - tests: what a meter counts, when it draws, and what the line says; on a clock that stands still.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <xx/progress.h>
#include <xx/units.h>

struct screen {
	uint64_t now_ns;
	unsigned draws;
	struct xx_progress_state state;
	char text[256];
};

static uint64_t screen_now(void *private)
{
	return ((struct screen *)private)->now_ns;
}

static void screen_draw(const struct xx_progress_state *state, const char *text, void *private)
{
	struct screen *screen = private;

	screen->draws++;
	screen->state = *state;
	strncpy(screen->text, text, sizeof(screen->text) - 1);
}

static void pass(struct screen *screen, uint64_t ms)
{
	screen->now_ns += ms * 1000000;
}

static struct xx_progress *meter(struct screen *screen, struct xx_progress_options options)
{
	struct xx_progress *progress;

	options.draw = screen_draw;
	options.private = screen;
	options.now = screen_now;
	options.clock_private = screen;
	cr_assert_eq(xx_progress_create(&options, &progress), 0);
	return progress;
}

Test(progress, says_share_rate_and_time_left)
{
	struct screen screen = { .now_ns = 12345 };
	struct xx_progress *p = meter(&screen, (struct xx_progress_options){ .what = "discard", .total = 4 * XX_GIB });

	pass(&screen, 2000);
	xx_progress_add(p, XX_GIB);
	cr_assert_str_eq(screen.text, "discard: 1 GiB of 4 GiB (25 %), 512 MiB/s, 0:06 left");
	cr_assert_eq(screen.state.done, XX_GIB);
	cr_assert_eq(screen.state.rate, 512 * XX_MIB);
	cr_assert_eq(screen.state.left_ms, 6000);
	pass(&screen, 6000);
	xx_progress_add(p, 3 * XX_GIB);
	cr_assert_str_eq(screen.text, "discard: 4 GiB of 4 GiB (100 %), 512 MiB/s, 0:00 left");
	xx_progress_finish(p);
	cr_assert_str_eq(screen.text, "discard: 4 GiB of 4 GiB (100 %), 512 MiB/s");
	cr_assert(screen.state.finished);
	xx_progress_destroy(p);
}

Test(progress, hours_and_items)
{
	struct screen screen = { 0 };
	struct xx_progress *p =
		meter(&screen, (struct xx_progress_options){ .what = "groups", .total = 7300000, .items = true });

	pass(&screen, 1000);
	xx_progress_add(p, 1000);
	cr_assert_str_eq(screen.text, "groups: 1000 of 7300000 (0 %), 1000/s, 2:01:39 left");
	xx_progress_destroy(p);
}

Test(progress, total_unknown)
{
	struct screen screen = { 0 };
	struct xx_progress *p = meter(&screen, (struct xx_progress_options){ .what = "read", .items = true });

	xx_progress_add(p, 5);
	cr_assert_str_eq(screen.text, "read: 5, 0/s");
	cr_assert_eq(screen.state.left_ms, UINT64_MAX);
	xx_progress_set_total(p, 10);
	pass(&screen, 500);
	xx_progress_add(p, 0);
	cr_assert_str_eq(screen.text, "read: 5 of 10 (50 %), 10/s, 0:01 left");
	xx_progress_destroy(p);
}

Test(progress, draws_only_when_it_is_time)
{
	struct screen screen = { 0 };
	struct xx_progress *p =
		meter(&screen, (struct xx_progress_options){ .total = 100, .delay_ms = 1000, .interval_ms = 200 });

	pass(&screen, 999);
	xx_progress_add(p, 1);
	cr_assert_eq(screen.draws, 0);
	pass(&screen, 1);
	xx_progress_add(p, 1);
	xx_progress_add(p, 1);
	cr_assert_eq(screen.draws, 1);
	pass(&screen, 199);
	xx_progress_add(p, 1);
	cr_assert_eq(screen.draws, 1);
	pass(&screen, 1);
	xx_progress_add(p, 1);
	cr_assert_eq(screen.draws, 2);
	xx_progress_finish(p);
	cr_assert_eq(screen.draws, 3, "the end is always drawn");
	cr_assert_eq(screen.state.done, 5);
	xx_progress_finish(p);
	xx_progress_add(p, 1);
	cr_assert_eq(screen.draws, 3);
	xx_progress_destroy(p);
}

Test(progress, what_is_quick_is_never_drawn)
{
	struct screen screen = { 0 };
	struct xx_progress *p = meter(&screen, (struct xx_progress_options){ .total = 1, .delay_ms = 1000 });

	xx_progress_add(p, 1);
	pass(&screen, 5000);
	xx_progress_finish(p);
	cr_assert_eq(screen.draws, 0);
	xx_progress_destroy(p);
}

Test(progress, largest_numbers)
{
	struct screen screen = { 0 };
	struct xx_progress *p =
		meter(&screen, (struct xx_progress_options){ .what = "all", .total = UINT64_MAX, .delay_ms = 1 });

	pass(&screen, 1);
	xx_progress_add(p, UINT64_MAX - 1);
	cr_assert_eq(screen.state.rate, UINT64_MAX);
	cr_assert_eq(screen.state.left_ms, 0);
	cr_assert_str_eq(screen.text, "all: 16 EiB of 16 EiB (99 %), 16 EiB/s, 0:00 left");
	xx_progress_set_total(p, 1);
	pass(&screen, 1);
	xx_progress_add(p, 0);
	cr_assert_str_eq(screen.text, "all: 16 EiB of 1 B (100 %), 16 EiB/s, 0:00 left");
	xx_progress_destroy(p);
}

Test(progress, long_names_are_cut)
{
	struct screen screen = { 0 };
	char name[400];
	struct xx_progress *p;

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	p = meter(&screen, (struct xx_progress_options){ .what = name });
	xx_progress_add(p, 1);
	cr_assert_eq(strlen(screen.text), 255);
	xx_progress_destroy(p);
}

Test(progress, no_meter)
{
	struct xx_progress_state state;
	struct xx_progress *p;

	xx_progress_add(NULL, 1);
	xx_progress_set_total(NULL, 1);
	xx_progress_finish(NULL);
	xx_progress_destroy(NULL);
	xx_progress_get(NULL, &state);
	cr_assert_eq(state.done, 0);
	cr_assert_eq(xx_progress_create(&(struct xx_progress_options){ .total = 9 }, &p), 0);
	xx_progress_add(p, 4);
	xx_progress_finish(p);
	xx_progress_get(p, &state);
	cr_assert_eq(state.done, 4);
	cr_assert_eq(state.total, 9);
	cr_assert_str_eq(state.what, "");
	cr_assert(state.finished);
	xx_progress_destroy(p);
}
