/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.c - going to the background.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "scrub/messages.h"
#include "scrub/session.h"

/* Wait for the child's word, or its end. */
static int await(int fd, pid_t child)
{
	ssize_t got;
	int status;
	char word;

	do
		got = read(fd, &word, 1);
	while (got < 0 && errno == EINTR);
	if (got == 1)
		return 0;
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int scrub_session_detach(struct scrub_session *session, int *status)
{
	int fds[2];
	pid_t child;

	session->ready = -1;
	if (pipe2(fds, O_CLOEXEC) != 0)
		return -errno;
	fflush(NULL);
	child = fork();
	if (child < 0) {
		int err = -errno;

		close(fds[0]);
		close(fds[1]);
		return err;
	}
	if (child == 0) {
		close(fds[0]);
		setsid();
		signal(SIGPIPE, SIG_IGN); /* the one who waits may be gone when it is told */
		session->ready = fds[1];
		return 0;
	}
	close(fds[1]);
	*status = await(fds[0], child);
	close(fds[0]);
	return 1;
}

void scrub_session_ready(struct scrub_session *session, struct scrub_messages *messages)
{
	int null;

	if (session->ready < 0)
		return;
	fflush(NULL);
	scrub_messages_to_syslog(messages);
	null = open("/dev/null", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (null >= 0) {
		for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
			dup2(null, fd);
		if (null > STDERR_FILENO)
			close(null);
	}
	if (write(session->ready, "", 1) != 1)
		syslog(LOG_WARNING, "The process that started this scrub is gone.");
	close(session->ready);
	session->ready = -1;
}
