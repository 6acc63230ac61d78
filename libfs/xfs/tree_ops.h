/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_ops.h - what distinguishes the trees of a group from each other: one row a tree.
 */
#ifndef XFS_TREE_OPS_H
#define XFS_TREE_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include <xx/xfs_build.h>

struct xx_xfs_tree_ops {
	uint32_t magic;
	uint16_t mem_size; /* of a record in memory */
	uint16_t rec_size; /* of a record on disk */
	uint16_t key_size; /* of a key on disk */
	bool overlapping; /* records may overlap: nodes hold a low and a high key for each pointer */
	size_t limits; /* offset of its struct xx_xfs_tree_geometry in struct xx_xfs_geometry */
	void (*put)(const struct xx_xfs_geometry *geo, const void *mem, uint8_t *rec);
	void (*low_key)(const uint8_t *rec, uint8_t *key);
	void (*high_key)(const uint8_t *rec, uint8_t *key); /* overlapping trees only */
	int (*compare)(const uint8_t *a, const uint8_t *b); /* two keys, overlapping trees only */
};

const struct xx_xfs_tree_ops *xx_xfs_tree_ops(enum xx_xfs_tree tree);

static inline const struct xx_xfs_tree_geometry *xx_xfs_tree_limits(const struct xx_xfs_geometry *geo,
								    const struct xx_xfs_tree_ops *ops)
{
	return (const struct xx_xfs_tree_geometry *)((const char *)geo + ops->limits);
}

#endif
