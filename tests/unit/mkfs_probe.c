/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_probe.c - what is found on a device, where it lies, and whether a file system may be made over it.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xx/context.h>
#include <xx/units.h>

#include "mkfs/probe.h"

#define SIZE (256 * XX_MIB)

static int fd;
static struct mkfs_probe probe;

static void setup(void)
{
	fd = memfd_create("probe", MFD_CLOEXEC);
	cr_assert_geq(fd, 0);
	cr_assert_eq(ftruncate(fd, (off_t)SIZE), 0);
}

static void teardown(void)
{
	mkfs_probe_release(&probe);
	close(fd);
}

static void put(uint64_t offset, const void *bytes, size_t len)
{
	cr_assert_eq(pwrite(fd, bytes, len, (off_t)offset), (ssize_t)len);
}

static void look(void)
{
	cr_assert_eq(mkfs_probe_signatures(fd, SIZE, &probe), 0);
}

static bool has_place(uint64_t offset)
{
	for (size_t i = 0; i < probe.places; i++)
		if (probe.place[i].offset <= offset && offset < probe.place[i].offset + probe.place[i].bytes)
			return true;
	return false;
}

TestSuite(mkfs_probe, .init = setup, .fini = teardown);

Test(mkfs_probe, nothing_on_an_empty_file)
{
	look();
	cr_assert_not(probe.found);
	cr_assert_not(probe.failed);
	cr_assert_not(probe.head_used);
	cr_assert_not(probe.tail_used);
	cr_assert_eq(probe.places, 0);
}

Test(mkfs_probe, written_zeros_are_nothing_too)
{
	static const uint8_t zeros[65536];

	put(0, zeros, sizeof(zeros));
	put(SIZE - sizeof(zeros), zeros, sizeof(zeros));
	look();
	cr_assert_not(probe.head_used);
	cr_assert_not(probe.tail_used);
}

Test(mkfs_probe, data_without_a_signature_is_used_but_not_refused)
{
	put(1000, "x", 1);
	put(SIZE - 1, "x", 1);
	look();
	cr_assert(probe.head_used);
	cr_assert(probe.tail_used);
	cr_assert_not(probe.found);
	cr_assert_eq(mkfs_probe_allow(NULL, &probe, "name", false), 0);
}

/* Signatures that are short: at an offset. */
static const struct {
	const char *type;
	enum mkfs_kind kind;
	uint64_t offset;
	const char *bytes;
	size_t len;
} signatures[] = {
	{ "crypto_LUKS", MKFS_KIND_CRYPTO, 0, "LUKS\xba\xbe\0\1", 8 },
	{ "swap", MKFS_KIND_OTHER, 4086, "SWAPSPACE2", 10 },
	{ "dos", MKFS_KIND_TABLE, 446, "\0\0\0\0\x83\0\0\0\0\x08\0\0\0\x35\x0c\0", 16 },
};

static void put_signature(size_t i)
{
	put(signatures[i].offset, signatures[i].bytes, signatures[i].len);
	if (signatures[i].kind == MKFS_KIND_TABLE)
		put(510, "\x55\xaa", 2);
	if (strcmp(signatures[i].type, "swap") == 0)
		put(1024, "\1\0\0\0\xff\xff\0\0", 8); /* version and last page */
}

Test(mkfs_probe, each_kind_is_named_and_refused_without_force)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(signatures); i++) {
		put_signature(i);
		look();
		cr_assert(probe.found, "%s", signatures[i].type);
		cr_assert_str_eq(probe.type, signatures[i].type);
		cr_assert_eq(probe.kind, signatures[i].kind, "%s", probe.type);
		cr_assert(has_place(signatures[i].kind == MKFS_KIND_TABLE ? 510 : signatures[i].offset), "%s",
			  probe.type);
		cr_assert_eq(mkfs_probe_allow(NULL, &probe, "name", false), -EEXIST);
		cr_assert_eq(mkfs_probe_allow(NULL, &probe, "name", true), 0);
		teardown();
		setup();
	}
}

Test(mkfs_probe, several_signatures_are_all_found)
{
	put_signature(1);
	put_signature(2);
	look();
	cr_assert(has_place(4086));
	cr_assert(has_place(510));
}

Test(mkfs_probe, a_copy_of_the_superblock_of_btrfs_is_found_alone)
{
	put(64 * XX_MIB + 64, "_BHRfS_M", 8);
	look();
	cr_assert_not(probe.found);
	cr_assert_eq(probe.places, 1);
	cr_assert(has_place(64 * XX_MIB));
	cr_assert(has_place(64 * XX_MIB + 4095));
}

Test(mkfs_probe, what_cannot_be_read_is_refused_without_force)
{
	char path[32];
	int writer;

	put(0, "x", 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	writer = open(path, O_WRONLY | O_CLOEXEC);
	cr_assert_geq(writer, 0);
	cr_assert_eq(mkfs_probe_signatures(writer, SIZE, &probe), 0);
	close(writer);
	cr_assert(probe.failed);
	cr_assert(probe.head_used);
	cr_assert_eq(mkfs_probe_allow(NULL, &probe, "name", false), -EEXIST);
	cr_assert_eq(mkfs_probe_allow(NULL, &probe, "name", true), 0);
}

static char message[256];

static void note(enum xx_level level, const char *text, void *private)
{
	(void)private;
	cr_assert_eq(level, XX_ERROR);
	snprintf(message, sizeof(message), "%s", text);
}

Test(mkfs_probe, the_message_names_the_device_what_is_there_and_the_way_out)
{
	struct xx_ctx *ctx;

	put_signature(0);
	look();
	cr_assert_eq(xx_ctx_create(note, NULL, &ctx), 0);
	cr_assert_eq(mkfs_probe_allow(ctx, &probe, "/dev/name", false), -EEXIST);
	cr_assert(strstr(message, "/dev/name"));
	cr_assert(strstr(message, "crypto_LUKS"));
	cr_assert(strstr(message, "-f"));
	xx_ctx_destroy(ctx);
}

Test(mkfs_probe, holes_are_told_from_data)
{
	put(SIZE / 2, "x", 1);
	cr_assert(mkfs_probe_is_hole(fd, 0, XX_MIB));
	cr_assert(mkfs_probe_is_hole(fd, SIZE - XX_MIB, XX_MIB));
	cr_assert_not(mkfs_probe_is_hole(fd, 0, SIZE));
	cr_assert_not(mkfs_probe_is_hole(fd, SIZE / 2, 512));
}
