#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# device.sh - block devices and image files as the library opens them: refused while somebody uses them, named by whom;
# used by each engine the same.
. "$(dirname "$0")/lib.sh"

need_root
need_tool losetup mkswap swapon mkfs.xfs blockdev
need_fs xfs

tool=$builddir/tests/system/device_tool
[ -x "$tool" ] || skip_all "needs $tool (make check-programs)"

# refused PATTERN PATH DESCRIPTION: cannot be opened for writing, for that reason; can be read.
refused()
{
	check_status 1 "$3: refused" "$tool" open "$2"
	has "$output" "$1" "$3: says so"
	is "$(wc -l <<<"$output")" 1 "$3: in one line"
	check "$3: can be read" "$tool" info "$2"
}

image=$scratch/image
truncate -s 512M "$image"
dev=$(loop_attach "$image" --sector-size 512)

check "a loop device" "$tool" open "$dev"
ln -s "$dev" "$scratch/link"
check "a link to it" "$tool" open "$scratch/link"
info=$("$tool" info "$dev")
has "$info" "^kind block$" "it is a block device"
has "$info" "^size 536870912$" "its size"
has "$info" "^logical_sector 512$" "its sector"
has "$info" "^direct 1$" "direct I/O"
has "$info" "^discard 1$" "discard"
has "$info" "^integrity 0$" "no integrity profile, though the directory may be there"

for engine in uring aio threads; do
	check_status 0 "engine $engine on a block device" "$tool" use "$engine" "$dev"
	has "$output" "^discard done$" "engine $engine discards"
	has "$output" "^end error$" "engine $engine: the end of the device is an error"
done

refused "loop device $dev" "$image" "an image under a loop device"
ln "$image" "$scratch/other"
refused "loop device $dev" "$scratch/other" "another name of it"

over=$(loop_attach "$dev")
refused "loop device $over" "$dev" "a device under a loop device"
loop_detach "$over"

mkfs.xfs -q -f "$dev"
mount_at "$dev" "$scratch/mnt with space"
refused "mounted on $scratch/mnt with space" "$dev" "mounted"
truncate -s 64M "$scratch/mnt with space/file"
for engine in uring aio threads; do
	check_status 0 "engine $engine on a file of XFS" "$tool" use "$engine" "$scratch/mnt with space/file"
	has "$output" "^discard Operation not supported$" "engine $engine does not discard files"
done
unmount "$scratch/mnt with space"

mkswap "$dev" >/dev/null 2>&1
if swapon "$dev" 2>/dev/null; then
	at_exit swapoff "$dev"
	refused "swap" "$dev" "swap"
	swapoff "$dev"
	sed -i '$d' "$scratch/.at_exit"
else
	diag "not looked at: swap, which is not permitted here"
fi

name=xx-test-$$
if dmsetup create "$name" --table "0 200000 linear $dev 0" 2>/dev/null; then
	at_exit dmsetup remove --retry "$name"
	refused "held by dm-" "$dev" "under device mapper"
	check "the mapped device itself" "$tool" open "/dev/mapper/$name"
	mkfs.xfs -q -f "/dev/mapper/$name" 2>/dev/null || mkfs.xfs -q -f -d size=96m "/dev/mapper/$name" 2>/dev/null
	if mount "/dev/mapper/$name" "$scratch/mnt with space" 2>/dev/null; then
		refused "held by dm-.*mounted on" "$dev" "under a mounted device"
		umount "$scratch/mnt with space"
	fi
	dmsetup remove --retry "$name"
	sed -i '$d' "$scratch/.at_exit"
else
	diag "not looked at: device mapper, which this kernel does not have"
fi

blockdev --setro "$dev"
check_status 1 "a read-only device" "$tool" open "$dev"
has "$output" "is read-only" "it says so"
blockdev --setrw "$dev"

truncate -s 64M "$image.4k"
big=$(loop_attach "$image.4k" --sector-size 4096)
has "$("$tool" info "$big")" "^logical_sector 4096$" "sectors of 4096 bytes"
for engine in uring aio threads; do
	check "engine $engine with sectors of 4096 bytes" "$tool" use "$engine" "$big"
done

# tmpfs knows no ZERO_RANGE, only PUNCH_HOLE; ramfs neither, nor direct I/O.
for type in tmpfs ramfs; do
	mount_at none "$scratch/$type" -t "$type"
	truncate -s 64M "$scratch/$type/file"
	for engine in uring aio threads; do
		check "engine $engine on $type" "$tool" use "$engine" "$scratch/$type/file"
	done
done
has "$("$tool" info "$scratch/ramfs/file")" "^direct 0$" "no direct I/O on ramfs"

done_testing
