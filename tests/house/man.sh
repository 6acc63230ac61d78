#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# man.sh - mandoc is content with the pages, and the page of a tool has the options that its --help has.
. "$(dirname "$0")/lib.sh"
need_tool mandoc

for page in man/*.[0-9]; do
	check "$page: mandoc finds no fault" mandoc -T lint -W warning "$page"
	text=$(mandoc -T ascii "$page" | sed 's/.\x08//g')
	for section in NAME SYNOPSIS DESCRIPTION "EXIT STATUS" ENVIRONMENT EXAMPLES "SEE ALSO"; do
		# The concepts page is of no one command.
		[[ $page == *.7 && $section == SYNOPSIS ]] && continue
		has "$text" "^$section\$" "$page has a section $section"
	done
done

long_options()
{
	grep -oE '(^|[^-[:alnum:]])--[a-z][a-z0-9-]*' | grep -oE -- '--[a-z0-9-]+' | sort -u
}

# check_options TOOL
check_options()
{
	local page=man/$1.8 help paged

	[ -e "$page" ] || {
		not_ok "$page exists"
		return
	}
	help=$("$builddir/$1" --help | long_options)
	# Options of other commands, in the examples, do not count.
	paged=$(mandoc -T ascii "$page" | sed 's/.\x08//g' | sed '/^EXAMPLES/,/^[A-Z]/d' | long_options)
	has "$help" '^--version$' "$1 --help names long options"
	none "each long option of $1 --help is in $page" "$(comm -23 <(echo "$help") <(echo "$paged"))"
	none "each long option in $page is in $1 --help" "$(comm -13 <(echo "$help") <(echo "$paged"))"
}

# check_suboptions TOOL: each sub-option of --help has its paragraph in the section of its option in the page.
check_suboptions()
{
	"$builddir/$1" --help | awk '
		/^  -[a-z],.*:$/ { letter = substr($1, 2, 1) }
		/^        [a-z]/ { sub(/[=[].*/, "", $1); print letter, $1 }' | sort >"$scratch/helped"
	awk '
		/^\.S[HS] / { letter = /^\.SS .-[a-z]:/ ? substr($2, 3, 1) : "" }
		/^\.B[IR]? / && tagged && letter { gsub(/[^-a-z0-9]+/, " "); for (i = 1; i <= NF; i++) print letter, $i }
		{ tagged = /^\.TP/ }' <(sed 's/\\-\([a-z]*\) \[/-\1 [/' "man/$1.8") | sort >"$scratch/paged"
	none "each sub-option of $1 --help is in its section of the page" "$(comm -23 "$scratch/helped" "$scratch/paged")"
	check "$1 --help has sub-options" test -s "$scratch/helped"
}

check_options mkfs.xx
check_suboptions mkfs.xx
check_options xxscrub
done_testing
