/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index.h - which piece of which buffer covers a range of a device.
 *
 * A treap (a search tree that is balanced by random priorities) of ranges that do not overlap, ordered by device and
 * offset. The nodes lie in the buffers' own pieces, so nothing here allocates or fails.
 */
#ifndef CACHE_INDEX_H
#define CACHE_INDEX_H

#include <stdint.h>

struct xx_device;

struct index_node {
	struct index_node *child[2];
	uint64_t priority;
	const struct xx_device *dev;
	uint64_t offset; /* bytes */
	uint64_t len; /* bytes, not 0; offset + len fits in 64 bits */
};

struct index {
	struct index_node *root;
	uint64_t state; /* of the random priorities; 0 to begin with */
};

/* The first node, by offset, that has a byte in common with the range; NULL when there is none. */
struct index_node *index_find(const struct index *index, const struct xx_device *dev, uint64_t offset, uint64_t len);

/* Put a node in, or take it out. Inserting one that overlaps another is a fault that asserts. */
void index_insert(struct index *index, struct index_node *node);
void index_remove(struct index *index, struct index_node *node);

#endif
