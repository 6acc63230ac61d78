/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scrub_session.c - going to the background, and what signals do to a scrub.
 *
 * Each test runs in a process of its own; the engine is not there, or only its name.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "scrub/control.h"
#include "scrub/messages.h"
#include "scrub/session.h"

/* In the child of a test: end as a scrub would. */
static void child_ends(int status)
{
	_exit(status);
}

Test(session, the_user_goes_when_it_is_under_way)
{
	struct scrub_messages messages;
	struct scrub_session session;
	int status = -1, ret;

	scrub_messages_init(&messages);
	ret = scrub_session_detach(&session, &status);
	if (ret == 0) {
		scrub_session_ready(&session, &messages);
		child_ends(session.ready == -1 && messages.syslog ? 0 : 1);
	}
	cr_expect_eq(ret, 1);
	cr_expect_eq(status, 0);
}

Test(session, a_failure_before_is_the_users_exit_status)
{
	struct scrub_session session;
	int status = -1, ret;

	ret = scrub_session_detach(&session, &status);
	if (ret == 0)
		child_ends(2);
	cr_expect_eq(ret, 1);
	cr_expect_eq(status, 2);
}

Test(session, a_child_that_is_killed_has_failed)
{
	struct scrub_session session;
	int status = -1, ret;

	ret = scrub_session_detach(&session, &status);
	if (ret == 0)
		raise(SIGKILL);
	cr_expect_eq(ret, 1);
	cr_expect_eq(status, 1);
}

Test(session, the_child_has_a_session_of_its_own)
{
	struct scrub_session session;
	int status = -1, ret;

	ret = scrub_session_detach(&session, &status);
	if (ret == 0)
		child_ends(getsid(0) == getpid() ? 0 : 1);
	cr_expect_eq(ret, 1);
	cr_expect_eq(status, 0);
}

static const int cancelling[] = { SIGINT, SIGTERM, SIGHUP };

/* A signal that comes before the engine is there is not lost. */
Test(control, signals_cancel)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(cancelling); i++) {
		struct scrub_control *control;
		struct scrub_messages messages;

		scrub_messages_init(&messages);
		scrub_control_block();
		cr_assert_eq(scrub_control_create(&messages, false, &control), 0);
		cr_expect_eq(scrub_control_cancelled(control), 0);
		cr_assert_eq(kill(getpid(), cancelling[i]), 0);
		/* The thread takes signals in order: once it has ended, it took this one before. */
		cr_expect_eq(scrub_control_end(control), cancelling[i]);
	}
}

Test(control, what_is_ignored_stays_so)
{
	struct scrub_control *control;
	struct scrub_messages messages;

	scrub_messages_init(&messages);
	signal(SIGHUP, SIG_IGN);
	scrub_control_block();
	cr_assert_eq(scrub_control_create(&messages, false, &control), 0);
	cr_assert_eq(kill(getpid(), SIGHUP), 0);
	cr_expect_eq(scrub_control_end(control), 0);
}

Test(control, nobody_there)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	cr_assert_eq(waitpid(child, NULL, 0), child);
	cr_expect_eq(scrub_control_send_cancel(child), -ESRCH);
	cr_expect_eq(scrub_control_send_limit(child, 5), -ESRCH);
}
