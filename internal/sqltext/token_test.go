package sqltext_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/sqltext"
)

func TestTokens(t *testing.T) {
	for _, tt := range []struct {
		name, sql string
		want      []sqltext.Token
	}{
		{name: "empty"},
		{"comparison", `a<=1.5e3`, []sqltext.Token{{sqltext.Word, "a"}, {sqltext.Symbol, "<="}, {sqltext.Number, "1.5e3"}}},
		{"doubled quotes", `'it''s'"a""b"`, []sqltext.Token{{sqltext.String, "'it''s'"}, {sqltext.Name, `"a""b"`}}},
		{"dollars", `$$a 'b$$$`, []sqltext.Token{{sqltext.String, "$$a 'b$$"}, {sqltext.Symbol, "$"}}},
		{"comments", "-- a\n /* b */", []sqltext.Token{{sqltext.Comment, "-- a\n"}, {sqltext.Space, " "}, {sqltext.Comment, "/* b */"}}},
		{"comment in an operator", "//*b", []sqltext.Token{{sqltext.Symbol, "/"}, {sqltext.Comment, "/*b"}}},
		{"names with points", "t.é1", []sqltext.Token{{sqltext.Word, "t"}, {sqltext.Symbol, "."}, {sqltext.Word, "é1"}}},
		{"not closed", `"a''`, []sqltext.Token{{sqltext.Name, `"a''`}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []sqltext.Token
			for token := range sqltext.Tokens(tt.sql) {
				got = append(got, token)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
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
		for token := range sqltext.Tokens(sql) {
			if token.Text == "" {
				t.Fatalf("empty token after %q", joined.String())
			}
			joined.WriteString(token.Text)
		}
		if joined.String() != sql {
			t.Errorf("%q of %q", joined.String(), sql)
		}
	})
}
