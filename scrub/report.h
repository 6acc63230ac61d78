/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - what is known of a scrub, for people and as JSON.
 */
#ifndef SCRUB_REPORT_H
#define SCRUB_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "scrub/filelist.h"
#include "scrub/record.h"
#include "scrub/text.h"

struct scrub_report_options {
	struct scrub_units units;
	bool per_device;
	bool raw; /* all counters */
};

/* The fields of `btrfs scrub status`, and some more. */
void scrub_report_text(FILE *out, const struct scrub_record *record, const struct scrub_report_options *options);

/* "no errors found" when that is so; else what was found, in a few words. @text has SCRUB_SUMMARY_TEXT bytes. */
#define SCRUB_SUMMARY_TEXT 256
const char *scrub_report_summary(char text[SCRUB_SUMMARY_TEXT], const struct scrub_record *record);

/*
 * One object; with @dir the damaged files as its "files". See xxscrub(8) for its keys. 0 or a negative errno: no memory,
 * or the list of files cannot be read.
 */
XX_MUST_CHECK int scrub_report_json(FILE *out, const struct scrub_record *record, const struct scrub_statedir *dir);

#endif
