/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btrfs_chunk.h - the chunk map: where each logical byte lies on the devices, and what lies at a physical one.
 *
 * The map is filled from the superblock's array of system chunks, then from the chunk tree, and sealed when complete.
 * Lookups by logical address work at any time, those by device after the seal. A sealed map does not change: it may be
 * read from several threads.
 *
 * Words. A *stripe* of a chunk is one device extent, numbered as in the item. Stripes are cut into *elements* of 64 KiB.
 * With RAID5 and RAID6 the elements at one offset of all stripes are a *row*, whose data elements are *columns* 0 to n - 1
 * in logical order, P is column n, Q is n + 1; from row to row the columns move on by one stripe. With RAID0 and RAID10 a
 * row is likewise the elements at one offset.
 *
 * Source: fs/btrfs/volumes.c, btrfs_map_block(); tree-checker.c, btrfs_check_chunk_valid(). The RAID5 and RAID6 places
 * were verified by damaging disks and letting the kernel repair them.
 */
#ifndef XX_BTRFS_CHUNK_H
#define XX_BTRFS_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xx/btrfs_format.h>
#include <xx/btrfs_super.h>
#include <xx/compiler.h>

enum xx_btrfs_profile {
	XX_BTRFS_SINGLE,
	XX_BTRFS_DUP,
	XX_BTRFS_RAID0,
	XX_BTRFS_RAID1,
	XX_BTRFS_RAID1C3,
	XX_BTRFS_RAID1C4,
	XX_BTRFS_RAID10,
	XX_BTRFS_RAID5,
	XX_BTRFS_RAID6,
};

/* "single", "DUP", "RAID1C3". */
XX_API const char *xx_btrfs_profile_name(enum xx_btrfs_profile profile);

struct xx_btrfs_stripe {
	uint64_t devid;
	uint64_t physical; /* bytes, where the device extent begins */
	uint8_t dev_uuid[BTRFS_UUID_SIZE];
};

/* A chunk; owned by the map, and valid as long as this is. */
struct xx_btrfs_chunk {
	uint64_t logical; /* bytes */
	uint64_t length; /* logical bytes */
	uint64_t type; /* BTRFS_BLOCK_GROUP_ bits */
	enum xx_btrfs_profile profile;
	unsigned copies; /* of each byte: 1 to 4 */
	unsigned columns; /* data elements of a row: 1 where nothing is striped */
	unsigned parity; /* parity elements of a row: 0 to 2 */
	uint64_t stripe_length; /* bytes of each device extent */
	unsigned num_stripes;
	struct xx_btrfs_stripe stripes[]; /* num_stripes */
};

static inline uint64_t xx_btrfs_chunk_end(const struct xx_btrfs_chunk *chunk)
{
	return chunk->logical + chunk->length;
}

static inline bool xx_btrfs_chunk_striped(const struct xx_btrfs_chunk *chunk)
{
	return chunk->columns > 1 || chunk->parity;
}

/* --- The map --- */

/* What is wrong with a chunk. */
struct xx_btrfs_chunk_check {
	int error; /* 0, -EUCLEAN, -EOPNOTSUPP, -ENOMEM */
	char text[200]; /* "chunk 1048576: num_stripes is 0"; "" when good */
};

struct xx_btrfs_chunk_map;

/* An empty map for a file system with that superblock (only looked at during the call). 0 or -ENOMEM. */
XX_API XX_MUST_CHECK int xx_btrfs_chunk_map_create(const struct xx_btrfs_super *super, struct xx_btrfs_chunk_map **out);
XX_API void xx_btrfs_chunk_map_destroy(struct xx_btrfs_chunk_map *map);

/*
 * Add the chunk of an item at @logical (the key's offset), of @size bytes. Verifies it: counts of stripes, profile, type,
 * length, alignment, 64-bit overflow, and that it overlaps no other chunk. One that is there already with the same
 * contents is fine. The result is check->error; after an error the map is as it was.
 */
XX_API XX_MUST_CHECK int xx_btrfs_chunk_map_add(struct xx_btrfs_chunk_map *map, uint64_t logical, const void *item,
						size_t size, struct xx_btrfs_chunk_check *check);

/* Add what the superblock's array of system chunks holds. Any byte string gives an answer. */
XX_API XX_MUST_CHECK int xx_btrfs_chunk_map_add_system(struct xx_btrfs_chunk_map *map,
						       const struct xx_btrfs_super *super,
						       struct xx_btrfs_chunk_check *check);

/* Index by device, and verify that no two device extents overlap. May be called again after more was added. */
XX_API XX_MUST_CHECK int xx_btrfs_chunk_map_seal(struct xx_btrfs_chunk_map *map, struct xx_btrfs_chunk_check *check);

XX_API size_t xx_btrfs_chunk_map_count(const struct xx_btrfs_chunk_map *map);

/* The chunk that holds @logical; NULL: none. */
XX_API const struct xx_btrfs_chunk *xx_btrfs_chunk_find(const struct xx_btrfs_chunk_map *map, uint64_t logical);

/* The first chunk that ends after @logical, for a walk: next = xx_btrfs_chunk_end(). NULL: no more. */
XX_API const struct xx_btrfs_chunk *xx_btrfs_chunk_next(const struct xx_btrfs_chunk_map *map, uint64_t logical);

/* --- Logical to physical --- */

struct xx_btrfs_place {
	unsigned stripe; /* number in the chunk */
	uint64_t devid;
	uint64_t physical; /* bytes */
};

struct xx_btrfs_copies {
	uint64_t length; /* bytes from the address on that lie side by side at each place */
	unsigned count; /* 1 to 4; 1 with RAID5 and RAID6: the data element itself */
	struct xx_btrfs_place place[4];
};

/* All places of a byte of the chunk. @logical lies in the chunk (asserts). */
XX_API void xx_btrfs_chunk_copies(const struct xx_btrfs_chunk *chunk, uint64_t logical, struct xx_btrfs_copies *out);

/* --- Rows of RAID0, RAID10, RAID5 and RAID6 --- */

struct xx_btrfs_row {
	uint64_t number; /* from the start of the chunk */
	uint64_t logical; /* address of the first byte of column 0 */
	uint64_t offset; /* of the row in each stripe, bytes */
	unsigned column; /* that the address lies in */
	uint64_t in_element; /* where in it, bytes */
};

/* The row of a byte of the chunk. */
XX_API void xx_btrfs_chunk_row(const struct xx_btrfs_chunk *chunk, uint64_t logical, struct xx_btrfs_row *out);

/*
 * The place of byte @in_element (below 64 KiB) of @column in row @number; columns + 0 is P, columns + 1 is Q. With RAID10
 * the first copy.
 */
XX_API struct xx_btrfs_place xx_btrfs_row_place(const struct xx_btrfs_chunk *chunk, uint64_t number, unsigned column,
						uint64_t in_element);

/* --- Physical to logical --- */

enum xx_btrfs_role {
	XX_BTRFS_ROLE_DATA,
	XX_BTRFS_ROLE_P,
	XX_BTRFS_ROLE_Q,
};

/* What lies at a place of a device. */
struct xx_btrfs_location {
	const struct xx_btrfs_chunk *chunk;
	unsigned stripe;
	enum xx_btrfs_role role;
	unsigned copy; /* of data: 0 to copies - 1, as xx_btrfs_copies counts them */
	unsigned column; /* in its row; 0 where nothing is striped */
	uint64_t row; /* number; 0 where nothing is striped */
	uint64_t logical; /* of data: the byte's; of parity: of column 0, same byte of the element */
	/*
	 * Bytes from here on of which the same is true. 0: the chunk's length is no multiple of its row, and has ended.
	 */
	uint64_t length;
};

/* 0; -ENOENT: nothing is allocated there, -EINVAL: the map is not sealed. */
XX_API XX_MUST_CHECK int xx_btrfs_chunk_locate(const struct xx_btrfs_chunk_map *map, uint64_t devid, uint64_t physical,
					       struct xx_btrfs_location *out);

/* The same for a byte of a stripe of a chunk, @offset bytes into the device extent (below stripe_length). */
XX_API void xx_btrfs_stripe_locate(const struct xx_btrfs_chunk *chunk, unsigned stripe, uint64_t offset,
				   struct xx_btrfs_location *out);

/* A device extent. */
struct xx_btrfs_dev_range {
	const struct xx_btrfs_chunk *chunk;
	unsigned stripe;
	uint64_t physical; /* bytes */
	uint64_t length; /* bytes */
};

/* The first device extent of @devid that ends after @physical, for a walk in physical order; false: no more. */
XX_API bool xx_btrfs_dev_range_next(const struct xx_btrfs_chunk_map *map, uint64_t devid, uint64_t physical,
				    struct xx_btrfs_dev_range *out);

#endif
