/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_superblock.c - fuzzes the reader of former superblocks, and checks what it promises: places on the device only,
 * and no more of them than the device holds.
 *
 * Input: 8 bytes, the size of the device in sectors (big-endian); then the start of the device. The mutator puts the
 * checksum right again most of the time, so that this is not what stops every input.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <xx/csum.h>
#include <xx/xfs_format.h>
#include <xx/xfs_old.h>

#define HEADER sizeof(be64)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

static void fix_crc(uint8_t *data, size_t size)
{
	struct xfs_dsb *sb = (struct xfs_dsb *)(data + HEADER);
	size_t sector;

	if (size < HEADER + sizeof(*sb))
		return;
	sector = be16_get(sb->sb_sectsize);
	if (sector >= sizeof(*sb) && sector <= size - HEADER)
		sb->sb_crc = xx_crc32c_block(sb, sector, offsetof(struct xfs_dsb, sb_crc));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	size = LLVMFuzzerMutate(data, size, max);
	if (seed % 8)
		fix_crc(data, size);
	return size;
}

static void check(const struct xx_xfs_old *old, uint64_t device)
{
	uint64_t last;

	assert(old->ag_count >= 1 && old->ag_count <= old->ag_count_said);
	assert(old->sector_size >= 512 && old->sector_size <= XX_XFS_OLD_BYTES);
	assert(old->ag_bytes >= old->sector_size && old->ag_bytes <= XFS_MAX_AG_BYTES);
	assert(!__builtin_mul_overflow(old->ag_count - 1, old->ag_bytes, &last));
	if (old->ag_count > 1)
		assert(last + old->sector_size <= device);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xx_xfs_old old;
	be64 sectors;
	uint64_t device;
	int ret;

	if (size < HEADER)
		return 0;
	memcpy(&sectors, data, sizeof(sectors));
	device = be64_get(sectors) % (UINT64_C(1) << 54) * 512;
	ret = xx_xfs_old_parse(data + HEADER, size - HEADER, device, &old);
	assert(ret == 0 || ret == -ENODATA || ret == -EUCLEAN);
	if (ret == 0)
		check(&old, device);
	return 0;
}
