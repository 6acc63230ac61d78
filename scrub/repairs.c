/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repairs.c - notes of what is about to be repaired.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scrub/repairs.h"
#include "scrub/text.h"

#define NAME_TEXT 64

static void notes_name(char name[NAME_TEXT], const char *fsid)
{
	snprintf(name, NAME_TEXT, "%s.repairs", fsid);
}

int scrub_repairs_note(const struct scrub_statedir *dir, const char *fsid, const struct scrub_intent *intents,
		       size_t count)
{
	char name[NAME_TEXT];
	FILE *out;
	int fd, ret = 0;

	notes_name(name, fsid);
	fd = openat(dir->fd, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);
	if (fd < 0)
		return -errno;
	out = fdopen(fd, "a");
	if (!out) {
		close(fd);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %s %d\n", intents[i].devid, intents[i].physical,
			intents[i].length, scrub_kind_name(intents[i].kind), intents[i].is_tree);
	if (fflush(out) != 0 || fdatasync(fd) != 0)
		ret = -errno;
	if (fclose(out) != 0 && ret == 0)
		ret = -errno;
	return ret;
}

static int parse_line(char *line, struct scrub_intent *intent)
{
	uint64_t *const numbers[] = { &intent->devid, &intent->physical, &intent->length };
	const char *word;

	for (size_t i = 0; i < XX_ARRAY_SIZE(numbers); i++) {
		word = strsep(&line, " ");
		if (!word || scrub_text_number(word, numbers[i]) != 0)
			return -EBADMSG;
	}
	word = strsep(&line, " ");
	for (intent->kind = 0; word && intent->kind < SCRUB_KINDS; intent->kind++) {
		if (strcmp(word, scrub_kind_name(intent->kind)) == 0)
			break;
	}
	word = word ? strsep(&line, " ") : NULL;
	if (!word || intent->kind == SCRUB_KINDS || line || word[0] < '0' || word[0] > '1' || word[1])
		return -EBADMSG;
	intent->is_tree = word[0] == '1';
	return 0;
}

int scrub_repairs_parse(char *text, struct scrub_intent **intents, size_t *count)
{
	size_t lines = 0;

	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	*count = 0;
	*intents = calloc(lines ? lines : 1, sizeof(**intents));
	if (!*intents)
		return -ENOMEM;
	while (*count < lines && parse_line(strsep(&text, "\n"), &(*intents)[*count]) == 0)
		++*count;
	return 0;
}

int scrub_repairs_read(const struct scrub_statedir *dir, const char *fsid, struct scrub_intent **intents, size_t *count)
{
	char name[NAME_TEXT], *text;
	size_t length;
	int ret;

	*intents = NULL;
	*count = 0;
	notes_name(name, fsid);
	ret = scrub_statedir_read(dir, name, &text, &length);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	ret = scrub_repairs_parse(text, intents, count);
	free(text);
	return ret;
}

void scrub_repairs_forget(const struct scrub_statedir *dir, const char *fsid)
{
	char name[NAME_TEXT];

	notes_name(name, fsid);
	unlinkat(dir->fd, name, 0);
}
