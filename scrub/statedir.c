/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statedir.c - the directory of records; files that are replaced as a whole; locks.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xx/context.h>

#include "scrub/statedir.h"

#define READ_MAX  ((size_t)256 << 20) /* bytes; a record that large is none */
#define NAME_TEXT 64

/* The path, allocated; NULL: no memory, or errno is 0 and there is no home. */
static char *state_path(void)
{
	const char *set = getenv("XX_STATE_DIR"), *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *path = NULL;
	int ret;

	if (set && *set)
		ret = asprintf(&path, "%s/scrub", set);
	else if (geteuid() == 0)
		ret = asprintf(&path, "/var/lib/xx/scrub");
	else if (xdg && *xdg == '/')
		ret = asprintf(&path, "%s/xx/scrub", xdg);
	else
		ret = asprintf(&path, "%s/.local/state/xx/scrub", home && *home ? home : "");
	return ret < 0 ? NULL : path;
}

/* Makes @path and what leads to it. */
static int make_directories(char *path)
{
	for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
		int ret;

		if (slash)
			*slash = '\0';
		ret = mkdir(path, slash ? 0755 : 0700) != 0 && errno != EEXIST ? -errno : 0;
		if (slash)
			*slash = '/';
		if (ret || !slash)
			return ret;
	}
}

int scrub_statedir_open(struct xx_ctx *ctx, bool create, struct scrub_statedir *out)
{
	int ret = 0;

	*out = (struct scrub_statedir){ .fd = -1, .path = state_path() };
	if (!out->path) {
		xx_error(ctx, "Out of memory.");
		return -ENOMEM;
	}
	if (create)
		ret = make_directories(out->path);
	if (ret == 0) {
		out->fd = open(out->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		ret = out->fd < 0 ? -errno : 0;
	}
	if (ret && (create || ret != -ENOENT))
		xx_error(ctx, "%s: %s; records of scrubs are kept there. Set XX_STATE_DIR to keep them elsewhere.",
			 out->path, strerror(-ret));
	return ret;
}

void scrub_statedir_close(struct scrub_statedir *dir)
{
	if (dir->fd >= 0)
		close(dir->fd);
	free(dir->path);
	*dir = (struct scrub_statedir){ .fd = -1 };
}

static int read_all(int fd, char **text, size_t *length)
{
	struct stat st;
	size_t size, done = 0;
	ssize_t got;
	char *buf;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if ((uint64_t)st.st_size > READ_MAX)
		return -EFBIG;
	size = (size_t)st.st_size;
	buf = malloc(size + 1);
	if (!buf)
		return -ENOMEM;
	while (done < size && (got = read(fd, buf + done, size - done)) != 0) {
		if (got < 0 && errno != EINTR) {
			int err = -errno;

			free(buf);
			return err;
		}
		done += got > 0 ? (size_t)got : 0;
	}
	buf[done] = '\0';
	*text = buf;
	*length = done;
	return 0;
}

int scrub_statedir_read(const struct scrub_statedir *dir, const char *name, char **text, size_t *length)
{
	int fd = openat(dir->fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), ret;

	if (fd < 0)
		return -errno;
	ret = read_all(fd, text, length);
	close(fd);
	return ret;
}

static int write_all(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t put = write(fd, text, length);

		if (put < 0 && errno != EINTR)
			return -errno;
		if (put > 0) {
			text += put;
			length -= (size_t)put;
		}
	}
	return fdatasync(fd) != 0 ? -errno : 0;
}

int scrub_statedir_write(const struct scrub_statedir *dir, const char *name, const char *text, size_t length)
{
	char temporary[NAME_TEXT];
	int fd, ret;

	snprintf(temporary, sizeof(temporary), "%s.new", name);
	fd = openat(dir->fd, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	ret = write_all(fd, text, length);
	if (close(fd) != 0 && ret == 0)
		ret = -errno;
	if (ret == 0 && renameat(dir->fd, temporary, dir->fd, name) != 0)
		ret = -errno;
	if (ret)
		unlinkat(dir->fd, temporary, 0);
	return ret;
}

/* --- Locks --- */

static int open_lock(const struct scrub_statedir *dir, const char *fsid, int flags)
{
	char name[NAME_TEXT];
	int fd;

	snprintf(name, sizeof(name), "%s.lock", fsid);
	fd = openat(dir->fd, name, flags | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

/* 1: somebody has it. */
static int ask(int fd, pid_t *holder)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_GETLK, &lock) != 0)
		return -errno;
	*holder = lock.l_type != F_UNLCK && lock.l_pid > 0 ? lock.l_pid : 0;
	return lock.l_type != F_UNLCK;
}

int scrub_lock_take(const struct scrub_statedir *dir, const char *fsid, int *out, pid_t *holder)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open_lock(dir, fsid, O_RDWR | O_CREAT), ret;

	*out = -1;
	*holder = 0;
	if (fd < 0)
		return fd;
	if (fcntl(fd, F_SETLK, &lock) == 0) {
		*out = fd;
		return 0;
	}
	ret = errno == EACCES || errno == EAGAIN ? -EBUSY : -errno;
	if (ret == -EBUSY && ask(fd, holder) < 0)
		*holder = 0;
	close(fd);
	return ret;
}

int scrub_lock_holder(const struct scrub_statedir *dir, const char *fsid, pid_t *holder)
{
	int fd = open_lock(dir, fsid, O_RDONLY), ret;

	*holder = 0;
	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return fd;
	ret = ask(fd, holder);
	close(fd);
	return ret;
}

int scrub_lock_wait(const struct scrub_statedir *dir, const char *fsid)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	int fd = open_lock(dir, fsid, O_RDONLY), ret = 0;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	while (fcntl(fd, F_SETLKW, &lock) != 0 && ret == 0)
		ret = errno == EINTR ? 0 : -errno;
	close(fd);
	return ret;
}
