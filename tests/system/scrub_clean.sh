#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1800
# scrub_clean.sh - nothing is found on a file system with which nothing is wrong, whatever was done with it; nor when all
# that is free on its devices is overwritten.
. "$(dirname "$0")/lib.sh"
need_root
need_tool mkfs.btrfs btrfs btrfstune jq losetup mount python3
need_fs btrfs

: "${SCRUB:=$builddir/xxscrub}"
# shellcheck source=tests/system/scrubbing/make.sh
. "$srcdir/tests/system/scrubbing/make.sh"
fast_scratch
export XX_STATE_DIR=$fast/state PYTHONDONTWRITEBYTECODE=1
dir=$fast/fs
mnt=$fast/mnt
member_size=384

# What is found, and what could not be verified, in all.
findings()
{
	"$SCRUB" start -B -r --json "$@" 2>"$scratch/log" |
		jq -c '[.exit, ([.found[]] | add), .unverified_bytes, (.bytes_done == .bytes_total), (.files | length)]'
}

# unharmed NAME FILE...
unharmed()
{
	is "$(findings "${@:2}")" '[0,0,0,true,0]' "$1" || diag "$(head -n 20 "$scratch/log")"
}

# clean NAME FILE...: as it is, and with garbage.
clean()
{
	unharmed "$@"
	check "$1: garbage" python3 "$here/garbage.py" "${@:2}" && unharmed "$1, with garbage in free space" "${@:2}"
}

# begin COUNT MKFS OPTION...: a new file system, mounted with $mount_options.
begin()
{
	rm -rf "$dir"
	make_members "$dir" "$1" && made "$dir" "${@:2}" && mount_loops "${mount_options-}"
}

# end NAME: it is clean, also as it was while mounted, after something was fsynced.
end()
{
	local name=$1 logged=()

	if dd if=/dev/urandom of="$mnt/fsynced" bs=64k count=3 conv=fsync status=none 2>"$scratch/dd"; then
		copy_members
		logged=("${looped[@]/%/.now}")
	fi
	unmount "$mnt"
	clean "$name" "${looped[@]}"
	[ ${#logged[@]} -eq 0 ] || unharmed "$name, while it was mounted" "${logged[@]}"
	detach
}

fill()
{
	fill_tree "$mnt" && change_tree "$mnt"
}

# --- what may be done with a file system ---

fragmented()
{
	local i

	random_file "$mnt/file" $((8 << 20))
	for ((i = 0; i < 300; i++)); do
		dd if=/dev/urandom of="$mnt/file" bs=4k seek=$((i * 797 % 2048)) count=$((1 + i % 3)) conv=notrunc status=none
		((i % 10)) || sync -f "$mnt"
	done
}

full()
{
	local i

	for ((i = 0; i < 128; i++)); do
		random_file "$mnt/$i" $((2 << 20)) 2>/dev/null || return 0
	done
}

shared()
{
	local i

	fill || return 1
	btrfs -q subvolume create "$mnt/sub/nested" >/dev/null
	random_file "$mnt/sub/nested/file" 300000
	for ((i = 0; i < 20; i++)); do
		cp --reflink=always "$mnt/big" "$mnt/clone$i"
		dd if=/dev/urandom of="$mnt/clone$i" bs=4k seek=$((i * 31)) count=7 conv=notrunc status=none
		btrfs -q subvolume snapshot "$mnt/sub" "$mnt/snap$i" >/dev/null
		random_file "$mnt/sub/shared" $((100000 + i))
	done
	btrfs -q subvolume delete "$mnt"/snap[2-7] >/dev/null
}

balanced()
{
	fill && btrfs -q balance start --full-balance "$mnt" >/dev/null
}

paused()
{
	fill && { btrfs -q balance start --bg --full-balance "$mnt" >/dev/null; btrfs balance pause "$mnt" 2>/dev/null || :; }
}

# converted PROFILE: one group of data stays what it was, where there is more than one.
converted()
{
	fill && btrfs -q balance start -f "-dconvert=$1,limit=1" "-mconvert=$1" "$mnt" >/dev/null && random_file "$mnt/more" 5000000 &&
		btrfs -q balance start -f "-dconvert=$1,soft,limit=1" "$mnt" >/dev/null
}

# Kinds of data: compressed, preallocated, without sums, as for a swap file.
kinds()
{
	local how

	for how in zlib lzo zstd; do
		touch "$mnt/$how"
		btrfs property set "$mnt/$how" compression "$how"
		seq 150000 >"$mnt/$how"
	done
	fallocate -l 3M "$mnt/prealloc" && fallocate -p -o 64k -l 64k "$mnt/prealloc"
	dd if=/dev/urandom of="$mnt/prealloc" bs=4k seek=40 count=300 conv=notrunc status=none
	touch "$mnt/nocow" && chattr +C "$mnt/nocow" && fallocate -l 4M "$mnt/nocow"
	dd if=/dev/urandom of="$mnt/nocow" bs=64k seek=3 count=20 conv=notrunc status=none
	touch "$mnt/swap" && chattr +C "$mnt/swap" && head -c 8M /dev/zero >"$mnt/swap" && chmod 600 "$mnt/swap" &&
		mkswap "$mnt/swap" >/dev/null || return 1
	echo inline >"$mnt/inline"
	truncate -s 100M "$mnt/sparse"
	dd if=/dev/urandom of="$mnt/sparse" bs=4k seek=20000 count=3 conv=notrunc status=none
}

removed()
{
	fill && btrfs device remove "${loops[1]}" "$mnt" >/dev/null || return 1
	loops=("${loops[0]}" "${loops[@]:2}")
	looped=("${looped[0]}" "${looped[@]:2}")
}

smaller()
{
	fill && btrfs filesystem resize -20m "$mnt" >/dev/null
}

plain()
{
	local i

	for ((i = 0; i < 100; i++)); do
		random_file "$mnt/$i" $((i * 3000))
	done
}

# --- all ---

# name: devices, options of mkfs.btrfs, what is done
one()
{
	local name=$1

	begin "$2" "${@:4}" >"$scratch/made" 2>&1 && eval "$3" >>"$scratch/made" 2>&1 && sync -f "$mnt" ||
		{ not_ok "$name: is made" "$(<"$scratch/made")"; unmount "$mnt"; detach; return 1; }
	end "$name"
}

one "filled" 1 fill
one "fragmented" 1 fragmented -m single
one "full" 1 full
one "snapshots and clones" 1 shared
one "balanced" 2 balanced -d raid1 -m raid1
one "a balance that is paused" 2 paused -d raid0 -m raid1
one "kinds of data" 1 kinds --csum sha256
mount_options=nodatasum one "nodatasum" 2 plain -d raid1 -m raid1
mount_options=space_cache=v1 one "v1 of the space cache" 1 fill -R ^free-space-tree
one "quotas" 1 "btrfs quota enable $mnt && fill" --csum xxhash
one "mixed groups" 1 fill -M
one "a device was removed" 3 removed -d single -m raid1
one "it was made smaller" 1 smaller
for profile in dup raid0 raid1 raid1c3 raid1c4 raid10 raid5 raid6; do
	[ "$profile" != raid1c4 ] || member_size=768
	one "converted to $profile" 4 "converted $profile" -d single -m raid1
done
for kind in uuid:2 seed:2 sectors16k:1 sectors64k:1; do
	rm -rf "$dir"
	if make_fs "$dir" "${kind%:*}" blake2 "${kind#*:}" >"$scratch/made" 2>&1; then
		clean "${kind%:*}" "$dir"/[1-9]
	else
		not_ok "${kind%:*}: is made" "$(<"$scratch/made")"
	fi
done
done_testing
