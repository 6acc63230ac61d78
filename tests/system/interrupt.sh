#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# Stopped in the middle: by a signal while it discards or writes groups, and by a host file system that is full. It
# says so, ends with 1, and leaves nothing that could be mounted.

# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
need_root
need_tool mkfs.xfs mkfs.ext4 losetup blkid
need_fs xfs
cd "$scratch" || exit 1

host=$(xfs_host 40G) || exit 1

# nothing_on FILE: no signature, and the kernel does not mount it.
nothing_on()
{
	is "$(blkid -p -o value -s TYPE "$1")" "" "blkid finds nothing"
	mkdir -p "$scratch/try"
	if mount -o loop "$1" "$scratch/try" 2>"$scratch/mount.log"; then
		umount "$scratch/try"
		not_ok "it does not mount"
	else
		ok "it does not mount"
	fi
}

# interrupt SIGNAL STEP ARGUMENTS...: mkfs.xx gets the signal when its progress names the step.
interrupt()
{
	local signal=$1 step=$2 pid status line seen=

	shift 2
	rm -f progress && mkfifo progress || return 1
	# The shell starts what runs in the background with SIGINT ignored.
	env --default-signal=INT "$MKFS" --progress -f "$@" >out 2>progress &
	pid=$!
	: >messages
	while read -r line; do
		printf '%s\n' "$line" >>messages
		if [ -z "$seen" ] && [[ $line == *"$step"* ]]; then
			seen=1
			kill -s "$signal" "$pid"
		fi
	done <progress
	wait "$pid"
	status=$?
	is "$seen" 1 "SIG$signal comes while it is $step"
	is "$status" 1 "the exit status is 1"
	has "$(cat messages)" "Interrupted.*no file system" "the message says so"
}

truncate -s 100P "$host/large"
mkfs.ext4 -q -F "$host/large" 1g
interrupt INT "writing allocation groups" -K "$host/large"
nothing_on "$host/large"
rm "$host/large"

truncate -s 100P "$host/large"
mkfs.xfs -q -K -d size=1t,agcount=4 "$host/large"
interrupt TERM "writing allocation groups" -K "$host/large"
nothing_on "$host/large"
rm "$host/large"

truncate -s 7000P "$host/device"
mkfs.ext4 -q -F "$host/device" 1g
loop=$(loop_attach "$host/device") || exit 1
interrupt INT "discarding" "$loop" # which would take hours
nothing_on "$loop"
loop_detach "$loop"
rm "$host/device"

# A signal that comes first of all: nothing was touched.
truncate -s 1T "$host/ignored"
check "a SIGHUP that is ignored stays ignored" bash -c "trap '' HUP; '$MKFS' -q '$host/ignored' & kill -HUP \$!; wait \$!"

# The host file system is full in the middle.
small=$(xfs_host 400M) || exit 1
truncate -s 100P "$small/image"
check_status 1 "a full host file system" "$MKFS" -q -K "$small/image"
has "$output" "no space left" "the message says so"
is "$(wc -l <<<"$output")" 1 "it is one message"
nothing_on "$small/image"

done_testing
