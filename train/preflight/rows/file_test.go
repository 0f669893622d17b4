package rows_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/internal/python"
	"airqa/train/preflight/rows"
)

func open(t *testing.T, text string) (*rows.File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return rows.Open(path)
}

// describe prints the rows of a file as the trainer gets them.
func describe(t *testing.T, f *rows.File) string {
	t.Helper()
	var list []string
	for i := range f.Len {
		cell, err := f.Row(i)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, python.Repr(cell.Python()))
	}
	return strings.Join(list, " ")
}

func TestOpen(t *testing.T) {
	const late = " for the first time, after more than 10 MB,"
	pad := `"pad":"` + strings.Repeat("x", 100_000) + `"`
	parts := func(first, later string) string { // of which the second begins after 10 MB
		return strings.Repeat(first+pad+"}\n", 120) + strings.Repeat(later+pad+"}\n", 120)
	}
	tests := []struct {
		name, text string
		want       string // rows, empty if they are long
		doubt      string
	}{
		{name: "lines", text: `{"a":1}` + "\n" + `{"a":2.5}`, want: "{'a': 1.0} {'a': 2.5}"},
		{name: "two on a line", text: `{"a":1}{"b":"x"}`, want: "{'a': 1, 'b': None} {'a': None, 'b': 'x'}"},
		{name: "array", text: ` [{"a":1}, {"a":null}] `, want: "{'a': 1} {'a': None}"},
		{
			name: "nested", text: `{"a":[{"b":[]}]}` + "\n" + `{"a":[{"b":["x"],"c":true}]}`,
			want: "{'a': [{'b': [], 'c': None}]} {'a': [{'b': ['x'], 'c': True}]}",
		},
		{name: "byte-order mark", text: "\xef\xbb\xbf" + `{"a":1}` + "\r\n\n" + `{"a":2}`, want: "{'a': 1} {'a': 2}"},
		{name: "escaped key", text: `{"\u0061":1}{"a":2}`, want: "{'a': 1} {'a': 2}"},
		{name: "no date", text: `{"a":"2024-01-01"}{"a":"soon"}`, want: "{'a': '2024-01-01'} {'a': 'soon'}"},
		{name: "no dates in an array", text: `[{"a":"2024-01-01"}]`, want: "{'a': '2024-01-01'}"},
		{
			name: "mixed", text: `{"a":{"b":"x"}}` + "\n" + `{"a":{"b":1}}`, want: "{'a': {'b': 'x'}} {'a': {'b': 1}}",
			doubt: "/a/b changed from string to number in row 1",
		},
		{name: "mixed list", text: `{"a":[1,"x"]}`, want: "{'a': [1, 'x']}", doubt: "/a/[] changed from number to string in row 0"},
		{name: "a huge number in an array", text: `[{"a":99999999999999999999}]`, doubt: "/a is a number of more than 64 bits"},
		{name: "deep", text: `{"a":` + strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 71), doubt: "is nested deeply"},
		{name: "new key", text: parts("{", `{"b":1,`), doubt: "/b is a new key after more than 10 MB"},
		{name: "missing key", text: parts(`{"b":1,`, "{")},
		{name: "text after null", text: parts(`{"b":null,`, `{"b":"x",`), doubt: "/b is string" + late},
		{name: "fraction after whole", text: parts(`{"b":1,`, `{"b":1.5,`), doubt: "/b is number" + late},
		{name: "item after none", text: parts(`{"b":[],`, `{"b":[true],`), doubt: "/b/[] is boolean" + late},
		{name: "whole after fraction", text: parts(`{"b":1.5,`, `{"b":1,`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := open(t, tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(t, f); tt.want != "" && got != tt.want {
				t.Errorf("rows = %s, want %s", got, tt.want)
			}
			if (f.Doubt != nil) != (tt.doubt != "") || f.Doubt != nil && !strings.Contains(f.Doubt.Error(), tt.doubt) {
				t.Errorf("doubt = %v, want %q", f.Doubt, tt.doubt)
			}
		})
	}
}

func TestOpenErrors(t *testing.T) {
	tests := []struct {
		name, text, want string
		unknown          bool
	}{
		{"twice", `{"a":1,"a":2}` + "\n{}", "Column(/a) was specified twice in row 0", false},
		{"twice in an array", `[{"a":1,"a":2}]`, "was specified twice in row 0", true},
		{"lone surrogate", `{"a":"\ud800"}` + "\n{}", "surrogate pair", false},
		{"lone surrogate in an array", `[{"a":"\ud800"}]`, "surrogate pair", true},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", "invalid UTF-8", false},
		{"control character", "{\"a\":\"\t\"}\n{}", "invalid character '\\t' in string", false},
		{"control character in an array", "[{\"a\":\"\t\"}]", "invalid character '\\t' in string", true},
		{"not a number", `{"a":NaN}`, "row 0 has NaN or Infinity", true},
		{"infinity", "{}\n" + `{"a":-Infinity}`, "row 1 has NaN or Infinity", true},
		{"leading zero", `{"a":01}`, "JSON parse error", false},
		{"trailing comma", `{"a":1,}`, "JSON parse error", false},
		{"cut", `{"a":1}` + "\n" + `{"a":`, "in row 1", false},
		{"cut array", `[{"a":1},`, "JSON parse error", false},
		{"empty", "", "the file is empty", false},
		{"no columns", "{}\n{}", "corresponds to no data", false},
		{"no items", "[]", "corresponds to no data", false},
		{"text after an array", `[{"a":1}] x`, "text follows the array", false},
		{"a text", `"x"`, "row 0 is not an object", false},
		{"an array of texts", `["x"]`, "item 0 of the array is not an object", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := open(t, tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("Open = %v, want %s", err, tt.want)
			}
			if reason := rows.NotChecked(""); errors.As(err, &reason) != tt.unknown {
				t.Errorf("Open = %#v, want an error that is not checked: %t", err, tt.unknown)
			}
		})
	}
}

// FuzzOpen checks that a file that opens has as many rows as it says, each of which can be parsed.
func FuzzOpen(f *testing.F) {
	for _, seed := range []string{
		`{"a":1}`, `[{"a":"\ud83d\ude00"}]`, `{"a":[1,2],"b":{"b":null}}`, "\xef\xbb\xbf{}\r\n{\"a\":-1.5e3}", `{"a":[{"b":NaN}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := open(t, text)
		if err != nil {
			return
		}
		n := 0
		for raw, err := range file.Raw() {
			if err != nil {
				t.Fatalf("row %d of %q: %v", n, text, err)
			}
			cell, err := file.Parse(raw)
			if err != nil || !cell.IsObject() {
				t.Fatalf("row %d of %q: %v", n, text, err)
			}
			n++
		}
		if n != file.Len {
			t.Errorf("%q: %d rows, want %d", text, n, file.Len)
		}
	})
}
