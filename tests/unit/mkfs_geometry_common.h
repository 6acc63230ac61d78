/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of geometry policy share: a case is a command line and a topology; its outcome a geometry, or a
 * refusal, and the messages that were made.
 */
#ifndef MKFS_GEOMETRY_COMMON_H
#define MKFS_GEOMETRY_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xx/xfs_geometry.h>

#include "mkfs/topology.h"

struct outcome {
	int error;
	struct xx_xfs_geometry geo;
	unsigned errors, warnings;
	char text[2048]; /* all messages, one a line */
};

/* Runs the parser and policy on the words of @args; the data device is /dev/data unless the words name one. */
void decide(const char *args, const struct mkfs_topology *topo, struct outcome *out);

/* A block device of @size bytes with sectors of 512 bytes that says nothing of stripes. */
struct mkfs_topology plain_disk(uint64_t size);

/* "300m" as bytes; "-" is 0. */
uint64_t size_of(const char *text);

/* The numbers of a geometry that mkfs.xfs prints, in the order of mkfs_geometry_facts.h. */
void numbers_of(const struct xx_xfs_geometry *geo, char *buf, size_t size);

#endif
