/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block_read.c - tree blocks read on one way after the other, until one is good.
 *
 * A block is read in parts: one, or two where it does not lie in one element. Each way is a set of pieces, one for each
 * part and each element that is needed: one piece a part for a copy, the whole row for a rebuild. When the last piece of
 * a way is there, what is missing is computed, the block is verified, and the next way is tried or the read is done.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xx/btrfs_block.h>
#include <xx/btrfs_raid.h>
#include <xx/plug.h>
#include <xx/ring.h>

enum {
	PARTS_MAX = 2, /* a block is no longer than an element */
	BLOCK_ALIGN = 4096,
	FIRST_PAIR = 3, /* the first way of RAID6 that rebuilds from both parities */
};

struct part {
	uint64_t logical;
	uint64_t offset; /* in the block */
	uint64_t length;
	bool rebuilt; /* on this way, and not read as it is */
};

struct piece {
	struct xx_request req;
	struct xx_btrfs_block_read_own *own;
};

struct xx_btrfs_block_read_own {
	struct xx_btrfs_block_read *read;
	const struct xx_btrfs_chunk *chunk;
	struct part parts[PARTS_MAX];
	unsigned part_count;
	unsigned way, last_way;
	unsigned pending; /* pieces, and one while they are being submitted */
	int error; /* the first of this way */
	bool absent; /* a piece's device is missing */
	struct xx_plug *plug; /* during the submit */
	struct xx_post post; /* where nothing could be read: the callback does not run in the submit */
	uint8_t *row; /* elements of all parts for a rebuild: all of part 0, then all of part 1 */
	struct piece pieces[]; /* as many as the widest way needs */
};

unsigned xx_btrfs_chunk_ways(const struct xx_btrfs_chunk *chunk)
{
	if (chunk->parity == 0)
		return chunk->copies;
	return chunk->parity == 1 ? 2 : FIRST_PAIR + chunk->columns - 1;
}

static unsigned row_width(const struct xx_btrfs_chunk *chunk)
{
	return chunk->columns + chunk->parity;
}

/* Which elements a way of a row leaves out, in ascending order; how many. */
static unsigned left_out(const struct xx_btrfs_chunk *chunk, unsigned column, unsigned way, unsigned lost[2])
{
	unsigned other;

	lost[0] = column;
	if (way == 1 && chunk->parity == 1)
		return 1;
	if (way < FIRST_PAIR) {
		lost[1] = way == 1 ? chunk->columns + 1 : chunk->columns;
		return 2;
	}
	other = way - FIRST_PAIR;
	other += other >= column;
	lost[0] = column < other ? column : other;
	lost[1] = column < other ? other : column;
	return 2;
}

static void refuse(struct xx_btrfs_block_check *check, enum xx_btrfs_block_fault fault, int error, const char *text)
{
	*check = (struct xx_btrfs_block_check){ .fault = fault, .error = error };
	snprintf(check->text, sizeof(check->text), "%s", text);
}

/* --- The end of a way --- */

static void start_way(struct xx_btrfs_block_read_own *own);

static uint8_t *row_element(struct xx_btrfs_block_read_own *own, unsigned part, unsigned column)
{
	const unsigned width = row_width(own->chunk);
	uint8_t *base = own->row + own->parts[part].offset * width;

	return base + own->parts[part].length * column;
}

/* Compute the element of a part that was left out, into the block. */
static int rebuild(struct xx_btrfs_block_read_own *own, unsigned part)
{
	const struct xx_btrfs_chunk *chunk = own->chunk;
	const unsigned width = row_width(chunk);
	void **row = calloc(width, sizeof(*row));
	struct xx_btrfs_row where;
	unsigned lost[2];
	unsigned lost_count;
	int err;

	if (!row)
		return -ENOMEM;
	xx_btrfs_chunk_row(chunk, own->parts[part].logical, &where);
	lost_count = left_out(chunk, where.column, own->way, lost);
	for (unsigned i = 0; i < width; i++)
		row[i] = row_element(own, part, i);
	err = xx_btrfs_raid_recover(chunk->columns, chunk->parity, row, lost, lost_count, own->parts[part].length);
	if (!err)
		memcpy((uint8_t *)own->read->block + own->parts[part].offset, row[where.column],
		       own->parts[part].length);
	free(row);
	return err;
}

static void finish(struct xx_btrfs_block_read_own *own)
{
	struct xx_btrfs_block_read *read = own->read;

	read->own = NULL;
	free(own->row);
	free(own);
	if (read->done)
		read->done(read);
}

/* All pieces are there: the block, computed where need be, and verified. */
static void verify_way(struct xx_btrfs_block_read_own *own, struct xx_btrfs_block_check *check)
{
	struct xx_btrfs_block_read *read = own->read;

	for (unsigned i = 0; i < own->part_count && !own->error; i++) {
		if (own->parts[i].rebuilt)
			own->error = rebuild(own, i);
	}
	if (!own->error)
		own->error = xx_btrfs_block_verify(&read->medium->identity, read->block, &read->expect, check);
	else
		refuse(check, XX_BTRFS_BLOCK_UNREADABLE, own->error, "it cannot be rebuilt");
}

static void end_way(struct xx_btrfs_block_read_own *own)
{
	struct xx_btrfs_block_read *read = own->read;
	struct xx_btrfs_block_check check;

	if (own->absent)
		refuse(&check, XX_BTRFS_BLOCK_ABSENT, -ENXIO, "its device is missing");
	else if (own->error)
		refuse(&check, XX_BTRFS_BLOCK_UNREADABLE, own->error, "it cannot be read");
	else
		verify_way(own, &check);
	if (read->tried == 0) {
		read->check = check;
		read->result = check.error;
	}
	if (read->checks && own->way < read->checks_max)
		read->checks[own->way] = check;
	read->tried++;
	if (!check.error) {
		read->result = 0;
		read->good_way = own->way;
	} else if (own->way < own->last_way) {
		own->way++;
		start_way(own);
		return;
	}
	finish(own);
}

/* --- The start of a way --- */

static void put_piece(struct xx_btrfs_block_read_own *own)
{
	if (--own->pending == 0)
		end_way(own);
}

static void piece_done(struct xx_request *req)
{
	struct piece *piece = xx_container_of(req, struct piece, req);
	struct xx_btrfs_block_read_own *own = piece->own;

	if (req->result && !own->error)
		own->error = req->result;
	put_piece(own);
}

static void posted(struct xx_post *post)
{
	put_piece(xx_container_of(post, struct xx_btrfs_block_read_own, post));
}

static void read_piece(struct xx_btrfs_block_read_own *own, unsigned number, const struct xx_btrfs_place *place,
		       void *to, uint64_t length)
{
	struct xx_btrfs_block_read *read = own->read;
	struct xx_device *device = xx_btrfs_volume_device(read->medium->volume, place->devid);
	struct piece *piece = &own->pieces[number];
	int err;

	if (!device) {
		own->absent = true;
		return;
	}
	piece->own = own;
	xx_request_init(&piece->req, XX_OP_READ, device, place->physical, to, length, piece_done, NULL);
	err = own->plug ? xx_plug_add(own->plug, &piece->req) : xx_ring_queue(read->medium->ring, &piece->req);
	if (err)
		own->error = err;
	else
		own->pending++;
}

static void read_copy(struct xx_btrfs_block_read_own *own, unsigned number, unsigned copy)
{
	struct part *part = &own->parts[number];
	struct xx_btrfs_copies copies;

	xx_btrfs_chunk_copies(own->chunk, part->logical, &copies);
	assert(copy < copies.count);
	part->rebuilt = false;
	read_piece(own, number * row_width(own->chunk), &copies.place[copy], (uint8_t *)own->read->block + part->offset,
		   part->length);
}

static bool present(const struct xx_btrfs_block_read_own *own, const struct xx_btrfs_place *place)
{
	return xx_btrfs_volume_device(own->read->medium->volume, place->devid);
}

/*
 * All of a row that this way of a part needs. Of a block in two elements one part may lie on a missing device that the
 * row of the other needs: that other part is then read as it is.
 */
static void read_row(struct xx_btrfs_block_read_own *own, unsigned number)
{
	const unsigned width = row_width(own->chunk);
	struct part *part = &own->parts[number];
	struct xx_btrfs_place places[UINT8_MAX];
	struct xx_btrfs_row where;
	unsigned lost[2] = { UINT_MAX, UINT_MAX };
	bool complete = true;

	xx_btrfs_chunk_row(own->chunk, part->logical, &where);
	left_out(own->chunk, where.column, own->way, lost);
	for (unsigned c = 0; c < width; c++) {
		places[c] = xx_btrfs_row_place(own->chunk, where.number, c, where.in_element);
		complete &= c == lost[0] || c == lost[1] || present(own, &places[c]);
	}
	if (!complete && own->part_count > 1 && present(own, &places[where.column])) {
		read_copy(own, number, 0);
		return;
	}
	part->rebuilt = true;
	for (unsigned c = 0; c < width; c++) {
		if (c != lost[0] && c != lost[1])
			read_piece(own, number * width + c, &places[c], row_element(own, number, c), part->length);
	}
}

static void read_parts(struct xx_btrfs_block_read_own *own)
{
	const size_t size = (size_t)own->read->medium->identity.nodesize * row_width(own->chunk);
	const bool rows = own->chunk->parity && own->way > 0;

	if (rows && !own->row && posix_memalign((void **)&own->row, BLOCK_ALIGN, size)) {
		own->row = NULL;
		own->error = -ENOMEM;
		return;
	}
	for (unsigned i = 0; i < own->part_count; i++) {
		if (rows)
			read_row(own, i);
		else
			read_copy(own, i, own->way);
	}
}

static void start_way(struct xx_btrfs_block_read_own *own)
{
	struct xx_ring *ring = own->read->medium->ring;

	own->error = 0;
	own->absent = false;
	own->pending = 1;
	read_parts(own);
	if (own->pending == 1) {
		xx_ring_expect(ring, &own->post);
		xx_ring_post(ring, &own->post);
		return;
	}
	own->pending--;
	if (!own->plug)
		xx_ring_commit(ring);
}

/* --- The submit --- */

/* Where the parts of the block lie. False when it does not lie in one chunk. */
static bool find_parts(struct xx_btrfs_block_read_own *own, uint32_t nodesize)
{
	const uint64_t logical = own->read->expect.logical;
	uint64_t pos = 0;

	if (nodesize > xx_btrfs_chunk_end(own->chunk) - logical)
		return false;
	while (pos < nodesize) {
		struct part *part = &own->parts[own->part_count++];
		struct xx_btrfs_copies copies;

		assert(own->part_count <= PARTS_MAX);
		xx_btrfs_chunk_copies(own->chunk, logical + pos, &copies);
		part->logical = logical + pos;
		part->offset = pos;
		part->length = copies.length < nodesize - pos ? copies.length : nodesize - pos;
		pos += part->length;
	}
	return true;
}

/* Answer, from a post, that no chunk holds the block. */
static void unmapped(struct xx_post *post)
{
	struct xx_btrfs_block_read_own *own = xx_container_of(post, struct xx_btrfs_block_read_own, post);

	refuse(&own->read->check, XX_BTRFS_BLOCK_UNMAPPED, -EUCLEAN, "no chunk holds its address");
	own->read->result = -EUCLEAN;
	finish(own);
}

static int make_own(struct xx_btrfs_block_read *read, const struct xx_btrfs_chunk *chunk,
		    struct xx_btrfs_block_read_own **out)
{
	const size_t pieces = chunk ? (size_t)PARTS_MAX * row_width(chunk) : 0;
	struct xx_btrfs_block_read_own *own = calloc(1, sizeof(*own) + pieces * sizeof(own->pieces[0]));

	if (!own)
		return -ENOMEM;
	own->read = read;
	own->chunk = chunk;
	if (read->way >= 0)
		own->way = own->last_way = (unsigned)read->way;
	else
		own->last_way = chunk ? xx_btrfs_chunk_ways(chunk) - 1 : 0;
	*out = own;
	return 0;
}

int xx_btrfs_block_submit(struct xx_btrfs_block_read *read, struct xx_plug *plug)
{
	const struct xx_btrfs_medium *medium = read->medium;
	const struct xx_btrfs_chunk *chunk = xx_btrfs_chunk_find(medium->map, read->expect.logical);
	struct xx_btrfs_block_read_own *own;
	int err;

	if (chunk && read->way >= 0 && (unsigned)read->way >= xx_btrfs_chunk_ways(chunk))
		return -EINVAL;
	err = make_own(read, chunk, &own);
	if (err)
		return err;
	read->own = own;
	read->result = 0;
	read->tried = 0;
	read->good_way = 0;
	own->plug = plug;
	if (!chunk || !find_parts(own, medium->identity.nodesize)) {
		own->post.run = unmapped;
		xx_ring_expect(medium->ring, &own->post);
		xx_ring_post(medium->ring, &own->post);
		return 0;
	}
	own->post.run = posted;
	start_way(own);
	own->plug = NULL;
	return 0;
}

static void got(struct xx_btrfs_block_read *read)
{
	*(bool *)read->private = true;
}

int xx_btrfs_block_get(const struct xx_btrfs_medium *medium, const struct xx_btrfs_expect *expect, void *block,
		       struct xx_btrfs_block_check *check)
{
	bool over = false;
	struct xx_btrfs_block_read read = {
		.medium = medium,
		.expect = *expect,
		.block = block,
		.way = XX_BTRFS_WAY_ANY,
		.done = got,
		.private = &over,
	};
	int ret = xx_btrfs_block_submit(&read, NULL);

	if (ret < 0)
		refuse(&read.check, XX_BTRFS_BLOCK_UNREADABLE, ret, "it cannot be read");
	while (ret >= 0 && !over)
		ret = xx_ring_wait(medium->ring, 1);
	if (check)
		*check = read.check;
	return ret < 0 ? ret : read.result;
}
