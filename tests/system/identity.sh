#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 1200
# What mkfs.xx makes equals what mkfs.xfs 6.1.0 makes from the same options and UUID on media that was zero: byte for
# byte, outside of the time stamps, generation numbers and checksums of the inodes of the root chunk (images.py masks
# these fields and checks the checksums), and as to the geometry that is printed. What mkfs.xfs refuses, mkfs.xx
# refuses in at most two lines, with exit status 1, and touches nothing. The options are the lines of identity_sets.
#
# identity.sh [PATTERN]: only the lines that match the extended regular expression.

# shellcheck source=tests/system/lib.sh
# shellcheck disable=SC2317 # functions that check calls
. "$(dirname "$0")/lib.sh"
need_root
need_tool mkfs.xfs xfs_repair losetup python3
need_fs xfs
[ "$(mkfs.xfs -V)" = "mkfs.xfs version 6.1.0" ] || skip_all "needs mkfs.xfs 6.1.0"
unset SOURCE_DATE_EPOCH DETERMINISTIC_SEED

images=$srcdir/tests/system/images.py
uuid=c1b9d5a2-f162-11cf-9ece-0020afc76f16
pattern=${1-.}
host=$(xfs_host 16g) || exit 1
mkdir "$host/theirs" "$host/ours" "$host/before"

# files DIRECTORY DATA LOG RT
files()
{
	rm -f "$1"/*
	truncate -s "$2" "$1/image" || return 1
	[ "$3" = - ] || truncate -s "$3" "$1/log" || return 1
	[ "$4" = - ] || truncate -s "$4" "$1/rt"
}

# make DIRECTORY COMMAND OPTION...: the geometry goes to DIRECTORY/out, the messages to DIRECTORY/err. No directory
# appears in what is printed.
make()
{
	local dir=$1

	shift
	(cd "$dir" && exec "$@" image >out 2>err </dev/null)
}

# The words of the line, and what makes the two alike: options.
set_options()
{
	read -ra options <<<"$*"
	case $* in *rmapbt=*) ;; *) options+=(-m rmapbt=0) ;; esac
	case $* in *nrext64=*) ;; *) options+=(-i nrext64=0) ;; esac
	[ "$log" = - ] || options+=(-l logdev=log)
	[ "$rt" = - ] || options+=(-r rtdev=rt)
}

# same_files NAME...: of both directories
same_files()
{
	local name status=0

	for name; do
		python3 "$images" compare "$host/theirs/$name" "$host/ours/$name" || {
			echo "so $name differs"
			status=1
		}
	done
	return $status
}

made_by_both()
{
	make "$host/theirs" mkfs.xfs "${options[@]}" -m uuid=$uuid || {
		echo "mkfs.xfs does not make it:"
		head -n 3 "$host/theirs/err"
		return 1
	}
	make "$host/ours" "$MKFS" "${options[@]}" -m uuid=$uuid || {
		echo "status $?:"
		cat "$host/ours/err"
		return 1
	}
}

same()
{
	local status=0 names=(image)

	made_by_both || return 1
	[ "$log" = - ] || names+=(log)
	[ "$rt" = - ] || names+=(rt)
	same_files "${names[@]}" || status=1
	if ! diff "$host/theirs/out" "$host/ours/out"; then
		echo "so the printed geometry differs"
		status=1
	fi
	return $status
}

# The kernel mounts our image and writes to it.
mounts()
{
	local dev=

	mkdir -p "$scratch/judge"
	[ "$log" = - ] || dev=$(loop_attach "$host/ours/log") || return 1
	mount -o "loop${dev:+,logdev=$dev}" "$host/ours/image" "$scratch/judge" || return 1
	tar -C "$srcdir" -c tests | tar -C "$scratch/judge" -x
	umount "$scratch/judge" || return 1
	[ -z "$dev" ] || loop_detach "$dev"
}

repair()
{
	local args=(-n)

	[ "$log" = - ] || args+=(-l "$host/ours/log")
	xfs_repair "${args[@]}" "$host/ours/image" 2>&1
}

# What xfs_repair says but for its phases.
complaints()
{
	repair | grep -Ev '^(Phase|        - |No modify flag)'
}

differs()
{
	made_by_both || return 1
	! python3 "$images" compare "$host/theirs/image" "$host/ours/image" >/dev/null || {
		echo "the images are the same: this exception is none"
		return 1
	}
}

judged()
{
	differs && repair && mounts && repair
}

moved()
{
	local where="^sb root inode value [0-9]+ valid but in unaligned location|^Could not estimate a plausible sb_unit value"

	differs && mounts && ! complaints | grep -Ev "$where"
}

# Something that is not zero at both ends, of every file.
scribble()
{
	local file

	for file in "$1"/*; do
		yes "not a file system" | head -c 65536 | dd of="$file" conv=notrunc status=none
		yes "not a file system" | head -c 65536 | dd of="$file" conv=notrunc status=none oflag=seek_bytes \
			seek=$(($(stat -c %s "$file") - 65536))
	done
}

refused()
{
	local file status

	files "$host/before" "$data" "$log" "$rt" || return 1
	# No clones: the sector of a file that shares blocks is the block of its file system.
	scribble "$host/theirs"
	scribble "$host/ours"
	scribble "$host/before"
	make "$host/theirs" mkfs.xfs "${options[@]}"
	status=$?
	[ $status -eq 1 ] || { echo "mkfs.xfs: status $status"; return 1; }
	make "$host/ours" "$MKFS" "${options[@]}"
	status=$?
	cat "$host/ours/err"
	[ $status -eq 1 ] || { echo "status $status"; return 1; }
	[ -s "$host/ours/err" ] || { echo "no message"; return 1; }
	case $MKFS in
	*mkfs.xfs) ;;
	*) [ "$(wc -l <"$host/ours/err")" -le 2 ] || { echo "more than two lines"; return 1; } ;;
	esac
	for file in "$host/before"/*; do
		python3 "$images" same "$file" "$host/ours/${file##*/}" || { echo "so ${file##*/} was touched"; return 1; }
	done
}

declare -A counts=([same]=0 [judged]=0 [moved]=0 [refused]=0)
while read -r verdict data log rt words; do
	case $verdict in \#* | '') continue ;; esac
	grep -Eq -- "$pattern" <<<"$verdict $data $log $rt $words" || continue
	counts[$verdict]=$((counts[$verdict] + 1))
	set_options "$words"
	files "$host/theirs" "$data" "$log" "$rt" && files "$host/ours" "$data" "$log" "$rt" || exit 1
	name="$verdict: $data"
	[ "$log" = - ] || name+=", log $log"
	[ "$rt" = - ] || name+=", rt $rt"
	check "$name $words" "$verdict"
done <"$srcdir/tests/system/identity_sets"
if [ "$pattern" = . ]; then
	check "at least 120 sets are the same" [ "${counts[same]}" -ge 120 ]
	check "at least 20 are refused" [ "${counts[refused]}" -ge 20 ]
fi
done_testing
