/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_common.h - what the tests of rings and plugs share: the rigs, each an engine with a kind of device.
 */
#ifndef XX_TESTS_RING_COMMON_H
#define XX_TESTS_RING_COMMON_H

#include <pthread.h>
#include <xx/context.h>
#include <xx/device.h>
#include <xx/fault.h>
#include <xx/plug.h>
#include <xx/ring.h>

enum rig_device {
	RIG_DIRECT, /* a file, O_DIRECT where the file system takes it */
	RIG_BUFFERED,
	RIG_MEMORY,
	RIG_MEMORY_ALIGNED, /* asks for the alignment that O_DIRECT asks for */
};

struct rig_kind {
	const char *name;
	enum xx_engine_id engine;
	enum rig_device device;
};

extern const struct rig_kind rig_kinds[];
extern const size_t rig_count;

enum {
	RIG_SIZE = 64 << 20,
	RIG_BLOCK = 4096, /* aligned for every rig */
};

struct rig {
	struct xx_ctx *ctx;
	struct xx_device *dev;
	struct xx_ring *ring;
	pthread_t owner;
	uint64_t calls; /* callbacks of rig requests */
	uint64_t errors; /* of them with an error */
	int last_error;
	bool elsewhere; /* one ran in another thread */
	char message[512]; /* the last one */
	unsigned int messages;
};

/* False when the engine is not permitted here: skip the test. */
bool rig_open(struct rig *rig, size_t kind, uint32_t depth);
void rig_close(struct rig *rig);

/* A request of the rig whose callback counts. */
struct rig_request {
	struct xx_request req;
	struct rig *rig;
	uint32_t calls;
	int result;
	void *buf;
};

/* With a buffer of its own, filled with a pattern that depends on where it goes. */
void rig_request(struct rig *rig, struct rig_request *r, enum xx_op op, uint64_t offset, size_t length);
void rig_release(struct rig_request *r);

/* The pattern for what is at @offset. */
void rig_fill(void *buf, uint64_t offset, size_t length);
bool rig_matches(const void *buf, uint64_t offset, size_t length);

/* Does the device hold the pattern there, or zeros? */
bool rig_device_matches(struct rig *rig, uint64_t offset, size_t length);
bool rig_device_zero(struct rig *rig, uint64_t offset, size_t length);

/* An aligned buffer; ends the test when there is no memory. */
void *rig_buffer(size_t length);

/* Make and open a file of its own that has no name any more. */
int rig_file(struct xx_ctx *ctx, uint64_t size, uint32_t flags, struct xx_device **out);

void rig_sink(enum xx_level level, const char *text, void *private);

#endif
