/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xxhash64.c - XXH64 with seed 0, by libxxhash; stored little-endian.
 */
#include <errno.h>
#include <string.h>
#include <xxhash.h>
#include "csum_ops.h"

static int xxh_check(const struct csum_ops *ops XX_UNUSED)
{
	return 0;
}

static void xxh_store(uint64_t hash, void *sum)
{
	const le64 bytes = le64_make(hash);

	memcpy(sum, bytes.b, sizeof(bytes));
}

static void xxh_once(const struct csum_ops *ops XX_UNUSED, const void *buf, size_t len, void *sum)
{
	xxh_store(XXH64(buf, len, 0), sum);
}

static int xxh_begin(struct xx_csum_stream *stream)
{
	XXH64_state_t *state = XXH64_createState();

	if (!state)
		return -ENOMEM;
	XXH64_reset(state, 0);
	stream->state.handle = state;
	return 0;
}

static void xxh_update(struct xx_csum_stream *stream, const void *buf, size_t len)
{
	XXH64_update(stream->state.handle, buf, len);
}

static void xxh_end(struct xx_csum_stream *stream, void *sum)
{
	if (sum)
		xxh_store(XXH64_digest(stream->state.handle), sum);
	XXH64_freeState(stream->state.handle);
}

const struct csum_ops csum_ops_xxhash64 = {
	.name = "xxhash64",
	.size = sizeof(le64),
	.check = xxh_check,
	.once = xxh_once,
	.begin = xxh_begin,
	.update = xxh_update,
	.end = xxh_end,
};
