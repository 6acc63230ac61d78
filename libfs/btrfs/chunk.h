/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chunk.h - what the files of the chunk map share.
 */
#ifndef LIBFS_BTRFS_CHUNK_H
#define LIBFS_BTRFS_CHUNK_H

#include <xx/btrfs_chunk.h>

/* What the superblock says about chunks. */
struct chunk_limits {
	uint32_t sectorsize;
	bool mixed; /* data and metadata may be in one chunk */
};

/* A device extent, in the index by device. */
struct chunk_range {
	uint64_t devid;
	uint64_t physical;
	const struct xx_btrfs_chunk *chunk;
	unsigned stripe;
};

struct xx_btrfs_chunk_map {
	struct chunk_limits limits;
	struct xx_btrfs_chunk **chunks; /* by logical address */
	size_t count, room;
	struct chunk_range *ranges; /* by device and physical address; NULL: not sealed */
	size_t range_count;
};

/* Bytes of the whole item, by its own number of stripes. */
static inline size_t chunk_item_size(const struct btrfs_chunk *disk)
{
	return sizeof(*disk) + le16_get(disk->num_stripes) * sizeof(disk->stripe[0]);
}

/* Say what is wrong with the chunk at @logical; @error is returned. */
int XX_PRINTF(4, 5) chunk_fault(struct xx_btrfs_chunk_check *check, int error, uint64_t logical, const char *fmt, ...);

/* Verify the item of a chunk at @logical, @size bytes, and decode it into memory of its own. */
XX_MUST_CHECK int chunk_parse(const struct chunk_limits *limits, uint64_t logical, const void *item, size_t size,
			      struct xx_btrfs_chunk **out, struct xx_btrfs_chunk_check *check);

#endif
