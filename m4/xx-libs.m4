# SPDX-License-Identifier: GPL-2.0-or-later
# The libraries that xx stands on. All that is missing is collected, then named with its Debian packages.

# XX_PKG(VARIABLE, MODULES, DEBIAN PACKAGE)
AC_DEFUN([XX_PKG], [
	PKG_CHECK_MODULES([$1], [$2], [], [
		AC_MSG_WARN([$2 not found: Debian package $3])
		xx_missing="$xx_missing $3"
	])
])

AC_DEFUN([XX_LIBRARIES], [
	xx_missing=
	XX_PKG([URING], [liburing >= 2.0], [liburing-dev])
	XX_PKG([BLKID], [blkid >= 2.36], [libblkid-dev])
	XX_PKG([UUID], [uuid], [uuid-dev])
	XX_PKG([ISAL], [libisal], [libisal-dev])
	XX_PKG([XXHASH], [libxxhash], [libxxhash-dev])
	XX_PKG([GCRYPT], [libgcrypt >= 1.9], [libgcrypt20-dev])
	XX_PKG([JSON], [json-c], [libjson-c-dev])

	# libaio has no .pc file.
	AC_CHECK_HEADER([libaio.h], [xx_have_aio=yes], [xx_have_aio=no])
	xx_save_LIBS=$LIBS
	AC_CHECK_LIB([aio], [io_submit], [], [xx_have_aio=no])
	LIBS=$xx_save_LIBS
	AS_IF([test "$xx_have_aio" = yes], [AIO_LIBS=-laio], [
		AC_MSG_WARN([libaio not found: Debian package libaio-dev])
		xx_missing="$xx_missing libaio-dev"
	])
	AC_SUBST([AIO_LIBS])

	AS_IF([test -n "$xx_missing"], [AC_MSG_ERROR([libraries are missing; on Debian:

    apt-get install$xx_missing
])])

	PKG_CHECK_MODULES([CRITERION], [criterion >= 2.4], [have_criterion=yes],
		[have_criterion="no (Debian package libcriterion-dev)"])
	AM_CONDITIONAL([HAVE_CRITERION], [test "$have_criterion" = yes])
])
