/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gcrypt.c - sha256 and blake2b-256, by libgcrypt.
 */
#include <errno.h>
#include <gcrypt.h>
#include <string.h>
#include "csum_ops.h"

/*
 * libgcrypt wants gcry_check_version() before all else, once, and by one thread. When a library is loaded there is one
 * thread, and no state of our own is needed to remember it. Nothing else is set: secure memory and the end of the
 * initialisation are the program's, which may use libgcrypt itself, and hashing needs neither.
 */
__attribute__((constructor)) static void gcrypt_prepare(void)
{
	gcry_check_version(NULL);
}

/* libgcrypt ends the program when it is asked for a hash that its FIPS mode forbids, so ask before. */
static int md_check(const struct csum_ops *ops)
{
	return gcry_md_test_algo(ops->algorithm) ? -EOPNOTSUPP : 0;
}

static void md_once(const struct csum_ops *ops, const void *buf, size_t len, void *sum)
{
	gcry_md_hash_buffer(ops->algorithm, sum, buf, len);
}

static int md_begin(struct xx_csum_stream *stream)
{
	gcry_md_hd_t md;
	const gcry_error_t err = gcry_md_open(&md, stream->ops->algorithm, 0);

	if (err)
		return gcry_err_code(err) == GPG_ERR_ENOMEM ? -ENOMEM : -EOPNOTSUPP;
	stream->state.handle = md;
	return 0;
}

static void md_update(struct xx_csum_stream *stream, const void *buf, size_t len)
{
	gcry_md_write(stream->state.handle, buf, len);
}

static void md_end(struct xx_csum_stream *stream, void *sum)
{
	gcry_md_hd_t md = stream->state.handle;

	if (sum)
		memcpy(sum, gcry_md_read(md, stream->ops->algorithm), stream->ops->size);
	gcry_md_close(md);
}

const struct csum_ops csum_ops_sha256 = {
	.name = "sha256",
	.size = 32,
	.algorithm = GCRY_MD_SHA256,
	.check = md_check,
	.once = md_once,
	.begin = md_begin,
	.update = md_update,
	.end = md_end,
};

const struct csum_ops csum_ops_blake2b = {
	.name = "blake2b",
	.size = 32,
	.algorithm = GCRY_MD_BLAKE2B_256,
	.check = md_check,
	.once = md_once,
	.begin = md_begin,
	.update = md_update,
	.end = md_end,
};
