/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_tree.c - tests: what the bulk loader writes is read again, block by block, by code that shares nothing with it:
 * every record is there in order, headers, siblings, keys and checksums are right, at one, two and three levels.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>
#include <xx/compiler.h>
#include <xx/csum.h>

#include "tests/unit/xfs_common.h"

#define BLOCK	   1024U
#define ROOT	   7U
#define EXTRA	   1000U /* block number of the first block that is no root */
#define AGNO	   3U
#define RECORD_MAX 4000U

/* What the format says of each tree: sizes of a record and of what a node holds for each pointer. */
static const struct {
	const char *magic;
	uint32_t rec, key; /* key: of one pointer */
} formats[] = {
	[XX_XFS_BNOBT] = { "AB3B", 8, 8 },    [XX_XFS_CNTBT] = { "AB3C", 8, 8 },
	[XX_XFS_INOBT] = { "IAB3", 16, 4 },   [XX_XFS_FINOBT] = { "FIB3", 16, 4 },
	[XX_XFS_RMAPBT] = { "RMB3", 24, 40 }, [XX_XFS_REFCOUNTBT] = { "R3FC", 12, 4 },
};

struct walk {
	const struct xx_xfs_geometry *geo;
	enum xx_xfs_tree tree;
	const uint8_t *root, *data;
	uint8_t recs[RECORD_MAX * 24]; /* as they stand in the leaves */
	uint32_t count, blocks;
	uint32_t previous[8]; /* block last seen of each level */
	uint32_t next[8]; /* its right sibling */
};

static uint32_t get32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t get16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static const uint8_t *block_at(const struct walk *w, uint32_t number)
{
	return number == ROOT ? w->root : w->data + (size_t)(number - EXTRA) * BLOCK;
}

static void check_header(struct walk *w, const uint8_t *b, uint32_t number, uint32_t level)
{
	uint8_t copy[BLOCK];
	uint8_t crc[4];

	cr_assert_arr_eq(b, formats[w->tree].magic, 4);
	cr_assert_eq(get16(b + 4), level);
	cr_assert_eq(get32(b + 8), w->previous[level], "left sibling of block %u", number);
	cr_assert(w->previous[level] == UINT32_MAX || w->next[level] == number);
	w->previous[level] = number;
	w->next[level] = get32(b + 12);
	cr_assert_eq(get32(b + 16), 0);
	cr_assert_eq(get32(b + 20), (AGNO * w->geo->ag_blocks + number) * (BLOCK / 512));
	cr_assert_arr_eq(b + 32, w->geo->uuid, 16);
	cr_assert_eq(get32(b + 48), AGNO);
	memcpy(copy, b, BLOCK);
	memset(copy + 52, 0, 4);
	cr_assert_eq(xx_csum(XX_CSUM_CRC32C, copy, BLOCK, crc), 0);
	cr_assert_arr_eq(b + 52, crc, 4);
}

/* Key of a record that is last in the order of keys: its last block, and the file's block there. */
static void high_key(const uint8_t *rec, uint8_t key[20])
{
	const uint32_t more = get32(rec + 4) - 1;
	const be32 block = be32_make(get32(rec) + more);
	uint64_t offset;
	be64 field;

	memcpy(key, block.b, 4);
	memcpy(key + 4, rec + 8, 8);
	memcpy(field.b, rec + 16, 8);
	offset = be64_get(field) & ~(UINT64_C(1) << 61);
	if (rec[8] != 0xff && !(offset >> 62 & 1))
		offset += more;
	field = be64_make(offset);
	memcpy(key + 12, field.b, 8);
}

static void low_key(enum xx_xfs_tree tree, const uint8_t *rec, uint8_t *key)
{
	if (tree == XX_XFS_RMAPBT) {
		memcpy(key, rec, 4);
		memcpy(key + 4, rec + 8, 16);
		key[12] &= 0xdf;
	} else {
		memcpy(key, rec, formats[tree].key);
	}
}

static void walk(struct walk *w, uint32_t number, uint32_t level);

static void check_node(struct walk *w, const uint8_t *b, uint32_t level)
{
	const uint32_t key_size = formats[w->tree].key;
	const uint32_t room = (BLOCK - 56) / (key_size + 4);

	for (uint32_t i = 0; i < get16(b + 6); i++) {
		const uint8_t *key = b + 56 + (size_t)i * key_size;
		const uint32_t first = w->count;
		uint8_t low[24], high[24] = { 0 }, max[24] = { 0 };

		walk(w, get32(b + 56 + (size_t)room * key_size + (size_t)i * 4), level - 1);
		low_key(w->tree, w->recs + (size_t)first * formats[w->tree].rec, low);
		cr_assert_arr_eq(key, low, w->tree == XX_XFS_RMAPBT ? 20 : key_size);
		if (w->tree != XX_XFS_RMAPBT)
			continue;
		for (uint32_t r = first; r < w->count; r++) {
			high_key(w->recs + (size_t)r * 24, high);
			if (memcmp(high, max, 20) > 0)
				memcpy(max, high, 20);
		}
		cr_assert_arr_eq(key + 20, max, 20, "high key");
	}
}

static void walk(struct walk *w, uint32_t number, uint32_t level)
{
	const uint8_t *b = block_at(w, number);
	const uint32_t entries = get16(b + 6);
	const uint32_t rec = formats[w->tree].rec;
	const uint32_t room = (BLOCK - 56) / (level ? formats[w->tree].key + 4 : rec);

	w->blocks++;
	check_header(w, b, number, level);
	cr_assert_leq(entries, room);
	if (number != ROOT)
		cr_assert_geq(entries, room / 2, "block %u has %u of %u", number, entries, room);
	if (level) {
		check_node(w, b, level);
		return;
	}
	cr_assert_leq(w->count + entries, RECORD_MAX);
	memcpy(w->recs + (size_t)w->count * rec, b + 56, (size_t)entries * rec);
	w->count += entries;
}

/* Record @i of each kind; reverse mappings overlap, so that the highest key is not in the last record. */
static void make_record(enum xx_xfs_tree tree, uint32_t i, void *records)
{
	if (tree == XX_XFS_BNOBT || tree == XX_XFS_CNTBT)
		((struct xx_xfs_free *)records)[i] = tree == XX_XFS_BNOBT ?
							     (struct xx_xfs_free){ i * 3, 2 } :
							     (struct xx_xfs_free){ 90000 - i * 9, i / 7 + 1 };
	else if (tree == XX_XFS_RMAPBT)
		((struct xx_xfs_rmap *)records)[i] = (struct xx_xfs_rmap){
			.start = i * 2,
			.len = i % 13 == 5 ? 900 : 2,
			.owner = i % 4 ? 128 + i : XFS_RMAP_OWN_INODES,
			.offset = i % 4 ? i | (i % 3 ? 0 : XFS_RMAP_OFF_UNWRITTEN) |
						  (i % 5 ? 0 : XFS_RMAP_OFF_BMBT_BLOCK) :
					  0,
		};
	else if (tree == XX_XFS_REFCOUNTBT)
		((struct xx_xfs_refcount *)records)[i] = (struct xx_xfs_refcount){ i * 5, 4, i + 2 };
	else
		((struct xx_xfs_chunk *)records)[i] =
			(struct xx_xfs_chunk){ i * 64, 0, 64, 5, UINT64_C(0x1f) << i % 50 };
}

/* The record as it must stand on disk. */
static void expect_record(enum xx_xfs_tree tree, const void *records, uint32_t i, uint8_t *rec)
{
	if (tree == XX_XFS_BNOBT || tree == XX_XFS_CNTBT) {
		const struct xx_xfs_free *f = (const struct xx_xfs_free *)records + i;
		const be32 fields[2] = { be32_make(f->start), be32_make(f->len) };

		memcpy(rec, fields, sizeof(fields));
	} else if (tree == XX_XFS_RMAPBT) {
		const struct xx_xfs_rmap *m = (const struct xx_xfs_rmap *)records + i;
		const be32 range[2] = { be32_make(m->start), be32_make(m->len) };
		const be64 owner[2] = { be64_make(m->owner), be64_make(m->offset) };

		memcpy(rec, range, sizeof(range));
		memcpy(rec + 8, owner, sizeof(owner));
	} else if (tree == XX_XFS_REFCOUNTBT) {
		const struct xx_xfs_refcount *c = (const struct xx_xfs_refcount *)records + i;
		const be32 fields[3] = { be32_make(c->start), be32_make(c->len), be32_make(c->count) };

		memcpy(rec, fields, sizeof(fields));
	} else {
		const struct xx_xfs_chunk *c = (const struct xx_xfs_chunk *)records + i;
		const be32 start = be32_make(c->start);
		const be64 mask = be64_make(c->free);
		const uint8_t counts[4] = { 0, 0, c->count, c->free_count };

		memcpy(rec, start.b, 4);
		memcpy(rec + 4, counts, 4);
		memcpy(rec + 8, mask.b, 8);
	}
}

static void check_tree(enum xx_xfs_tree tree, uint32_t count, uint32_t levels)
{
	struct xx_xfs_geometry geo = xfs_geometry(BLOCK, 100000, 4, ALL);
	void *records = calloc(count + 1, sizeof(struct xx_xfs_rmap));
	struct walk *w = calloc(1, sizeof(*w));
	struct xx_xfs_tree_place place = { .agno = AGNO, .root_block = ROOT };
	uint64_t blocks;
	uint32_t *numbers;
	uint8_t want[24];

	cr_assert_eq(xx_xfs_geometry_derive(&geo), 0);
	for (uint32_t i = 0; i < count; i++)
		make_record(tree, i, records);
	cr_assert_eq(xx_xfs_tree_levels(&geo, tree, count), levels);
	blocks = xx_xfs_tree_blocks(&geo, tree, count);
	numbers = calloc(blocks, sizeof(*numbers));
	for (uint32_t i = 0; i + 1 < blocks; i++)
		numbers[i] = EXTRA + i;
	place.root = calloc(1, BLOCK);
	place.data = calloc(blocks, BLOCK);
	place.blocks = numbers;
	xx_xfs_tree_load(&geo, tree, &place, records, count);

	*w = (struct walk){ .geo = &geo, .tree = tree, .root = place.root, .data = place.data };
	memset(w->previous, 0xff, sizeof(w->previous));
	walk(w, ROOT, levels - 1);
	cr_assert_eq(w->count, count);
	cr_assert_eq(w->blocks, blocks);
	for (uint32_t level = 0; level < levels; level++)
		cr_assert_eq(w->next[level], UINT32_MAX, "the last block of a level has no right sibling");
	for (uint32_t i = 0; i < count; i++) {
		expect_record(tree, records, i, want);
		cr_assert_arr_eq(w->recs + (size_t)i * formats[tree].rec, want, formats[tree].rec);
	}
	free(place.root);
	free(place.data);
	free(numbers);
	free(w);
	free(records);
}

ParameterizedTestParameters(xfs_tree, every_height)
{
	static int trees[] = {
		XX_XFS_BNOBT, XX_XFS_CNTBT, XX_XFS_INOBT, XX_XFS_FINOBT, XX_XFS_RMAPBT, XX_XFS_REFCOUNTBT
	};

	return cr_make_param_array(int, trees, XX_ARRAY_SIZE(trees));
}

ParameterizedTest(int *which, xfs_tree, every_height)
{
	const enum xx_xfs_tree tree = (enum xx_xfs_tree) * which;
	const uint32_t leaf = (BLOCK - 56) / formats[tree].rec;
	const uint32_t node = (BLOCK - 56) / (formats[tree].key + 4);

	check_tree(tree, 0, 1);
	check_tree(tree, 1, 1);
	check_tree(tree, leaf, 1);
	check_tree(tree, leaf + 1, 2);
	check_tree(tree, leaf * 5 + 3, 2);
	if (leaf * node < RECORD_MAX) {
		check_tree(tree, leaf * node, 2);
		check_tree(tree, leaf * node + 1, 3);
		check_tree(tree, leaf * node * 3 + 7, 3);
	}
}
