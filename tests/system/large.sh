#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# The largest file systems: 100 PB is made, 8191 PB is worked out, both in little memory.

# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
need_root
need_tool mkfs.xfs xfs_db blkid python3
need_fs xfs
cd "$scratch" || exit 1

host=$(xfs_host 40G) || exit 1

# measured COMMAND...: run it; $output has what it printed, $kib the most memory that it had, in KiB.
measured()
{
	python3 - "$@" >measured.out <<-'END'
	import resource, subprocess, sys
	status = subprocess.call(sys.argv[1:], stdout=open('command.out', 'w'), stderr=subprocess.STDOUT)
	print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
	sys.exit(status)
	END
	local status=$?

	output=$(cat command.out)
	kib=$(cat measured.out)
	[ $status -eq 0 ] || diag "$output"
	return $status
}

# succeeds DESCRIPTION COMMAND...: in at most 64 MiB.
succeeds()
{
	local description=$1

	shift
	if measured "$@"; then
		ok "$description"
	else
		not_ok "$description"
	fi
	check "in at most 64 MiB: $kib KiB" test "$kib" -le 65536
}

succeeds "a geometry of 8191 PB" "$MKFS" -N -d file,name="$host/never",size=8191p
has "$output" "agcount=8387585, agsize=268435455 blks" "is what it should be"
check "and nothing was made" test ! -e "$host/never"

truncate -s 8191P "$host/image"
succeeds "a geometry of 8191 PB, of a file that is there" "$MKFS" -N "$host/image"
is "$(stat -c %b "$host/image")" 0 "and nothing was written"
rm "$host/image"

succeeds "300 MiB" "$MKFS" -q -d file,name="$host/image",size=300m
rm "$host/image"

# The heads of groups are largest with the largest blocks.
succeeds "10 PB with blocks of 64 KiB" "$MKFS" -q -K -b size=64k -d file,name="$host/image",size=10p
rm "$host/image"

succeeds "100 PB" "$MKFS" -q -K -d file,name="$host/image",size=100p
is "$(stat -c %s "$host/image")" 112589990684262400 "is of that size"
is "$(blkid -p -o value -s TYPE "$host/image")" xfs "blkid finds it"
for group in 0 1 51200 102400; do
	output=$(xfs_db -r -f -c "agf $group" -c "print magicnum seqno freeblks" "$host/image" 2>&1)
	has "$output" "seqno = $group\$" "xfs_db reads group $group"
done
check "the kernel mounts it" mount_at "$host/image" large -o loop
check "and writes to it" dd if=/dev/zero of=large/file bs=1M count=8
check "unmounts" unmount large

done_testing
