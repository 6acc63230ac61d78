/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compiler.h - annotations of functions and types.
 */
#ifndef XX_COMPILER_H
#define XX_COMPILER_H

#include <stddef.h>

/* Exported from libxx; everything else is hidden. On public prototypes only. */
#define XX_API __attribute__((visibility("default")))

/* The result is an error that must be looked at. */
#define XX_MUST_CHECK __attribute__((warn_unused_result))

/* Argument @fmt is a printf format, its arguments begin at @first (0 for a va_list). */
#define XX_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

#define XX_UNUSED __attribute__((unused))

#define XX_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The structure of type @type whose member @member is at @ptr. */
#define xx_container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

#endif
