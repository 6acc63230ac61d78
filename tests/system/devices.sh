#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What mkfs.xx takes and what it refuses: devices, images, links to them, what is in use, what is no device.

# shellcheck source=tests/system/lib.sh
# shellcheck disable=SC2317 # functions that check calls
. "$(dirname "$0")/lib.sh"
need_root
need_tool mkfs.xfs xfs_repair losetup blkid mkswap swapon addpart python3
need_fs xfs
cd "$scratch" || exit 1

# clean FILE: it is a file system that xfs_repair and the kernel like.
clean()
{
	xfs_repair -n "$1" >repair.out 2>&1 || { cat repair.out; return 1; }
	mkdir -p mnt && mount -o loop "$1" mnt && touch mnt/file && umount mnt
}

# refused DESCRIPTION PATTERN COMMAND...: exit 1 with one message that matches.
refused()
{
	local description=$1 pattern=$2

	shift 2
	check_status 1 "$description is refused" "$@" || return 1
	has "$output" "$pattern" "$description: the message says so"
	[ "$(wc -l <<<"$output")" -le 2 ] || not_ok "$description: one message" "$output"
}

# unchanged FILE COMMAND...: nothing was written to the file meanwhile.
unchanged()
{
	local file=$1 before

	shift
	sync "$file"
	before=$(stat -c '%y %s %b' "$file")
	"$@"
	sync "$file"
	is "$(stat -c '%y %s %b' "$file")" "$before" "its bytes were not touched"
}

image()
{
	rm -f "$1"
	truncate -s "${2:-512M}" "$1"
}

# --- what works --------------------------------------------------------------------------------------------------

image plain
check "an image file" "$MKFS" -q plain
check "it is clean, and mounts" clean plain

check "-d file makes a file" "$MKFS" -q -d file,name=made,size=400m
is "$(stat -c %s made)" 419430400 "of that size"
check "it is clean, and mounts" clean made
check "-d file truncates one that exists" "$MKFS" -q -d file,name=made,size=310m
is "$(stat -c %s made)" 325058560 "to that size"
check "it is clean, and mounts" clean made

image target
ln -s target link
check "a link to an image" "$MKFS" -q link
check "it is clean, and mounts" clean target

image back
loop=$(loop_attach back) || exit 1
ln -s "$loop" by-id
check "a block device" "$MKFS" -q "$loop"
check "it is clean" xfs_repair -n "$loop"
check "a link to a block device" "$MKFS" -q -f by-id
check "it is clean" xfs_repair -n "$loop"

# A partition: a table with one entry of type 83 from sector 2048 on, 800,000 sectors.
image disk
{
	printf '\0\0\0\0\x83\0\0\0\0\x08\0\0\0\x35\x0c\0' | dd of=disk bs=1 seek=446 conv=notrunc
	printf '\x55\xaa' | dd of=disk bs=1 seek=510 conv=notrunc
} 2>dd.log
disk=$(loop_attach disk) || exit 1
# Not left to the kernel's own reader of tables, which may be switched off.
if addpart "$disk" 1 2048 800000 2>addpart.log && [ -b "${disk}p1" ]; then
	at_exit delpart "$disk" 1
	check "a partition" "$MKFS" -q "${disk}p1"
	check "it is clean" xfs_repair -n "${disk}p1"
	refused "a disk whose partition is mounted" "in use|busy|mounted" bash -c "
		mkdir -p part && mount ${disk}p1 part || exit 2
		'$MKFS' -q -f $disk; status=\$?; umount part; exit \$status"
else
	not_ok "the kernel makes partitions of loop devices" "$(cat addpart.log)"
fi
refused "a partition table" "partition table" "$MKFS" -q "$disk"

image extlog 64M
image rt 256M
image data 400M
check "an external log and a realtime device" "$MKFS" -q -l logdev=extlog -r rtdev=rt data
check "they are clean" xfs_repair -n -l extlog -r rt data
check "external parts that are made" "$MKFS" -q -d file,name=d2,size=400m -l file,name=l2,size=64m
check "they are clean" xfs_repair -n -l l2 d2

# --- what is in use, with -f too ---------------------------------------------------------------------------------

mount_at "$loop" mounted || exit 1
unchanged back refused "a mounted device" "in use|busy|mounted" "$MKFS" -q -f "$loop"
unmount mounted

image mountedfile
"$MKFS" -q mountedfile && mount_at mountedfile mounted -o loop || exit 1
unchanged mountedfile refused "a mounted image" "in use|loop" "$MKFS" -q -f mountedfile
unchanged mountedfile refused "-d file over a mounted image" "in use|loop" \
	"$MKFS" -q -f -d file,name=mountedfile,size=400m
unmount mounted
check "it is as it was" clean mountedfile

unchanged back refused "an image that a loop device holds" "loop" "$MKFS" -q -f back
unchanged back refused "a link to it" "loop" "$MKFS" -q -f "$(pwd)/../$(basename "$scratch")/back"

image swapfile 64M
swap=$(loop_attach swapfile) || exit 1
chmod 600 swapfile
mkswap "$swap" >mkswap.log 2>&1
if swapon "$swap" 2>swapon.log; then
	at_exit bash -c "swapoff $swap 2>/dev/null || true"
	unchanged swapfile refused "a device that is swapped to" "in use|busy|swap" "$MKFS" -q -f "$swap"
	swapoff "$swap"
else
	not_ok "swapon works on a loop device" "$(cat swapon.log)"
fi

# --- what is there, without -f -----------------------------------------------------------------------------------

refused "swap space" "swap" "$MKFS" -q "$swap"
image old
mkfs.xfs -q old
unchanged old refused "an XFS" "filesystem \(xfs\)" "$MKFS" -q old
unchanged old refused "an XFS, also with -N," "filesystem \(xfs\)" "$MKFS" -N old
check "-f overwrites it" "$MKFS" -q -f old
image luks
printf 'LUKS\xba\xbe\0\1' | dd of=luks conv=notrunc 2>dd.log
unchanged luks refused "LUKS" "crypto_LUKS" "$MKFS" -q luks
image gpt
python3 - gpt <<'END'
# A partition table of GPT without partitions, at both ends.
import struct, sys, zlib
f = open(sys.argv[1], 'r+b')
sectors = f.seek(0, 2) // 512
entries = bytes(128 * 128)
def header(mine, other, table):
    raw = struct.pack('<8sIIIIQQQQ16sQIII', b'EFI PART', 0x10000, 92, 0, 0, mine, other, 34, sectors - 34, b'x' * 16,
                      table, 128, 128, zlib.crc32(entries))
    return raw[:16] + struct.pack('<I', zlib.crc32(raw)) + raw[20:]
f.seek(446)
f.write(struct.pack('<BBBBBBBBII', 0, 0, 2, 0, 0xee, 255, 255, 255, 1, sectors - 1))
f.seek(510)
f.write(b'\x55\xaa')
f.seek(512)
f.write(header(1, sectors - 1, 2))
f.seek((sectors - 1) * 512)
f.write(header(sectors - 1, 1, sectors - 33))
END
unchanged gpt refused "a GPT" "partition table \(gpt\)" "$MKFS" -q gpt
cp --sparse=always gpt half
dd if=/dev/zero of=half bs=512 count=2 conv=notrunc 2>dd.log
unchanged half refused "a GPT of which only the copy is left" "partition table \(gpt\)" "$MKFS" -q half
check "-f overwrites it" "$MKFS" -q -f gpt
is "$(tail -c 512 gpt | tr -d '\0' | wc -c)" 0 "the copy is gone"
if command -v mkfs.ext4 >/dev/null; then
	image ext4
	mkfs.ext4 -q ext4
	unchanged ext4 refused "an ext4" "filesystem \(ext4\)" "$MKFS" -q ext4
fi
if command -v mkfs.btrfs >/dev/null; then
	image btrfs
	mkfs.btrfs -q btrfs >btrfs.log 2>&1
	unchanged btrfs refused "a btrfs" "filesystem \(btrfs\)" "$MKFS" -q btrfs
	check "-f overwrites it" "$MKFS" -q -f btrfs
	is "$(dd if=btrfs bs=1 skip=$((64 * 1024 * 1024 + 64)) count=8 2>dd.log | tr -d '\0')" "" \
		"the copy of its superblock is gone"
fi
if command -v pvcreate >/dev/null; then
	image lvm
	pv=$(loop_attach lvm) || exit 1
	if pvcreate -q -y "$pv" >pvcreate.log 2>&1; then
		refused "a physical volume of LVM" "LVM2_member" "$MKFS" -q "$pv"
		check "-f overwrites it" "$MKFS" -q -f "$pv"
		is "$(blkid -p -o value -s TYPE "$pv")" xfs "and nothing of it is left"
	fi
fi
image data2
unchanged extlog refused "an external log that is one already" "xfs_external_log" "$MKFS" -q -l logdev=extlog data2

# --- what is no device -------------------------------------------------------------------------------------------

mkdir directory
mkfifo fifo
refused "a directory" "directory" "$MKFS" -q directory
refused "a FIFO" "not a (block )?device|neither|block device" timeout 10 "$MKFS" -q fifo
refused "a character device" "not a (block )?device|neither|block device" "$MKFS" -q /dev/null
refused "what does not exist" "No such file" "$MKFS" -q nowhere
refused "an empty file" "size" bash -c ": >empty; '$MKFS' -q empty"
image small 16M
unchanged small refused "a file of 16 MiB" "small|at least|minimum" "$MKFS" -q small
image lesser 299M
unchanged lesser refused "a file of 299 MiB" "small|at least|minimum|300" "$MKFS" -q lesser
image readonly
ro=$(loop_attach readonly -r) || exit 1
refused "a read-only device" "[Rr]ead-only" "$MKFS" -q "$ro"
refused "-d file over a block device" "block device" "$MKFS" -q -d "file,name=$loop,size=400m"

# --- -N touches and makes nothing --------------------------------------------------------------------------------

image dry
unchanged dry check "-N on an image" "$MKFS" -N dry
check "-N with -d file" "$MKFS" -N -d file,name=never,size=1t
check "makes no file" test ! -e never

done_testing
