/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_criterion.h - a Criterion test that runs once for each rig.
 */
#ifndef XX_TESTS_RING_CRITERION_H
#define XX_TESTS_RING_CRITERION_H

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include "ring_common.h"

/* The parameter is an index into rig_kinds. */
static inline struct criterion_test_params rig_parameters(void)
{
	size_t *indices = cr_malloc(rig_count * sizeof(*indices));

	for (size_t i = 0; i < rig_count; i++)
		indices[i] = i;
	return cr_make_param_array(size_t, indices, rig_count);
}

static inline void rig_need(struct rig *rig, size_t kind, uint32_t depth)
{
	if (!rig_open(rig, kind, depth))
		cr_skip_test("%s: not permitted here", rig_kinds[kind].name);
}

#define RIG_TEST(suite, name, ...)               \
	ParameterizedTestParameters(suite, name) \
	{                                        \
		return rig_parameters();         \
	}                                        \
	ParameterizedTest(const size_t *kind, suite, name, ##__VA_ARGS__)

#endif
