/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * super.c - one copy of the superblock: verified, decoded, made again.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xx/btrfs_super.h>

#define FLAGS_CHANGING                                                                                            \
	(BTRFS_SUPER_FLAG_CHANGING_FSID | BTRFS_SUPER_FLAG_CHANGING_FSID_V2 | BTRFS_SUPER_FLAG_CHANGING_BG_TREE | \
	 BTRFS_SUPER_FLAG_CHANGING_DATA_CSUM | BTRFS_SUPER_FLAG_CHANGING_META_CSUM)

#define INCOMPAT_KNOWN                                                                  \
	(BTRFS_FEATURE_INCOMPAT_MIXED_BACKREF | BTRFS_FEATURE_INCOMPAT_DEFAULT_SUBVOL | \
	 BTRFS_FEATURE_INCOMPAT_MIXED_GROUPS | BTRFS_FEATURE_INCOMPAT_COMPRESS_LZO |    \
	 BTRFS_FEATURE_INCOMPAT_COMPRESS_ZSTD | BTRFS_FEATURE_INCOMPAT_BIG_METADATA |   \
	 BTRFS_FEATURE_INCOMPAT_EXTENDED_IREF | BTRFS_FEATURE_INCOMPAT_RAID56 |         \
	 BTRFS_FEATURE_INCOMPAT_SKINNY_METADATA | BTRFS_FEATURE_INCOMPAT_NO_HOLES |     \
	 BTRFS_FEATURE_INCOMPAT_METADATA_UUID | BTRFS_FEATURE_INCOMPAT_RAID1C34 | BTRFS_FEATURE_INCOMPAT_SIMPLE_QUOTA)

/* Features that are known by name and cannot be read. */
static const struct {
	uint64_t bit;
	const char *name;
} unreadable[] = {
	{ BTRFS_FEATURE_INCOMPAT_ZONED, "zoned" },
	{ BTRFS_FEATURE_INCOMPAT_EXTENT_TREE_V2, "extent-tree-v2" },
	{ BTRFS_FEATURE_INCOMPAT_RAID_STRIPE_TREE, "raid-stripe-tree" },
	{ BTRFS_FEATURE_INCOMPAT_REMAP_TREE, "remap-tree" },
};

/* Say what is wrong. */
static int XX_PRINTF(4, 5)
	fault(struct xx_btrfs_super_check *check, enum xx_btrfs_super_fault kind, int error, const char *fmt, ...)
{
	va_list args;

	check->fault = kind;
	check->error = error;
	va_start(args, fmt);
	vsnprintf(check->text, sizeof(check->text), fmt, args);
	va_end(args);
	return error;
}

#define absurd(check, ...) fault(check, XX_BTRFS_SUPER_ABSURD, -EUCLEAN, __VA_ARGS__)

static bool power_of_two(uint32_t value)
{
	return value && !(value & (value - 1));
}

static void decode(const struct btrfs_super_block *disk, struct xx_btrfs_super *out)
{
	*out = (struct xx_btrfs_super){
		.generation = le64_get(disk->generation),
		.flags = le64_get(disk->flags),
		.compat = le64_get(disk->compat_flags),
		.compat_ro = le64_get(disk->compat_ro_flags),
		.incompat = le64_get(disk->incompat_flags),
		.root = le64_get(disk->root),
		.chunk_root = le64_get(disk->chunk_root),
		.log_root = le64_get(disk->log_root),
		.chunk_root_generation = le64_get(disk->chunk_root_generation),
		.root_level = disk->root_level,
		.chunk_root_level = disk->chunk_root_level,
		.log_root_level = disk->log_root_level,
		.total_bytes = le64_get(disk->total_bytes),
		.bytes_used = le64_get(disk->bytes_used),
		.num_devices = le64_get(disk->num_devices),
		.sectorsize = le32_get(disk->sectorsize),
		.nodesize = le32_get(disk->nodesize),
		.csum_type = (enum xx_csum_type)le16_get(disk->csum_type),
		.csum_size = (uint32_t)xx_csum_size((enum xx_csum_type)le16_get(disk->csum_type)),
		.devid = le64_get(disk->dev_item.devid),
		.dev_total_bytes = le64_get(disk->dev_item.total_bytes),
		.raw = *disk,
	};
	memcpy(out->fsid, disk->fsid, sizeof(out->fsid));
	memcpy(out->metadata_uuid,
	       out->incompat & BTRFS_FEATURE_INCOMPAT_METADATA_UUID ? disk->metadata_uuid : disk->fsid,
	       sizeof(out->metadata_uuid));
	memcpy(out->dev_uuid, disk->dev_item.uuid, sizeof(out->dev_uuid));
	memcpy(out->label, disk->label, sizeof(disk->label));
}

static int check_features(const struct xx_btrfs_super *super, struct xx_btrfs_super_check *check)
{
	const uint64_t unknown = super->incompat & ~INCOMPAT_KNOWN;

	for (size_t i = 0; i < XX_ARRAY_SIZE(unreadable); i++) {
		if (super->incompat & unreadable[i].bit)
			return fault(check, XX_BTRFS_SUPER_UNSUPPORTED, -EOPNOTSUPP, "the feature %s is not supported",
				     unreadable[i].name);
	}
	if (unknown)
		return fault(check, XX_BTRFS_SUPER_UNSUPPORTED, -EOPNOTSUPP,
			     "the incompatible feature number %d is not known", __builtin_ctzll(unknown));
	if (super->flags & FLAGS_CHANGING)
		return fault(check, XX_BTRFS_SUPER_UNSUPPORTED, -EOPNOTSUPP,
			     "a conversion of it by btrfstune was interrupted, and must be ended first");
	return 0;
}

static int check_sizes(const struct xx_btrfs_super *super, struct xx_btrfs_super_check *check)
{
	const uint32_t sector = super->sectorsize;
	const uint32_t node = super->nodesize;

	if (!power_of_two(sector) || sector < BTRFS_MIN_SECTORSIZE || sector > BTRFS_MAX_METADATA_BLOCKSIZE)
		return absurd(check, "its sector size is %u", sector);
	if (!power_of_two(node) || node < sector || node > BTRFS_MAX_METADATA_BLOCKSIZE)
		return absurd(check, "its node size is %u, with sectors of %u", node, sector);
	if (le32_get(super->raw.unused_leafsize) != node)
		return absurd(check, "its leaf size is %u, but its node size %u", le32_get(super->raw.unused_leafsize),
			      node);
	if ((super->incompat & BTRFS_FEATURE_INCOMPAT_MIXED_GROUPS) && node != sector)
		return absurd(check, "its node size is %u, with mixed groups and sectors of %u", node, sector);
	if (super->total_bytes == 0 || super->total_bytes > INT64_MAX)
		return absurd(check, "its size is %llu bytes", (unsigned long long)super->total_bytes);
	if (super->bytes_used < UINT64_C(6) * node)
		return absurd(check, "it says that %llu bytes are used", (unsigned long long)super->bytes_used);
	if (super->num_devices == 0 || super->num_devices > UINT32_MAX)
		return absurd(check, "its number of devices is %llu", (unsigned long long)super->num_devices);
	if (super->dev_total_bytes == 0 || super->dev_total_bytes > INT64_MAX)
		return absurd(check, "the size of its device is %llu bytes",
			      (unsigned long long)super->dev_total_bytes);
	return 0;
}

static int check_root(const struct xx_btrfs_super *super, const char *name, uint64_t address, uint8_t level,
		      struct xx_btrfs_super_check *check)
{
	if (level >= BTRFS_MAX_LEVEL)
		return absurd(check, "the level of its %s is %u", name, level);
	if (address % super->sectorsize || address > INT64_MAX)
		return absurd(check, "the address of its %s is %llu", name, (unsigned long long)address);
	return 0;
}

static int check_roots(const struct xx_btrfs_super *super, struct xx_btrfs_super_check *check)
{
	const uint32_t array = le32_get(super->raw.sys_chunk_array_size);
	int err = check_root(super, "root tree", super->root, super->root_level, check);

	if (!err)
		err = check_root(super, "chunk tree", super->chunk_root, super->chunk_root_level, check);
	if (!err)
		err = check_root(super, "log tree", super->log_root, super->log_root_level, check);
	if (err)
		return err;
	if (super->chunk_root_generation > super->generation)
		return absurd(check, "the generation of its chunk tree is %llu, its own %llu",
			      (unsigned long long)super->chunk_root_generation, (unsigned long long)super->generation);
	if (array > BTRFS_SYSTEM_CHUNK_ARRAY_SIZE ||
	    array < sizeof(struct btrfs_disk_key) + sizeof(struct btrfs_chunk) + sizeof(struct btrfs_stripe))
		return absurd(check, "the size of its array of system chunks is %u", array);
	if (memcmp(super->raw.dev_item.fsid, super->metadata_uuid, BTRFS_FSID_SIZE) != 0)
		return absurd(check, "its device belongs to another file system");
	return 0;
}

int xx_btrfs_super_parse(const void *block, uint64_t offset, struct xx_btrfs_super *out,
			 struct xx_btrfs_super_check *check)
{
	const struct btrfs_super_block *disk = block;
	const enum xx_csum_type type = (enum xx_csum_type)le16_get(disk->csum_type);
	int err;

	*check = (struct xx_btrfs_super_check){ 0 };
	if (le64_get(disk->magic) != BTRFS_MAGIC)
		return fault(check, XX_BTRFS_SUPER_NO_MAGIC, -EUCLEAN, "its magic number is not there");
	if (!xx_csum_size(type))
		return fault(check, XX_BTRFS_SUPER_CSUM_TYPE, -EOPNOTSUPP, "its type of checksum, %u, is not known",
			     le16_get(disk->csum_type));
	err = xx_csum_verify(type, (const uint8_t *)block + BTRFS_CSUM_SIZE, BTRFS_SUPER_INFO_SIZE - BTRFS_CSUM_SIZE,
			     disk->csum);
	if (err == -EBADMSG)
		return fault(check, XX_BTRFS_SUPER_CSUM, err, "its checksum is wrong");
	if (err)
		return fault(check, XX_BTRFS_SUPER_CSUM_TYPE, err, "%s is not available on this machine",
			     xx_csum_name(type));
	if (le64_get(disk->bytenr) != offset)
		return fault(check, XX_BTRFS_SUPER_BYTENR, -EUCLEAN, "it belongs at %llu",
			     (unsigned long long)le64_get(disk->bytenr));
	decode(disk, out);
	err = check_features(out, check);
	if (!err)
		err = check_sizes(out, check);
	if (!err)
		err = check_roots(out, check);
	return err;
}

int xx_btrfs_super_make(const struct xx_btrfs_super *good, uint64_t offset, struct btrfs_super_block *block)
{
	*block = good->raw;
	block->bytenr = le64_make(offset);
	memset(block->csum, 0, sizeof(block->csum));
	return xx_csum(good->csum_type, (const uint8_t *)block + BTRFS_CSUM_SIZE,
		       BTRFS_SUPER_INFO_SIZE - BTRFS_CSUM_SIZE, block->csum);
}

void xx_btrfs_uuid_text(const uint8_t uuid[BTRFS_UUID_SIZE], char text[XX_BTRFS_UUID_TEXT])
{
	for (unsigned i = 0; i < BTRFS_UUID_SIZE; i++) {
		const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";

		text += snprintf(text, 4, "%s%02x", dash, uuid[i]);
	}
}
