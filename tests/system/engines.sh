#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# Whatever carries the writes, the bytes are the same: with SOURCE_DATE_EPOCH, DETERMINISTIC_SEED and a UUID, mkfs.xx
# makes one image, with each engine, on hosts with and without direct I/O (ramfs, tmpfs, ext4, XFS, a block device),
# once more, with each number of processors. Where io_uring is forbidden AIO is taken, where AIO has no contexts left
# threads are, and to name an engine that cannot work is an error that touches nothing.

# shellcheck source=tests/system/lib.sh
# shellcheck disable=SC2317 # functions that check calls
. "$(dirname "$0")/lib.sh"
need_root
need_tool losetup mkfs.xfs mkfs.ext4 python3 strace taskset
need_fs xfs ext4

export SOURCE_DATE_EPOCH=1700000000 DETERMINISTIC_SEED=1
images=$srcdir/tests/system/images.py
without=$srcdir/tests/system/without.py
# Large enough for several batches of groups, small enough to be read on ramfs, which has no holes.
size=330m
options=(-q -m uuid=c1b9d5a2-f162-11cf-9ece-0020afc76f16 -d agcount=5)
declare -A targets
hosts=(ramfs tmpfs ext4 xfs device)

prepare_hosts()
{
	mount_at none "$scratch/ramfs" -t ramfs && mount_at none "$scratch/tmpfs" -t tmpfs -o size=1g || return 1
	truncate -s 1g "$scratch/ext4.image" && mkfs.ext4 -q "$scratch/ext4.image" &&
		mount_at "$scratch/ext4.image" "$scratch/ext4" -o loop || return 1
	xfs=$(xfs_host 1g) || return 1
	truncate -s "$size" "$xfs/behind" && device=$(loop_attach "$xfs/behind") || return 1
	targets=([ramfs]=$scratch/ramfs/image [tmpfs]=$scratch/tmpfs/image [ext4]=$scratch/ext4/image [xfs]=$xfs/image \
		[device]=$device)
}

# fresh TARGET: all zeros
fresh()
{
	if [ -b "$1" ]; then
		blkdiscard -f -z "$1" 2>/dev/null
	else
		rm -f "$1" && truncate -s "$size" "$1"
	fi
}

# made TARGET WORD...: WORD... are what comes before the options. Prints the digest of what was made.
made()
{
	local target=$1

	shift
	fresh "$target" && "$@" "${options[@]}" "$target" && sync "$target" && python3 "$images" digest "$target"
}

# one DESCRIPTION TARGET WORD...: it is the image that the first one was.
one()
{
	local description=$1 target=$2 got

	shift 2
	got=$(made "$target" "$@" 2>&1)
	if [ "$got" = "$wanted" ]; then
		ok "$description"
	else
		not_ok "$description" "$got
$(python3 "$images" same "$xfs/first" "$target" 2>&1)"
	fi
}

# traced WORD...: the calls with which the program asked for engines and wrote are in $trace.
traced()
{
	local output

	fresh "$xfs/image"
	if ! output=$(strace -f -o "$scratch/trace" -e trace=io_uring_setup,io_uring_enter,io_setup,io_submit,%desc \
		"$@" "${options[@]}" "$xfs/image" 2>&1); then
		not_ok "traced: $*" "$output"
	fi
	trace=$(grep -oE '(io_uring_setup|io_uring_enter|io_setup|io_submit|pwrite(64|v2?))\(' "$scratch/trace" | sort | uniq -c)
}

# cannot DESCRIPTION FAULTS ENGINE PATTERN: says so, with exit status 1, and touches nothing.
cannot()
{
	fresh "$xfs/image"
	yes "not a file system" | head -c 65536 | dd of="$xfs/image" conv=notrunc status=none
	before=$(python3 "$images" digest "$xfs/image")
	check_status 1 "$1" python3 "$without" "$2" "$MKFS" --io-engine="$3" "${options[@]}" "$xfs/image"
	has "$output" "$4" "$1: the message says so"
	is "$(wc -l <<<"$output")" 1 "$1: in one line"
	is "$(python3 "$images" digest "$xfs/image")" "$before" "$1: nothing was touched"
}

prepare_hosts || exit 1
wanted=$(made "$xfs/image" "$MKFS") || exit 1
cp --sparse=always "$xfs/image" "$xfs/first"
check "it is clean" xfs_repair -n "$xfs/first"

for host in "${hosts[@]}"; do
	for engine in uring aio threads; do
		one "$engine on $host" "${targets[$host]}" "$MKFS" --io-engine=$engine
	done
	one "once more on $host, the engine left open" "${targets[$host]}" "$MKFS"
done
for depth in 1 2 1024; do
	one "a queue of $depth" "$xfs/image" "$MKFS" --queue-depth=$depth
done
one "on one processor" "$xfs/image" taskset -c 0 "$MKFS"
for engine in uring aio threads; do
	one "$engine on one processor" "$xfs/image" taskset -c 0 "$MKFS" --io-engine=$engine
done
[ "$(nproc)" -lt 2 ] || one "on two processors" "$xfs/image" taskset -c 0,1 "$MKFS"

traced "$MKFS"
has "$trace" "io_uring_enter" "io_uring is taken"
one "io_uring is forbidden" "$xfs/image" python3 "$without" io_uring_setup=EPERM "$MKFS"
traced python3 "$without" io_uring_setup=EPERM "$MKFS"
has "$trace" "io_submit" "AIO is taken"
one "there is no io_uring" "$xfs/image" python3 "$without" io_uring_setup=ENOSYS "$MKFS"
one "AIO has no contexts left" "$xfs/image" python3 "$without" io_uring_setup=EPERM,io_setup=EAGAIN "$MKFS"
traced python3 "$without" io_uring_setup=EPERM,io_setup=EAGAIN "$MKFS"
if grep -Eq "io_submit|io_uring_enter" <<<"$trace"; then
	not_ok "threads are taken" "$trace"
else
	has "$trace" "pwrite" "threads are taken"
fi
has "$("$MKFS" --help)" "--io-engine" "--io-engine is documented"

cannot "io_uring is named and forbidden" io_uring_setup=EPERM uring "uring does not work here"
cannot "AIO is named and has no contexts left" io_setup=EAGAIN aio "aio does not work here"
done_testing
