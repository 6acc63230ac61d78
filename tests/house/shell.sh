#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shell.sh - shellcheck on every shell script, those without a suffix too.
. "$(dirname "$0")/lib.sh"
need_tool shellcheck

# A part that is sourced defines what others use, and uses what others define.
is_part()
{
	head -n 1 "$1" | grep -q '^# shellcheck shell='
}

mapfile -t scripts < <(
	{
		own_files '*.sh' '*.bash'
		own_files '*' | grep -Ev '\.(c|h|am|ac|m4|awk|py|md|[0-9]|in|map)$|^tests/data/|^configure' |
			xargs -d '\n' grep -lE '^(#!/bin/(ba)?sh|# shellcheck shell=)' 2>/dev/null
	} | sort -u
)
for script in "${scripts[@]}"; do
	if is_part "$script"; then
		check "$script" shellcheck -S warning -x -e SC2034,SC2154 "$script"
	else
		check "$script" shellcheck -S warning -x -P "$(dirname "$script")" -e SC2154 "$script"
	fi
done
done_testing
