/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chunk.c - one chunk: its item verified and decoded.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "chunk.h"

/* The profiles, each with what its numbers of stripes may be. */
static const struct profile {
	const char *name;
	uint64_t bit;
	uint16_t min_stripes, max_stripes; /* max 0: any */
	uint16_t sub_stripes; /* 0: not looked at */
	uint8_t copies; /* 0: the same as the number of stripes */
	uint8_t parity;
	bool striped;
} profiles[] = {
	[XX_BTRFS_SINGLE] = { "single", 0, 1, 1, 0, 1, 0, false },
	[XX_BTRFS_DUP] = { "DUP", BTRFS_BLOCK_GROUP_DUP, 2, 2, 0, 2, 0, false },
	[XX_BTRFS_RAID0] = { "RAID0", BTRFS_BLOCK_GROUP_RAID0, 1, 0, 0, 1, 0, true },
	[XX_BTRFS_RAID1] = { "RAID1", BTRFS_BLOCK_GROUP_RAID1, 2, 2, 0, 2, 0, false },
	[XX_BTRFS_RAID1C3] = { "RAID1C3", BTRFS_BLOCK_GROUP_RAID1C3, 3, 3, 0, 3, 0, false },
	[XX_BTRFS_RAID1C4] = { "RAID1C4", BTRFS_BLOCK_GROUP_RAID1C4, 4, 4, 0, 4, 0, false },
	[XX_BTRFS_RAID10] = { "RAID10", BTRFS_BLOCK_GROUP_RAID10, 2, 0, 2, 2, 0, true },
	[XX_BTRFS_RAID5] = { "RAID5", BTRFS_BLOCK_GROUP_RAID5, 2, 255, 0, 1, 1, true },
	[XX_BTRFS_RAID6] = { "RAID6", BTRFS_BLOCK_GROUP_RAID6, 3, 255, 0, 1, 2, true },
};

const char *xx_btrfs_profile_name(enum xx_btrfs_profile profile)
{
	return (size_t)profile < XX_ARRAY_SIZE(profiles) ? profiles[profile].name : NULL;
}

int chunk_fault(struct xx_btrfs_chunk_check *check, int error, uint64_t logical, const char *fmt, ...)
{
	va_list args;
	int used;

	check->error = error;
	used = snprintf(check->text, sizeof(check->text), "chunk %llu: ", (unsigned long long)logical);
	va_start(args, fmt);
	vsnprintf(check->text + used, sizeof(check->text) - (size_t)used, fmt, args);
	va_end(args);
	return error;
}

static int check_type(const struct chunk_limits *limits, uint64_t logical, uint64_t type,
		      struct xx_btrfs_chunk_check *check)
{
	const uint64_t kind = type & BTRFS_BLOCK_GROUP_TYPE_MASK;
	const uint64_t profile = type & BTRFS_BLOCK_GROUP_PROFILE_MASK;

	if (type & (BTRFS_BLOCK_GROUP_REMAPPED | BTRFS_BLOCK_GROUP_METADATA_REMAP))
		return chunk_fault(check, -EOPNOTSUPP, logical, "the remap tree is not supported");
	if (type != (kind | profile) || kind == 0)
		return chunk_fault(check, -EUCLEAN, logical, "its type is 0x%llx", (unsigned long long)type);
	if (profile & (profile - 1))
		return chunk_fault(check, -EUCLEAN, logical, "it has several profiles, 0x%llx",
				   (unsigned long long)type);
	if ((kind & BTRFS_BLOCK_GROUP_SYSTEM) && kind != BTRFS_BLOCK_GROUP_SYSTEM)
		return chunk_fault(check, -EUCLEAN, logical, "system and other data are mixed in it, 0x%llx",
				   (unsigned long long)type);
	if (kind == (BTRFS_BLOCK_GROUP_DATA | BTRFS_BLOCK_GROUP_METADATA) && !limits->mixed)
		return chunk_fault(check, -EUCLEAN, logical, "data and metadata are mixed in it");
	return 0;
}

static enum xx_btrfs_profile profile_of(uint64_t type)
{
	size_t i = XX_ARRAY_SIZE(profiles) - 1;

	while (i > 0 && !(type & profiles[i].bit))
		i--;
	return (enum xx_btrfs_profile)i;
}

static int check_range(const struct chunk_limits *limits, uint64_t logical, const struct btrfs_chunk *disk,
		       struct xx_btrfs_chunk_check *check)
{
	const uint64_t length = le64_get(disk->length);

	if (logical % limits->sectorsize)
		return chunk_fault(check, -EUCLEAN, logical, "its address is no multiple of the sector size");
	if (length == 0 || length % limits->sectorsize)
		return chunk_fault(check, -EUCLEAN, logical, "its length is %llu", (unsigned long long)length);
	if (length >= (uint64_t)UINT32_MAX << BTRFS_STRIPE_LEN_SHIFT || logical > INT64_MAX - length)
		return chunk_fault(check, -EUCLEAN, logical, "its length is too large, %llu",
				   (unsigned long long)length);
	if (le64_get(disk->stripe_len) != BTRFS_STRIPE_LEN)
		return chunk_fault(check, -EUCLEAN, logical, "its stripe length is %llu",
				   (unsigned long long)le64_get(disk->stripe_len));
	return 0;
}

static int check_stripes(uint64_t logical, const struct btrfs_chunk *disk, const struct profile *profile,
			 struct xx_btrfs_chunk_check *check)
{
	const unsigned stripes = le16_get(disk->num_stripes);
	const unsigned sub = le16_get(disk->sub_stripes);

	if (stripes < profile->min_stripes || (profile->max_stripes && stripes > profile->max_stripes))
		return chunk_fault(check, -EUCLEAN, logical, "num_stripes is %u with the profile %s", stripes,
				   profile->name);
	if (profile->sub_stripes && (sub != profile->sub_stripes || stripes % sub))
		return chunk_fault(check, -EUCLEAN, logical, "sub_stripes is %u with the profile %s and %u stripes",
				   sub, profile->name, stripes);
	return 0;
}

/* Bytes of each device extent: the rows, of which the last may be cut short when nothing is computed over it. */
static uint64_t stripe_length(const struct xx_btrfs_chunk *chunk)
{
	const uint64_t row = chunk->columns * BTRFS_STRIPE_LEN;

	if (!xx_btrfs_chunk_striped(chunk))
		return chunk->length;
	return (chunk->length + row - 1) / row * BTRFS_STRIPE_LEN;
}

static void decode(struct xx_btrfs_chunk *chunk, uint64_t logical, const struct btrfs_chunk *disk)
{
	const struct profile *profile;

	chunk->logical = logical;
	chunk->length = le64_get(disk->length);
	chunk->type = le64_get(disk->type);
	chunk->profile = profile_of(chunk->type);
	profile = &profiles[chunk->profile];
	chunk->num_stripes = le16_get(disk->num_stripes);
	chunk->copies = profile->copies;
	chunk->parity = profile->parity;
	chunk->columns = profile->striped ? (chunk->num_stripes - profile->parity) / profile->copies : 1;
	chunk->stripe_length = stripe_length(chunk);
	for (unsigned i = 0; i < chunk->num_stripes; i++) {
		chunk->stripes[i].devid = le64_get(disk->stripe[i].devid);
		chunk->stripes[i].physical = le64_get(disk->stripe[i].offset);
		memcpy(chunk->stripes[i].dev_uuid, disk->stripe[i].dev_uuid, BTRFS_UUID_SIZE);
	}
}

/* What can only be told of the decoded chunk. */
static int check_places(const struct chunk_limits *limits, const struct xx_btrfs_chunk *chunk,
			struct xx_btrfs_chunk_check *check)
{
	if (chunk->parity && chunk->length % (chunk->columns * BTRFS_STRIPE_LEN))
		return chunk_fault(check, -EUCLEAN, chunk->logical,
				   "its length, %llu, is no multiple of its %u columns",
				   (unsigned long long)chunk->length, chunk->columns);
	for (unsigned i = 0; i < chunk->num_stripes; i++) {
		const uint64_t physical = chunk->stripes[i].physical;

		if (physical % limits->sectorsize || physical > INT64_MAX - chunk->stripe_length)
			return chunk_fault(check, -EUCLEAN, chunk->logical, "stripe %u lies at %llu of device %llu", i,
					   (unsigned long long)physical, (unsigned long long)chunk->stripes[i].devid);
	}
	return 0;
}

int chunk_parse(const struct chunk_limits *limits, uint64_t logical, const void *item, size_t size,
		struct xx_btrfs_chunk **out, struct xx_btrfs_chunk_check *check)
{
	const struct btrfs_chunk *disk = item;
	struct xx_btrfs_chunk *chunk;
	size_t stripes;
	int err;

	*check = (struct xx_btrfs_chunk_check){ 0 };
	if (size < sizeof(*disk))
		return chunk_fault(check, -EUCLEAN, logical, "its item has %zu bytes", size);
	stripes = le16_get(disk->num_stripes);
	if (stripes == 0)
		return chunk_fault(check, -EUCLEAN, logical, "num_stripes is 0");
	if (size != chunk_item_size(disk))
		return chunk_fault(check, -EUCLEAN, logical, "its item has %zu bytes for %zu stripes", size, stripes);
	err = check_range(limits, logical, disk, check);
	if (!err)
		err = check_type(limits, logical, le64_get(disk->type), check);
	if (!err)
		err = check_stripes(logical, disk, &profiles[profile_of(le64_get(disk->type))], check);
	if (err)
		return err;
	chunk = calloc(1, sizeof(*chunk) + stripes * sizeof(chunk->stripes[0]));
	if (!chunk)
		return chunk_fault(check, -ENOMEM, logical, "there is no memory for it");
	decode(chunk, logical, disk);
	err = check_places(limits, chunk, check);
	if (err)
		free(chunk);
	else
		*out = chunk;
	return err;
}
