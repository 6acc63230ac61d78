# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# checks.sh - the named checks. check_NAME runs the suites of NAME; a dash in a name is an underscore here.
#
# Build trees are $XX_BUILD/gcc (what is shipped), clang (fuzzers, ASan and UBSan), san (gcc with ASan and UBSan) and
# tsan. A tree is made when a check first needs it, and kept for the next run.

# The order of CI: what is quick and often wrong first.
all_checks=(format shell layering build symbols docs man unit fault asan ubsan tsan fuzz install system scrub identity dist)
more_checks=(fuzz-long)

declare -A tree_status=()
declare -A done_once=()

# --- build trees -----------------------------------------------------------------------------------------------

# tree NAME: build it, once a run; false when it does not build.
tree()
{
	if [ -z "${tree_status[$1]-}" ]; then
		XX_BUILD=$XX_BUILD run_suite plain "build/$1" 1800 "$top/scripts/tree" "$1"
		tree_status[$1]=$?
		suites=$((suites - 1))
	fi
	# A tree is no suite; that it does not build is counted, and explains why none ran.
	[ "${tree_status[$1]}" -eq 0 ] || ran_before=1
	return "${tree_status[$1]}"
}

# The programs of a list of the Makefile.
programs()
{
	# Only the last line: a Makefile that is older than its parts is first made anew, and says so.
	make -s --no-print-directory -C "$XX_BUILD/$1" "list-$2" | tail -n 1
}

# --- suites ----------------------------------------------------------------------------------------------------

# Several checks share a set of suites: run it once.
once()
{
	if [ -n "${done_once[$*]-}" ]; then
		ran_before=1
		return 0
	fi
	done_once[$*]=1
	"$@"
}

# criterion_suites TREE LIST
criterion_suites()
{
	local name

	tree "$1" || return 0
	for name in $(programs "$1" "$2"); do
		run_suite criterion "$1/${name#tests/}" 600 "$XX_BUILD/$1/$name"
	done
}

# tap_suites SCRIPT...: each script may name its own timeout.
tap_suites()
{
	local script seconds name

	for script; do
		[ -e "$script" ] || continue
		seconds=$(sed -nE 's/^# timeout: ([0-9]+)$/\1/p' "$script" | head -n 1)
		name=${script#"$top"/tests/}
		XX_TREE=$XX_BUILD/gcc run_suite tap "${name%.sh}" "${seconds:-600}" bash "$script"
	done
}

house_suite()
{
	tap_suites "$top/tests/house/$1.sh"
}

sanitized_suites()
{
	criterion_suites san unit
	criterion_suites san fault
}

fuzz_suites()
{
	local name corpus

	tree clang || return 0
	for name in $(programs clang fuzz); do
		corpus=$logs/corpus-${name##*/}
		mkdir -p "$corpus"
		run_suite plain "${name#tests/}" 900 "$XX_BUILD/clang/$name" -runs="${XX_FUZZ_RUNS:-100000}" -seed=1 \
			-max_total_time="${XX_FUZZ_SECONDS:-60}" -rss_limit_mb=2048 -timeout=30 -artifact_prefix="$logs/" \
			-print_final_stats=1 "$corpus" "$top/tests/data/fuzz/${name##*/}"
	done
}

# --- the checks ------------------------------------------------------------------------------------------------

check_format() { house_suite format; }
check_shell()
{
	house_suite shell
	house_suite runner
	house_suite packages
}

check_layering() { house_suite layering; }
check_docs() { house_suite docs; }
check_build() { tree gcc; tree clang; ran_before=1; }
check_symbols() { tree gcc && house_suite symbols; }
check_man() { tree gcc && house_suite man; }
check_install() { tree gcc && house_suite install; }
check_dist() { tree gcc && house_suite dist; }
check_unit() { once criterion_suites gcc unit; }
check_fault() { once criterion_suites gcc fault; }
check_asan() { once sanitized_suites; }
check_ubsan() { once sanitized_suites; }
check_fuzz() { fuzz_suites; }

check_tsan()
{
	local name wrap=()

	tree tsan || return 0
	# ThreadSanitizer of gcc 12 does not cope with much randomness in the address space.
	setarch -R true 2>/dev/null && wrap=(setarch -R)
	for name in $(programs tsan tsan); do
		run_suite plain "${name#tests/}" 600 "${wrap[@]}" "$XX_BUILD/tsan/$name"
	done
}

check_system()
{
	local script

	tree gcc || return 0
	for script in "$top"/tests/system/*.sh; do
		# What has no #! line is a part that tests source.
		head -n 1 "$script" | grep -q '^#!' || continue
		case ${script##*/} in
		identity* | scrub.sh | scrub_clean.sh) ;;
		*) tap_suites "$script" ;;
		esac
	done
}

# A fixed sample of the damage, or with --full all of it, and its table.
check_scrub()
{
	tree gcc || return 0
	[ -z "${XX_SCRUB_FULL-}" ] || export XX_SCRUB_TABLE=$XX_BUILD/scrub-matrix.txt
	tap_suites "$top/tests/system/scrub.sh" "$top/tests/system/scrub_clean.sh"
}

check_identity()
{
	tree gcc && tap_suites "$top"/tests/system/identity*.sh
}

# Many more executions, on a corpus that is kept, and the coverage of what was parsed.
check_fuzz_long()
{
	local name base corpus

	tree clang && tree coverage || return 0
	for name in $(programs clang fuzz); do
		base=${name##*/}
		corpus=$XX_BUILD/corpus/$base
		mkdir -p "$corpus"
		run_suite plain "long/$base" 7200 "$XX_BUILD/clang/$name" -runs="${XX_FUZZ_RUNS:-10000000}" -rss_limit_mb=2048 \
			-timeout=30 -artifact_prefix="$logs/" -print_final_stats=1 "$corpus" "$top/tests/data/fuzz/$base"
		tail -n 15 "$logs/long-$base.log"
		LLVM_PROFILE_FILE=$logs/$base.profraw run_suite plain "coverage/$base" 1800 "$XX_BUILD/coverage/$name" -runs=0 \
			"$corpus" "$top/tests/data/fuzz/$base"
		llvm-profdata merge -o "$logs/$base.profdata" "$logs/$base.profraw" &&
			llvm-cov report "$XX_BUILD/coverage/$name" -instr-profile="$logs/$base.profdata"
	done
}
