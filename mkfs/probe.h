/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is on a device before a file system is made there: signatures, where they lie, an old XFS, the topology.
 * Everything that mkfs ever reads is read here.
 */
#ifndef MKFS_PROBE_H
#define MKFS_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/xfs_old.h>
#include "mkfs/topology.h"

struct xx_ctx;

/* The parts at both ends that are zeroed whatever lies there: where nearly all formats have their signatures. */
#define MKFS_END_BYTES (128u * 1024)

/* Of what kind an old signature is. */
enum mkfs_kind {
	MKFS_KIND_FILESYSTEM,
	MKFS_KIND_TABLE, /* a partition table */
	MKFS_KIND_RAID, /* a member of a RAID or a volume group */
	MKFS_KIND_CRYPTO,
	MKFS_KIND_OTHER,
};

/* A place that is to be zeroed. */
struct mkfs_place {
	uint64_t offset, bytes;
};

/* Zeroed it is the result for an empty device. Freed by mkfs_probe_release(). */
struct mkfs_probe {
	bool found; /* a signature; kind and type are of the first one */
	enum mkfs_kind kind;
	char type[32]; /* as libblkid names it, such as "ext4" */
	bool failed; /* it could not be read well enough to tell */
	bool head_used, tail_used; /* the first or the last MKFS_END_BYTES are not all zeros */
	struct mkfs_place *place; /* every place where a signature was found */
	size_t places;
	bool has_old; /* a former XFS, in old */
	struct xx_xfs_old old;
};

/*
 * Looks at an open block device or file of @size bytes; @fd must not be O_DIRECT. 0 or -ENOMEM: what cannot be read
 * is no error here (@probe->failed).
 */
int mkfs_probe_signatures(int fd, uint64_t size, struct mkfs_probe *probe) __attribute__((warn_unused_result));

/* True: nothing was ever written there, so it reads as zeros. A block device cannot tell. */
bool mkfs_probe_is_hole(int fd, uint64_t offset, uint64_t bytes);

/* The topology of a block device: sectors and I/O sizes of @volume, 0 where libblkid does not know. */
void mkfs_probe_topology(int fd, struct mkfs_volume *volume);

/*
 * May a file system be made over it? 0, or -EEXIST with a message that names what is there; always 0 with @force.
 * @name: the device, for the message.
 */
int mkfs_probe_allow(struct xx_ctx *ctx, const struct mkfs_probe *probe, const char *name, bool force)
	__attribute__((warn_unused_result));

void mkfs_probe_release(struct mkfs_probe *probe);

#endif
