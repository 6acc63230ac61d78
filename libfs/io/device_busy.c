/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device_busy.c - who uses a block device or an image file: mounts, swap, holders (device mapper, RAID), loop devices.
 *
 * Sources: proc(5) for /proc/self/mountinfo and /proc/swaps, holders/ and loop/ in sysfs, LOOP_GET_STATUS64.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <xx/units.h>
#include "io/device_impl.h"

enum {
	HOLDER_DEPTH = 8, /* of device mapper over RAID over device mapper... */
};

struct busy {
	struct stat st;
	char *by;
	size_t size;
};

static bool is_same(const struct busy *b, const char *path)
{
	struct stat st;

	if (path[0] != '/' || stat(path, &st) < 0)
		return false;
	if (S_ISBLK(b->st.st_mode))
		return S_ISBLK(st.st_mode) && st.st_rdev == b->st.st_rdev;
	return st.st_dev == b->st.st_dev && st.st_ino == b->st.st_ino;
}

/* Octal escapes, in place: proc(5). */
static void unescape(char *text)
{
	char *to = text;

	for (char *from = text; *from;) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && strspn(from + 1, "01234567") >= 3) {
			*to++ = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

/* The fields of a line of mountinfo that matter: device number, mount point, source. */
static bool parse_mount(char *line, dev_t *number, char **point, char **source)
{
	unsigned int maj, min;
	char *save = NULL, *field = strtok_r(line, " \n", &save);

	*point = NULL;
	for (int i = 0; field && i < 4; i++) {
		field = strtok_r(NULL, " \n", &save);
		if (i == 1 && field && sscanf(field, "%u:%u", &maj, &min) != 2)
			return false;
		if (i == 3)
			*point = field;
	}
	while (field && strcmp(field, "-") != 0)
		field = strtok_r(NULL, " \n", &save);
	field = field ? strtok_r(NULL, " \n", &save) : NULL;
	*source = field ? strtok_r(NULL, " \n", &save) : NULL;
	if (!*source || !*point)
		return false;
	*number = makedev(maj, min);
	unescape(*point);
	unescape(*source);
	return true;
}

/* btrfs mounts have a number of their own, so the source counts too. */
static bool is_mounted(const struct busy *b)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, *point, *source;
	size_t cap = 0;
	bool found = false;
	dev_t number;

	if (!f)
		return false;
	while (!found && getline(&line, &cap, f) > 0) {
		if (!parse_mount(line, &number, &point, &source))
			continue;
		found = (S_ISBLK(b->st.st_mode) && number == b->st.st_rdev) || is_same(b, source);
		if (found)
			snprintf(b->by, b->size, "mounted on %s", point);
	}
	free(line);
	fclose(f);
	return found;
}

static bool is_swap(const struct busy *b)
{
	FILE *f = fopen("/proc/swaps", "re");
	char *line = NULL;
	size_t cap = 0;
	bool found = false;

	if (!f)
		return false;
	while (!found && getline(&line, &cap, f) > 0) {
		line[strcspn(line, " \t\n")] = '\0';
		unescape(line);
		found = is_same(b, line);
	}
	if (found)
		snprintf(b->by, b->size, "used as swap");
	free(line);
	fclose(f);
	return found;
}

static bool is_held(const struct busy *b, dev_t number, int depth);

/* A holder is worth naming by what it is used for, if that can be found out. */
static void name_holder(const struct busy *b, const char *holder, int depth)
{
	char path[300], text[32] = "", inner[200];
	unsigned int maj, min;
	struct busy h = { .by = inner, .size = sizeof(inner) };
	FILE *f;

	snprintf(b->by, b->size, "held by %s", holder);
	snprintf(path, sizeof(path), "/sys/class/block/%s/dev", holder);
	f = fopen(path, "re");
	if (!f)
		return;
	if (fgets(text, sizeof(text), f) && sscanf(text, "%u:%u", &maj, &min) == 2) {
		h.st.st_mode = S_IFBLK;
		h.st.st_rdev = makedev(maj, min);
		if (is_mounted(&h) || is_held(&h, h.st.st_rdev, depth + 1))
			snprintf(b->by, b->size, "held by %s, which is %s", holder, inner);
	}
	fclose(f);
}

static bool is_held(const struct busy *b, dev_t number, int depth)
{
	char path[64];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	if (depth > HOLDER_DEPTH)
		return false;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/holders", major(number), minor(number));
	dir = opendir(path);
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		found = true;
		name_holder(b, entry->d_name, depth);
	}
	closedir(dir);
	return found;
}

/* Numbers as the kernel's own interfaces encode them (huge_encode_dev). */
static dev_t decode_dev(uint64_t n)
{
	return makedev((unsigned int)((n >> 8) & 0xfff), (unsigned int)((n & 0xff) | ((n >> 12) & 0xfff00)));
}

static bool is_backing(const struct busy *b, const struct loop_info64 *info)
{
	if (S_ISBLK(b->st.st_mode))
		return info->lo_rdevice && decode_dev(info->lo_rdevice) == b->st.st_rdev;
	return info->lo_inode == b->st.st_ino && decode_dev(info->lo_device) == b->st.st_dev;
}

/* The name of the file under a loop device as sysfs has it; "": none, or no sysfs. */
static void backing_name(const char *name, char *file, int size)
{
	char path[300];
	FILE *f;

	file[0] = '\0';
	snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file", name);
	f = fopen(path, "re");
	if (!f)
		return;
	if (fgets(file, size, f))
		file[strcspn(file, "\n")] = '\0';
	else
		file[0] = '\0';
	fclose(f);
}

/* Does this loop device use the file? Who may not open it goes by the name that sysfs has. */
static bool is_loop_over(const struct busy *b, const char *name, bool sysfs)
{
	char path[300], file[512];
	struct loop_info64 info;
	bool found;
	int fd;

	backing_name(name, file, sizeof(file));
	if (sysfs && !file[0])
		return false;
	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return is_same(b, file);
	found = ioctl(fd, LOOP_GET_STATUS64, &info) == 0 ? is_backing(b, &info) : is_same(b, file);
	close(fd);
	return found;
}

/* Without sysfs the devices themselves are asked. */
static bool is_looped(const struct busy *b)
{
	const bool sysfs = access("/sys/block", R_OK) == 0;
	DIR *dir = opendir(sysfs ? "/sys/block" : "/dev");
	struct dirent *entry;
	bool found = false;

	if (!dir)
		return false;
	while (!found && (entry = readdir(dir))) {
		const char *digits = entry->d_name + 4;

		if (strncmp(entry->d_name, "loop", 4) != 0 || !*digits || digits[strspn(digits, "0123456789")])
			continue;
		found = is_loop_over(b, entry->d_name, sysfs);
		if (found)
			snprintf(b->by, b->size, "loop device /dev/%.100s lies over it", entry->d_name);
	}
	closedir(dir);
	return found;
}

/* The number of a partition inside of the directory of a disk, 0 when the entry is none. */
static dev_t partition_number(int dir, const char *name)
{
	char path[300], text[32];
	unsigned int maj, min;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/partition", name);
	if (name[0] == '.' || faccessat(dir, path, F_OK, 0) < 0)
		return 0;
	snprintf(path, sizeof(path), "%s/dev", name);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return sscanf(text, "%u:%u", &maj, &min) == 2 ? makedev(maj, min) : 0;
}

/* The disk of a partition, when a loop device lies over it. */
static bool is_disk_looped(const struct busy *b)
{
	char path[80], text[32] = "", inner[200];
	struct busy disk = { .by = inner, .size = sizeof(inner), .st.st_mode = S_IFBLK };
	unsigned int maj, min;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/partition", major(b->st.st_rdev), minor(b->st.st_rdev));
	if (access(path, F_OK) < 0)
		return false;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/../dev", major(b->st.st_rdev), minor(b->st.st_rdev));
	f = fopen(path, "re");
	if (!f)
		return false;
	if (fgets(text, sizeof(text), f) && sscanf(text, "%u:%u", &maj, &min) == 2)
		disk.st.st_rdev = makedev(maj, min);
	fclose(f);
	if (!disk.st.st_rdev || !is_looped(&disk))
		return false;
	snprintf(b->by, b->size, "its disk is in use: %s", inner);
	return true;
}

static bool is_partition_used(const struct busy *b)
{
	char path[64], inner[200];
	struct busy p = { .by = inner, .size = sizeof(inner), .st.st_mode = S_IFBLK };
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(b->st.st_rdev), minor(b->st.st_rdev));
	dir = opendir(path);
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir))) {
		p.st.st_rdev = partition_number(dirfd(dir), entry->d_name);
		if (!p.st.st_rdev)
			continue;
		found = is_mounted(&p) || is_swap(&p) || is_held(&p, p.st.st_rdev, 0) || is_looped(&p);
		if (found)
			snprintf(b->by, b->size, "its partition %.60s is %s", entry->d_name, inner);
	}
	closedir(dir);
	return found;
}

int xx_device_in_use(const char *path, char *by, size_t size)
{
	struct busy b = { .by = by, .size = size };

	if (stat(path, &b.st) < 0)
		return -errno;
	if (size)
		by[0] = '\0';
	if (S_ISBLK(b.st.st_mode))
		return is_mounted(&b) || is_swap(&b) || is_held(&b, b.st.st_rdev, 0) || is_partition_used(&b) ||
		       is_looped(&b) || is_disk_looped(&b);
	if (S_ISREG(b.st.st_mode))
		return is_swap(&b) || is_looped(&b);
	return 0;
}
