#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Images on host file systems that differ in what they can do: direct I/O and its alignment, zeroing, holes. The bytes
# are the same on all of them, and a log takes no memory where a hole will do.

# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
need_root
need_tool mkfs.xfs mkfs.ext4 mkfs.btrfs xfs_repair xfs_db losetup
need_fs xfs ext4 btrfs
cd "$scratch" || exit 1
export SOURCE_DATE_EPOCH=1700000000 DETERMINISTIC_SEED=1
options=(-q -f -m uuid=11111111-2222-3333-4444-555555555555)

# host NAME [MKFS OPTIONS]: an empty file system of that type, mounted on ./NAME.
host()
{
	local type=$1

	shift
	case $type in
	tmpfs | ramfs) mount_at "$type" "$type" -t "$type" ;;
	*)
		truncate -s 1500M "$type.image"
		"mkfs.$type" -q "$@" "$type.image" >mkfs.log 2>&1 && mount_at "$type.image" "$type" -o loop
		;;
	esac
}

# log_of IMAGE: print the bytes of the log.
log_of()
{
	local start

	start=$(xfs_db -r -c "sb 0" -c "print logstart" "$1" | sed 's/.*= //')
	start=$(xfs_db -r -c "convert fsblock $start daddr" "$1" | sed 's/[^(]*(\([0-9]*\)).*/\1/')
	tail -c +$((start * 512 + 1)) "$1" | head -c 64M
}

first=
for type in xfs ext4 btrfs tmpfs ramfs; do
	host "$type" || { not_ok "a host $type" "$(cat mkfs.log)"; continue; }
	truncate -s 400M "$type/image"
	check "an image on $type" "$MKFS" "${options[@]}" "$type/image"
	check "is clean" xfs_repair -n "$type/image"
	# ramfs has no holes.
	[ "$type" = ramfs ] || is "$(($(stat -c %b "$type/image") / 2048))" 0 "takes less than a MiB"
	sum=$(md5sum <"$type/image")
	is "$sum" "${first:=$sum}" "has the same bytes as on the others"
	rm "$type/image"
	head -c 400M /dev/zero | tr '\0' 'x' >"$type/image"
	check "an image that was full on $type" "$MKFS" "${options[@]}" "$type/image"
	check "is clean" xfs_repair -n "$type/image"
	is "$(log_of "$type/image" | tr -dc x | wc -c)" 0 "and nothing of that is left in its log"
	unmount "$type"
	rm -f "$type.image"
done

done_testing
