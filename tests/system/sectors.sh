#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sectors.sh - a log and a realtime device with larger sectors than the file system, and loop devices over partitions
# and over the disk of a partition: all refused before anything is written.
. "$(dirname "$0")/lib.sh"

need_root
need_tool losetup addpart delpart unshare

truncate -s 400m "$scratch/data"
truncate -s 400m "$scratch/disk"
printf 'what was here before' | dd of="$scratch/data" conv=notrunc status=none
cp --sparse=always "$scratch/data" "$scratch/data.before"

disk=$(loop_attach "$scratch/disk" -b 4096) || skip_all "no loop device with sectors of 4096 bytes"
refused()
{
	check_status 1 "$1" "$MKFS" -f "${@:3}"
	has "$output" "$2" "and it is said why"
	check "the data device was not touched" cmp "$scratch/data" "$scratch/data.before"
}
refused "a log with smaller sectors than its device" "-l sectsize=512" -l "logdev=$disk,size=64m" "$scratch/data"
refused "a realtime device with larger sectors" "-s size=512" -r "rtdev=$disk" "$scratch/data"
refused "and with a size" "-s size=512" -b size=1024 -r "rtdev=$disk,size=200m" "$scratch/data"
check "sectors of that size will do" "$MKFS" -q -f -s size=4096 -r "rtdev=$disk" "$scratch/data"
losetup -d "$disk"

disk=$(loop_attach "$scratch/disk" -P)
check "the kernel makes a partition of a loop device" addpart "$disk" 1 2048 409600
at_exit delpart "$disk" 1
check "the partition has a node" test -b "${disk}p1"
over=$(loop_attach "${disk}p1")
check_status 1 "a disk whose partition is under a loop device" "$MKFS" -q -f "$disk"
has "$output" "its partition .*loop device $over lies over it" "and it is said why"
loop_detach "$over"
over=$(loop_attach "$disk" -o 300m)
check_status 1 "a partition whose disk is under a loop device" "$MKFS" -q -f "${disk}p1"
has "$output" "loop device $over" "and it is said why"
loop_detach "$over"

# Without sysfs the loop devices are asked.
if unshare -m true 2>/dev/null; then
	truncate -s 400m "$scratch/held"
	over=$(loop_attach "$scratch/held")
	without_sysfs() { unshare -m sh -c 'umount -l /sys && umount -l /proc && exec "$@"' sh "$MKFS" -q -f "$scratch/held"; }
	check_status 1 "an image under a loop device, without sysfs and proc" without_sysfs
	has "$output" "loop device $over lies over it" "and it is said why"
	loop_detach "$over"
else
	diag "no mount namespaces here, in a chroot perhaps: not tried without sysfs"
fi

done_testing
