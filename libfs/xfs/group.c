/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * group.c - an allocation group from its facts: superblock copy, AGF, AGI, AGFL with its free list, and six trees, in
 * one contiguous piece of memory. "XFS Algorithms & Data Structures", chapter "Allocation Groups".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xx/csum.h>
#include <xx/units.h>
#include <xx/xfs_build.h>
#include <xx/xfs_format.h>

/* Facts that take no more than this are sorted on the stack: those of a new group. */
#define LOCAL_RECORDS 32

struct build {
	const struct xx_xfs_geometry *geo;
	const struct xx_xfs_ag_facts *facts;
	uint8_t *head;
	uint8_t *extra;
	size_t extra_used; /* blocks */
	struct {
		uint32_t levels;
		uint64_t blocks;
	} tree[XX_XFS_REFCOUNTBT + 1];
};

size_t xx_xfs_ag_head_bytes(const struct xx_xfs_geometry *geo)
{
	return (size_t)geo->root_block.first_free << geo->block_log;
}

static size_t finobt_count(const struct xx_xfs_ag_facts *facts)
{
	size_t count = 0;

	for (size_t i = 0; i < facts->chunk_count; i++)
		count += facts->chunks[i].free_count != 0;
	return count;
}

/* Records of a tree of these facts; whether the feature is on is not asked. */
static size_t record_count(const struct xx_xfs_ag_facts *facts, enum xx_xfs_tree tree)
{
	switch (tree) {
	case XX_XFS_BNOBT:
	case XX_XFS_CNTBT:
		return facts->free_count;
	case XX_XFS_INOBT:
		return facts->chunk_count;
	case XX_XFS_FINOBT:
		return finobt_count(facts);
	case XX_XFS_RMAPBT:
		return facts->rmap_count;
	case XX_XFS_REFCOUNTBT:
		return facts->refcount_count;
	}
	return 0;
}

static uint32_t root_block(const struct xx_xfs_geometry *geo, enum xx_xfs_tree tree)
{
	const uint32_t roots[] = {
		[XX_XFS_BNOBT] = geo->root_block.bnobt,	  [XX_XFS_CNTBT] = geo->root_block.cntbt,
		[XX_XFS_INOBT] = geo->root_block.inobt,	  [XX_XFS_FINOBT] = geo->root_block.finobt,
		[XX_XFS_RMAPBT] = geo->root_block.rmapbt, [XX_XFS_REFCOUNTBT] = geo->root_block.refcountbt,
	};

	return roots[tree];
}

size_t xx_xfs_ag_extra_blocks(const struct xx_xfs_geometry *geo, const struct xx_xfs_ag_facts *facts)
{
	size_t extra = 0;

	for (enum xx_xfs_tree tree = XX_XFS_BNOBT; tree <= XX_XFS_REFCOUNTBT; tree++) {
		if (root_block(geo, tree))
			extra += (size_t)xx_xfs_tree_blocks(geo, tree, record_count(facts, tree)) - 1;
	}
	return extra;
}

static int compare_length(const void *a, const void *b)
{
	const struct xx_xfs_free *x = a;
	const struct xx_xfs_free *y = b;

	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

/* Loads one tree; its records are the structures that enum xx_xfs_tree names. */
static void load(struct build *b, enum xx_xfs_tree tree, const void *records, size_t count)
{
	const uint32_t root = root_block(b->geo, tree);
	const struct xx_xfs_tree_place place = {
		.agno = b->facts->agno,
		.root_block = root,
		.root = b->head + ((size_t)root << b->geo->block_log),
		.blocks = b->facts->extra ? b->facts->extra + b->extra_used : NULL,
		.data = b->extra ? b->extra + (b->extra_used << b->geo->block_log) : NULL,
		.stale = tree == XX_XFS_BNOBT || tree == XX_XFS_CNTBT ? b->facts->free_stale : 0,
	};

	if (root == 0)
		return;
	xx_xfs_tree_load(b->geo, tree, &place, records, count);
	b->tree[tree].levels = xx_xfs_tree_levels(b->geo, tree, count);
	b->tree[tree].blocks = xx_xfs_tree_blocks(b->geo, tree, count);
	b->extra_used += (size_t)b->tree[tree].blocks - 1;
}

/* The facts have free space by start only, and all chunks; @scratch has room for either list. */
static void load_derived(struct build *b, enum xx_xfs_tree tree, void *scratch)
{
	const struct xx_xfs_ag_facts *facts = b->facts;
	struct xx_xfs_chunk *chunks = scratch;
	size_t count = 0;

	if (tree == XX_XFS_CNTBT && facts->free_by_length) {
		load(b, tree, facts->free_by_length, facts->free_count);
		return;
	}
	if (tree == XX_XFS_CNTBT) {
		for (; count < facts->free_count; count++)
			((struct xx_xfs_free *)scratch)[count] = facts->free[count];
		if (count > 1)
			qsort(scratch, count, sizeof(struct xx_xfs_free), compare_length);
		load(b, tree, scratch, count);
		return;
	}
	for (size_t i = 0; i < facts->chunk_count; i++) {
		if (facts->chunks[i].free_count)
			chunks[count++] = facts->chunks[i];
	}
	load(b, tree, chunks, count);
}

static int load_trees(struct build *b)
{
	const struct xx_xfs_ag_facts *facts = b->facts;
	struct xx_xfs_chunk local[LOCAL_RECORDS];
	void *scratch = local;

	if (facts->free_count > LOCAL_RECORDS || facts->chunk_count > LOCAL_RECORDS) {
		const size_t most = facts->free_count > facts->chunk_count ? facts->free_count : facts->chunk_count;

		scratch = calloc(most, sizeof(*local));
		if (scratch == NULL)
			return -ENOMEM;
	}
	load(b, XX_XFS_BNOBT, facts->free, facts->free_count);
	load_derived(b, XX_XFS_CNTBT, scratch);
	load(b, XX_XFS_INOBT, facts->chunks, facts->chunk_count);
	load_derived(b, XX_XFS_FINOBT, scratch);
	load(b, XX_XFS_RMAPBT, facts->rmaps, facts->rmap_count);
	load(b, XX_XFS_REFCOUNTBT, facts->refcounts, facts->refcount_count);
	if (scratch != local)
		free(scratch);
	return 0;
}

static void *header(const struct build *b, int sector)
{
	return b->head + ((size_t)sector << b->geo->sector_log);
}

/* agf_btreeblks counts the blocks of three trees that are no roots. */
static void put_agf_trees(const struct build *b, struct xfs_agf *agf)
{
	static const enum xx_xfs_tree trees[XFS_BTNUM_AGF] = { XX_XFS_BNOBT, XX_XFS_CNTBT, XX_XFS_RMAPBT };
	uint64_t inner = 0;

	for (int i = 0; i < XFS_BTNUM_AGF; i++) {
		agf->agf_roots[i] = be32_make(root_block(b->geo, trees[i]));
		agf->agf_levels[i] = be32_make(b->tree[trees[i]].levels);
		if (b->tree[trees[i]].levels)
			inner += b->tree[trees[i]].blocks - 1;
	}
	agf->agf_btreeblks = be32_make((uint32_t)inner);
	agf->agf_rmap_blocks = be32_make((uint32_t)b->tree[XX_XFS_RMAPBT].blocks);
	agf->agf_refcount_blocks = be32_make((uint32_t)b->tree[XX_XFS_REFCOUNTBT].blocks);
	agf->agf_refcount_root = be32_make(b->geo->root_block.refcountbt);
	agf->agf_refcount_level = be32_make(b->tree[XX_XFS_REFCOUNTBT].levels);
}

static void put_agf(const struct build *b)
{
	const struct xx_xfs_ag_facts *facts = b->facts;
	struct xfs_agf *agf = header(b, XFS_AGF_SECTOR);
	const uint32_t slots = b->geo->agfl_size;
	uint32_t longest = 0;
	uint32_t total = 0;

	for (size_t i = 0; i < facts->free_count; i++) {
		total += facts->free[i].len;
		if (facts->free[i].len > longest)
			longest = facts->free[i].len;
	}
	agf->agf_magicnum = be32_make(XFS_AGF_MAGIC);
	agf->agf_versionnum = be32_make(XFS_AGF_VERSION);
	agf->agf_seqno = be32_make(facts->agno);
	agf->agf_length = be32_make(facts->length);
	put_agf_trees(b, agf);
	agf->agf_flfirst = be32_make(facts->agfl_first);
	agf->agf_fllast = be32_make((facts->agfl_first + facts->agfl_count + slots - 1) % slots);
	agf->agf_flcount = be32_make(facts->agfl_count);
	agf->agf_freeblks = be32_make(total);
	agf->agf_longest = be32_make(longest);
	memcpy(agf->agf_uuid, b->geo->uuid, sizeof(agf->agf_uuid));
	agf->agf_crc = xx_crc32c_block(agf, b->geo->sector_size, offsetof(struct xfs_agf, agf_crc));
}

static void put_agi(const struct build *b)
{
	const struct xx_xfs_ag_facts *facts = b->facts;
	struct xfs_agi *agi = header(b, XFS_AGI_SECTOR);
	uint32_t count = 0;
	uint32_t free_count = 0;

	for (size_t i = 0; i < facts->chunk_count; i++) {
		count += facts->chunks[i].count;
		free_count += facts->chunks[i].free_count;
	}
	agi->agi_magicnum = be32_make(XFS_AGI_MAGIC);
	agi->agi_versionnum = be32_make(XFS_AGI_VERSION);
	agi->agi_seqno = be32_make(facts->agno);
	agi->agi_length = be32_make(facts->length);
	agi->agi_count = be32_make(count);
	agi->agi_root = be32_make(b->geo->root_block.inobt);
	agi->agi_level = be32_make(b->tree[XX_XFS_INOBT].levels);
	agi->agi_freecount = be32_make(free_count);
	agi->agi_newino = be32_make(facts->new_inode);
	agi->agi_dirino = be32_make(XFS_NULLAGINO);
	memset(agi->agi_unlinked, 0xff, sizeof(agi->agi_unlinked));
	memcpy(agi->agi_uuid, b->geo->uuid, sizeof(agi->agi_uuid));
	agi->agi_free_root = be32_make(b->geo->root_block.finobt);
	agi->agi_free_level = be32_make(b->tree[XX_XFS_FINOBT].levels);
	if (b->geo->features.inobtcount) {
		agi->agi_iblocks = be32_make((uint32_t)b->tree[XX_XFS_INOBT].blocks);
		agi->agi_fblocks = be32_make((uint32_t)b->tree[XX_XFS_FINOBT].blocks);
	}
	agi->agi_crc = xx_crc32c_block(agi, b->geo->sector_size, offsetof(struct xfs_agi, agi_crc));
}

/* The free list is initialised here: its blocks go into the slots from agfl_first on, all others are null. */
static void put_agfl(const struct build *b)
{
	const struct xx_xfs_ag_facts *facts = b->facts;
	struct xfs_agfl *agfl = header(b, XFS_AGFL_SECTOR);
	be32 *slots = (be32 *)(agfl + 1);

	agfl->agfl_magicnum = be32_make(XFS_AGFL_MAGIC);
	agfl->agfl_seqno = be32_make(facts->agno);
	memcpy(agfl->agfl_uuid, b->geo->uuid, sizeof(agfl->agfl_uuid));
	memset(slots, 0xff, b->geo->agfl_size * sizeof(*slots));
	for (uint32_t i = 0; i < facts->agfl_count; i++)
		slots[(facts->agfl_first + i) % b->geo->agfl_size] = be32_make(facts->agfl[i]);
	agfl->agfl_crc = xx_crc32c_block(agfl, b->geo->sector_size, offsetof(struct xfs_agfl, agfl_crc));
}

static int check_facts(const struct xx_xfs_geometry *geo, const struct xx_xfs_ag_facts *facts)
{
	if (facts->agno >= geo->ag_count || facts->length > geo->ag_blocks ||
	    facts->length < geo->root_block.first_free)
		return -EINVAL;
	if (facts->agfl_first >= geo->agfl_size)
		return -EINVAL;
	if (facts->free_stale && facts->free_by_length == NULL)
		return -EINVAL;
	if (facts->agfl_count > geo->agfl_size || xx_xfs_ag_extra_blocks(geo, facts) > facts->extra_count)
		return -ENOSPC;
	return 0;
}

int xx_xfs_ag_build(const struct xx_xfs_geometry *geo, const struct xx_xfs_ag_facts *facts,
		    const struct xx_xfs_super *super, uint8_t *head, uint8_t *extra)
{
	struct build b = { .geo = geo, .facts = facts, .head = head, .extra = extra };
	int ret = check_facts(geo, facts);

	if (ret)
		return ret;
	memset(head, 0, xx_xfs_ag_head_bytes(geo));
	if (extra)
		memset(extra, 0, xx_xfs_ag_extra_blocks(geo, facts) << geo->block_log);
	ret = load_trees(&b);
	if (ret)
		return ret;
	if (super)
		xx_xfs_super_build(geo, super, head);
	put_agf(&b);
	put_agi(&b);
	put_agfl(&b);
	return 0;
}
