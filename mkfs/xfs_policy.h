/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of geometry policy share. Each step looks at the options and the topology, and at what the steps
 * before it decided; it fills in its part of the geometry, or refuses: -EINVAL with one error made.
 */
#ifndef MKFS_XFS_POLICY_H
#define MKFS_XFS_POLICY_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <xx/compiler.h>
#include <xx/context.h>
#include <xx/units.h>
#include <xx/xfs_geometry.h>

#include "mkfs/topology.h"
#include "mkfs/xfs_options.h"

/* Limits of the format (libxfs/xfs_fs.h, libxfs/xfs_format.h, include/xfs_multidisk.h). */
#define POLICY_BLOCK_DEFAULT 4096U
#define POLICY_BLOCK_MIN     1024U /* with checksums */
#define POLICY_BLOCK_MAX     65536U
#define POLICY_SECTOR_MIN    512U
#define POLICY_SECTOR_MAX    32768U
#define POLICY_INODE_MIN     512U /* with checksums */
#define POLICY_INODE_MAX     2048U
#define POLICY_DIR_BLOCK_MIN 4096U
#define POLICY_AG_MIN_BYTES  (16 * XX_MIB)
#define POLICY_AG_MAX_BYTES  XX_TIB /* less a block: see policy_ag_max() */
#define POLICY_AG_COUNT_MAX  UINT64_C(0xffffffff)
#define POLICY_RT_EXTENT_MIN 4096U
#define POLICY_RT_EXTENT_MAX XX_GIB
#define POLICY_STRIPE_MAX    UINT64_C(0x7fffffff) /* bytes of a stripe width */
#define POLICY_LOG_SUNIT_MAX (256 * XX_KIB)
#define POLICY_EXTENT_MAX    UINT64_C(0x1fffff) /* blocks: the longest extent of a file */

/* The least that is supported (mkfs/xfs_mkfs.c:validate_supported). */
#define POLICY_DATA_SUPPORTED (300 * XX_MIB)
#define POLICY_LOG_SUPPORTED  (64 * XX_MIB)

struct policy {
	struct xx_ctx *ctx;
	struct mkfs_xfs_options *opt;
	const struct mkfs_topology *topo;
	struct xx_xfs_geometry *geo;

	/* Blocks, in 64 bits until they are known to fit. */
	uint64_t ag_blocks, ag_count;
	uint64_t log_blocks; /* 0: to be computed */
	uint64_t log_sunit;
};

/* Makes an error, a sentence, and shows the way to --help; a step returns its value. */
#define policy_refuse(p, fmt, ...) (xx_error((p)->ctx, fmt " See mkfs.xx --help.", ##__VA_ARGS__), -EINVAL)

/* Bytes as whole blocks; the rest is cut off. */
static inline uint64_t policy_blocks(const struct policy *p, uint64_t bytes)
{
	return bytes / p->geo->block_size;
}

static inline uint64_t policy_ag_min(const struct policy *p)
{
	return policy_blocks(p, POLICY_AG_MIN_BYTES);
}

static inline uint64_t policy_ag_max(const struct policy *p)
{
	return policy_blocks(p, POLICY_AG_MAX_BYTES - 1);
}

/* What the user wrote, or @dflt. */
static inline uint64_t policy_num(const struct tool_num *num, uint64_t dflt)
{
	return num->given ? num->value : dflt;
}

/* xfs_geometry_sizes.c */
int policy_block_size(struct policy *p) XX_MUST_CHECK;
int policy_sector_size(struct policy *p) XX_MUST_CHECK;
int policy_log_sector_size(struct policy *p) XX_MUST_CHECK;
int policy_dir_block_size(struct policy *p) XX_MUST_CHECK;
int policy_inode_size(struct policy *p) XX_MUST_CHECK;

/* xfs_geometry_features.c */
int policy_features(struct policy *p) XX_MUST_CHECK;
int policy_root_hints(struct policy *p) XX_MUST_CHECK;

/*
 * xfs_geometry_volumes.c: how large the sections are. policy_size_option(): a size of the user's in blocks, 0 when none
 * was given; policy_volume_blocks(): what a device has; policy_volume_fits(): refuses what is more than that.
 */
int policy_size_option(struct policy *p, const struct tool_num *num, const char *name, uint64_t *blocks) XX_MUST_CHECK;
uint64_t policy_volume_blocks(const struct policy *p, const struct mkfs_volume *volume, uint32_t sector_size);
int policy_volume_fits(struct policy *p, const char *name, const char *path, uint64_t blocks,
		       uint64_t max) XX_MUST_CHECK;
int policy_data_volume(struct policy *p) XX_MUST_CHECK;
int policy_log_volume(struct policy *p) XX_MUST_CHECK;

/* xfs_geometry_rt.c */
int policy_rt_extent_size(struct policy *p) XX_MUST_CHECK;
int policy_rt_volume(struct policy *p) XX_MUST_CHECK;

/* xfs_geometry_stripe.c */
struct policy_io_hints {
	uint64_t unit, width; /* bytes, multiples of 512; both 0 when the device says nothing of use */
};
struct policy_io_hints policy_io_hints(const struct mkfs_volume *volume);
int policy_stripe(struct policy *p) XX_MUST_CHECK;

/* xfs_geometry_ag.c */
int policy_ag(struct policy *p) XX_MUST_CHECK;

/* xfs_geometry_log.c; wants all but the log, derived */
int policy_log(struct policy *p) XX_MUST_CHECK;

#endif
