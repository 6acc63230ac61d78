/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_json.c - what is known of a scrub, as one JSON object.
 *
 * Damaged files can be many: they are written one by one, behind the other members of the object.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <json.h>

#include "scrub/report.h"

/* Members that could not be made are seen at the end: json-c says so only here. */
struct builder {
	int error;
};

static void put(struct builder *b, struct json_object *object, const char *key, struct json_object *value)
{
	if (!value || json_object_object_add(object, key, value) != 0) {
		json_object_put(value);
		b->error = -ENOMEM;
	}
}

static void put_number(struct builder *b, struct json_object *object, const char *key, uint64_t number)
{
	put(b, object, key, json_object_new_uint64(number));
}

static void put_flag(struct builder *b, struct json_object *object, const char *key, bool flag)
{
	put(b, object, key, json_object_new_boolean(flag));
}

/* U+FFFD for each byte that is part of no character of UTF-8. */
static char *clean_text(const char *text)
{
	char *clean = NULL;
	size_t length;
	FILE *out = open_memstream(&clean, &length);

	if (!out)
		return NULL;
	while (*text) {
		unsigned bytes = scrub_text_utf8_length(text);

		if (bytes)
			fwrite(text, 1, bytes, out);
		else
			fputs("\xef\xbf\xbd", out);
		text += bytes ? bytes : 1;
	}
	return fclose(out) == 0 ? clean : NULL;
}

static char *hex_text(const char *text)
{
	char *hex = malloc(2 * strlen(text) + 1), *at = hex;

	if (!hex)
		return NULL;
	*hex = '\0';
	for (; *text; text++)
		at += sprintf(at, "%02x", (unsigned char)*text);
	return hex;
}

/* A name that need not be UTF-8: what is not shows as U+FFFD, and KEY_hex has the bytes. */
static void put_name(struct builder *b, struct json_object *object, const char *key, const char *name)
{
	char *clean = clean_text(name), *hex = NULL, hex_key[32];

	put(b, object, key, clean ? json_object_new_string(clean) : NULL);
	if (clean && strcmp(clean, name) != 0) {
		hex = hex_text(name);
		snprintf(hex_key, sizeof(hex_key), "%s_hex", key);
		put(b, object, hex_key, hex ? json_object_new_string(hex) : NULL);
	}
	free(clean);
	free(hex);
}

static void put_counts(struct builder *b, struct json_object *object, const struct scrub_counts *counts)
{
	struct json_object *found = json_object_new_object();

	for (unsigned kind = 0; found && kind < SCRUB_KINDS; kind++)
		put_number(b, found, scrub_kind_name(kind), counts->found[kind]);
	put(b, object, "found", found);
	put_number(b, object, "corrected", counts->corrected);
	put_number(b, object, "repairable", counts->repairable);
	put_number(b, object, "uncorrectable", counts->uncorrectable);
	put_number(b, object, "unverified_bytes", counts->unverified_bytes);
	put_number(b, object, "write_errors", counts->write_errors);
}

static struct json_object *device_object(struct builder *b, const struct scrub_record_device *device)
{
	struct json_object *object = json_object_new_object();

	if (!object)
		return NULL;
	put_number(b, object, "devid", device->devid);
	if (device->missing)
		json_object_object_add(object, "path", NULL);
	else
		put_name(b, object, "path", device->path);
	put_flag(b, object, "missing", device->missing);
	put_flag(b, object, "failed", device->failed);
	put_number(b, object, "bytes_done", device->bytes_done);
	put_number(b, object, "bytes_total", device->bytes_total);
	put_counts(b, object, &device->counts);
	return object;
}

static void put_devices(struct builder *b, struct json_object *object, const struct scrub_record *record)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; list && i < record->device_count; i++) {
		struct json_object *device = device_object(b, &record->devices[i]);

		if (!device || json_object_array_add(list, device) != 0) {
			json_object_put(device);
			b->error = -ENOMEM;
		}
	}
	put(b, object, "devices", list);
}

static void put_times(struct builder *b, struct json_object *object, const struct scrub_record *record)
{
	uint64_t left = scrub_text_left(record->bytes_done, record->bytes_total, record->rate);

	put_number(b, object, "started", record->started);
	put_number(b, object, "updated", record->updated);
	put_number(b, object, "duration_ms", record->duration_ms);
	put_number(b, object, "rate", record->rate);
	put_number(b, object, "limit", record->limit);
	if (record->state == SCRUB_RUNNING && left != UINT64_MAX)
		put_number(b, object, "seconds_left", left);
}

static void put_record(struct builder *b, struct json_object *object, const struct scrub_record *record)
{
	put(b, object, "fsid", json_object_new_string(record->fsid));
	put(b, object, "state", json_object_new_string(scrub_run_state_name(record->state)));
	if (record->reason)
		put_name(b, object, "reason", record->reason);
	/* While it runs there is none. */
	if (record->state == SCRUB_RUNNING)
		json_object_object_add(object, "exit", NULL);
	else
		put(b, object, "exit", json_object_new_int(scrub_record_exit(record)));
	put_flag(b, object, "read_only", record->read_only);
	put(b, object, "selection",
	    json_object_new_string(record->skip_data	 ? "metadata" :
				   record->skip_metadata ? "data" :
							   "all"));
	put_flag(b, object, "resumed", record->resumed);
	put_flag(b, object, "changed", record->changed);
	put_times(b, object, record);
	put_number(b, object, "bytes_done", record->bytes_done);
	put_number(b, object, "bytes_total", record->bytes_total);
	put_counts(b, object, &record->total);
	put_devices(b, object, record);
}

/* --- Files --- */

struct file_writer {
	struct builder builder;
	FILE *out;
	bool first;
};

static void write_file(void *private, const struct scrub_file *file)
{
	struct file_writer *w = private;
	struct json_object *object = json_object_new_object();

	if (!object) {
		w->builder.error = -ENOMEM;
		return;
	}
	put_name(&w->builder, object, "subvolume", file->subvolume);
	if (file->path)
		put_name(&w->builder, object, "path", file->path);
	else
		json_object_object_add(object, "path", NULL);
	put_number(&w->builder, object, "subvolume_id", file->subvolume_id);
	put_number(&w->builder, object, "inode", file->inode);
	put_number(&w->builder, object, "offset", file->offset);
	put_number(&w->builder, object, "length", file->length);
	put(&w->builder, object, "kind", json_object_new_string(scrub_kind_name(file->kind)));
	put(&w->builder, object, "state", json_object_new_string(scrub_state_name(file->state)));
	put_number(&w->builder, object, "logical", file->logical);
	fprintf(w->out, "%s%s", w->first ? "" : ",", json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
	w->first = false;
	json_object_put(object);
}

static int write_files(FILE *out, const struct scrub_record *record, const struct scrub_statedir *dir)
{
	struct file_writer writer = { .out = out, .first = true };
	int ret;

	fputs(",\"files\":[", out);
	ret = scrub_filelist_each(dir, record->fsid, record->files_length, write_file, &writer);
	fputc(']', out);
	return ret ? ret : writer.builder.error;
}

int scrub_report_json(FILE *out, const struct scrub_record *record, const struct scrub_statedir *dir)
{
	struct json_object *object = json_object_new_object();
	struct builder builder = { 0 };
	const char *text = NULL;
	int ret = 0;

	if (object) {
		put_record(&builder, object, record);
		text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
	}
	if (!text || builder.error) {
		json_object_put(object);
		return -ENOMEM;
	}
	/* All but the brace that closes the object. */
	fwrite(text, 1, strlen(text) - 1, out);
	json_object_put(object);
	if (dir)
		ret = write_files(out, record, dir);
	fputs("}\n", out);
	return ret;
}
