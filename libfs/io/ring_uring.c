/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_uring.c - the engine over io_uring (liburing).
 *
 * The inbox's eventfd is polled by the same ring, so that one wait serves both. The poll is one-shot: it is armed
 * before each wait unless it still is.
 *
 * The submission queue is small whatever the depth, since a batch can go down in several calls; the completion queue
 * has room for all that can be down, so it never overflows. What the kernel did not consume for want of memory stays in
 * the submission queue, and goes with the next call; give_up() is for when that is of no use.
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <linux/falloc.h>
#include <poll.h>
#include <stdlib.h>
#include <xx/units.h>
#include "io/engine.h"

enum {
	QUEUE_MAX = 128, /* entries of the submission queue */
	OTHERS = 8, /* completions beyond those of slots: the poll, and places that were given up */
};

struct uring_engine {
	struct xx_inbox *inbox;
	struct io_uring ring;
	bool modern; /* Linux 6.1 or later: registering does not wait for what is down */
	bool armed;
	int error; /* why the kernel took nothing, last */
	uint32_t stalls; /* calls in a row that the kernel refused for want of memory */
	struct xx_slot_list failed; /* given up */
	struct xx_device *device; /* registered as file 0 */
	char *memory; /* registered as buffer 0 */
	size_t memory_length;
};

/* The best way that this kernel knows. */
static int setup_ring(struct uring_engine *ue, uint32_t depth)
{
	static const unsigned int flags[] = {
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG, /* 6.1 */
		IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG, /* 5.19 */
		0,
	};
	int ret = -EINVAL;

	for (size_t i = 0; i < XX_ARRAY_SIZE(flags) && ret == -EINVAL; i++) {
		struct io_uring_params params = {
			.flags = flags[i] | IORING_SETUP_CQSIZE,
			.cq_entries = 2 * depth + OTHERS,
		};

		ret = io_uring_queue_init_params((unsigned int)xx_min(depth, QUEUE_MAX), &ue->ring, &params);
		ue->modern = i == 0;
	}
	return ret;
}

static int uring_create(struct xx_engine *engine, const struct xx_engine_setup *setup)
{
	struct uring_engine *ue = calloc(1, sizeof(*ue));
	int ret;

	if (!ue)
		return -ENOMEM;
	ue->inbox = setup->inbox;
	engine->private = ue;
	engine->can = XX_CAN_MOVE | 1 << XX_OP_FLUSH | 1 << XX_OP_ZERO;
	ret = xx_inbox_open_eventfd(ue->inbox);
	if (ret == 0)
		ret = setup_ring(ue, setup->depth);
	if (ret < 0)
		free(ue);
	return ret;
}

static bool is_registered(const struct uring_engine *ue, const struct xx_slot *slot)
{
	const char *base = slot->iov[0].iov_base;

	return ue->memory && slot->iovcnt == 1 && base >= ue->memory &&
	       base + slot->iov[0].iov_len <= ue->memory + ue->memory_length;
}

static void prepare_move(const struct uring_engine *ue, struct io_uring_sqe *sqe, const struct xx_slot *slot, int fd)
{
	unsigned int length = (unsigned int)slot->iov[0].iov_len;

	if (slot->op == XX_OP_READ && is_registered(ue, slot))
		io_uring_prep_read_fixed(sqe, fd, slot->iov[0].iov_base, length, slot->at, 0);
	else if (slot->op == XX_OP_READ)
		io_uring_prep_readv(sqe, fd, slot->iov, slot->iovcnt, slot->at);
	else if (is_registered(ue, slot))
		io_uring_prep_write_fixed(sqe, fd, slot->iov[0].iov_base, length, slot->at, 0);
	else
		io_uring_prep_writev(sqe, fd, slot->iov, slot->iovcnt, slot->at);
}

static void prepare(struct uring_engine *ue, struct io_uring_sqe *sqe, struct xx_slot *slot)
{
	bool file = ue->device == slot->device;
	int fd = file ? 0 : slot->device->fd;
	int mode = slot->method == XX_ZERO_RANGE ? FALLOC_FL_ZERO_RANGE : FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;

	if (slot->op == XX_OP_FLUSH)
		io_uring_prep_fsync(sqe, fd, IORING_FSYNC_DATASYNC);
	else if (slot->op == XX_OP_ZERO)
		io_uring_prep_fallocate(sqe, fd, mode, (off_t)slot->at, (off_t)slot->left);
	else
		prepare_move(ue, sqe, slot, fd);
	if (file)
		io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	io_uring_sqe_set_data(sqe, slot);
}

/*
 * The kernel does not take what stands in the submission queue. Each place becomes one that does nothing, and its slot
 * fails with @err.
 */
static void give_up(struct uring_engine *ue, int err)
{
	struct io_uring_sq *sq = &ue->ring.sq;
	unsigned int left = io_uring_sq_ready(&ue->ring);

	for (unsigned int i = 0; i < left; i++) {
		struct io_uring_sqe *sqe = &sq->sqes[(sq->sqe_tail - left + i) & *sq->kring_mask];
		void *data = (void *)(uintptr_t)sqe->user_data;
		struct xx_slot *slot = data;

		io_uring_prep_nop(sqe);
		io_uring_sqe_set_data(sqe, NULL);
		if (data == ue) {
			ue->armed = false;
		} else if (data) {
			slot->res = err;
			xx_slot_append(&ue->failed, slot);
		}
	}
	ue->stalls = 0;
	ue->error = err;
	xx_inbox_wake(ue->inbox);
}

static bool is_transient(int err)
{
	return err == -EAGAIN || err == -EBUSY || err == -ENOMEM || err == -EINTR;
}

/* What a call of the kernel came to. Want of memory is waited out, but not for ever. */
static void judge(struct uring_engine *ue, int ret)
{
	if (ret >= 0)
		ue->error = 0;
	if (ret >= 0 || ret == -EINTR)
		ue->stalls = 0;
	else if (!is_transient(ret) || ++ue->stalls > XX_STALLS_MAX)
		give_up(ue, ret);
}

/* Send what stands in the submission queue; all of it, unless the kernel refuses. */
static void send_queue(struct uring_engine *ue)
{
	int ret = 1;

	while (ret > 0 && io_uring_sq_ready(&ue->ring) > 0) {
		do {
			ret = io_uring_submit(&ue->ring);
		} while (ret == -EINTR);
		judge(ue, ret);
	}
}

/* A place in the submission queue, NULL when there is none and the kernel takes nothing. */
static struct io_uring_sqe *get_place(struct uring_engine *ue)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ue->ring);

	if (sqe)
		return sqe;
	send_queue(ue);
	return io_uring_get_sqe(&ue->ring);
}

static int uring_commit(struct xx_engine *engine, struct xx_slot **slots, uint32_t count)
{
	struct uring_engine *ue = engine->private;
	uint32_t taken;

	for (taken = 0; taken < count; taken++) {
		struct io_uring_sqe *sqe = get_place(ue);

		if (!sqe)
			break;
		prepare(ue, sqe, slots[taken]);
	}
	send_queue(ue);
	return taken ? (int)taken : ue->error ? ue->error : -EAGAIN;
}

static void collect(struct uring_engine *ue, const struct io_uring_cqe *cqe, struct xx_slot_list *done)
{
	void *data = io_uring_cqe_get_data(cqe);
	struct xx_slot *slot = data;

	if (data == ue) {
		ue->armed = false;
		xx_inbox_empty(ue->inbox);
	} else if (data) {
		slot->res = cqe->res;
		xx_slot_append(done, slot);
	}
}

static int uring_reap(struct xx_engine *engine, struct xx_slot_list *done)
{
	struct uring_engine *ue = engine->private;
	struct io_uring_cqe *cqe;
	struct xx_slot *slot;
	unsigned int head, count = 0;

	send_queue(ue);
	if (io_uring_peek_cqe(&ue->ring, &cqe) == 0) {
		io_uring_for_each_cqe(&ue->ring, head, cqe)
		{
			collect(ue, cqe, done);
			count++;
		}
		io_uring_cq_advance(&ue->ring, count);
	}
	while ((slot = xx_slot_take(&ue->failed)))
		xx_slot_append(done, slot);
	return 0;
}

static int uring_wait(struct xx_engine *engine)
{
	struct uring_engine *ue = engine->private;
	struct io_uring_sqe *sqe = ue->armed ? NULL : get_place(ue);

	if (sqe) {
		io_uring_prep_poll_add(sqe, ue->inbox->eventfd, POLLIN);
		io_uring_sqe_set_data(sqe, ue);
		ue->armed = true;
	}
	if (ue->armed)
		judge(ue, io_uring_submit_and_wait(&ue->ring, 1));
	return 0;
}

/*
 * Older kernels wait for all that is down when something is registered, and the armed poll is never over: there the
 * hints are not taken.
 */
static void uring_memory(struct xx_engine *engine, void *base, size_t length)
{
	struct uring_engine *ue = engine->private;
	struct iovec iov = { base, length };

	if (ue->memory)
		io_uring_unregister_buffers(&ue->ring);
	ue->memory = NULL;
	if (!base || !ue->modern || io_uring_register_buffers(&ue->ring, &iov, 1) < 0)
		return;
	ue->memory = base;
	ue->memory_length = length;
}

static void uring_file(struct xx_engine *engine, struct xx_device *device)
{
	struct uring_engine *ue = engine->private;

	if (ue->device)
		io_uring_unregister_files(&ue->ring);
	ue->device = NULL;
	if (device && ue->modern && io_uring_register_files(&ue->ring, &device->fd, 1) == 0)
		ue->device = device;
}

/*
 * The kernel takes a ring apart some time after it was closed, and would keep a registered file open until then, so that
 * the device could not be opened exclusively.
 */
static void uring_destroy(struct xx_engine *engine)
{
	struct uring_engine *ue = engine->private;

	uring_file(engine, NULL);
	uring_memory(engine, NULL, 0);
	io_uring_queue_exit(&ue->ring);
	free(ue);
}

const struct xx_engine_ops xx_engine_uring = {
	.name = "uring",
	.create = uring_create,
	.destroy = uring_destroy,
	.commit = uring_commit,
	.reap = uring_reap,
	.wait = uring_wait,
	.memory = uring_memory,
	.file = uring_file,
};
