#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# install.sh - what `make install` puts where, that a program can be built against it, and that uninstall takes all.
. "$(dirname "$0")/lib.sh"
need_tool make pkg-config

root=$scratch/root
check "make install" make -s -C "$builddir" install DESTDIR="$root"
prefix=$(sed -n 's/^prefix = //p' "$builddir/Makefile")
libdir=$(sed -n "s,^libdir = \${exec_prefix},$prefix,p" "$builddir/Makefile")

for file in sbin/mkfs.xx lib/libxx.so lib/libxx.so.0 lib/pkgconfig/xx.pc share/man/man8/mkfs.xx.8 share/man/man7/xx.7 \
	share/bash-completion/completions/mkfs.xx sbin/xxscrub share/man/man8/xxscrub.8 \
	share/bash-completion/completions/xxscrub lib/systemd/system/xxscrub@.service lib/systemd/system/xxscrub@.timer; do
	check "$file is installed" test -s "$root$prefix/$file"
done
for header in include/xx/*.h; do
	check "<xx/${header##*/}> is installed" cmp "$header" "$root$prefix/$header"
done
none "nothing else is installed" "$(
	find "$root$prefix" ! -type d -printf '%P\n' |
		grep -Ev '^(sbin/(mkfs\.xx|xxscrub)|lib/systemd/system/xxscrub@\.(service|timer)|lib/libxx\.(so|so\.0|so\.0\.[0-9.]+|la)|lib/pkgconfig/xx\.pc|include/xx/[a-z0-9_-]+\.h)$' |
		grep -Ev '^share/(man/man[78]/(mkfs\.xx\.8|xxscrub\.8|xx\.7)|bash-completion/completions/(mkfs\.xx|xxscrub))$'
)"

is "$(objdump -p "$root$libdir/libxx.so" | awk '$1 == "SONAME" { print $2 }')" libxx.so.0 "the SONAME of libxx"
has "$(objdump -p "$root$prefix/sbin/mkfs.xx" | awk '$1 == "NEEDED" { print $2 }')" '^libxx.so.0$' "mkfs.xx links libxx"
check "mkfs.xx runs from where it is installed" env LD_LIBRARY_PATH="$root$libdir" "$root$prefix/sbin/mkfs.xx" --version
check "xxscrub runs from where it is installed" env LD_LIBRARY_PATH="$root$libdir" "$root$prefix/sbin/xxscrub" --version
has "$(<"$root$prefix/lib/systemd/system/xxscrub@.service")" "^ExecStart=.*$prefix/sbin/xxscrub" "the unit has the path of xxscrub"

cat >"$scratch/user.c" <<'C'
#include <stdio.h>
#include <xx/version.h>
int main(void)
{
	return puts(xx_version()) < 0;
}
C
export PKG_CONFIG_PATH=$root$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
build_user()
{
	local flags

	read -r -a flags < <(pkg-config --cflags --libs xx)
	${CC:-gcc} -std=gnu17 -Wall -Wextra -Werror "$scratch/user.c" "${flags[@]}" -o "$scratch/user" &&
		LD_LIBRARY_PATH=$root$libdir "$scratch/user"
}
check "a program builds with xx.pc, and runs" build_user

none "each header compiles alone, in C17 with GNU extensions" "$(
	for header in include/xx/*.h; do
		echo "#include <xx/${header##*/}>" |
			gcc -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$root$prefix/include" -fsyntax-only -x c - 2>&1
	done
)"

check "make uninstall" make -s -C "$builddir" uninstall DESTDIR="$root"
none "uninstall leaves nothing" "$(find "$root" ! -type d)"
done_testing
