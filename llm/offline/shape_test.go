package offline

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadShape(t *testing.T) {
	text, integer, float := shape{decimals: -1}, shape{class: asInteger, decimals: -1}, shape{class: asFloat, decimals: -1}
	tests := []struct {
		name, format string
		want         shape
	}{
		{"decimals as a word", "a float rounded to two decimal places", shape{class: asFloat, decimals: 2}},
		{"uuid", "a single string of a paper_uuid", shape{class: asUUID, decimals: -1}},
		{"list", "a Python list of 2 elements. The first one is an integer. The second one is a float.", shape{class: asList, count: 2, decimals: -1, parts: []shape{integer, float}}},
		{"kind of the whole", "a list of two numbers, an integer and a float", shape{class: asList, count: 2, decimals: -1, parts: []shape{integer, float}}},
		{"one part in two words", "a list of two elements, the number of seeds as an integer and the name as a string", shape{class: asList, count: 2, decimals: -1, parts: []shape{integer, text}}},
		{"keys", `a dictionary with the keys "MRR" and "F1"`, shape{class: asDict, decimals: -1, keys: []string{"MRR", "F1"}}},
		{"keys of an example", `a dictionary, e.g., {"a b": 1, "c": ["x"]}`, shape{class: asDict, decimals: -1, keys: []string{"a b", "c"}}},
		{"list with a dictionary", "a list of 2 elements, a dictionary and a string", shape{class: asList, count: 2, decimals: -1, parts: []shape{text}}},
		{"no dictionary", "a list of verdicts", shape{class: asList, decimals: -1}},
		{"sentences", "two or three sentences", shape{class: asProse, count: 3, decimals: -1}},
		{"word", "a single word", shape{word: true, decimals: -1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := readShape(tt.format)
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(shape{})); diff != "" {
				t.Errorf("shape (-want +got):\n%s", diff)
			}
		})
	}
}
