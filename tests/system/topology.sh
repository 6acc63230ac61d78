#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Geometry of block devices: mkfs.xx -N prints what mkfs.xfs 6.1 -N prints, or both refuse, whatever libblkid says of
# sectors, stripes and alignment; and on files whose host has sectors of 4 KiB.

. "$(dirname "$0")/lib.sh"

need_root
need_tool mkfs.xfs losetup
need_fs xfs
case $(mkfs.xfs -V) in
*' 6.1.'*) ;;
*) skip_all "the geometry is that of mkfs.xfs 6.1" ;;
esac
features=(-m rmapbt=0 -i nrext64=0)

# geometry COMMAND OPTIONS: the block that the command prints
geometry()
{
	"$1" -N "${features[@]}" "${@:2}" 2>"$scratch/errors" || echo refused
}

# same DESCRIPTION OPTIONS: both print the same
same()
{
	local wanted got peer

	wanted=$(geometry mkfs.xfs "${@:2}")
	peer=$(head -n 2 "$scratch/errors")
	got=$(geometry "$MKFS" "${@:2}")
	if [ "$got" = "$wanted" ]; then
		ok "$1: ${*:2}"
	else
		not_ok "$1: ${*:2}" "mkfs.xfs: $wanted $peer
mkfs.xx: $got $(head -n 2 "$scratch/errors")"
	fi
}

# --- what libblkid says, in place of a RAID ----------------------------------------------------------------------

# shimmed ALIGNMENT MIN_IO OPT_IO LOGICAL PHYSICAL OPTIONS
shimmed()
{
	local -x SHIM_ALIGNMENT=$1 SHIM_MIN_IO=$2 SHIM_OPT_IO=$3 SHIM_LOGICAL=$4 SHIM_PHYSICAL=$5
	local -x LD_PRELOAD=$scratch/shim.so ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0

	same "alignment, I/O, sectors $1 $2 $3 $4 $5" "${@:6}"
}

# shellcheck disable=SC2046
"${CC:-gcc}" -shared -fPIC -o "$scratch/shim.so" "$srcdir/tests/system/topology_shim.c" $(pkg-config --cflags blkid) ||
	exit 1
for size in 900m 1g 20g 900g; do
	truncate -s "$size" "$scratch/disk-$size"
	disk=$(loop_attach "$scratch/disk-$size") || exit 1
	shimmed 0 65536 262144 512 512 "$disk"
	shimmed 0 262144 1310720 512 4096 "$disk"
	shimmed 0 65536 262144 512 512 -d noalign "$disk"
	shimmed 0 65536 262144 512 512 -d su=64k,sw=4 "$disk"
	shimmed 0 65536 262144 512 512 -d su=32k,sw=2 "$disk"
	shimmed 0 65536 262144 512 512 -d su=0,sw=0 "$disk"
	shimmed 0 65536 262144 512 512 -d sunit=0,swidth=0 "$disk"
	shimmed 0 65536 262144 512 512 -d agcount=8 "$disk"
	shimmed 0 65536 262144 512 512 -b size=64k "$disk"
	shimmed 0 32768 262144 512 512 -b size=64k "$disk"
done
disk=$(loop_attach "$scratch/disk-20g") || exit 1
for io in '512 0' '4096 0' '0 0' '65536 512' '65536 0' '0 98304' '65536 98304' '131072 65536' '4096 65536' '6144 12288' \
	'1000 2000' '33553920 33553920' '16777216 33554432' '1048576 4294901760' '65536 4294967296' '512 1048576'; do
	# shellcheck disable=SC2086
	shimmed 0 $io 512 512 "$disk"
	# shellcheck disable=SC2086
	shimmed 0 $io 512 4096 -l su=32k "$disk"
done
for sectors in '512 512' '512 4096' '4096 4096' '1024 2048' '512 8192' '8192 8192' '512 65536' '0 0' '0 4096' \
	'65536 65536' '4096 512'; do
	for options in '' '-b size=1k' '-b size=2k' '-b size=64k' '-s size=512' '-s size=4k' '-d sectsize=2k' '-f' \
		'-d agsize=2097152s'; do
		# shellcheck disable=SC2086
		shimmed 0 512 0 $sectors $options "$disk"
		# shellcheck disable=SC2086
		shimmed 512 65536 131072 $sectors $options "$disk"
	done
done
log=$(loop_attach "$scratch/disk-900m") || exit 1
for io in '65536 262144' '512 0' '6144 12288' '4096 8192' '65536 2147483648'; do
	# shellcheck disable=SC2086
	shimmed 0 $io 512 512 -r rtdev="$log" "$disk"
	# shellcheck disable=SC2086
	shimmed 0 $io 512 4096 -r rtdev="$log",noalign "$disk"
	# shellcheck disable=SC2086
	shimmed 0 $io 512 4096 -l logdev="$log" "$disk"
	# shellcheck disable=SC2086
	shimmed 512 $io 512 4096 -r rtdev="$log" -f "$disk"
done

# --- real sectors ------------------------------------------------------------------------------------------------

for sector in 512 1024 2048 4096; do
	truncate -s 1g "$scratch/real-$sector"
	disk=$(loop_attach "$scratch/real-$sector" --sector-size "$sector") || exit 1
	same "device of $sector-byte sectors" "$disk"
	same "device of $sector-byte sectors" -s size=512 "$disk"
	same "device of $sector-byte sectors" -b size=1k "$disk"
	same "device of $sector-byte sectors" -s size=4k -b size=16k "$disk"
	mkfs.xfs -q -f "$disk" && mount_at "$disk" "$scratch/host" || exit 1
	truncate -s 400m "$scratch/host/file" "$scratch/host/log"
	same "file on sectors of $sector bytes" "$scratch/host/file"
	same "file on sectors of $sector bytes" -s size=512 "$scratch/host/file"
	same "file on sectors of $sector bytes" -b size=1k "$scratch/host/file"
	same "file on sectors of $sector bytes" -d agsize=32768s "$scratch/host/file"
	same "file on sectors of $sector bytes" -l logdev="$scratch/host/log" "$scratch/host/file"
	rm -f "$scratch/host/new"
	wanted=$(geometry mkfs.xfs -d file,name="$scratch/host/new",size=8191p)
	rm -f "$scratch/host/new"
	is "$(geometry "$MKFS" -d file,name="$scratch/host/new",size=8191p)" "$wanted" "new file, sectors of $sector bytes"
	check "-N makes no file" test ! -e "$scratch/host/new"
	unmount "$scratch/host"
done
done_testing
