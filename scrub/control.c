/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.c - the thread that takes signals and draws progress.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "scrub/control.h"
#include "scrub/engine.h"
#include "scrub/messages.h"
#include "scrub/text.h"

#define DRAW_MS	  500
#define LINE_TEXT 256

struct scrub_control {
	pthread_t thread;
	pthread_mutex_t lock;
	struct scrub_messages *messages;
	struct scrub_engine *engine;
	int cancelled; /* the signal */
	bool draw;
};

/* Carry a limit, and end the thread. Not constants: the C library keeps some real-time signals for itself. */
static int limit_signal(void)
{
	return SIGRTMIN;
}

static int end_signal(void)
{
	return SIGRTMIN + 1;
}

static void our_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, limit_signal());
	sigaddset(set, end_signal());
}

void scrub_control_block(void)
{
	sigset_t set;

	our_signals(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void take_cancel(struct scrub_control *control, int sig)
{
	struct sigaction now;

	/* nohup, and shells that start something in their background, ignore signals on purpose. */
	if (sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_IGN)
		return;
	pthread_mutex_lock(&control->lock);
	if (control->cancelled)
		_exit(128 + sig);
	control->cancelled = sig;
	if (control->engine)
		scrub_engine_cancel(control->engine);
	pthread_mutex_unlock(&control->lock);
}

static void take_limit(struct scrub_control *control, uint64_t limit)
{
	pthread_mutex_lock(&control->lock);
	if (control->engine)
		scrub_engine_set_limit(control->engine, limit);
	pthread_mutex_unlock(&control->lock);
}

static void draw(struct scrub_control *control)
{
	const struct scrub_units units = { 0 };
	char line[LINE_TEXT], done[SCRUB_TEXT], total[SCRUB_TEXT], rate_text[SCRUB_TEXT], percent[SCRUB_TEXT];
	char left_text[SCRUB_TEXT] = "unknown";
	struct scrub_progress progress;
	struct scrub_counts counts;
	uint64_t rate, left;

	pthread_mutex_lock(&control->lock);
	if (!control->engine) {
		pthread_mutex_unlock(&control->lock);
		return;
	}
	scrub_engine_progress(control->engine, &progress);
	scrub_engine_counts(control->engine, &counts);
	pthread_mutex_unlock(&control->lock);
	rate = progress.elapsed_ns ? (uint64_t)((double)progress.bytes_run * 1e9 / (double)progress.elapsed_ns) : 0;
	left = scrub_text_left(progress.bytes_done, progress.bytes_total, rate);
	if (left != UINT64_MAX)
		scrub_text_duration(left_text, left);
	snprintf(line, sizeof(line), "%s of %s, %s, %s/s, errors: %" PRIu64 ", time left: %s",
		 scrub_text_size(done, &units, progress.bytes_done),
		 scrub_text_size(total, &units, progress.bytes_total),
		 scrub_text_percent(percent, progress.bytes_done, progress.bytes_total),
		 scrub_text_size(rate_text, &units, rate), scrub_counts_found(&counts), left_text);
	scrub_messages_progress(control->messages, line);
}

static void *run(void *private)
{
	const struct timespec interval = { .tv_nsec = DRAW_MS * 1000000L };
	struct scrub_control *control = private;
	sigset_t set;
	siginfo_t info;
	int sig;

	our_signals(&set);
	for (;;) {
		sig = control->draw ? sigtimedwait(&set, &info, &interval) : sigwaitinfo(&set, &info);
		if (sig == end_signal())
			return NULL;
		if (sig == limit_signal())
			take_limit(control, (uint64_t)(uintptr_t)info.si_value.sival_ptr);
		else if (sig > 0)
			take_cancel(control, sig);
		else if (control->draw)
			draw(control);
	}
}

int scrub_control_create(struct scrub_messages *messages, bool draw_progress, struct scrub_control **out)
{
	struct scrub_control *control = calloc(1, sizeof(*control));
	int ret;

	if (!control)
		return -ENOMEM;
	pthread_mutex_init(&control->lock, NULL);
	control->messages = messages;
	control->draw = draw_progress;
	ret = pthread_create(&control->thread, NULL, run, control);
	if (ret) {
		free(control);
		return -ret;
	}
	*out = control;
	return 0;
}

void scrub_control_attach(struct scrub_control *control, struct scrub_engine *engine)
{
	pthread_mutex_lock(&control->lock);
	control->engine = engine;
	if (engine && control->cancelled)
		scrub_engine_cancel(engine);
	pthread_mutex_unlock(&control->lock);
}

int scrub_control_cancelled(struct scrub_control *control)
{
	int sig;

	pthread_mutex_lock(&control->lock);
	sig = control->cancelled;
	pthread_mutex_unlock(&control->lock);
	return sig;
}

int scrub_control_end(struct scrub_control *control)
{
	int sig;

	/* To the process, not to the thread: of those the one with the lowest number is taken first, and this is the last. */
	kill(getpid(), end_signal());
	pthread_join(control->thread, NULL);
	if (control->draw)
		scrub_messages_progress(control->messages, NULL);
	pthread_mutex_destroy(&control->lock);
	sig = control->cancelled;
	free(control);
	return sig;
}

int scrub_control_send_cancel(pid_t pid)
{
	return kill(pid, SIGTERM) != 0 ? -errno : 0;
}

int scrub_control_send_limit(pid_t pid, uint64_t limit)
{
	const union sigval value = { .sival_ptr = (void *)(uintptr_t)limit };

	return sigqueue(pid, limit_signal(), value) != 0 ? -errno : 0;
}
