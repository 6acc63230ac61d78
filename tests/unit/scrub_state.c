/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scrub_state.c - what xxscrub keeps: records as text, the list of damaged files, the directory and its locks.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include <xx/units.h>

#include "scrub/commands.h"
#include "scrub/filelist.h"
#include "scrub/load.h"
#include "scrub/record.h"
#include "scrub/repairs.h"
#include "scrub/statedir.h"
#include "scrub/text.h"

#define FSID "b6587e80-c8f2-4904-9615-117cdb46a1a8"

static struct scrub_range ranges[] = { { 65536, 65536 }, { XX_TIB, 4096 } };
static char path_one[] = "/dev/odd name\n%41", path_none[] = "", reason[] = "no space left";
static struct scrub_record_device devices[] = {
	{ .devid = 1,
	  .path = path_one,
	  .bytes_done = 5,
	  .bytes_total = 7,
	  .last_physical = 99,
	  .counts = { .found = { [SCRUB_DATA] = 2, [SCRUB_PROTECTION] = 3 }, .corrected = 5, .write_errors = 1 } },
	{ .devid = 4, .path = path_none, .missing = true },
};

/* A record with something in each field; its lists are not to be released. */
static struct scrub_record sample(void)
{
	return (struct scrub_record){
		.fsid = FSID,
		.state = SCRUB_FAILED,
		.started = 1,
		.updated = 2,
		.duration_ms = 3,
		.read_only = true,
		.skip_data = true,
		.resumed = true,
		.changed = true,
		.limit = 4,
		.bytes_done = 5,
		.bytes_total = UINT64_MAX,
		.rate = 6,
		.files_length = 7,
		.reason = reason,
		.generation = 8,
		.supers = true,
		.ranges = ranges,
		.range_count = XX_ARRAY_SIZE(ranges),
		.total = { .found = { [SCRUB_TREE] = 9, [SCRUB_EXTRA_SUM] = 1 },
			   .uncorrectable = 10,
			   .unverified_bytes = 11 },
		.nowhere = { .found = { [SCRUB_EXTRA_SUM] = 1 }, .uncorrectable = 1 },
		.devices = devices,
		.device_count = XX_ARRAY_SIZE(devices),
	};
}

static char *sample_text(size_t *length)
{
	const struct scrub_record record = sample();
	char *text;

	cr_assert_eq(scrub_record_format(&record, &text, length), 0);
	return text;
}

Test(record, is_read_as_it_was_written)
{
	const struct scrub_record record = sample();
	struct scrub_record again;
	size_t length, again_length;
	char *text = sample_text(&length), *copy = strdup(text), *again_text;

	cr_assert_eq(scrub_record_parse(copy, length, &again), 0);
	cr_expect_str_eq(again.fsid, FSID);
	cr_expect_eq(again.state, SCRUB_FAILED);
	cr_expect_str_eq(again.reason, reason);
	cr_expect_eq(again.bytes_total, UINT64_MAX);
	cr_expect(again.read_only && again.skip_data && !again.skip_metadata && again.supers && !again.sums);
	cr_expect_eq(memcmp(&again.total, &record.total, sizeof(again.total)), 0);
	cr_expect_eq(memcmp(&again.nowhere, &record.nowhere, sizeof(again.nowhere)), 0);
	cr_assert_eq(again.range_count, 2);
	cr_expect_eq(again.ranges[1].start, XX_TIB);
	cr_assert_eq(again.device_count, 2);
	cr_expect_str_eq(again.devices[0].path, path_one);
	cr_expect_eq(memcmp(&again.devices[0].counts, &devices[0].counts, sizeof(devices[0].counts)), 0);
	cr_expect(again.devices[1].missing && again.devices[1].path[0] == '\0');
	cr_assert_eq(scrub_record_format(&again, &again_text, &again_length), 0);
	cr_expect_str_eq(again_text, text);
	free(again_text);
	free(copy);
	free(text);
	scrub_record_release(&again);
}

/* Whatever is cut off, a record that is not whole is none. */
Test(record, cut_short)
{
	size_t length;
	char *text = sample_text(&length);

	for (size_t cut = 0; cut < length; cut++) {
		char *part = strndup(text, cut);
		struct scrub_record record;

		cr_expect_neq(scrub_record_parse(part, cut, &record), 0, "cut at %zu of %zu", cut, length);
		scrub_record_release(&record);
		free(part);
	}
	free(text);
}

static const struct {
	const char *from, *to;
	int error;
} changes[] = {
	{ "xxscrub 1", "xxscrub 2", -EOPNOTSUPP },
	{ "xxscrub 1", "btrfs 1", -EBADMSG },
	{ "fsid " FSID, "fsid b6587e80", -EBADMSG },
	{ "state failed", "state interrupted", -EBADMSG },
	{ "state failed", "state", -EBADMSG },
	{ "started 1", "started -1", -EBADMSG },
	{ "started 1", "started 18446744073709551616", -EBADMSG },
	{ "started 1", "started 1 2", -EBADMSG },
	{ "supers 1", "supers 2", -EBADMSG },
	{ "limit 4", "later 4", -EBADMSG },
	{ "bytes_total 18446744073709551615", "bytes_total 4", -EBADMSG },
	{ "range 65536 65536", "range 65536 0", -EBADMSG },
	{ "range 65536 65536", "range 65536 18446744073709551615", -EBADMSG },
	{ "range 65536 65536", "range 1099511627776 4096", -EBADMSG },
	{ "found_tree=9", "found_tree=", -EBADMSG },
	{ "found_tree=9", "found_trees=9", -EBADMSG },
	{ "device 4 m", "device 1 m", -EBADMSG },
	{ "device 4 m", "device 4 x", -EBADMSG },
	{ "%0a", "%00", -EBADMSG },
	{ "%0a", "%0", -EBADMSG },
	{ " 5 7 99", " 8 7 99", -EBADMSG },
	{ "end\n", "end\nend\n", -EBADMSG },
};

Test(record, damaged)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(changes); i++) {
		size_t length;
		char *text = sample_text(&length), *at = strstr(text, changes[i].from), *changed;
		struct scrub_record record;

		cr_assert(at, "%s", changes[i].from);
		cr_assert_geq(asprintf(&changed, "%.*s%s%s", (int)(at - text), text, changes[i].to,
				       at + strlen(changes[i].from)),
			      0);
		cr_expect_eq(scrub_record_parse(changed, strlen(changed), &record), changes[i].error, "%s -> %s",
			     changes[i].from, changes[i].to);
		scrub_record_release(&record);
		free(changed);
		free(text);
	}
}

static const struct {
	struct scrub_record record;
	int status;
	bool clean;
} judged[] = {
	{ { .state = SCRUB_FINISHED }, SCRUB_EXIT_OK, true },
	{ { .state = SCRUB_FINISHED, .total = { .found = { 3 }, .corrected = 3 } }, SCRUB_EXIT_OK, false },
	{ { .state = SCRUB_FINISHED, .total = { .found = { 3 }, .corrected = 2, .repairable = 1 } },
	  SCRUB_EXIT_ERRORS,
	  false },
	{ { .state = SCRUB_FINISHED, .total = { .found = { 1 }, .uncorrectable = 1, .unverified_bytes = 1 } },
	  SCRUB_EXIT_ERRORS,
	  false },
	{ { .state = SCRUB_FINISHED, .total = { .unverified_bytes = 1 } }, SCRUB_EXIT_FAILED, false },
	{ { .state = SCRUB_FINISHED, .devices = &devices[1], .device_count = 1 }, SCRUB_EXIT_FAILED, false },
	{ { .state = SCRUB_CANCELLED, .total = { .found = { 1 }, .uncorrectable = 1 } }, SCRUB_EXIT_FAILED, false },
	{ { .state = SCRUB_INTERRUPTED }, SCRUB_EXIT_FAILED, false },
	{ { .state = SCRUB_FAILED }, SCRUB_EXIT_FAILED, false },
};

Test(record, exit_status)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(judged); i++) {
		cr_expect_eq(scrub_record_exit(&judged[i].record), (int)judged[i].status, "%zu", i);
		cr_expect_eq(scrub_record_is_clean(&judged[i].record), judged[i].clean, "%zu", i);
	}
}

/* --- The directory --- */

static char scratch[] = "/tmp/xx-scrub-state.XXXXXX";

static void setup(void)
{
	cr_assert(mkdtemp(scratch));
	setenv("XX_STATE_DIR", scratch, 1);
}

static void teardown(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	cr_expect_eq(system(command), 0);
}

static struct scrub_statedir open_dir(void)
{
	struct scrub_statedir dir;

	cr_assert_eq(scrub_statedir_open(NULL, true, &dir), 0);
	return dir;
}

Test(statedir, is_made_when_it_is_needed, .init = setup, .fini = teardown)
{
	struct scrub_statedir dir;
	struct stat st;

	cr_expect_eq(scrub_statedir_open(NULL, false, &dir), -ENOENT);
	scrub_statedir_close(&dir);
	dir = open_dir();
	cr_assert_eq(fstat(dir.fd, &st), 0);
	cr_expect_eq(st.st_mode & 077, 0u, "what it holds is nobody else's");
	scrub_statedir_close(&dir);
}

Test(statedir, files_are_replaced, .init = setup, .fini = teardown)
{
	struct scrub_statedir dir = open_dir();
	size_t length;
	char *text;

	cr_expect_eq(scrub_statedir_read(&dir, FSID, &text, &length), -ENOENT);
	cr_assert_eq(scrub_statedir_write(&dir, FSID, "long text", 9), 0);
	cr_assert_eq(scrub_statedir_write(&dir, FSID, "short", 5), 0);
	cr_assert_eq(scrub_statedir_read(&dir, FSID, &text, &length), 0);
	cr_expect_eq(length, 5);
	cr_expect_str_eq(text, "short");
	free(text);
	cr_expect_eq(faccessat(dir.fd, FSID ".new", F_OK, 0), -1);
	scrub_statedir_close(&dir);
}

/* Runs in a process of its own: takes the lock, says so, and holds it until it is told to go. */
static void hold(const struct scrub_statedir *dir, int said, int told)
{
	pid_t holder;
	char word = 0;
	int fd;

	if (scrub_lock_take(dir, FSID, &fd, &holder) != 0 || write(said, "", 1) != 1)
		_exit(1);
	_exit(read(told, &word, 1) == 0 ? 0 : 1);
}

Test(statedir, lock_is_held_by_one_and_names_it, .init = setup, .fini = teardown)
{
	struct scrub_statedir dir = open_dir();
	int said[2], told[2], fd, status;
	pid_t child, holder;
	char word;

	cr_expect_eq(scrub_lock_holder(&dir, FSID, &holder), 0);
	cr_assert_eq(pipe(said), 0);
	cr_assert_eq(pipe(told), 0);
	child = fork();
	if (child == 0) {
		close(told[1]);
		hold(&dir, said[1], told[0]);
	}
	cr_assert_eq(read(said[0], &word, 1), 1);
	cr_expect_eq(scrub_lock_take(&dir, FSID, &fd, &holder), -EBUSY);
	cr_expect_eq(holder, child);
	cr_expect_eq(scrub_lock_holder(&dir, FSID, &holder), 1);
	cr_expect_eq(holder, child);
	close(told[1]);
	cr_expect_eq(scrub_lock_wait(&dir, FSID), 0);
	cr_expect_eq(scrub_lock_holder(&dir, FSID, &holder), 0);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect_eq(status, 0);
	cr_expect_eq(scrub_lock_take(&dir, FSID, &fd, &holder), 0);
	close(fd);
	scrub_statedir_close(&dir);
}

/* "running" is what the last record says; nobody runs. */
Test(statedir, a_run_that_died_is_interrupted, .init = setup, .fini = teardown)
{
	struct scrub_statedir dir = open_dir();
	struct scrub_record record = sample(), again;
	size_t length;
	char *text;

	record.state = SCRUB_RUNNING;
	cr_assert_eq(scrub_record_format(&record, &text, &length), 0);
	cr_assert_eq(scrub_statedir_write(&dir, FSID, text, length), 0);
	free(text);
	cr_assert_eq(scrub_load(NULL, FSID, &dir, &again), 0);
	cr_expect_eq(again.state, SCRUB_INTERRUPTED);
	scrub_record_release(&again);
	scrub_statedir_close(&dir);
}

/* --- Notes of repairs --- */

static const struct scrub_intent intents[] = {
	{ .devid = 1, .physical = 4096, .length = 4096, .kind = SCRUB_DATA },
	{ .devid = UINT64_MAX, .physical = XX_EIB, .length = 16384, .kind = SCRUB_TREE, .is_tree = true },
};

Test(repairs, are_read_as_they_were_noted, .init = setup, .fini = teardown)
{
	struct scrub_statedir dir = open_dir();
	struct scrub_intent *read;
	size_t count;

	cr_assert_eq(scrub_repairs_read(&dir, FSID, &read, &count), 0);
	cr_expect_eq(count, 0);
	free(read);
	cr_assert_eq(scrub_repairs_note(&dir, FSID, &intents[0], 1), 0);
	cr_assert_eq(scrub_repairs_note(&dir, FSID, &intents[1], 1), 0);
	cr_assert_eq(scrub_repairs_read(&dir, FSID, &read, &count), 0);
	cr_assert_eq(count, 2);
	for (size_t i = 0; i < count; i++) {
		cr_expect_eq(read[i].devid, intents[i].devid);
		cr_expect_eq(read[i].physical, intents[i].physical);
		cr_expect_eq(read[i].length, intents[i].length);
		cr_expect_eq(read[i].kind, intents[i].kind);
		cr_expect_eq(read[i].is_tree, intents[i].is_tree);
	}
	free(read);
	scrub_repairs_forget(&dir, FSID);
	cr_assert_eq(scrub_repairs_read(&dir, FSID, &read, &count), 0);
	cr_expect_eq(count, 0);
	free(read);
	scrub_statedir_close(&dir);
}

static const struct {
	const char *text;
	size_t count;
} notes[] = {
	{ "", 0 },
	{ "1 2 3 data 0\n1 2 3 tree 1\n", 2 },
	{ "1 2 3 data 0\n1 2 3 tree 1", 1 },
	{ "1 2 3 data 0\n1 2 3 dat", 1 },
	{ "1 2 3 data 0\n\n1 2 3 data 0\n", 1 },
	{ "1 2 3 data 2\n", 0 },
	{ "1 2 3 data 0 0\n", 0 },
	{ "1 2 -3 data 0\n", 0 },
	{ "1 2 3 date 0\n", 0 },
	{ "1 2\n", 0 },
};

Test(repairs, end_at_what_is_none)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(notes); i++) {
		struct scrub_intent *read;
		char *text = strdup(notes[i].text);
		size_t count;

		cr_assert_eq(scrub_repairs_parse(text, &read, &count), 0);
		cr_expect_eq(count, notes[i].count, "%s: %zu", notes[i].text, count);
		free(read);
		free(text);
	}
}

/* --- The list of files --- */

static const struct scrub_file damaged[] = {
	{ .subvolume = "",
	  .path = "a/b c\n%",
	  .subvolume_id = 5,
	  .inode = 257,
	  .offset = 4096,
	  .length = 8192,
	  .kind = SCRUB_DATA,
	  .state = SCRUB_LOST,
	  .logical = 1 },
	{ .subvolume = "snap shot",
	  .path = NULL,
	  .subvolume_id = 256,
	  .inode = 258,
	  .kind = SCRUB_READ,
	  .state = SCRUB_CORRECTED },
	{ .subvolume = "<tree 300>",
	  .path = "x\ty",
	  .subvolume_id = 300,
	  .inode = 259,
	  .kind = SCRUB_MISSING_SUM,
	  .state = SCRUB_REPAIRABLE,
	  .length = UINT64_MAX },
};

struct seen {
	size_t count;
	bool equal;
};

static void look(void *private, const struct scrub_file *file)
{
	struct seen *seen = private;
	const struct scrub_file *wanted = &damaged[seen->count++ % XX_ARRAY_SIZE(damaged)];

	seen->equal &= strcmp(file->subvolume, wanted->subvolume) == 0 && !file->path == !wanted->path &&
		       (!file->path || strcmp(file->path, wanted->path) == 0) && file->kind == wanted->kind &&
		       file->state == wanted->state && file->inode == wanted->inode && file->length == wanted->length &&
		       file->offset == wanted->offset && file->subvolume_id == wanted->subvolume_id;
}

Test(filelist, what_the_record_does_not_count_is_cut_off, .init = setup, .fini = teardown)
{
	struct scrub_statedir dir = open_dir();
	struct scrub_filelist *list;
	struct seen seen = { .equal = true };
	uint64_t kept, length;

	cr_assert_eq(scrub_filelist_open(&dir, FSID, 0, &list), 0);
	for (size_t i = 0; i < XX_ARRAY_SIZE(damaged); i++)
		scrub_filelist_add(list, &damaged[i]);
	cr_assert_eq(scrub_filelist_flush(list, &kept), 0);
	scrub_filelist_add(list, &damaged[0]);
	cr_assert_eq(scrub_filelist_flush(list, &length), 0);
	cr_expect_gt(length, kept);
	scrub_filelist_close(list);

	cr_assert_eq(scrub_filelist_open(&dir, FSID, kept, &list), 0);
	scrub_filelist_add(list, &damaged[0]);
	cr_assert_eq(scrub_filelist_flush(list, &length), 0);
	scrub_filelist_close(list);
	cr_assert_eq(scrub_filelist_each(&dir, FSID, length, look, &seen), 0);
	cr_expect_eq(seen.count, 4);
	cr_expect(seen.equal);

	cr_expect_eq(scrub_filelist_each(&dir, FSID, length + 1, look, &seen), -EBADMSG);
	cr_expect_eq(scrub_filelist_each(&dir, FSID, length - 1, look, &seen), -EBADMSG);
	cr_expect_eq(scrub_filelist_open(&dir, FSID, length + 1, &list), -EBADMSG);
	scrub_statedir_close(&dir);
}

Test(filelist, as_shown)
{
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);

	for (size_t i = 0; i < XX_ARRAY_SIZE(damaged); i++)
		scrub_filelist_show(out, &damaged[i], false);
	fclose(out);
	cr_expect_str_eq(text, "lost\t4096\t8192\ta/b c\\n%\n"
			       "corrected\t0\t0\t<inode 258 of subvolume 256 snap shot>\n"
			       "repairable\t0\t18446744073709551615\t<tree 300>/x\\ty\n");
	free(text);
	out = open_memstream(&text, &length);
	scrub_filelist_show(out, &damaged[0], true);
	fclose(out);
	cr_expect_eq(length, sizeof("lost\t4096\t8192\ta/b c\n%"));
	cr_expect_str_eq(text, "lost\t4096\t8192\ta/b c\n%");
	free(text);
}
