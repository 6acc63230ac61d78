# SPDX-License-Identifier: GPL-2.0-or-later
# Switches of configure, and the compiler flags that follow from them.

# XX_CFLAG(VARIABLE, FLAG): append FLAG to VARIABLE when the compiler takes it without a warning.
AC_DEFUN([XX_CFLAG], [
	AC_MSG_CHECKING([whether $CC takes $2])
	xx_save_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS -Werror $2"
	AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <string.h>]], [[char b[4]; memset(b, 0, sizeof(b)); return b[0];]])],
		[AC_MSG_RESULT([yes]); $1="$$1 $2"], [AC_MSG_RESULT([no])])
	CFLAGS=$xx_save_CFLAGS
])

AC_DEFUN([XX_SWITCH], [
	AC_ARG_ENABLE([$1], [AS_HELP_STRING([--enable-$1], [$2])], [], [enable_$1=no])
])

AC_DEFUN([XX_SWITCHES], [
	XX_SWITCH([asan], [build with AddressSanitizer])
	XX_SWITCH([ubsan], [build with UndefinedBehaviorSanitizer; every finding is fatal])
	XX_SWITCH([tsan], [build with ThreadSanitizer])
	XX_SWITCH([fuzzing], [build the fuzzers (needs clang)])
	XX_SWITCH([coverage], [instrument for coverage])
	XX_SWITCH([werror], [make warnings fatal])

	XX_SANITIZE_CFLAGS=
	AS_IF([test "$enable_asan" = yes], [XX_SANITIZE_CFLAGS="$XX_SANITIZE_CFLAGS -fsanitize=address"])
	AS_IF([test "$enable_ubsan" = yes], [XX_SANITIZE_CFLAGS="$XX_SANITIZE_CFLAGS -fsanitize=undefined"])
	AS_IF([test "$enable_tsan" = yes], [XX_SANITIZE_CFLAGS="$XX_SANITIZE_CFLAGS -fsanitize=thread"])
	AS_IF([test -n "$XX_SANITIZE_CFLAGS"],
		[XX_SANITIZE_CFLAGS="$XX_SANITIZE_CFLAGS -fno-sanitize-recover=all -fno-omit-frame-pointer"])
	AS_IF([test "$enable_fuzzing" = yes], [
		XX_SANITIZE_CFLAGS="$XX_SANITIZE_CFLAGS -fsanitize=fuzzer-no-link"
		XX_FUZZ_LDFLAGS="-fsanitize=fuzzer"
	])

	AC_CHECK_DECL([__clang__], [xx_clang=yes], [xx_clang=no])
	XX_COVERAGE_CFLAGS=
	AS_IF([test "$enable_coverage$xx_clang" = yesyes],
		[XX_COVERAGE_CFLAGS=" -fprofile-instr-generate -fcoverage-mapping"],
		[test "$enable_coverage" = yes], [XX_COVERAGE_CFLAGS=" --coverage"])
	AS_IF([test "$enable_fuzzing$xx_clang" = yesno],
		[AC_MSG_ERROR([--enable-fuzzing needs clang: apt-get install clang, then configure CC=clang])])

	AC_SUBST([XX_SANITIZE_CFLAGS])
	AC_SUBST([XX_COVERAGE_CFLAGS])
	AC_SUBST([XX_FUZZ_LDFLAGS])
	AM_CONDITIONAL([ENABLE_FUZZING], [test "$enable_fuzzing" = yes])
])

AC_DEFUN([XX_WARNINGS], [
	# Rows of tables leave out what is zero.
	XX_WARN_CFLAGS="-std=gnu17 -Wall -Wextra -Wno-missing-field-initializers"
	m4_foreach_w([xx_flag], [-Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wvla
		-Wpointer-arith -Wwrite-strings -Wundef -Wformat=2 -Wimplicit-fallthrough -Wdate-time],
		[XX_CFLAG([XX_WARN_CFLAGS], xx_flag)])
	# For the library: 64-bit offsets that end in 32 bits are its classic fault.
	XX_CONVERSION_CFLAGS=
	m4_foreach_w([xx_flag], [-Wconversion -Wno-sign-conversion -Wsign-compare],
		[XX_CFLAG([XX_CONVERSION_CFLAGS], xx_flag)])
	AS_IF([test "$enable_werror" = yes], [XX_WARN_CFLAGS="$XX_WARN_CFLAGS -Werror"])
	AC_SUBST([XX_WARN_CFLAGS])
	AC_SUBST([XX_CONVERSION_CFLAGS])
])

AC_DEFUN([XX_HARDENING], [
	XX_HARDEN_CFLAGS=
	XX_HARDEN_LDFLAGS=
	XX_CFLAG([XX_HARDEN_CFLAGS], [-fstack-protector-strong])
	XX_CFLAG([XX_HARDEN_CFLAGS], [-fstack-clash-protection])
	XX_CFLAG([XX_HARDEN_CFLAGS], [-fcf-protection])
	XX_CFLAG([XX_HARDEN_CFLAGS], [-fPIE])
	# Sanitizers bring their own checks, and fortified functions hide faults from them.
	AS_IF([test -z "$XX_SANITIZE_CFLAGS"], [
		XX_CFLAG([XX_HARDEN_CFLAGS], [-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3])
		AS_CASE([$XX_HARDEN_CFLAGS], [*FORTIFY*], [],
			[XX_CFLAG([XX_HARDEN_CFLAGS], [-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2])])
	])
	XX_CFLAG([XX_HARDEN_LDFLAGS], [-Wl,-z,relro,-z,now])
	XX_CFLAG([XX_HARDEN_LDFLAGS], [-Wl,-z,noexecstack])
	XX_CFLAG([XX_HARDEN_LDFLAGS], [-Wl,--as-needed])
	AC_SUBST([XX_HARDEN_CFLAGS])
	AC_SUBST([XX_HARDEN_LDFLAGS])
])
