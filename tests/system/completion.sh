#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# completion.sh - what bash offers after mkfs.xx and a part of a word.
. "$(dirname "$0")/lib.sh"
library=/usr/share/bash-completion/bash_completion
[ -e "$library" ] || skip_all "needs bash-completion"

set +u
# shellcheck source=/dev/null
. "$library"
. "$srcdir/completion/mkfs.xx"

# Outside of a completion there is nothing to set.
compopt()
{
	:
}

# offered WORD...: what is offered for the last word. Readline takes words apart at =: "-d su = 6" is -d su=6.
offered()
{
	COMP_LINE="mkfs.xx $*"
	COMP_LINE=${COMP_LINE// = /=}
	COMP_POINT=${#COMP_LINE}
	COMP_WORDS=("$MKFS" "$@")
	COMP_LINE=$MKFS${COMP_LINE#mkfs.xx}
	COMP_POINT=${#COMP_LINE}
	COMP_CWORD=$#
	_mkfs_xx
	echo "${COMPREPLY[*]}"
}

is "$(offered -d ag)" "agcount= agsize=" "sub-options"
is "$(offered -l internal,ver)" "internal,version=" "a second sub-option"
is "$(offered -d agcount = 4,agsiz)" "4,agsize=" "a sub-option after a value"
is "$(offered -i sp)" "sparse" "a switch needs no ="
is "$(offered -m metad)" "" "what is refused is not offered"
is "$(offered --io)" "--io-engine=" "long options"
is "$(offered --io-engine = th)" "threads" "engines"
is "$(offered --compat = linux-6)" "linux-6.1 linux-6.6 linux-6.12" "kernels"
is "$(offered --type = '')" "xfs" "types"
is "$(offered -t '')" "xfs" "the type after -t"
is "$(offered -L '')" "" "a label is nobody's guess"
touch "$scratch/image.one" "$scratch/image.two"
is "$(offered "$scratch/image.o")" "$scratch/image.one" "files"
is "$(offered -d name = "$scratch/image.o")" "$scratch/image.one" "files that a sub-option names"
is "$(offered -c options = "$scratch/image.t")" "$scratch/image.two" "configuration files"
has "$(offered -)" '(^| )-K( |$)' "short options"

# offered_scrub WORD...: the same of xxscrub.
. "$srcdir/completion/xxscrub"
offered_scrub()
{
	COMP_LINE="xxscrub $*"
	COMP_LINE=${COMP_LINE// = /=}
	COMP_WORDS=("$builddir/xxscrub" "$@")
	COMP_LINE=$builddir/xxscrub${COMP_LINE#xxscrub}
	COMP_POINT=${#COMP_LINE}
	COMP_CWORD=$#
	_xxscrub
	echo "${COMPREPLY[*]}"
}

export XX_STATE_DIR=$scratch/state
mkdir -p "$XX_STATE_DIR/scrub"
touch "$XX_STATE_DIR/scrub/975062b4-4709-4a15-87c6-5dce343e99ac"{,.files,.lock}
is "$(offered_scrub '')" "start resume cancel status limit --help --version" "commands"
is "$(offered_scrub st)" "start status" "a part of a command"
is "$(offered_scrub start --io)" "--io-engine= --io-class= --io-priority=" "options of start"
is "$(offered_scrub resume --metadata)" "" "what resume does not take"
is "$(offered_scrub resume --read)" "--readonly" "what it takes"
is "$(offered_scrub status --wat)" "--watch" "options of status"
is "$(offered_scrub limit --l)" "--limit=" "the option of limit"
is "$(offered_scrub cancel --l)" "" "cancel has none"
is "$(offered_scrub start --io-engine = th)" "threads" "engines"
is "$(offered_scrub status 97)" "975062b4-4709-4a15-87c6-5dce343e99ac" "UUIDs that are known"
is "$(offered_scrub start 97)" "" "but not where a device is needed"
is "$(offered_scrub start "$scratch/image.o")" "$scratch/image.one" "devices"
done_testing
