/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bufio.c - reading buffers, now or ahead, and what reads and writes have in common.
 */
#include <assert.h>
#include <errno.h>
#include "cache/buf.h"

void buf_piece_done(struct xx_request *req)
{
	struct piece *piece = req->private;
	struct buf *buf = piece->buf;

	assert(buf->pending > 0);
	if (req->result && !buf->io_error)
		buf->io_error = req->result;
	buf->pending--;
}

void buf_submit(struct buf *buf, enum xx_op op, struct xx_plug *plug, xx_request_fn done)
{
	char *data = buf->pub.data;

	assert(buf->refs > 0 && buf->pending == 0);
	buf->io_error = 0;
	for (unsigned i = 0; i < buf->npieces; i++) {
		struct piece *piece = &buf->pieces[i];
		int ret;

		xx_request_init(&piece->req, op, buf->pub.device, piece->node.offset, data, piece->node.len, done,
				piece);
		data += piece->node.len;
		ret = xx_plug_add(plug, &piece->req);
		if (!ret)
			buf->pending++;
		else if (!buf->io_error)
			buf->io_error = ret;
	}
}

int buf_wait(struct buf *buf)
{
	struct xx_cache *cache = buf->cache;

	if (buf->pending)
		xx_cache_start(cache);
	while (buf->pending) {
		const int ret = xx_ring_wait(cache->ring, 1);

		if (ret < 0)
			return ret;
		assert(ret > 0);
	}
	return 0;
}

/* Read all ranges, and wait. */
static int fill(struct buf *buf)
{
	struct xx_plug plug;
	int ret;

	ret = xx_ring_reap(buf->cache->ring);
	if (ret < 0)
		return ret;
	xx_plug_init(&plug, buf->cache->ring);
	buf_submit(buf, XX_OP_READ, &plug, buf_piece_done);
	xx_plug_pull(&plug);
	ret = buf_wait(buf);
	return ret ? ret : buf->io_error;
}

/* Verify a filled buffer as a kind that it was not verified as. */
static int verify(struct buf *buf, const struct xx_buf_ops *ops)
{
	struct xx_buf *pub = &buf->pub;
	int ret = 0;

	if (buf->dirty)
		return -EUCLEAN;
	if (ops->verify_read)
		ret = ops->verify_read(pub);
	pub->error = ret;
	pub->ops = ret ? NULL : ops;
	buf->filled = ret == 0;
	return ret;
}

int xx_buf_read(struct xx_buf *pub, const struct xx_buf_ops *ops)
{
	struct buf *buf = buf_of(pub);
	int ret;

	assert(buf->refs > 0);
	ret = buf_wait(buf);
	if (ret)
		return ret;
	if (!buf->filled) {
		ret = fill(buf);
		pub->ops = NULL;
		pub->error = ret;
		buf->filled = ret == 0;
	}
	if (ret || !ops || ops == pub->ops)
		return ret;
	return verify(buf, ops);
}

int xx_cache_read(struct xx_cache *cache, struct xx_device *dev, uint64_t offset, size_t length,
		  const struct xx_buf_ops *ops, struct xx_buf **out)
{
	struct xx_buf *pub;
	int ret;

	ret = xx_cache_get(cache, dev, offset, length, &pub);
	if (ret)
		return ret;
	ret = xx_buf_read(pub, ops);
	if (ret) {
		xx_buf_put(pub);
		return ret;
	}
	*out = pub;
	return 0;
}

static void end_ahead(struct buf *buf)
{
	buf->ahead = false;
	xx_buf_put(&buf->pub);
}

/* A range that was read ahead is there. An error is forgotten: who wants the buffer will read, and see, for himself. */
static void ahead_done(struct xx_request *req)
{
	struct piece *piece = req->private;
	struct buf *buf = piece->buf;

	buf_piece_done(req);
	if (buf->pending)
		return;
	buf->filled = buf->io_error == 0;
	end_ahead(buf);
}

void buf_read_ahead(struct buf *buf)
{
	struct xx_cache *cache = buf->cache;

	buf->ahead = true;
	buf_submit(buf, XX_OP_READ, &cache->ahead, ahead_done);
	if (!buf->pending)
		end_ahead(buf);
}

void xx_cache_start(struct xx_cache *cache)
{
	xx_plug_pull(&cache->ahead);
}
