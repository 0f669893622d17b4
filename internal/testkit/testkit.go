// Package testkit divides the tests into those that every run has and those that make check adds.
package testkit

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// longVariable is set by make check and .ci/run.
const longVariable = "AIRQA_TEST_LONG"

// IsLong reports whether AIRQA_TEST_LONG asks for the long tests.
func IsLong() bool { return os.Getenv(longVariable) != "" }

// Long skips a test that takes much time for what it adds, unless the long tests are asked for. why names what takes the
// time.
func Long(tb testing.TB, why string) {
	tb.Helper()
	if !IsLong() {
		tb.Skipf("long test (%s): %s=1 runs it, as make check does", why, longVariable)
	}
}

// Rounds is the number of repetitions of a test: few, or many if the long tests are asked for.
func Rounds(few, many int) int {
	if IsLong() {
		return many
	}
	return few
}

// Checks sets how often the properties of a test are checked, unless -rapid.checks does: see [Rounds].
func Checks(tb testing.TB, few, many int) {
	tb.Helper()
	checks := flag.Lookup("rapid.checks")
	if checks.Value.String() != checks.DefValue {
		return
	}
	set := func(to string) {
		if err := checks.Value.Set(to); err != nil {
			tb.Fatal(err)
		}
	}
	set(strconv.Itoa(Rounds(few, many)))
	tb.Cleanup(func() { set(checks.DefValue) }) // other tests keep their number
}

// RoundsUnderRace is the number of repetitions of a test that varies data: n, or few under the race detector, which sees the
// same code and goroutines in each of them.
func RoundsUnderRace(n, few int) int {
	if raceDetector {
		return few
	}
	return n
}

// OneGoroutine skips a test under the race detector, which would only slow it down: what it runs has one goroutine, and it
// takes more than a moment.
func OneGoroutine(tb testing.TB) {
	tb.Helper()
	if raceDetector {
		tb.Skip("one goroutine: nothing for the race detector")
	}
}
