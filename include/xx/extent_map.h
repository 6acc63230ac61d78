/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extent_map.h - an ordered set of extents that do not overlap, such as the free space of an allocation group.
 *
 * The unit is the caller's (file system blocks, bytes). Neighbours that touch are one extent: the map is always the
 * shortest description of what is in it. Adding, removing and finding take logarithmic time.
 *
 *	uint64_t pos = 0;
 *	struct xx_extent e;
 *
 *	while (xx_extent_map_next(map, pos, &e)) {
 *		...
 *		pos = xx_extent_end(e);
 *	}
 *
 * The map may be changed while it is walked like this. It is not locked.
 */
#ifndef XX_EXTENT_MAP_H
#define XX_EXTENT_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <xx/compiler.h>

struct xx_extent {
	uint64_t start;
	uint64_t len; /* never 0, and start + len fits in 64 bits */
};

/* The first position after the extent. */
static inline uint64_t xx_extent_end(struct xx_extent e)
{
	return e.start + e.len;
}

struct xx_extent_map;

/* An empty map. 0 or -ENOMEM. */
XX_API XX_MUST_CHECK int xx_extent_map_create(struct xx_extent_map **out);
XX_API void xx_extent_map_destroy(struct xx_extent_map *map);

/*
 * Add an extent and join it with the neighbours that it touches. 0; -EEXIST when a part of it is in the map already;
 * -EINVAL when it is empty or ends beyond 64 bits; -ENOMEM. After an error the map is as it was.
 */
XX_API XX_MUST_CHECK int xx_extent_map_add(struct xx_extent_map *map, uint64_t start, uint64_t len);

/*
 * Take a range out; an extent around it is shortened or split. 0; -ENOENT when the range is not wholly in the map;
 * -EINVAL and -ENOMEM as above. After an error the map is as it was.
 */
XX_API XX_MUST_CHECK int xx_extent_map_remove(struct xx_extent_map *map, uint64_t start, uint64_t len);

/* The extent that holds @pos, in @out; false when there is none. */
XX_API bool xx_extent_map_find(const struct xx_extent_map *map, uint64_t pos, struct xx_extent *out);

/* The first extent that ends after @pos: the one that holds it, or else the next one. False when there is none. */
XX_API bool xx_extent_map_next(const struct xx_extent_map *map, uint64_t pos, struct xx_extent *out);

/* How many extents there are, and the sum of their lengths. */
XX_API uint64_t xx_extent_map_count(const struct xx_extent_map *map);
XX_API uint64_t xx_extent_map_total(const struct xx_extent_map *map);

#endif
