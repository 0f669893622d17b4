package lazyregexp_test

import (
	"testing"

	"airqa/internal/lazyregexp"
)

// A wrong expression is noticed by the tests of the package that has it, not by the first user of it.
func TestWrongExpression(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression was accepted")
		}
	}()
	lazyregexp.New(`(`)
}

func TestRegexp(t *testing.T) {
	year := lazyregexp.New(`(\d\d)(\d\d)`)
	if got := year.FindStringSubmatch("in 2026"); len(got) != 3 || got[2] != "26" {
		t.Errorf("FindStringSubmatch = %q", got)
	}
	if got := year.ReplaceAllString("in 2026", "$2"); got != "in 26" {
		t.Errorf("ReplaceAllString = %q", got)
	}
}
