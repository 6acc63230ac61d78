# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# suite.sh - run one suite of tests under a timeout, keep its output, count what it says.
#
# run_suite KIND NAME SECONDS COMMAND...
#	tap        the command prints TAP
#	criterion  the command is a Criterion program
#	plain      one test: it passes when the command exits with 0
# A suite that passes prints one line; the output of one that fails is shown in full, and its end once more by
# suite_summary. A report of a sanitizer makes a failure of any suite.

passed=0
failed=0
skipped=0
suites=0
failed_logs=()

suite_init()
{
	logs=$XX_BUILD/logs
	san=$logs/sanitizers
	rm -rf "$logs"
	mkdir -p "$san"
	# Criterion lets a test pass that leaks, and a child's report can get lost: the reports go to files.
	export ASAN_OPTIONS="log_path=$san/asan:detect_stack_use_after_return=1"
	ASAN_OPTIONS+=":check_initialization_order=1:allocator_may_return_null=1"
	export UBSAN_OPTIONS="log_path=$san/ubsan:print_stacktrace=1"
	export TSAN_OPTIONS="log_path=$san/tsan:second_deadlock_stack=1"
	export LSAN_OPTIONS="report_objects=1"
}

# The counts of a Criterion program: its TAP report, which must agree with the synthesis that it prints.
criterion_count()
{
	local log=$1 tap=$2 counts synthesis

	counts=$(awk -f "$top/scripts/tap.awk" "$tap" 2>/dev/null) || counts="0 1 0 no report"
	synthesis=$(sed -nE 's/.*Synthesis: Tested: .*Passing: ([0-9]+).*Failing: ([0-9]+).*Crashing: ([0-9]+).*/\1/p' \
		"$log" | tail -n 1)
	# shellcheck disable=SC2086 # the counts are words
	set -- $counts
	if [ -z "$synthesis" ]; then
		echo "$1 $(($2 + 1)) $3 no synthesis: the runner died"
	elif [ "$synthesis" -ne "$1" ]; then
		echo "$1 $(($2 + 1)) $3 the synthesis says $synthesis passed, the report $1"
	else
		echo "$counts"
	fi
}

# suite_count KIND LOG STATUS
suite_count()
{
	case $1 in
	tap) awk -f "$top/scripts/tap.awk" "$2" ;;
	criterion) criterion_count "$2" "$2.tap" ;;
	plain) [ "$3" -eq 0 ] && echo "1 0 0" || echo "0 1 0 exit status $3" ;;
	esac
}

# Move the sanitizers' reports to the end of the log; true when there was one.
suite_san_reports()
{
	local report found=1

	for report in "$san"/*; do
		[ -e "$report" ] || continue
		found=0
		{
			echo "--- report of a sanitizer: ${report##*/}"
			cat "$report"
		} >>"$1"
		rm -f "$report"
	done
	return $found
}

run_suite()
{
	local kind=$1 name=$2 seconds=$3 log status counts p f s why start=$SECONDS

	shift 3
	log=$logs/${name//\//-}.log
	if [ "$kind" = criterion ]; then
		rm -f "$log.tap"
		set -- "$@" --tap="$log.tap"
	fi
	timeout -k 60 "$seconds" "$@" >"$log" 2>&1 </dev/null
	status=$?
	counts=$(suite_count "$kind" "$log" "$status")
	read -r p f s why <<<"$counts"
	if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
		why="ended after $seconds s"
		[ "$f" -gt 0 ] || f=1
	elif [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
		why="exit status $status"
		f=1
	fi
	if suite_san_reports "$log"; then
		why="a sanitizer reported${why:+; $why}"
		[ "$f" -gt 0 ] || f=1
	fi
	suite_record "$name" "$log" "$p" "$f" "$s" "$((SECONDS - start))" "$why"
}

suite_record()
{
	local name=$1 log=$2 p=$3 f=$4 s=$5 seconds=$6 why=$7

	passed=$((passed + p))
	failed=$((failed + f))
	skipped=$((skipped + s))
	suites=$((suites + 1))
	if [ "$f" -eq 0 ]; then
		printf 'ok    %-32s %4d passed%s  (%d s)\n' "$name" "$p" "$([ "$s" -eq 0 ] || echo ", $s skipped")" "$seconds"
		[ "$s" -eq 0 ] || grep -i '# *skip' "$log" "$log.tap" 2>/dev/null | sed -E 's/^[^:]*:/      /' | head -n 20
		return 0
	fi
	printf 'FAIL  %-32s %4d passed, %d failed, %d skipped  (%d s): %s\n' "$name" "$p" "$f" "$s" "$seconds" "$why"
	sed 's/^/    | /' "$log"
	failed_logs+=("$log")
	return 1
}

# The end of each log that has a failure, then the closing line.
suite_summary()
{
	local log

	for log in "${failed_logs[@]}"; do
		echo "--- the end of ${log##*/}"
		tail -n 200 "$log"
	done
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ] || return 1
	[ "$((passed + skipped))" -gt 0 ] || return 1
	# Where the tests can all run, one that was skipped has gone missing.
	[ "$skipped" -eq 0 ] || [ -z "${CI-}" ] || [ "$(id -u)" -ne 0 ]
}
