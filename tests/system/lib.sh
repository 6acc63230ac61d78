# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lib.sh - what the system tests share: TAP output, a scratch directory, loop devices and mounts that go away.
#
# A test is a bash script:
#	. "$(dirname "$0")/lib.sh"
#	need_root; need_tool xfs_repair
#	check "an empty file system is clean" xfs_repair -n "$scratch/image"
#	done_testing
#
# Provided: $scratch (a directory of this test, removed at the end), $srcdir, $builddir, $MKFS (mkfs.xx).
# Whatever is registered with at_exit (loop_attach and mount_at do it) is undone in reverse order at the end, after
# a failure and after a signal too. A test that does not come to done_testing prints no plan, and so fails.

set -u -o pipefail
export LC_ALL=C
umask 022

srcdir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
builddir=${XX_TREE:-${XX_BUILD:-$srcdir/build}/gcc}
: "${MKFS:=$builddir/mkfs.xx}"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/xx-$(basename "$0" .sh).XXXXXX") || exit 1
tap_count=0
tap_failed=0
tap_planned=

# --- the end ---------------------------------------------------------------------------------------------------

at_exit()
{
	printf '%q ' "$@" >>"$scratch/.at_exit"
	echo >>"$scratch/.at_exit"
}

# What a test that failed in the middle left mounted or attached without having registered it.
sweep()
{
	local dir dev file

	while read -r dir; do
		umount "$dir" || umount -l "$dir"
	done < <(awk -v below="$scratch/" 'index($2, below) == 1 { print $2 }' /proc/self/mounts | tac)
	while read -r dev file; do
		[[ $file != "$scratch"/* ]] || losetup -d "$dev"
	done < <(losetup -n -O NAME,BACK-FILE 2>/dev/null)
}

tap_cleanup()
{
	local status=$? line lines

	trap '' INT TERM HUP
	cd /
	if [ -e "$scratch/.at_exit" ]; then
		mapfile -t lines < <(tac "$scratch/.at_exit")
		for line in "${lines[@]}"; do
			eval "$line" || echo "# cleanup failed: $line" >&2
		done
	fi
	sweep
	rm -rf --one-file-system "$scratch"
	[ -n "$tap_planned" ] && [ "$tap_failed" -gt 0 ] && status=1
	exit "$status"
}
trap tap_cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

done_testing()
{
	echo "1..$tap_count"
	tap_planned=1
	exit 0
}

# --- TAP -------------------------------------------------------------------------------------------------------

diag()
{
	printf '%s\n' "$*" | sed 's/^/# /'
}

# ok DESCRIPTION; not_ok DESCRIPTION [DIAGNOSTIC]
ok()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1"
}

not_ok()
{
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $1"
	[ $# -lt 2 ] || diag "$2"
}

# skip DESCRIPTION REASON
skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

skip_all()
{
	echo "1..0 # SKIP $*"
	tap_planned=1
	exit 0
}

# check DESCRIPTION COMMAND...: the command succeeds. What it prints is shown when it does not.
check()
{
	local description=$1 output status

	shift
	output=$("$@" 2>&1 </dev/null)
	status=$?
	if [ "$status" -eq 0 ]; then
		ok "$description"
		return 0
	fi
	not_ok "$description" "status $status of: $*
$output"
	return 1
}

# check_status STATUS DESCRIPTION COMMAND...: the command ends with this exit status. Its output is in $output.
check_status()
{
	local wanted=$1 description=$2 status

	shift 2
	output=$("$@" 2>&1 </dev/null)
	status=$?
	if [ "$status" -eq "$wanted" ]; then
		ok "$description"
		return 0
	fi
	not_ok "$description" "status $status, not $wanted, of: $*
$output"
	return 1
}

# is GOT WANTED DESCRIPTION
is()
{
	if [ "$1" = "$2" ]; then
		ok "$3"
		return 0
	fi
	not_ok "$3" "got:    $1
wanted: $2"
	return 1
}

# has TEXT PATTERN DESCRIPTION: an extended regular expression matches a line of the text.
has()
{
	if grep -Eq -- "$2" <<<"$1"; then
		ok "$3"
		return 0
	fi
	not_ok "$3" "no line matches: $2
$1"
	return 1
}

# --- what a test needs -----------------------------------------------------------------------------------------

need_root()
{
	[ "$(id -u)" -eq 0 ] || skip_all "needs root"
}

need_tool()
{
	local tool

	for tool; do
		command -v "$tool" >/dev/null || skip_all "needs $tool"
	done
}

# need_fs TYPE...: the kernel mounts it.
need_fs()
{
	local type

	for type; do
		grep -qw "$type" /proc/filesystems || modprobe "$type" 2>/dev/null || skip_all "the kernel has no $type"
	done
}

# --- devices and mounts ----------------------------------------------------------------------------------------

# loop_held DEVICE [FILE]: somebody has it open, over this file.
loop_held()
{
	local back

	back=$(losetup -n -O BACK-FILE "$1" 2>/dev/null)
	# The name of the file may be followed by a remark that it was deleted.
	[ -n "$back" ] && [[ $back == "${2-}"* ]]
}

# loop_attach FILE [LOSETUP OPTIONS]: print the device. One that was made read-only (blockdev --setro) stays so for whoever
# gets it next, unless it is undone.
loop_attach()
{
	local file dev

	file=$(realpath "$1")
	shift
	dev=$(losetup --find --show "$@" "$file") || return 1
	# Once it was detached, others may get a device of that name.
	at_exit loop_detach "$dev" "$file"
	[[ " $* " == *" -r "* ]] || blockdev --setrw "$dev"
	echo "$dev"
}

# loop_detach DEVICE [FILE]: a device that somebody still has open (udev's blkid, say) goes away by itself when they let
# go of it.
loop_detach()
{
	loop_held "$@" || return 0
	losetup -d "$1" || return 1
	if loop_held "$@" && command -v udevadm >/dev/null; then
		udevadm settle -t 10
	fi
	if loop_held "$@"; then
		echo "# loop_detach: $1 is still open: $(fuser -v "$1" 2>&1 | tail -n +2 | head -5)" >&2
	fi
}

# mount_at SOURCE DIRECTORY [MOUNT OPTIONS]: the directory is made.
mount_at()
{
	local source=$1 dir=$2

	shift 2
	mkdir -p "$dir"
	mount "$@" "$source" "$dir" || return 1
	at_exit unmount "$dir"
}

unmount()
{
	mountpoint -q "$1" || return 0
	umount "$1" && return 0
	echo "# $1 is busy: $(fuser -vm "$1" 2>&1 | tail -n +2 | head -5)" >&2
	umount -l "$1"
	return 1
}

# xfs_host SIZE: print a directory of an XFS on a loop device, where sparse files can be up to 8 EiB long.
xfs_host()
{
	local dir

	dir=$(mktemp -d "$scratch/host.XXXXXX")
	truncate -s "$1" "$dir.image" && mkfs.xfs -q "$dir.image" >&2 || return 1
	mount_at "$dir.image" "$dir" -o loop || return 1
	echo "$dir"
}
