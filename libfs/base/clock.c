/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.c - the real time, or the one that SOURCE_DATE_EPOCH fixes.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <xx/clock.h>

_Static_assert(sizeof(time_t) == sizeof(long long), "time_t has 64 bits");

int xx_clock_init(struct xx_clock *clock, const char *epoch)
{
	struct xx_clock result = { .fixed = epoch != NULL };
	char *end;

	if (epoch) {
		/* strtoll would take blanks and signs */
		if (!isdigit((unsigned char)epoch[0]))
			return -EINVAL;
		errno = 0;
		result.at.tv_sec = strtoll(epoch, &end, 10);
		if (*end)
			return -EINVAL;
		if (errno)
			return -errno;
	}
	*clock = result;
	return 0;
}

struct timespec xx_clock_now(const struct xx_clock *clock)
{
	struct timespec now = clock->at;

	if (!clock->fixed)
		clock_gettime(CLOCK_REALTIME, &now);
	return now;
}

uint64_t xx_clock_monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
