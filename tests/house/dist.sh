#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# dist.sh - the tarball has every file, and builds, passes its unit tests and installs by itself.
# timeout: 1800
. "$(dirname "$0")/lib.sh"
need_tool make xz

version=$(sed -nE 's/^AC_INIT\(\[xx\], \[([^]]+)\].*/\1/p' configure.ac)
unit=$(make -s --no-print-directory -C "$builddir" list-unit | tail -n 1)

# Without optimisation: this build is for the rules of the Makefile, the others are for the compiler.
check "make distcheck" make -C "$builddir" -j"$(nproc)" distcheck TESTS="$unit" \
	AM_DISTCHECK_CONFIGURE_FLAGS="CFLAGS=-O0"

tarball=$builddir/xx-$version.tar.xz
if [ -e .git ] && command -v git >/dev/null; then
	none "each file under version control is in the tarball" "$(
		comm -23 <(git -c safe.directory="$srcdir" ls-files | sort) \
			<(tar -tJf "$tarball" | sed "s,^xx-$version/,," | sort)
	)"
else
	check "the tarball can be read" tar -tJf "$tarball"
fi
rm -f "$tarball"
done_testing
