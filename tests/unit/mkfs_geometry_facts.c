/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Geometry policy against what mkfs.xfs 6.1.0 decided from the same options.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <xx/compiler.h>

#include "tests/unit/mkfs_geometry_common.h"

static const struct {
	const char *set, *numbers;
} facts[] = {
#include "tests/unit/mkfs_geometry_facts.h"
};

static void file_volume(struct mkfs_volume *volume, const char *size)
{
	volume->present = true;
	volume->is_file = true;
	volume->size = size_of(size);
	volume->logical_sector = volume->physical_sector = 512;
}

static void run(const char *set, struct outcome *out)
{
	struct mkfs_topology topo = { 0 };
	char data[32], log[32], rt[32], args[512];
	int options = 0, used;

	cr_assert_eq(sscanf(set, "%31s %31s %31s %n", data, log, rt, &options), 3);
	used = snprintf(args, sizeof(args), "-d file,name=data,size=%s %s", data, set + options);
	file_volume(&topo.data, "0");
	if (strcmp(log, "-")) {
		file_volume(&topo.log, log);
		used += snprintf(args + used, sizeof(args) - (size_t)used, " -l logdev=log");
	}
	if (strcmp(rt, "-")) {
		file_volume(&topo.rt, rt);
		snprintf(args + used, sizeof(args) - (size_t)used, " -r rtdev=rt");
	}
	decide(args, &topo, out);
}

Test(mkfs_geometry, decides_as_mkfs_xfs)
{
	for (size_t i = 0; i < XX_ARRAY_SIZE(facts); i++) {
		struct outcome out;
		char got[256];

		run(facts[i].set, &out);
		if (!facts[i].numbers) {
			cr_expect(out.error < 0, "%s: not refused", facts[i].set);
			cr_expect_eq(out.errors, 1, "%s: %u errors: %s", facts[i].set, out.errors, out.text);
			continue;
		}
		cr_expect_eq(out.error, 0, "%s: %s", facts[i].set, out.text);
		numbers_of(&out.geo, got, sizeof(got));
		cr_expect_str_eq(got, facts[i].numbers, "%s: %s", facts[i].set, got);
	}
}
