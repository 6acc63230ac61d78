/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device_tool.c - the library's devices and rings from a shell test.
 *
 *	device_tool open PATH		open for writing and close again
 *	device_tool info PATH		print what was learned, one NAME VALUE a line
 *	device_tool use ENGINE PATH	write, zero, flush and discard at the end of the device, and look at the outcome
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xx/context.h>
#include <xx/device.h>
#include <xx/ring.h>

enum {
	SIZE = 1 << 20, /* of what is used: so much at the end */
	PART = SIZE / 4,
};

static void sink(enum xx_level level, const char *text, void *private)
{
	(void)private;
	if (level <= XX_WARNING)
		fprintf(stderr, "%s\n", text);
}

static void print_info(const struct xx_device_info *info)
{
	printf("kind %s\nsize %" PRIu64 "\nlogical_sector %u\nphysical_sector %u\n",
	       info->kind == XX_DEVICE_BLOCK ? "block" : "file", info->size, info->logical_sector,
	       info->physical_sector);
	printf("direct %d\noffset_align %u\nmemory_align %u\nmax_request %u\n", info->direct, info->offset_align,
	       info->memory_align, info->max_request);
	printf("discard %d\nintegrity %d\n", info->discard_max != 0, info->integrity.capable);
}

static int run(struct xx_ring *ring, enum xx_op op, struct xx_device *dev, uint64_t offset, void *buf, uint64_t length)
{
	struct xx_request req;

	xx_request_init(&req, op, dev, offset, buf, length, NULL, NULL);
	return xx_ring_run(ring, &req);
}

static int expect(const uint8_t *buf, size_t from, size_t to, uint8_t value)
{
	for (size_t i = from; i < to; i++)
		if (buf[i] != value)
			return -EUCLEAN;
	return 0;
}

/* Four parts: written, zeroed, written, discarded. A discarded one may read as anything. */
static int use(struct xx_ring *ring, struct xx_device *dev)
{
	uint64_t base = xx_device_info(dev)->size - SIZE;
	uint8_t *buf;
	int ret, discard;

	if (posix_memalign((void **)&buf, 4096, SIZE) != 0)
		return -ENOMEM;
	memset(buf, 0x5a, SIZE);
	ret = run(ring, XX_OP_WRITE, dev, base, buf, SIZE);
	if (ret == 0)
		ret = run(ring, XX_OP_ZERO, dev, base + PART, NULL, PART);
	discard = run(ring, XX_OP_DISCARD, dev, base + 3 * PART, NULL, PART);
	if (ret == 0)
		ret = run(ring, XX_OP_FLUSH, dev, 0, NULL, 0);
	if (ret == 0)
		ret = run(ring, XX_OP_READ, dev, base, buf, SIZE);
	if (ret == 0)
		ret = expect(buf, 0, PART, 0x5a);
	if (ret == 0)
		ret = expect(buf, PART, 2 * PART, 0);
	if (ret == 0)
		ret = expect(buf, 2 * PART, 3 * PART, 0x5a);
	if (ret == 0)
		printf("engine %s\ndiscard %s\nend %s\n", xx_ring_engine_name(ring),
		       discard ? strerror(-discard) : "done",
		       run(ring, XX_OP_READ, dev, base + PART, buf, SIZE) == -ENXIO ? "error" : "no error");
	free(buf);
	return ret;
}

static int open_ring(struct xx_ctx *ctx, const char *engine, struct xx_device *dev)
{
	struct xx_ring_options options = { 0 };
	struct xx_ring *ring;
	int ret = xx_engine_parse(engine, &options.engine);

	if (ret == 0)
		ret = xx_ring_create(ctx, &options, &ring);
	if (ret < 0)
		return ret;
	ret = use(ring, dev);
	xx_ring_destroy(ring);
	return ret;
}

int main(int argc, char **argv)
{
	struct xx_device_options options = { 0 };
	struct xx_device *dev;
	struct xx_ctx *ctx;
	int ret;

	if (argc < 3 || xx_ctx_create(sink, NULL, &ctx) < 0)
		return 2;
	options.flags = strcmp(argv[1], "info") == 0 ? 0 : XX_DEVICE_WRITE;
	ret = xx_device_open(ctx, argv[argc - 1], &options, &dev);
	if (ret == 0) {
		if (strcmp(argv[1], "info") == 0)
			print_info(xx_device_info(dev));
		if (strcmp(argv[1], "use") == 0 && argc == 4)
			ret = open_ring(ctx, argv[2], dev);
		if (ret < 0)
			fprintf(stderr, "%s\n", strerror(-ret));
		xx_device_close(dev);
	}
	xx_ctx_destroy(ctx);
	return ret < 0;
}
