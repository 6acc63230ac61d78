#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# packages.sh - scripts/packages is well formed, and names the package of each tool that a test needs.
. "$(dirname "$0")/lib.sh"
need_tool dpkg-query

none "each line is: when, package, what for" "$(grep -vE '^#|^(build|demo|test)	[a-z0-9.+-]+(	.*)?$' scripts/packages)"
none "no package is named twice" "$(grep -v '^#' scripts/packages | cut -f2 | sort | uniq -d)"

# The package that a tool came from; nothing for one that every Debian has.
package_of()
{
	local path package

	path=$(command -v "$1") || return 0
	# Files were moved from / to /usr, and dpkg may know either name; a tool can be an alternative's link.
	package=$(for name in "$path" "${path#/usr}" "$(realpath "$path")"; do
		dpkg-query -S "$name" 2>/dev/null
	done | head -n 1 | cut -d: -f1)
	[ -n "$package" ] || return 0
	[ "$(dpkg-query -W -f '${Essential}' "$package")" = yes ] || echo "$package"
}

mapfile -t tools < <(own_files '*.sh' | xargs grep -hE '^[[:blank:]]*need_tool ' | sed -E 's/.*need_tool +//; s/[;|&].*//' |
	tr ' ' '\n' | grep -E '^[a-z0-9._-]+$' | sort -u)
none "each tool that a test needs is there" "$(
	for tool in "${tools[@]}"; do
		command -v "$tool" >/dev/null || echo "$tool"
	done
)"
none "each tool that a test needs comes from a package that is listed" "$(
	for tool in "${tools[@]}"; do
		package=$(package_of "$tool")
		# Versions of clang and of its formatter are packages of their own behind the listed one.
		[ -z "$package" ] || cut -f2 scripts/packages | grep -qx -- "${package%-14}" || echo "$tool: $package"
	done
)"
done_testing
