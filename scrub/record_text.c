/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_text.c - records of scrubs as text, and back.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uuid.h>

#include "scrub/record.h"
#include "scrub/text.h"

#define MAGIC "xxscrub"

/* --- Writing --- */

static void write_counts(FILE *out, const struct scrub_counts *counts)
{
	for (unsigned kind = 0; kind < SCRUB_KINDS; kind++) {
		if (counts->found[kind])
			fprintf(out, " found_%s=%" PRIu64, scrub_kind_name(kind), counts->found[kind]);
	}
	for (size_t i = 0; i < scrub_counter_count; i++) {
		const uint64_t *value = (const uint64_t *)((const char *)counts + scrub_counters[i].offset);

		if (*value)
			fprintf(out, " %s=%" PRIu64, scrub_counters[i].name, *value);
	}
	fputc('\n', out);
}

static void write_device(FILE *out, const struct scrub_record_device *device)
{
	fprintf(out, "device %" PRIu64 " %c ", device->devid, device->missing ? 'm' : device->failed ? 'f' : '-');
	fputc('/', out); /* so that an empty path is a word too */
	scrub_text_escape(out, device->path);
	fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64, device->bytes_done, device->bytes_total,
		device->last_physical);
	write_counts(out, &device->counts);
}

static void write_record(FILE *out, const struct scrub_record *record)
{
	fprintf(out, MAGIC " %d\n", SCRUB_RECORD_VERSION);
	fprintf(out, "fsid %s\nstate %s\n", record->fsid, scrub_run_state_name(record->state));
	fprintf(out, "started %" PRIu64 "\nupdated %" PRIu64 "\nduration_ms %" PRIu64 "\n", record->started,
		record->updated, record->duration_ms);
	fprintf(out, "read_only %d\nskip_data %d\nskip_metadata %d\nresumed %d\nchanged %d\n", record->read_only,
		record->skip_data, record->skip_metadata, record->resumed, record->changed);
	fprintf(out, "limit %" PRIu64 "\nbytes_done %" PRIu64 "\nbytes_total %" PRIu64 "\nrate %" PRIu64 "\n",
		record->limit, record->bytes_done, record->bytes_total, record->rate);
	fprintf(out, "files_length %" PRIu64 "\n", record->files_length);
	if (record->reason) {
		fputs("reason ", out);
		scrub_text_escape(out, record->reason);
		fputc('\n', out);
	}
	fprintf(out, "generation %" PRIu64 "\nsupers %d\nsums %d\n", record->generation, record->supers, record->sums);
	for (size_t i = 0; i < record->range_count; i++)
		fprintf(out, "range %" PRIu64 " %" PRIu64 "\n", record->ranges[i].start, record->ranges[i].length);
	fputs("total", out);
	write_counts(out, &record->total);
	fputs("nowhere", out);
	write_counts(out, &record->nowhere);
	for (size_t i = 0; i < record->device_count; i++)
		write_device(out, &record->devices[i]);
	fputs("end\n", out);
}

int scrub_record_format(const struct scrub_record *record, char **text, size_t *length)
{
	FILE *out = open_memstream(text, length);

	if (!out)
		return -ENOMEM;
	write_record(out, record);
	if (fclose(out) != 0) {
		free(*text);
		*text = NULL;
		return -ENOMEM;
	}
	return 0;
}

/* --- Reading --- */

/* The next word of a line; NULL: there is none. */
static char *next_word(char **line)
{
	return strsep(line, " ");
}

static int next_number(char **line, uint64_t *out)
{
	const char *word = next_word(line);

	return word ? scrub_text_number(word, out) : -EBADMSG;
}

static int read_flag(char **line, bool *out)
{
	uint64_t number;

	if (next_number(line, &number) != 0 || number > 1)
		return -EBADMSG;
	*out = number;
	return 0;
}

static uint64_t *find_counter(struct scrub_counts *counts, const char *name)
{
	if (strncmp(name, "found_", 6) == 0) {
		for (unsigned kind = 0; kind < SCRUB_KINDS; kind++) {
			if (strcmp(name + 6, scrub_kind_name(kind)) == 0)
				return &counts->found[kind];
		}
		return NULL;
	}
	for (size_t i = 0; i < scrub_counter_count; i++) {
		if (strcmp(name, scrub_counters[i].name) == 0)
			return (uint64_t *)((char *)counts + scrub_counters[i].offset);
	}
	return NULL;
}

static int read_counts(char **line, struct scrub_counts *counts)
{
	char *word;

	while ((word = next_word(line))) {
		char *name = strsep(&word, "=");
		uint64_t *counter = find_counter(counts, name);

		if (!counter || !word || scrub_text_number(word, counter) != 0)
			return -EBADMSG;
	}
	return 0;
}

/* Room for one more of a list; lists double, so @count alone says when they are full. */
static int grow(void **list, size_t count, size_t size)
{
	void *more;

	if (count & (count - 1))
		return 0;
	more = realloc(*list, (count ? 2 * count : 1) * size);
	if (!more)
		return -ENOMEM;
	*list = more;
	return 0;
}

static int read_range(char **line, struct scrub_record *record)
{
	struct scrub_range range;
	uint64_t end;

	if (next_number(line, &range.start) != 0 || next_number(line, &range.length) != 0 || range.length == 0 ||
	    __builtin_add_overflow(range.start, range.length, &end))
		return -EBADMSG;
	if (record->range_count) {
		const struct scrub_range *last = &record->ranges[record->range_count - 1];

		if (range.start <= last->start + last->length)
			return -EBADMSG;
	}
	if (grow((void **)&record->ranges, record->range_count, sizeof(range)) != 0)
		return -ENOMEM;
	record->ranges[record->range_count++] = range;
	return 0;
}

static int read_device(char **line, struct scrub_record *record)
{
	struct scrub_record_device device = { 0 };
	const char *flag;
	char *path;
	int ret;

	if (next_number(line, &device.devid) != 0 || !(flag = next_word(line)) || !(path = next_word(line)))
		return -EBADMSG;
	if (strlen(flag) != 1 || !strchr("-mf", *flag) || *path != '/' || scrub_text_unescape(path + 1) != 0)
		return -EBADMSG;
	if (record->device_count && record->devices[record->device_count - 1].devid >= device.devid)
		return -EBADMSG;
	device.missing = *flag == 'm';
	device.failed = *flag == 'f';
	if (next_number(line, &device.bytes_done) != 0 || next_number(line, &device.bytes_total) != 0 ||
	    next_number(line, &device.last_physical) != 0 || device.bytes_done > device.bytes_total)
		return -EBADMSG;
	ret = read_counts(line, &device.counts);
	if (ret == 0)
		ret = grow((void **)&record->devices, record->device_count, sizeof(device));
	if (ret)
		return ret;
	device.path = strdup(path + 1);
	if (!device.path)
		return -ENOMEM;
	record->devices[record->device_count++] = device;
	return 0;
}

static int read_fsid(char **line, struct scrub_record *record)
{
	const char *word = next_word(line);
	uuid_t uuid;

	if (!word || strlen(word) != sizeof(record->fsid) - 1 || uuid_parse(word, uuid) != 0)
		return -EBADMSG;
	uuid_unparse_lower(uuid, record->fsid);
	return 0;
}

static int read_state(char **line, struct scrub_record *record)
{
	const char *word = next_word(line);

	for (unsigned state = 0; word && state < SCRUB_INTERRUPTED; state++) {
		if (strcmp(word, scrub_run_state_name(state)) == 0) {
			record->state = state;
			return 0;
		}
	}
	return -EBADMSG;
}

static int read_reason(char **line, struct scrub_record *record)
{
	char *word = next_word(line);

	if (!word || record->reason || scrub_text_unescape(word) != 0)
		return -EBADMSG;
	record->reason = strdup(word);
	return record->reason ? 0 : -ENOMEM;
}

/* The lines that are one number, or one flag. */
static const struct {
	const char *name;
	size_t offset; /* in struct scrub_record */
	bool flag; /* a bool, else a uint64_t */
} facts[] = {
	{ "started", offsetof(struct scrub_record, started), false },
	{ "updated", offsetof(struct scrub_record, updated), false },
	{ "duration_ms", offsetof(struct scrub_record, duration_ms), false },
	{ "read_only", offsetof(struct scrub_record, read_only), true },
	{ "skip_data", offsetof(struct scrub_record, skip_data), true },
	{ "skip_metadata", offsetof(struct scrub_record, skip_metadata), true },
	{ "resumed", offsetof(struct scrub_record, resumed), true },
	{ "changed", offsetof(struct scrub_record, changed), true },
	{ "limit", offsetof(struct scrub_record, limit), false },
	{ "bytes_done", offsetof(struct scrub_record, bytes_done), false },
	{ "bytes_total", offsetof(struct scrub_record, bytes_total), false },
	{ "rate", offsetof(struct scrub_record, rate), false },
	{ "files_length", offsetof(struct scrub_record, files_length), false },
	{ "generation", offsetof(struct scrub_record, generation), false },
	{ "supers", offsetof(struct scrub_record, supers), true },
	{ "sums", offsetof(struct scrub_record, sums), true },
};

static int read_fact(const char *name, char **line, struct scrub_record *record)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(facts); i++) {
		char *field = (char *)record + facts[i].offset;

		if (strcmp(name, facts[i].name) == 0)
			return facts[i].flag ? read_flag(line, (bool *)field) : next_number(line, (uint64_t *)field);
	}
	return -EBADMSG;
}

/* The lines with a reader of their own. */
static const struct {
	const char *name;
	int (*read)(char **line, struct scrub_record *record);
} readers[] = {
	{ "fsid", read_fsid },	 { "state", read_state },   { "reason", read_reason },
	{ "range", read_range }, { "device", read_device },
};

static int read_line(char *line, struct scrub_record *record)
{
	char *name = next_word(&line);
	int ret = -EBADMSG;
	size_t i;

	for (i = 0; i < XX_ARRAY_SIZE(readers); i++) {
		if (strcmp(name, readers[i].name) == 0)
			break;
	}
	if (i < XX_ARRAY_SIZE(readers))
		ret = readers[i].read(&line, record);
	else if (strcmp(name, "total") == 0)
		ret = read_counts(&line, &record->total);
	else if (strcmp(name, "nowhere") == 0)
		ret = read_counts(&line, &record->nowhere);
	else
		ret = read_fact(name, &line, record);
	return ret ? ret : line ? -EBADMSG : 0;
}

static int read_head(char *line)
{
	uint64_t version;

	if (!line || strcmp(next_word(&line), MAGIC) != 0 || next_number(&line, &version) != 0)
		return -EBADMSG;
	return version == SCRUB_RECORD_VERSION ? 0 : -EOPNOTSUPP;
}

int scrub_record_parse(char *text, size_t length, struct scrub_record *out)
{
	char *line;
	int ret;

	*out = (struct scrub_record){ 0 };
	if (strlen(text) != length)
		return -EBADMSG;
	ret = read_head(strsep(&text, "\n"));
	while (ret == 0) {
		line = strsep(&text, "\n");
		if (!line || !text)
			return -EBADMSG; /* cut short: the last line ends in a newline, and is "end" */
		if (strcmp(line, "end") == 0)
			break;
		ret = read_line(line, out);
	}
	if (ret == 0 && (*text != '\0' || out->fsid[0] == '\0' || out->bytes_done > out->bytes_total))
		ret = -EBADMSG;
	return ret;
}
