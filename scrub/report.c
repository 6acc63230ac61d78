/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.c - what is known of a scrub, for people.
 */
#include <inttypes.h>
#include <string.h>

#include "scrub/report.h"

/* Appends to a text of SCRUB_SUMMARY_TEXT bytes. */
static void append(char *text, const char *name, uint64_t number)
{
	size_t length = strlen(text);

	snprintf(text + length, SCRUB_SUMMARY_TEXT - length, "%s%s=%" PRIu64, length ? " " : "", name, number);
}

static const char *found_text(char text[SCRUB_SUMMARY_TEXT], const struct scrub_counts *counts)
{
	*text = '\0';
	for (unsigned kind = 0; kind < SCRUB_KINDS; kind++) {
		if (counts->found[kind])
			append(text, scrub_kind_name(kind), counts->found[kind]);
	}
	if (counts->write_errors)
		append(text, "write", counts->write_errors);
	return text;
}

const char *scrub_report_summary(char text[SCRUB_SUMMARY_TEXT], const struct scrub_record *record)
{
	if (scrub_record_is_clean(record))
		return strcpy(text, "no errors found");
	if (*found_text(text, &record->total))
		return text;
	if (record->state != SCRUB_FINISHED)
		return strcpy(text, "none so far; not all was read yet");
	return strcpy(text, "none in what could be verified; not all could be");
}

static void field(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%-18s%s\n", name, value);
}

static void number_field(FILE *out, const char *name, uint64_t number)
{
	fprintf(out, "%-18s%" PRIu64 "\n", name, number);
}

static void show_raw(FILE *out, const struct scrub_counts *counts)
{
	for (unsigned kind = 0; kind < SCRUB_KINDS; kind++)
		fprintf(out, "\tfound_%s: %" PRIu64 "\n", scrub_kind_name(kind), counts->found[kind]);
	for (size_t i = 0; i < scrub_counter_count; i++)
		fprintf(out, "\t%s: %" PRIu64 "\n", scrub_counters[i].name,
			*(const uint64_t *)((const char *)counts + scrub_counters[i].offset));
}

static void show_amounts(FILE *out, uint64_t done, uint64_t total, const struct scrub_units *units)
{
	char size[SCRUB_TEXT], percent[SCRUB_TEXT];

	field(out, "Total to scrub:", scrub_text_size(size, units, total));
	fprintf(out, "%-18s%s  (%s)\n", "Bytes scrubbed:", scrub_text_size(size, units, done),
		scrub_text_percent(percent, done, total));
}

static void show_outcomes(FILE *out, const struct scrub_counts *counts, const struct scrub_units *units)
{
	char size[SCRUB_TEXT];

	if (scrub_counts_found(counts)) {
		number_field(out, "  Corrected:", counts->corrected);
		number_field(out, "  Repairable:", counts->repairable);
		number_field(out, "  Uncorrectable:", counts->uncorrectable);
	}
	if (counts->unverified_bytes)
		field(out, "  Unverified:", scrub_text_size(size, units, counts->unverified_bytes));
}

static void show_rate(FILE *out, const struct scrub_record *record, const struct scrub_units *units)
{
	char size[SCRUB_TEXT], limit[SCRUB_TEXT];

	fprintf(out, "%-18s%s/s", "Rate:", scrub_text_size(size, units, record->rate));
	if (record->limit)
		fprintf(out, " (limit %s/s for each device)", scrub_text_size(limit, units, record->limit));
	fputc('\n', out);
}

static void show_left(FILE *out, const struct scrub_record *record)
{
	uint64_t left = scrub_text_left(record->bytes_done, record->bytes_total, record->rate);
	char text[SCRUB_TEXT];

	if (left == UINT64_MAX) {
		field(out, "Time left:", "unknown");
		return;
	}
	field(out, "Time left:", scrub_text_duration(text, left));
	field(out, "ETA:", scrub_text_time(text, record->updated + left));
}

static void show_mode(FILE *out, const struct scrub_record *record)
{
	const char *what = record->skip_data ? "metadata only" : record->skip_metadata ? "data only" : NULL;

	if (record->read_only || what)
		fprintf(out, "%-18s%s%s%s\n", "Mode:", record->read_only ? "read-only" : "",
			record->read_only && what ? ", " : "", what ? what : "");
	if (record->changed)
		field(out, "Note:", "the file system was changed between two runs of this scrub");
}

static void show_device(FILE *out, const struct scrub_record_device *device, const struct scrub_report_options *options)
{
	char text[SCRUB_SUMMARY_TEXT];

	fprintf(out, "\nDevice %" PRIu64 ":%s%s%s\n", device->devid, device->missing ? " missing" : " ", device->path,
		device->failed ? " (failed)" : "");
	show_amounts(out, device->bytes_done, device->bytes_total, &options->units);
	if (options->raw) {
		show_raw(out, &device->counts);
		fprintf(out, "\tlast_physical: %" PRIu64 "\n", device->last_physical);
		return;
	}
	field(out, "Error summary:", *found_text(text, &device->counts) ? text : "none counted");
	show_outcomes(out, &device->counts, &options->units);
}

void scrub_report_text(FILE *out, const struct scrub_record *record, const struct scrub_report_options *options)
{
	char text[SCRUB_SUMMARY_TEXT], time[SCRUB_TEXT];

	field(out, "UUID:", record->fsid);
	field(out, record->resumed ? "Scrub resumed:" : "Scrub started:", scrub_text_time(time, record->started));
	field(out, "Status:", scrub_run_state_name(record->state));
	if (record->reason)
		field(out, "Reason:", record->reason);
	show_mode(out, record);
	field(out, "Duration:", scrub_text_duration(time, record->duration_ms / 1000));
	if (record->state == SCRUB_RUNNING)
		show_left(out, record);
	show_amounts(out, record->bytes_done, record->bytes_total, &options->units);
	show_rate(out, record, &options->units);
	if (scrub_record_missing(record))
		number_field(out, "Missing devices:", scrub_record_missing(record));
	if (options->raw) {
		show_raw(out, &record->total);
	} else {
		field(out, "Error summary:", scrub_report_summary(text, record));
		show_outcomes(out, &record->total, &options->units);
	}
	for (size_t i = 0; options->per_device && i < record->device_count; i++)
		show_device(out, &record->devices[i], options);
}
