#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# The power is cut while mkfs.xx makes an XFS over another file system: see powercut_tool.c.

# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
need_root
need_tool mkfs.xfs xfs_repair mkfs.ext4 e2fsck mkfs.btrfs btrfs losetup
need_fs xfs ext4 btrfs
cd "$scratch" || exit 1

tool=$builddir/tests/system/powercut_tool
uuid=11111111-2222-3333-4444-555555555555
ours=(--unsupported -m "uuid=$uuid" -d agcount=4)

# cuts DESCRIPTION TYPE CHECK OPTION...: over the file system on ./image.
cuts()
{
	check_status 0 "$1" "$tool" image "${@:2}"
	diag "$output"
}

image()
{
	rm -f image
	truncate -s 128M image
}

image
mkfs.ext4 -q -F image
cuts "over an ext4" ext4 "e2fsck -fn" "${ours[@]}"

image
mkfs.btrfs -q image >btrfs.log 2>&1
cuts "over a btrfs" btrfs "btrfs check" "${ours[@]}"

image
mkfs.xfs -q --unsupported -m uuid=$uuid -d agcount=5 image
cuts "over an XFS with the same UUID and other groups" xfs "xfs_repair -n" "${ours[@]}"

image
"$MKFS" -q "${ours[@]}" image
mount_at image there -o loop || exit 1
cp -r "$srcdir/mkfs" there/
unmount there
cuts "over an XFS with the same UUID and the same groups" xfs "xfs_repair -n" "${ours[@]}"

image
mkfs.xfs -q --unsupported -m rmapbt=0,reflink=0,bigtime=0,inobtcount=0 -i sparse=0 -d agcount=3 image
cuts "over an XFS with other features" xfs "xfs_repair -n" "${ours[@]}"

done_testing
