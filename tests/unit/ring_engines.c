/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_engines.c - tests: the best engine that is permitted is taken, and one that is named and not permitted is a clear
 * error. What is not permitted is set up with a seccomp filter, as a container has it.
 */
#include "ring_criterion.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "io/ring_impl.h"

/* From now on this process gets @err from the system call. */
static void forbid(long call, int err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned int)err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { XX_ARRAY_SIZE(code), code };

	cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		cr_skip_test("no seccomp filters here");
}

static void expect_engine(enum xx_engine_id id, const char *name)
{
	struct xx_ring_options options = { .engine = id };
	struct xx_ring *ring;

	cr_assert_eq(xx_ring_create(NULL, &options, &ring), 0);
	cr_assert_str_eq(xx_ring_engine_name(ring), name);
	xx_ring_destroy(ring);
}

static void expect_refusal(enum xx_engine_id id, int err, const char *name)
{
	struct xx_ring_options options = { .engine = id };
	struct rig rig = { 0 };
	struct xx_ring *ring;

	cr_assert_eq(xx_ctx_create(rig_sink, &rig, &rig.ctx), 0);
	cr_assert_eq(xx_ring_create(rig.ctx, &options, &ring), err);
	cr_assert_eq(rig.messages, 1);
	cr_assert_not_null(strstr(rig.message, name), "%s", rig.message);
	cr_assert_not_null(strstr(rig.message, strerror(-err)), "%s", rig.message);
	xx_ctx_destroy(rig.ctx);
}

Test(ring_engines, names)
{
	static const char *const names[] = { "auto", "uring", "aio", "threads" };
	enum xx_engine_id id;

	for (size_t i = 0; i < XX_ARRAY_SIZE(names); i++) {
		cr_assert_eq(xx_engine_parse(names[i], &id), 0);
		cr_assert_eq(id, (enum xx_engine_id)(XX_ENGINE_AUTO + i));
		cr_assert_not_null(strstr(XX_ENGINE_NAMES, names[i]));
	}
	cr_assert_eq(xx_engine_parse("memory", &id), -EINVAL);
	cr_assert_eq(xx_engine_parse("", &id), -EINVAL);
}

Test(ring_engines, io_uring_forbidden_by_a_container)
{
	forbid(SYS_io_uring_setup, EPERM);
	expect_engine(XX_ENGINE_AUTO, "aio");
	expect_refusal(XX_ENGINE_URING, -EPERM, "uring");
}

Test(ring_engines, io_uring_unknown_to_the_kernel)
{
	forbid(SYS_io_uring_setup, ENOSYS);
	expect_engine(XX_ENGINE_AUTO, "aio");
	expect_refusal(XX_ENGINE_URING, -ENOSYS, "uring");
}

Test(ring_engines, io_uring_without_locked_memory)
{
	forbid(SYS_io_uring_setup, ENOMEM);
	expect_engine(XX_ENGINE_AUTO, "aio");
	expect_refusal(XX_ENGINE_URING, -ENOMEM, "uring");
}

Test(ring_engines, aio_exhausted)
{
	forbid(SYS_io_uring_setup, EPERM);
	forbid(SYS_io_setup, EAGAIN);
	expect_engine(XX_ENGINE_AUTO, "threads");
	expect_refusal(XX_ENGINE_AIO, -EAGAIN, "aio");
	expect_engine(XX_ENGINE_THREADS, "threads");
}

/* Setting up works, entering does not: each request gets the error, and nothing hangs. */
Test(ring_engines, io_uring_that_cannot_be_entered)
{
	struct rig_request r[10];
	struct rig rig;

	rig_need(&rig, 0, 4);
	forbid(SYS_io_uring_enter, EPERM);
	for (size_t i = 0; i < 10; i++) {
		rig_request(&rig, &r[i], XX_OP_WRITE, i * RIG_BLOCK, RIG_BLOCK);
		cr_assert_eq(xx_ring_submit(rig.ring, &r[i].req), 0);
	}
	cr_assert_eq(xx_ring_drain(rig.ring), 0);
	cr_assert_eq(rig.calls, 10);
	cr_assert_eq(rig.errors, 10);
	cr_assert_eq(rig.last_error, -EPERM);
	for (size_t i = 0; i < 10; i++)
		rig_release(&r[i]);
	rig_close(&rig);
}

/* The same when memory is short all the time. */
Test(ring_engines, io_uring_without_memory)
{
	struct rig_request r[10];
	struct rig rig;

	rig_need(&rig, 0, 4);
	forbid(SYS_io_uring_enter, EAGAIN);
	for (size_t i = 0; i < 10; i++) {
		rig_request(&rig, &r[i], XX_OP_WRITE, i * RIG_BLOCK, RIG_BLOCK);
		cr_assert_eq(xx_ring_submit(rig.ring, &r[i].req), 0);
	}
	cr_assert_eq(xx_ring_drain(rig.ring), 0);
	cr_assert_eq(rig.errors, 10);
	for (size_t i = 0; i < 10; i++)
		rig_release(&r[i]);
	rig_close(&rig);
}

Test(ring_engines, aio_that_cannot_be_submitted_to)
{
	struct rig_request r[10];
	struct rig rig;

	rig_need(&rig, 2, 4);
	forbid(SYS_io_submit, EPERM);
	for (size_t i = 0; i < 10; i++) {
		rig_request(&rig, &r[i], XX_OP_WRITE, i * RIG_BLOCK, RIG_BLOCK);
		cr_assert_eq(xx_ring_submit(rig.ring, &r[i].req), 0);
	}
	cr_assert_eq(xx_ring_drain(rig.ring), 0);
	cr_assert_eq(rig.errors, 10);
	for (size_t i = 0; i < 10; i++)
		rig_release(&r[i]);
	rig_close(&rig);
}
