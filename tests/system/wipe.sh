#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# Old superblocks are wiped: none of a former XFS is left but those that -v names, a crafted one sends no write astray,
# and a repair that has lost the new file system does not find the old one.

# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
need_root
need_tool mkfs.xfs xfs_repair xfs_db losetup python3
need_fs xfs
cd "$scratch" || exit 1

host=$(xfs_host 40G) || exit 1

# superblocks FILE STRIDE COUNT: print how many of the sectors at multiples of STRIDE, from 1 on, are superblocks.
superblocks()
{
	python3 - "$@" <<-'END'
	import os, sys
	fd = os.open(sys.argv[1], os.O_RDONLY)
	stride, count = int(sys.argv[2]), int(sys.argv[3])
	print(sum(os.pread(fd, 4, n * stride) == b'XFSB' for n in range(1, count)))
	END
}

# --- all of a former 100 PB --------------------------------------------------------------------------------------

image=$host/image
truncate -s 100P "$image"
check "100 PB" "$MKFS" -q -K "$image"
stride=$(((1 << 40) - 4096))
is "$(superblocks "$image" $stride 102401)" 102400 "it has all its secondaries"
check_status 0 "1 TiB over it" "$MKFS" -q -f -v -K -d size=1t "$image"
diag "$output"
has "$output" "wiped [0-9]+ old secondary superblocks of 102400" "-v says how many were wiped"
left=$(sed -n 's/.* \([0-9]*\) old secondary superblocks were left.*/\1/p' <<<"$output")
is "$(superblocks "$image" $stride 102401)" "${left:-0}" "only those are left that it named (${left:-0})"
check "the new one is clean" xfs_repair -n "$image"
rm "$image"

# --- the part that the new one covers ----------------------------------------------------------------------------

truncate -s 4G image
mkfs.xfs -q -d agcount=31 image
old=$(xfs_db -r -c "sb 0" -c "print agblocks" image | sed 's/.*= //')
check "4 groups over 31, on half of the device" "$MKFS" -q -f -K -d size=2g,agcount=4 image
is "$(superblocks image $((old * 4096)) 31)" 0 "none of the 30 is left"
check "it is clean" xfs_repair -n image
for group in 0 1 2 3; do
	dd if=/dev/zero of=image bs=512 count=1 seek=$((group * 1048576)) conv=notrunc 2>dd.log
done
output=$(xfs_repair -n image 2>&1)
has "$output" "could not find valid secondary superblock" "a repair that has lost it does not find the old one"

# --- crafted -----------------------------------------------------------------------------------------------------

# craft FILE FIELD=VALUE...: an old superblock that says so; its checksum is right.
craft()
{
	python3 - "$@" <<-'END'
	import sys
	crc_table = []
	for n in range(256):
	    for _ in range(8):
	        n = (n >> 1) ^ 0x82f63b78 if n & 1 else n >> 1
	    crc_table.append(n)
	def crc32c(data):
	    crc = 0xffffffff
	    for byte in data:
	        crc = (crc >> 8) ^ crc_table[(crc ^ byte) & 0xff]
	    return crc ^ 0xffffffff
	fields = {'blocksize': (4, 4), 'dblocks': (8, 8), 'agblocks': (84, 4), 'agcount': (88, 4), 'blocklog': (120, 1),
	          'sectsize': (102, 2), 'sectlog': (121, 1)}
	f = open(sys.argv[1], 'r+b')
	sb = bytearray(f.read(512))
	for arg in sys.argv[2:]:
	    name, value = arg.split('=')
	    at, size = fields[name]
	    sb[at:at + size] = int(value).to_bytes(size, 'big')
	sb[224:228] = bytes(4)
	sb[224:228] = crc32c(sb).to_bytes(4, 'little')
	f.seek(0)
	f.write(sb)
	END
}

# crafted DESCRIPTION FIELD=VALUE...
crafted()
{
	local description=$1

	shift
	rm -f image
	truncate -s 1G image
	mkfs.xfs -q image
	craft image "$@"
	check "$description" timeout 120 "$MKFS" -q -f -K image
	is "$(stat -c %s image)" 1073741824 "the image is as long as before"
	check "it is clean" xfs_repair -n image
}

crafted "the most groups of the least size" agblocks=64 agcount=4294967295 dblocks=274877906816
crafted "groups far behind the end" agblocks=268435455 agcount=4294967295 dblocks=1152921500311879681
crafted "sizes that overflow" agblocks=4294967295 agcount=4294967295 dblocks=18446744065119617025
crafted "blocks of nothing" blocksize=0 blocklog=0
crafted "no group" agcount=0
crafted "groups that begin inside of sectors" blocksize=512 blocklog=9 agblocks=12345 agcount=100 dblocks=1234500
crafted "sectors of 32 KiB" sectsize=32768 sectlog=15

truncate -s 1G back
mkfs.xfs -q back
craft back agblocks=64 agcount=4294967295 dblocks=274877906816
loop=$(loop_attach back --sector-size 4096) || exit 1
check "the same on a device with sectors of 4096 bytes" timeout 120 "$MKFS" -q -f -K "$loop"
check "it is clean" xfs_repair -n "$loop"

done_testing
