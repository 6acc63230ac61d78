#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# runner.sh - scripts/suite.sh counts a suite that fails in any way as failed.
. "$(dirname "$0")/lib.sh"

# A stand-in for a Criterion program: run with its report's lines, then what it prints.
cat >"$scratch/criterion" <<'S'
#!/bin/bash
printf '%b' "$1" >"${3#--tap=}"
printf '%b' "$2"
S
chmod +x "$scratch/criterion"

# counts KIND COMMAND...: run one suite of its own, print the closing line.
counts()
{
	local kind=$1

	shift
	# shellcheck disable=SC2016 # expanded by the inner shell
	XX_BUILD=$scratch top=$srcdir bash -u -c '. "$top/scripts/suite.sh"; suite_init
		run_suite "$1" x "${seconds:-60}" "${@:2}"; suite_summary' - "$kind" "$@" | tail -n 1
}

is "$(counts tap printf '1..2\nok 1\nok 2 - a # SKIP b\n')" "1 passed, 0 failed, 1 skipped" "TAP: passed and skipped"
is "$(counts tap printf 'ok 1\nnot ok 2\n1..2\n')" "1 passed, 1 failed, 0 skipped" "TAP: failed"
is "$(counts tap printf '1..0 # SKIP no root\n')" "0 passed, 0 failed, 1 skipped" "TAP: all skipped"
is "$(counts tap printf 'ok 1\n')" "1 passed, 1 failed, 0 skipped" "TAP: no plan"
is "$(counts tap printf '1..3\nok 1\n')" "1 passed, 1 failed, 0 skipped" "TAP: a plan that does not match"
is "$(counts tap printf '1..0\n')" "0 passed, 1 failed, 0 skipped" "TAP: an empty plan"
is "$(counts tap true)" "0 passed, 1 failed, 0 skipped" "TAP: nothing printed"
is "$(counts tap sh -c 'echo 1..1; echo ok; exit 3')" "1 passed, 1 failed, 0 skipped" "TAP: an exit status"
is "$(seconds=1 counts tap sh -c 'echo 1..1; echo ok; exec tail -f /dev/null')" "1 passed, 1 failed, 0 skipped" "TAP: a timeout"
is "$(counts plain true)" "1 passed, 0 failed, 0 skipped" "plain: passed"
is "$(counts plain false)" "0 passed, 1 failed, 0 skipped" "plain: failed"

good='Synthesis: Tested: 1 | Passing: 1 | Failing: 0 | Crashing: 0\n'
is "$(counts criterion "$scratch/criterion" '1..1\nok - a\n' "$good")" "1 passed, 0 failed, 0 skipped" "Criterion: passed"
is "$(counts criterion "$scratch/criterion" '1..1\nok - a\n' '')" "1 passed, 1 failed, 0 skipped" "Criterion: the runner died"
is "$(counts criterion "$scratch/criterion" '1..2\nok - a\nnot ok - b\n' "$good")" "1 passed, 1 failed, 0 skipped" \
	"Criterion: failed"
is "$(counts criterion "$scratch/criterion" '1..2\nok - a\nok - b\n' "$good")" "2 passed, 1 failed, 0 skipped" \
	"Criterion: the report and the synthesis differ"
# shellcheck disable=SC2016 # expanded by the inner shell
is "$(counts plain sh -c 'f=${ASAN_OPTIONS#log_path=}; echo leak >"${f%%:*}.1"')" "1 passed, 1 failed, 0 skipped" \
	"a sanitizer's report alone is a failure"
done_testing
