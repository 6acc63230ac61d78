/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log_record.c - the first record of an empty journal: one unmount, so that a kernel finds the journal clean.
 *
 * The record is as long as the journal's stripe unit, else as its sector, and at least two blocks of 512 bytes: one
 * header for each 32 KiB, the block with the unmount operation, then empty blocks. The first word of each block that
 * is no header is replaced by the cycle number; the header keeps the word. "XFS Algorithms & Data Structures",
 * chapter "Journaling Log"; xfsprogs, libxfs_log_clear.
 */
#include <string.h>

#include <xx/units.h>
#include <xx/xfs_build.h>
#include <xx/xfs_format.h>

/* A transaction number that says: written outside of a kernel. */
#define UNMOUNT_TID 0xb0c0d0d0U

/* Bytes to which log writes are padded; 0: to blocks of 512. */
static uint32_t log_unit(const struct xx_xfs_geometry *geo)
{
	return geo->log_stripe_unit > 1 ? geo->log_stripe_unit : geo->log_sector_size_disk;
}

static uint32_t header_count(uint32_t unit)
{
	return unit > XLOG_HEADER_CYCLE_SIZE ? (uint32_t)xx_div_round_up(unit, XLOG_HEADER_CYCLE_SIZE) : 1;
}

size_t xx_xfs_log_head_bytes(const struct xx_xfs_geometry *geo)
{
	const uint32_t unit = log_unit(geo);

	return xx_max(unit, (header_count(unit) + 1) * XX_SECTOR);
}

static void put_unmount(uint8_t *block)
{
	struct xlog_op_header *op = (struct xlog_op_header *)block;
	struct xfs_unmount_log_format *unmount = (struct xfs_unmount_log_format *)(op + 1);

	op->oh_tid = be32_make(UNMOUNT_TID);
	op->oh_len = be32_make(sizeof(*unmount));
	op->oh_clientid = XFS_LOG;
	op->oh_flags = XLOG_UNMOUNT_TRANS;
	unmount->magic = le16_make(XLOG_UNMOUNT_TYPE);
}

void xx_xfs_log_head_build(const struct xx_xfs_geometry *geo, uint8_t *buf)
{
	const uint32_t unit = log_unit(geo);
	const uint32_t headers = header_count(unit);
	const size_t bytes = xx_xfs_log_head_bytes(geo);
	const be32 cycle = be32_make(XLOG_INIT_CYCLE);
	struct xlog_rec_header *head = (struct xlog_rec_header *)buf;
	uint8_t *unmount = buf + headers * XX_SECTOR;

	memset(buf, 0, bytes);
	put_unmount(unmount);
	head->h_magicno = be32_make(XLOG_HEADER_MAGIC_NUM);
	head->h_cycle = cycle;
	head->h_version = be32_make(XLOG_VERSION_2);
	head->h_len = be32_make((uint32_t)(xx_max(unit, 2 * XX_SECTOR) - headers * XX_SECTOR));
	head->h_lsn = be64_make((uint64_t)XLOG_INIT_CYCLE << 32);
	head->h_tail_lsn = head->h_lsn;
	head->h_prev_block = be32_make(UINT32_MAX);
	head->h_num_logops = be32_make(1);
	memcpy(&head->h_cycle_data[0], unmount, sizeof(be32));
	head->h_fmt = be32_make(XLOG_FMT_LINUX_LE);
	memcpy(head->h_fs_uuid, geo->uuid, sizeof(head->h_fs_uuid));
	head->h_size = be32_make((uint32_t)xx_max(unit, XLOG_BIG_RECORD_BSIZE));
	for (size_t at = XX_SECTOR; at < bytes; at += XX_SECTOR)
		memcpy(buf + at, &cycle, sizeof(cycle));
}
