/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.c - findings as messages.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xx/context.h>
#include <xx/device.h>

#include "scrub/filelist.h"
#include "scrub/log.h"

#define PLACE_TEXT 512
#define WHAT_TEXT  96

void scrub_log_init(struct scrub_log *log, struct xx_ctx *ctx)
{
	*log = (struct scrub_log){ .ctx = ctx };
}

void scrub_log_release(struct scrub_log *log)
{
	free(log->rows);
	*log = (struct scrub_log){ 0 };
}

/* The device of a finding for people. */
static const char *device_name(char buf[PLACE_TEXT], const struct xx_btrfs_member *member)
{
	if (!member)
		snprintf(buf, PLACE_TEXT, "All devices");
	else if (!member->device)
		snprintf(buf, PLACE_TEXT, "Device %" PRIu64 " (missing)", member->devid);
	else
		snprintf(buf, PLACE_TEXT, "%s", xx_device_info(member->device)->path);
	return buf;
}

/* What it is, without a place. */
static const char *what(char buf[WHAT_TEXT], const struct scrub_finding *finding)
{
	char tree[40] = "";

	if (finding->tree)
		snprintf(tree, sizeof(tree), " of tree %" PRIu64, finding->tree);
	switch (finding->kind) {
	case SCRUB_SUPER:
		snprintf(buf, WHAT_TEXT, "superblock, copy %u", finding->copy);
		break;
	case SCRUB_PARITY:
		snprintf(buf, WHAT_TEXT, "parity %c", finding->q ? 'Q' : 'P');
		break;
	case SCRUB_MISSING_SUM:
		snprintf(buf, WHAT_TEXT, "data without a checksum");
		break;
	case SCRUB_EXTRA_SUM:
		snprintf(buf, WHAT_TEXT, "checksums of nothing, %" PRIu64 " bytes of data", finding->length);
		break;
	case SCRUB_TREE:
	case SCRUB_READ:
	case SCRUB_PROTECTION:
	case SCRUB_DATA:
	case SCRUB_UNSUMMED_MISMATCH:
	case SCRUB_KINDS:
		if (finding->is_tree && finding->level >= 0)
			snprintf(buf, WHAT_TEXT, "tree block%s, level %d, copy %u", tree, finding->level,
				 finding->copy);
		else if (finding->is_tree)
			snprintf(buf, WHAT_TEXT, "tree block%s, copy %u", tree, finding->copy);
		else
			snprintf(buf, WHAT_TEXT, "data, copy %u", finding->copy);
		break;
	}
	return buf;
}

static const char *outcome(enum scrub_state state)
{
	switch (state) {
	case SCRUB_CORRECTED:
		return "corrected";
	case SCRUB_REPAIRABLE:
		return "can be repaired, nothing was written";
	case SCRUB_LOST:
	case SCRUB_STATES:
		break;
	}
	return "cannot be repaired";
}

/* The row for findings like this; NULL: no memory, and then all are told. */
static struct scrub_log_row *row_of(struct scrub_log *log, const struct scrub_finding *finding)
{
	uint64_t devid = finding->member ? finding->member->devid : 0;
	struct scrub_log_row *row;

	for (size_t i = 0; i < log->count; i++) {
		row = &log->rows[i];
		if (row->devid == devid && row->kind == finding->kind && row->state == finding->state)
			return row;
	}
	if (log->count == log->room) {
		size_t room = log->room ? 2 * log->room : 16;

		row = realloc(log->rows, room * sizeof(*row));
		if (!row)
			return NULL;
		log->rows = row;
		log->room = room;
	}
	row = &log->rows[log->count++];
	*row = (struct scrub_log_row){ .devid = devid, .kind = finding->kind, .state = finding->state };
	return row;
}

static void tell(const struct scrub_log *log, const struct scrub_finding *finding)
{
	char place[PLACE_TEXT], kind[WHAT_TEXT], error[128] = "";

	device_name(place, finding->member);
	what(kind, finding);
	if (finding->error)
		snprintf(error, sizeof(error), " (%s)", strerror(-finding->error));
	if (finding->kind == SCRUB_EXTRA_SUM)
		xx_notice(log->ctx, "Logical %" PRIu64 ": %s: %s.", finding->logical, kind, finding->text);
	else if (finding->kind == SCRUB_SUPER)
		xx_notice(log->ctx, "%s: physical %" PRIu64 ": %s: %s%s; %s.", place, finding->physical, kind,
			  finding->text, error, outcome(finding->state));
	else
		xx_notice(log->ctx, "%s: physical %" PRIu64 ", logical %" PRIu64 ": %s: %s%s; %s.", place,
			  finding->physical, finding->logical, kind, finding->text, error, outcome(finding->state));
}

void scrub_log_finding(struct scrub_log *log, const struct scrub_finding *finding)
{
	struct scrub_log_row *row = row_of(log, finding);

	if (!row || row->told < SCRUB_LOG_MANY) {
		if (row)
			row->told++;
		tell(log, finding);
		return;
	}
	if (row->kept_back == 0 || finding->physical < row->first)
		row->first = finding->physical;
	if (row->kept_back == 0 || finding->physical > row->last)
		row->last = finding->physical;
	row->kept_back++;
}

void scrub_log_file(struct scrub_log *log, const struct scrub_file *file)
{
	char *path;

	if (log->files_told >= SCRUB_LOG_MANY) {
		log->files_kept_back++;
		return;
	}
	log->files_told++;
	path = scrub_filelist_path(file);
	xx_notice(log->ctx, "Logical %" PRIu64 " is in file %s, offset %" PRIu64 ", %" PRIu64 " bytes: %s.",
		  file->logical, path ? path : "?", file->offset, file->length, outcome(file->state));
	free(path);
}

void scrub_log_unverified(struct scrub_log *log, const struct scrub_unverified *range)
{
	char place[PLACE_TEXT];

	device_name(place, range->member);
	if (range->length)
		xx_warn(log->ctx,
			"%s: logical %" PRIu64 " to %" PRIu64 ": %" PRIu64 " bytes could not be verified: %s.", place,
			range->logical, range->logical + range->length - 1, range->bytes, range->text);
	else
		xx_warn(log->ctx, "%s: %" PRIu64 " bytes could not be verified: %s.", place, range->bytes, range->text);
}

static void summarise_row(const struct scrub_log *log, struct scrub_log_row *row)
{
	if (row->kept_back == 0)
		return;
	xx_notice(log->ctx,
		  "Device %" PRIu64 ": %" PRIu64 " more of kind %s between physical %" PRIu64 " and %" PRIu64 ": %s.",
		  row->devid, row->kept_back, scrub_kind_name(row->kind), row->first, row->last, outcome(row->state));
	row->kept_back = 0;
}

void scrub_log_summary(struct scrub_log *log, uint64_t now_ms)
{
	if (log->summary_at == 0)
		log->summary_at = now_ms;
	if (now_ms != UINT64_MAX && now_ms - log->summary_at < SCRUB_LOG_SUMMARY_MS)
		return;
	for (size_t i = 0; i < log->count; i++)
		summarise_row(log, &log->rows[i]);
	if (log->files_kept_back)
		xx_notice(log->ctx,
			  "%" PRIu64 " more parts of files are damaged; `xxscrub status --files' lists them all.",
			  log->files_kept_back);
	log->files_kept_back = 0;
	log->summary_at = now_ms;
}
