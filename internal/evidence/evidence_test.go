package evidence_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/evidence"
)

func TestCells(t *testing.T) {
	tests := []struct {
		name, line string
		want       []evidence.Cell
		ok         bool
	}{
		{"kinds", `{"a": "x\ny", "B": 1.50, "a": null}`, []evidence.Cell{{"a", `"x\ny"`, "x\ny", 6}, {"B", "1.50", "1.50", 19}, {"a", "null", "null", 30}}, true},
		{"spaces and lists", ` {"é" :[1, {"b":2}] } `, []evidence.Cell{{"é", `[1, {"b":2}]`, `[1, {"b":2}]`, 8}}, true},
		{"empty", "{}", nil, true},
		{"cut in a text", `{"a": 1, "b": "x`, nil, false},
		{"cut after a value", `{"a": 1`, []evidence.Cell{{"a", "1", "1", 6}}, false},
		{"list", `["a"]`, nil, false},
		{"note", "(5 rows)", nil, false},
		{"nothing", "", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := evidence.Cells(tt.line)
			if diff := cmp.Diff(tt.want, got); diff != "" || ok != tt.ok {
				t.Errorf("%v (-want +got):\n%s", ok, diff)
			}
		})
	}
}
