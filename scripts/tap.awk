# SPDX-License-Identifier: GPL-2.0-or-later
# tap.awk - count a TAP stream: prints "PASSED FAILED SKIPPED REASON". A stream without a plan, with a plan that
# does not match, or that bailed out has one failure more, and REASON says which.

/^ok([ \t]|$)/ {
	tests++
	if (toupper($0) ~ /# *SKIP/)
		skipped++
	else
		passed++
}

/^not ok([ \t]|$)/ {
	tests++
	failed++
	if (!first)
		first = $0
}

/^1\.\.[0-9]+/ {
	plans++
	plan = substr($1, 4) + 0
	if (plan == 0 && toupper($0) ~ /# *SKIP/) {
		skipped++
		all_skipped = 1
	}
}

/^Bail out!/ {
	fault = $0
}

END {
	if (!fault && plans == 0)
		fault = tests ? "no plan after " tests " tests" : "no test ran"
	if (!fault && plans > 1)
		fault = "more than one plan"
	if (!fault && plan != tests)
		fault = "planned " plan " tests, ran " (tests + 0)
	if (!fault && tests == 0 && !all_skipped)
		fault = "no test ran"
	if (fault)
		failed++
	print passed + 0, failed + 0, skipped + 0, (fault ? fault : first)
}
