/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * version.h - which libxx this is.
 */
#ifndef XX_VERSION_H
#define XX_VERSION_H

#include <xx/compiler.h>

/* The version of the library that is running, as "MAJOR.MINOR.PATCH"; a constant string. */
XX_API const char *xx_version(void);

#endif
