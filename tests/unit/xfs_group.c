/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_group.c - tests: the groups of new file systems add up. Every block of a group is free, on the free list, or
 * owned, exactly once; counters and checksums of the headers are right; facts that do not fit are refused.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xx/compiler.h>
#include <xx/csum.h>

#include "tests/unit/xfs_common.h"

/* A new file system: where its log is, and the group that is looked at. */
static const struct {
	uint32_t block, ag_blocks, ag_count;
	unsigned features;
	uint32_t log_ag, log_blocks, log_align, stripe_unit, agno;
	uint64_t rt_extents;
} cases[] = {
	{ 4096, 100000, 4, ALL, 2, 16384, 1, 0, 0, 0 },
	{ 4096, 100000, 4, ALL, 2, 16384, 1, 0, 1, 0 },
	{ 4096, 100000, 4, ALL, 2, 16384, 1, 0, 2, 0 },
	{ 4096, 100000, 4, RMAPBT, 2, 16384, 1, 0, 3, 0 },
	{ 4096, 100000, 4, ALL, 2, 16384, 16, 16, 2, 0 },
	{ 4096, 100000, 4, ALL, 2, 16384, 9, 9, 2, 0 }, /* a gap shorter than the free list before the log */
	{ 4096, 100000, 1, ALL, 0, 16384, 1, 0, 0, 0 },
	{ 4096, 100000, 1, RMAPBT | SPARSE, 0, 16384, 16, 16, 0, 0 },
	{ 4096, 100000, 4, ALL, 2, 99984, 16, 16, 2, 0 }, /* the log ends with its group */
	{ 1024, 100000, 4, ALL, 1, 16384, 1, 0, 0, 0 },
	{ 65536, 30000, 4, ALL, 1, 2600, 1, 0, 0, 0 },
	{ 65536, 4096, 4, ALL, 1, 2600, 1, 0, 0, 0 },
	{ 65536, 4096, 4, RMAPBT | REFLINK, 1, 2600, 1, 0, 3, 0 },
	{ 4096, 100000, 4, ALL, 2, 16384, 1, 0, 0, 30000000 },
	{ 4096, 100000, 4, ALL, 2, 16384, 16, 16, 0, 700 },
	{ 4096, 5000, 4, ALL, 2, 2000, 1, 0, 1, 300000000 }, /* a bitmap larger than any group */
};

struct group {
	struct xx_xfs_geometry geo;
	struct xx_xfs_new fs;
	uint8_t *head;
	uint32_t agno, size;
	uint8_t *owners; /* of each block, how often it is spoken for */
};

static struct group group_of(size_t i, struct group *g)
{
	g->geo = xfs_geometry(cases[i].block, cases[i].ag_blocks, cases[i].ag_count, cases[i].features);
	g->geo.stripe_unit = cases[i].stripe_unit;
	g->geo.stripe_width = cases[i].stripe_unit;
	g->geo.rt_extents = cases[i].rt_extents;
	g->geo.rt_blocks = cases[i].rt_extents * g->geo.rt_extent_size;
	g->geo.rt_bitmap_blocks = (uint32_t)((cases[i].rt_extents + cases[i].block * 8 - 1) / (cases[i].block * 8));
	xfs_geometry_log(&g->geo, cases[i].log_ag, cases[i].log_blocks, cases[i].log_align);
	g->agno = cases[i].agno;
	g->size = xx_xfs_ag_size(&g->geo, g->agno);
	cr_assert_eq(xx_xfs_new_plan(&g->fs, &g->geo, (struct timespec){ 1, 2 }, NULL), 0);
	cr_assert_eq(g->fs.head_bytes, xx_xfs_ag_head_bytes(&g->geo));
	g->head = malloc(g->fs.head_bytes);
	memset(g->head, 0xa5, g->fs.head_bytes);
	g->owners = calloc(1, g->size);
	cr_assert_eq(xx_xfs_new_ag_build(&g->fs, g->agno, g->head), 0);
	return *g;
}

static void put_group(struct group *g)
{
	free(g->head);
	free(g->owners);
}

static const void *sector(const struct group *g, unsigned n)
{
	return g->head + (size_t)n * g->geo.sector_size;
}

static const uint8_t *block(const struct group *g, uint32_t n)
{
	return g->head + (size_t)n * g->geo.block_size;
}

static void check_crc(const void *data, size_t len, size_t field)
{
	uint8_t *copy = malloc(len);
	uint8_t crc[4];

	memcpy(copy, data, len);
	memset(copy + field, 0, 4);
	cr_assert_eq(xx_csum(XX_CSUM_CRC32C, copy, len, crc), 0);
	cr_assert_arr_eq((const uint8_t *)data + field, crc, 4);
	free(copy);
}

static uint32_t entries(const uint8_t *tree_block)
{
	return be16_get(((const struct xfs_btree_sblock *)tree_block)->bb_numrecs);
}

static void own(struct group *g, uint32_t start, uint32_t len)
{
	cr_assert_leq((uint64_t)start + len, g->size);
	for (uint32_t b = start; b < start + len; b++)
		g->owners[b]++;
}

/* Free blocks; with the longest extent. By length must be the same, sorted. */
static uint32_t own_free(struct group *g, uint32_t *longest)
{
	const uint8_t *bno = block(g, g->geo.root_block.bnobt);
	const uint8_t *cnt = block(g, g->geo.root_block.cntbt);
	const struct xfs_alloc_rec *by_start = (const struct xfs_alloc_rec *)(bno + 56);
	const struct xfs_alloc_rec *by_length = (const struct xfs_alloc_rec *)(cnt + 56);
	uint32_t total = 0;

	*longest = 0;
	cr_assert_eq(entries(bno), entries(cnt));
	for (uint32_t i = 0; i < entries(bno); i++) {
		const uint32_t len = be32_get(by_start[i].ar_blockcount);

		own(g, be32_get(by_start[i].ar_startblock), len);
		total += len;
		cr_assert_geq(be32_get(by_length[i].ar_blockcount), *longest);
		*longest = be32_get(by_length[i].ar_blockcount);
		if (i)
			cr_assert_gt(be32_get(by_start[i].ar_startblock), be32_get(by_start[i - 1].ar_startblock));
	}
	return total;
}

/* All owned blocks, the free list among those of OWN_AG. */
static void own_rmaps(struct group *g)
{
	const uint8_t *rmapbt = block(g, g->geo.root_block.rmapbt);
	const struct xfs_rmap_rec *r = (const struct xfs_rmap_rec *)(rmapbt + 56);

	for (uint32_t i = 0; i < entries(rmapbt); i++)
		own(g, be32_get(r[i].rm_startblock), be32_get(r[i].rm_blockcount));
}

static void check_agfl(struct group *g)
{
	const struct xfs_agf *agf = sector(g, 1);
	const struct xfs_agfl *agfl = sector(g, 3);
	const be32 *slots = (const be32 *)(agfl + 1);
	const uint32_t count = be32_get(agf->agf_flcount);
	const uint32_t first = be32_get(agf->agf_flfirst);

	check_crc(agfl, g->geo.sector_size, 32);
	cr_assert_eq(first, 1);
	cr_assert_eq(be32_get(agf->agf_fllast), first + count - 1);
	for (uint32_t i = 0; i < g->geo.agfl_size; i++) {
		const bool used = i >= first && i < first + count;

		cr_assert_eq(be32_get(slots[i]) != UINT32_MAX, used);
		if (used && !g->geo.features.rmapbt)
			own(g, be32_get(slots[i]), 1);
	}
}

ParameterizedTestParameters(xfs_group, every_block_once)
{
	static size_t index[XX_ARRAY_SIZE(cases)];

	for (size_t i = 0; i < XX_ARRAY_SIZE(cases); i++)
		index[i] = i;
	return cr_make_param_array(size_t, index, XX_ARRAY_SIZE(cases));
}

ParameterizedTest(size_t *index, xfs_group, every_block_once)
{
	struct group g;
	const struct xfs_agf *agf;
	uint32_t longest, total;

	group_of(*index, &g);
	agf = sector(&g, 1);
	check_crc(agf, g.geo.sector_size, 216);
	check_crc(sector(&g, 2), g.geo.sector_size, 312);
	total = own_free(&g, &longest);
	cr_assert_eq(be32_get(agf->agf_freeblks), total);
	cr_assert_eq(be32_get(agf->agf_longest), longest);
	cr_assert_eq(be32_get(agf->agf_length), g.size);
	check_agfl(&g);
	cr_assert(g.geo.features.rmapbt, "the cases have reverse mappings");
	own_rmaps(&g);
	for (uint32_t b = 0; b < g.size; b++)
		cr_assert_eq(g.owners[b], 1, "block %u has %u owners", b, g.owners[b]);
	put_group(&g);
}

/* What the superblock says is free is the sum over the groups. */
ParameterizedTestParameters(xfs_group, free_blocks_add_up)
{
	static size_t index[XX_ARRAY_SIZE(cases)];

	for (size_t i = 0; i < XX_ARRAY_SIZE(cases); i++)
		index[i] = i;
	return cr_make_param_array(size_t, index, XX_ARRAY_SIZE(cases));
}

ParameterizedTest(size_t *index, xfs_group, free_blocks_add_up)
{
	struct group g;
	uint64_t total = 0;
	uint8_t super[4096];
	const struct xfs_dsb *sb = (const struct xfs_dsb *)super;

	group_of(*index, &g);
	for (uint32_t agno = 0; agno < g.geo.ag_count; agno++) {
		const struct xfs_agf *agf = sector(&g, 1);

		cr_assert_eq(xx_xfs_new_ag_build(&g.fs, agno, g.head), 0);
		total += be32_get(agf->agf_freeblks) + be32_get(agf->agf_flcount);
	}
	xx_xfs_new_super_build(&g.fs, super);
	check_crc(super, g.geo.sector_size, 224);
	cr_assert_eq(be64_get(sb->sb_fdblocks), total);
	cr_assert_eq(sb->sb_inprogress, 0);
	cr_assert_eq(be64_get(sb->sb_rootino), g.geo.root_inode);
	put_group(&g);
}

/* The root directory's number stands in the last and the middle secondary; all of them say "in progress". */
Test(xfs_group, secondary_superblocks)
{
	struct xx_xfs_geometry geo = xfs_geometry(4096, 100000, 8, ALL);
	struct xx_xfs_new fs;
	uint8_t *head;

	xfs_geometry_log(&geo, 4, 16384, 1);
	cr_assert_eq(xx_xfs_new_plan(&fs, &geo, (struct timespec){ 1, 2 }, NULL), 0);
	head = malloc(fs.head_bytes);
	for (uint32_t agno = 0; agno < 8; agno++) {
		const struct xfs_dsb *sb = (const struct xfs_dsb *)head;
		const bool known = agno == 3 || agno == 7;

		cr_assert_eq(xx_xfs_new_ag_build(&fs, agno, head), 0);
		cr_assert_eq(be32_get(sb->sb_magicnum), agno ? XFS_SB_MAGIC : 0, "the primary superblock comes last");
		if (agno == 0)
			continue;
		check_crc(head, 512, 224);
		cr_assert_eq(sb->sb_inprogress, 1);
		cr_assert_eq(be64_get(sb->sb_rootino), known ? geo.root_inode : UINT64_MAX);
		cr_assert_eq(be64_get(sb->sb_icount), 0);
	}
	free(head);
}

/* The free list takes all of the gap before the log: mkfs.xfs leaves a copy of the remaining record behind it. */
Test(xfs_group, a_deleted_record_stays_behind)
{
	struct xx_xfs_geometry geo = xfs_geometry(4096, 100000, 4, 0);
	struct xx_xfs_new fs;
	uint8_t *head;

	/* Headers, three roots, four blocks of free list, log. */
	xfs_geometry_log(&geo, 2, 16384, 8);
	cr_assert_eq(xx_xfs_new_plan(&fs, &geo, (struct timespec){ 1, 2 }, NULL), 0);
	head = malloc(fs.head_bytes);
	cr_assert_eq(xx_xfs_new_ag_build(&fs, 2, head), 0);
	for (uint32_t root = 1; root <= 2; root++) {
		const uint8_t *tree = head + (size_t)root * 4096;

		cr_assert_eq(entries(tree), 1);
		cr_assert_arr_eq(tree + 56, tree + 64, 8);
		check_crc(tree, 4096, 52);
	}
	free(head);
}

/* Any facts, trees higher than their roots: the extra blocks are taken in order, and counted in the headers. */
Test(xfs_group, trees_beyond_their_roots)
{
	struct xx_xfs_geometry geo = xfs_geometry(1024, 100000, 4, ALL);
	struct xx_xfs_ag_facts facts = { .agno = 1, .length = 100000, .agfl_first = 117, .new_inode = UINT32_MAX };
	const struct xx_xfs_super super = { .root_inode = 64 };
	static struct xx_xfs_free free_space[1000];
	static struct xx_xfs_chunk chunks[500];
	static uint32_t blocks[200];
	const uint32_t agfl[3] = { 50, 51, 52 };
	uint8_t *head, *extra;
	size_t need;

	xfs_geometry_log(&geo, 2, 8000, 1);
	for (uint32_t i = 0; i < 1000; i++)
		free_space[i] = (struct xx_xfs_free){ 1000 + i * 10, 1 + i % 9 };
	for (uint32_t i = 0; i < 500; i++)
		chunks[i] = (struct xx_xfs_chunk){ 40000 + i * 64, 0, 64, i % 2, i % 2 };
	for (uint32_t i = 0; i < 200; i++)
		blocks[i] = 300 + i;
	facts.free = free_space;
	facts.free_count = 1000;
	facts.chunks = chunks;
	facts.chunk_count = 500;
	facts.agfl = agfl;
	facts.agfl_count = 3;
	facts.extra = blocks;
	need = xx_xfs_ag_extra_blocks(&geo, &facts);
	head = malloc(xx_xfs_ag_head_bytes(&geo));
	extra = malloc(need * 1024);
	facts.extra_count = need - 1;
	cr_assert_eq(xx_xfs_ag_build(&geo, &facts, &super, head, extra), -ENOSPC);
	facts.extra_count = need;
	cr_assert_eq(xx_xfs_ag_build(&geo, &facts, &super, head, extra), 0);

	const struct xfs_agf *agf = (const struct xfs_agf *)(head + 512);
	const struct xfs_agi *agi = (const struct xfs_agi *)(head + 1024);
	/* 121 records a leaf: 9 leaves under one root, in both trees; 60 chunks a leaf: 9 and 5 leaves. */
	cr_assert_eq(be32_get(agf->agf_levels[0]), 2);
	cr_assert_eq(be32_get(agf->agf_levels[1]), 2);
	cr_assert_eq(be32_get(agf->agf_btreeblks), 18);
	cr_assert_eq(be32_get(agi->agi_level), 2);
	cr_assert_eq(be32_get(agi->agi_iblocks), 10);
	cr_assert_eq(be32_get(agi->agi_fblocks), 6);
	cr_assert_eq(be32_get(agi->agi_count), 32000);
	cr_assert_eq(be32_get(agi->agi_freecount), 250);
	cr_assert_eq(need, 18 + 9 + 5);
	for (size_t i = 0; i < need; i++)
		check_crc(extra + i * 1024, 1024, 52);
	/* The free list wraps: 119 slots. */
	const be32 *slots = (const be32 *)(head + 3 * 512 + sizeof(struct xfs_agfl));

	cr_assert_eq(geo.agfl_size, 119);
	cr_assert_eq(be32_get(slots[117]), 50);
	cr_assert_eq(be32_get(slots[118]), 51);
	cr_assert_eq(be32_get(slots[0]), 52);
	cr_assert_eq(be32_get(agf->agf_fllast), 0);
	free(head);
	free(extra);
}

Test(xfs_group, facts_that_do_not_fit)
{
	struct xx_xfs_geometry geo = xfs_geometry(4096, 100000, 4, ALL);
	const struct xx_xfs_super super = { .root_inode = 64 };
	struct xx_xfs_ag_facts facts = { .agno = 4, .length = 100000, .new_inode = UINT32_MAX };
	uint8_t *head;

	xfs_geometry_log(&geo, 2, 8000, 1);
	head = malloc(xx_xfs_ag_head_bytes(&geo));
	cr_assert_eq(xx_xfs_ag_build(&geo, &facts, &super, head, NULL), -EINVAL);
	facts.agno = 0;
	facts.length = 100001;
	cr_assert_eq(xx_xfs_ag_build(&geo, &facts, &super, head, NULL), -EINVAL);
	facts.length = 100000;
	facts.agfl_first = geo.agfl_size;
	cr_assert_eq(xx_xfs_ag_build(&geo, &facts, &super, head, NULL), -EINVAL);
	facts.agfl_first = 1;
	facts.agfl_count = geo.agfl_size + 1;
	cr_assert_eq(xx_xfs_ag_build(&geo, &facts, &super, head, NULL), -ENOSPC);
	free(head);
}

/* A group 0 that the log fills has no room for the root directory. */
Test(xfs_group, no_room_for_the_root_directory)
{
	struct xx_xfs_geometry geo = xfs_geometry(4096, 10000, 4, ALL);
	struct xx_xfs_new fs;

	xfs_geometry_log(&geo, 0, 9985, 1);
	cr_assert_eq(xx_xfs_new_plan(&fs, &geo, (struct timespec){ 0, 0 }, NULL), -ENOSPC);
}
