/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * values.c - reads and shows numbers and sizes as the command line has them.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xx/units.h>

#include "tools/values.h"

static const char binary_suffixes[] = "kmgtpe";

/* The factor of a suffix; 0: it cannot be used. */
static uint64_t suffix_factor(char suffix, const struct tool_units *units)
{
	int c = tolower((unsigned char)suffix);
	const char *at = strchr(binary_suffixes, c);

	if (!units->suffixes)
		return 0;
	if (c == 'b')
		return units->block;
	if (c == 's')
		return units->sector;
	return at && c != '\0' ? UINT64_C(1) << (10 * (at - binary_suffixes + 1)) : 0;
}

int tool_value_parse(const char *text, const struct tool_units *units, uint64_t *value)
{
	const char *start = text + strspn(text, " \t");
	uint64_t number, factor;
	char *end;

	errno = 0;
	number = strtoull(start, &end, 0);
	if (end == start)
		return -EINVAL;
	if (errno == ERANGE || (*start == '-' && number != 0))
		return -ERANGE;
	if (*end != '\0') {
		factor = end[1] == '\0' ? suffix_factor(*end, units) : 0;
		if (factor == 0)
			return -EDOM;
		if (xx_mul_checked(number, factor, &number) != 0)
			return -ERANGE;
	}
	*value = number;
	return 0;
}

bool tool_value_is_in_sectors(const char *text)
{
	size_t length = strlen(text);

	return length > 0 && tolower((unsigned char)text[length - 1]) == 's';
}

const char *tool_value_format(char buf[TOOL_VALUE_TEXT], uint64_t value)
{
	unsigned suffix = 0;

	while (value != 0 && value % 1024 == 0 && suffix < sizeof(binary_suffixes) - 1) {
		value /= 1024;
		suffix++;
	}
	snprintf(buf, TOOL_VALUE_TEXT, suffix ? "%" PRIu64 "%c" : "%" PRIu64, value,
		 suffix ? binary_suffixes[suffix - 1] : 0);
	return buf;
}
