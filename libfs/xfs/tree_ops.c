/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_ops.c - records and keys of each tree of a group, from memory to disk.
 */
#include <stddef.h>
#include <string.h>

#include <xx/xfs_format.h>

#include "xfs/tree_ops.h"

static void put_free(const struct xx_xfs_geometry *geo, const void *mem, uint8_t *rec)
{
	const struct xx_xfs_free *f = mem;
	struct xfs_alloc_rec *r = (struct xfs_alloc_rec *)rec;

	(void)geo;
	r->ar_startblock = be32_make(f->start);
	r->ar_blockcount = be32_make(f->len);
}

/* Without sparse inodes the free count has four bytes: holes and count are zero then. */
static void put_chunk(const struct xx_xfs_geometry *geo, const void *mem, uint8_t *rec)
{
	const struct xx_xfs_chunk *c = mem;
	struct xfs_inobt_rec *r = (struct xfs_inobt_rec *)rec;

	r->ir_startino = be32_make(c->start);
	r->ir_holemask = be16_make(geo->features.sparse_inodes ? c->holes : 0);
	r->ir_count = geo->features.sparse_inodes ? c->count : 0;
	r->ir_freecount = c->free_count;
	r->ir_free = be64_make(c->free);
}

static void put_rmap(const struct xx_xfs_geometry *geo, const void *mem, uint8_t *rec)
{
	const struct xx_xfs_rmap *m = mem;
	struct xfs_rmap_rec *r = (struct xfs_rmap_rec *)rec;

	(void)geo;
	r->rm_startblock = be32_make(m->start);
	r->rm_blockcount = be32_make(m->len);
	r->rm_owner = be64_make(m->owner);
	r->rm_offset = be64_make(m->offset);
}

static void put_refcount(const struct xx_xfs_geometry *geo, const void *mem, uint8_t *rec)
{
	const struct xx_xfs_refcount *c = mem;
	struct xfs_refcount_rec *r = (struct xfs_refcount_rec *)rec;

	(void)geo;
	r->rc_startblock = be32_make(c->start);
	r->rc_blockcount = be32_make(c->len);
	r->rc_refcount = be32_make(c->count);
}

static void free_key(const uint8_t *rec, uint8_t *key)
{
	memcpy(key, rec, sizeof(struct xfs_alloc_rec));
}

/* Inode chunks and reference counts are sorted by their first field alone. */
static void start_key(const uint8_t *rec, uint8_t *key)
{
	memcpy(key, rec, sizeof(be32));
}

static void rmap_key(const struct xfs_rmap_rec *r, uint32_t blocks, struct xfs_rmap_key *k)
{
	const uint64_t offset = be64_get(r->rm_offset) & ~XFS_RMAP_OFF_UNWRITTEN;
	const bool counts = be64_get(r->rm_owner) < XFS_RMAP_OWN_COW && !(offset & XFS_RMAP_OFF_BMBT_BLOCK);

	k->rm_startblock = be32_make(be32_get(r->rm_startblock) + blocks);
	k->rm_owner = r->rm_owner;
	k->rm_offset = be64_make(counts ? offset + blocks : offset);
}

static void rmap_low_key(const uint8_t *rec, uint8_t *key)
{
	rmap_key((const struct xfs_rmap_rec *)rec, 0, (struct xfs_rmap_key *)key);
}

/* The last block, and the file's block there when the owner is a file. */
static void rmap_high_key(const uint8_t *rec, uint8_t *key)
{
	const struct xfs_rmap_rec *r = (const struct xfs_rmap_rec *)rec;

	rmap_key(r, be32_get(r->rm_blockcount) - 1, (struct xfs_rmap_key *)key);
}

/* All fields are big-endian, in the order in which they count. */
static int rmap_compare(const uint8_t *a, const uint8_t *b)
{
	return memcmp(a, b, sizeof(struct xfs_rmap_key));
}

#define LIMITS(member) offsetof(struct xx_xfs_geometry, member)

static const struct xx_xfs_tree_ops tree_ops[] = {
	[XX_XFS_BNOBT] = {
		.magic = XFS_ABTB_CRC_MAGIC,
		.mem_size = sizeof(struct xx_xfs_free),
		.rec_size = sizeof(struct xfs_alloc_rec),
		.key_size = sizeof(struct xfs_alloc_rec),
		.limits = LIMITS(alloc),
		.put = put_free,
		.low_key = free_key,
	},
	[XX_XFS_CNTBT] = {
		.magic = XFS_ABTC_CRC_MAGIC,
		.mem_size = sizeof(struct xx_xfs_free),
		.rec_size = sizeof(struct xfs_alloc_rec),
		.key_size = sizeof(struct xfs_alloc_rec),
		.limits = LIMITS(alloc),
		.put = put_free,
		.low_key = free_key,
	},
	[XX_XFS_INOBT] = {
		.magic = XFS_IBT_CRC_MAGIC,
		.mem_size = sizeof(struct xx_xfs_chunk),
		.rec_size = sizeof(struct xfs_inobt_rec),
		.key_size = sizeof(be32),
		.limits = LIMITS(inobt),
		.put = put_chunk,
		.low_key = start_key,
	},
	[XX_XFS_FINOBT] = {
		.magic = XFS_FIBT_CRC_MAGIC,
		.mem_size = sizeof(struct xx_xfs_chunk),
		.rec_size = sizeof(struct xfs_inobt_rec),
		.key_size = sizeof(be32),
		.limits = LIMITS(inobt),
		.put = put_chunk,
		.low_key = start_key,
	},
	[XX_XFS_RMAPBT] = {
		.magic = XFS_RMAP_CRC_MAGIC,
		.mem_size = sizeof(struct xx_xfs_rmap),
		.rec_size = sizeof(struct xfs_rmap_rec),
		.key_size = sizeof(struct xfs_rmap_key),
		.overlapping = true,
		.limits = LIMITS(rmapbt),
		.put = put_rmap,
		.low_key = rmap_low_key,
		.high_key = rmap_high_key,
		.compare = rmap_compare,
	},
	[XX_XFS_REFCOUNTBT] = {
		.magic = XFS_REFC_CRC_MAGIC,
		.mem_size = sizeof(struct xx_xfs_refcount),
		.rec_size = sizeof(struct xfs_refcount_rec),
		.key_size = sizeof(be32),
		.limits = LIMITS(refcountbt),
		.put = put_refcount,
		.low_key = start_key,
	},
};

const struct xx_xfs_tree_ops *xx_xfs_tree_ops(enum xx_xfs_tree tree)
{
	return &tree_ops[tree];
}
