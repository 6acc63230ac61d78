/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scrub_state.c - fuzzes what xxscrub reads from its state directory: records, and lists of damaged files.
 *
 * A record that is taken is written, read again, and must be the same; its report and its JSON are made. The input is
 * read as a list of files too, line by line, and as notes of repairs.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scrub/filelist.h"
#include "scrub/record.h"
#include "scrub/repairs.h"
#include "scrub/report.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *nowhere;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	nowhere = fopen("/dev/null", "w");
	if (!nowhere)
		abort();
	return 0;
}

/* What is written is what was read. */
static void check_again(const struct scrub_record *record)
{
	char *first, *second;
	size_t first_length, second_length;
	struct scrub_record again;

	assert(scrub_record_format(record, &first, &first_length) == 0);
	second = strdup(first);
	assert(second);
	assert(scrub_record_parse(second, first_length, &again) == 0);
	free(second);
	assert(scrub_record_format(&again, &second, &second_length) == 0);
	assert(first_length == second_length && memcmp(first, second, first_length) == 0);
	free(first);
	free(second);
	scrub_record_release(&again);
}

static void show(const struct scrub_record *record)
{
	const struct scrub_report_options options = { .per_device = true, .raw = record->generation & 1 };

	scrub_report_text(nowhere, record, &options);
	assert(scrub_report_json(nowhere, record, NULL) == 0);
	assert(scrub_record_exit(record) >= 0 && scrub_record_exit(record) <= 3);
	for (size_t i = 1; i < record->range_count; i++)
		assert(record->ranges[i].start > record->ranges[i - 1].start + record->ranges[i - 1].length);
	assert(record->bytes_done <= record->bytes_total);
}

static void read_lines(char *text)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		struct scrub_file file;

		if (scrub_filelist_parse(line, &file) != 0)
			continue;
		scrub_filelist_show(nowhere, &file, false);
		scrub_filelist_show(nowhere, &file, true);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scrub_intent *intents;
	struct scrub_record record;
	char *text = malloc(size + 1);
	size_t count;

	assert(text);
	memcpy(text, data, size);
	text[size] = '\0';
	if (scrub_record_parse(text, size, &record) == 0) {
		check_again(&record);
		show(&record);
	}
	scrub_record_release(&record);
	memcpy(text, data, size);
	read_lines(text);
	memcpy(text, data, size);
	if (scrub_repairs_parse(text, &intents, &count) == 0)
		free(intents);
	free(text);
	return 0;
}
