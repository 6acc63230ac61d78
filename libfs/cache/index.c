/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index.c - the treap behind index.h: a search tree by place, a heap by random priority.
 */
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include "cache/index.h"

/* Does @node end at or before byte @offset of @dev? The order of devices is any that stays the same. */
static bool ends_before(const struct index_node *node, const struct xx_device *dev, uint64_t offset)
{
	if (node->dev != dev)
		return (uintptr_t)node->dev < (uintptr_t)dev;
	return node->offset + node->len <= offset;
}

struct index_node *index_find(const struct index *index, const struct xx_device *dev, uint64_t offset, uint64_t len)
{
	struct index_node *node = index->root;
	struct index_node *first = NULL;

	while (node) {
		if (ends_before(node, dev, offset)) {
			node = node->child[1];
		} else {
			first = node;
			node = node->child[0];
		}
	}
	if (!first || first->dev != dev || (first->offset > offset && first->offset - offset >= len))
		return NULL;
	return first;
}

/* splitmix64 */
static uint64_t next_priority(struct index *index)
{
	uint64_t z = index->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Divide @tree at @node's place. */
static void split(struct index_node *tree, const struct index_node *node, struct index_node **left,
		  struct index_node **right)
{
	while (tree) {
		if (ends_before(tree, node->dev, node->offset)) {
			*left = tree;
			left = &tree->child[1];
			tree = *left;
		} else {
			*right = tree;
			right = &tree->child[0];
			tree = *right;
		}
	}
	*left = NULL;
	*right = NULL;
}

void index_insert(struct index *index, struct index_node *node)
{
	struct index_node **link = &index->root;

	assert(node->len != 0 && !index_find(index, node->dev, node->offset, node->len));
	node->priority = next_priority(index);
	while (*link && (*link)->priority >= node->priority)
		link = &(*link)->child[ends_before(*link, node->dev, node->offset)];
	split(*link, node, &node->child[0], &node->child[1]);
	*link = node;
}

void index_remove(struct index *index, struct index_node *node)
{
	struct index_node **link = &index->root;
	struct index_node *left = node->child[0];
	struct index_node *right = node->child[1];

	while (*link != node) {
		assert(*link);
		link = &(*link)->child[ends_before(*link, node->dev, node->offset)];
	}
	while (left && right) {
		if (left->priority > right->priority) {
			*link = left;
			link = &left->child[1];
			left = *link;
		} else {
			*link = right;
			link = &right->child[0];
			right = *link;
		}
	}
	*link = left ? left : right;
}
