#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The library's reading of btrfs compared with that of btrfs-progs and of the kernel: extents, checksums, block groups,
# device extents, back references, paths; with snapshots, reflinks, compression, preallocation, and a log tree.
. "$(dirname "$0")/lib.sh"

need_root
need_tool mkfs.btrfs btrfs btrfs-map-logical losetup
need_fs btrfs

tool=$builddir/tests/system/btrfs_tool
[ -x "$tool" ] || skip_all "needs tests/system/btrfs_tool"
mnt=$scratch/mnt

# --- what the peer reads: dump-tree, in the lines of btrfs_tool ---

peer_extents()
{
	btrfs inspect-internal dump-tree -t extent "$1" | awk -v nodesize="$2" '
		$3 == "key" && ($5 == "EXTENT_ITEM" || $5 == "METADATA_ITEM") {
			logical = substr($4, 2); kind = $5; number = $6 + 0
		}
		$1 == "refs" && $3 == "gen" {
			tree = $6 ~ /TREE_BLOCK/
			level = kind == "METADATA_ITEM" ? number : 0
			length_ = kind == "METADATA_ITEM" ? nodesize : number
			if (!(tree && kind == "EXTENT_ITEM"))
				print logical, length_, tree ? "tree" : "data", level, $4
		}
		$1 == "tree" && $2 == "block" && kind == "EXTENT_ITEM" {
			print logical, number, "tree", $NF, gen
		}
		{ gen = $1 == "refs" ? $4 : gen }'
}

peer_sums()
{
	btrfs inspect-internal dump-tree -t csum --csum-items "$1" | grep -o '\[[0-9]*\] 0x[0-9a-f]*' |
		sed 's/\[\([0-9]*\)\] 0x/\1 /'
}

peer_groups()
{
	btrfs inspect-internal dump-tree "$1" | awk '$5 == "BLOCK_GROUP_ITEM" { print substr($4, 2), $6 + 0 }'
}

peer_devices()
{
	btrfs inspect-internal dump-tree -t dev "$1" | awk '
		$5 == "DEV_EXTENT" { dev = substr($4, 2); physical = $6 + 0 }
		$1 == "chunk_objectid" && $3 == "chunk_offset" { print dev, physical, $6, $4 }'
}

# same_as_peer NAME DEVICE NODESIZE: all that dump-tree tells is what the library tells.
same_as_peer()
{
	is "$("$tool" extents "$2" | grep -v ' log$')" "$(peer_extents "$2" "$3")" "$1: extents"
	is "$("$tool" groups "$2" | cut -d' ' -f1,2)" "$(peer_groups "$2")" "$1: block groups"
	is "$("$tool" devices "$2")" "$(peer_devices "$2")" "$1: device extents"
}

same_sums()
{
	is "$("$tool" sums "$2" | md5sum)" "$(peer_sums "$2" | md5sum)" "$1: checksums"
}

no_finding()
{
	local output

	output=$("$tool" verify "$2")
	has "$output" '^bad 0 missing 0$' "$1: all data fits its checksums, none is missing"
	has "$output" '^good [1-9]' "$1: there was something to verify"
}

# --- images that mkfs made ---

mkdir -p "$scratch/root/d"
head -c 3000000 /dev/urandom >"$scratch/root/d/random"
seq 100000 >"$scratch/root/numbers"
echo short >"$scratch/root/inline"
for csum in crc32c xxhash sha256 blake2; do
	image=$scratch/$csum.img
	truncate -s 200M "$image"
	mkfs.btrfs -q --csum "$csum" --rootdir "$scratch/root" "$image" >/dev/null 2>&1 || { not_ok "mkfs $csum"; continue; }
	same_as_peer "$csum" "$image" 16384
	if [ "$csum" = crc32c ]; then
		same_sums "$csum" "$image"
	fi
	no_finding "$csum" "$image"
	rm "$image"
done

image=$scratch/big.img
truncate -s 300M "$image"
mkfs.btrfs -q -s 16k -n 64k --rootdir "$scratch/root" "$image" >/dev/null 2>&1 &&
	same_as_peer "sectors of 16 KiB" "$image" 65536 && no_finding "sectors of 16 KiB" "$image"
rm -f "$image"

# --- a file system that the kernel wrote ---

image=$scratch/live.img
truncate -s 800M "$image"
mkfs.btrfs -q -n 4096 -m dup "$image" >/dev/null
mount_at "$image" "$mnt" -o loop,max_inline=0 || exit 1

btrfs -q subvolume create "$mnt/sub" >/dev/null
mkdir "$mnt/sub/dir"
head -c 40000000 /dev/urandom >"$mnt/sub/dir/random"
for i in $(seq 1500); do head -c 5000 /dev/urandom >"$mnt/sub/small$i"; done
ln "$mnt/sub/dir/random" "$mnt/sub/link"
cp --reflink=always "$mnt/sub/dir/random" "$mnt/sub/clone"
btrfs -q subvolume create "$mnt/sub/nested" >/dev/null
seq 300000 >"$mnt/sub/nested/file"
sync
btrfs -q subvolume snapshot "$mnt/sub" "$mnt/snap1" >/dev/null
btrfs -q subvolume snapshot -r "$mnt/sub" "$mnt/snap2" >/dev/null
dd if=/dev/urandom of="$mnt/sub/dir/random" bs=4096 seek=100 count=20 conv=notrunc status=none
rm "$mnt/snap1/small1" "$mnt/sub/small2"
touch "$mnt/sub/nodatasum"
chattr +C "$mnt/sub/nodatasum"
head -c 2000000 /dev/urandom >"$mnt/sub/nodatasum"
fallocate -l 4M "$mnt/sub/prealloc"
dd if=/dev/urandom of="$mnt/sub/prealloc" bs=4096 seek=17 count=30 conv=notrunc status=none
btrfs property set "$mnt/sub/dir" compression zstd
seq 500000 >"$mnt/sub/dir/compressed"
for i in $(seq 400); do ln "$mnt/sub/clone" "$mnt/sub/dir/one-of-the-many-names-of-a-clone-$i"; done
sync
btrfs -q subvolume snapshot "$mnt/snap1" "$mnt/snap3" >/dev/null
sync

loop=$(findmnt -n -o SOURCE "$mnt")
cp --sparse=always "$image" "$scratch/copy.img"
same_as_peer "written by the kernel" "$scratch/copy.img" 4096
same_sums "written by the kernel" "$scratch/copy.img"
no_finding "written by the kernel" "$scratch/copy.img"

# Each data extent, by its first byte and by one in the middle.
resolve_all()
{
	local logical length kind wrong=0

	while read -r logical length kind _; do
		[ "$kind" = data ] || continue
		for at in "$logical" $((logical + length / 8192 * 4096)); do
			btrfs inspect-internal logical-resolve -P -s 1048576 "$at" "$mnt" 2>/dev/null |
				awk '{ print $2, $4, $6 }' | sort -u >"$scratch/kernel"
			"$tool" resolve "$at" "$scratch/copy.img" | sort -u >"$scratch/ours"
			cmp -s "$scratch/kernel" "$scratch/ours" && continue
			wrong=$((wrong + 1))
			[ "$wrong" -gt 3 ] || { echo "logical $at"; diff "$scratch/kernel" "$scratch/ours"; }
		done
	done < <("$tool" extents "$scratch/copy.img" | awk 'NR % 31 == 1 || $2 > 8192')
	[ "$wrong" -eq 0 ]
}
check "back references are those of the kernel" resolve_all

paths_all()
{
	local tree=$1 top=$2 inode

	while read -r inode; do
		is_same "$("$tool" paths "$tree" "$inode" "$scratch/copy.img" | sed 's/^[^:]*: //' | sort)" \
			"$(find "$top" -xdev -mindepth 1 -inum "$inode" -printf '%P\n' | sort)" || return 1
	done < <(find "$top" -xdev -mindepth 1 -type f -printf '%i\n' | sort -u | awk 'NR % 97 == 1')
}

is_same()
{
	[ -n "$1" ] && [ "$1" = "$2" ] && return 0
	printf 'ours: %s\nfind: %s\n' "$1" "$2"
	return 1
}

for name in sub snap1 snap2 snap3 sub/nested; do
	id=$(btrfs inspect-internal rootid "$mnt/$name")
	check "paths in $name" paths_all "$id" "$mnt/$name"
	inode=$(find "$mnt/$name" -xdev -type f -printf '%i\n' | head -1)
	has "$("$tool" paths "$id" "$inode" "$scratch/copy.img")" "^$name: " "$name is called so"
done
clone=$(stat -c %i "$mnt/sub/clone")
is "$("$tool" paths "$(btrfs inspect-internal rootid "$mnt/sub")" "$clone" "$scratch/copy.img" | wc -l)" 401 \
	"all of 401 hard links are named"

# Each file's first extent is named in `files`, in each snapshot.
"$tool" files "$scratch/copy.img" >"$scratch/files"
is "$(grep -c ' incomplete' "$scratch/files")" 0 "nothing is incomplete"
for path in 'sub: small7' 'snap1: small7' 'snap2: small7' 'snap3: small7' 'snap2: small1' 'snap1: small2' \
	'sub: dir/random' 'sub: link' 'snap3: link' 'sub/nested: file' 'sub: dir/compressed'; do
	has "$(cat "$scratch/files")" "^[0-9]+ $path [0-9]" "named: $path"
done

# --- a log tree: what was fsynced and not committed ---

mkdir -p "$mnt/sub/logged"
sync
for i in 1 2 3; do
	dd if=/dev/urandom of="$mnt/sub/logged/f$i" bs=64k count=$((i * 4)) conv=fsync status=none
done
dd if=/dev/urandom of="$mnt/sub/prealloc" bs=4096 seek=300 count=10 conv=notrunc,fsync status=none
dd if="$loop" of="$scratch/log.img" bs=1M conv=sparse iflag=direct status=none
if btrfs inspect-internal dump-super "$scratch/log.img" | grep -Eq '^log_root[[:space:]]+0$'; then
	skip "log tree" "the kernel committed"
else
	"$tool" extents "$scratch/log.img" >"$scratch/extents"
	has "$(cat "$scratch/extents")" ' data .* log$' "the log has data extents"
	has "$(cat "$scratch/extents")" ' tree .* log$' "the log has tree blocks"
	no_finding "log tree" "$scratch/log.img"
	"$tool" files "$scratch/log.img" >"$scratch/files"
	for i in 1 2 3; do
		has "$(cat "$scratch/files")" "^[0-9]+ sub: logged/f$i [0-9]" "named by the log: f$i"
	done
	is "$("$tool" extents "$scratch/log.img" | awk '$3 == "tree" && $NF == "log" { print $1 }')" \
		"$(btrfs inspect-internal dump-tree "$scratch/log.img" |
			awk '($1 == "leaf" || $1 == "node") { logical = $2 } / owner TREE_LOG/ && !seen[logical]++ { print logical }' |
			sort -n)" "tree blocks of the log"
fi

# --- dead blocks: the rest is read, and what is lost is said ---

# kill_block LOGICAL: both copies, in dead.img.
kill_block()
{
	local physical

	cp --sparse=always "$scratch/copy.img" "$scratch/dead.img"
	for physical in $(btrfs-map-logical -l "$1" "$scratch/copy.img" | sed -n 's/.*physical \([0-9]*\) device.*/\1/p'); do
		dd if=/dev/zero of="$scratch/dead.img" bs=4096 seek=$((physical / 4096)) count=1 conv=notrunc status=none
	done
}

# The second leaf of a tree.
second_leaf()
{
	btrfs inspect-internal dump-tree -t "$1" "$scratch/copy.img" | awk '$1 == "leaf" && $3 == "items" && ++n == 2 { print $2 }'
}

leaf=$(second_leaf csum)
kill_block "$leaf"
gone=$(btrfs inspect-internal dump-tree -b "$leaf" --csum-items "$scratch/copy.img" | grep -o '\[[0-9]*\] 0x' | wc -l)
total=$("$tool" sums "$scratch/copy.img" | wc -l)
is "$("$tool" sums "$scratch/dead.img" | wc -l)" $((total - gone)) "with a dead leaf $gone of $total checksums are gone"
has "$("$tool" verify "$scratch/dead.img")" '^bad 0 ' "what is left fits"

leaf=$(second_leaf extent)
kill_block "$leaf"
"$tool" extents "$scratch/copy.img" >"$scratch/all"
"$tool" extents "$scratch/dead.img" >"$scratch/some"
has "$(cat "$scratch/some")" '^unknown ' "a dead leaf of the extent tree leaves a range unknown"
is "$(awk '
	NR == FNR && $1 == "unknown" { from[++n] = $2; to[n] = $2 + $3; next }
	NR == FNR { have[$0] = 1; next }
	{ for (i = 1; i <= n; i++) if ($1 >= from[i] && $1 < to[i] || ($0 in have)) next; print "not accounted for:", $0 }
	' "$scratch/some" "$scratch/all")" "" "each extent is known, or lies where extents are unknown"
is "$(awk 'NR == FNR && $1 != "unknown" { have[$0] = 1; next } NR != FNR && $0 in have { n++ } END { print (n > 0) }' \
	"$scratch/some" "$scratch/all")" 1 "other extents are read"
btrfs inspect-internal dump-tree -t extent "$scratch/copy.img" >"$scratch/dump"
check "there were shared references to data" grep -q 'shared data backref' "$scratch/dump"
check "there were shared references to tree blocks" grep -q 'shared block backref' "$scratch/dump"
done_testing
