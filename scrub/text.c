/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.c - amounts, times and names as text.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scrub/text.h"

static const char unit_letters[] = "kmgtpe";

const char *scrub_text_size(char buf[SCRUB_TEXT], const struct scrub_units *units, uint64_t bytes)
{
	const char *wanted = units->unit ? strchr(unit_letters, units->unit) : NULL;
	unsigned step = units->si ? 1000 : 1024, power = 0;
	double value = (double)bytes;

	if (units->unit == 'B') {
		snprintf(buf, SCRUB_TEXT, "%" PRIu64, bytes);
		return buf;
	}
	while (wanted ? power <= (unsigned)(wanted - unit_letters) : value >= step && power < strlen(unit_letters)) {
		value /= step;
		power++;
	}
	if (power == 0)
		snprintf(buf, SCRUB_TEXT, "%" PRIu64 "B", bytes);
	else if (units->si)
		snprintf(buf, SCRUB_TEXT, "%.2f%cB", value,
			 power == 1 ? 'k' : toupper((unsigned char)unit_letters[power - 1]));
	else
		snprintf(buf, SCRUB_TEXT, "%.2f%ciB", value, toupper((unsigned char)unit_letters[power - 1]));
	return buf;
}

const char *scrub_text_duration(char buf[SCRUB_TEXT], uint64_t seconds)
{
	snprintf(buf, SCRUB_TEXT, "%" PRIu64 ":%02u:%02u", seconds / 3600, (unsigned)(seconds / 60 % 60),
		 (unsigned)(seconds % 60));
	return buf;
}

const char *scrub_text_time(char buf[SCRUB_TEXT], uint64_t seconds_since_1970)
{
	time_t when = (time_t)seconds_since_1970;
	struct tm tm;

	if (!localtime_r(&when, &tm) || strftime(buf, SCRUB_TEXT, "%a %b %e %H:%M:%S %Y", &tm) == 0)
		snprintf(buf, SCRUB_TEXT, "%" PRIu64, seconds_since_1970);
	return buf;
}

const char *scrub_text_percent(char buf[SCRUB_TEXT], uint64_t done, uint64_t total)
{
	double percent = total ? 100.0 * (double)done / (double)total : 100.0;

	if (done < total && percent > 99.99)
		percent = 99.99;
	snprintf(buf, SCRUB_TEXT, "%.2f%%", percent);
	return buf;
}

uint64_t scrub_text_left(uint64_t done, uint64_t total, uint64_t rate)
{
	uint64_t left = total > done ? total - done : 0;

	if (left == 0)
		return 0;
	return rate ? left / rate + (left % rate != 0) : UINT64_MAX;
}

void scrub_text_escape(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c <= ' ' || c == '%' || c == 0x7f)
			fprintf(out, "%%%02x", c);
		else
			fputc(c, out);
	}
}

int scrub_text_unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		char digits[3] = { 0 };

		if (*text != '%') {
			*to++ = *text;
			continue;
		}
		if (!isxdigit((unsigned char)text[1]) || !isxdigit((unsigned char)text[2]))
			return -EBADMSG;
		memcpy(digits, text + 1, 2);
		*to = (char)strtoul(digits, NULL, 16);
		if (*to == '\0')
			return -EBADMSG;
		to++;
		text += 2;
	}
	*to = '\0';
	return 0;
}

int scrub_text_number(const char *text, uint64_t *out)
{
	uint64_t value = 0;

	if (*text == '\0')
		return -EBADMSG;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -EBADMSG;
		if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
			return -EBADMSG;
	}
	*out = value;
	return 0;
}

unsigned scrub_text_utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned length;
	uint32_t code;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		length = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		length = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		length = 4;
	else
		return 0;
	code = s[0] & (0xffu >> (length + 1));
	for (unsigned i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return length;
}
