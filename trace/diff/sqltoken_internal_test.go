package diff

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		name, sql string
		want      []sqlToken
	}{
		{name: "empty"},
		{"comparison", `a<=1.5e3`, []sqlToken{{sqlWord, "a"}, {sqlSymbol, "<="}, {sqlNumber, "1.5e3"}}},
		{"doubled quotes", `'it''s'"a""b"`, []sqlToken{{sqlString, "'it''s'"}, {sqlName, `"a""b"`}}},
		{"dollars", `$$a 'b$$$`, []sqlToken{{sqlString, "$$a 'b$$"}, {sqlSymbol, "$"}}},
		{"comments", "-- a\n /* b */", []sqlToken{{sqlComment, "-- a\n"}, {sqlSpace, " "}, {sqlComment, "/* b */"}}},
		{"comment in an operator", "//*b", []sqlToken{{sqlSymbol, "/"}, {sqlComment, "/*b"}}},
		{"names with points", "t.é1", []sqlToken{{sqlWord, "t"}, {sqlSymbol, "."}, {sqlWord, "é1"}}},
		{"not closed", `"a''`, []sqlToken{{sqlName, `"a''`}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []sqlToken
			for token := range sqlTokens(tt.sql) {
				got = append(got, token)
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(sqlToken{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The tokens joined are the text, and none is empty.
func FuzzTokens(f *testing.F) {
	f.Add("SELECT 'a''' || \"b\" FROM $$x$$ -- y\n/* z")
	f.Fuzz(func(t *testing.T, sql string) {
		var joined strings.Builder
		for token := range sqlTokens(sql) {
			if token.text == "" {
				t.Fatalf("empty token after %q", joined.String())
			}
			joined.WriteString(token.text)
		}
		if joined.String() != sql {
			t.Errorf("%q of %q", joined.String(), sql)
		}
	})
}
