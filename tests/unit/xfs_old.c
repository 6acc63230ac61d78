/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_old.c - the reader of a former superblock believes nothing that would lead it off the device.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include <xx/csum.h>
#include <xx/units.h>
#include <xx/xfs_format.h>
#include <xx/xfs_old.h>

static uint8_t sector[512];
static struct xfs_dsb *const sb = (struct xfs_dsb *)sector;

static void stamp(void)
{
	sb->sb_crc = xx_crc32c_block(sector, sizeof(sector), offsetof(struct xfs_dsb, sb_crc));
}

static void setup(void)
{
	memset(sector, 0, sizeof(sector));
	sb->sb_magicnum = be32_make(XFS_SB_MAGIC);
	sb->sb_versionnum = be16_make(XFS_SB_VERSION_5);
	sb->sb_blocksize = be32_make(4096);
	sb->sb_blocklog = 12;
	sb->sb_sectsize = be16_make(512);
	sb->sb_sectlog = 9;
	sb->sb_agblocks = be32_make(1 << 20);
	sb->sb_agcount = be32_make(10);
	sb->sb_dblocks = be64_make(10ULL << 20);
	stamp();
}

static int parse(uint64_t device_bytes, struct xx_xfs_old *old)
{
	return xx_xfs_old_parse(sector, sizeof(sector), device_bytes, old);
}

TestSuite(xfs_old, .init = setup);

Test(xfs_old, tells_what_is_there)
{
	struct xx_xfs_old old;

	cr_assert_eq(parse(40 * XX_GIB, &old), 0);
	cr_assert_eq(old.ag_bytes, 4 * XX_GIB);
	cr_assert_eq(old.ag_count, 10);
	cr_assert_eq(old.sector_size, 512);
	cr_assert(old.crc_valid);
}

Test(xfs_old, a_wrong_checksum_is_told)
{
	struct xx_xfs_old old;

	sb->sb_uuid[0] ^= 1;
	cr_assert_eq(parse(40 * XX_GIB, &old), 0);
	cr_assert_not(old.crc_valid);
}

Test(xfs_old, groups_end_with_the_device)
{
	struct xx_xfs_old old;

	cr_assert_eq(parse(12 * XX_GIB, &old), 0);
	cr_assert_eq(old.ag_count, 3);
	cr_assert_eq(parse(12 * XX_GIB + 511, &old), 0);
	cr_assert_eq(old.ag_count, 3);
	cr_assert_eq(parse(12 * XX_GIB + 512, &old), 0);
	cr_assert_eq(old.ag_count, 4);
	cr_assert_eq(parse(100, &old), 0);
	cr_assert_eq(old.ag_count, 1);
	cr_assert_eq(old.ag_count_said, 10);
}

Test(xfs_old, something_else_is_no_data)
{
	struct xx_xfs_old old;

	cr_assert_eq(xx_xfs_old_parse(sector, sizeof(*sb) - 1, XX_TIB, &old), -ENODATA);
	sector[0] = 'Y';
	cr_assert_eq(parse(XX_TIB, &old), -ENODATA);
}

/* One field of nonsense at a time. */
static void spoil(unsigned what)
{
	switch (what) {
	case 0:
		sb->sb_blocksize = be32_make(0);
		break;
	case 1:
		sb->sb_blocksize = be32_make(4095);
		break;
	case 2:
		sb->sb_blocklog = 255;
		break;
	case 3:
		sb->sb_agblocks = be32_make(0);
		break;
	case 4:
		sb->sb_agblocks = be32_make(UINT32_MAX);
		break;
	case 5:
		sb->sb_agcount = be32_make(0);
		break;
	case 6:
		sb->sb_agcount = be32_make(UINT32_MAX);
		break;
	case 7:
		sb->sb_dblocks = be64_make(UINT64_MAX);
		break;
	case 8:
		sb->sb_dblocks = be64_make(0);
		break;
	case 9:
		sb->sb_sectlog = 200;
		break;
	default:
		sb->sb_sectsize = be16_make(0);
		break;
	}
}

Test(xfs_old, nonsense_is_unclean)
{
	for (unsigned what = 0; what <= 10; what++) {
		struct xx_xfs_old old;

		setup();
		spoil(what);
		stamp();
		cr_assert_eq(parse(XX_TIB, &old), -EUCLEAN, "%u", what);
	}
}
