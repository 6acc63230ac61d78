/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIGINT, SIGTERM and SIGHUP while a file system is made: the work stops where it is, and nothing mountable is left.
 */
#ifndef MKFS_SIGNALS_H
#define MKFS_SIGNALS_H

#include <stdbool.h>

/*
 * From now on these signals are only noted. One that is ignored (nohup) stays ignored. SIGXFSZ and SIGPIPE are ignored:
 * the write that they would be sent for fails.
 */
void mkfs_signals_catch(void);

/* The signal that came, or 0. Long loops ask between two requests. */
int mkfs_signals_caught(void);

#endif
