/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inbox.h - where other threads leave word for the owner of a ring, and how the owner is woken.
 *
 * No wake-up is lost. Whoever has something for the owner enters it and counts an event, under the lock; the owner sets
 * the count to nought *before* it looks at what has been entered, and goes to sleep only when, under the lock, the count
 * still is nought. It sleeps on the condition variable, or, when it also waits for the kernel, on the eventfd that the
 * engine polls; which of the two it says under the same lock.
 */
#ifndef XX_IO_INBOX_H
#define XX_IO_INBOX_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <xx/ring.h>

enum xx_inbox_waiting {
	XX_INBOX_AWAKE,
	XX_INBOX_COND,
	XX_INBOX_EVENTFD,
};

struct xx_inbox {
	pthread_mutex_t lock; /* also that of the thread engines' lists */
	pthread_cond_t cond;
	int eventfd; /* -1 until an engine asks for it */
	enum xx_inbox_waiting waiting;
	uint64_t events; /* since the owner last looked */
	struct xx_post *first, *last; /* posted */
};

void xx_inbox_init(struct xx_inbox *inbox);
void xx_inbox_destroy(struct xx_inbox *inbox);

/* Make the eventfd; 0 or a negative errno. For engines that wait for the kernel. */
int xx_inbox_open_eventfd(struct xx_inbox *inbox);

/* With the lock held: something was entered. */
void xx_inbox_notify(struct xx_inbox *inbox);

/* The same without the lock. */
void xx_inbox_wake(struct xx_inbox *inbox);

void xx_inbox_post(struct xx_inbox *inbox, struct xx_post *post);

/* The owner is about to look: take what was posted. */
struct xx_post *xx_inbox_look(struct xx_inbox *inbox);

/* Sleep on the condition variable until there is an event. */
void xx_inbox_sleep(struct xx_inbox *inbox);

/* About to sleep on the eventfd: false when there is an event already. */
bool xx_inbox_arm(struct xx_inbox *inbox);

/* Awake from that, for whatever reason. */
void xx_inbox_disarm(struct xx_inbox *inbox);

/* The poll of the eventfd has fired: set it back, before it is polled again. */
void xx_inbox_empty(struct xx_inbox *inbox);

#endif
