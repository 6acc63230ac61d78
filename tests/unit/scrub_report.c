/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scrub_report.c - what xxscrub shows of a scrub, for people and as JSON; what goes into the log.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <json.h>

#include <xx/context.h>
#include <xx/units.h>

#include "scrub/log.h"
#include "scrub/report.h"
#include "scrub/text.h"

/* --- Amounts --- */

static const struct {
	uint64_t bytes;
	struct scrub_units units;
	const char *text;
} sizes[] = {
	{ 0, { 0 }, "0B" },
	{ 1023, { 0 }, "1023B" },
	{ 1536 * XX_MIB, { 0 }, "1.50GiB" },
	{ 1500000, { .si = true }, "1.50MB" },
	{ 1500, { .si = true }, "1.50kB" },
	{ 1536 * XX_MIB, { .unit = 'B' }, "1610612736" },
	{ 1536 * XX_MIB, { .unit = 'm' }, "1536.00MiB" },
	{ 1536 * XX_MIB, { .unit = 'k' }, "1572864.00KiB" },
	{ 1000000000, { .si = true, .unit = 'g' }, "1.00GB" },
	{ UINT64_MAX, { 0 }, "16.00EiB" },
	{ XX_TIB, { .unit = 't' }, "1.00TiB" },
};

Test(text, sizes)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(sizes); i++) {
		char buf[SCRUB_TEXT];

		cr_expect_str_eq(scrub_text_size(buf, &sizes[i].units, sizes[i].bytes), sizes[i].text);
	}
}

Test(text, percent_is_100_only_when_all_is_done)
{
	char buf[SCRUB_TEXT];

	cr_expect_str_eq(scrub_text_percent(buf, XX_EIB - 1, XX_EIB), "99.99%");
	cr_expect_str_eq(scrub_text_percent(buf, XX_EIB, XX_EIB), "100.00%");
	cr_expect_str_eq(scrub_text_percent(buf, 0, 0), "100.00%");
	cr_expect_str_eq(scrub_text_percent(buf, 1, 3), "33.33%");
}

Test(text, time_left)
{
	char buf[SCRUB_TEXT];

	cr_expect_eq(scrub_text_left(5, 10, 0), UINT64_MAX);
	cr_expect_eq(scrub_text_left(10, 10, 0), 0);
	cr_expect_eq(scrub_text_left(0, 10, 3), 4);
	cr_expect_eq(scrub_text_left(0, UINT64_MAX, 1), UINT64_MAX);
	cr_expect_str_eq(scrub_text_duration(buf, 3723), "1:02:03");
}

Test(text, utf8)
{
	cr_expect_eq(scrub_text_utf8_length("a"), 1);
	cr_expect_eq(scrub_text_utf8_length("\xc3\xa9"), 2);
	cr_expect_eq(scrub_text_utf8_length("\xe2\x82\xac"), 3);
	cr_expect_eq(scrub_text_utf8_length("\xf0\x9f\x98\x80"), 4);
	cr_expect_eq(scrub_text_utf8_length("\xc3"), 0, "cut short");
	cr_expect_eq(scrub_text_utf8_length("\xc0\x80"), 0, "longer than it need be");
	cr_expect_eq(scrub_text_utf8_length("\xed\xa0\x80"), 0, "a surrogate");
	cr_expect_eq(scrub_text_utf8_length("\xf4\x90\x80\x80"), 0, "beyond the last");
	cr_expect_eq(scrub_text_utf8_length("\xff"), 0);
}

/* --- Reports --- */

static char path_one[] = "/dev/\xff"
			 "one",
	    path_none[] = "";
static struct scrub_record_device devices[] = {
	{ .devid = 1,
	  .path = path_one,
	  .bytes_done = 5,
	  .bytes_total = 7,
	  .counts = { .found = { 4 }, .corrected = 4 } },
	{ .devid = 2, .path = path_none, .missing = true },
};

static char *report(const struct scrub_record *record, bool raw)
{
	const struct scrub_report_options options = { .per_device = true, .raw = raw };
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);

	scrub_report_text(out, record, &options);
	fclose(out);
	return text;
}

static void shows(const struct scrub_record *record, const char *line, bool wanted)
{
	char *text = report(record, false);

	cr_expect_eq(strstr(text, line) != NULL, wanted, "%s in\n%s", line, text);
	free(text);
}

/* "No errors found" only when all was read. */
Test(report, no_errors_found)
{
	struct scrub_record record = { .fsid = "x", .state = SCRUB_FINISHED, .bytes_done = 9, .bytes_total = 9 };

	shows(&record, "no errors found", true);
	record.total.unverified_bytes = 4096;
	shows(&record, "no errors found", false);
	shows(&record, "Unverified:", true);
	record.total.unverified_bytes = 0;
	record.devices = devices;
	record.device_count = 2;
	shows(&record, "no errors found", false);
	shows(&record, "Missing devices:  1", true);
	record.device_count = 0;
	for (enum scrub_run_state state = SCRUB_RUNNING; state < SCRUB_RUN_STATES; state++) {
		record.state = state;
		shows(&record, "no errors found", state == SCRUB_FINISHED);
		shows(&record, scrub_run_state_name(state), true);
		shows(&record, "Time left:", state == SCRUB_RUNNING);
	}
	record.state = SCRUB_FINISHED;
	record.total.found[SCRUB_SUPER] = record.total.corrected = 1;
	shows(&record, "Error summary:    super=1\n  Corrected:      1\n", true);
}

Test(report, raw_has_every_counter)
{
	const struct scrub_record record = { .fsid = "x" };
	char *text = report(&record, true);

	for (unsigned kind = 0; kind < SCRUB_KINDS; kind++)
		cr_expect(strstr(text, scrub_kind_name(kind)), "%s", scrub_kind_name(kind));
	for (size_t i = 0; i < scrub_counter_count; i++)
		cr_expect(strstr(text, scrub_counters[i].name), "%s", scrub_counters[i].name);
	free(text);
}

/* Every uint64_t of the counts is a counter, or found[]. */
Test(report, no_counter_is_forgotten)
{
	cr_expect_eq(scrub_counter_count + SCRUB_KINDS, sizeof(struct scrub_counts) / sizeof(uint64_t));
}

static struct json_object *json(const struct scrub_record *record)
{
	struct json_object *object;
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);

	cr_assert_eq(scrub_report_json(out, record, NULL), 0);
	fclose(out);
	object = json_tokener_parse(text);
	cr_assert(object, "%s", text);
	free(text);
	return object;
}

/* Is there a member of this name; which is not null? */
static bool has_value(struct json_object *object, const char *key)
{
	struct json_object *value;

	cr_expect(json_object_object_get_ex(object, key, &value), "no %s", key);
	return value != NULL;
}

Test(report, json)
{
	static const char *const keys[] = { "fsid",    "state",	    "bytes_done",    "bytes_total",
					    "found",   "corrected", "uncorrectable", "unverified_bytes",
					    "devices", "repairable" };
	struct scrub_record record = { .fsid = "x", .devices = devices, .device_count = 2, .bytes_total = UINT64_MAX };
	struct json_object *object = json(&record), *value, *device;

	for (size_t i = 0; i < XX_ARRAY_SIZE(keys); i++)
		cr_expect(has_value(object, keys[i]), "%s", keys[i]);
	cr_expect(!has_value(object, "exit"), "it runs");
	json_object_object_get_ex(object, "bytes_total", &value);
	cr_expect_eq(json_object_get_uint64(value), UINT64_MAX);
	json_object_object_get_ex(object, "devices", &value);
	cr_assert_eq(json_object_array_length(value), 2);
	device = json_object_array_get_idx(value, 0);
	json_object_object_get_ex(device, "path", &value);
	cr_expect_str_eq(json_object_get_string(value), "/dev/\xef\xbf\xbdone");
	json_object_object_get_ex(device, "path_hex", &value);
	cr_expect_str_eq(json_object_get_string(value), "2f6465762fff6f6e65");
	json_object_object_get_ex(object, "devices", &value);
	cr_expect(!has_value(json_object_array_get_idx(value, 1), "path"));
	json_object_put(object);

	record.state = SCRUB_FINISHED;
	object = json(&record);
	cr_expect(has_value(object, "exit"));
	json_object_put(object);
}

/* --- The log --- */

struct heard {
	unsigned count;
	char last[512];
};

static void hear(enum xx_level level, const char *text, void *private)
{
	struct heard *heard = private;

	(void)level;
	heard->count++;
	snprintf(heard->last, sizeof(heard->last), "%s", text);
}

Test(log, repeated_findings_are_summarised)
{
	const struct xx_btrfs_member member = { .devid = 3 };
	struct scrub_finding finding = { .member = &member, .kind = SCRUB_DATA, .text = "its checksum is wrong" };
	struct heard heard = { 0 };
	struct scrub_log log;
	struct xx_ctx *ctx;

	cr_assert_eq(xx_ctx_create(hear, &heard, &ctx), 0);
	scrub_log_init(&log, ctx);
	for (unsigned i = 0; i < SCRUB_LOG_MANY + 180; i++) {
		finding.physical = 4096 * i;
		scrub_log_finding(&log, &finding);
	}
	cr_expect_eq(heard.count, SCRUB_LOG_MANY);
	/* What is not like them is told. */
	finding.state = SCRUB_LOST;
	scrub_log_finding(&log, &finding);
	cr_expect_eq(heard.count, SCRUB_LOG_MANY + 1);
	cr_expect(strstr(heard.last, "cannot be repaired"));
	scrub_log_summary(&log, 1);
	scrub_log_summary(&log, SCRUB_LOG_SUMMARY_MS);
	cr_expect_eq(heard.count, SCRUB_LOG_MANY + 1, "not yet");
	scrub_log_summary(&log, SCRUB_LOG_SUMMARY_MS + 1);
	cr_expect_eq(heard.count, SCRUB_LOG_MANY + 2);
	cr_expect(strstr(heard.last, "180 more"), "%s", heard.last);
	scrub_log_summary(&log, UINT64_MAX);
	cr_expect_eq(heard.count, SCRUB_LOG_MANY + 2, "told once");
	scrub_log_release(&log);
	xx_ctx_destroy(ctx);
}

Test(log, files_are_summarised)
{
	const struct scrub_file file = { .subvolume = "snap", .path = "a", .state = SCRUB_REPAIRABLE };
	struct heard heard = { 0 };
	struct scrub_log log;
	struct xx_ctx *ctx;

	cr_assert_eq(xx_ctx_create(hear, &heard, &ctx), 0);
	scrub_log_init(&log, ctx);
	for (unsigned i = 0; i < SCRUB_LOG_MANY + 5; i++)
		scrub_log_file(&log, &file);
	cr_expect_eq(heard.count, SCRUB_LOG_MANY);
	cr_expect(strstr(heard.last, "snap/a"), "%s", heard.last);
	scrub_log_summary(&log, UINT64_MAX);
	cr_expect(strstr(heard.last, "5 more parts of files"), "%s", heard.last);
	scrub_log_release(&log);
	xx_ctx_destroy(ctx);
}
