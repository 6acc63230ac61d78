/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block.c - tree blocks verified: that they are what was asked for, and whole in themselves.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xx/btrfs_block.h>

static int XX_PRINTF(4, 5)
	fault(struct xx_btrfs_block_check *check, enum xx_btrfs_block_fault kind, int error, const char *fmt, ...)
{
	va_list args;

	check->fault = kind;
	check->error = error;
	va_start(args, fmt);
	vsnprintf(check->text, sizeof(check->text), fmt, args);
	va_end(args);
	return error;
}

#define bad(check, kind, ...) fault(check, XX_BTRFS_BLOCK_##kind, -EUCLEAN, __VA_ARGS__)

void xx_btrfs_identity_init(struct xx_btrfs_identity *identity, const struct xx_btrfs_super *super,
			    const struct xx_btrfs_volume *volume)
{
	*identity = (struct xx_btrfs_identity){
		.csum_type = super->csum_type,
		.nodesize = super->nodesize,
		.sectorsize = super->sectorsize,
		.generation = super->generation + (super->log_root ? 1 : 0),
		.volume = volume,
	};
	memcpy(identity->fsid, super->metadata_uuid, sizeof(identity->fsid));
}

static bool fsid_known(const struct xx_btrfs_identity *identity, const uint8_t *fsid)
{
	return memcmp(fsid, identity->fsid, BTRFS_FSID_SIZE) == 0 ||
	       (identity->volume && xx_btrfs_volume_knows(identity->volume, fsid));
}

/* Is it this file system's, and the block that lies here? */
static int check_place(const struct xx_btrfs_identity *identity, const struct btrfs_header *header,
		       const struct xx_btrfs_expect *expect, struct xx_btrfs_block_check *check)
{
	char uuid[XX_BTRFS_UUID_TEXT];

	if (le64_get(header->bytenr) != expect->logical)
		return bad(check, BYTENR, "it belongs at %llu", (unsigned long long)le64_get(header->bytenr));
	if (!fsid_known(identity, header->fsid)) {
		xx_btrfs_uuid_text(header->fsid, uuid);
		return bad(check, FSID, "it belongs to the file system %s", uuid);
	}
	if (identity->has_chunk_tree_uuid &&
	    memcmp(header->chunk_tree_uuid, identity->chunk_tree_uuid, BTRFS_UUID_SIZE) != 0) {
		xx_btrfs_uuid_text(header->chunk_tree_uuid, uuid);
		return bad(check, CHUNK_UUID, "it belongs to the chunk tree %s", uuid);
	}
	return 0;
}

/*
 * May a tree have a block of that owner? The blocks of a subvolume may belong to any other that it was taken from; those
 * of a log or of a relocation have the tree's own number or that of what it is for.
 */
static bool owner_fits(uint64_t tree, uint64_t owner)
{
	if (tree == 0 || tree == owner || tree == BTRFS_TREE_LOG_OBJECTID || tree == BTRFS_TREE_RELOC_OBJECTID)
		return true;
	return xx_btrfs_is_subvolume(tree) && xx_btrfs_is_subvolume(owner);
}

/* Is it the version, of the tree, at the level that was expected? */
static int check_expected(const struct xx_btrfs_identity *identity, const struct btrfs_header *header,
			  const struct xx_btrfs_expect *expect, struct xx_btrfs_block_check *check)
{
	const uint64_t generation = le64_get(header->generation);
	const uint64_t owner = le64_get(header->owner);

	if (expect->generation && generation != expect->generation)
		return bad(check, GENERATION, "its generation is %llu, but %llu was expected",
			   (unsigned long long)generation, (unsigned long long)expect->generation);
	if (generation == 0 || generation > identity->generation)
		return bad(check, GENERATION, "its generation is %llu, that of the file system %llu",
			   (unsigned long long)generation, (unsigned long long)identity->generation);
	if (!owner_fits(expect->owner, owner))
		return bad(check, OWNER, "it belongs to the tree %lld, but one of %lld was expected", (long long)owner,
			   (long long)expect->owner);
	if (header->level >= BTRFS_MAX_LEVEL || (expect->level >= 0 && header->level != expect->level))
		return bad(check, LEVEL, "its level is %u, but %d was expected", header->level, expect->level);
	return 0;
}

static int check_count(const struct xx_btrfs_identity *identity, const struct btrfs_header *header,
		       struct xx_btrfs_block_check *check)
{
	const size_t room = identity->nodesize - sizeof(*header);
	const uint32_t count = le32_get(header->nritems);

	if (count > room / (header->level ? sizeof(struct btrfs_key_ptr) : sizeof(struct btrfs_item)))
		return bad(check, NRITEMS, "its number of items is %u", count);
	if (header->level && count == 0)
		return bad(check, NRITEMS, "it is a node without pointers");
	return 0;
}

/* Keys begin each item or pointer, @stride bytes apart. */
static int check_keys(const struct xx_btrfs_expect *expect, const uint8_t *keys, size_t stride, uint32_t count,
		      struct xx_btrfs_block_check *check)
{
	struct xx_btrfs_key last = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		const struct xx_btrfs_key key = xx_btrfs_key_get((const struct btrfs_disk_key *)(keys + i * stride));

		if (i == 0 && expect->has_first_key && xx_btrfs_key_compare(key, expect->first_key) != 0)
			return bad(check, FIRST_KEY, "its first key is (%lld %u %llu)", (long long)key.objectid,
				   key.type, (unsigned long long)key.offset);
		if (i > 0 && xx_btrfs_key_compare(last, key) >= 0)
			return bad(check, KEY_ORDER, "its key number %u, (%lld %u %llu), is out of order", i,
				   (long long)key.objectid, key.type, (unsigned long long)key.offset);
		last = key;
	}
	if (count == 0 && expect->has_first_key)
		return bad(check, FIRST_KEY, "it is empty");
	return 0;
}

/* The data of the items fills the end of the leaf without gaps, item 0 last. */
static int check_items(const struct xx_btrfs_identity *identity, const void *block, uint32_t count,
		       struct xx_btrfs_block_check *check)
{
	const struct btrfs_item *items = xx_btrfs_leaf_items(block);
	uint64_t end = identity->nodesize - sizeof(struct btrfs_header);

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t offset = le32_get(items[i].offset);
		const uint64_t size = le32_get(items[i].size);

		if (offset + size != end || offset < count * sizeof(*items))
			return bad(check, ITEM_BOUNDS,
				   "the data of item %u lies at %llu to %llu, but should end at %llu", i,
				   (unsigned long long)offset, (unsigned long long)(offset + size),
				   (unsigned long long)end);
		end = offset;
	}
	return 0;
}

static int check_pointers(const struct xx_btrfs_identity *identity, const void *block, uint32_t count,
			  struct xx_btrfs_block_check *check)
{
	const struct btrfs_key_ptr *ptrs = xx_btrfs_node_ptrs(block);
	const uint64_t own = le64_get(xx_btrfs_header(block)->generation);

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t address = le64_get(ptrs[i].blockptr);
		const uint64_t generation = le64_get(ptrs[i].generation);

		if (address == 0 || address % identity->sectorsize || address > INT64_MAX)
			return bad(check, POINTER, "its pointer number %u leads to %llu", i,
				   (unsigned long long)address);
		if (generation > own)
			return bad(check, POINTER, "its pointer number %u has the generation %llu, itself %llu", i,
				   (unsigned long long)generation, (unsigned long long)own);
	}
	return 0;
}

static int check_content(const struct xx_btrfs_identity *identity, const void *block,
			 const struct xx_btrfs_expect *expect, struct xx_btrfs_block_check *check)
{
	const struct btrfs_header *header = block;
	const uint32_t count = le32_get(header->nritems);
	const bool leaf = header->level == 0;
	int err = check_count(identity, header, check);

	if (!err)
		err = check_keys(expect, (const uint8_t *)block + sizeof(*header),
				 leaf ? sizeof(struct btrfs_item) : sizeof(struct btrfs_key_ptr), count, check);
	if (!err && leaf)
		err = check_items(identity, block, count, check);
	else if (!err)
		err = check_pointers(identity, block, count, check);
	return err;
}

int xx_btrfs_block_verify(const struct xx_btrfs_identity *identity, const void *block,
			  const struct xx_btrfs_expect *expect, struct xx_btrfs_block_check *check)
{
	const struct btrfs_header *header = block;
	int err;

	*check = (struct xx_btrfs_block_check){ 0 };
	err = xx_csum_verify(identity->csum_type, (const uint8_t *)block + BTRFS_CSUM_SIZE,
			     identity->nodesize - BTRFS_CSUM_SIZE, header->csum);
	if (err)
		return fault(check, XX_BTRFS_BLOCK_CSUM, err,
			     err == -EBADMSG ? "its checksum is wrong" : "its checksum cannot be computed here");
	err = check_place(identity, header, expect, check);
	if (!err)
		err = check_expected(identity, header, expect, check);
	if (!err)
		err = check_content(identity, block, expect, check);
	return err;
}
