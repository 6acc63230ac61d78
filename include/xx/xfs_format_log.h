/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs_format_log.h - records of the journal, as far as an empty one has them. Chapter "Journaling Log".
 */
#ifndef XX_XFS_FORMAT_LOG_H
#define XX_XFS_FORMAT_LOG_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/endian.h>

#define XLOG_HEADER_MAGIC_NUM  0xfeedbabeU
#define XLOG_HEADER_CYCLE_SIZE (32U * 1024) /* bytes of a record that one header describes */
#define XLOG_BIG_RECORD_BSIZE  (32U * 1024)
#define XLOG_MAX_RECORD_BSIZE  (256U * 1024)
#define XLOG_VERSION_2	       2
#define XLOG_FMT_LINUX_LE      1
#define XLOG_INIT_CYCLE	       1

/* The first 512 bytes of a record. */
struct xlog_rec_header {
	be32 h_magicno;
	be32 h_cycle;
	be32 h_version;
	be32 h_len; /* bytes, without the headers */
	be64 h_lsn; /* cycle << 32 | 512-byte block of the log */
	be64 h_tail_lsn;
	le32 h_crc;
	be32 h_prev_block;
	be32 h_num_logops;
	be32 h_cycle_data[XLOG_HEADER_CYCLE_SIZE / 512];
	be32 h_fmt;
	uint8_t h_fs_uuid[16];
	be32 h_size; /* bytes of the in-core log buffer */
};

static_assert(sizeof(struct xlog_rec_header) == 324, "log record header");
static_assert(offsetof(struct xlog_rec_header, h_size) == 320, "h_size");

struct xlog_op_header {
	be32 oh_tid;
	be32 oh_len;
	uint8_t oh_clientid;
	uint8_t oh_flags;
	uint8_t oh_res2[2];
};

static_assert(sizeof(struct xlog_op_header) == 12, "log operation header");

#define XFS_LOG		   0xaaU /* oh_clientid */
#define XLOG_UNMOUNT_TRANS 0x20U /* oh_flags */

/* The record of a clean unmount; in the byte order of the machine that wrote it (h_fmt says which). */
struct xfs_unmount_log_format {
	le16 magic;
	uint8_t pad[6];
};

static_assert(sizeof(struct xfs_unmount_log_format) == 8, "unmount record");

#define XLOG_UNMOUNT_TYPE 0x556eU /* "Un" */

#endif
