#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# symbols.sh - libxx exports xx_* and nothing else; its objects hold no mutable data, and neither print nor exit.
. "$(dirname "$0")/lib.sh"
need_tool nm objdump readelf

library=$builddir/.libs/libxx.so
[ -e "$library" ] || {
	not_ok "$library is built"
	done_testing
}

exported=$(nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sed 's/@.*//')
none "every exported symbol is xx_*" "$(grep -v '^xx_' <<<"$exported")"
none "every exported symbol stands in a public header" "$(
	for name in $exported; do
		grep -qwr -- "$name" include/xx || echo "$name"
	done
)"

# What the public headers promise, the library has.
none "every function that a public header exports is there" "$(
	grep -hv '^#' include/xx/*.h | tr '\n' ' ' | grep -oE 'XX_API [^;{]*' | grep -oE '\bxx_[a-z0-9_]+ ?\(' | tr -d ' (' | sort -u |
		while read -r name; do
			grep -qx -- "$name" <<<"$exported" || echo "$name"
		done
)"

objects=()
for object in $(make -s --no-print-directory -C "$builddir" list-objects | tail -n 1); do
	objects+=("$builddir/$(dirname "$object")/.libs/$(basename "$object" .lo).o")
done

mutable=$(objdump -t "${objects[@]}" | awk '
	/file format/ { file = $1 }
	# A symbol of some size in writable data; constants that need relocation are read-only when they are used.
	/[[:blank:]]O[[:blank:]]/ {
		for (i = 1; i <= NF; i++)
			if ($i == "O")
				break
		section = $(i + 1)
		if (section ~ /^\.(data|bss|tdata|tbss)/ && section !~ /^\.data\.rel\.ro/)
			print file " " $NF " in " section
	}
	/\*COM\*/ { print file " " $NF " is common" }
')
none "no object of the library has mutable data at file scope" "$mutable"

banned='printf|vprintf|__printf_chk|__vprintf_chk|puts|putchar|perror|stdout|stderr|exit|_exit|_Exit|quick_exit|abort'
banned+='|err|errx|verr|verrx|warn|warnx|vwarn|vwarnx|error|syslog|usleep|sleep|nanosleep'
none "no object of the library prints, exits or sleeps" "$(nm -u -A "${objects[@]}" | grep -wE " U ($banned)(@.*)?$")"

# What a loader can protect is protected.
for file in "$library" "$builddir/.libs/mkfs.xx"; do
	name=$(basename "$file")
	dynamic=$(readelf -dW "$file")
	segments=$(readelf -lW "$file")
	has "$dynamic" '\(FLAGS\) .*BIND_NOW|\(FLAGS_1\) .*NOW' "$name is bound before it runs"
	has "$segments" 'GNU_RELRO' "$name: relocations are read-only then"
	has "$segments" 'GNU_STACK .* RW ' "$name has no executable stack"
	none "$name has no text relocations" "$(grep TEXTREL <<<"$dynamic")"
done
has "$(readelf -hW "$builddir/.libs/mkfs.xx")" 'Type: +DYN' "mkfs.xx is position-independent"
has "$(nm -u "$library")" '__stack_chk_fail' "libxx has stack protectors"
done_testing
