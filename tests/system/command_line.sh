#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# command_line.sh - mkfs.xx takes and refuses what mkfs.xfs takes and refuses, and shows the same geometry.
#
# Each line below is a command line for -N. An @SIZE is an image file of that size; $c is a directory with configuration
# files. Features whose default differs between the two are given explicitly, unless the line has them.
. "$(dirname "$0")/lib.sh"
need_root
need_tool mkfs.xfs
need_fs xfs
[[ $(mkfs.xfs -V) == *" 6.1."* ]] || skip_all "needs mkfs.xfs 6.1"

host=$(xfs_host 1g) || skip_all "no XFS on a loop device"
c=$scratch/config
mkdir "$c"
cd "$host" || exit 1

config()
{
	printf '%s\n' "${@:2}" >"$c/$1"
}

# The words of a line, with the images made and the names of configuration files put in.
words_of()
{
	local word size

	for word in $1; do
		word=${word//\$c/$c}
		if [[ $word =~ @([0-9]+[a-z]?) ]]; then
			size=${BASH_REMATCH[1]}
			truncate -s "${size^^}" "image-$size" || return 1
			word=${word/@$size/image-$size}
		fi
		printf '%s\n' "$word"
	done
}

# What the defaults of 6.1 are, where neither the line nor its configuration file says anything of them.
older_defaults()
{
	local said=$1

	[[ $said =~ options=\$c/([^ ]+) ]] && said+=$(cat "$c/${BASH_REMATCH[1]}")
	[[ $said == *rmapbt* ]] || printf '%s\n' -m rmapbt=0
	[[ $said == *nrext64* ]] || printf '%s\n' -i nrext64=0
}

geometry_lines()
{
	grep -E '^(meta-data|data|naming|log|realtime|) *='
}

# compare accepted|refused LINE
compare()
{
	local wanted=$1 line=$2 theirs ours their_status our_status words older

	mapfile -t words < <(words_of "$line")
	mapfile -t older < <(older_defaults "$line")
	theirs=$(mkfs.xfs -N "${words[@]}" 2>"$scratch/their-errors")
	their_status=$?
	ours=$("$MKFS" -N "${older[@]}" "${words[@]}" 2>"$scratch/our-errors")
	our_status=$?
	theirs=$(geometry_lines <<<"$theirs")

	if [ "$wanted" = accepted ]; then
		if [ "$their_status$our_status" = 00 ] && [ "$theirs" = "$ours" ]; then
			ok "accepted: $line"
		else
			not_ok "accepted: $line" "mkfs.xfs ($their_status): $theirs
$(head -n 2 "$scratch/their-errors")
mkfs.xx ($our_status): $ours
$(cat "$scratch/our-errors")"
		fi
		return
	fi
	if [ "$their_status$our_status" = 11 ] && [ -z "$ours" ] && [ -s "$scratch/our-errors" ] &&
		[ "$(wc -l <"$scratch/our-errors")" -le 2 ]; then
		ok "refused: $line"
	else
		not_ok "refused: $line" "mkfs.xfs: $their_status, mkfs.xx: $our_status, $ours
$(cat "$scratch/our-errors")"
	fi
}

each_line()
{
	local line

	while read -r line; do
		[ -n "$line" ] && compare "$1" "$line"
	done
}

config lts '[metadata]' bigtime=0 crc=1 finobt=1 inobtcount=0 reflink=1 rmapbt=0 '[inode]' sparse=1 nrext64=0
config rmapbt-off '[metadata]' rmapbt=0
config rmapbt-nrext64 '# both on' '[metadata]' 'rmapbt = 1 ; on' '' '[INODE]' nrext64:1
config data '[data]' agcount=5 noalign=1 '[block]' size=2048 '[naming]' size=8192 '[log]' size=100m
config stripes '[data]' su=64k sw=4 '[sector]' size=4096
config unknown '[data]' frog=1
config section '[frog]' size=1
config no-value '[data]' noalign
config no-section 'agcount=4'
config zero '[data]' agcount=0

each_line accepted <<'END'
@1g
@300m
@301m
@512m
@2g
@10g
@100g
@1t
@5t
@40t
@10p
@1e
-f -K -L label @1g
-L twelve_bytes @1g
-d name=@1g
-d size=512m @1g
-d size=0x20000000 @1g
-d size=04000000000 @1g
-d size=131072b @1g
-d size=1048576s @1g
-d size=700M @1g
-d size=600000k @1g
-d file=0 @1g
-b size=1024 @1g
-b size=2k @1g
-b size=8192 @2g
-b size=16k @2g
-b size=32k @4g
-b size=64k @4g
-b size=1k @1t
-b size=64k @1t
-d size=300000b -b size=2k @1g
-s size=512 @1g
-s size=1024 @1g
-s size=4096 @1g
-s sectsize=2k @1g
-d sectsize=4096 @1g
-s size=4k -b size=4k @1g
-d size=200000s -s size=4096 @1g
-i size=512 @1g
-i size=1024 @1g
-i size=2048 @1g
-i perblock=2 @1g
-i perblock=4 @1g
-i perblock=8 @1g
-i perblock=16 -b size=8k @1g
-i maxpct=0 @1g
-i maxpct=100 @1g
-i maxpct=7 @1t
-i align=1,attr=2,projid32bit=1 @1g
-i sparse=0 @1g
-i sparse @1g
-i nrext64=1 @1g
-i nrext64 @1g
-m crc=1 @1g
-m crc @1g
-m finobt=0 @1g
-m finobt=0,inobtcount=0 @1g
-m rmapbt=1 @1g
-m rmapbt=1 @10t
-m reflink=0 @1g
-m reflink=0,rmapbt=1 @1g
-m inobtcount=0 @1g
-m bigtime=0 @1g
-m rmapbt=1,reflink=1,bigtime=0,inobtcount=0,finobt=1 -i nrext64=1,sparse=0 @2g
-m uuid=8b0f2d3e-4d0f-4c1a-9a55-0d1f6a3b7c21 @1g
-m uuid=8b0f2d3e-4d0f-4c1a-9a55-0d1f6a3b7c21,uuid=8B0F2D3E-4d0f-4c1a-9a55-0d1f6a3b7c22 @1g
-n size=4096 @1g
-n size=8k @1g
-n size=64k @1g
-n size=0x4000 @1g
-n size=4b @1g
-n version=2 @1g
-n ftype=1 @1g
-n ftype @1g
-d agcount=2 @1g
-d agcount=8 @1g
-d agcount=7 @10g
-d agcount=3, @1g
-d agcount=1024 @1t
-d agsize=128m @1g
-d agsize=1073737728 @10t
-d agsize=65536b @2g
-d agsize=262144s @2g
-d su=64k,sw=4 @2g
-d su=64k,sw=4 @1t
-d su=4k,sw=1 @100g
-d su=1m,sw=10 @40t
-d su=16b,sw=3 @10g
-d su=128s,sw=3 @10g
-d sunit=128,swidth=512 @2g
-d sunit=0,swidth=0 @2g
-d su=0,sw=0 @2g
-d su=0,sw=4 @2g
-d noalign @2g
-d noalign=0 @2g
-d su=512k,sw=8 @1t
-d su=64k,sw=4,agcount=16 @10g
-d su=64k,sw=4,agsize=1g @10g
-d su=64k,sw=4 -l su=32k @10g
-l size=64m @1g
-l size=100m @1g
-l size=16384b @1g
-l size=200000s @1g
-l size=2136997888 @100g
-l internal @1g
-l internal=1 @1g
-l internal,size=100m @1g
-l agnum=0 @1g
-l agnum=3 @1g
-l agnum=1,size=70m @1g
-l version=2 @1g
-l lazy-count=1 @1g
-l lazy-count @1g
-l su=32k @1g
-l su=4096 @1g
-l su=8b @1g
-l sunit=8 @1g
-l sunit=512 @1g
-l su=256k @1g
-l file=0 @1g
-l logdev=@128m @1g
-l logdev=@128m,size=100m @1g
-l name=@128m @1g
-l name=@128m,sectsize=4096 @1g
-l logdev=@128m,su=16k @1g
-l logdev=@128m -s size=4096 @1g
-l sectsize=4096,logdev=@128m -d sectsize=512 @1g
-l sectsize=4096 -s size=4096 @1g
-r rtdev=@2g @1g
-r name=@2g @1g
-r rtdev=@2g,size=1g @1g
-r rtdev=@2g,extsize=64k @1g
-r rtdev=@2g,extsize=1g @1g
-r rtdev=@2g,extsize=16b,noalign @1g
-r rtdev=@10t,extsize=4k @1g
-r extsize=8k @1g
-r noalign @1g
-r rtdev=@2g -d rtinherit=1,extszinherit=16 @1g
-d rtinherit,daxinherit,projinherit=42,extszinherit=16,cowextsize=32 @1g
-d rtinherit=0,daxinherit=0,projinherit=0,extszinherit=0,cowextsize=0 @1g
-c options=$c/lts @1g
-c options=$c/rmapbt-off @1g
-c options=$c/rmapbt-nrext64 @1g
-c options=$c/data @1g
-c options=$c/stripes @2g
-c options=$c/data -i size=1024 @1g
--unsupported @50m
--unsupported -d agcount=1 @100m
--unsupported -l size=16m @400m
END

each_line refused <<'END'
@0
@16m
@299m
@1g @2g
-d
-d frog=1 @1g
-d ,agcount=4 @1g
-d agcount @1g
-d agcount= @1g
-d agcount=0 @1g
-d agcount=-4 @1g
-d agcount=4294967295 @1g
-d agcount=99999999999999999999999 @1g
-d agcount=4k @1g
-d agcount=frog @1g
-d agcount=1 @1g
-d agcount=100 @1g
-d agcount=4,agcount=4 @1g
-d agcount=4 -d agcount=4 @1g
-d agcount=4,agsize=256m @1g
-d agsize=256m,agcount=4 @1g
-d agsize=8m @1g
-d agsize=2t @10t
-d agsize=1t @10t
-d agsize=100000001 @1g
-d agsize=2g @1g
-d size=1m @1g
-d size=2g @1g
-d size=8e @1g
-d size=16e @1g
-d size=99999999999999999999 @1g
-d size=536870913 @1g
-d size=1gb @1g
-d size=1x @1g
-d size= @1g
-d size=1.5g @1g
-d name=@1g @1g
-d name @1g
-d file,size=1g
-d file=2 @1g
-d su=64k @1g
-d sw=4 @1g
-d su=64k,sw=0 @1g
-d su=1000,sw=4 @1g
-d su=512,sw=4 @1g
-d sunit=8 @1g
-d swidth=64 @1g
-d sunit=16,swidth=24 @1g
-d sunit=16,swidth=8 @1g
-d sunit=1,swidth=4 @1g
-d su=64k,sunit=128 @1g
-d sunit=128,sw=4 @1g
-d noalign,su=64k,sw=4 @1g
-d su=64k,noalign @1g
-d noalign=0,su=64k,sw=4 @1g
-d noalign=2 @1g
-d su=4g,sw=1 @1g
-d su=2g,sw=4096 @1g
-d sectsize=256 @1g
-d sectsize=64k @1g
-d sectsize=1000 @1g
-d sectsize=4096 -s size=4096 @1g
-d rtinherit=2 @1g
-d extszinherit=4294967296 @1g
-d extszinherit=4000000 @1g
-d cowextsize=8 -m reflink=0 @1g
-b @1g
-b size @1g
-b size=512 @1g
-b size=3000 @1g
-b size=128k @1g
-b size=1b @1g
-b size=8s @1g
-b size=4096 -b size=4096 @1g
-b size=1k -s size=4k @1g
-s size=100 @1g
-s size=64k @1g
-s size=512,sectsize=512 @1g
-i size=256 @1g
-i size=3000 @1g
-i size=4096 @1g
-i size=1k @1g
-i size=2048 -b size=2048 @1g
-i size=1024,perblock=4 @1g
-i perblock=1 @1g
-i perblock=3 @1g
-i perblock=16 @1g
-i maxpct=101 @1g
-i maxpct @1g
-i align=0 @1g
-i attr=1 @1g
-i attr @1g
-i projid32bit=0 @1g
-i sparse=2 @1g
-i frog @1g
-m crc=2 @1g
-m uuid @1g
-m uuid=frog @1g
-m uuid=8b0f2d3e-4d0f-4c1a-9a55 @1g
-m finobt=0,inobtcount=1 @1g
-m rmapbt=1 -r rtdev=@2g @1g
-m reflink=1 -r rtdev=@2g @1g
-m frog=1 @1g
-n size=2048 @1g
-n size=5000 @1g
-n size=128k @1g
-n size=4k -b size=8k @1g
-n version=1 @1g
-n version=frog @1g
-n ftype=0 @1g
-l size=1m @1g
-l size=3g @100g
-l size=16m @1g
-l size=300m @1g
-l size=2g @1g
-l agnum=4 @1g
-l agnum=-1 @1g
-l version=1 @1g
-l version=3 @1g
-l lazy-count=0 @1g
-l su=4k,sunit=8 @1g
-l su=1000 @1g
-l su=512k @1g
-l sunit=0 @1g
-l sunit=1 @1g
-l sunit=513 @1g
-l sectsize=4096 @1g
-l internal=0 @1g
-l internal,logdev=@128m @1g
-l logdev=@128m,internal @1g
-l logdev=@128m,agnum=0 @1g
-l internal,sectsize=512 @1g
-l logdev=@128m,name=@128m @1g
-l logdev=@128m,size=1g @1g
-l logdev @1g
-l file,name=log @1g
-l frog @1g
-r size=1g @1g
-r rtdev=@2g,name=@2g @1g
-r rtdev=@2g,size=3g @1g
-r rtdev=@2g,extsize=2g @1g
-r rtdev=@2g,extsize=5000 @1g
-r rtdev=@2g,extsize=1k @1g
-r rtdev @1g
-r rtdev=@0 @1g
-r frog @1g
-L thirteenbytes @1g
-L
-z @1g
--frog @1g
-c options=/nowhere/to/be/found @1g
-c options @1g
-c frog=1 @1g
-c options=$c/unknown @1g
-c options=$c/section @1g
-c options=$c/no-value @1g
-c options=$c/no-section @1g
-c options=$c/zero @1g
-c options=$c/data -d agcount=5 @1g
-c options=$c/data -d agsize=256m @1g
-c options=$c/lts -m bigtime=0 @1g
--unsupported -d size=15m @50m
END

# What is ours alone.
"$MKFS" --help >"$scratch/help" 2>"$scratch/errors"
is "$?" 0 "--help exits 0"
is "$(cat "$scratch/errors")" "" "--help says nothing on stderr"
has "$(cat "$scratch/help")" '^Usage: mkfs.xx ' "--help shows the usage on stdout"
has "$("$MKFS" --version)" '^mkfs.xx version [0-9]' "--version shows the version"
is "$("$MKFS" -V)" "$("$MKFS" --version)" "-V is --version"
while IFS=: read -r line name; do
	read -ra words <<<"$line"
	check_status 1 "refused: $line" "$MKFS" -N "${words[@]}" image-1g
	is "$(wc -l <<<"$output")" 1 "in one line: $line"
	has "$output" "$name" "which names it: $line"
done <<'END'
-m crc=0:crc
-n version=ci:-n version=ci
-p proto:-p proto
-m metadir=1:-m metadir
-m autofsck=1:-m autofsck
-m quota:-m quota
-r zoned=1:-r zoned
-r rgcount=4:-r rgcount
-t btrfs:--type=btrfs
--compat=linux-5.15 -i nrext64=1:-i nrext64
--io-engine=frog:--io-engine
--queue-depth=0:--queue-depth
END
check_status 0 "switched off, they are taken" "$MKFS" -N -m metadir=0,autofsck=0 -r zoned=0 image-1g
output=$("$MKFS" -N --compat=linux-5.10 image-1g)
has "$output" 'bigtime=0 inobtcount=0 nrext64=0' "--compat=linux-5.10 leaves out what it does not mount"
output=$("$MKFS" -N -i exchange=1 -n parent=1 image-1g)
has "$output" ' exchange=1' "exchange has its column"
has "$output" 'ftype=1, parent=1' "parent has its column"

need_tool python3
json=$("$MKFS" -N --json image-1g)
check "--json is JSON" python3 -c 'import json, sys; json.loads(sys.argv[1])["data"]["blocks"]' "$json"
is "$(python3 -c 'import json, sys; print(json.loads(sys.argv[1])["data"]["blocks"])' "$json")" 262144 "with the facts"

is "$(find . -type f -not -name 'image-*')" "" "-N creates nothing"
done_testing
