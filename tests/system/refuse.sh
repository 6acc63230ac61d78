#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Bad input: each gets one message of at most two lines, exit status 1, and leaves the image as it was.

# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$scratch" || exit 1

truncate -s 512M image
printf 'precious' | dd of=image conv=notrunc 2>dd.log
sync image
before=$(stat -c '%y %s %b' image)

# refused PATTERN ARGUMENTS...: mkfs.xx with these and the image.
refused()
{
	local pattern=$1 status

	shift
	output=$("$MKFS" "$@" 2>&1 </dev/null)
	status=$?
	if [ "$status" -ne 1 ]; then
		not_ok "$*" "status $status: $output"
	elif [ "$(wc -l <<<"$output")" -gt 2 ] || [ -z "$output" ]; then
		not_ok "$*" "not one or two lines: $output"
	elif ! grep -Eiq -- "$pattern" <<<"$output"; then
		not_ok "$*" "no $pattern in: $output"
	elif [ "$(stat -c '%y %s %b' image)" != "$before" ]; then
		not_ok "$*" "the image changed"
	else
		ok "$*: $(head -1 <<<"$output")"
	fi
}

# Sizes.
refused 'size' -f -d size=0 image
refused 'size|small' -f -d size=1m image
refused '300|small' -f -d size=299m image
refused 'large|size' -f -d size=1g image
refused 'size' -f -d size=99999999999999999999 image
refused 'size' -f -d size=8e image
refused 'size' -f -d size=-5 image
refused 'size' -f -d size=abc image
refused 'size' -f -d size=5x image
refused 'size' -f -d size=16777216t image
refused 'size|name' -f -d file,name=new image
refused 'exist|No such' -f nowhere
# Blocks, sectors, inodes, directories.
refused 'block|-b' -f -b size=3000 image
refused '-b|size' -f -b size=128k image
refused '-b|block' -f -b size=512 image
refused 'sector' -f -b size=1k -s size=2k image
refused 'sector|-s' -f -s size=64k image
refused 'sector|-s' -f -s size=1000 image
refused 'inode|-i' -f -i size=100 image
refused 'inode|-i' -f -i size=4096 image
refused 'inode|-i' -f -b size=1k -i size=1k image
refused 'maxpct|-i' -f -i maxpct=101 image
refused 'directory|-n' -f -n size=512 image
refused 'directory|-n|size' -f -b size=8k -n size=4k image
refused '-n|version' -f -n version=7 image
# Groups.
refused 'agcount' -f -d agcount=0 image
refused 'agcount|group' -f -d agcount=4000 image
refused 'agsize' -f -d agsize=1m image
refused 'agsize' -f -d agsize=2t image
refused 'agcount|agsize' -f -d agcount=4,agsize=128m image
refused 'agsize' -f -d agsize=17179869184g image
# Stripes.
refused 'swidth|sunit' -f -d sunit=8,swidth=12 image
refused 'sunit|su' -f -d su=4k,sw=2,sunit=8,swidth=16 image
refused 'sunit|swidth' -f -d sunit=8 image
refused 'sunit|su' -f -d su=3k,sw=2 image
refused 'noalign|sunit' -f -d noalign,sunit=8,swidth=16 image
refused 'su|sw' -f -d su=1g,sw=4294967295 image
# Log.
refused '-l' -f -l size=1k image
refused '-l' -f -l size=400m image
refused '-l' -f -l size=100g image
refused 'agnum|log' -f -l agnum=100 image
refused 'su' -f -l su=1k image
refused 'su|sunit' -f -l su=32k,sunit=64 image
refused 'internal|log' -f -l internal=1,logdev=other image
refused '-l' -f -l internal=0 image
refused 'lazy' -f -l lazy-count=0 image
refused 'sector' -f -l sectsize=4k image
# Realtime.
refused 'nowhere' -f -r rtdev=nowhere image
refused 'extsize|rt|realtime' -f -r extsize=1000 image
refused 'rt|realtime|size' -f -r size=1g image
# Metadata.
refused 'uuid' -f -m uuid=xyz image
refused 'uuid' -f -m uuid=12345678-1234-1234-1234-12345678901 image
refused 'crc' -f -m crc=0 image
refused 'crc' -f -m crc=7 image
refused 'label|-L' -f -L thirteenchars image
# Options that there are not, or not twice, or not here.
refused 'foo' -f -d foo=1 image
refused 'unknown|invalid|option' -f -Z image
refused 'unknown|invalid|option' -f --unheard-of image
refused 'respecified|twice|again' -f -d agcount=2,agcount=3 image
refused 'respecified|twice|again' -f -b size=4k -b size=4k image
refused 'value|agcount' -f -d agcount image
refused 'one device' -f image image2
refused 'name|device' -f
refused '-p|proto' -f -p proto image
refused 'metadir' -f -m metadir=1 image
refused 'type' -f --type=ext4 image
refused 'compat' -f --compat=linux-9.9 image
refused 'engine' -f --io-engine=telepathy image
refused 'depth' -f --queue-depth=0 image
refused 'depth' -f --queue-depth=1000000 image
# Configuration files.
printf '[data]\nagcount = 4\ncolour = red\n' >unknown.conf
printf '[kitchen]\nsink = 1\n' >section.conf
printf '[data]\nagcount = 4\n' >again.conf
printf '[data\nagcount 4\n' >syntax.conf
refused 'colour' -f -c options=unknown.conf image
refused 'kitchen' -f -c options=section.conf image
refused 'respecified|twice|again' -f -c options=again.conf -d agcount=4 image
refused 'syntax.conf' -f -c options=syntax.conf image
refused 'nothere.conf' -f -c options=nothere.conf image
# The environment.
SOURCE_DATE_EPOCH=yesterday refused 'SOURCE_DATE_EPOCH' -f image
DETERMINISTIC_SEED=luck refused 'DETERMINISTIC_SEED' -f image

check "--help is no error" "$MKFS" --help
check "--version is no error" "$MKFS" --version

done_testing
