/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.h - what reaches a running scrub from outside: signals that cancel it or set its limit; and its progress line.
 *
 * A thread of its own takes the signals, so that nothing runs in a handler. SIGINT, SIGTERM and SIGHUP cancel; a second
 * one ends the process at once, which can be resumed too. A limit comes as the value of a queued real-time signal, whole
 * or not at all: no file and no socket is left behind.
 */
#ifndef SCRUB_CONTROL_H
#define SCRUB_CONTROL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <xx/compiler.h>

struct scrub_control;
struct scrub_engine;
struct scrub_messages;

/* Let no signal of these reach the process but through a control. Before any thread is made, and before the lock. */
void scrub_control_block(void);

/* Start; @draw: show progress through @messages. 0 or a negative errno. */
XX_MUST_CHECK int scrub_control_create(struct scrub_messages *messages, bool draw, struct scrub_control **out);

/* From now on this engine is meant; a cancel that came before reaches it now. NULL: none any more. */
void scrub_control_attach(struct scrub_control *control, struct scrub_engine *engine);

/* The signal that cancelled; 0: none. */
int scrub_control_cancelled(struct scrub_control *control);

/* End the thread, which takes what has come before, and take the line away. The signal that cancelled; 0: none. */
int scrub_control_end(struct scrub_control *control);

/* --- from another process --- */

/* Ask the scrub of process @pid to end; to keep to @limit bytes a second of each device. 0 or a negative errno. */
XX_MUST_CHECK int scrub_control_send_cancel(pid_t pid);
XX_MUST_CHECK int scrub_control_send_limit(pid_t pid, uint64_t limit);

#endif
