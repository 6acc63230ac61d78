#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1200
# The kernel takes what mkfs.xx makes for its own: it mounts it through a loop device, can be given work of all kinds
# up to a full disk (fill.py), and finds all of it unchanged when it has mounted it a second time; then xfs_repair -n
# has no complaint, as it has none before the first mount. Every size of block and set of features: mount_sets.
#
# mount.sh [PATTERN]: only the lines that match the extended regular expression.

# shellcheck source=tests/system/lib.sh
# shellcheck disable=SC2317 # functions that check calls
. "$(dirname "$0")/lib.sh"
need_root
need_tool xfs_repair losetup python3
need_fs xfs

fill=$srcdir/tests/system/fill.py
pattern=${1-.}
host=$scratch/host
mkdir "$host"
# Memory is much quicker than a disk that others use too; no image has more than some 200 MB of data.
if [ "$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)" -ge 6 ]; then
	mount_at none "$host" -t tmpfs -o size=4g || exit 1
fi
cd "$host" || exit 1
mkdir mnt

# step NAME COMMAND...: says what failed.
step()
{
	local name=$1

	shift
	"$@" || {
		echo "$name: status $?"
		return 1
	}
}

clean()
{
	local args=(-n)

	case $words in *exchange=1* | *parent=1*) return 0 ;; esac
	[ "$log" = - ] || args+=(-l log)
	xfs_repair "${args[@]}" image 2>&1
}

mounted()
{
	mount -o "loop${dev:+,logdev=$dev}" image mnt && at_exit unmount "$host/mnt"
}

# To the end, also after a failure, so that the next set finds nothing mounted.
used()
{
	local status=0

	step mount mounted || return 1
	step "$1" python3 "$fill" "$@" || status=1
	step umount unmount mnt || status=1
	return $status
}

works()
{
	local options args=() dev='' status=0

	rm -f image log record
	truncate -s "$data" image || return 1
	read -ra options <<<"$words"
	if [ "$log" != - ]; then
		truncate -s "$log" log && args+=(-l logdev=log)
	fi
	step mkfs.xx "$MKFS" -q "${options[@]}" "${args[@]}" image || return 1
	step "xfs_repair after mkfs.xx" clean || return 1
	if [ "$log" != - ]; then
		dev=$(loop_attach log) || return 1
	fi
	{
		used fill mnt record "$tap_count" && step "xfs_repair after work" clean && used verify mnt record &&
			step "xfs_repair at the end" clean
	} || status=1
	[ -z "$dev" ] || loop_detach "$dev"
	return $status
}

while read -r data log words; do
	case $data in \#* | '') continue ;; esac
	name="$data$([ "$log" = - ] || echo ", log $log") $words"
	grep -Eq -- "$pattern" <<<"$name" || continue
	check "$name" works
done <"$srcdir/tests/system/mount_sets"
done_testing
