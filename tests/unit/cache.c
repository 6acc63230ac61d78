/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache.c - tests of the buffer cache, on each engine.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "cachetest.h"

ON_EACH_ENGINE(cache, the_same_range_is_the_same_buffer)
{
	struct rig rig;
	struct xx_buf *a, *b;

	rig_open(&rig, *kind, 0);
	a = rig_get(&rig, 3);
	b = rig_get(&rig, 3);
	cr_expect_eq(a, b);
	cr_expect_eq(rig_refs(a), 2);
	cr_expect_eq(rig_stats(&rig).hits, 1);
	cr_expect_eq(rig_stats(&rig).misses, 1);
	cr_expect_eq(a->offset, 3 * RIG_BLOCK);
	cr_expect_eq(a->length, RIG_BLOCK);
	for (size_t i = 0; i < a->length; i++)
		cr_assert_eq(((char *)a->data)[i], 0);
	xx_buf_put(a);
	xx_buf_put(b);
	rig_close(&rig);
}

ON_EACH_ENGINE(cache, a_read_verifies_once)
{
	struct rig rig;
	struct xx_buf *buf;

	rig_open(&rig, *kind, 0);
	rig_format(&rig, 7, 42);
	cr_assert_eq(rig_read(&rig, 7, &buf), 0);
	cr_expect_eq(rig_value(buf), 42);
	cr_expect_eq(buf->ops, &rig_ops);
	cr_expect_eq(buf->error, 0);
	xx_buf_put(buf);
	rig_touch(&rig, 7);
	cr_expect_eq(rig.seen.verify_read, 1);
	cr_expect_eq(xx_ring_stats(rig.ring)->reads, 1);
	rig_close(&rig);
}

ON_EACH_ENGINE(cache, a_bad_checksum_is_told_and_the_data_kept)
{
	struct rig rig;
	struct xx_buf *buf;
	char *block;

	rig_open(&rig, *kind, 0);
	rig_format(&rig, 7, 42);
	block = rig_peek(&rig, 7 * RIG_BLOCK);
	block[100] ^= 1;
	rig_poke(&rig, 7 * RIG_BLOCK, block);

	buf = rig_get(&rig, 7);
	cr_expect_eq(xx_buf_read(buf, &rig_ops), -EBADMSG);
	cr_expect_eq(buf->error, -EBADMSG);
	cr_expect_null(buf->ops);
	cr_expect_eq(memcmp(buf->data, block, RIG_BLOCK), 0);
	rig_format(&rig, 7, 43);
	cr_expect_eq(xx_buf_read(buf, &rig_ops), 0, "the next read reads again");
	cr_expect_eq(buf->error, 0);
	cr_expect_eq(rig_value(buf), 43);
	xx_buf_put(buf);
	free(block);
	rig_close(&rig);
}

ON_EACH_ENGINE(cache, another_kind_is_corrupt)
{
	struct rig rig;
	struct xx_buf *buf;

	rig_open(&rig, *kind, 0);
	rig_format(&rig, 7, 42);
	buf = rig_get(&rig, 7);
	cr_expect_eq(xx_buf_read(buf, NULL), 0);
	cr_expect_eq(xx_buf_read(buf, &rig_other_ops), -EUCLEAN);
	cr_expect_eq(xx_buf_read(buf, &rig_ops), 0);
	xx_buf_dirty(buf);
	cr_expect_eq(xx_buf_read(buf, &rig_ops), 0);
	cr_expect_eq(xx_buf_read(buf, &rig_other_ops), -EUCLEAN, "dirty as another kind");
	cr_expect(xx_buf_is_dirty(buf));
	cr_expect_eq(buf->ops, &rig_ops);
	xx_buf_put(buf);
	rig_close(&rig);
}

static const int read_errors[] = { -EIO, -EILSEQ, -ENODATA };

ON_EACH_ENGINE(cache, a_read_error_belongs_to_its_buffer)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(read_errors); i++) {
		struct xx_fault fault = {
			.kind = XX_FAULT_ERROR,
			.error = read_errors[i],
			.count = UINT64_MAX,
			.offset = 5 * RIG_BLOCK,
			.length = RIG_BLOCK,
		};
		struct rig rig;
		struct xx_buf *buf;

		rig_open(&rig, *kind, 0);
		for (unsigned nr = 4; nr < 7; nr++) {
			rig_format(&rig, nr, nr);
			xx_cache_readahead(rig.cache, rig.dev, nr * RIG_BLOCK, RIG_BLOCK);
		}
		xx_device_inject(rig.dev, &fault);
		rig_touch(&rig, 4);
		rig_touch(&rig, 6);
		buf = rig_get(&rig, 5);
		cr_expect_eq(xx_buf_read(buf, &rig_ops), read_errors[i]);
		cr_expect_eq(buf->error, read_errors[i]);
		xx_device_inject(rig.dev, NULL);
		cr_expect_eq(xx_buf_read(buf, &rig_ops), 0);
		cr_expect_eq(buf->error, 0);
		xx_buf_put(buf);
		rig_close(&rig);
	}
}

ON_EACH_ENGINE(cache, beyond_the_end_is_an_error)
{
	struct rig rig;
	struct xx_buf *buf;

	rig_open(&rig, *kind, 0);
	cr_expect_eq(rig_read(&rig, RIG_BLOCKS, &buf), -ENXIO);
	rig_close(&rig);
}

ON_EACH_ENGINE(cache, the_least_recently_used_goes_first)
{
	struct rig rig;

	rig_open(&rig, *kind, rig_room(3));
	for (unsigned nr = 0; nr < 4; nr++)
		rig_format(&rig, nr, nr);
	rig_touch(&rig, 0);
	rig_touch(&rig, 1);
	rig_touch(&rig, 2);
	rig_touch(&rig, 0);
	rig_touch(&rig, 3);
	cr_expect_eq(rig_stats(&rig).evictions, 1);
	rig_touch(&rig, 0);
	rig_touch(&rig, 2);
	cr_expect_eq(rig.seen.verify_read, 4, "only block 1 had gone");
	rig_touch(&rig, 1);
	cr_expect_eq(rig.seen.verify_read, 5);
	cr_expect_leq(rig_stats(&rig).bytes_max, rig_room(3));
	rig_close(&rig);
}

ON_EACH_ENGINE(cache, a_referenced_buffer_stays)
{
	struct rig rig;
	struct xx_buf *held[3], *buf;

	rig_open(&rig, *kind, rig_room(3));
	for (unsigned nr = 0; nr < 3; nr++)
		held[nr] = rig_get(&rig, nr);
	cr_expect_eq(xx_cache_get(rig.cache, rig.dev, 3 * RIG_BLOCK, RIG_BLOCK, &buf), -ENOBUFS);
	cr_expect_eq(rig_get(&rig, 1), held[1]);
	xx_buf_put(held[1]);
	xx_buf_put(held[2]);
	cr_expect_eq(xx_cache_get(rig.cache, rig.dev, 3 * RIG_BLOCK, RIG_BLOCK, &buf), 0);
	xx_buf_put(buf);
	cr_expect_eq(xx_cache_get(rig.cache, rig.dev, 4 * RIG_BLOCK, 4 * RIG_BLOCK, &buf), -ENOBUFS, "never fits");
	xx_buf_put(held[0]);
	xx_buf_put(held[1]);
	rig_close(&rig);
}

ON_EACH_ENGINE(cache, a_dirty_buffer_is_written_not_dropped)
{
	struct rig rig;

	rig_open(&rig, *kind, rig_room(4));
	for (unsigned nr = 0; nr < 20; nr++) {
		struct xx_buf *buf = rig_fill(&rig, nr, 1000 + nr);

		xx_buf_dirty(buf);
		xx_buf_put(buf);
	}
	cr_expect_leq(rig_stats(&rig).bytes_max, rig_room(4));
	cr_expect_eq(rig_close_cache(&rig), 0);
	for (unsigned nr = 0; nr < 20; nr++)
		cr_expect(rig_holds(&rig, nr * RIG_BLOCK, 1000 + nr), "block %u", nr);
	rig_close(&rig);
}

ON_EACH_ENGINE(cache, what_is_queued_is_not_written_behind_its_queue)
{
	struct rig rig;
	struct xx_delwri *queue;
	struct xx_buf *buf;

	rig_open(&rig, *kind, rig_room(3));
	cr_assert_eq(xx_delwri_create(rig.cache, &queue), 0);
	for (unsigned nr = 0; nr < 3; nr++) {
		buf = rig_fill(&rig, nr, nr);
		cr_assert_eq(xx_delwri_add(queue, buf), 0);
		xx_buf_put(buf);
	}
	cr_expect_eq(xx_cache_get(rig.cache, rig.dev, 9 * RIG_BLOCK, RIG_BLOCK, &buf), -ENOBUFS);
	cr_expect_eq(xx_cache_flush(rig.cache), 0);
	cr_expect_eq(xx_ring_stats(rig.ring)->writes, 0);
	cr_expect_eq(xx_delwri_count(queue), 3);
	cr_expect_eq(xx_delwri_flush(queue), 0);
	cr_expect_eq(xx_cache_get(rig.cache, rig.dev, 9 * RIG_BLOCK, RIG_BLOCK, &buf), 0);
	xx_buf_put(buf);
	xx_delwri_destroy(queue);
	rig_close(&rig);
}

ON_EACH_ENGINE(cache, what_could_not_be_written_is_kept)
{
	struct xx_fault fault = { .kind = XX_FAULT_ERROR, .error = -EIO, .ops = XX_FAULT_WRITE, .count = UINT64_MAX };
	struct rig rig;
	struct xx_buf *buf;

	rig_open(&rig, *kind, rig_room(2));
	xx_device_inject(rig.dev, &fault);
	for (unsigned nr = 0; nr < 2; nr++) {
		buf = rig_fill(&rig, nr, 70 + nr);
		xx_buf_dirty(buf);
		xx_buf_put(buf);
	}
	cr_expect_eq(xx_cache_get(rig.cache, rig.dev, 9 * RIG_BLOCK, RIG_BLOCK, &buf), -ENOBUFS);
	cr_expect_eq(rig_stats(&rig).dirty, 2);
	cr_expect_eq(rig.messages, 1);
	cr_expect_not_null(strstr(rig.said, "test block"), "%s", rig.said);
	cr_expect_eq(xx_cache_get(rig.cache, rig.dev, 9 * RIG_BLOCK, RIG_BLOCK, &buf), -ENOBUFS);
	cr_expect_eq(rig.messages, 1, "what failed is not tried again for each buffer");
	cr_expect_eq(xx_cache_flush(rig.cache), -EIO, "but when it is asked for");
	xx_device_inject(rig.dev, NULL);
	buf = rig_get(&rig, 0);
	cr_expect_eq(buf->error, -EIO);
	xx_buf_put(buf);
	cr_expect_eq(xx_cache_flush(rig.cache), 0);
	cr_expect_eq(rig_stats(&rig).dirty, 0);
	cr_expect(rig_holds(&rig, 0, 70) && rig_holds(&rig, RIG_BLOCK, 71));
	cr_expect_eq(xx_cache_get(rig.cache, rig.dev, 9 * RIG_BLOCK, RIG_BLOCK, &buf), 0);
	xx_buf_put(buf);
	rig_close(&rig);
}

ON_EACH_ENGINE(cache, the_end_writes_and_tells)
{
	struct xx_fault fault = { .kind = XX_FAULT_ERROR, .error = -ENOSPC, .ops = XX_FAULT_WRITE, .count = UINT64_MAX };
	struct rig rig;
	struct xx_buf *buf;

	rig_open(&rig, *kind, 0);
	buf = rig_fill(&rig, 0, 1);
	xx_buf_dirty(buf);
	xx_buf_put(buf);
	xx_device_inject(rig.dev, &fault);
	cr_expect_eq(rig_close_cache(&rig), -ENOSPC);
	cr_expect_eq(rig.messages, 1);
	xx_device_inject(rig.dev, NULL);
	rig_close(&rig);
}

ON_EACH_ENGINE(cache, what_is_abandoned_or_forgotten_is_not_written)
{
	struct rig rig;
	struct xx_buf *buf[3];

	rig_open(&rig, *kind, 0);
	for (unsigned nr = 0; nr < 3; nr++) {
		buf[nr] = rig_fill(&rig, nr, 1);
		xx_buf_dirty(buf[nr]);
	}
	xx_buf_forget(buf[0]);
	cr_expect_not(xx_buf_is_dirty(buf[0]));
	cr_expect(xx_buf_is_dirty(buf[1]));
	xx_buf_put(buf[1]);
	xx_cache_abandon(rig.cache);
	cr_expect_eq(rig_stats(&rig).dirty, 0);
	cr_expect_eq(xx_buf_read(buf[2], NULL), 0);
	cr_expect_eq(rig_value(buf[2]), 0, "what the medium holds");
	xx_buf_put(buf[0]);
	xx_buf_put(buf[2]);
	cr_expect_eq(rig_close_cache(&rig), 0);
	cr_expect_eq(xx_ring_stats(rig.ring)->writes, 0);
	rig_close(&rig);
}

Test(cache, ranges_that_cannot_be)
{
	const struct xx_extent twice[] = { { 0, RIG_BLOCK }, { 8 * RIG_BLOCK, RIG_BLOCK }, { 512, 512 } };
	struct rig rig;
	struct xx_buf *buf;

	rig_open(&rig, 3, 0);
	cr_expect_eq(xx_cache_get(rig.cache, rig.dev, 0, 0, &buf), -EINVAL);
	cr_expect_eq(xx_cache_get(rig.cache, rig.dev, 0, 100, &buf), -EINVAL);
	cr_expect_eq(xx_cache_get(rig.cache, rig.dev, 100, 512, &buf), -EINVAL);
	cr_expect_eq(xx_cache_get(rig.cache, rig.dev, UINT64_MAX - 511, 512, &buf), -EINVAL);
	cr_expect_eq(xx_cache_get(rig.cache, rig.dev, INT64_MAX - 511, 1024, &buf), -EINVAL);
	cr_expect_eq(xx_cache_get_ranges(rig.cache, rig.dev, twice, 0, &buf), -EINVAL);
	cr_expect_eq(xx_cache_get_ranges(rig.cache, rig.dev, twice, 3, &buf), -EINVAL);
	cr_expect_not(xx_cache_conflicts(rig.cache, rig.dev, UINT64_MAX, 512));
	xx_cache_readahead(rig.cache, rig.dev, UINT64_MAX, 512);
	rig_close(&rig);
}

Test(cache, overlapping_a_referenced_buffer_asserts, .signal = SIGABRT)
{
	struct rig rig;
	struct xx_buf *buf;

	rig_open(&rig, 3, 0);
	rig_get(&rig, 2);
	cr_assert(xx_cache_conflicts(rig.cache, rig.dev, 0, 3 * RIG_BLOCK));
	(void)!xx_cache_get(rig.cache, rig.dev, 0, 3 * RIG_BLOCK, &buf);
}

Test(cache, overlapping_a_dirty_buffer_asserts, .signal = SIGABRT)
{
	struct rig rig;
	struct xx_buf *buf;

	rig_open(&rig, 3, 0);
	buf = rig_fill(&rig, 2, 1);
	xx_buf_dirty(buf);
	xx_buf_put(buf);
	cr_assert(xx_cache_conflicts(rig.cache, rig.dev, 2 * RIG_BLOCK, 512));
	(void)!xx_cache_get(rig.cache, rig.dev, 2 * RIG_BLOCK, 512, &buf);
}

Test(cache, a_reference_that_nobody_has_asserts, .signal = SIGABRT)
{
	struct rig rig;
	struct xx_buf *buf;

	rig_open(&rig, 3, 0);
	buf = rig_get(&rig, 2);
	xx_buf_put(buf);
	xx_buf_put(buf);
}

ON_EACH_ENGINE(cache, what_nobody_needs_gives_way_to_what_overlaps_it)
{
	struct rig rig;
	struct xx_buf *buf;

	rig_open(&rig, *kind, 0);
	rig_format(&rig, 1, 5);
	rig_touch(&rig, 1);
	xx_cache_readahead(rig.cache, rig.dev, 2 * RIG_BLOCK, RIG_BLOCK);
	cr_expect_not(xx_cache_conflicts(rig.cache, rig.dev, 0, 4 * RIG_BLOCK));
	cr_assert_eq(xx_cache_get(rig.cache, rig.dev, 0, 4 * RIG_BLOCK, &buf), 0);
	cr_expect(xx_cache_conflicts(rig.cache, rig.dev, RIG_BLOCK, RIG_BLOCK));
	cr_expect_not(xx_cache_conflicts(rig.cache, rig.dev, 0, 4 * RIG_BLOCK), "the same one");
	cr_expect_eq(rig_stats(&rig).buffers, 1);
	xx_buf_put(buf);
	rig_touch(&rig, 1);
	rig_close(&rig);
}

/* A request whose callback tries what only the owner outside of callbacks may. */
struct intruder {
	struct xx_request req;
	struct rig *rig;
	struct xx_delwri *queue;
	int get, flush, end;
};

static void intrude(struct xx_request *req)
{
	struct intruder *intruder = req->private;
	struct xx_buf *buf;

	intruder->get = rig_read(intruder->rig, 9, &buf);
	intruder->flush = xx_delwri_flush(intruder->queue);
	intruder->end = xx_cache_destroy(intruder->rig->cache);
}

ON_EACH_ENGINE(cache, a_callback_must_not_wait)
{
	struct rig rig;
	struct intruder intruder = { .rig = &rig };
	void *block = aligned_alloc(RIG_BLOCK, RIG_BLOCK);
	struct xx_buf *buf;

	rig_open(&rig, *kind, 0);
	cr_assert_eq(xx_delwri_create(rig.cache, &intruder.queue), 0);
	buf = rig_fill(&rig, 1, 8);
	cr_assert_eq(xx_delwri_add(intruder.queue, buf), 0);
	xx_buf_put(buf);
	xx_request_init(&intruder.req, XX_OP_READ, rig.dev, 0, block, RIG_BLOCK, intrude, &intruder);
	cr_assert_eq(xx_ring_run(rig.ring, &intruder.req), 0);
	cr_expect_eq(intruder.get, -EDEADLK);
	cr_expect_eq(intruder.flush, -EDEADLK);
	cr_expect_eq(intruder.end, -EDEADLK);
	cr_expect_eq(xx_delwri_count(intruder.queue), 1, "nothing was done");
	cr_expect_eq(xx_delwri_flush(intruder.queue), 0);
	cr_expect(rig_holds(&rig, RIG_BLOCK, 8));
	xx_delwri_destroy(intruder.queue);
	free(block);
	rig_close(&rig);
}
