/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache_every_n.c - the Nth transfer of a program that reads, changes and evicts blocks fails, for N = 1, 2, ... until
 * nothing does.
 *
 * Whatever N: the program ends; it reports success only when all is on the medium; no change that it was told has
 * been taken is lost when the device becomes good again.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/fault/everyn.h"
#include "tests/unit/cachetest.h"

enum {
	BLOCKS = 24,
	ROOM = 6
};

/* Which blocks were changed in the cache, to old value + 1000. */
struct changes {
	bool made[BLOCKS];
};

/* Add 1000 to a block. */
static int change(struct rig *rig, unsigned nr, struct changes *changes)
{
	struct xx_buf *buf;
	int ret;

	ret = rig_read(rig, nr, &buf);
	if (ret)
		return ret;
	cr_expect_eq(rig_value(buf), nr);
	xx_buf_put(rig_fill(rig, nr, nr + 1000));
	xx_buf_dirty(buf);
	xx_buf_put(buf);
	changes->made[nr] = true;
	return 0;
}

/* Change all blocks with room for a few, so that the cache has to write; the first error. */
static int program(struct rig *rig, struct changes *changes)
{
	int ret = 0;

	for (unsigned nr = 0; nr < BLOCKS && !ret; nr++) {
		if (nr % 4 == 0) {
			xx_cache_readahead(rig->cache, rig->dev, (uint64_t)(nr + 1) * RIG_BLOCK, RIG_BLOCK);
			xx_cache_readahead(rig->cache, rig->dev, (uint64_t)(nr + 2) * RIG_BLOCK, RIG_BLOCK);
		}
		ret = change(rig, nr, changes);
	}
	return ret ? ret : xx_cache_flush(rig->cache);
}

/* How many transfers are counted before the fault can come no more is not known: false when it did not come. */
static bool run(unsigned kind, const struct everyn *row, uint64_t n)
{
	struct xx_fault fault = everyn_fault(row, n);
	struct changes changes = { 0 };
	struct rig rig;
	int ret;

	rig_open(&rig, kind, rig_room(ROOM));
	for (unsigned nr = 0; nr < BLOCKS; nr++)
		rig_format(&rig, nr, nr);
	xx_device_inject(rig.dev, &fault);
	ret = program(&rig, &changes);
	cr_expect_eq(xx_ring_drain(rig.ring), 0);
	xx_device_inject(rig.dev, NULL);
	cr_expect(!row->harmless || ret == 0, "N %lu: %d", n, ret);
	for (unsigned nr = 0; nr < BLOCKS && ret == 0; nr++)
		cr_expect(rig_holds(&rig, (uint64_t)nr * RIG_BLOCK, nr + 1000), "N %lu: success, and block %u", n, nr);
	cr_expect_eq(rig_close_cache(&rig), 0, "N %lu", n);
	for (unsigned nr = 0; nr < BLOCKS; nr++)
		cr_expect(rig_holds(&rig, (uint64_t)nr * RIG_BLOCK, nr + (changes.made[nr] ? 1000 : 0)),
			  "N %lu: block %u is lost", n, nr);
	rig_close(&rig);
	return fault.hits > 0;
}

ON_EACH_ENGINE(cache_every_n, read_change_evict)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(everyn); i++) {
		uint64_t n = 1;

		while (run(*kind, &everyn[i], n))
			n++;
		cr_expect_gt(n, 1, "row %zu", i);
	}
}
