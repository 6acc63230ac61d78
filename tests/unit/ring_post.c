/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_post.c - tests: what other threads hand to the owner arrives, once, and wakes it.
 */
#include "ring_criterion.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "io/ring_impl.h"

enum {
	POSTS = 50000, /* of each thread */
	POSTERS = 2,
};

struct poster {
	struct rig *rig;
	struct xx_post *posts;
	pthread_t thread;
};

static void count_post(struct xx_post *post)
{
	struct rig *rig = post->private;

	rig->calls++;
	if (!pthread_equal(pthread_self(), rig->owner))
		rig->elsewhere = true;
}

static void *post_all(void *arg)
{
	struct poster *p = arg;

	for (size_t i = 0; i < POSTS; i++)
		xx_ring_post(p->rig->ring, &p->posts[i]);
	return NULL;
}

static void start_poster(struct poster *p, struct rig *rig)
{
	p->rig = rig;
	p->posts = calloc(POSTS, sizeof(*p->posts));
	for (size_t i = 0; i < POSTS; i++) {
		p->posts[i] = (struct xx_post){ .run = count_post, .private = rig };
		xx_ring_expect(rig->ring, &p->posts[i]);
	}
	cr_assert_eq(pthread_create(&p->thread, NULL, post_all, p), 0);
}

static void end_poster(struct poster *p)
{
	pthread_join(p->thread, NULL);
	free(p->posts);
}

/* The owner sleeps each time that nothing is there; a lost wake-up would be the end of it. */
RIG_TEST(ring_post, a_hundred_thousand_while_idle)
{
	struct poster posters[POSTERS];
	struct rig rig;

	rig_need(&rig, *kind, 4);
	for (size_t i = 0; i < POSTERS; i++)
		start_poster(&posters[i], &rig);
	while (xx_ring_inflight(rig.ring) > 0)
		cr_assert_geq(xx_ring_wait(rig.ring, 1), 1);
	for (size_t i = 0; i < POSTERS; i++)
		end_poster(&posters[i]);
	cr_assert_eq(rig.calls, POSTERS * POSTS);
	cr_assert(!rig.elsewhere);
	rig_close(&rig);
}

static void write_again(struct xx_request *req)
{
	struct rig_request *r = req->private;

	r->calls++;
	r->result = req->result;
	if (r->rig->calls < POSTERS * POSTS && xx_ring_submit(r->rig->ring, req) < 0)
		r->result = 1;
}

/* While requests are with the kernel the owner sleeps on its queue. */
RIG_TEST(ring_post, a_hundred_thousand_while_writing)
{
	struct poster posters[POSTERS];
	struct rig_request r[3];
	struct rig rig;

	rig_need(&rig, *kind, 2);
	for (size_t i = 0; i < POSTERS; i++)
		start_poster(&posters[i], &rig);
	for (size_t i = 0; i < 3; i++) {
		rig_request(&rig, &r[i], XX_OP_WRITE, i * RIG_BLOCK, RIG_BLOCK);
		r[i].req.done = write_again;
		cr_assert_eq(xx_ring_submit(rig.ring, &r[i].req), 0);
	}
	while (xx_ring_inflight(rig.ring) > 0)
		cr_assert_geq(xx_ring_wait(rig.ring, 1), 1);
	for (size_t i = 0; i < POSTERS; i++)
		end_poster(&posters[i]);
	for (size_t i = 0; i < 3; i++) {
		cr_assert_eq(r[i].result, 0);
		rig_release(&r[i]);
	}
	cr_assert_eq(rig.calls, POSTERS * POSTS);
	cr_assert(!rig.elsewhere);
	rig_close(&rig);
}

/* The helper thread, the kernel and posters wake the same owner. */
RIG_TEST(ring_post, helper_and_posts)
{
	struct poster poster;
	struct rig_request w, z, f;
	struct rig rig;

	rig_need(&rig, *kind, 3);
	start_poster(&poster, &rig);
	for (size_t i = 0; i < 300; i++) {
		rig_request(&rig, &w, XX_OP_WRITE, 0, RIG_BLOCK);
		rig_request(&rig, &z, XX_OP_DISCARD, 8 * RIG_BLOCK, RIG_BLOCK);
		rig_request(&rig, &f, XX_OP_ZERO, 16 * RIG_BLOCK, RIG_BLOCK);
		cr_assert_eq(xx_ring_submit(rig.ring, &w.req), 0);
		cr_assert_eq(xx_ring_submit(rig.ring, &z.req), 0);
		cr_assert_eq(xx_ring_submit(rig.ring, &f.req), 0);
		while (!w.calls || !z.calls || !f.calls)
			cr_assert_geq(xx_ring_wait(rig.ring, 1), 1);
		cr_assert_eq(w.result, 0);
		cr_assert_eq(z.result, -EOPNOTSUPP);
		cr_assert_eq(f.result, 0);
		rig_release(&w);
	}
	cr_assert_eq(xx_ring_drain(rig.ring), 0);
	end_poster(&poster);
	cr_assert_eq(rig.calls, POSTS + 900);
	rig_close(&rig);
}

/* One that was not announced runs too, when the owner comes by. */
RIG_TEST(ring_post, unannounced)
{
	struct xx_post post = { .run = count_post };
	struct rig rig;

	rig_need(&rig, *kind, 2);
	post.private = &rig;
	xx_ring_post(rig.ring, &post);
	cr_assert_eq(rig.calls, 0);
	cr_assert_eq(xx_ring_inflight(rig.ring), 0);
	cr_assert_eq(xx_ring_reap(rig.ring), 1);
	cr_assert_eq(rig.calls, 1);
	xx_ring_post(rig.ring, &post);
	xx_ring_destroy(rig.ring);
	rig.ring = NULL;
	cr_assert_eq(rig.calls, 2);
	rig_close(&rig);
}

struct pipe_test {
	struct rig rig;
	int write_end;
	bool read_done;
};

static void fill_pipe(struct xx_post *post)
{
	struct pipe_test *t = post->private;

	t->rig.calls++;
	cr_assert(!t->read_done);
	cr_assert_eq(write(t->write_end, "0123456789abcdef", 16), 16);
}

static void pipe_read(struct xx_request *req)
{
	struct pipe_test *t = req->private;

	t->read_done = true;
	cr_assert_eq(req->result, 0);
}

static void *post_late(void *arg)
{
	struct xx_post *post = arg;
	struct pipe_test *t = post->private;
	bool asleep = false;

	while (!asleep) {
		pthread_mutex_lock(&t->rig.ring->inbox.lock);
		asleep = t->rig.ring->inbox.waiting != XX_INBOX_AWAKE;
		pthread_mutex_unlock(&t->rig.ring->inbox.lock);
	}
	xx_ring_post(t->rig.ring, post);
	return NULL;
}

/*
 * The owner sleeps on the kernel's queue for a read that cannot end before the post has run: only the post can wake it.
 * Many times, since the poll of the eventfd has to be armed anew each time.
 */
Test(ring_post, wakes_an_owner_that_waits_for_the_kernel)
{
	struct pipe_test t = { 0 };
	struct xx_post post = { .run = fill_pipe, .private = &t };
	struct xx_request req;
	pthread_t thread;
	char buf[16];
	int ends[2], file;

	rig_need(&t.rig, 1, 4);
	cr_assert_eq(pipe(ends), 0);
	t.write_end = ends[1];
	file = t.rig.dev->fd;
	t.rig.dev->fd = ends[0];
	for (int i = 0; i < 500; i++) {
		t.read_done = false;
		xx_request_init(&req, XX_OP_READ, t.rig.dev, 0, buf, sizeof(buf), pipe_read, &t);
		cr_assert_eq(xx_ring_submit(t.rig.ring, &req), 0);
		xx_ring_expect(t.rig.ring, &post);
		cr_assert_eq(pthread_create(&thread, NULL, post_late, &post), 0);
		cr_assert_eq(xx_ring_drain(t.rig.ring), 0);
		cr_assert(t.read_done);
		pthread_join(thread, NULL);
	}
	cr_assert_eq(t.rig.calls, 500);
	t.rig.dev->fd = file;
	close(ends[0]);
	close(ends[1]);
	rig_close(&t.rig);
}
