#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# docs.sh - the paths and names that the documents mention exist.
. "$(dirname "$0")/lib.sh"

# What stands between backquotes on one line, or in a block of code, word by word.
words_of()
{
	awk '/^```/ { block = !block; next } block { print; next } { print }' "$1" |
		grep -oE '`[^`]+`' | tr -d '`' | tr ' \t' '\n\n' | sed -E 's/[(),;:]+$//' | sort -u
}

missing_paths()
{
	local word

	while read -r word; do
		# A word in capitals stands for any name.
		[[ $word =~ (^|[^A-Z])[A-Z]{2,}([^A-Z]|$) ]] && ! [[ $word =~ \.md$ ]] && continue
		[[ $word == *[\<\>\$\*=…]* ]] && continue
		compgen -G "$word" >/dev/null && continue
		# A bare name can stand in any room.
		[[ $word != */* ]] && [ -n "$(own_files "$word")" ] && continue
		echo "$word"
	done < <(words_of "$1" | grep -E '^((include|libfs|tools|mkfs|scrub|man|scripts|tests|m4|\.ci)/|[a-zA-Z_.-]+\.(c|h|md|ac|am|sh)$)')
}

missing_names()
{
	local name

	while read -r name; do
		grep -qrw -- "$name" include libfs tools mkfs scrub tests/unit || echo "$name"
	done < <(words_of "$1" | grep -oE '\bxx_[a-z0-9_]+[a-z0-9]\b' | sort -u)
}

missing_functions()
{
	local name

	grep -oE '`[a-z_0-9]+\(\)`' "$1" | tr -d '`()' | sort -u | while read -r name; do
		grep -qrE -- "\b$name\(" include libfs tools mkfs scrub tests || echo "$name()"
	done
}

missing_links()
{
	local link

	grep -oE '\]\([^)#]+' "$1" | sed 's/^](//' | grep -v '^[a-z]*:' | while read -r link; do
		[ -e "$link" ] || echo "$link"
	done
}

for document in README.md HACKING.md NEWS.md tests/data/README.md; do
	[ -e "$document" ] || continue
	none "$document: its paths exist" "$(missing_paths "$document")"
	none "$document: its names exist" "$(missing_names "$document")"
	none "$document: its functions exist" "$(missing_functions "$document")"
	none "$document: its links lead somewhere" "$(missing_links "$document")"
done

# The map of the house names each room, and each check is explained.
none "HACKING.md names every room" "$(
	for room in base io csum cache xfs; do
		grep -qE "(^|[^a-z])$room/" HACKING.md || echo "$room"
	done
)"
none "HACKING.md names every check" "$(
	bash -c '. scripts/checks.sh; printf "%s\n" "${all_checks[@]}" "${more_checks[@]}"' | while read -r name; do
		grep -qE "\`$name\`" HACKING.md || echo "$name"
	done
)"
done_testing
