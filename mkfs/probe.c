/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.c - libblkid is asked for every signature there is, as wipefs(8) does: each one that was found is hidden from
 * it and the search goes on, until copies at other places have been found as well. What libblkid does not look at but
 * a repair would (the copies of btrfs's superblock) is looked at here.
 */
#include <blkid.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xx/context.h>
#include <xx/units.h>

#include "mkfs/probe.h"

/* Signatures that libblkid does not report. Source: "On-disk Format", "Superblock" in the documentation of btrfs. */
static const struct {
	uint64_t offset;
	uint32_t bytes, magic_offset;
	const char *magic;
} copies[] = {
	{ 64 * XX_MIB, 4096, 64, "_BHRfS_M" },
	{ 256 * XX_GIB, 4096, 64, "_BHRfS_M" },
};

static int add_place(struct mkfs_probe *probe, uint64_t offset, uint64_t bytes)
{
	struct mkfs_place *place = reallocarray(probe->place, probe->places + 1, sizeof(*place));

	if (!place)
		return -ENOMEM;
	place[probe->places++] = (struct mkfs_place){ offset, bytes };
	probe->place = place;
	return 0;
}

static enum mkfs_kind kind_of(const char *usage)
{
	static const struct {
		const char *usage;
		enum mkfs_kind kind;
	} kinds[] = {
		{ "filesystem", MKFS_KIND_FILESYSTEM },
		{ "raid", MKFS_KIND_RAID },
		{ "crypto", MKFS_KIND_CRYPTO },
	};

	for (size_t i = 0; i < XX_ARRAY_SIZE(kinds); i++)
		if (strcmp(usage, kinds[i].usage) == 0)
			return kinds[i].kind;
	return MKFS_KIND_OTHER;
}

static void note_first(struct mkfs_probe *probe, enum mkfs_kind kind, const char *type)
{
	if (probe->found)
		return;
	probe->found = true;
	probe->kind = kind;
	strncpy(probe->type, type, sizeof(probe->type) - 1);
}

/* The signature that libblkid stands on: note it, hide it and step back. 1: there is no way on. */
static int take_signature(blkid_probe pr, struct mkfs_probe *probe)
{
	const char *type, *offset = NULL, *usage = "other";
	size_t len = 0;
	int err;

	if (blkid_probe_lookup_value(pr, "TYPE", &type, NULL) == 0) {
		blkid_probe_lookup_value(pr, "USAGE", &usage, NULL);
		note_first(probe, kind_of(usage), type);
		blkid_probe_lookup_value(pr, "SBMAGIC_OFFSET", &offset, NULL);
		blkid_probe_lookup_value(pr, "SBMAGIC", NULL, &len);
	} else if (blkid_probe_lookup_value(pr, "PTTYPE", &type, NULL) == 0) {
		note_first(probe, MKFS_KIND_TABLE, type);
		blkid_probe_lookup_value(pr, "PTMAGIC_OFFSET", &offset, NULL);
		blkid_probe_lookup_value(pr, "PTMAGIC", NULL, &len);
	} else {
		note_first(probe, MKFS_KIND_OTHER, "unknown");
	}
	if (!offset || len == 0)
		return 1;
	err = add_place(probe, strtoull(offset, NULL, 10), len);
	if (err)
		return err;
	return blkid_probe_hide_range(pr, strtoull(offset, NULL, 10), len) || blkid_probe_step_back(pr);
}

static int ask_blkid(int fd, uint64_t size, struct mkfs_probe *probe)
{
	blkid_probe pr = blkid_new_probe();
	int err = 0, found = -1;

	if (!pr)
		return -ENOMEM;
	if (blkid_probe_set_device(pr, fd, 0, (blkid_loff_t)size) == 0) {
		blkid_probe_enable_superblocks(pr, 1);
		blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE |
							      BLKID_SUBLKS_BADCSUM);
		blkid_probe_enable_partitions(pr, 1);
		blkid_probe_set_partitions_flags(pr, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
		while (err == 0 && (found = blkid_do_probe(pr)) == 0)
			err = take_signature(pr, probe);
	}
	if (found < 0)
		probe->failed = true;
	blkid_free_probe(pr);
	return err < 0 ? err : 0;
}

static int look_for_copies(int fd, uint64_t size, struct mkfs_probe *probe)
{
	char magic[8];

	for (size_t i = 0; i < XX_ARRAY_SIZE(copies); i++) {
		const size_t len = strlen(copies[i].magic);
		int err;

		if (copies[i].offset + copies[i].bytes > size)
			continue;
		if (pread(fd, magic, len, (off_t)(copies[i].offset + copies[i].magic_offset)) != (ssize_t)len ||
		    memcmp(magic, copies[i].magic, len) != 0)
			continue;
		err = add_place(probe, copies[i].offset, copies[i].bytes);
		if (err)
			return err;
	}
	return 0;
}

bool mkfs_probe_is_hole(int fd, uint64_t offset, uint64_t bytes)
{
	const off_t data = lseek(fd, (off_t)offset, SEEK_DATA);

	return data < 0 ? errno == ENXIO : (uint64_t)data >= offset + bytes;
}

static bool is_zero(const uint8_t *buf, size_t len)
{
	return len == 0 || (buf[0] == 0 && memcmp(buf, buf + 1, len - 1) == 0);
}

/* One end of the device: what cannot be read counts as used. */
static bool end_is_used(int fd, uint64_t offset, uint8_t *buf, size_t len)
{
	if (mkfs_probe_is_hole(fd, offset, len))
		return false;
	return pread(fd, buf, len, (off_t)offset) != (ssize_t)len || !is_zero(buf, len);
}

static int look_at_ends(int fd, uint64_t size, struct mkfs_probe *probe)
{
	const size_t len = xx_min(size, MKFS_END_BYTES);
	uint8_t *buf = malloc(MKFS_END_BYTES);

	if (!buf)
		return -ENOMEM;
	probe->tail_used = end_is_used(fd, size - len, buf, len);
	probe->head_used = end_is_used(fd, 0, buf, len);
	probe->has_old = probe->head_used && xx_xfs_old_parse(buf, len, size, &probe->old) == 0;
	free(buf);
	return 0;
}

int mkfs_probe_signatures(int fd, uint64_t size, struct mkfs_probe *probe)
{
	int err;

	*probe = (struct mkfs_probe){ 0 };
	if (size == 0 || mkfs_probe_is_hole(fd, 0, size))
		return 0;
	err = look_at_ends(fd, size, probe);
	if (!err)
		err = ask_blkid(fd, size, probe);
	if (!err)
		err = look_for_copies(fd, size, probe);
	if (err)
		mkfs_probe_release(probe);
	return err;
}

void mkfs_probe_topology(int fd, struct mkfs_volume *volume)
{
	blkid_probe pr = blkid_new_probe();
	blkid_topology tp;

	if (!pr)
		return;
	if (blkid_probe_set_device(pr, fd, 0, 0) == 0 && (tp = blkid_probe_get_topology(pr)) != NULL) {
		volume->logical_sector = (uint32_t)blkid_topology_get_logical_sector_size(tp);
		volume->physical_sector = (uint32_t)blkid_topology_get_physical_sector_size(tp);
		volume->min_io = blkid_topology_get_minimum_io_size(tp);
		volume->opt_io = blkid_topology_get_optimal_io_size(tp);
		volume->misaligned = blkid_topology_get_alignment_offset(tp) != 0;
	}
	blkid_free_probe(pr);
}

int mkfs_probe_allow(struct xx_ctx *ctx, const struct mkfs_probe *probe, const char *name, bool force)
{
	static const char *const kinds[] = {
		[MKFS_KIND_FILESYSTEM] = "an existing filesystem",	 [MKFS_KIND_TABLE] = "a partition table",
		[MKFS_KIND_RAID] = "a member of a RAID or volume group", [MKFS_KIND_CRYPTO] = "an encrypted volume",
		[MKFS_KIND_OTHER] = "something in use elsewhere",
	};

	if (force)
		return 0;
	if (probe->found) {
		xx_error(ctx, "%s appears to contain %s (%s). Use the -f option to force overwrite.", name,
			 kinds[probe->kind], probe->type);
		return -EEXIST;
	}
	if (probe->failed) {
		xx_error(ctx,
			 "%s cannot be read well enough to tell what is on it. Use the -f option to force overwrite.",
			 name);
		return -EEXIST;
	}
	return 0;
}

void mkfs_probe_release(struct mkfs_probe *probe)
{
	free(probe->place);
	probe->place = NULL;
	probe->places = 0;
}
