# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lib.sh - what the tests of the house share: the TAP of the system tests, and the list of our own files.

# shellcheck source=tests/system/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../system/lib.sh"
cd "$srcdir" || exit 1

# own_files PATTERN...: our own files whose names match, relative to $srcdir, in order. What git ignores is not ours.
own_files()
{
	local pattern names=(-false)

	for pattern; do
		names+=(-o -name "$pattern")
	done
	find . -mindepth 1 \( -path ./.git -o -path ./build -o -path ./build-aux -o -path ./autom4te.cache \
		-o -name 'xx-[0-9]*' \) -prune -o -type f \( "${names[@]}" \) -printf '%P\n' | sort
}

# none DESCRIPTION LINES: passes when there are none; they are what is wrong.
none()
{
	if [ -z "$2" ]; then
		ok "$1"
	else
		not_ok "$1" "$2"
	fi
}
