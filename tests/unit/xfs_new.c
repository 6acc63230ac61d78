/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_new.c - tests: the inode chunk, the realtime files and the journal of a new file system.
 */
#include <criterion/criterion.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <xx/csum.h>

#include "tests/unit/xfs_common.h"

static const struct timespec now = { .tv_sec = 1000000000, .tv_nsec = 7 };

static void check_crc(const void *inode, size_t size)
{
	const struct xfs_dinode *d = inode;
	const le32 crc = xx_crc32c_block(inode, size, 100);

	cr_assert_eq(le32_get(d->di_crc), le32_get(crc));
}

static uint8_t *chunk_of(struct xx_xfs_geometry *geo, struct xx_xfs_new *fs, struct xx_random *random)
{
	uint8_t *chunk;

	xfs_geometry_log(geo, 2, 16384, 1);
	cr_assert_eq(xx_xfs_new_plan(fs, geo, now, random), 0);
	cr_assert_eq(fs->chunk_offset, (geo->root_inode >> geo->inodes_per_block_log) * geo->block_size);
	chunk = malloc(fs->chunk_bytes);
	memset(chunk, 0xa5, fs->chunk_bytes);
	cr_assert_eq(xx_xfs_new_chunk_build(fs, chunk), 0);
	return chunk;
}

Test(xfs_new, root_directory)
{
	struct xx_xfs_geometry geo = xfs_geometry(4096, 100000, 4, ALL);
	struct xx_xfs_new fs;
	const uint8_t dir[6] = { 0, 0, 0, 0, 0, 128 };

	geo.root.xflags = FS_XFLAG_PROJINHERIT | FS_XFLAG_EXTSZINHERIT | FS_XFLAG_RTINHERIT | FS_XFLAG_COWEXTSIZE |
			  FS_XFLAG_DAX;
	geo.root.projid = 0x12345;
	geo.root.extsize = 16;
	geo.root.cowextsize = 32;

	uint8_t *chunk = chunk_of(&geo, &fs, NULL);
	const struct xfs_dinode *d = (const struct xfs_dinode *)chunk;

	check_crc(d, 512);
	cr_assert_eq(be16_get(d->di_magic), 0x494e);
	cr_assert_eq(be16_get(d->di_mode), 040755);
	cr_assert_eq(d->di_version, 3);
	cr_assert_eq(d->di_format, XFS_DINODE_FMT_LOCAL);
	cr_assert_eq(be32_get(d->di_nlink), 2);
	cr_assert_eq(be16_get(d->di_projid_lo), 0x2345);
	cr_assert_eq(be16_get(d->di_projid_hi), 1);
	cr_assert_eq(be64_get(d->di_mtime), ((UINT64_C(1) << 31) + 1000000000) * 1000000000 + 7);
	cr_assert_eq(be64_get(d->di_size), 6);
	cr_assert_eq(be32_get(d->di_extsize), 16);
	cr_assert_eq(be32_get(d->di_cowextsize), 32);
	cr_assert_eq(be16_get(d->di_flags), 0x1300);
	cr_assert_eq(be64_get(d->di_flags2), 0x1d);
	cr_assert_eq(be64_get(d->di_ino), 128);
	cr_assert_arr_eq(d->di_uuid, geo.uuid, 16);
	cr_assert_arr_eq((const uint8_t *)(d + 1), dir, sizeof(dir));
	free(chunk);
}

Test(xfs_new, times_before_bigtime)
{
	struct xx_xfs_geometry geo = xfs_geometry(4096, 100000, 4, ALL);
	struct xx_xfs_new fs;

	geo.features.bigtime = false;

	uint8_t *chunk = chunk_of(&geo, &fs, NULL);
	const struct xfs_dinode *d = (const struct xfs_dinode *)chunk;

	cr_assert_eq(be64_get(d->di_ctime), UINT64_C(1000000000) << 32 | 7);
	cr_assert_eq(be64_get(d->di_flags2), 0x10);
	free(chunk);
}

/* 64 inodes, or those of one block; each knows its number, free ones have no mode. Generations come from the caller. */
Test(xfs_new, free_inodes)
{
	struct xx_xfs_geometry geo = xfs_geometry(65536, 30000, 4, ALL);
	struct xx_xfs_new fs;
	struct xx_random random, same;

	xx_random_init_seed(&random, 1);
	same = random;

	uint8_t *chunk = chunk_of(&geo, &fs, &random);
	const uint32_t root_generation = xx_random_u32(&same);

	cr_assert_eq(geo.chunk_inodes, 128);
	cr_assert_eq(fs.chunk_bytes, 65536);
	for (uint32_t i = 0; i < geo.chunk_inodes; i++) {
		const struct xfs_dinode *d = (const struct xfs_dinode *)(chunk + (size_t)i * 512);

		check_crc(d, 512);
		cr_assert_eq(be64_get(d->di_ino), geo.root_inode + i);
		cr_assert_eq(be16_get(d->di_mode) == 0, i >= 3);
		cr_assert_eq(be32_get(d->di_next_unlinked), UINT32_MAX);
		if (i == 0)
			cr_assert_eq(be32_get(d->di_gen), root_generation);
	}
	free(chunk);
}

/* 70000 extents of one block: three bitmap blocks, 17 logarithms, one summary block; both at the inode chunk. */
Test(xfs_new, realtime_files)
{
	struct xx_xfs_geometry geo = xfs_geometry(4096, 100000, 4, FINOBT | REFLINK | SPARSE);
	struct xx_xfs_new fs;
	uint8_t block[4096];
	uint32_t word;

	geo.rt_blocks = 70000;
	geo.rt_extents = 70000;
	geo.rt_bitmap_blocks = 3;

	uint8_t *chunk = chunk_of(&geo, &fs, NULL);
	const struct xfs_dinode *bitmap = (const struct xfs_dinode *)(chunk + 512);
	const struct xfs_dinode *summary = (const struct xfs_dinode *)(chunk + 1024);
	const struct xfs_bmbt_rec *rec = (const struct xfs_bmbt_rec *)(bitmap + 1);

	cr_assert_eq(fs.rt_extent_count, 2);
	cr_assert_eq(be64_get(bitmap->di_size), 3 * 4096);
	cr_assert_eq(be32_get(bitmap->di_nextents), 1);
	cr_assert_eq(be16_get(bitmap->di_flags), XFS_DIFLAG_NEWRTBM);
	cr_assert_eq(be64_get(rec->l0), 0);
	cr_assert_eq(be64_get(rec->l1), (uint64_t)fs.rt_extent[0].agbno << 21 | 3);
	cr_assert_eq(be64_get(summary->di_size), 4096);
	cr_assert(xx_xfs_new_rt_block(&fs, false, 1, block));
	cr_assert_eq(block[4095], 0xff);
	cr_assert(xx_xfs_new_rt_block(&fs, false, 2, block));
	/* 70000 - 65536 = 4464 bits: 139 words and 16 bits */
	cr_assert_eq(block[139 * 4 - 1], 0xff);
	memcpy(&word, block + 139 * 4, 4);
	cr_assert_eq(word, 0xffff);
	cr_assert_not(xx_xfs_new_rt_block(&fs, false, 3, block));
	cr_assert(xx_xfs_new_rt_block(&fs, true, 0, block));
	memcpy(&word, block + 16 * 3 * 4, 4);
	cr_assert_eq(word, 1, "one free range, of 2^16 extents and more, beginning in bitmap block 0");
	free(chunk);
}

static void check_log(uint32_t unit, uint32_t sector, uint32_t bytes, uint32_t headers)
{
	struct xx_xfs_geometry geo = xfs_geometry(4096, 100000, 4, ALL);
	uint8_t *buf = malloc(bytes);
	const struct xlog_rec_header *h = (const struct xlog_rec_header *)buf;

	geo.log_stripe_unit = unit;
	geo.sector_size = sector;
	geo.log_sector_size = sector;
	xfs_geometry_log(&geo, 2, 16384, 1);
	cr_assert_eq(xx_xfs_log_head_bytes(&geo), bytes);
	xx_xfs_log_head_build(&geo, buf);
	cr_assert_eq(be32_get(h->h_magicno), 0xfeedbabe);
	cr_assert_eq(be32_get(h->h_len), bytes - headers * 512);
	cr_assert_eq(be32_get(h->h_size), bytes > 32768 ? bytes : 32768);
	cr_assert_eq(be64_get(h->h_lsn), UINT64_C(1) << 32);
	cr_assert_eq(be32_get(h->h_cycle_data[0]), 0xb0c0d0d0);
	cr_assert_arr_eq(h->h_fs_uuid, geo.uuid, 16);
	for (uint32_t at = 512; at < bytes; at += 512) {
		be32 cycle;

		memcpy(&cycle, buf + at, 4);
		cr_assert_eq(be32_get(cycle), 1);
	}
	cr_assert_eq(buf[headers * 512 + 8], 0xaa);
	cr_assert_eq(buf[headers * 512 + 9], 0x20);
	cr_assert_arr_eq(buf + headers * 512 + 12, "nU", 2);
	free(buf);
}

Test(xfs_new, journal)
{
	check_log(1, 512, 1024, 1);
	check_log(1, 4096, 4096, 1);
	check_log(4096, 512, 4096, 1);
	check_log(32768, 512, 32768, 1);
	check_log(65536, 512, 65536, 2);
	check_log(262144, 4096, 262144, 8);
}
