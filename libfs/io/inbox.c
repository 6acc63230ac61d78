/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inbox.c - where other threads leave word for the owner of a ring; see inbox.h for why no wake-up is lost.
 */
#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "io/inbox.h"

void xx_inbox_init(struct xx_inbox *inbox)
{
	*inbox = (struct xx_inbox){ .eventfd = -1 };
	pthread_mutex_init(&inbox->lock, NULL);
	pthread_cond_init(&inbox->cond, NULL);
}

void xx_inbox_destroy(struct xx_inbox *inbox)
{
	if (inbox->eventfd >= 0)
		close(inbox->eventfd);
	pthread_cond_destroy(&inbox->cond);
	pthread_mutex_destroy(&inbox->lock);
}

int xx_inbox_open_eventfd(struct xx_inbox *inbox)
{
	if (inbox->eventfd < 0)
		inbox->eventfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return inbox->eventfd < 0 ? -errno : 0;
}

/* The counter of the eventfd cannot be full: it is written once for each sleep. */
void xx_inbox_notify(struct xx_inbox *inbox)
{
	uint64_t one = 1;

	inbox->events++;
	if (inbox->waiting == XX_INBOX_COND)
		pthread_cond_signal(&inbox->cond);
	else if (inbox->waiting == XX_INBOX_EVENTFD)
		while (write(inbox->eventfd, &one, sizeof(one)) < 0 && errno == EINTR)
			;
	inbox->waiting = XX_INBOX_AWAKE;
}

void xx_inbox_wake(struct xx_inbox *inbox)
{
	pthread_mutex_lock(&inbox->lock);
	xx_inbox_notify(inbox);
	pthread_mutex_unlock(&inbox->lock);
}

void xx_inbox_post(struct xx_inbox *inbox, struct xx_post *post)
{
	post->next = NULL;
	pthread_mutex_lock(&inbox->lock);
	if (inbox->last)
		inbox->last->next = post;
	else
		inbox->first = post;
	inbox->last = post;
	xx_inbox_notify(inbox);
	pthread_mutex_unlock(&inbox->lock);
}

struct xx_post *xx_inbox_look(struct xx_inbox *inbox)
{
	struct xx_post *posts;

	pthread_mutex_lock(&inbox->lock);
	posts = inbox->first;
	inbox->first = NULL;
	inbox->last = NULL;
	inbox->events = 0;
	pthread_mutex_unlock(&inbox->lock);
	return posts;
}

void xx_inbox_sleep(struct xx_inbox *inbox)
{
	pthread_mutex_lock(&inbox->lock);
	while (inbox->events == 0) {
		inbox->waiting = XX_INBOX_COND;
		pthread_cond_wait(&inbox->cond, &inbox->lock);
	}
	inbox->waiting = XX_INBOX_AWAKE;
	pthread_mutex_unlock(&inbox->lock);
}

bool xx_inbox_arm(struct xx_inbox *inbox)
{
	bool quiet;

	pthread_mutex_lock(&inbox->lock);
	quiet = inbox->events == 0;
	inbox->waiting = quiet ? XX_INBOX_EVENTFD : XX_INBOX_AWAKE;
	pthread_mutex_unlock(&inbox->lock);
	return quiet;
}

void xx_inbox_disarm(struct xx_inbox *inbox)
{
	pthread_mutex_lock(&inbox->lock);
	inbox->waiting = XX_INBOX_AWAKE;
	pthread_mutex_unlock(&inbox->lock);
}

void xx_inbox_empty(struct xx_inbox *inbox)
{
	uint64_t count;

	while (read(inbox->eventfd, &count, sizeof(count)) < 0 && errno == EINTR)
		;
}
