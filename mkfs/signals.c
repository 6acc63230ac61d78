/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals.c - a handler that notes the signal, and nothing else.
 *
 * System calls are not restarted, so that whoever waits in one sees the signal at once.
 */
#include <signal.h>
#include <stddef.h>

#include "mkfs/signals.h"

static volatile sig_atomic_t caught;

static void note(int sig)
{
	caught = sig;
}

void mkfs_signals_catch(void)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction act = { .sa_handler = note }, old;

	/* A limit of the file size and a reader that went away are errors of a write, which are seen and said. */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		if (sigaction(sigs[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(sigs[i], &act, NULL);
}

int mkfs_signals_caught(void)
{
	return caught;
}
