/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * messages.h - where messages go: standard error, around a line of progress, or the system's log.
 */
#ifndef SCRUB_MESSAGES_H
#define SCRUB_MESSAGES_H

#include <pthread.h>
#include <stdbool.h>

#include <xx/context.h>

struct scrub_messages {
	pthread_mutex_t lock;
	bool syslog; /* in the background */
	bool terminal; /* a line of progress is drawn over itself */
	bool line; /* one is on the terminal */
};

void scrub_messages_init(struct scrub_messages *messages);

/* The sink of a context; @private is the struct scrub_messages. */
void scrub_messages_sink(enum xx_level level, const char *text, void *private);

/* From now on to the system's log. */
void scrub_messages_to_syslog(struct scrub_messages *messages);

/* Draws a line of progress; NULL: takes it away. From any thread. */
void scrub_messages_progress(struct scrub_messages *messages, const char *text);

#endif
