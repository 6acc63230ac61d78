/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * messages.c - messages to standard error or to syslog.
 */
#include <stdio.h>
#include <syslog.h>
#include <unistd.h>

#include "scrub/messages.h"

void scrub_messages_init(struct scrub_messages *messages)
{
	*messages = (struct scrub_messages){ .lock = PTHREAD_MUTEX_INITIALIZER, .terminal = isatty(STDERR_FILENO) };
}

static int priority(enum xx_level level)
{
	switch (level) {
	case XX_ERROR:
		return LOG_ERR;
	case XX_WARNING:
		return LOG_WARNING;
	case XX_NOTICE:
		return LOG_NOTICE;
	case XX_VERBOSE:
		return LOG_INFO;
	case XX_DEBUG:
		break;
	}
	return LOG_DEBUG;
}

static void clear_line(struct scrub_messages *messages)
{
	if (messages->line)
		fputs("\r\033[K", stderr);
	messages->line = false;
}

void scrub_messages_sink(enum xx_level level, const char *text, void *private)
{
	struct scrub_messages *messages = private;

	pthread_mutex_lock(&messages->lock);
	if (messages->syslog) {
		syslog(priority(level), "%s", text);
	} else {
		clear_line(messages);
		fprintf(stderr, "xxscrub: %s%s\n", level == XX_WARNING ? "warning: " : "", text);
	}
	pthread_mutex_unlock(&messages->lock);
}

void scrub_messages_to_syslog(struct scrub_messages *messages)
{
	pthread_mutex_lock(&messages->lock);
	openlog("xxscrub", LOG_PID, LOG_DAEMON);
	messages->syslog = true;
	pthread_mutex_unlock(&messages->lock);
}

void scrub_messages_progress(struct scrub_messages *messages, const char *text)
{
	pthread_mutex_lock(&messages->lock);
	clear_line(messages);
	if (text && messages->terminal) {
		fputs(text, stderr);
		messages->line = true;
	} else if (text) {
		fprintf(stderr, "%s\n", text);
	}
	fflush(stderr);
	pthread_mutex_unlock(&messages->lock);
}
