/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_post.c - for ThreadSanitizer: posters, the helper thread and the threads of the thread engine, against the owner.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xx/device.h>
#include <xx/ring.h>

enum {
	POSTS = 3000,
	POSTERS = 3,
	REQUESTS = 64,
	BLOCK = 4096,
};

struct state {
	struct xx_ring *ring;
	uint64_t posts, requests, errors; /* not atomic: the owner's */
};

struct poster {
	struct state *state;
	struct xx_post posts[POSTS];
	pthread_t thread;
};

static void run_post(struct xx_post *post)
{
	struct state *state = post->private;

	state->posts++;
}

static void *post_all(void *arg)
{
	struct poster *p = arg;

	for (int i = 0; i < POSTS; i++)
		xx_ring_post(p->state->ring, &p->posts[i]);
	return NULL;
}

static void request_done(struct xx_request *req)
{
	struct state *state = req->private;

	state->requests++;
	state->errors += req->result != 0 && req->op != XX_OP_DISCARD;
}

static int start(struct state *state, struct poster *posters)
{
	for (int i = 0; i < POSTERS; i++) {
		posters[i].state = state;
		for (int j = 0; j < POSTS; j++) {
			posters[i].posts[j] = (struct xx_post){ .run = run_post, .private = state };
			xx_ring_expect(state->ring, &posters[i].posts[j]);
		}
		if (pthread_create(&posters[i].thread, NULL, post_all, &posters[i]) != 0)
			return -1;
	}
	return 0;
}

static int run(enum xx_engine_id engine, struct xx_device *dev, void *buf)
{
	static const enum xx_op ops[] = { XX_OP_WRITE, XX_OP_READ, XX_OP_ZERO, XX_OP_DISCARD };
	struct xx_ring_options options = { .engine = engine, .depth = 8 };
	struct poster *posters = calloc(POSTERS, sizeof(*posters));
	struct xx_request *reqs = calloc(REQUESTS, sizeof(*reqs));
	struct state state = { 0 };
	int ret = -1;

	if (!posters || !reqs)
		goto out;
	if (xx_ring_create(NULL, &options, &state.ring) < 0) {
		ret = 0; /* not permitted here */
		goto out;
	}
	if (start(&state, posters) < 0)
		goto out;
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < REQUESTS; i++) {
			xx_request_init(&reqs[i], ops[i % 4], dev, (uint64_t)i * BLOCK, (char *)buf + i * BLOCK, BLOCK,
					request_done, &state);
			if (xx_ring_submit(state.ring, &reqs[i]) < 0)
				state.errors++;
		}
		while (state.requests < (uint64_t)(round + 1) * REQUESTS)
			if (xx_ring_wait(state.ring, 1) < 0)
				state.errors++;
	}
	if (xx_ring_drain(state.ring) < 0)
		state.errors++;
	for (int i = 0; i < POSTERS; i++)
		pthread_join(posters[i].thread, NULL);
	ret = state.posts == POSTERS * POSTS && state.errors == 0 ? 0 : -1;
out:
	xx_ring_destroy(state.ring);
	free(posters);
	free(reqs);
	return ret;
}

int main(void)
{
	struct xx_device_options options = { .flags = XX_DEVICE_WRITE, .set_size = true, .size = REQUESTS * BLOCK };
	const char *tmp = getenv("TMPDIR");
	struct xx_device *dev;
	char path[256];
	void *buf;
	int fd, failed = 0;

	snprintf(path, sizeof(path), "%s/xx-test-XXXXXX", tmp ? tmp : "/tmp");
	fd = mkstemp(path);
	if (fd < 0 || xx_device_open(NULL, path, &options, &dev) < 0)
		return 1;
	close(fd);
	unlink(path);
	if (posix_memalign(&buf, BLOCK, REQUESTS * BLOCK) != 0)
		return 1;
	memset(buf, 1, REQUESTS * BLOCK);
	for (enum xx_engine_id engine = XX_ENGINE_URING; engine <= XX_ENGINE_MEMORY; engine++)
		failed |= run(engine, dev, buf) < 0;
	free(buf);
	xx_device_close(dev);
	return failed;
}
