#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# streams.sh - standard streams that are closed, full or have no reader, and a limit of the file size: the device gets
# nothing that was meant for a stream, and nothing ends without a word.
. "$(dirname "$0")/lib.sh"

need_root
need_tool xfs_repair mkfifo

# A file system without O_DIRECT: there a write of any length would go into the image.
mkdir "$scratch/ram"
mount -t ramfs ramfs "$scratch/ram" || skip_all "no ramfs"
at_exit umount "$scratch/ram"
image=$scratch/ram/image

new_image()
{
	rm -f "$image"
	truncate -s 400m "$image"
}

untouched()
{
	[ "$(head -c 64K "$image" | tr -d '\0' | wc -c)" -eq 0 ]
}

status_of()
{
	local wanted=$1 description=$2

	shift 2
	"$@"
	is $? "$wanted" "$description"
}

no_output() { "$MKFS" "$image" >&- 2>"$scratch/messages"; }
no_output_no_input() { "$MKFS" "$image" <&- >&- 2>"$scratch/messages"; }
no_streams() { "$MKFS" -q "$image" <&- >&- 2>&-; }
no_streams_failing() { "$MKFS" -q "$image" <&- >&- 2>&-; }
full() { "$MKFS" "$image" >/dev/full 2>"$scratch/messages"; }

new_image
status_of 1 "without a standard output the geometry cannot be shown" no_output
check "and nothing was written to the image" untouched
has "$(cat "$scratch/messages")" "cannot be shown" "the message says so"
status_of 1 "the same without a standard input" no_output_no_input
check "and nothing was written to the image" untouched

status_of 0 "-q needs no stream at all" no_streams
check "and the file system is clean" xfs_repair -n "$image"
status_of 1 "a message without any stream" no_streams_failing
check "does not go into the image" xfs_repair -n "$image"

new_image
status_of 1 "a full standard output" full
check "and nothing was written to the image" untouched

# A pipe without a reader.
mkfifo "$scratch/fifo"
exec 3<>"$scratch/fifo" 4>"$scratch/fifo" 3<&-
unread() { "$MKFS" "$image" >&4 2>"$scratch/messages"; }
status_of 1 "a pipe that nobody reads" unread
exec 4>&-
check "nothing was written to the image" untouched
has "$(cat "$scratch/messages")" "cannot be shown" "and there is a message"

limited() { (ulimit -f 1000 && exec "$MKFS" -q --io-engine="$1" "$2" 2>"$scratch/messages"); }
for engine in uring aio threads; do
	rm -f "$scratch/file"
	truncate -s 400m "$scratch/file"
	status_of 1 "$engine: a limit of the file size" limited "$engine" "$scratch/file"
	has "$(cat "$scratch/messages")" "File too large" "$engine: and it is said"
done

done_testing
