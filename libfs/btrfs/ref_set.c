/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ref_set.c - an extent with all its references.
 */
#include <errno.h>
#include <stdlib.h>

#include "btrfs/fs.h"
#include "btrfs/ref.h"

void xx_btrfs_ref_set_release(struct xx_btrfs_ref_set *set)
{
	free(set->refs);
	*set = (struct xx_btrfs_ref_set){ 0 };
}

static int add(struct xx_btrfs_ref_set *set, const struct xx_btrfs_extent_ref *ref)
{
	int ret;

	if (ref->type == BTRFS_EXTENT_OWNER_REF_KEY)
		return 0;
	ret = xx_btrfs_grow(&set->refs, set->count, &set->room, sizeof(*set->refs));
	if (ret == 0)
		set->refs[set->count++] = *ref;
	return ret;
}

static int add_inline(struct xx_btrfs_ref_set *set)
{
	struct xx_btrfs_extent_ref ref;
	uint32_t pos = 0;
	int ret;

	while ((ret = xx_btrfs_extent_ref_next(&set->extent, &pos, &ref)) > 0) {
		ret = add(set, &ref);
		if (ret)
			return ret;
	}
	set->incomplete |= ret < 0;
	return 0;
}

static int add_keyed(struct xx_btrfs_resolver *resolver, struct xx_btrfs_ref_set *set)
{
	const struct xx_btrfs_key first = { set->extent.logical, BTRFS_EXTENT_OWNER_REF_KEY, 0 };
	const struct xx_btrfs_key last = { set->extent.logical, BTRFS_SHARED_DATA_REF_KEY, UINT64_MAX };
	const uint64_t dead = xx_btrfs_iter_lost(resolver->extents);
	struct xx_btrfs_extent_ref ref;
	struct xx_btrfs_item item;
	int ret;

	xx_btrfs_iter_seek(resolver->extents, &resolver->root, &first, &last);
	while ((ret = xx_btrfs_iter_next(resolver->extents, &item)) > 0) {
		if (xx_btrfs_keyed_ref_parse(&item, &ref) != 0) {
			set->incomplete = true;
			continue;
		}
		ret = add(set, &ref);
		if (ret)
			return ret;
	}
	set->incomplete |= xx_btrfs_iter_lost(resolver->extents) != dead;
	return ret;
}

/* The extent item that holds @logical. */
static int find(struct xx_btrfs_resolver *resolver, uint64_t logical, struct xx_btrfs_item *item,
		struct xx_btrfs_extent *extent)
{
	const struct xx_btrfs_key last = { logical, BTRFS_METADATA_ITEM_KEY, UINT64_MAX };
	const uint64_t dead = xx_btrfs_iter_lost(resolver->extents);
	int ret;

	if (!resolver->has_root)
		return -EIO;
	ret = xx_btrfs_extent_seek(resolver->extents, &resolver->root, logical, &last);
	if (ret)
		return ret;
	ret = xx_btrfs_iter_next(resolver->extents, item);
	if (ret < 0)
		return ret;
	if (ret > 0 && xx_btrfs_extent_parse(item, xx_btrfs_fs_params(resolver->fs)->nodesize, extent) != 0)
		return -EUCLEAN;
	if (ret > 0 && extent->logical <= logical && logical - extent->logical < extent->length)
		return 0;
	return xx_btrfs_iter_lost(resolver->extents) != dead ? -EIO : -ENOENT;
}

int xx_btrfs_ref_set_read(struct xx_btrfs_resolver *resolver, uint64_t logical, struct xx_btrfs_ref_set *set)
{
	struct xx_btrfs_item item;
	int ret = find(resolver, logical, &item, &set->extent);

	if (ret == 0)
		ret = add_inline(set);
	if (ret == 0)
		ret = add_keyed(resolver, set);
	if (ret)
		xx_btrfs_ref_set_release(set);
	return ret;
}
