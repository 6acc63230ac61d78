#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# The least journal: mkfs.xfs names the same one, and the kernel mounts it.

# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
need_root
need_tool mkfs.xfs
need_fs xfs
cd "$scratch" || exit 1

# ours OPTIONS..., theirs OPTIONS...: the least journal in blocks, as the refusal of a shorter one tells.
ours()
{
	"$MKFS" -N --unsupported "$@" -l size=2m image 2>&1 | sed -n 's/.*it must have from \([0-9]*\) to.*/\1/p'
}

theirs()
{
	mkfs.xfs -f -N --unsupported "$@" -l size=2m image 2>&1 | sed -n 's/.*minimum size is \([0-9]*\) blocks.*/\1/p'
}

# From the documented limit of 512 blocks on; both accept 2 MiB if that is enough.
same()
{
	local size=$1

	shift
	truncate -s 0 image
	truncate -s "$size" image
	is "$(ours "$@")" "$(theirs "$@")" "$size $*"
}

for block in 1024 4096 65536; do
	for features in rmapbt=0,reflink=0 rmapbt=0,reflink=1 rmapbt=1,reflink=1; do
		for nrext64 in 0 1; do
			same 3t -b size=$block -m $features -i nrext64=$nrext64
		done
	done
done
same 400m -b size=4096 -m rmapbt=1,reflink=1 -i nrext64=0
same 3t -m rmapbt=0,reflink=0,finobt=0,inobtcount=0 -i nrext64=0,sparse=0
same 3t -m rmapbt=1 -i nrext64=1,size=2048 -n size=65536
same 3t -m rmapbt=1 -i nrext64=1 -s size=4096
same 3t -m rmapbt=1 -i nrext64=1 -d su=256k,sw=4
same 3t -m rmapbt=0 -i nrext64=0 -d su=32k,sw=4

# Newer kernels want more than mkfs.xfs 6.1 makes when there is rmapbt without reflink; and it knows no parent pointers.
mounts()
{
	local size=$1 least

	shift
	truncate -s 0 image
	truncate -s "$size" image
	least=$(ours "$@")
	check "$size $*: made with the least journal, $least blocks" "$MKFS" -q --unsupported "$@" -l size="${least}b" image
	check "mounts" mount_at image "$scratch/mnt" -o loop
	check "and can be written" mkdir "$scratch/mnt/directory"
	unmount "$scratch/mnt"
}

for options in "-m rmapbt=1,reflink=0" "-m rmapbt=1,reflink=1" "-n parent=1" "-n parent=1 -m rmapbt=0" \
	"-n parent=1 -m reflink=0" "-n parent=1 -i exchange=1" "-i exchange=1" "-i exchange=1,nrext64=0 -m reflink=0"; do
	# shellcheck disable=SC2086
	mounts 2g $options
	# shellcheck disable=SC2086
	mounts 2g -b size=1024 $options
done
done_testing
