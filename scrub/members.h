/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * members.h - the devices of the file system that is to be scrubbed: those that were named, and those that are found.
 *
 * What is asked of a kind of file system is one const table of functions; whoever wants to scrub another adds a row.
 */
#ifndef SCRUB_MEMBERS_H
#define SCRUB_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/btrfs_super.h>
#include <xx/compiler.h>

struct xx_ctx;
struct xx_device;

/* What a device says of the file system that it belongs to. */
struct scrub_identity {
	uint8_t fsid[16];
	uint64_t devid;
	uint64_t devices; /* how many the file system has */
	bool seed; /* nothing may be written to it when it belongs to another one */
};

struct scrub_format {
	const char *name; /* as libblkid has it */
	const char *scrub_mounted; /* what scrubs it while it is mounted */
	/* 0; -ENOENT: it is none of these (no message); another error with a message. */
	int (*identify)(struct xx_ctx *ctx, struct xx_device *device, struct scrub_identity *out);
	/* Where the kernel lists the devices of one that is mounted: a directory, "" when it is not. */
	void (*mounted_path)(const char *fsid, char *path, size_t size);
};

/* btrfs_identity.c */
extern const struct scrub_format scrub_format_btrfs;

struct scrub_member {
	char *path;
	struct xx_device *device;
	struct scrub_identity id;
};

struct scrub_members {
	const struct scrub_format *format;
	struct scrub_member *list;
	size_t count;
	char fsid[XX_BTRFS_UUID_TEXT]; /* of the first that is no seed, or else of the first */
};

/*
 * Open the devices for reading and ask them who they are; with @search look for members that are missing among the block
 * devices. 0 or a negative errno with a message. To be closed in any case.
 */
XX_MUST_CHECK int scrub_members_find(struct xx_ctx *ctx, const char *const *paths, size_t count, bool search,
				     struct scrub_members *out);

/* Open them anew for writing, those that are seeds of another for reading. 0 or a negative errno with a message. */
XX_MUST_CHECK int scrub_members_open_for_writing(struct xx_ctx *ctx, struct scrub_members *members);

void scrub_members_close(struct scrub_members *members);

/* Is it the text of a UUID, and no file of that name? */
bool scrub_is_uuid(const char *text);

/*
 * The UUID of the file system that @text means: a UUID, or a device that is asked. 0 or a negative errno with a message.
 */
XX_MUST_CHECK int scrub_members_fsid(struct xx_ctx *ctx, const char *text, char fsid[XX_BTRFS_UUID_TEXT]);

/* Is it mounted? See mounted.c. */
enum scrub_mounted {
	SCRUB_NOT_MOUNTED,
	SCRUB_MOUNTED_READ_ONLY,
	SCRUB_MOUNTED, /* for writing, or where this process cannot see it */
};

/* Looks for any of the devices, also behind a loop device, among those that the kernel has mounted. */
#define SCRUB_WHERE_TEXT 256
enum scrub_mounted scrub_members_mounted(const struct scrub_members *members, char where[SCRUB_WHERE_TEXT]);

#endif
