package author_test

import (
	"slices"
	"strings"
	"testing"

	"airqa/eval/author"
)

// How golds are read: as JSON or Python, with the type of their elements, and with a note where the text changes.
func TestReadings(t *testing.T) {
	tests := []struct{ name, line, question, note string }{
		{"percent", "How many?\t85.3%\n", `How many? | eval_float_exact_match {"gold":85.3,"ndigits":1} | 0 papers`, `"85.3%" is read as 85.3`},
		{"thousands", "How many?\t1,200\n", `How many? | eval_int_exact_match {"gold":1200} | 0 papers`, `"1,200" is read as 1200`},
		{"plain", "How many?\t1200\n", `How many? | eval_int_exact_match {"gold":1200} | 0 papers`, ""},
		{"JSON list", "Which?\t[\"a\", true, null]\n", `Which? | eval_structured_object_exact_match {"gold":["a",true,null],"ignore_order":true,"lowercase":true} | 0 papers`, ""},
		{"Python list", "Which?\t['a', True, None]\n", `Which? | eval_structured_object_exact_match {"gold":["a",true,null],"ignore_order":true,"lowercase":true} | 0 papers`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			questions, notes, _ := converted(t, author.Options{}, tt.line)
			if len(questions) != 1 || questions[0] != tt.question {
				t.Errorf("got %q\nwant %q", questions, tt.question)
			}
			found := slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "is read as") && strings.Contains(n, tt.note) })
			if found != (tt.note != "") {
				t.Errorf("notes %q, want one with %q", notes, tt.note)
			}
		})
	}
}
