/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csum.c - tests: known answers of each kind, whole and in pieces, and batches that find just the bad blocks.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xx/bitmap.h>
#include <xx/csum.h>
#include <xx/pool.h>
#include <xx/random.h>

/*
 * crc32c: RFC 3720, B.4; xxhash64: the sanity checks of libxxhash; sha256: FIPS 180-4; blake2b: RFC 7693's algorithm
 * with a digest of 32 bytes, by Python's hashlib.
 */
static const struct {
	enum xx_csum_type type;
	const char *text;
	const char *sum; /* the bytes as stored, in hex */
} answers[] = {
	{ XX_CSUM_CRC32C, "", "00000000" },
	{ XX_CSUM_CRC32C, "123456789", "839206e3" },
	{ XX_CSUM_XXHASH64, "", "99e9d85137db46ef" },
	{ XX_CSUM_XXHASH64, "a", "5b6e8ca9f1c44ed2" },
	{ XX_CSUM_XXHASH64, "abc", "990977adf52cbc44" },
	{ XX_CSUM_SHA256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ XX_CSUM_SHA256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ XX_CSUM_BLAKE2B, "", "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8" },
	{ XX_CSUM_BLAKE2B, "abc", "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319" },
};

static const enum xx_csum_type types[] = { XX_CSUM_CRC32C, XX_CSUM_XXHASH64, XX_CSUM_SHA256, XX_CSUM_BLAKE2B };

static void assert_sum(const uint8_t *sum, size_t size, const char *hex)
{
	char text[2 * XX_CSUM_MAX_SIZE + 1] = "";

	for (size_t i = 0; i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", sum[i]);
	cr_assert_str_eq(text, hex);
}

Test(csum, known_answers)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(answers); i++) {
		uint8_t sum[XX_CSUM_MAX_SIZE];

		cr_assert_eq(xx_csum(answers[i].type, answers[i].text, strlen(answers[i].text), sum), 0);
		assert_sum(sum, xx_csum_size(answers[i].type), answers[i].sum);
	}
}

Test(csum, crc32c_of_rfc_3720)
{
	uint8_t data[32] = { 0 };

	cr_assert_eq(xx_crc32c_update(XX_CRC32C_INIT, data, 32), ~UINT32_C(0x8a9136aa));
	memset(data, 0xff, 32);
	cr_assert_eq(le32_get(xx_crc32c_final(xx_crc32c_update(XX_CRC32C_INIT, data, 32))), 0x62a8ab43);
	for (uint8_t i = 0; i < 32; i++)
		data[i] = i;
	cr_assert_eq(le32_get(xx_crc32c_final(xx_crc32c_update(XX_CRC32C_INIT, data, 32))), 0x46dd794e);
}

Test(csum, names_and_sizes)
{
	cr_assert_str_eq(xx_csum_name(XX_CSUM_CRC32C), "crc32c");
	cr_assert_str_eq(xx_csum_name(XX_CSUM_XXHASH64), "xxhash64");
	cr_assert_str_eq(xx_csum_name(XX_CSUM_SHA256), "sha256");
	cr_assert_str_eq(xx_csum_name(XX_CSUM_BLAKE2B), "blake2b");
	cr_assert_eq(xx_csum_size(XX_CSUM_CRC32C), 4);
	cr_assert_eq(xx_csum_size(XX_CSUM_XXHASH64), 8);
	cr_assert_eq(xx_csum_size(XX_CSUM_SHA256), 32);
	cr_assert_eq(xx_csum_size(XX_CSUM_BLAKE2B), 32);
}

Test(csum, no_such_type)
{
	const enum xx_csum_type none = (enum xx_csum_type)4;
	struct xx_csum_stream *stream;
	struct xx_bitmap *bad;
	uint8_t sum[XX_CSUM_MAX_SIZE];

	cr_assert_null(xx_csum_name(none));
	cr_assert_eq(xx_csum_size(none), 0);
	cr_assert_eq(xx_csum(none, "", 0, sum), -EINVAL);
	cr_assert_eq(xx_csum_verify(none, "", 0, sum), -EINVAL);
	cr_assert_eq(xx_csum_begin(none, &stream), -EINVAL);
	cr_assert_eq(xx_bitmap_create(1, &bad), 0);
	cr_assert_eq(xx_csum_verify_batch(NULL, none, NULL, NULL, 0, bad), -EINVAL);
	cr_assert_eq(xx_csum_verify_batch(NULL, XX_CSUM_SHA256, NULL, NULL, 2, bad), -EINVAL, "bitmap too short");
	xx_bitmap_destroy(bad);
	xx_csum_end(NULL, sum);
}

static void fill(uint8_t *data, size_t len, uint64_t seed)
{
	struct xx_random random;

	xx_random_init_seed(&random, seed);
	xx_random_bytes(&random, data, len);
}

ParameterizedTestParameters(csum, pieces_make_the_whole)
{
	static size_t indices[] = { 0, 1, 2, 3 };

	return cr_make_param_array(size_t, indices, XX_ARRAY_SIZE(indices));
}

ParameterizedTest(size_t *index, csum, pieces_make_the_whole)
{
	const enum xx_csum_type type = types[*index];
	uint8_t data[5000], whole[XX_CSUM_MAX_SIZE], pieces[XX_CSUM_MAX_SIZE];
	struct xx_random random;

	fill(data, sizeof(data), 3);
	xx_random_init_seed(&random, 4);
	cr_assert_eq(xx_csum(type, data, sizeof(data), whole), 0);
	cr_assert_eq(xx_csum_verify(type, data, sizeof(data), whole), 0);
	for (int i = 0; i < 50; i++) {
		struct xx_csum_stream *stream;
		size_t at = 0;

		cr_assert_eq(xx_csum_begin(type, &stream), 0);
		while (at < sizeof(data)) {
			const size_t part = xx_random_below(&random, sizeof(data) - at + 1);

			xx_csum_update(stream, data + at, part);
			at += part;
		}
		xx_csum_end(stream, pieces);
		cr_assert_arr_eq(whole, pieces, xx_csum_size(type));
	}
	data[777] ^= 1;
	cr_assert_eq(xx_csum_verify(type, data, sizeof(data), whole), -EBADMSG);
}

Test(csum, stream_that_is_given_up)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(types); i++) {
		struct xx_csum_stream *stream;

		cr_assert_eq(xx_csum_begin(types[i], &stream), 0);
		xx_csum_update(stream, "abc", 3);
		xx_csum_end(stream, NULL);
	}
}

Test(csum, field_of_a_block_counts_as_zero)
{
	static const size_t fields[] = { 0, 1, 224, 508 };
	uint8_t block[512], zeroed[512];

	fill(block, sizeof(block), 5);
	for (size_t i = 0; i < XX_ARRAY_SIZE(fields); i++) {
		const le32 sum = xx_crc32c_block(block, sizeof(block), fields[i]);
		uint8_t expected[4];

		memcpy(zeroed, block, sizeof(block));
		memset(zeroed + fields[i], 0, 4);
		cr_assert_eq(xx_csum(XX_CSUM_CRC32C, zeroed, sizeof(zeroed), expected), 0);
		cr_assert_arr_eq(sum.b, expected, 4);
	}
}

/* Blocks of different lengths, with every sum right until one is broken. */
struct set {
	enum xx_csum_type type;
	size_t count;
	uint8_t *data, *sums;
	struct iovec *blocks;
	struct xx_bitmap *bad;
};

#define BLOCK 512u

static void set_create(struct set *set, enum xx_csum_type type, size_t count)
{
	set->type = type;
	set->count = count;
	set->data = malloc(count * BLOCK);
	set->sums = malloc(count * xx_csum_size(type));
	set->blocks = malloc(count * sizeof(*set->blocks));
	cr_assert(set->data && set->sums && set->blocks);
	/* a longer bitmap, with bits that must stay as they are */
	cr_assert_eq(xx_bitmap_create(count + 1, &set->bad), 0);
	xx_bitmap_set_range(set->bad, 0, count + 1);
	fill(set->data, count * BLOCK, 6);
	for (size_t i = 0; i < count; i++) {
		set->blocks[i].iov_base = set->data + i * BLOCK;
		set->blocks[i].iov_len = BLOCK - i % 100;
		cr_assert_eq(xx_csum(type, set->blocks[i].iov_base, set->blocks[i].iov_len,
				     set->sums + i * xx_csum_size(type)),
			     0);
	}
}

static void set_destroy(struct set *set)
{
	xx_bitmap_destroy(set->bad);
	free(set->blocks);
	free(set->sums);
	free(set->data);
}

static bool is_broken(size_t block)
{
	return block % 7 == 3 || block == 0;
}

/* Break data, or the expected sum, and see just these found. */
static void verify_broken(struct set *set, struct xx_pool *pool)
{
	const size_t size = xx_csum_size(set->type);

	for (size_t i = 0; i < set->count; i++) {
		if (is_broken(i) && i % 2)
			set->data[i * BLOCK + i % 400] ^= 0x10;
		else if (is_broken(i))
			set->sums[i * size + i % size] ^= 1;
	}
	cr_assert_eq(xx_csum_verify_batch(pool, set->type, set->blocks, set->sums, set->count, set->bad), 0);
	for (size_t i = 0; i < set->count; i++)
		cr_assert_eq(xx_bitmap_test(set->bad, i), is_broken(i));
	cr_assert(xx_bitmap_test(set->bad, set->count));
}

static const struct {
	enum xx_csum_type type;
	size_t count;
	unsigned threads; /* 0: no pool */
} batches[] = {
	{ XX_CSUM_CRC32C, 1, 0 },    { XX_CSUM_CRC32C, 1, 2 },	  { XX_CSUM_CRC32C, 2, 4 },
	{ XX_CSUM_CRC32C, 5000, 0 }, { XX_CSUM_CRC32C, 5000, 1 }, { XX_CSUM_CRC32C, 5001, 3 },
	{ XX_CSUM_XXHASH64, 65, 2 }, { XX_CSUM_SHA256, 500, 4 },  { XX_CSUM_BLAKE2B, 500, 2 },
};

ParameterizedTestParameters(csum, batch_finds_the_bad)
{
	static size_t indices[XX_ARRAY_SIZE(batches)];

	for (size_t i = 0; i < XX_ARRAY_SIZE(indices); i++)
		indices[i] = i;
	return cr_make_param_array(size_t, indices, XX_ARRAY_SIZE(indices));
}

ParameterizedTest(size_t *index, csum, batch_finds_the_bad)
{
	struct xx_pool *pool = NULL;
	struct set set;

	if (batches[*index].threads)
		cr_assert_eq(xx_pool_create(batches[*index].threads, 0, &pool), 0);
	set_create(&set, batches[*index].type, batches[*index].count);
	cr_assert_eq(xx_csum_verify_batch(pool, set.type, set.blocks, set.sums, set.count, set.bad), 0);
	cr_assert_eq(xx_bitmap_count(set.bad), 1, "all are good");
	verify_broken(&set, pool);
	xx_pool_destroy(pool);
	set_destroy(&set);
}

Test(csum, batch_of_nothing)
{
	struct xx_pool *pool;
	struct xx_bitmap *bad;

	cr_assert_eq(xx_pool_create(1, 0, &pool), 0);
	cr_assert_eq(xx_bitmap_create(0, &bad), 0);
	cr_assert_eq(xx_csum_verify_batch(pool, XX_CSUM_CRC32C, NULL, NULL, 0, bad), 0);
	xx_bitmap_destroy(bad);
	xx_pool_destroy(pool);
}

struct batch_item {
	struct xx_work work;
	struct xx_pool *pool;
	struct set set;
};

static void batch_item_run(struct xx_work *work)
{
	struct batch_item *item = xx_container_of(work, struct batch_item, work);

	verify_broken(&item->set, item->pool);
}

/* Each worker waits for a batch while no worker is free and the queue is full. */
Test(csum, batch_within_a_worker)
{
	struct batch_item items[4] = { 0 };
	struct xx_pool *pool;

	cr_assert_eq(xx_pool_create(2, 1, &pool), 0);
	for (size_t i = 0; i < XX_ARRAY_SIZE(items); i++) {
		set_create(&items[i].set, XX_CSUM_CRC32C, 300);
		items[i].pool = pool;
		items[i].work.run = batch_item_run;
		xx_pool_submit(pool, &items[i].work);
	}
	xx_pool_destroy(pool);
	for (size_t i = 0; i < XX_ARRAY_SIZE(items); i++)
		set_destroy(&items[i].set);
}

struct gate {
	struct xx_work work;
	pthread_mutex_t lock;
};

static void gate_run(struct xx_work *work)
{
	struct gate *gate = xx_container_of(work, struct gate, work);

	pthread_mutex_lock(&gate->lock);
	pthread_mutex_unlock(&gate->lock);
}

/* Workers that are busy with something else do not hold the batch up, and come late without harm. */
Test(csum, batch_while_workers_are_busy)
{
	struct gate gate = { .work.run = gate_run, .lock = PTHREAD_MUTEX_INITIALIZER };
	struct xx_pool *pool;
	struct set set;

	cr_assert_eq(xx_pool_create(1, 0, &pool), 0);
	set_create(&set, XX_CSUM_XXHASH64, 200);
	pthread_mutex_lock(&gate.lock);
	xx_pool_submit(pool, &gate.work);
	verify_broken(&set, pool);
	set_destroy(&set);
	pthread_mutex_unlock(&gate.lock);
	xx_pool_destroy(pool);
}
