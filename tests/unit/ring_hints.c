/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_hints.c - tests: what a ring is told of memory and of a device changes nothing but the speed, on each engine.
 */
#include "ring_criterion.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "io/ring_impl.h"

/* Registered memory and files change nothing but the speed. */
RIG_TEST(ring_hints, hints_do_not_change_the_bytes)
{
	struct rig_request w, r;
	struct rig rig;

	rig_need(&rig, *kind, 0);
	rig_request(&rig, &w, XX_OP_WRITE, 0, 256 * RIG_BLOCK);
	rig_request(&rig, &r, XX_OP_READ, 0, 256 * RIG_BLOCK);
	xx_ring_memory(rig.ring, w.buf, 256 * RIG_BLOCK);
	xx_ring_device(rig.ring, rig.dev);
	cr_assert_eq(xx_ring_run(rig.ring, &w.req), 0);
	cr_assert_eq(xx_ring_run(rig.ring, &r.req), 0);
	cr_assert(rig_matches(r.buf, 0, 256 * RIG_BLOCK));
	xx_ring_memory(rig.ring, NULL, 0);
	xx_ring_device(rig.ring, NULL);
	cr_assert_eq(xx_ring_run(rig.ring, &w.req), 0);
	rig_release(&w);
	rig_release(&r);
	rig_close(&rig);
}

/* A ring that is gone holds nothing: what it had registered can be opened exclusively at once. */
RIG_TEST(ring_hints, nothing_stays_open)
{
	struct xx_device_options options = { .flags = XX_DEVICE_WRITE };
	struct rig_request w;
	struct rig rig;
	char path[64];

	rig_need(&rig, *kind, 0);
	for (int i = 0; i < 50 && xx_device_fd(rig.dev) >= 0; i++) {
		struct xx_ring_options ring_options = { .engine = rig_kinds[*kind].engine };
		int fd;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", xx_device_fd(rig.dev));
		fd = open(path, O_RDONLY);
		rig_request(&rig, &w, XX_OP_WRITE, 0, RIG_BLOCK);
		xx_ring_device(rig.ring, i % 2 ? rig.dev : NULL);
		xx_ring_memory(rig.ring, i % 2 ? w.buf : NULL, RIG_BLOCK);
		cr_assert_eq(xx_ring_run(rig.ring, &w.req), 0);
		xx_ring_destroy(rig.ring);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		cr_assert_eq(xx_device_close(rig.dev), 0);
		cr_assert_eq(xx_device_open(NULL, path, &options, &rig.dev), 0);
		close(fd);
		cr_assert_eq(xx_ring_create(NULL, &ring_options, &rig.ring), 0);
		rig_release(&w);
	}
	rig_close(&rig);
}
