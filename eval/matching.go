package eval

import (
	"airqa/internal/fuzzy"
	"airqa/internal/python"
)

// matching holds the options of a comparison. Options that may have a wrong type keep their original value and fail
// only when used.
type matching struct {
	lowercase, ignoreBlank, ignoreOrder   bool
	ndigits, tolerance, threshold, method python.Value
}

// The shared defaults.
const (
	defaultTolerance = 1e-6
	defaultMethod    = "ratio"
	defaultThreshold = int64(95)
	noThreshold      = int64(-1)
)

// matching reads the options from the arguments; ndigits and threshold are the defaults that vary.
func (k kwargs) matching(ndigits, threshold python.Value) matching {
	return matching{
		lowercase: k.truth("lowercase"), ignoreBlank: k.truth("ignore_blank"), ignoreOrder: k.truth("ignore_order"),
		ndigits: k.get("ndigits", ndigits), tolerance: k.get("tolerance", defaultTolerance),
		threshold: k.get("threshold", threshold), method: k.get("fuzz_method", defaultMethod),
	}
}

// The parameters of the options.
var (
	lowercaseParam   = optional("lowercase", KindBool, false)
	ignoreBlankParam = optional("ignore_blank", KindBool, false)
	ignoreOrderParam = optional("ignore_order", KindBool, false)
	toleranceParam   = optional("tolerance", KindNumber, defaultTolerance)
	methodParam      = oneOf("fuzz_method", defaultMethod, fuzzy.Names())
)

// text compares two values as texts: by similarity if a threshold is set, otherwise for equality.
func (m matching) text(t *Comparison, prediction, gold python.Value) (outcome, error) {
	fuzzyMatch, err := positive(m.threshold)
	if err != nil {
		return outcome{}, err
	}
	if fuzzyMatch {
		return m.alike(t, prediction, gold)
	}
	return m.same(t, prediction, gold), nil
}
