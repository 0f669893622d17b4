// Package long divides tests into what go test ./... runs and what only make check runs: many kills, large inputs,
// browsers. Start with [Test] and [Count].
package long

import (
	"os"
	"testing"
)

// Variable is the environment variable that make check sets.
const Variable = "AIRQA_TEST_LONG"

// Enabled reports whether long tests run.
func Enabled() bool { return os.Getenv(Variable) != "" && !testing.Short() }

// Test skips a test that go test ./... leaves to make check, for the given reason.
func Test(t testing.TB, reason string) {
	t.Helper()
	if !Enabled() {
		t.Skipf("long: %s; make check runs it", reason)
	}
}

// Count returns few, or many in make check: how often a test repeats what it does.
func Count(few, many int) int {
	if Enabled() {
		return many
	}
	return few
}
