/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iter.c - walks over the items of a tree in order, past what is dead.
 *
 * The path holds a block for each level from the root's down to `level`. Each has an upper bound, the next pointer of
 * its parent: its keys lie below. As the first key of a child is the one of its pointer, and pointers rise, no block is
 * met twice.
 */
#include <errno.h>
#include <stdlib.h>

#include <xx/btrfs_tree.h>

#include "btrfs/tree.h"

struct step {
	struct xx_btrfs_block *block;
	const void *data;
	uint32_t slot, count;
	bool bounded;
	struct xx_btrfs_key end; /* if bounded */
};

struct xx_btrfs_iter {
	struct xx_btrfs_reader *reader;
	xx_btrfs_lost_fn lost;
	void *private;

	struct xx_btrfs_root root;
	struct xx_btrfs_key first, last;
	bool before; /* begin with the last item that is not behind `first` */
	bool finished; /* nothing to be found: no tree, or its root is dead */

	struct step path[BTRFS_MAX_LEVEL];
	bool entered; /* the path has blocks, from root.level down to `level` */
	uint8_t level;

	bool far; /* `until` is set */
	struct xx_btrfs_key until;
	uint32_t window; /* blocks to read at once when the next one is not there */
	uint64_t dead;
};

int xx_btrfs_iter_create(struct xx_btrfs_reader *reader, xx_btrfs_lost_fn lost, void *private,
			 struct xx_btrfs_iter **out)
{
	struct xx_btrfs_iter *iter = calloc(1, sizeof(*iter));

	if (!iter)
		return -ENOMEM;
	iter->reader = reader;
	iter->lost = lost;
	iter->private = private;
	iter->finished = true;
	*out = iter;
	return 0;
}

static void leave(struct xx_btrfs_iter *iter, uint8_t level)
{
	xx_btrfs_reader_put(iter->reader, iter->path[level].block);
	iter->path[level].block = NULL;
}

/* Give all blocks below @level back. */
static void trim(struct xx_btrfs_iter *iter, uint8_t level)
{
	while (iter->level < level)
		leave(iter, iter->level++);
}

static void leave_all(struct xx_btrfs_iter *iter)
{
	if (!iter->entered)
		return;
	trim(iter, iter->root.level);
	leave(iter, iter->root.level);
	iter->entered = false;
}

void xx_btrfs_iter_destroy(struct xx_btrfs_iter *iter)
{
	if (!iter)
		return;
	leave_all(iter);
	free(iter);
}

uint64_t xx_btrfs_iter_lost(const struct xx_btrfs_iter *iter)
{
	return iter->dead;
}

static const struct btrfs_header *ancestor(const struct xx_btrfs_iter *iter, uint8_t level)
{
	if (!iter->entered || level < iter->level || level > iter->root.level)
		return NULL;
	return iter->path[level].data;
}

uint64_t xx_btrfs_iter_block(const struct xx_btrfs_iter *iter, uint8_t level)
{
	const struct btrfs_header *header = ancestor(iter, level);

	return header ? le64_get(header->bytenr) : 0;
}

uint64_t xx_btrfs_iter_generation(const struct xx_btrfs_iter *iter, uint8_t level)
{
	const struct btrfs_header *header = ancestor(iter, level);

	return header ? le64_get(header->generation) : 0;
}

void xx_btrfs_iter_read_ahead(struct xx_btrfs_iter *iter, const struct xx_btrfs_key *until)
{
	iter->far = true;
	iter->until = *until;
}

/* --- Where to begin --- */

/* The slot to begin with in the block of @level. */
static void place(struct xx_btrfs_iter *iter, uint8_t level)
{
	struct step *step = &iter->path[level];

	if (level > 0 || iter->before)
		step->slot = xx_btrfs_block_covering(step->data, &iter->first);
	else
		step->slot = xx_btrfs_block_lower(step->data, &iter->first);
}

/* Does what is searched begin within the block of @level? */
static bool covers(const struct xx_btrfs_iter *iter, uint8_t level)
{
	const struct step *step = &iter->path[level];
	struct xx_btrfs_key key;

	if (step->count == 0)
		return false;
	key = xx_btrfs_block_key(step->data, 0);
	if (xx_btrfs_key_compare(iter->first, key) < 0)
		return false;
	return !step->bounded || xx_btrfs_key_compare(iter->first, step->end) < 0;
}

static bool same_tree(const struct xx_btrfs_root *a, const struct xx_btrfs_root *b)
{
	return a->id == b->id && a->bytenr == b->bytenr && a->generation == b->generation && a->level == b->level &&
	       a->owner == b->owner;
}

static void seek(struct xx_btrfs_iter *iter, const struct xx_btrfs_root *root, const struct xx_btrfs_key *first,
		 const struct xx_btrfs_key *last, bool before)
{
	uint8_t level = iter->level;

	if (!iter->entered || !same_tree(&iter->root, root)) {
		leave_all(iter);
		iter->window = 0;
	}
	iter->root = *root;
	iter->first = *first;
	iter->last = *last;
	iter->before = before;
	iter->finished = root->bytenr == 0 || root->level >= BTRFS_MAX_LEVEL;
	if (!iter->entered)
		return;
	while (level < root->level && !covers(iter, level))
		level++;
	if (level > 1)
		iter->window = 0;
	trim(iter, level);
	place(iter, level);
}

void xx_btrfs_iter_seek(struct xx_btrfs_iter *iter, const struct xx_btrfs_root *root, const struct xx_btrfs_key *first,
			const struct xx_btrfs_key *last)
{
	seek(iter, root, first, last, false);
}

void xx_btrfs_iter_seek_before(struct xx_btrfs_iter *iter, const struct xx_btrfs_root *root,
			       const struct xx_btrfs_key *first, const struct xx_btrfs_key *last)
{
	seek(iter, root, first, last, true);
}

/* --- Going down --- */

static struct xx_btrfs_key key_max(struct xx_btrfs_key a, struct xx_btrfs_key b)
{
	return xx_btrfs_key_compare(a, b) > 0 ? a : b;
}

static struct xx_btrfs_key key_min(struct xx_btrfs_key a, struct xx_btrfs_key b)
{
	return xx_btrfs_key_compare(a, b) < 0 ? a : b;
}

/* Keys from @from to before @end (if bounded) are lost with a block, as far as they are asked for. */
static void report(struct xx_btrfs_iter *iter, const struct xx_btrfs_expect *want, struct xx_btrfs_key from,
		   bool bounded, struct xx_btrfs_key end, int error)
{
	const struct xx_btrfs_lost lost = {
		.root = iter->root.id,
		.first = iter->before ? from : key_max(from, iter->first),
		.last = bounded ? key_min(xx_btrfs_key_prev(end), iter->last) : iter->last,
		.logical = want->logical,
		.generation = want->generation,
		.level = (uint8_t)want->level,
		.error = error,
	};

	iter->dead++;
	if (iter->lost && xx_btrfs_key_compare(lost.first, lost.last) <= 0)
		iter->lost(iter->private, &lost);
}

/* Do its keys lie where its parent says? */
static bool in_bounds(const struct step *step)
{
	struct xx_btrfs_key last;

	if (step->count == 0 || !step->bounded)
		return true;
	last = xx_btrfs_block_key(step->data, step->count - 1);
	return xx_btrfs_key_compare(last, step->end) < 0;
}

/* A block for the path: 0, or why it is dead. */
static int enter(struct xx_btrfs_iter *iter, const struct xx_btrfs_expect *want, struct step *step)
{
	int ret = xx_btrfs_reader_get(iter->reader, want, &step->block);

	if (ret)
		return ret;
	step->data = xx_btrfs_block_data(step->block);
	step->count = xx_btrfs_block_count(step->data);
	if (in_bounds(step))
		return 0;
	xx_btrfs_reader_put(iter->reader, step->block);
	step->block = NULL;
	return -EUCLEAN;
}

/* Read the next children of a node in one go, when the first of them is not there. */
static int read_ahead(struct xx_btrfs_iter *iter, const struct step *step)
{
	const struct xx_btrfs_key until = iter->far ? key_max(iter->until, iter->last) : iter->last;
	struct xx_btrfs_expect wants[XX_BTRFS_WINDOW];
	uint32_t count = 0;

	wants[0] = xx_btrfs_node_want(step->data, step->slot, iter->root.owner);
	if (xx_btrfs_reader_has(iter->reader, &wants[0]))
		return 0;
	while (count < iter->window && step->slot + count < step->count) {
		wants[count] = xx_btrfs_node_want(step->data, step->slot + count, iter->root.owner);
		if (xx_btrfs_key_compare(wants[count].first_key, until) > 0)
			break;
		count++;
	}
	iter->window = iter->window == 0 ? 1 : iter->window * 2;
	if (iter->window > xx_btrfs_reader_window(iter->reader))
		iter->window = xx_btrfs_reader_window(iter->reader);
	return count > 1 ? xx_btrfs_reader_ahead(iter->reader, wants, count) : 0;
}

/* From the slot of a node to its child; a dead one is passed by. */
static int descend(struct xx_btrfs_iter *iter)
{
	struct step *up = &iter->path[iter->level];
	struct step *down = up - 1;
	struct xx_btrfs_expect want = xx_btrfs_node_want(up->data, up->slot, iter->root.owner);
	int ret = read_ahead(iter, up);

	if (ret)
		return ret;
	*down = (struct step){ .bounded = up->bounded, .end = up->end };
	if (up->slot + 1 < up->count) {
		down->bounded = true;
		down->end = xx_btrfs_block_key(up->data, up->slot + 1);
	}
	ret = enter(iter, &want, down);
	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		report(iter, &want, want.first_key, down->bounded, down->end, ret);
		up->slot++;
		return 0;
	}
	iter->level--;
	place(iter, iter->level);
	return 0;
}

/* The root block: 1, 0 when it is dead, or -ENOMEM. */
static int enter_root(struct xx_btrfs_iter *iter)
{
	const struct xx_btrfs_expect want = xx_btrfs_root_want(&iter->root);
	struct step *step = &iter->path[iter->root.level];
	int ret;

	*step = (struct step){ 0 };
	ret = enter(iter, &want, step);
	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		report(iter, &want, XX_BTRFS_KEY_MIN, false, XX_BTRFS_KEY_MAX, ret);
		iter->finished = true;
		return 0;
	}
	iter->entered = true;
	iter->level = iter->root.level;
	place(iter, iter->level);
	return 1;
}

/* To the leaf of the next item: 1 when it stands on one, 0 at the end. */
static int settle(struct xx_btrfs_iter *iter)
{
	for (;;) {
		struct step *step = &iter->path[iter->level];
		int ret;

		if (step->slot >= step->count) {
			if (iter->level == iter->root.level)
				return 0;
			leave(iter, iter->level++);
			iter->path[iter->level].slot++;
			continue;
		}
		if (iter->level == 0)
			return 1;
		if (xx_btrfs_key_compare(xx_btrfs_block_key(step->data, step->slot), iter->last) > 0)
			return 0;
		ret = descend(iter);
		if (ret)
			return ret;
	}
}

int xx_btrfs_iter_next(struct xx_btrfs_iter *iter, struct xx_btrfs_item *item)
{
	struct step *leaf = &iter->path[0];
	int ret;

	if (iter->finished)
		return 0;
	if (!iter->entered) {
		ret = enter_root(iter);
		if (ret <= 0)
			return ret;
	}
	ret = settle(iter);
	if (ret <= 0)
		return ret;
	xx_btrfs_leaf_item(leaf->data, leaf->slot, item);
	if (xx_btrfs_key_compare(item->key, iter->last) > 0)
		return 0;
	leaf->slot++;
	return 1;
}
