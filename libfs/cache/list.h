/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list.h - a circular, doubly linked list whose links lie in its members.
 *
 * An empty list is a head that points to itself; a member that is on no list, too.
 */
#ifndef CACHE_LIST_H
#define CACHE_LIST_H

#include <stdbool.h>

struct list {
	struct list *prev, *next;
};

static inline void list_init(struct list *list)
{
	list->prev = list;
	list->next = list;
}

static inline bool list_empty(const struct list *head)
{
	return head->next == head;
}

/* Take a member off its list, if it is on one. */
static inline void list_del(struct list *member)
{
	member->prev->next = member->next;
	member->next->prev = member->prev;
	list_init(member);
}

/* Put a member that is on no list at the end of one. */
static inline void list_append(struct list *head, struct list *member)
{
	member->prev = head->prev;
	member->next = head;
	head->prev->next = member;
	head->prev = member;
}

/* Take a member off where it is, and put it at the end of a list. */
static inline void list_move(struct list *head, struct list *member)
{
	list_del(member);
	list_append(head, member);
}

/* Move all members of @from to the end of @to. */
static inline void list_splice(struct list *to, struct list *from)
{
	if (list_empty(from))
		return;
	from->next->prev = to->prev;
	from->prev->next = to;
	to->prev->next = from->next;
	to->prev = from->prev;
	list_init(from);
}

#endif
