#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# packages.sh - scripts/packages is well formed, and names the package of each tool that a test needs.
. "$(dirname "$0")/lib.sh"
need_tool dpkg-query

none "each line is: when, package, what for" "$(grep -vE '^#|^(build|demo|test)	[a-z0-9.+-]+(	.*)?$' scripts/packages)"
none "no package is named twice" "$(grep -v '^#' scripts/packages | cut -f2 | sort | uniq -d)"

# Files were moved from / to /usr, and dpkg may know either name.
names_of()
{
	local path

	path=$(command -v "$1") && printf '%s\n' "$path" "${path#/usr}"
}

mapfile -t tools < <(own_files '*.sh' | xargs grep -hE '^[[:blank:]]*need_tool ' | sed -E 's/.*need_tool +//; s/[;|&].*//' |
	tr ' ' '\n' | grep -E '^[a-z0-9._-]+$' | sort -u)
none "each tool that a test needs is there" "$(
	for tool in "${tools[@]}"; do
		command -v "$tool" >/dev/null || echo "$tool"
	done
)"

# The packages of all tools at once, for dpkg reads all that is installed each time; what every Debian has is not listed.
mapfile -t names < <(for tool in "${tools[@]}"; do names_of "$tool"; done | sort -u)
mapfile -t packages < <(dpkg-query -S "${names[@]}" 2>/dev/null | cut -d: -f1 | sort -u)
mapfile -t packages < <(dpkg-query -W -f '${Essential} ${Package}\n' "${packages[@]}" | sed -n 's/^no //p')
none "each tool that a test needs comes from a package that is listed" "$(
	# Some tools come from a package behind the listed one: clang-14, python3-minimal.
	printf '%s\n' "${packages[@]}" | sed -E 's/-(14|minimal)$//' | sort -u | comm -23 - <(cut -f2 scripts/packages | sort)
)"
done_testing
