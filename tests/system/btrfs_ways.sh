#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every copy of every tree block, and every parity, where the kernel put them: all profiles, on devices that were full of
# random bytes before, with sectors and nodes of several sizes, a missing device, a changed UUID, a seed.
. "$(dirname "$0")/lib.sh"

need_root
need_tool mkfs.btrfs btrfs btrfstune losetup blockdev
need_fs btrfs

tool=$builddir/tests/system/btrfs_ways_tool
[ -x "$tool" ] || skip_all "needs tests/system/btrfs_ways_tool"
mnt=$scratch/mnt
size=256M

head -c "$size" /dev/urandom >"$scratch/noise"
loops=()
for i in 1 2 3 4; do
	cp "$scratch/noise" "$scratch/disk$i"
	loops+=("$(loop_attach "$scratch/disk$i")") || exit 1
	blockdev --setrw "${loops[-1]}" # a loop device may remember that it was read-only for another file
done

# make COUNT OPTION...: a file system on the first COUNT devices, which hold noise.
make()
{
	local count=$1 i

	shift
	for i in $(seq "$count"); do
		cat "$scratch/noise" >"$scratch/disk$i"
	done
	mkfs.btrfs -q -f "$@" "${loops[@]:0:count}" >/dev/null 2>&1
}

# mount_all COUNT: with all its devices named.
mount_all()
{
	local options=rw loop

	for loop in "${loops[@]:0:$1}"; do
		options+=,device=$loop
	done
	mount_at "${loops[$1 - 1]}" "$mnt" -t btrfs -o "$options"
}

# fill: files of many sizes, some of them deleted, in several transactions.
fill()
{
	local i

	head -c 9000000 /dev/urandom >"$mnt/large"
	for i in $(seq 200); do
		head -c $((i * 100)) /dev/urandom >"$mnt/file$i"
	done
	sync -f "$mnt"
	rm "$mnt"/file1?
	seq 200000 >"$mnt/numbers"
	sync -f "$mnt"
}

# all_good NAME COUNT WAYS: nothing is bad or absent; the blocks have that many ways.
all_good()
{
	local output

	output=$("$tool" "${loops[@]:0:$2}" 2>&1)
	has "$output" "^blocks [1-9][0-9]* ways [0-9]* bad 0 absent 0\$" "$1: every way to every tree block"
	has "$output" "^parity [0-9]+ bad 0 absent 0\$" "$1: every parity"
	is "$(awk -v ways="$3" '$1 == "blocks" { print $4 == $2 * ways }' <<<"$output")" 1 "$1: $3 ways to each"
	[ "${4-}" != parity ] || has "$output" "^parity [1-9]" "$1: there is parity"
}

try_profile()
{
	local profile=$1 count=$2 ways=$3

	shift 3
	make "$count" -m "$profile" -d "$profile" "$@" || { not_ok "mkfs.btrfs $profile"; return; }
	mount_all "$count" || { not_ok "mount $profile"; return; }
	fill
	unmount "$mnt"
	case $profile in
	raid5 | raid6) all_good "$profile of $count $*" "$count" "$ways" parity ;;
	*) all_good "$profile of $count $*" "$count" "$ways" ;;
	esac
}

try_profile single 1 1
try_profile dup 1 2
try_profile raid0 3 1
try_profile raid1 2 2
try_profile raid1 3 2 --csum xxhash
try_profile raid1c3 3 3
try_profile raid1c4 4 4 -n 4k
try_profile raid10 4 2
try_profile raid5 2 2
try_profile raid5 3 2
try_profile raid5 4 2 --csum sha256 -n 64k
try_profile raid6 3 3
try_profile raid6 4 4
try_profile dup 1 2 -M
make 1 -s 16k -n 64k && all_good "sectors of 16 KiB" 1 2

# A missing device: what is left is good, and the ways that need it are told.
try_profile raid6 4 4 --csum blake2
output=$("$tool" "${loops[@]:0:1}" "${loops[@]:2:2}" 2>&1)
has "$output" '^Device 2 is missing' "a missing device is named"
has "$output" '^blocks [1-9][0-9]* ways [0-9]* bad 0 absent [1-9]' "a missing device: no way is wrong"

# The UUID changed in the superblocks alone.
make 2 -m raid1 -d raid0
check "btrfstune changes the UUID" btrfstune -m "${loops[0]}"
all_good "a changed UUID" 2 2

# A file system that grew from a seed: blocks of both UUIDs.
try_profile dup 1 2
btrfstune -S 1 "${loops[0]}"
cat "$scratch/noise" >"$scratch/disk2"
mount_at "${loops[0]}" "$mnt" || exit 1
btrfs -q device add -f "${loops[1]}" "$mnt" >&2 && mount -o remount,rw "$mnt" && head -c 5000000 /dev/urandom >"$mnt/new"
unmount "$mnt"
output=$("$tool" "${loops[1]}" "${loops[0]}" 2>&1)
has "$output" "^blocks [1-9][0-9]* ways [0-9]* bad 0 absent 0\$" "a seed and what grew from it"
output=$("$tool" "${loops[1]}" 2>&1)
has "$output" '^Device 1, a seed, is missing' "a missing seed is named"

# What does not belong together.
output=$("$tool" "${loops[0]}" "${loops[0]}" 2>&1)
has "$output" 'are both device 1' "one device twice"
make 1
cp "$scratch/disk1" "$scratch/foreign"
make 2 -m raid1 -d raid1
output=$("$tool" "${loops[@]:0:2}" "$scratch/foreign" 2>&1)
has "$output" 'belongs to another file system' "a device of another file system"
output=$("$tool" "$scratch/noise" 2>&1)
has "$output" 'no btrfs' "noise"
truncate -s 100M "$scratch/foreign"
output=$("$tool" "$scratch/foreign" 2>&1)
has "$output" 'has 104857600 bytes, but a chunk|is smaller than the file system' "a truncated image"
done_testing
