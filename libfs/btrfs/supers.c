/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * supers.c - the copies of the superblock on one device: read together, and judged among each other.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xx/btrfs_super.h>
#include <xx/device.h>
#include <xx/ring.h>

uint64_t xx_btrfs_super_offset(unsigned copy)
{
	return copy == 0 ? UINT64_C(65536) : UINT64_C(16384) << (12 * copy);
}

/* The kernel neither writes nor reads one that ends just where the device does. */
unsigned xx_btrfs_super_count(uint64_t device_size)
{
	unsigned count = 0;

	while (count < BTRFS_SUPER_MIRROR_MAX && xx_btrfs_super_offset(count) + BTRFS_SUPER_INFO_SIZE < device_size)
		count++;
	return count;
}

static void judge(struct xx_btrfs_super_check *check, enum xx_btrfs_super_fault fault, int error, const char *text)
{
	*check = (struct xx_btrfs_super_check){ .fault = fault, .error = error };
	snprintf(check->text, sizeof(check->text), "%s", text);
}

static bool same_device(const struct xx_btrfs_super *a, const struct xx_btrfs_super *b)
{
	return a->devid == b->devid && memcmp(a->fsid, b->fsid, sizeof(a->fsid)) == 0 &&
	       memcmp(a->dev_uuid, b->dev_uuid, sizeof(a->dev_uuid)) == 0;
}

/* Of the copies that are of the same device as @first the one of the highest generation, the first of several. */
static int newest(const struct xx_btrfs_supers *supers, unsigned first)
{
	unsigned best = first;

	for (unsigned i = first + 1; i < supers->count; i++) {
		if (supers->check[i].fault == XX_BTRFS_SUPER_GOOD &&
		    same_device(&supers->super[i], &supers->super[first]) &&
		    supers->super[i].generation > supers->super[best].generation)
			best = i;
	}
	return (int)best;
}

void xx_btrfs_supers_choose(struct xx_btrfs_supers *supers)
{
	const struct xx_btrfs_super *best;
	unsigned first = 0;
	unsigned count;

	while (first < supers->count && supers->check[first].fault != XX_BTRFS_SUPER_GOOD)
		first++;
	supers->best = first < supers->count ? newest(supers, first) : -1;
	if (supers->best < 0)
		return;
	best = &supers->super[supers->best];
	/* where the file system is smaller than its device, what lies beyond it is nobody's */
	count = xx_btrfs_super_count(best->dev_total_bytes);
	for (unsigned i = 0; i < supers->count; i++) {
		if ((int)i == supers->best)
			continue;
		if (i >= count)
			judge(&supers->check[i], XX_BTRFS_SUPER_ABSENT, 0, "");
		else if (supers->check[i].fault != XX_BTRFS_SUPER_GOOD)
			continue;
		else if (!same_device(&supers->super[i], best))
			judge(&supers->check[i], XX_BTRFS_SUPER_FOREIGN, -EUCLEAN,
			      "it is that of another file system or device");
		else if (supers->super[i].generation < best->generation)
			judge(&supers->check[i], XX_BTRFS_SUPER_STALE, -EUCLEAN,
			      "its generation is lower than that of another copy");
	}
}

/* Why none is good, in one number. */
static int none_good(const struct xx_btrfs_supers *supers)
{
	int err = -ENOENT;

	for (unsigned i = 0; i < supers->count; i++) {
		const struct xx_btrfs_super_check *check = &supers->check[i];

		if (check->fault == XX_BTRFS_SUPER_UNSUPPORTED || check->fault == XX_BTRFS_SUPER_CSUM_TYPE)
			return check->error;
		if (check->fault == XX_BTRFS_SUPER_UNREADABLE && err == -ENOENT)
			err = check->error;
		else if (check->fault != XX_BTRFS_SUPER_UNREADABLE && check->fault != XX_BTRFS_SUPER_NO_MAGIC)
			err = -EUCLEAN;
	}
	return err;
}

/* The reads of all copies, in memory of their own: after an error of the ring itself it may not be freed. */
struct super_reads {
	uint8_t blocks[BTRFS_SUPER_MIRROR_MAX][BTRFS_SUPER_INFO_SIZE];
	struct xx_request req[BTRFS_SUPER_MIRROR_MAX];
	int result[BTRFS_SUPER_MIRROR_MAX];
	unsigned pending;
};

static void super_read_done(struct xx_request *req)
{
	struct super_reads *reads = req->private;

	reads->result[req - reads->req] = req->result;
	reads->pending--;
}

/* 0, or an error of the ring itself. */
static int read_all(struct xx_ring *ring, struct xx_device *device, unsigned count, struct super_reads *reads)
{
	reads->pending = 0;
	for (unsigned i = 0; i < count; i++) {
		xx_request_init(&reads->req[i], XX_OP_READ, device, xx_btrfs_super_offset(i), reads->blocks[i],
				BTRFS_SUPER_INFO_SIZE, super_read_done, reads);
		reads->result[i] = xx_ring_queue(ring, &reads->req[i]);
		if (reads->result[i] == 0)
			reads->pending++;
	}
	while (reads->pending) {
		const int ret = xx_ring_wait(ring, 1);

		if (ret < 0)
			return ret;
	}
	return 0;
}

int xx_btrfs_supers_read(struct xx_ring *ring, struct xx_device *device, struct xx_btrfs_supers *out)
{
	struct super_reads *reads;
	int err;

	*out = (struct xx_btrfs_supers){ .count = xx_btrfs_super_count(xx_device_info(device)->size), .best = -1 };
	for (unsigned i = out->count; i < BTRFS_SUPER_MIRROR_MAX; i++)
		judge(&out->check[i], XX_BTRFS_SUPER_ABSENT, 0, "");
	if (posix_memalign((void **)&reads, BTRFS_SUPER_INFO_SIZE, sizeof(*reads)))
		return -ENOMEM;
	err = read_all(ring, device, out->count, reads);
	if (err)
		return err;
	for (unsigned i = 0; i < out->count; i++) {
		if (reads->result[i])
			judge(&out->check[i], XX_BTRFS_SUPER_UNREADABLE, reads->result[i], "it cannot be read");
		else
			reads->result[i] = xx_btrfs_super_parse(reads->blocks[i], xx_btrfs_super_offset(i),
								&out->super[i], &out->check[i]);
	}
	free(reads);
	xx_btrfs_supers_choose(out);
	return out->best < 0 ? none_good(out) : 0;
}
