# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# geometry-sets.sh - the option sets with which geometry is compared with mkfs.xfs 6.1.
#
# geometry_sets prints one set a line: DATA LOG RT OPTIONS. DATA is the value of -d size; LOG and RT are the sizes of
# files that are an external log and a realtime device, "-" for none. Features whose default differs between 6.1 and
# mkfs.xx are always given.

# each FORMAT VALUE...: a line for each value, which takes the place of %s
each()
{
	local format=$1 value

	shift
	for value in "$@"; do
		printf '%s\n' "${format//%s/$value}"
	done
}

sets_sizes()
{
	local bs

	each '%s - - ' 300m 301m 511m 512m 1g 1023m 1025m 2g 5g 8g 8193m 64g 100g 500g 512g 513g 1048575m 1t 1048577m 3t \
		4095g 4t 4097g 10t 31t 32t 33t 49t 50t 51t 100t 1p 10p 100p 1024p 4096p 8191p 299m 16m 0 1073742336 \
		1073745920 8e 15m 123456789012 99999999999744
	for bs in 1024 2048 8k 16k 32k 64k; do
		each "%s - - -b size=$bs" 300m 310m 1g 10g 1t 40t 10p 8191p
	done
	each '1g - - -b size=%s' 512 256 128k 3000 4b
	each '%s - - --unsupported' 16m 20m 32m 33m 63m 64m 100m 127m 128m 200m 299m 500m
	each '%s - - --unsupported -b size=1k' 16m 40m 299m
	each '%s - - --unsupported -b size=16k' 32m 299m
	each '1g - - --unsupported -d agcount=%s' 1 2 60 64 65
	each '300m - - --unsupported -l size=%s' 2m 4m 8m 10m 20m 63m
}

sets_groups()
{
	each '1g - - -d agcount=%s' 1 2 3 4 5 7 8 9 10 11 12 16 64 65 0
	each '100g - - -d agcount=%s' 2 3 16 31 100 500 1000
	each '%s - - -d agcount=3' 300m 1t 2t 3t 4t 1000m
	each '10p - - -d agcount=%s' 10240 10241 20000 1000000 4294967295 4294967296
	each '10g - - -d agsize=%s' 16m 17m 20m 64m 100m 256m 1g 3g 9g 10g 11g 15m 16777217 16781312 1000001536
	each '3t - - -d agsize=%s' 1g 512g 1t 1099511623680 1099511627776 2t
	each '8191p - - -d agsize=%s' 1g 16m 1099511623680 2147483648
	each '%s - - -d agsize=256m' 1032m 1040m 1041m 1279m
	each '1t - - -d %s' agsize=64b agsize=65536b agsize=2097152s agcount=4,agsize=1g agsize=3000
	each '1g - - -i maxpct=%s' 0 1 25 50 100 101
	each '60t - - -i maxpct=%s' 0 7
}

sets_stripes()
{
	local size

	for size in 310m 1g 9g 600g 5t 33t 1p; do
		each "$size - - -d %s" su=64k,sw=1 su=64k,sw=4 su=256k,sw=10 su=1m,sw=7 sunit=128,swidth=384
	done
	each '8g - - -d %s' su=4k,sw=1 su=4k,sw=3 su=12k,sw=5 su=16m,sw=2 su=512,sw=1 su=6k,sw=2 su=100,sw=3 su=64k \
		sw=4 su=64k,sw=0 su=0,sw=0 su=0,sw=4 su=0 sunit=0,swidth=0 sunit=8 swidth=8 sunit=8,swidth=8 \
		sunit=16,swidth=24 sunit=16,swidth=8 sunit=1,swidth=2 noalign noalign,su=64k,sw=2 su=64k,sunit=8 \
		su=128m,sw=2 su=512m,sw=3 su=1g,sw=1 su=1g,sw=2 su=64k,sw=100000 su=64k,sw=32767 su=3m,sw=11 su=8b,sw=2
	each '16g - - -d agcount=8,%s' su=64k,sw=2 su=1m,sw=4 su=1m,sw=3
	each '16g - - -d agsize=%s,su=64k,sw=4' 1g 1000m 1025m 1048577k 1073745920
	each '100g - - -b size=%s -d su=256k,sw=8' 1024 2048 8k 16k 32k 64k
	each '100g - - -b size=64k -d %s' su=64k,sw=3 su=32k,sw=4 su=1m,sw=1 su=128k,sw=2
	each '100g - - -s size=4k -d %s' su=64k,sw=3 sunit=4,swidth=8 su=2k,sw=2
	each '%s - - --unsupported -d su=64k,sw=4' 20m 33m 65m 130m 260m
	each '3t - - -d su=256k,sw=%s' 2 3 4 5 6
}

sets_log()
{
	each '4g - - -l size=%s' 63m 64m 65m 100m 512m 1000m 1017m 1018m 1019m 1020m 1023m 1g 2g 1m 16384b 131072s 64000001
	each '40t - - -l size=%s' 64m 1g 2037m 2038m 2039m 2047m
	each '4g - - -l agnum=%s' 0 1 2 3 4 4294967295
	each '4g - - -l agnum=0,size=%s' 64m 1000m 1016m 1017m 1018m
	each '4g - - -l su=%s' 4k 8k 32k 64k 256k 512k 6k 512 2k
	each '4g - - -l sunit=%s' 8 16 64 512 513 1 12 0
	each '4g - - -l su=32k,size=%s' 64m 65m 65540k 128m
	each '4g - - -d su=64k,sw=2 -l %s' su=32k size=64m size=65540k agnum=0 agnum=3 su=16k,size=65540k size=1000m
	each '4g - - -l %s' version=2 version=1 lazy-count=1 lazy-count=0 internal internal=0 sectsize=512 sectsize=4k
	each '%s - - -l su=256k' 300m 1g 1t 10p
	each '1g - - -b size=%s -l su=64k' 1024 8k 64k
	each '4g %s - ' 64m 100m 65540k 1g 2038m 2047m 3g 512k 63m
	each '4g 200m - -l %s' size=64m size=100m size=200m size=201m su=32k sectsize=4k sectsize=1k agnum=1 \
		sectsize=4k,su=8k sectsize=8k size=100004k,su=32k
	each '4g 200m - -s size=4k -l %s' size=64m sectsize=512
	each '4g 200m - -d su=128k,sw=2 -l %s' size=64m su=64k
	each '4g 209719296 - -b size=%s' 1k 4k 64k
}

sets_sectors()
{
	each '2g - - -s size=%s' 512 1024 2k 4k 8k 256 3000 64k
	each '2g - - -d sectsize=%s' 512 1024 2k 4k 8k
	each '2g - - -b size=8k -s size=%s' 512 4k 8k 16k
	each '2g - - -b size=64k -s size=%s' 4k 32k
	each '2g - - -b size=1k -s size=%s' 1k 2k
	each '2g - - -s sectsize=4k,%s' size=4k sectsize=4k
	each '300m - - -s size=%s' 4k 1k
	each '2g - - -s size=2k -d su=64k,sw=2 -l %s' su=64k size=100m
}

sets_inodes()
{
	each '2g - - -i size=%s' 256 512 1k 1024 2048 4096 1000
	each '2g - - -i perblock=%s' 1 2 4 8 16 256
	each '2g - - -b size=1k -i size=%s' 512 1024
	each '2g - - -b size=2k -i size=%s' 512 1024 2048
	each '2g - - -b size=64k -i %s' size=512 size=2048 perblock=128 perblock=32 perblock=16
	each '2g - - -i %s' align=1 align=0 attr=2 attr=1 attr=0 projid32bit=1 projid32bit=0 size=512,perblock=8
	each '2g - - -n size=%s' 4k 8k 16k 64k 2k 128k 4096 5000 2b
	each '2g - - -b size=%s -n size=8k' 1k 8k 16k
	each '2g - - -n %s' version=2 version=1 ftype=1 ftype=0
	each '2g - - -d %s' rtinherit projinherit=5 extszinherit=16 extszinherit=65536 extszinherit=65537 extszinherit=0 \
		extszinherit=2097151 cowextsize=16 cowextsize=65536 cowextsize=65537 daxinherit=1 extszinherit=16,rtinherit
	each '40t - - -d %s' extszinherit=2097151 extszinherit=2097152 cowextsize=2097151 cowextsize=2097152
}

sets_features()
{
	each '3g - - %s' '-m crc=1' '-m finobt=0' '-m finobt=0,inobtcount=1' '-m inobtcount=0' '-m bigtime=0' \
		'-m reflink=0' '-m rmapbt=1' '-m rmapbt=1,reflink=0' '-m rmapbt=1,finobt=0' '-i sparse=0' '-i nrext64=1' \
		'-m rmapbt=1 -i nrext64=1,sparse=0' '-m reflink=0 -d cowextsize=16' '-m finobt=2' '-i nrext64=1 -m finobt=0'
	each '%s - - -m rmapbt=1 -i nrext64=1' 300m 310m 1g 1t 40t 10p 8191p
	each '320m - - -m rmapbt=1 -i nrext64=1 -b size=%s' 1k 2k 8k 16k 32k 64k
	each '%s - - -m finobt=0,reflink=0 -i sparse=0' 300m 1t 10p
	each '%s - - --unsupported -m rmapbt=1 -i nrext64=1' 32m 100m 250m
	each '4g - - -m rmapbt=1 -l %s' size=1000m size=1016m size=1017m agnum=0,size=1016m su=64k
	each '4g - - -m rmapbt=1 -s size=4k -b size=%s' 4k 8k 64k
}

sets_realtime()
{
	each '2g - %s ' 100m 1g 10t 4k 512
	each '2g - 1g -r extsize=%s' 4k 8k 64k 1m 12k 1g 2g 3k 6k 1000m
	each '2g - 1g -r %s' size=100m size=1g size=1025m size=1000001536 noalign extsize=64k,size=512m
	each '2g - 1g -b size=%s' 1k 64k
	each '2g - 1g -b size=64k -r extsize=%s' 64k 4k 1m
	each '2g - 1g %s' '-m reflink=1' '-m rmapbt=1' '-m reflink=0' '-d rtinherit -r extsize=64k' \
		'-d rtinherit,extszinherit=32 -r extsize=64k' '-d rtinherit,extszinherit=33 -r extsize=64k' \
		'-d extszinherit=33 -r extsize=64k' '-l size=100m' '-d su=64k,sw=4' '-m finobt=0 -i nrext64=1'
	each '2g 100m 1g %s' '' '-l su=32k' '-r extsize=1m -s size=4k'
	each '2g - - -r %s' size=1g extsize=64k extsize=3000
}

# Random mixtures, always the same ones.
sets_mixed()
{
	awk 'function any(list,    n, a) { n = split(list, a, " "); return a[int(rand() * n) + 1] }
	BEGIN {
		srand(4711)
		for (i = 0; i < 120; i++) {
			size = any("300m 333m 1g 1500m 7g 8g 9000m 77g 555g 999g 2t 5t 31t 35t 60t 3p")
			block = any("1k 2k 4k 4k 4k 8k 16k 64k")
			line = size " " any("- - - 100m") " " any("- - - - 3g") " -b size=" block
			line = line " -m " any("rmapbt=0 rmapbt=1") "," any("finobt=0 finobt=1") "," any("reflink=0 bigtime=1")
			line = line " -i " any("nrext64=0 nrext64=1") "," any("size=512 size=1024 size=2048 sparse=0 maxpct=30")
			line = line " " any("-- -d@su=64k,sw=3 -d@su=256k,sw=4 -d@su=1m,sw=5 -d@agcount=6 -d@agsize=100m -d@agsize=1g")
			line = line " " any("-- -- -s@size=1k -s@size=4k")
			line = line " " any("-- -- -l@su=64k -l@su=256k -l@size=70m -l@size=1g")
			line = line " " any("-- -- -n@size=8k -n@size=64k")
			gsub(/ --/, "", line)
			gsub(/@/, " ", line)
			print line
		}
	}'
}

geometry_sets()
{
	{
		sets_sizes
		sets_groups
		sets_stripes
		sets_log
		sets_sectors
		sets_inodes
		sets_features
		sets_realtime
		sets_mixed
	} | while IFS= read -r line; do
		case $line in *rmapbt=*) ;; *) line="$line -m rmapbt=0" ;; esac
		case $line in *nrext64=*) ;; *) line="$line -i nrext64=0" ;; esac
		printf '%s\n' "$line"
	done
}
