/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - amounts and times for people, and names that may hold any byte for lines of text.
 */
#ifndef SCRUB_TEXT_H
#define SCRUB_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <xx/compiler.h>

/* How amounts of bytes are shown: those of `btrfs scrub status`. */
struct scrub_units {
	bool si; /* powers of 1,000 */
	char unit; /* 'B' plain bytes, 'k', 'm', 'g', 't'; 0: the one that fits */
};

#define SCRUB_TEXT 32

/* "1.50GiB", "1.61GB", "1610612736". */
const char *scrub_text_size(char buf[SCRUB_TEXT], const struct scrub_units *units, uint64_t bytes);

/* "1:02:03". */
const char *scrub_text_duration(char buf[SCRUB_TEXT], uint64_t seconds);

/* Local time, "Mon Nov 30 23:59:04 2026". */
const char *scrub_text_time(char buf[SCRUB_TEXT], uint64_t seconds_since_1970);

/* Percent with two digits, of which 100.00 is shown only when all is done. */
const char *scrub_text_percent(char buf[SCRUB_TEXT], uint64_t done, uint64_t total);

/* Seconds that are left at this rate; UINT64_MAX: cannot be told. */
uint64_t scrub_text_left(uint64_t done, uint64_t total, uint64_t rate);

/* Writes @text so that no byte of it ends a field or a line: blanks, control characters and % become %XX. */
void scrub_text_escape(FILE *out, const char *text);

/* Undoes that, in place. 0, or -EBADMSG: a % without two digits, or of a zero byte. */
XX_MUST_CHECK int scrub_text_unescape(char *text);

/* A decimal number and nothing else: 0, -EBADMSG. */
XX_MUST_CHECK int scrub_text_number(const char *text, uint64_t *out);

/* Bytes of the UTF-8 character that @text begins with; 0: it is none. */
unsigned scrub_text_utf8_length(const char *text);

#endif
