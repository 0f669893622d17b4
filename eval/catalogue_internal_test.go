package eval

import (
	"strings"
	"testing"

	"airqa/qa"
)

// The functions of the paper are described, the example of each is faultless, and the example's answer passes in both
// modes.
func TestCatalogue(t *testing.T) {
	text := Catalogue()
	if len(descriptions) < 19 {
		t.Errorf("%d descriptions of 19 functions", len(descriptions))
	}
	for _, d := range descriptions {
		f := find(functions, d.function)
		if f == nil {
			t.Errorf("there is no function %s", d.function)
			continue
		}
		e := qa.Evaluator{Func: f.Name, Kwargs: []byte(d.kwargs)}
		if faults := Check(e); len(faults) > 0 {
			t.Errorf("the example of %s: %v", f.Name, faults)
		}
		for _, m := range []Mode{Reference, Fixed} {
			if r := New(Config{Mode: m, Judge: &alternating{say: true}}).Score(t.Context(), e, Text(d.answer)); r.Verdict != qa.Right {
				t.Errorf("the answer %q to the example of %s is %s (%s) in mode %s", d.answer, f.Name, r.Verdict, r.Reason, m)
			}
		}
		for _, p := range f.Params {
			described := strings.Contains(text, "- "+p.Name+" (")
			if judges := p.Name == modelParam.Name || p.Name == temperatureParam.Name; described == judges || !judges && hints[p.Name] == "" {
				t.Errorf("parameter %s of %s: described %v, hint %q", p.Name, f.Name, described, hints[p.Name])
			}
		}
	}
	for name := range hints {
		if !strings.Contains(text, "- "+name+" (") {
			t.Errorf("the hint for %s belongs to no parameter", name)
		}
	}
}
