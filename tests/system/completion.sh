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
done_testing
