/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extent_map.c - extents in a treap: a search tree by start that is a heap by priority. The priorities are random
 * numbers of a fixed sequence, so that the depth is logarithmic for any order of work, and runs can be repeated.
 */
#include <errno.h>
#include <stdlib.h>
#include <xx/extent_map.h>
#include <xx/random.h>

struct node {
	struct xx_extent extent;
	uint64_t priority;
	struct node *left, *right;
};

struct xx_extent_map {
	struct node *root;
	uint64_t count, total;
	struct xx_random random;
};

int xx_extent_map_create(struct xx_extent_map **out)
{
	struct xx_extent_map *map = calloc(1, sizeof(*map));

	if (!map)
		return -ENOMEM;
	xx_random_init_seed(&map->random, 0);
	*out = map;
	return 0;
}

void xx_extent_map_destroy(struct xx_extent_map *map)
{
	struct node *node;

	if (!map)
		return;
	/* without recursion: a left child becomes the root, until there is none */
	while ((node = map->root)) {
		if (node->left) {
			map->root = node->left;
			node->left = map->root->right;
			map->root->right = node;
		} else {
			map->root = node->right;
			free(node);
		}
	}
	free(map);
}

/* Cut a tree in two: what starts below @key, and the rest. */
static void tree_split(struct node *tree, uint64_t key, struct node **below, struct node **rest)
{
	while (tree) {
		if (tree->extent.start < key) {
			*below = tree;
			below = &tree->right;
			tree = tree->right;
		} else {
			*rest = tree;
			rest = &tree->left;
			tree = tree->left;
		}
	}
	*below = NULL;
	*rest = NULL;
}

/* One tree of two; all in @left is before all in @right. */
static struct node *tree_join(struct node *left, struct node *right)
{
	struct node *root;
	struct node **link = &root;

	while (left && right) {
		if (left->priority > right->priority) {
			*link = left;
			link = &left->right;
			left = left->right;
		} else {
			*link = right;
			link = &right->left;
			right = right->left;
		}
	}
	*link = left ? left : right;
	return root;
}

static int tree_insert(struct xx_extent_map *map, struct xx_extent extent)
{
	struct node **link = &map->root;
	struct node *node = malloc(sizeof(*node));

	if (!node)
		return -ENOMEM;
	node->extent = extent;
	node->priority = xx_random_u64(&map->random);
	while (*link && (*link)->priority > node->priority)
		link = extent.start < (*link)->extent.start ? &(*link)->left : &(*link)->right;
	tree_split(*link, extent.start, &node->left, &node->right);
	*link = node;
	map->count++;
	return 0;
}

static void tree_erase(struct xx_extent_map *map, struct node *node)
{
	struct node **link = &map->root;

	while (*link != node)
		link = node->extent.start < (*link)->extent.start ? &(*link)->left : &(*link)->right;
	*link = tree_join(node->left, node->right);
	free(node);
	map->count--;
}

/* The last extent that starts at or before @pos, and the first that starts after it; NULL where there is none. */
static void tree_find(const struct xx_extent_map *map, uint64_t pos, struct node **before, struct node **after)
{
	struct node *node = map->root;

	*before = NULL;
	*after = NULL;
	while (node) {
		if (node->extent.start <= pos) {
			*before = node;
			node = node->right;
		} else {
			*after = node;
			node = node->left;
		}
	}
}

static bool extent_valid(uint64_t start, uint64_t len)
{
	return len != 0 && len <= UINT64_MAX - start;
}

int xx_extent_map_add(struct xx_extent_map *map, uint64_t start, uint64_t len)
{
	const uint64_t end = start + len;
	struct node *before, *after;
	bool joins_before, joins_after;
	int err = 0;

	if (!extent_valid(start, len))
		return -EINVAL;
	tree_find(map, start, &before, &after);
	if ((before && xx_extent_end(before->extent) > start) || (after && after->extent.start < end))
		return -EEXIST;
	joins_before = before && xx_extent_end(before->extent) == start;
	joins_after = after && after->extent.start == end;
	if (joins_before && joins_after) {
		before->extent.len += len + after->extent.len;
		tree_erase(map, after);
	} else if (joins_before) {
		before->extent.len += len;
	} else if (joins_after) {
		after->extent.start = start;
		after->extent.len += len;
	} else {
		err = tree_insert(map, (struct xx_extent){ start, len });
	}
	if (!err)
		map->total += len;
	return err;
}

int xx_extent_map_remove(struct xx_extent_map *map, uint64_t start, uint64_t len)
{
	const uint64_t end = start + len;
	struct node *around, *after;
	uint64_t head, tail;
	int err = 0;

	if (!extent_valid(start, len))
		return -EINVAL;
	tree_find(map, start, &around, &after);
	if (!around || xx_extent_end(around->extent) < end)
		return -ENOENT;
	head = start - around->extent.start;
	tail = xx_extent_end(around->extent) - end;
	if (head && tail)
		err = tree_insert(map, (struct xx_extent){ end, tail });
	if (err)
		return err;
	map->total -= len;
	if (head) {
		around->extent.len = head;
	} else if (tail) {
		around->extent = (struct xx_extent){ end, tail };
	} else {
		tree_erase(map, around);
	}
	return 0;
}

bool xx_extent_map_find(const struct xx_extent_map *map, uint64_t pos, struct xx_extent *out)
{
	struct node *before, *after;

	tree_find(map, pos, &before, &after);
	if (!before || xx_extent_end(before->extent) <= pos)
		return false;
	*out = before->extent;
	return true;
}

bool xx_extent_map_next(const struct xx_extent_map *map, uint64_t pos, struct xx_extent *out)
{
	struct node *before, *after;

	tree_find(map, pos, &before, &after);
	if (before && xx_extent_end(before->extent) > pos)
		*out = before->extent;
	else if (after)
		*out = after->extent;
	else
		return false;
	return true;
}

uint64_t xx_extent_map_count(const struct xx_extent_map *map)
{
	return map->count;
}

uint64_t xx_extent_map_total(const struct xx_extent_map *map)
{
	return map->total;
}
