#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# layering.sh - an include runs down the house, never up or across. A public header belongs to the room whose
# Makemodule.am installs it.
. "$(dirname "$0")/lib.sh"

declare -A may=(
	[base]="base"
	[io]="base io"
	[csum]="base csum"
	[cache]="base io csum cache"
	[xfs]="base io csum cache xfs"
	[btrfs]="base io csum cache btrfs"
	[tools]="base tools"
	[mkfs]="base io csum cache xfs tools mkfs"
	[scrub]="base io csum cache btrfs tools scrub"
)
# Headers of other libraries that one room alone knows.
declare -A foreign=(
	[liburing.h]=io
	[libaio.h]=io
	[isa-l.h]=csum
	[crc.h]=csum
	[xxhash.h]=csum
	[gcrypt.h]=csum
	[isa-l/crc.h]=csum
	[isa-l/raid.h]=btrfs
	[isa-l/erasure_code.h]=btrfs
)

declare -A room_of_header=()
for room in base io csum cache xfs btrfs; do
	for header in $(grep -oE 'include/xx/[a-z0-9_/-]+\.h' "libfs/$room/Makemodule.am"); do
		room_of_header[${header#include/}]=$room
	done
done

# The room that a file stands in.
room_of_file()
{
	case $1 in
	include/*) echo "${room_of_header[${1#include/}]-}" ;;
	libfs/*) sed -E 's,^libfs/([a-z]+)/.*,\1,' <<<"$1" ;;
	*) echo "${1%%/*}" ;;
	esac
}

# The room that FILE's include of NAME leads to; nothing for a header of the system.
room_of_include()
{
	local file=$1 name=$2

	case $name in
	xx/*) echo "${room_of_header[$name]:-nowhere}" ;;
	libfs/*) room_of_file "$name" ;;
	mkfs/* | scrub/* | tools/*) echo "${name%%/*}" ;;
	base/* | io/* | csum/* | cache/* | xfs/* | btrfs/*)
		[ ! -e "libfs/$name" ] || echo "${name%%/*}"
		;;
	*)
		[ ! -e "$(dirname "$file")/$name" ] || room_of_file "$(realpath -m --relative-to=. "$(dirname "$file")/$name")"
		;;
	esac
}

# Print what is wrong with the includes of a file.
check_file()
{
	local file=$1 room=$2 name target

	while read -r name; do
		target=$(room_of_include "$file" "$name")
		if [ -n "$target" ] && [[ " ${may[$room]} " != *" $target "* ]]; then
			echo "$file ($room) includes $name ($target)"
		fi
		if [ -n "${foreign[$name]-}" ] && [ "${foreign[$name]}" != "$room" ]; then
			echo "$file ($room) includes <$name>, which is known in ${foreign[$name]} alone"
		fi
	done < <(sed -nE 's/^[[:blank:]]*#[[:blank:]]*include[[:blank:]]*[<"]([^>"]+)[>"].*/\1/p' "$file")
}

faults=
declare -A files_in=()
while read -r file; do
	room=$(room_of_file "$file")
	if [ -z "$room" ] || [ -z "${may[$room]-}" ]; then
		faults+="$file belongs to no room"$'\n'
		continue
	fi
	files_in[$room]+="$file "
done < <(own_files '*.c' '*.h' | grep -E '^(include|libfs|tools|mkfs|scrub)/')
none "every file of C and every public header belongs to a room" "$faults"

for room in base io csum cache xfs btrfs tools mkfs scrub; do
	none "$room includes only: ${may[$room]}" "$(for file in ${files_in[$room]-}; do check_file "$file" "$room"; done)"
done
done_testing
