/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csumio.c - a write, and its checksums computed beside it.
 *
 * The write's callback and the worker's post both run in the owner's thread. Whichever comes second completes the whole,
 * so nothing is locked: what the worker writes (the sums and their result) is handed over by the post.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xx/csumio.h>
#include <xx/plug.h>
#include <xx/units.h>

static void half_done(struct xx_csumio *io)
{
	if (--io->own.halves)
		return;
	free(io->own.copies);
	io->own.copies = NULL;
	io->result = io->write_result ? io->write_result : io->csum_result;
	if (io->done)
		io->done(io);
}

static void write_done(struct xx_request *req)
{
	struct xx_csumio *io = req->private;

	io->write_result = req->result;
	half_done(io);
}

static void sums_done(struct xx_post *post)
{
	half_done(xx_container_of(post, struct xx_csumio, own.post));
}

/* Where the worker is in its array. */
struct cursor {
	const struct iovec *iov;
	size_t skip; /* bytes of *iov that were passed */
	uint64_t left; /* bytes, in all */
};

/* The next bytes that lie in one piece, at most @max of them. */
static struct iovec next_piece(struct cursor *cursor, size_t max)
{
	struct iovec piece;

	while (cursor->skip == cursor->iov->iov_len) {
		cursor->iov++;
		cursor->skip = 0;
	}
	piece.iov_base = (char *)cursor->iov->iov_base + cursor->skip;
	piece.iov_len = xx_min(max, cursor->iov->iov_len - cursor->skip);
	cursor->skip += piece.iov_len;
	cursor->left -= piece.iov_len;
	return piece;
}

/* Sum a block of @size bytes of which @piece is the first part. */
static int sum_pieces(struct cursor *cursor, enum xx_csum_type type, struct iovec piece, size_t size, void *sum)
{
	struct xx_csum_stream *stream;
	int ret;

	ret = xx_csum_begin(type, &stream);
	if (ret)
		return ret;
	xx_csum_update(stream, piece.iov_base, piece.iov_len);
	size -= piece.iov_len;
	while (size) {
		piece = next_piece(cursor, size);
		xx_csum_update(stream, piece.iov_base, piece.iov_len);
		size -= piece.iov_len;
	}
	xx_csum_end(stream, sum);
	return 0;
}

static int sum_block(struct cursor *cursor, enum xx_csum_type type, size_t size, void *sum)
{
	const struct iovec piece = next_piece(cursor, size);

	if (piece.iov_len == size)
		return xx_csum(type, piece.iov_base, size, sum);
	return sum_pieces(cursor, type, piece, size, sum);
}

/* The worker's half. */
static void compute(struct xx_work *work)
{
	struct xx_csumio *io = xx_container_of(work, struct xx_csumio, own.work);
	struct cursor cursor = { .iov = io->own.copies + io->iovcnt, .left = io->own.length };
	char *sum = io->sums;
	int ret = 0;

	while (cursor.left && !ret) {
		ret = sum_block(&cursor, io->type, xx_min(io->block, cursor.left), sum);
		sum += xx_csum_size(io->type);
	}
	io->csum_result = ret;
	xx_ring_post(io->own.ring, &io->own.post);
}

static int copy_arrays(struct xx_csumio *io)
{
	const size_t n = io->iovcnt;

	io->own.copies = calloc(2 * n, sizeof(struct iovec));
	if (!io->own.copies)
		return -ENOMEM;
	memcpy(io->own.copies, io->iov, n * sizeof(struct iovec));
	memcpy(io->own.copies + n, io->iov, n * sizeof(struct iovec));
	return 0;
}

int xx_csumio_submit(struct xx_ring *ring, struct xx_pool *pool, struct xx_plug *plug, struct xx_csumio *io)
{
	int ret;

	if (io->block == 0 || xx_csum_size(io->type) == 0 || io->iovcnt == 0)
		return -EINVAL;
	ret = copy_arrays(io);
	if (ret)
		return ret;
	xx_request_initv(&io->own.req, XX_OP_WRITE, io->device, io->offset, io->own.copies, io->iovcnt, write_done, io);
	io->own.length = io->own.req.length;
	ret = plug ? xx_plug_add(plug, &io->own.req) : xx_ring_submit(ring, &io->own.req);
	if (ret) {
		free(io->own.copies);
		io->own.copies = NULL;
		return ret;
	}
	io->own.halves = 2;
	io->own.ring = ring;
	io->own.work.run = compute;
	io->own.post.run = sums_done;
	xx_ring_expect(ring, &io->own.post);
	if (pool)
		xx_pool_submit(pool, &io->own.work);
	else
		compute(&io->own.work);
	return 0;
}
