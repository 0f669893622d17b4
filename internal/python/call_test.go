package python_test

import (
	"fmt"
	"testing"

	"airqa/internal/python"

	"github.com/google/go-cmp/cmp"
)

func TestParseCall(t *testing.T) {
	text := "[Action]: Retrieve(\n  'x', query=\"it's\", limit=4,  # four\n) and so on"
	got, err := python.ParseCall(text, 10, python.Options{})
	want := python.Call{
		Name: "Retrieve", NameStart: 10, End: 59, Args: []python.Value{"x"},
		Keywords: []python.Keyword{{Name: "query", Value: "it's", Offset: 27}, {Name: "limit", Value: int64(4), Offset: 41}},
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
		{"nested call", "f(a=g(1), b=2)", "line 1, column 5: calls are not values: nothing is evaluated here, write the result of g(…) itself"},
		{"nested call in a list", "f([g(x=1)])", "line 1, column 4: calls are not values: nothing is evaluated here, write the result of g(…) itself"},
		{"two commas", "f(1,,2)", "line 1, column 5: unexpected ',' where a value should stand"},
		{"missing comma", "f(1 2)", "line 1, column 5: a comma is missing before 2"},
		{"comparison", "f(a==1)", "line 1, column 3: names are not values: did you mean 'a'?"},
		{"keyword as text", "f('a'=1)", "line 1, column 6: unexpected '=' where a comma or the closing bracket should stand: operators are not evaluated, write the result"},
		{"end after the name", "f", "line 1, column 2: the text ends where the parenthesis of the call should stand"},
		{"JSON constant", "f(a=true)", "line 1, column 5: names are not values: did you mean True?"},
		{"NUL", "f('a\x00b')", "line 1, column 5: a NUL byte cannot stand in a literal"},
		{"arithmetic", "f(a=1+2)", "line 1, column 6: operators are not evaluated: write the result of 1+2"},
		{"curly", "é\nf(a=“x”)", "line 2, column 5: unexpected '“' where a value should stand: use a straight quote, ' or \""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start := 0
			if tt.name == "curly" {
				start = 3
			}
			_, err := python.ParseCall(tt.text, start, python.Options{})
			if diff := cmp.Diff(tt.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseCallForms(t *testing.T) {
	constants := python.Options{JSONConstants: true}
	tests := []struct {
		name, text string
		options    python.Options
		want       string // the arguments, and the text after the call
	}{
		{"no arguments", "f()", python.Options{}, "[] {} "},
		{"trailing text", "f(1) and g(2)", python.Options{}, "[1] {}  and g(2)"},
		{"text that cannot be parsed", "f(1)]]'", python.Options{}, "[1] {} ]]'"},
		{"bytes after the call", "f(1)\x00\xff", python.Options{}, "[1] {} \x00\xff"},
		{"parenthesis in a text", "f(a=')')", python.Options{}, "[] {'a': ')'} "},
		{"last comma", "f(1, a=2,)", python.Options{}, "[1] {'a': 2} "},
		{"over lines", "f\\\n (\n 1,\n # c\n a = 2\n)\n", python.Options{}, "[1] {'a': 2} \n"},
		{"containers", "f([1, {'a': (2,)}], b={3})", python.Options{}, "[[1, {'a': (2,)}]] {'b': {3}} "},
		{"JSON constants", "f(true, a=null, b=[false])", constants, "[True] {'a': None, 'b': [False]} "},
		{"foreign name", "größe(maß=1)", python.Options{}, "[] {'maß': 1} "},
		{"equal sign in a value", "f(a='b=c')", python.Options{}, "[] {'a': 'b=c'} "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := python.ParseCall(tt.text, 0, tt.options)
			if err != nil {
				t.Fatal(err)
			}
			keywords := &python.Dict{}
			for _, k := range c.Keywords {
				keywords.Set(k.Name, k.Value)
			}
			got := python.Repr(python.List(c.Args)) + " " + python.Repr(keywords) + " " + tt.text[c.End:]
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
