#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 900
# scrub_command.sh - xxscrub as its user sees it: background, status, cancel, resume, limit, kill -9, refusals, -r, files.
. "$(dirname "$0")/lib.sh"
need_root
need_tool mkfs.btrfs btrfs jq losetup mount sha256sum
need_fs btrfs

: "${SCRUB:=$builddir/xxscrub}"
export XX_STATE_DIR=$scratch/state
records=$XX_STATE_DIR/scrub

# No background scrub outlives the test.
end_scrubs()
{
	local lock

	for lock in "$records"/*.lock; do
		[ ! -e "$lock" ] || "$SCRUB" cancel -q "$(basename "$lock" .lock)" 2>/dev/null || true
	done
}
at_exit end_scrubs

# make_fs NAME PROFILE DEVICES: images NAME.1 to NAME.DEVICES, with two files, and a snapshot of them. NAME.extent has the
# first extent of the larger one: block and length.
make_fs()
{
	local name=$1 profile=$2 count=$3 i images=() devices=()

	for ((i = 1; i <= count; i++)); do
		images+=("$scratch/$name.$i")
		truncate -s 400M "$scratch/$name.$i"
	done
	mkfs.btrfs -q -f -d "$profile" -m "$([ "$count" -gt 1 ] && echo raid1 || echo dup)" "${images[@]}" >/dev/null ||
		return 1
	for i in "${images[@]}"; do
		devices+=("$(loop_attach "$i")")
	done
	btrfs -q device scan "${devices[@]}" && mount_at "${devices[0]}" "$scratch/mnt" && mkdir "$scratch/mnt/dir" &&
		dd if=/dev/urandom of="$scratch/mnt/dir/big" bs=1M count=96 status=none &&
		printf 'a little\n' >"$scratch/mnt/dir/new
line" && btrfs -q subvolume snapshot "$scratch/mnt" "$scratch/mnt/snap" && sync -f "$scratch/mnt" &&
		filefrag -v "$scratch/mnt/dir/big" | awk '$1 == "0:" { print $4 + 0, $6 + 0 }' >"$scratch/$name.extent" || return 1
	unmount "$scratch/mnt"
	for ((i = 0; i < count; i++)); do
		loop_detach "${devices[i]}" "${images[i]}"
	done
}

# physical IMAGE LOGICAL DEVID: the byte of the device at which the first stripe on it of that chunk of data has LOGICAL.
physical()
{
	btrfs inspect-internal dump-tree -t chunk "$1" | awk -v logical="$2" -v devid="$3" '
		/CHUNK_ITEM/ { sub(/\)/, "", $6); start = $6; inside = 0 }
		/length/ && /type/ { inside = logical >= start && logical < start + $2 }
		inside && /stripe [0-9]+ devid/ && $4 == devid { print $6 + logical - start; exit }'
}

# damage IMAGE BYTE...: a sector at each.
damage()
{
	local image=$1 byte

	shift
	for byte; do
		dd if=/dev/urandom of="$image" bs=4096 count=1 seek=$((byte / 4096)) conv=notrunc status=none
	done
}

field()
{
	"$SCRUB" status --json "$1" | jq -r "$2"
}

# Wait until a running scrub has done something, or has ended.
until_progress()
{
	local line

	while read -r line; do
		[ "$(jq .bytes_done <<<"$line")" -eq 0 ] || break
	done < <("$SCRUB" status --json --watch "$1" 2>/dev/null)
}

# All counters, which a resumed scrub has to have like one that was not interrupted.
counters()
{
	"$SCRUB" status -R "$1" | grep -E '^	'
}

make_fs one single 1 || skip_all "no btrfs could be made"
one=$scratch/one.1
fsid=$(btrfs inspect-internal dump-super "$one" | awk '$1 == "fsid" { print $2 }')

# --- refusals ---

check_status 1 "no command" "$SCRUB"
check_status 1 "an unknown command" "$SCRUB" check "$one"
has "$output" 'start, resume, cancel, status, limit' "it names those that there are"
check_status 1 "an option of another command" "$SCRUB" cancel -r "$one"
check_status 1 "--json without -B" "$SCRUB" start --json "$one"
check_status 1 "--metadata-only with --data-only" "$SCRUB" start --metadata-only --data-only "$one"
check_status 1 "the status of what was never scrubbed" "$SCRUB" status "$one"
check_status 2 "nothing to resume" "$SCRUB" resume -B "$one"
check_status 2 "nothing to cancel" "$SCRUB" cancel "$one"
check_status 2 "nothing to limit" "$SCRUB" limit --limit 1m "$one"
truncate -s 64M "$scratch/other"
check_status 1 "no file system" "$SCRUB" start -B "$scratch/other"
mkfs.ext4 -q "$scratch/other"
check_status 1 "another file system" "$SCRUB" start -B "$scratch/other"
has "$output" 'ext4' "it is named"
check_status 1 "a missing file" "$SCRUB" start -B "$scratch/nothing"
none_made=$(find "$records" -name '*-*' ! -name '*.lock' 2>/dev/null)
is "$none_made" "" "no refusal made a record"

mount_at "$one" "$scratch/mnt" -o loop
check_status 1 "mounted" "$SCRUB" start -B "$one"
has "$output" 'mounted on .*mnt.*btrfs scrub' "says where, and what to use"
check_status 1 "mounted, and -r" "$SCRUB" start -B -r "$one"
check_status 1 "mounted, in the background" "$SCRUB" start "$one"
mount -o remount,ro "$scratch/mnt"
check_status 1 "mounted read-only" "$SCRUB" start -B "$one"
check_status 0 "mounted read-only, and -r" "$SCRUB" start -B -r "$one"
cp --sparse=always "$one" "$scratch/copy"
check_status 0 "a copy of what is mounted" "$SCRUB" start -B "$scratch/copy"
rm "$scratch/copy"
unmount "$scratch/mnt"

# --- one run ---

check_status 0 "a good file system" "$SCRUB" start -B "$one"
has "$output" '^Error summary: +no errors found$' "no errors found"
has "$output" '^Bytes scrubbed: .*\(100.00%\)$' "all of it"
whole=$(counters "$one")
is "$("$SCRUB" start -B --json "$one" | jq -r '[.state, .exit, .bytes_done == .bytes_total, (.files | length)] | @csv')" \
	'"finished",0,true,0' "--json"
check_status 2 "what has finished is not resumed" "$SCRUB" resume -B "$one"

check_status 0 "in the background" "$SCRUB" start "$one"
has "$output" "^scrub started on $one, fsid $fsid \(pid=[0-9]+\)\$" "it says which process"
"$SCRUB" status --watch "$one" >/dev/null
is "$(field "$one" .state)" finished "it finishes"
is "$(counters "$one")" "$whole" "and has done the same"

# --- cancel, resume, limit, kill ---

check_status 0 "a slow one" "$SCRUB" start --limit 4m "$one"
is "$(field "$one" .state)" running "it runs"
has "$("$SCRUB" status "$fsid")" '^Status: +running$' "the status by UUID"
has "$("$SCRUB" status "$fsid")" '^Time left:' "and the time left"
has "$("$SCRUB" limit "$one")" '^4.00MiB/s' "its limit"
check_status 1 "a second one" "$SCRUB" start -B "$one"
has "$output" 'running already, in process [0-9]+' "is refused"
check_status 1 "also one that only looks" "$SCRUB" start -B -r "$one"
check_status 1 "and a resume" "$SCRUB" resume -B "$one"
until_progress "$one"
check_status 0 "cancel" "$SCRUB" cancel "$one"
is "$(field "$one" .state)" cancelled "it is cancelled"
is "$(field "$one" '.bytes_done > 0 and .bytes_done < .bytes_total')" true "part of it is done"
no_clean=$("$SCRUB" status "$one" | grep -c 'no errors found')
is "$no_clean" 0 "the status does not say that there are no errors"
part=$(field "$one" .bytes_done)
check_status 0 "resume" "$SCRUB" resume "$one"
is "$(field "$one" ".bytes_done >= $part")" true "it goes on where it was"
is "$(field "$one" .limit)" 4194304 "with the limit that it had"
check_status 0 "another limit" "$SCRUB" limit --limit 0 "$one"
"$SCRUB" status --watch "$one" >/dev/null
is "$(field "$one" .state)" finished "it finishes"
is "$(counters "$one")" "$whole" "and counts nothing twice"

for round in 1 2; do
	pid=$("$SCRUB" start --limit 6m "$one" | sed -n 's/.*pid=\([0-9]*\).*/\1/p')
	until_progress "$one"
	kill -9 "$pid"
	tail --pid="$pid" -f /dev/null
	is "$(field "$one" .state)" interrupted "killed: interrupted ($round)"
	check_status 0 "resume ($round)" "$SCRUB" resume -B --limit 0 "$fsid"
	is "$(counters "$one")" "$whole" "and counts nothing twice ($round)"
done

# A shell without job control lets what it starts with & ignore SIGINT.
env --default-signal=INT "$SCRUB" start -B --limit 4m "$one" >"$scratch/out" 2>&1 &
pid=$!
until_progress "$one"
kill -INT "$pid"
wait "$pid"
is "$?" 1 "SIGINT: exit 1"
is "$(field "$one" .state)" cancelled "SIGINT cancels"
check_status 0 "resume after it" "$SCRUB" resume -B --limit 0 "$one"

# --- the record ---

echo rubbish >"$records/$fsid"
check_status 1 "a damaged record" "$SCRUB" status "$one"
check_status 1 "is not replaced" "$SCRUB" start -B "$one"
check_status 1 "nor resumed" "$SCRUB" resume -B "$one"
check_status 0 "but with -f" "$SCRUB" start -B -f "$one"
sed -i '1s/.*/xxscrub 99/' "$records/$fsid"
check_status 1 "a record of another version" "$SCRUB" status "$one"
has "$output" 'another version' "is said to be one"

# --- damage ---

read -r block _ <"$scratch/one.extent"
logical=$((block * 4096))
start=$(physical "$one" "$logical" 1)
damage "$one" "$start" $((start + 40960)) $((start + 45056))
before=$(sha256sum <"$one")
"$SCRUB" start -B -f -r --json "$one" >"$scratch/json" 2>"$scratch/log"
is "$?" 3 "what cannot be repaired: exit 3"
is "$(sha256sum <"$one")" "$before" "-r changes no byte"
is "$(jq -r '[.state, .exit, .found.data, .corrected, .uncorrectable] | @csv' "$scratch/json")" '"finished",3,3,0,3' \
	"three sectors"
is "$(jq -r '[.files[] | .subvolume + ":" + .path] | unique | join(" ")' "$scratch/json")" ":dir/big snap:dir/big" \
	"in both files"
is "$(jq -r '[.files[] | select(.subvolume == "") | .length] | add' "$scratch/json")" 12288 "and so many bytes"
is "$(jq -r '[.files[].state] | unique | join(" ")' "$scratch/json")" lost "lost"
has "$(<"$scratch/log")" "one.1: physical $start, logical $logical: data" "the log has the addresses"
is "$("$SCRUB" status --files "$one" | cut -f 1,4 | sort -u)" "$(printf 'lost\tdir/big\nlost\tsnap/dir/big')" \
	"status --files"
is "$("$SCRUB" status --files -z "$one" | tr '\0' '\n' | cut -f 4 | sort -u | tr '\n' ' ')" "dir/big snap/dir/big " \
	"with -z"

# A resumed scrub knows the files that the run before it found.
"$SCRUB" start -r --limit 4m "$one" >/dev/null
until_progress "$one"
"$SCRUB" cancel -q "$one"
"$SCRUB" resume -B --limit 0 --files="$scratch/list" "$one" >/dev/null 2>&1
is "$?" 3 "resumed: exit 3"
is "$(field "$one" .read_only)" true "-r stays"
is "$(sha256sum <"$one")" "$before" "and no byte has changed"
is "$(cut -f 4 "$scratch/list" | sort -u | tr '\n' ' ')" "dir/big snap/dir/big " "--files has what both runs found"
is "$(field "$one" .found.data)" 3 "nothing is counted twice"

# --- two devices ---

check "a RAID1 is made" make_fs two raid1 2 || exit 1
read -r block blocks <"$scratch/two.extent"
logical=$((block * 4096))
sha256sum "$scratch"/two.[12] >"$scratch/sums"
start1=$(physical "$scratch/two.1" "$logical" 1)
start2=$(physical "$scratch/two.1" "$logical" 2)
damage "$scratch/two.1" "$start1" $((start1 + 8192))
damage "$scratch/two.2" $((start2 + 4096))
damage "$scratch/two.2" 67108864
"$SCRUB" start -B -r --json "$scratch"/two.[12] >"$scratch/json" 2>/dev/null
is "$?" 3 "RAID1, -r: exit 3"
is "$(jq -r '[.found.data, .found.super, .repairable, .corrected] | @csv' "$scratch/json")" 3,1,4,0 "four to be repaired"
is "$(jq -r '[.files[].state] | unique | join(" ")' "$scratch/json")" repairable "files say so"
"$SCRUB" start -B --json "$scratch"/two.[12] >"$scratch/json" 2>/dev/null
is "$?" 0 "RAID1: exit 0"
is "$(jq -r '[.found.data, .found.super, .repairable, .corrected] | @csv' "$scratch/json")" 3,1,0,4 "four are repaired"
is "$(jq -c '[.devices[] | [.devid, .found.data, .corrected]]' "$scratch/json")" '[[1,2,2],[2,1,2]]' "on each device"
check "the images are as they were" sha256sum --quiet -c "$scratch/sums"

# Killed in the middle of repairs, again and again: what was repaired and not counted yet is counted by the next run.
mapfile -t places < <(seq "$start1" 131072 $((start1 + blocks * 4096 - 1)))
damage "$scratch/two.1" "${places[@]}"
pid=$("$SCRUB" start --limit 12m "$scratch"/two.[12] | sed -n 's/.*pid=\([0-9]*\).*/\1/p')
for _ in 1 2 3; do
	until_progress "$scratch/two.1"
	kill -9 "$pid"
	tail --pid="$pid" -f /dev/null
	pid=$("$SCRUB" resume "$scratch"/two.[12] | sed -n 's/.*pid=\([0-9]*\).*/\1/p')
done
"$SCRUB" limit --limit 0 "$scratch/two.1"
"$SCRUB" status --watch "$scratch/two.1" >/dev/null
is "$(field "$scratch/two.1" '[.state, .exit, .found.data, .corrected] | @csv')" \
	"\"finished\",0,${#places[@]},${#places[@]}" "killed between repairs: each is counted once"
check "the images are as they were again" sha256sum --quiet -c "$scratch/sums"
check_status 0 "and good" "$SCRUB" start -B -d "$scratch"/two.[12]
has "$output" '^Device 2: .*two.2$' "-d shows each device"

loop1=$(loop_attach "$scratch/two.1")
check_status 1 "a device is missing" "$SCRUB" start -B "$loop1"
has "$output" '^Missing devices: +1$' "it is said"
has "$output" 'none in what could be verified' "and that not all was verified"
loop2=$(loop_attach "$scratch/two.2")
check_status 0 "the other member is found" "$SCRUB" start -B "$loop1"
check_status 1 "but not looked for with --device" "$SCRUB" start -B --device "$loop1"
check_status 1 "a device twice" "$SCRUB" start -B "$loop1" "$loop1"
check_status 0 "--device" "$SCRUB" start -B --device "$loop2" "$loop1"
blockdev --setro "$loop2"
at_exit blockdev --setrw "$loop2"
check_status 1 "a read-only device" "$SCRUB" start -B "$loop1" "$loop2"
has "$output" 'use -r' "-r is proposed"
check_status 0 "and -r works" "$SCRUB" start -B -r "$loop1" "$loop2"

done_testing
