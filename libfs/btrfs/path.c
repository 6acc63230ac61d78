/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path.c - from inodes and subvolumes to their names.
 *
 * A path is put together from its end: each directory has one name, in one directory. Directories that contain themselves
 * are met on damaged file systems only; the number of steps has a limit.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xx/btrfs_path.h>

#include "btrfs/fs.h"

#define TOP_DIRECTORY  BTRFS_FIRST_FREE_OBJECTID /* of each subvolume */
#define STEPS_MAX      8192 /* directories above each other */
#define NESTING_MAX    256 /* subvolumes within each other */
#define REMEMBERED_MAX 16384 /* directories */

struct directory {
	uint64_t subvolume, inode;
	char *path;
};

struct subvolume {
	uint64_t id;
	char *path;
};

struct xx_btrfs_pather {
	struct xx_btrfs_fs *fs;
	struct xx_btrfs_iter *names; /* of the inode that is asked for */
	struct xx_btrfs_iter *up; /* of the directories above, and of subvolumes */
	struct directory *directories; /* in the order of subvolume, inode */
	size_t directory_count, directory_room;
	struct subvolume *subvolumes; /* in no order */
	size_t subvolume_count, subvolume_room;
};

int xx_btrfs_pather_create(struct xx_btrfs_fs *fs, struct xx_btrfs_pather **out)
{
	struct xx_btrfs_pather *pather = calloc(1, sizeof(*pather));
	int ret;

	if (!pather)
		return -ENOMEM;
	pather->fs = fs;
	ret = xx_btrfs_iter_create(xx_btrfs_fs_reader(fs), NULL, NULL, &pather->names);
	if (ret == 0)
		ret = xx_btrfs_iter_create(xx_btrfs_fs_reader(fs), NULL, NULL, &pather->up);
	if (ret) {
		xx_btrfs_pather_destroy(pather);
		return ret;
	}
	*out = pather;
	return 0;
}

static void forget_directories(struct xx_btrfs_pather *pather)
{
	for (size_t i = 0; i < pather->directory_count; i++)
		free(pather->directories[i].path);
	pather->directory_count = 0;
}

void xx_btrfs_pather_destroy(struct xx_btrfs_pather *pather)
{
	if (!pather)
		return;
	forget_directories(pather);
	free(pather->directories);
	for (size_t i = 0; i < pather->subvolume_count; i++)
		free(pather->subvolumes[i].path);
	free(pather->subvolumes);
	xx_btrfs_iter_destroy(pather->names);
	xx_btrfs_iter_destroy(pather->up);
	free(pather);
}

/* --- Names of an inode --- */

/* A walk over the names of one inode in one tree. */
struct name_walk {
	struct xx_btrfs_iter *iter;
	uint64_t dead;
	bool has_item;
	struct xx_btrfs_item item;
	uint32_t pos;
};

static void names_begin(struct name_walk *walk, struct xx_btrfs_iter *iter, const struct xx_btrfs_root *root,
			uint64_t inode)
{
	const struct xx_btrfs_key first = { inode, BTRFS_INODE_REF_KEY, 0 };
	const struct xx_btrfs_key last = { inode, BTRFS_INODE_EXTREF_KEY, UINT64_MAX };

	*walk = (struct name_walk){ .iter = iter, .dead = xx_btrfs_iter_lost(iter) };
	xx_btrfs_iter_seek(iter, root, &first, &last);
}

/* 1 with a name; 0 at the end; -EIO at the end, when names may stand in a dead block; -EUCLEAN; -ENOMEM. */
static int names_next(struct name_walk *walk, struct xx_btrfs_name *name)
{
	int ret;

	for (;;) {
		if (!walk->has_item) {
			ret = xx_btrfs_iter_next(walk->iter, &walk->item);
			if (ret == 0 && xx_btrfs_iter_lost(walk->iter) != walk->dead)
				return -EIO;
			if (ret <= 0)
				return ret;
			walk->has_item = true;
			walk->pos = 0;
		}
		if (walk->item.key.type == BTRFS_INODE_REF_KEY)
			ret = xx_btrfs_inode_ref_next(&walk->item, &walk->pos, name);
		else
			ret = xx_btrfs_inode_extref_next(&walk->item, &walk->pos, name);
		if (ret != 0)
			return ret;
		walk->has_item = false;
	}
}

/* The tree of a subvolume, or its log: where else an inode may have its names that the tree does not have yet. */
static int tree_of(struct xx_btrfs_pather *pather, uint64_t subvolume, bool log, struct xx_btrfs_root *out)
{
	const struct xx_btrfs_root *root = xx_btrfs_log_root(xx_btrfs_fs_log(pather->fs), subvolume);
	struct xx_btrfs_root_info info;
	int ret;

	if (log) {
		if (root)
			*out = *root;
		return root ? 0 : -ENOENT;
	}
	ret = xx_btrfs_fs_root(pather->fs, subvolume, &info);
	*out = info.root;
	return ret;
}

/* The one name of a directory. */
static int directory_name(struct xx_btrfs_pather *pather, uint64_t subvolume, uint64_t inode,
			  struct xx_btrfs_name *name)
{
	int ret = -ENOENT;

	for (int log = 0; log < 2; log++) {
		struct xx_btrfs_root root;
		struct name_walk walk;
		int found = tree_of(pather, subvolume, log, &root);

		if (found == 0) {
			names_begin(&walk, pather->up, &root, inode);
			found = names_next(&walk, name) ?: -ENOENT;
		}
		if (found == 1)
			return 0;
		if (log == 0 || found != -ENOENT)
			ret = found;
	}
	return ret;
}

/* --- Paths of directories --- */

/* A string that grows to the front. */
struct back {
	char *text;
	size_t room, start; /* the text begins at start and ends at room */
};

static int back_put(struct back *back, const char *text, size_t length)
{
	const size_t used = back->room - back->start;
	size_t room = back->room ? back->room : 256;
	char *grown;

	if (used + length > XX_BTRFS_PATH_MAX)
		return -ENAMETOOLONG;
	while (room - used < length)
		room *= 2;
	if (room != back->room) {
		grown = malloc(room);
		if (!grown)
			return -ENOMEM;
		if (used)
			memcpy(grown + room - used, back->text + back->start, used);
		free(back->text);
		*back = (struct back){ grown, room, room - used };
	}
	back->start -= length;
	memcpy(back->text + back->start, text, length);
	return 0;
}

static char *back_string(const struct back *back)
{
	const size_t used = back->room - back->start;
	char *text = malloc(used + 1);

	if (!text)
		return NULL;
	if (used)
		memcpy(text, back->text + back->start, used);
	text[used] = '\0';
	return text;
}

/* Names from a directory up to the top of its subvolume, each with a slash behind it. */
static int climb(struct xx_btrfs_pather *pather, uint64_t subvolume, uint64_t inode, struct back *back)
{
	struct xx_btrfs_name name;

	for (unsigned steps = 0; inode != TOP_DIRECTORY; steps++) {
		int ret = steps < STEPS_MAX ? directory_name(pather, subvolume, inode, &name) : -EUCLEAN;

		if (ret == 0)
			ret = back_put(back, "/", 1);
		if (ret == 0)
			ret = back_put(back, name.name, name.length);
		if (ret)
			return ret;
		inode = name.parent;
	}
	return 0;
}

static size_t directory_slot(const struct xx_btrfs_pather *pather, uint64_t subvolume, uint64_t inode)
{
	size_t low = 0, high = pather->directory_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct directory *dir = &pather->directories[middle];

		if (dir->subvolume < subvolume || (dir->subvolume == subvolume && dir->inode < inode))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int remember_directory(struct xx_btrfs_pather *pather, const struct directory *dir)
{
	size_t slot;
	int ret;

	if (pather->directory_count >= REMEMBERED_MAX)
		forget_directories(pather);
	slot = directory_slot(pather, dir->subvolume, dir->inode);
	ret = xx_btrfs_grow(&pather->directories, pather->directory_count, &pather->directory_room,
			    sizeof(*pather->directories));
	if (ret)
		return ret;
	memmove(&pather->directories[slot + 1], &pather->directories[slot],
		(pather->directory_count - slot) * sizeof(*pather->directories));
	pather->directories[slot] = *dir;
	pather->directory_count++;
	return 0;
}

/* The path of a directory within its subvolume: "" for the top, else with a slash at the end. Valid until the next call. */
static int directory_path(struct xx_btrfs_pather *pather, uint64_t subvolume, uint64_t inode, const char **out)
{
	const size_t slot = directory_slot(pather, subvolume, inode);
	struct directory dir = { subvolume, inode, NULL };
	struct back back = { 0 };
	int ret;

	if (slot < pather->directory_count && pather->directories[slot].subvolume == subvolume &&
	    pather->directories[slot].inode == inode) {
		*out = pather->directories[slot].path;
		return 0;
	}
	ret = climb(pather, subvolume, inode, &back);
	if (ret == 0)
		dir.path = back_string(&back);
	free(back.text);
	if (ret)
		return ret;
	ret = dir.path ? remember_directory(pather, &dir) : -ENOMEM;
	if (ret)
		free(dir.path);
	*out = dir.path;
	return ret;
}

/* --- Paths of subvolumes --- */

/* Where a subvolume is mentioned: its parent tree, the directory and the name there. */
struct mention {
	uint64_t parent, directory;
	char name[BTRFS_NAME_LEN + 1];
};

static int find_mention(struct xx_btrfs_pather *pather, uint64_t id, struct mention *out)
{
	const struct xx_btrfs_key first = { id, BTRFS_ROOT_BACKREF_KEY, 0 };
	const struct xx_btrfs_key last = { id, BTRFS_ROOT_BACKREF_KEY, UINT64_MAX };
	struct xx_btrfs_root_info roots;
	struct xx_btrfs_name name;
	struct xx_btrfs_item item;
	int ret = xx_btrfs_fs_root(pather->fs, BTRFS_ROOT_TREE_OBJECTID, &roots);

	if (ret)
		return ret;
	xx_btrfs_iter_seek(pather->up, &roots.root, &first, &last);
	ret = xx_btrfs_iter_next(pather->up, &item);
	if (ret <= 0)
		return ret ?: -ENOENT;
	ret = xx_btrfs_root_ref_parse(&item, &name);
	if (ret)
		return ret;
	out->parent = item.key.offset;
	out->directory = name.parent;
	memcpy(out->name, name.name, name.length);
	out->name[name.length] = '\0';
	return 0;
}

static int find_subvolume(struct xx_btrfs_pather *pather, uint64_t id, unsigned nesting, const char **out);

/* The path of a subvolume that has a name, to be freed. */
static int make_path(struct xx_btrfs_pather *pather, uint64_t id, unsigned nesting, char **out)
{
	const char *above, *directory;
	struct mention mention;
	int ret = nesting < NESTING_MAX ? find_mention(pather, id, &mention) : -EUCLEAN;

	if (ret == 0)
		ret = find_subvolume(pather, mention.parent, nesting + 1, &above);
	if (ret == 0)
		ret = directory_path(pather, mention.parent, mention.directory, &directory);
	if (ret)
		return ret;
	if (strlen(above) + strlen(directory) > XX_BTRFS_PATH_MAX)
		return -ENAMETOOLONG;
	if (asprintf(out, "%s%s%s%s", above, *above ? "/" : "", directory, mention.name) < 0)
		return -ENOMEM;
	return 0;
}

static int find_subvolume(struct xx_btrfs_pather *pather, uint64_t id, unsigned nesting, const char **out)
{
	struct subvolume subvolume = { .id = id };
	int ret;

	for (size_t i = 0; i < pather->subvolume_count; i++) {
		*out = pather->subvolumes[i].path;
		if (pather->subvolumes[i].id == id)
			return 0;
	}
	if (id == BTRFS_FS_TREE_OBJECTID) {
		subvolume.path = strdup("");
		ret = subvolume.path ? 0 : -ENOMEM;
	} else {
		ret = make_path(pather, id, nesting, &subvolume.path);
	}
	if (ret && ret != -ENOMEM)
		ret = asprintf(&subvolume.path, "<tree %llu>", (unsigned long long)id) < 0 ? -ENOMEM : 0;
	if (ret)
		return ret;
	ret = xx_btrfs_grow(&pather->subvolumes, pather->subvolume_count, &pather->subvolume_room,
			    sizeof(*pather->subvolumes));
	if (ret) {
		free(subvolume.path);
		return ret;
	}
	pather->subvolumes[pather->subvolume_count++] = subvolume;
	*out = subvolume.path;
	return 0;
}

int xx_btrfs_subvolume_path(struct xx_btrfs_pather *pather, uint64_t subvolume, const char **out)
{
	return find_subvolume(pather, subvolume, 0, out);
}

/* --- Paths of inodes --- */

struct path_call {
	struct xx_btrfs_pather *pather;
	uint64_t subvolume;
	const char *subvolume_path;
	xx_btrfs_path_fn fn;
	void *private;
	size_t told;
	bool stopped;
};

static int tell(struct path_call *call, const struct xx_btrfs_name *name)
{
	const char *directory;
	char *path;
	int ret = directory_path(call->pather, call->subvolume, name->parent, &directory);

	if (ret)
		return ret;
	if (asprintf(&path, "%s%.*s", directory, (int)name->length, name->name) < 0)
		return -ENOMEM;
	call->told++;
	ret = call->fn(call->private, call->subvolume_path, path);
	call->stopped = ret != 0;
	free(path);
	return ret;
}

/* All names that one tree has. The first error is kept, and the rest told all the same. */
static int tell_all(struct path_call *call, const struct xx_btrfs_root *root, uint64_t inode)
{
	struct xx_btrfs_name name;
	struct name_walk walk;
	int error = 0, ret;

	names_begin(&walk, call->pather->names, root, inode);
	while ((ret = names_next(&walk, &name)) > 0) {
		ret = tell(call, &name);
		if (ret == -ENOMEM || call->stopped)
			return ret;
		error = error ?: ret;
	}
	return error ?: ret;
}

int xx_btrfs_paths(struct xx_btrfs_pather *pather, uint64_t subvolume, uint64_t inode, xx_btrfs_path_fn fn,
		   void *private)
{
	struct path_call call = { .pather = pather, .subvolume = subvolume, .fn = fn, .private = private };
	int ret = xx_btrfs_subvolume_path(pather, subvolume, &call.subvolume_path);

	if (ret)
		return ret;
	if (inode == TOP_DIRECTORY)
		return fn(private, call.subvolume_path, "");
	for (int log = 0; log < 2 && ret == 0 && call.told == 0; log++) {
		struct xx_btrfs_root root;

		ret = tree_of(pather, subvolume, log, &root);
		if (ret == 0)
			ret = tell_all(&call, &root, inode);
		else if (ret == -ENOENT)
			ret = 0;
	}
	return ret ?: call.told ? 0 : -ENOENT;
}
