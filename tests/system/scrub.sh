#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 14400
# scrub.sh - every kind of damage of every kind of file system: what xxscrub says is what the place of the damage implies,
# -r changes nothing, and what can be repaired is as it was.
#
# A fixed sample; with XX_SCRUB_FULL=1 all, and a table of it in $XX_SCRUB_TABLE. XX_SCRUB_ONLY: a regular expression for the titles.
. "$(dirname "$0")/lib.sh"
need_root
need_tool mkfs.btrfs btrfs btrfstune losetup mount python3
need_fs btrfs

: "${SCRUB:=$builddir/xxscrub}"
# shellcheck source=tests/system/scrubbing/make.sh
. "$srcdir/tests/system/scrubbing/make.sh"
fast_scratch
export XX_STATE_DIR=$fast/state PYTHONDONTWRITEBYTECODE=1
results=$scratch/results
: >"$results"
options=()
[ -z "${XX_SCRUB_FULL-}" ] || options+=(--full)

# profile, devices, the checksums of which it is a part of the sample
file_systems='
single 1
dup 1 crc32c
mixed 1
raid0 2
raid1 2 xxhash
raid1c3 3
raid1c4 4
raid10 4
raid5 2
raid5 3 blake2
raid5 4
raid6 3
raid6 4 sha256
raid6 5
uuid 2
seed 2
sectors16k 1
sectors64k 1
'

# Lines of matrix.py as tests.
tell()
{
	local line

	while IFS= read -r line; do
		case $line in
		'ok '*) ok "${line#ok }" ;;
		'not ok '*) not_ok "${line#not ok }" ;;
		'#'*) echo "$line" ;;
		esac
		case $line in
		'#'*) ;;
		*) printf '%s\n' "$line" >>"$results" ;;
		esac
	done
}

# damage_all TITLE PROFILE CSUM DEVICES
damage_all()
{
	local title=$1 members seeds=()

	rm -rf "$fast/fs" "$fast/work"
	mkdir "$fast/work"
	make_fs "$fast/fs" "$2" "$3" "$4" >"$scratch/made" 2>&1 ||
		{ not_ok "$title: is made" "$(<"$scratch/made")"; unmount "$fast/mnt"; return 1; }
	[ "$2" != seed ] || seeds=(--seed 1)
	tell < <(python3 "$here/matrix.py" ${options[@]+"${options[@]}"} "${seeds[@]}" "$SCRUB" "$fast/fs" "$fast/work" "$title" 2>&1)
	# Each repair gave the devices back as they were: these are, byte for byte, what it left.
	members=("$fast/work"/[1-9])
	case $2 in
	seed | sectors*) check "$title: btrfs check of the result" progs_clean "${members[@]}" ;;
	*) check "$title: the kernel's scrub of the result" kernel_clean "${members[@]}" ;;
	esac
}

run_all()
{
	local profile devices sample csum title

	while read -r profile devices sample; do
		[ -n "$profile" ] || continue
		for csum in crc32c xxhash sha256 blake2; do
			title="$profile-$devices $csum"
			[ -n "${XX_SCRUB_FULL-}${XX_SCRUB_ONLY-}" ] || [ "$csum" = "$sample" ] || continue
			[[ $title =~ ${XX_SCRUB_ONLY-} ]] || continue
			damage_all "$title" "$profile" "$csum" "$devices" </dev/null
		done
	done <<<"$file_systems"
}

# The third copy of a superblock needs a device of more than 256 GiB.
third_super()
{
	local image=$fast/large place=$((256 << 30)) output

	truncate -s 257G "$image" 2>/dev/null || { skip "third superblock" "no file can be so large"; return; }
	mkfs.btrfs -q -K "$image" >/dev/null 2>&1 || { not_ok "third superblock: is made"; return; }
	dd if="$image" of="$scratch/super" bs=4096 skip=$((place / 4096)) count=1 status=none
	dd if=/dev/urandom of="$image" bs=4096 seek=$((place / 4096)) count=1 conv=notrunc status=none
	check_status 3 "third superblock: is bad" "$SCRUB" start -B -r "$image"
	has "$output" "physical $place: superblock, copy 2: " "third superblock: is named"
	check_status 0 "third superblock: is repaired" "$SCRUB" start -B "$image"
	check "third superblock: is as it was" cmp -n 4096 -i "$place:0" "$image" "$scratch/super"
	rm "$image"
}

run_all
[ -n "${XX_SCRUB_ONLY-}" ] || third_super
[ -z "${XX_SCRUB_TABLE-}" ] || python3 "$here/table.py" <"$results" >"$XX_SCRUB_TABLE"
done_testing
