/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_prepare.c - a file that is there already: what was looked at is what is made larger and written to, also when its
 * name leads to another one meanwhile.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xx/context.h>
#include <xx/device.h>
#include <xx/units.h>

#include "mkfs/prepare.h"

#define NEEDED (300 * XX_MIB)

static void ignore(enum xx_level level, const char *text, void *private)
{
	(void)level;
	(void)text;
	(void)private;
}

static void make_file(const char *path, uint64_t size)
{
	FILE *file = fopen(path, "w");

	cr_assert_not_null(file);
	cr_assert_eq(ftruncate(fileno(file), (off_t)size), 0);
	cr_assert_eq(fclose(file), 0);
}

Test(mkfs_prepare, a_file_that_is_replaced_meanwhile_is_left_alone)
{
	char dir[] = "/tmp/xx-prepare.XXXXXX", path[64], other[64];
	struct xx_xfs_geometry geo = { .data_blocks = NEEDED / 4096, .block_size = 4096, .sector_size = 512 };
	struct mkfs_xfs_options opt = { .data_name = path };
	struct mkfs_run run = { 0 };
	struct mkfs_topology topo;
	struct stat st, opened;

	cr_assert_not_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/image", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	make_file(path, XX_MIB);
	make_file(other, 2 * XX_MIB);
	cr_assert_eq(xx_ctx_create(ignore, NULL, &run.ctx), 0);
	cr_assert_eq(mkfs_prepare_look(&run, &opt, &topo), 0);
	cr_assert_eq(rename(other, path), 0);
	run.geo = &geo;
	cr_assert_eq(mkfs_prepare_settle(&run), 0);

	cr_assert_eq(xx_device_info(run.target[MKFS_DATA].dev)->size, NEEDED);
	cr_assert_eq(stat(path, &st), 0);
	cr_assert_eq(st.st_size, 2 * XX_MIB, "the other file was made larger");
	cr_assert_eq(fstat(xx_device_fd(run.target[MKFS_DATA].dev), &opened), 0);
	cr_assert_eq(opened.st_size, NEEDED);
	cr_assert_neq(opened.st_ino, st.st_ino);

	cr_assert_eq(mkfs_prepare_close(&run), 0);
	mkfs_run_release(&run);
	xx_ctx_destroy(run.ctx);
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(rmdir(dir), 0);
}
