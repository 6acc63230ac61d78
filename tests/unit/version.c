/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * version.c - the library says which version it is.
 */
#include <criterion/criterion.h>

#include <xx/version.h>

Test(version, is_that_of_the_package)
{
	cr_assert_str_eq(xx_version(), PACKAGE_VERSION);
}
