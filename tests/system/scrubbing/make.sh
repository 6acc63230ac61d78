# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make.sh - file systems to be damaged: made by mkfs.btrfs, filled by the kernel, on devices full of random bytes.

here=$srcdir/tests/system/scrubbing

# A directory in memory, where there is enough of it, else in $scratch.
fast_scratch()
{
	local free

	free=$(df --output=avail -B 1M /dev/shm 2>/dev/null | tail -n 1)
	if [ "${free:-0}" -ge 4096 ]; then
		fast=$(mktemp -d /dev/shm/xx-scrub.XXXXXX) && at_exit rm -rf --one-file-system "$fast"
	else
		fast=$scratch/fast && mkdir "$fast"
	fi
}

# attach FILE...: loop devices, in $loops.
attach()
{
	local file loop

	loops=()
	looped=("$@")
	for file; do
		loop=$(loop_attach "$file") || return 1
		loops+=("$loop")
	done
}

detach()
{
	local i

	for i in "${!loops[@]}"; do
		loop_detach "${loops[i]}" "${looped[i]}"
	done
}

# mount_loops [OPTIONS]: what is on $loops, at $fast/mnt. Discards would make holes of what is free, and copies of mounted
# devices are no state of the file system when it commits between them.
# shellcheck disable=SC2120 # one of those who source this has options
mount_loops()
{
	local loop

	btrfs device scan "${loops[@]}" >/dev/null && mkdir -p "$fast/mnt" &&
		mount -o "nodiscard,max_inline=0,commit=3600${1:+,$1}" "${loops[0]}" "$fast/mnt" || return 1
	at_exit unmount "$fast/mnt"
}

random_file()
{
	head -c "$2" /dev/urandom >"$1"
}

# What the cases need: each directory, and what for, is told in cases.py.
fill_tree()
{
	local top=$1 i

	random_file "$top/big" $((9 << 20)) && mkdir "$top/dir" "$top/small" &&
		btrfs -q subvolume create "$top/sub" >/dev/null && sync -f "$top" || return 1
	for ((i = 0; i < 320; i++)); do
		random_file "$top/small/$i" 4096
	done
	sync -f "$top"
	random_file "$top/sub/shared" $((1 << 20))
	random_file "$top/sub/gone" $((512 << 10))
	touch "$top/sub/nosum" "$top/compressed" && chattr +C "$top/sub/nosum" &&
		btrfs property set "$top/compressed" compression zstd || return 1
	random_file "$top/sub/nosum" $((1 << 20))
	seq 200000 >"$top/compressed"
	fallocate -l 1M "$top/prealloc"
	sync -f "$top"
	dd if=/dev/urandom of="$top/prealloc" bs=64k seek=4 count=4 conv=notrunc status=none
	cp --reflink=always "$top/big" "$top/dir/clone"
	btrfs -q subvolume snapshot "$top/sub" "$top/snap" >/dev/null && rm "$top/sub/gone" && sync -f "$top"
}

# What is new since the state that a stale device has.
change_tree()
{
	random_file "$1/later" $((2 << 20)) && rm "$1/small/7" &&
		dd if=/dev/urandom of="$1/big" bs=64k seek=33 count=3 conv=notrunc status=none &&
		dd if=/dev/urandom of="$1/sub/nosum" bs=4k seek=100 count=9 conv=notrunc status=none && sync -f "$1"
}

# FILE.now: the devices as they are now, also while they are mounted.
copy_members()
{
	local file

	for file in "${looped[@]}"; do
		cp "$file" "$file.now" || return 1
	done
}

# made DIRECTORY MKFS OPTION...: mkfs.btrfs on $loops; what it says is shown when it fails.
made()
{
	local log=$1/mkfs.log

	shift
	mkfs.btrfs -q -f -K "$@" "${loops[@]}" >"$log" 2>&1 || { cat "$log"; return 1; }
}

# make_members DIRECTORY COUNT: files full of random bytes, of $member_size MiB, on $loops.
make_members()
{
	local files=() i

	mkdir -p "$1"
	for ((i = 1; i <= $2; i++)); do
		files+=("$1/$i")
	done
	python3 "$here/fill.py" $((${member_size:-128} << 20)) "${files[@]}" && attach "${files[@]}"
}

# Mount, change, and keep the devices as they are while there is a log tree.
change_members()
{
	local file

	mount_loops && change_tree "$fast/mnt" &&
		dd if=/dev/urandom of="$fast/mnt/dir/logged" bs=64k count=5 conv=fsync status=none &&
		copy_members && unmount "$fast/mnt" && detach || return 1
	for file in "${looped[@]}"; do
		mv "$file.now" "$file"
	done
}

# make_fs DIRECTORY PROFILE CSUM COUNT: DIRECTORY/1 and so on, as they are while a log tree is there; and, of several
# devices, DIRECTORY/old, what was on the second one before the last commits. Profiles beside those of mkfs.btrfs: mixed
# (block groups), uuid (a metadata_uuid, RAID1), seed (the first device is one), sectors16k and sectors64k.
make_fs()
{
	local member_size=128

	case $2 in
	dup | seed) member_size=256 ;; # mkfs.btrfs wants it
	esac
	case $2 in
	mixed) make_plain "$1" "$4" --csum "$3" -M -d single -m single ;;
	uuid) tune=-m make_plain "$1" "$4" --csum "$3" -d raid1 -m raid1 ;;
	seed) make_seed "$1" "$3" ;;
	sectors*) make_sectors "$1" "${2#sectors}" "$3" ;;
	*) make_plain "$1" "$4" --csum "$3" -d "$2" -m "$2" ;;
	esac
}

make_plain()
{
	local dir=$1 count=$2

	make_members "$dir" "$count" && made "$dir" "${@:3}" && mount_loops && fill_tree "$fast/mnt" &&
		unmount "$fast/mnt" || return 1
	if [ -n "${tune-}" ]; then
		btrfstune "$tune" "${loops[0]}" || return 1
	fi
	[ "$count" -lt 2 ] || cp "$dir/2" "$dir/old" || return 1
	change_members
}

make_seed()
{
	local sprout

	make_members "$1" 2 || return 1
	sprout=${loops[1]}
	loops=("${loops[0]}")
	made "$1" --csum "$2" -d dup -m dup && mount_loops && fill_tree "$fast/mnt" && unmount "$fast/mnt" &&
		btrfstune -S 1 "${loops[0]}" && mount_loops && btrfs -q device add -f -K "$sprout" "$fast/mnt" >/dev/null &&
		mount -o remount,rw "$fast/mnt" && change_tree "$fast/mnt" && unmount "$fast/mnt" || return 1
	loops+=("$sprout")
	detach
}

# The kernel of this machine need not mount them.
make_sectors()
{
	local root=$fast/root i

	make_members "$1" 1 && mkdir -p "$root/small" "$root/dir" && random_file "$root/big" $((9 << 20)) || return 1
	for ((i = 0; i < 320; i++)); do
		random_file "$root/small/$i" 20000
	done
	detach
	mkfs.btrfs -q -f -K --csum "$3" -s "$2" -n 64k -d dup -m dup --rootdir "$root" "$1/1" >"$1/mkfs.log" 2>&1 ||
		{ cat "$1/mkfs.log"; return 1; }
	rm -r "$root"
}

# progs_clean FILE...: btrfs check finds nothing.
progs_clean()
{
	local status=1

	attach "$@" || { detach; return 1; }
	btrfs device scan "${loops[@]}" >/dev/null
	btrfs check --check-data-csum "${loops[-1]}" && status=0
	detach
	return "$status"
}

# kernel_clean FILE...: the kernel's scrub of the devices, mounted, finds nothing. It makes block groups, for which small
# devices have no room: so they are made larger before.
kernel_clean()
{
	local output status=1 i

	truncate -s 1G "$@" && attach "$@" && mount_loops || { detach; return 1; }
	for i in "${!loops[@]}"; do
		btrfs -q filesystem resize "$((i + 1)):max" "$fast/mnt" || status=2
	done
	output=$(btrfs scrub start -B -R "$fast/mnt" 2>&1) && [ "$status" -eq 1 ] && status=0
	unmount "$fast/mnt"
	detach
	grep -E '_errors: [1-9]' <<<"$output" && status=1
	[ "$status" -eq 0 ] || echo "$output"
	return "$status"
}
