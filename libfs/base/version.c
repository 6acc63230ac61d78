/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * version.c - the version that configure.ac names.
 */
#include <xx/version.h>

const char *xx_version(void)
{
	return PACKAGE_VERSION;
}
