/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - going to the background: the user's process waits until the scrub is under way, or has failed.
 */
#ifndef SCRUB_SESSION_H
#define SCRUB_SESSION_H

#include <xx/compiler.h>

struct scrub_messages;

struct scrub_session {
	int ready; /* to the process that waits; -1: nobody waits */
};

/*
 * Make a child in a session of its own, which survives the terminal; before any thread is made. In the child 0. In the
 * parent 1, after the child has called scrub_session_ready() (@status is 0) or has ended (@status is its exit status).
 * Or a negative errno.
 */
XX_MUST_CHECK int scrub_session_detach(struct scrub_session *session, int *status);

/* Release the parent; standard input, output and error go to /dev/null, messages to syslog. */
void scrub_session_ready(struct scrub_session *session, struct scrub_messages *messages);

#endif
