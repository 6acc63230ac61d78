/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.h - what time it is, handed in so that two runs can make the same bytes.
 */
#ifndef XX_CLOCK_H
#define XX_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <xx/compiler.h>

/* Initialised to zeros it is the real time. Copied freely. */
struct xx_clock {
	bool fixed;
	struct timespec at; /* the time that it always is, when fixed */
};

/*
 * @epoch is the value of SOURCE_DATE_EPOCH: seconds since 1970 in decimal, from 0 on; NULL is the real time. 0,
 * -EINVAL when it is no such number, -ERANGE when it does not fit.
 * Source: the specification of SOURCE_DATE_EPOCH at reproducible-builds.org.
 */
XX_API XX_MUST_CHECK int xx_clock_init(struct xx_clock *clock, const char *epoch);

/* The time of day for what is stored. Nanoseconds are 0 when the clock is fixed. */
XX_API struct timespec xx_clock_now(const struct xx_clock *clock);

/* Nanoseconds of the monotonic clock, for measuring how long something takes; never fixed. */
XX_API uint64_t xx_clock_monotonic(void);

#endif
