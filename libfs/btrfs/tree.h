/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h - what iterators, back references and the reader share. Inner header of libfs/btrfs.
 */
#ifndef LIBFS_BTRFS_TREE_H
#define LIBFS_BTRFS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/btrfs_tree.h>

/* Items or pointers of a block, its level, and the key of one; @slot lies below the count. */
uint32_t xx_btrfs_block_count(const void *block);
uint8_t xx_btrfs_block_level(const void *block);
struct xx_btrfs_key xx_btrfs_block_key(const void *block, uint32_t slot);

/* The first slot whose key is @key or more; the count when there is none. */
uint32_t xx_btrfs_block_lower(const void *block, const struct xx_btrfs_key *key);

/* The last slot whose key is @key or less; 0 when there is none. */
uint32_t xx_btrfs_block_covering(const void *block, const struct xx_btrfs_key *key);

/* What a node's pointer says of the child, reached from a tree of @owner. */
struct xx_btrfs_expect xx_btrfs_node_want(const void *node, uint32_t slot, uint64_t owner);

/* What a tree's root block is to be like. */
struct xx_btrfs_expect xx_btrfs_root_want(const struct xx_btrfs_root *root);

/* Is the block kept, so that it need not be read? */
bool xx_btrfs_reader_has(const struct xx_btrfs_reader *reader, const struct xx_btrfs_expect *want);

/* Blocks that may be read ahead in one go. */
uint32_t xx_btrfs_reader_window(const struct xx_btrfs_reader *reader);

/* Read blocks that will be wanted soon; those that cannot be had are none that is kept. 0 or -ENOMEM. */
int xx_btrfs_reader_ahead(struct xx_btrfs_reader *reader, const struct xx_btrfs_expect *wants, size_t count);

/* The limit for xx_btrfs_reader_window(). */
#define XX_BTRFS_WINDOW 64

#endif
