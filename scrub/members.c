/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * members.c - finds, identifies and opens the devices of a file system.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <blkid.h>
#include <uuid.h>

#include <xx/context.h>
#include <xx/device.h>

#include "scrub/members.h"

static const struct scrub_format *const formats[] = { &scrub_format_btrfs };

/* What libblkid takes the device for; "" when it does not know. */
static void probe_type(const char *path, char *type, size_t size)
{
	blkid_probe probe = blkid_new_probe_from_filename(path);
	const char *value;

	*type = '\0';
	if (!probe)
		return;
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE);
	if (blkid_do_safeprobe(probe) == 0 && blkid_probe_lookup_value(probe, "TYPE", &value, NULL) == 0)
		snprintf(type, size, "%s", value);
	blkid_free_probe(probe);
}

/* Which kind of file system it is. */
static int identify(struct xx_ctx *ctx, struct scrub_member *member, const struct scrub_format **format)
{
	char type[32];

	for (size_t i = 0; i < XX_ARRAY_SIZE(formats); i++) {
		int ret = formats[i]->identify(ctx, member->device, &member->id);

		if (ret != -ENOENT) {
			*format = formats[i];
			return ret;
		}
	}
	probe_type(member->path, type, sizeof(type));
	if (*type && strcmp(type, "btrfs") != 0)
		xx_error(ctx, "%s holds %s; only btrfs can be scrubbed.", member->path, type);
	else
		xx_error(ctx, "%s: no btrfs was found here.", member->path);
	return -ENOENT;
}

static void close_member(struct scrub_member *member)
{
	if (member->device && xx_device_close(member->device) != 0)
		member->device = NULL;
	free(member->path);
	*member = (struct scrub_member){ 0 };
}

/* Opens a device for reading and asks it. */
static int look(struct xx_ctx *ctx, const char *path, struct scrub_member *member, const struct scrub_format **format)
{
	const struct xx_device_options options = { 0 };
	int ret;

	*member = (struct scrub_member){ .path = strdup(path) };
	if (!member->path) {
		xx_error(ctx, "Out of memory.");
		return -ENOMEM;
	}
	ret = xx_device_open(ctx, path, &options, &member->device);
	if (ret == 0)
		ret = identify(ctx, member, format);
	if (ret)
		close_member(member);
	return ret;
}

static int add(struct xx_ctx *ctx, struct scrub_members *members, const struct scrub_member *member)
{
	struct scrub_member *more = realloc(members->list, (members->count + 1) * sizeof(*more));

	if (!more) {
		xx_error(ctx, "Out of memory.");
		return -ENOMEM;
	}
	more[members->count++] = *member;
	members->list = more;
	return 0;
}

/* The member that says which file system it is. */
static const struct scrub_member *leader(const struct scrub_members *members)
{
	for (size_t i = 0; i < members->count; i++) {
		if (!members->list[i].id.seed)
			return &members->list[i];
	}
	return &members->list[0];
}

static bool has_devid(const struct scrub_members *members, uint64_t devid)
{
	for (size_t i = 0; i < members->count; i++) {
		if (members->list[i].id.devid == devid)
			return true;
	}
	return false;
}

/* A block device that carries the UUID: taken if it is a member that is not there yet. */
static int consider(struct xx_ctx *ctx, struct scrub_members *members, const char *path)
{
	const struct scrub_format *format;
	struct scrub_member member;
	int ret = look(ctx, path, &member, &format);

	if (ret)
		return ret == -ENOMEM ? ret : 0;
	if (format != members->format || has_devid(members, member.id.devid) ||
	    memcmp(member.id.fsid, leader(members)->id.fsid, sizeof(member.id.fsid)) != 0) {
		close_member(&member);
		return 0;
	}
	xx_verbose(ctx, "%s is device %llu of this file system.", path, (unsigned long long)member.id.devid);
	ret = add(ctx, members, &member);
	if (ret)
		close_member(&member);
	return ret;
}

/* Looks at all block devices for members that nobody named. */
static int search_more(struct xx_ctx *ctx, struct scrub_members *members)
{
	blkid_dev_iterate iterate;
	blkid_cache cache;
	blkid_dev dev;
	int ret = 0;

	if (blkid_get_cache(&cache, "/dev/null") != 0)
		return 0;
	blkid_probe_all(cache);
	iterate = blkid_dev_iterate_begin(cache);
	blkid_dev_set_search(iterate, "UUID", members->fsid);
	while (ret == 0 && blkid_dev_next(iterate, &dev) == 0)
		ret = consider(ctx, members, blkid_dev_devname(dev));
	blkid_dev_iterate_end(iterate);
	blkid_put_cache(cache);
	return ret;
}

int scrub_members_find(struct xx_ctx *ctx, const char *const *paths, size_t count, bool search,
		       struct scrub_members *out)
{
	uint64_t wanted;
	int ret = 0;

	*out = (struct scrub_members){ 0 };
	for (size_t i = 0; ret == 0 && i < count; i++) {
		struct scrub_member member;

		ret = look(ctx, paths[i], &member, &out->format);
		if (ret == 0)
			ret = add(ctx, out, &member);
	}
	if (ret)
		return ret;
	uuid_unparse_lower(leader(out)->id.fsid, out->fsid);
	wanted = leader(out)->id.devices;
	return search && out->count < wanted ? search_more(ctx, out) : 0;
}

int scrub_members_open_for_writing(struct xx_ctx *ctx, struct scrub_members *members)
{
	const struct xx_device_options options = { .flags = XX_DEVICE_WRITE };
	const struct scrub_member *first = leader(members);

	for (size_t i = 0; i < members->count; i++) {
		struct scrub_member *member = &members->list[i];
		int ret;

		if (member->id.seed && memcmp(member->id.fsid, first->id.fsid, sizeof(first->id.fsid)) != 0)
			continue;
		ret = xx_device_close(member->device);
		member->device = NULL;
		if (ret == 0)
			ret = xx_device_open(ctx, member->path, &options, &member->device);
		if (ret == -EROFS || ret == -EACCES)
			xx_error(ctx, "%s cannot be written; use -r to look only.", member->path);
		if (ret)
			return ret;
	}
	return 0;
}

void scrub_members_close(struct scrub_members *members)
{
	for (size_t i = 0; i < members->count; i++)
		close_member(&members->list[i]);
	free(members->list);
	*members = (struct scrub_members){ 0 };
}

bool scrub_is_uuid(const char *text)
{
	uuid_t uuid;

	return strlen(text) == XX_BTRFS_UUID_TEXT - 1 && uuid_parse(text, uuid) == 0 && access(text, F_OK) != 0;
}

int scrub_members_fsid(struct xx_ctx *ctx, const char *text, char fsid[XX_BTRFS_UUID_TEXT])
{
	struct scrub_members members;
	uuid_t uuid;
	int ret;

	if (scrub_is_uuid(text) && uuid_parse(text, uuid) == 0) {
		uuid_unparse_lower(uuid, fsid);
		return 0;
	}
	ret = scrub_members_find(ctx, &text, 1, false, &members);
	if (ret == 0)
		memcpy(fsid, members.fsid, XX_BTRFS_UUID_TEXT);
	scrub_members_close(&members);
	return ret;
}
