package pyliteral_test

import (
	"fmt"
	"testing"

	"airqa/internal/pyliteral"

	"github.com/google/go-cmp/cmp"
)

func TestParseCall(t *testing.T) {
	text := "[Action]: Retrieve(\n  'x', query=\"it's\", limit=4,  # four\n) and so on"
	got, err := pyliteral.ParseCall(text, 10, pyliteral.Options{})
	want := pyliteral.Call{
		Name: "Retrieve", NameStart: 10, End: 59, Args: []pyliteral.Value{"x"},
		Keywords: []pyliteral.Keyword{{Name: "query", Value: "it's", Offset: 27}, {Name: "limit", Value: int64(4), Offset: 41}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("err %v (-want +got):\n%s", err, diff)
	}
}

func TestParseCallErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no name", "(1)", "line 1, column 1: unexpected '(' where the name of a call should stand"},
		{"no parenthesis", "Retrieve now", "line 1, column 10: unexpected 'n' where the parenthesis of the call should stand"},
		{"end", "f(a=1", `line 1, column 2: '(' is never closed: ')' is missing`},
		{"twice", "f(a=1, a=2)", "line 1, column 8: the argument a is given twice"},
		{"positional last", "f(a=1, 2)", "line 1, column 8: an argument without a name stands after a=…: give it its name"},
		{"unpacking", "f(**x)", "line 1, column 3: arguments cannot be unpacked: write them out"},
		{"name", "f(a=abc)", "line 1, column 5: names are not values: did you mean 'abc'?"},
		{"phrase", "f(a=the best model, b=1)", "line 1, column 5: names are not values: did you mean 'the best model'?"},
		{"arithmetic", "f(a=1+2)", "line 1, column 6: operators are not evaluated: write the result of 1+2"},
		{"curly", "é\nf(a=“x”)", "line 2, column 5: unexpected '“' where a value should stand: use a straight quote, ' or \""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start := 0
			if tt.name == "curly" {
				start = 3
			}
			_, err := pyliteral.ParseCall(tt.text, start, pyliteral.Options{})
			if diff := cmp.Diff(tt.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
