/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * values.h - how numbers and sizes are written on the command line and in configuration files.
 *
 * A number is decimal, hexadecimal (0x) or octal (a leading 0). A size may end in one letter, of either case:
 * s sectors, b file system blocks, k m g t p e powers of 1,024.
 */
#ifndef TOOL_VALUES_H
#define TOOL_VALUES_H

#include <stdbool.h>
#include <stdint.h>

/* What the suffixes of a value mean; a unit of 0 cannot be used. */
struct tool_units {
	bool suffixes; /* k to e may be used */
	uint32_t block, sector; /* bytes, of b and s */
};

/*
 * Reads text as a number. 0, or -EINVAL: no number at all; -EDOM: a suffix that is unknown or not allowed here;
 * -ERANGE: below 0, or more than 64 bits hold. value is set only on success.
 */
int tool_value_parse(const char *text, const struct tool_units *units, uint64_t *value)
	__attribute__((warn_unused_result));

/* True if the value is counted in sectors. */
bool tool_value_is_in_sectors(const char *text);

#define TOOL_VALUE_TEXT 24

/* Writes value as a size, with the largest suffix (k to e) of which it is a multiple: "16m", "65536" is "64k". */
const char *tool_value_format(char buf[TOOL_VALUE_TEXT], uint64_t value);

#endif
