package table_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/train/preflight/table"
)

func open(t *testing.T, text string) (*table.File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return table.Open(path, false)
}

func TestOpen(t *testing.T) {
	tests := []struct {
		name, text, want string
	}{
		{"lines", `{"a":1}` + "\n" + `{"a":2.5}`, "struct<a: double>"},
		{"two on a line", `{"a":1}{"b":"x"}`, "struct<a: int64, b: string>"},
		{"array", `[{"a":1},{"a":null}]`, "struct<a: int64>"},
		{"dates", `{"a":"2024-01-01"}` + "\n" + `{"a":"2024-01-01T10:00+02:00"}`, "struct<a: timestamp[s]>"},
		{"no dates in an array", `[{"a":"2024-01-01"}]`, "struct<a: string>"},
		{"no date", `{"a":"2024-02-30"}`, "struct<a: string>"},
		{"nested", `{"a":[{"b":[]}]}` + "\n" + `{"a":[{"b":["x"],"c":true}]}`, "struct<a: list<item: struct<b: list<item: string>, c: bool>>>"},
		{"byte-order mark", "\xef\xbb\xbf" + `{"a":1}`, "struct<a: int64>"},
		{"columns", `{"a":[1,2],"b":"x","b":"y"}`, "struct<a: int64, b: string>"},
		{"mixed", `{"a":{"b":"x"}}` + "\n" + `{"a":{"b":1}}`, "Column(/a/b) changed from string to number in row 1"},
		{"twice", `{"a":1,"a":2}` + "\n{}", "Column(/a) was specified twice in row 0"},
		{"lone surrogate", `{"a":"\ud800"}` + "\n{}", "The surrogate pair in string is invalid"},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", "invalid UTF-8"},
		{"control character", "{\"a\":\"\t\"}\n{}", "a control character must be escaped"},
		{"leading zero", `{"a":01}`, "Missing a comma"},
		{"trailing comma", `{"a":1,}`, "Missing a name"},
		{"cut", `{"a":1}` + "\n" + `{"a":`, "Invalid value"},
		{"empty", "", "the file is empty"},
		{"no columns", "{}\n{}", "corresponds to no data"},
		{"text after an array", `[{"a":1}] x`, "not valid JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := open(t, tt.text)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = f.Schema.String()
			}
			if !strings.Contains(got, tt.want) {
				t.Errorf("Open(%q) = %s, want %s", tt.text, got, tt.want)
			}
		})
	}
}

// TestParts checks the types of the first 10 MB against later rows.
func TestParts(t *testing.T) {
	pad := `"pad":"` + strings.Repeat("x", 100_000) + `"`
	tests := []struct{ name, first, later, want string }{
		{"new key", "{", `{"b":1,`, "/b) Couldn't cast because column names don't match"},
		{"missing key", `{"b":1,`, "{", ""},
		{"text after null", `{"b":null,`, `{"b":"x",`, "Couldn't cast array of type string to null"},
		{"fraction after whole", `{"b":1,`, `{"b":1.5,`, "Couldn't cast array of type double to int64"},
		{"whole after fraction", `{"b":1.5,`, `{"b":1,`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := open(t, strings.Repeat(tt.first+pad+"}\n", 120)+strings.Repeat(tt.later+pad+"}\n", 120))
			switch {
			case tt.want == "" && (err != nil || f.Len != 240):
				t.Errorf("Open = %v, %v", f, err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("Open = %v, want %s", err, tt.want)
			}
		})
	}
}

// FuzzOpen checks that a file that opens has as many rows as it says, each of which can be parsed.
func FuzzOpen(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, `[{"a":"\ud83d\ude00"}]`, `{"a":[1,2],"a":{"b":null}}`, "\xef\xbb\xbf{}\r\n{\"a\":-1.5e3}", `{"a":[{"b":NaN}]}`} {
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
			if _, err := file.Parse(raw); err != nil {
				t.Fatalf("row %d of %q: %v", n, text, err)
			}
			n++
		}
		if n != file.Len {
			t.Errorf("%q: %d rows, want %d", text, n, file.Len)
		}
	})
}
