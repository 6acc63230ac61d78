/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filelist.c - the list of damaged files.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scrub/filelist.h"
#include "scrub/text.h"

struct scrub_filelist {
	FILE *out;
	uint64_t flushed; /* bytes */
	bool dirty;
};

#define NAME_TEXT 64

static void list_name(char name[NAME_TEXT], const char *fsid)
{
	snprintf(name, NAME_TEXT, "%s.files", fsid);
}

int scrub_filelist_open(const struct scrub_statedir *dir, const char *fsid, uint64_t length,
			struct scrub_filelist **out)
{
	struct scrub_filelist *files;
	char name[NAME_TEXT];
	struct stat st;
	int fd, ret;

	list_name(name, fsid);
	fd = openat(dir->fd, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);
	if (fd < 0)
		return -errno;
	ret = fstat(fd, &st) != 0 ? -errno : (uint64_t)st.st_size < length ? -EBADMSG : 0;
	if (ret == 0 && ftruncate(fd, (off_t)length) != 0)
		ret = -errno;
	files = ret == 0 ? calloc(1, sizeof(*files)) : NULL;
	if (files)
		files->out = fdopen(fd, "a");
	if (!files || !files->out) {
		close(fd);
		free(files);
		return ret ? ret : -ENOMEM;
	}
	files->flushed = length;
	*out = files;
	return 0;
}

void scrub_filelist_close(struct scrub_filelist *files)
{
	if (!files)
		return;
	fclose(files->out);
	free(files);
}

void scrub_filelist_add(struct scrub_filelist *files, const struct scrub_file *file)
{
	FILE *out = files->out;

	fprintf(out, "%s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " /",
		scrub_state_name(file->state), scrub_kind_name(file->kind), file->subvolume_id, file->inode,
		file->offset, file->length, file->logical);
	scrub_text_escape(out, file->subvolume);
	fputs(file->path ? " /" : " -", out);
	if (file->path)
		scrub_text_escape(out, file->path);
	fputc('\n', out);
	files->dirty = true;
}

int scrub_filelist_flush(struct scrub_filelist *files, uint64_t *length)
{
	struct stat st;
	int fd = fileno(files->out);

	*length = files->flushed;
	if (!files->dirty)
		return 0;
	if (fflush(files->out) != 0 || fdatasync(fd) != 0 || fstat(fd, &st) != 0)
		return -errno;
	if (ferror(files->out))
		return -EIO;
	files->dirty = false;
	*length = files->flushed = (uint64_t)st.st_size;
	return 0;
}

static int find_state(const char *name, enum scrub_state *out)
{
	for (unsigned state = 0; name && state < SCRUB_STATES; state++) {
		if (strcmp(name, scrub_state_name(state)) == 0) {
			*out = state;
			return 0;
		}
	}
	return -EBADMSG;
}

static int find_kind(const char *name, enum scrub_kind *out)
{
	for (unsigned kind = 0; name && kind < SCRUB_KINDS; kind++) {
		if (strcmp(name, scrub_kind_name(kind)) == 0) {
			*out = kind;
			return 0;
		}
	}
	return -EBADMSG;
}

int scrub_filelist_parse(char *line, struct scrub_file *file)
{
	uint64_t *const numbers[] = { &file->subvolume_id, &file->inode, &file->offset, &file->length, &file->logical };
	char *subvolume, *path;

	*file = (struct scrub_file){ 0 };
	if (find_state(strsep(&line, " "), &file->state) != 0 || find_kind(strsep(&line, " "), &file->kind) != 0)
		return -EBADMSG;
	for (size_t i = 0; i < XX_ARRAY_SIZE(numbers); i++) {
		const char *word = strsep(&line, " ");

		if (!word || scrub_text_number(word, numbers[i]) != 0)
			return -EBADMSG;
	}
	subvolume = strsep(&line, " ");
	path = strsep(&line, " ");
	if (!subvolume || *subvolume != '/' || !path || line || scrub_text_unescape(subvolume + 1) != 0)
		return -EBADMSG;
	file->subvolume = subvolume + 1;
	if (strcmp(path, "-") == 0)
		return 0;
	if (*path != '/' || scrub_text_unescape(path + 1) != 0)
		return -EBADMSG;
	file->path = path + 1;
	return 0;
}

static int each_line(FILE *in, uint64_t length, void (*fn)(void *private, const struct scrub_file *file), void *private)
{
	char *line = NULL;
	size_t room = 0;
	int ret = 0;

	while (ret == 0 && length) {
		ssize_t got = getline(&line, &room, in);
		struct scrub_file file;

		if (got <= 0 || (uint64_t)got > length || line[got - 1] != '\n') {
			ret = -EBADMSG;
			break;
		}
		length -= (uint64_t)got;
		line[got - 1] = '\0';
		ret = strlen(line) == (size_t)got - 1 ? scrub_filelist_parse(line, &file) : -EBADMSG;
		if (ret == 0)
			fn(private, &file);
	}
	free(line);
	return ret;
}

int scrub_filelist_each(const struct scrub_statedir *dir, const char *fsid, uint64_t length,
			void (*fn)(void *private, const struct scrub_file *file), void *private)
{
	char name[NAME_TEXT];
	FILE *in;
	int fd, ret;

	if (length == 0)
		return 0;
	list_name(name, fsid);
	fd = openat(dir->fd, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	in = fdopen(fd, "r");
	if (!in) {
		close(fd);
		return -ENOMEM;
	}
	ret = each_line(in, length, fn, private);
	fclose(in);
	return ret;
}

char *scrub_filelist_path(const struct scrub_file *file)
{
	char *path = NULL;
	int ret;

	if (!file->path)
		ret = asprintf(&path, "<inode %" PRIu64 " of subvolume %" PRIu64 "%s%s>", file->inode,
			       file->subvolume_id, *file->subvolume ? " " : "", file->subvolume);
	else
		ret = asprintf(&path, "%s%s%s", file->subvolume, *file->subvolume ? "/" : "", file->path);
	return ret < 0 ? NULL : path;
}

static void show_escaped(FILE *out, const char *text)
{
	static const char special[] = "\n\t\\", letters[] = "nt\\";

	for (; *text; text++) {
		const char *at = strchr(special, *text);

		if (at)
			fprintf(out, "\\%c", letters[at - special]);
		else
			fputc(*text, out);
	}
}

void scrub_filelist_show(FILE *out, const struct scrub_file *file, bool nul)
{
	char *path = scrub_filelist_path(file);

	fprintf(out, "%s\t%" PRIu64 "\t%" PRIu64 "\t", scrub_state_name(file->state), file->offset, file->length);
	if (nul)
		fputs(path ? path : "", out);
	else
		show_escaped(out, path ? path : "");
	fputc(nul ? '\0' : '\n', out);
	free(path);
}
