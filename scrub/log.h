/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h - what a scrub finds, as messages: device, addresses, what it is, the files, what was done.
 *
 * Of findings that are alike (same device, kind and outcome) the first SCRUB_LOG_MANY are told one by one, those that
 * follow are counted, and the count is told now and then and at the end. The list of files, and counters, have them all.
 */
#ifndef SCRUB_LOG_H
#define SCRUB_LOG_H

#include <stdint.h>

#include "scrub/engine.h"

struct xx_ctx;

#define SCRUB_LOG_MANY	     20
#define SCRUB_LOG_SUMMARY_MS 60000

/* Findings that are alike. */
struct scrub_log_row {
	uint64_t devid;
	enum scrub_kind kind;
	enum scrub_state state;
	uint64_t told, kept_back; /* how many since the last summary */
	uint64_t first, last; /* physical addresses of those kept back */
};

struct scrub_log {
	struct xx_ctx *ctx;
	struct scrub_log_row *rows;
	size_t count, room;
	uint64_t files_told, files_kept_back;
	uint64_t summary_at; /* monotonic ms of the last one; 0: none yet */
};

void scrub_log_init(struct scrub_log *log, struct xx_ctx *ctx);
void scrub_log_release(struct scrub_log *log);

void scrub_log_finding(struct scrub_log *log, const struct scrub_finding *finding);
void scrub_log_file(struct scrub_log *log, const struct scrub_file *file);
void scrub_log_unverified(struct scrub_log *log, const struct scrub_unverified *range);

/* Tell what was kept back, if it is time for it (@now_ms, monotonic), or at the end (UINT64_MAX). */
void scrub_log_summary(struct scrub_log *log, uint64_t now_ms);

#endif
