/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crc32c.c - the CRC of XFS and btrfs, by ISA-L, which neither inverts nor knows lengths above INT_MAX.
 */
#include <assert.h>
#include <isa-l/crc.h>
#include <string.h>
#include <xx/units.h>
#include "csum_ops.h"

uint32_t xx_crc32c_update(uint32_t crc, const void *buf, size_t len)
{
	const unsigned char *at = buf;

	while (len) {
		const size_t part = (size_t)xx_min(len, XX_GIB);

		/* ISA-L only reads, but does not say so */
		crc = crc32_iscsi((unsigned char *)at, (int)part, crc);
		at += part;
		len -= part;
	}
	return crc;
}

le32 xx_crc32c_block(const void *block, size_t len, size_t field)
{
	static const uint8_t zeros[sizeof(le32)];
	const size_t rest = field + sizeof(zeros);
	uint32_t crc;

	assert(field < len && rest <= len);
	crc = xx_crc32c_update(XX_CRC32C_INIT, block, field);
	crc = xx_crc32c_update(crc, zeros, sizeof(zeros));
	crc = xx_crc32c_update(crc, (const char *)block + rest, len - rest);
	return xx_crc32c_final(crc);
}

static int crc_check(const struct csum_ops *ops XX_UNUSED)
{
	return 0;
}

static void crc_store(uint32_t crc, void *sum)
{
	const le32 bytes = xx_crc32c_final(crc);

	memcpy(sum, bytes.b, sizeof(bytes));
}

static void crc_once(const struct csum_ops *ops XX_UNUSED, const void *buf, size_t len, void *sum)
{
	crc_store(xx_crc32c_update(XX_CRC32C_INIT, buf, len), sum);
}

static int crc_begin(struct xx_csum_stream *stream)
{
	stream->state.crc = XX_CRC32C_INIT;
	return 0;
}

static void crc_update(struct xx_csum_stream *stream, const void *buf, size_t len)
{
	stream->state.crc = xx_crc32c_update(stream->state.crc, buf, len);
}

static void crc_end(struct xx_csum_stream *stream, void *sum)
{
	if (sum)
		crc_store(stream->state.crc, sum);
}

const struct csum_ops csum_ops_crc32c = {
	.name = "crc32c",
	.size = sizeof(le32),
	.check = crc_check,
	.once = crc_once,
	.begin = crc_begin,
	.update = crc_update,
	.end = crc_end,
};
