#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Geometry: mkfs.xx -N prints what mkfs.xfs 6.1 -N prints, or both refuse.
#
# geometry.sh --facts prints what mkfs.xfs says, to every third set, as tests/unit/mkfs_geometry_facts.h.

. "$(dirname "$0")/lib.sh"
. "$srcdir/tests/system/geometry-sets.sh"

# volumes LOG RT: makes the files of a set; their options are in $volumes
volumes()
{
	rm -f data log rt
	volumes=()
	if [ "$1" != - ]; then
		truncate -s "$1" log
		volumes+=(-l logdev=log)
	fi
	if [ "$2" != - ]; then
		truncate -s "$2" rt
		volumes+=(-r rtdev=rt)
	fi
}

# geometry COMMAND SIZE OPTIONS: the block that the command prints, without the remark of --unsupported
geometry()
{
	local command=$1 size=$2

	shift 2
	"$command" -N -d file,name=data,size="$size" "${volumes[@]}" "$@" 2>errors | grep -v 'formatted with --unsupported'
}

# facts OPTIONS: the numbers of the block on stdin, in the order of the table
facts()
{
	tr '=,' '  ' | awk -v options="$1" '
	{ for (i = 1; i < NF; i++) v[$1 NR, $i] = $(i + 1) }
	END {
		if (!NR) {
			printf "\t{ \"%s\", NULL },\n", options
			exit
		}
		printf "\t{ \"%s\",\n\t  \"%s %s %s %s  %s %s %s %s %s  %s  %s %s %s  %s %s %s\" },\n", options,
			v["meta-data1", "isize"], v["meta-data1", "agcount"], v["meta-data1", "agsize"],
			v["sectsz2", "sectsz"], v["data5", "bsize"], v["data5", "blocks"], v["data5", "imaxpct"],
			v["sunit6", "sunit"], v["sunit6", "swidth"], v["naming7", "bsize"], v["log8", "blocks"],
			v["sectsz9", "sectsz"], v["sectsz9", "sunit"], v["realtime10", "extsz"],
			v["realtime10", "blocks"], v["realtime10", "rtextents"]
	}'
}

need_tool mkfs.xfs
cd "$scratch" || exit 1
if [ "${1-}" = --facts ]; then
	cat <<-'EOF'
		/* SPDX-License-Identifier: GPL-2.0-or-later */
		/*
		 * Made by tests/system/geometry.sh --facts: what mkfs.xfs 6.1.0 -N says to DATA LOG RT OPTIONS. DATA is the
		 * value of -d size, LOG and RT are the sizes of files that are an external log and a realtime device.
		 *
		 * isize agcount agsize sectsz, bsize blocks imaxpct sunit swidth, naming bsize, log blocks sectsz sunit,
		 * realtime extsz blocks rtextents; NULL: it refuses.
		 */
		/* clang-format off */
	EOF
	while read -r size log rt options; do
		volumes "$log" "$rt"
		# shellcheck disable=SC2086
		geometry mkfs.xfs "$size" $options | facts "$size $log $rt $options"
	done < <(geometry_sets | awk 'NR % 3 == 1')
	tap_planned=1
	exit 0
fi

case $(mkfs.xfs -V) in
*' 6.1.'*) ;;
*) skip_all "the geometry is that of mkfs.xfs 6.1" ;;
esac
while read -r size log rt options; do
	volumes "$log" "$rt"
	# shellcheck disable=SC2086
	wanted=$(geometry mkfs.xfs "$size" $options)
	peer=$(head -n 2 errors)
	volumes "$log" "$rt"
	# shellcheck disable=SC2086
	got=$(geometry "$MKFS" "$size" $options)
	if [ "$got" = "$wanted" ]; then
		ok "$size $log $rt $options"
	else
		not_ok "$size $log $rt $options" "mkfs.xfs: $wanted$peer
mkfs.xx: $got$(head -n 2 errors)"
	fi
	[ ! -e data ] || not_ok "-N makes no file: $options"
done < <(geometry_sets)
done_testing
