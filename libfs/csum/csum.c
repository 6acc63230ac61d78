/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csum.c - the kinds of checksums, alone and in pieces.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "csum_ops.h"

const struct csum_ops *csum_ops_of(enum xx_csum_type type)
{
	static const struct csum_ops *const kinds[] = {
		[XX_CSUM_CRC32C] = &csum_ops_crc32c,
		[XX_CSUM_XXHASH64] = &csum_ops_xxhash64,
		[XX_CSUM_SHA256] = &csum_ops_sha256,
		[XX_CSUM_BLAKE2B] = &csum_ops_blake2b,
	};

	/* the number may come from a medium */
	return (size_t)type < XX_ARRAY_SIZE(kinds) ? kinds[type] : NULL;
}

size_t xx_csum_size(enum xx_csum_type type)
{
	const struct csum_ops *ops = csum_ops_of(type);

	return ops ? ops->size : 0;
}

const char *xx_csum_name(enum xx_csum_type type)
{
	const struct csum_ops *ops = csum_ops_of(type);

	return ops ? ops->name : NULL;
}

int xx_csum(enum xx_csum_type type, const void *buf, size_t len, void *sum)
{
	const struct csum_ops *ops = csum_ops_of(type);
	int err;

	if (!ops)
		return -EINVAL;
	err = ops->check(ops);
	if (err)
		return err;
	ops->once(ops, buf, len, sum);
	return 0;
}

int xx_csum_verify(enum xx_csum_type type, const void *buf, size_t len, const void *expected)
{
	uint8_t sum[XX_CSUM_MAX_SIZE];
	const int err = xx_csum(type, buf, len, sum);

	if (err)
		return err;
	return memcmp(sum, expected, xx_csum_size(type)) == 0 ? 0 : -EBADMSG;
}

int xx_csum_begin(enum xx_csum_type type, struct xx_csum_stream **out)
{
	const struct csum_ops *ops = csum_ops_of(type);
	struct xx_csum_stream *stream;
	int err;

	if (!ops)
		return -EINVAL;
	err = ops->check(ops);
	if (err)
		return err;
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return -ENOMEM;
	stream->ops = ops;
	err = ops->begin(stream);
	if (err)
		free(stream);
	else
		*out = stream;
	return err;
}

void xx_csum_update(struct xx_csum_stream *stream, const void *buf, size_t len)
{
	stream->ops->update(stream, buf, len);
}

void xx_csum_end(struct xx_csum_stream *stream, void *sum)
{
	if (!stream)
		return;
	stream->ops->end(stream, sum);
	free(stream);
}
