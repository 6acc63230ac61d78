#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# format.sh - clang-format, the SPDX line, the size of files and functions.
. "$(dirname "$0")/lib.sh"
need_tool clang-format

max_lines=500
max_function=80

for dir in include libfs tools mkfs scrub tests; do
	mapfile -t files < <(own_files '*.c' '*.h' | grep "^$dir/")
	[ ${#files[@]} -eq 0 ] || check "$dir is formatted as .clang-format says" clang-format --dry-run -Werror "${files[@]}"
done

mapfile -t code < <(own_files '*.c' '*.h')
mapfile -t text < <(own_files '*.c' '*.h' '*.sh' '*.am' '*.ac' '*.m4' '*.awk' '*.py' | grep -Ev '^(aclocal|m4/(libtool|lt.*))\.m4')

none "each source says its licence in its first two lines" "$(
	for file in "${text[@]}"; do
		head -n 2 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-or-later' || head -n 1 "$file" | grep -q '^include' ||
			echo "$file"
	done
)"
none "no source has blanks at the end of a line" "$(grep -nE '[[:blank:]]+$' "${text[@]}")"
none "no file of C has more than $max_lines lines" "$(wc -l "${code[@]}" | awk -v max=$max_lines '$2 != "total" && $1 > max')"
none "no function has more than $max_function lines" "$(awk -v max=$max_function '
	FNR == 1 { start = 0 }
	/^\{/ { start = FNR }
	/^\}/ && start { if (FNR - start - 1 > max) print FILENAME ":" start ": " FNR - start - 1 " lines"; start = 0 }
' "${code[@]}")"
none "no block is nested deeper than 4" "$(grep -nP '^\t{6,}(if|for|while|switch|do)\b' "${code[@]}")"

done_testing
