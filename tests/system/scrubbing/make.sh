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
	local file

	loops=()
	for file; do
		loops+=("$(loop_attach "$file")") || return 1
	done
}

detach()
{
	local loop

	for loop in "${loops[@]}"; do
		loop_detach "$loop"
	done
}

# Mount what is on $loops at $fast/mnt; discards would make holes of what is free.
mount_loops()
{
	local loop

	btrfs device scan "${loops[@]}" >/dev/null && mkdir -p "$fast/mnt" &&
		mount -o "nodiscard,max_inline=0${1:+,$1}" "${loops[0]}" "$fast/mnt" || return 1
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
		dd if=/dev/urandom of="$1/big" bs=64k seek=33 count=3 conv=notrunc status=none && sync -f "$1"
}

# make_fs DIRECTORY PROFILE CSUM DEVICES [MKFS OPTION...]: DIRECTORY/1 and so on, as they are while a log tree is there;
# and, of several devices, DIRECTORY/old, what was on the second one before the last commits.
make_fs()
{
	local dir=$1 profile=$2 csum=$3 count=$4 files=() i

	shift 4
	mkdir -p "$dir"
	for ((i = 1; i <= count; i++)); do
		files+=("$dir/$i")
	done
	python3 "$here/fill.py" $((128 << 20)) "${files[@]}" && attach "${files[@]}" || return 1
	if [ "$profile" = mixed ]; then
		set -- "$@" -M -d single -m single
	else
		set -- "$@" -d "$profile" -m "$profile"
	fi
	mkfs.btrfs -q -f -K --csum "$csum" "$@" "${loops[@]}" >"$dir/mkfs.log" 2>&1 || { cat "$dir/mkfs.log"; return 1; }
	mount_loops && fill_tree "$fast/mnt" && unmount "$fast/mnt" || return 1
	[ "$count" -lt 2 ] || cp "$dir/2" "$dir/old"
	mount_loops && change_tree "$fast/mnt" || return 1
	dd if=/dev/urandom of="$fast/mnt/dir/logged" bs=64k count=5 conv=fsync status=none
	for ((i = 1; i <= count; i++)); do
		cp "$dir/$i" "$dir/$i.logged"
	done
	unmount "$fast/mnt" && detach || return 1
	for ((i = 1; i <= count; i++)); do
		mv "$dir/$i.logged" "$dir/$i"
	done
}

# kernel_clean FILE...: the kernel's scrub of the devices, mounted, finds nothing; nor does its reading of the files.
kernel_clean()
{
	local output status=1

	attach "$@" && mount_loops || { detach; return 1; }
	output=$(btrfs scrub start -B -R "$fast/mnt" 2>&1) && status=0
	unmount "$fast/mnt"
	detach
	grep -E '_errors: [1-9]' <<<"$output" && status=1
	[ "$status" -eq 0 ] || echo "$output"
	return "$status"
}
