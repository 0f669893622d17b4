package eval

import (
	"strings"
	"testing"

	"airqa/qa"
)

// The functions of the paper are described, the example of each is faultless, and the example's answer passes in both
// modes.
func TestDescribe(t *testing.T) {
	for _, f := range functions {
		e := qa.Evaluator{Func: f.Name, Kwargs: []byte(f.kwargs)}
		if faults := Check(e); len(faults) > 0 {
			t.Errorf("the example of %s: %v", f.Name, faults)
		}
		for _, m := range []Mode{Reference, Fixed} {
			if r := New(Config{Mode: m, Judge: &alternating{say: true}}).Score(t.Context(), e, Text(f.answer)); r.Verdict != qa.Right {
				t.Errorf("the answer %q to the example of %s is %s (%s) in mode %s", f.answer, f.Name, r.Verdict, r.Reason, m)
			}
		}
		for _, p := range f.Params {
			described := strings.Contains(f.Describe()["parameters"], "- "+p.Name+" (")
			if judges := p.Name == "llm_model" || p.Name == "temperature"; described == judges {
				t.Errorf("parameter %s of %s: described %v", p.Name, f.Name, described)
			}
		}
	}
}
