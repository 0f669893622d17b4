package train_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/train"
)

func TestWithPapers(t *testing.T) {
	synth := map[string]json.RawMessage{"synth": json.RawMessage(`{"evidence": [{"paper": "c"}, {"paper": "a"}, {"paper": "c"}]}`)}
	for _, tt := range []struct {
		name string
		ex   qa.Example
		gold []string
		want []string
	}{
		{"none", qa.Example{}, nil, nil},
		{"named", qa.Example{AnchorPDF: []string{"a"}, ReferencePDF: []string{"b"}}, nil, []string{"a", "b"}},
		{"of the gold answer", qa.Example{}, []string{"d", "d"}, []string{"d"}},
		{"of the evidence", qa.Example{Extra: synth}, nil, []string{"c", "a"}},
		{"all", qa.Example{AnchorPDF: []string{"a"}, ReferencePDF: []string{"b"}, Extra: synth}, []string{"d"}, []string{"a", "b", "d", "c"}},
		{"another key", qa.Example{Extra: map[string]json.RawMessage{"synth": json.RawMessage(`"by hand"`)}}, nil, nil},
	} {
		if diff := cmp.Diff(tt.want, train.WithPapers(tt.ex, tt.gold).Papers()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
