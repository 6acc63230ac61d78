/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mounted.c - is the file system mounted, and for writing?
 *
 * /proc/self/mountinfo names only one device of each mounted btrfs, and only mounts of this namespace; sysfs lists the
 * devices of all. A file system with the same UUID can well be mounted from other devices, of which ours are a copy: so it
 * is the devices that count. An image file counts as the loop devices over it.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <xx/device.h>

#include "scrub/members.h"

#define PATH_TEXT 512

/* Device numbers that the kernel has mounted as one file system. */
struct mounted_set {
	dev_t numbers[256];
	size_t count;
};

/* The number in a file of sysfs, "MAJOR:MINOR"; 0: none. */
static dev_t read_number(const char *dir, const char *name)
{
	char path[PATH_TEXT];
	unsigned major_number = 0, minor_number = 0;
	FILE *in;

	if (snprintf(path, sizeof(path), "%s/%s/dev", dir, name) >= (int)sizeof(path))
		return 0;
	in = fopen(path, "re");
	if (!in)
		return 0;
	if (fscanf(in, "%u:%u", &major_number, &minor_number) != 2)
		major_number = minor_number = 0;
	fclose(in);
	return makedev(major_number, minor_number);
}

static void list_mounted(const char *dir, struct mounted_set *set)
{
	DIR *entries = opendir(dir);
	struct dirent *entry;

	set->count = 0;
	if (!entries)
		return;
	while ((entry = readdir(entries)) && set->count < XX_ARRAY_SIZE(set->numbers)) {
		dev_t number = entry->d_name[0] == '.' ? 0 : read_number(dir, entry->d_name);

		if (number)
			set->numbers[set->count++] = number;
	}
	closedir(entries);
}

static bool set_has(const struct mounted_set *set, dev_t number)
{
	for (size_t i = 0; i < set->count; i++) {
		if (set->numbers[i] == number)
			return true;
	}
	return false;
}

/* Is the loop device NAME of /sys/block one of the set, and over this file? */
static bool is_loop_over(const struct mounted_set *set, const char *name, const struct stat *file)
{
	char path[PATH_TEXT], backing[PATH_TEXT];
	struct stat st;
	FILE *in;
	bool read;

	if (strncmp(name, "loop", 4) != 0 || !set_has(set, read_number("/sys/block", name)) ||
	    snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file", name) >= (int)sizeof(path))
		return false;
	in = fopen(path, "re");
	if (!in)
		return false;
	read = fgets(backing, sizeof(backing), in);
	fclose(in);
	if (!read)
		return false;
	backing[strcspn(backing, "\n")] = '\0';
	return stat(backing, &st) == 0 && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

static bool file_in_set(const struct mounted_set *set, const struct stat *file)
{
	DIR *blocks = opendir("/sys/block");
	struct dirent *entry;
	bool found = false;

	if (!blocks)
		return false;
	while (!found && (entry = readdir(blocks)))
		found = is_loop_over(set, entry->d_name, file);
	closedir(blocks);
	return found;
}

static bool member_in_set(const struct mounted_set *set, const struct scrub_member *member)
{
	struct stat st;

	if (stat(member->path, &st) != 0)
		return false;
	return S_ISBLK(st.st_mode) ? set_has(set, st.st_rdev) : file_in_set(set, &st);
}

/* One mount of a file system of @type from a device of the set: 1 for writing, 0 read-only, -1: it is none. */
static int judge_mount(const struct mounted_set *set, char *line, const char *type, char where[SCRUB_WHERE_TEXT])
{
	char *rest = strstr(line, " - "), *words[3]; /* type, source, options of the file system */
	struct stat st;

	if (!rest)
		return -1;
	*rest = '\0';
	rest += 3;
	for (size_t i = 0; i < 3; i++)
		words[i] = strsep(&rest, " \n");
	if (!words[2] || strcmp(words[0], type) != 0 || stat(words[1], &st) != 0 || !S_ISBLK(st.st_mode) ||
	    !set_has(set, st.st_rdev))
		return -1;
	for (size_t i = 0; i < 4; i++)
		strsep(&line, " ");
	snprintf(where, SCRUB_WHERE_TEXT, "%s", line ? strsep(&line, " ") : "?");
	return strncmp(words[2], "ro", 2) != 0;
}

static enum scrub_mounted how_mounted(const struct mounted_set *set, const char *type, char where[SCRUB_WHERE_TEXT])
{
	enum scrub_mounted result = SCRUB_MOUNTED;
	FILE *in = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t room = 0;

	snprintf(where, SCRUB_WHERE_TEXT, "another mount namespace");
	while (in && getline(&line, &room, in) > 0) {
		int writable = judge_mount(set, line, type, where);

		if (writable < 0)
			continue;
		result = writable ? SCRUB_MOUNTED : SCRUB_MOUNTED_READ_ONLY;
		break;
	}
	free(line);
	if (in)
		fclose(in);
	return result;
}

enum scrub_mounted scrub_members_mounted(const struct scrub_members *members, char where[SCRUB_WHERE_TEXT])
{
	struct mounted_set set;
	char path[PATH_TEXT];

	members->format->mounted_path(members->fsid, path, sizeof(path));
	list_mounted(path, &set);
	for (size_t i = 0; i < members->count; i++) {
		if (set.count && member_in_set(&set, &members->list[i]))
			return how_mounted(&set, members->format->name, where);
	}
	return SCRUB_NOT_MOUNTED;
}
