package diff_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/trace/diff"
)

func TestLines(t *testing.T) {
	for _, tt := range []struct{ name, sql, want string }{
		{"short", "SELECT title FROM metadata  LIMIT 3", "SELECT title FROM metadata LIMIT 3"},
		{"empty", "", ""},
		{
			"clauses", "SELECT r.a, p.b FROM tables r JOIN pages p ON r.x = p.x AND r.y = p.y WHERE r.id IN ('1, 2', '3') AND n BETWEEN 1 AND 2 OR f(a, b) ORDER BY len(g('x')) DESC, r.n LIMIT 6",
			"SELECT r.a, p.b\nFROM tables r\nJOIN pages p ON r.x = p.x\n  AND r.y = p.y\nWHERE r.id IN ('1, 2', '3')\n  AND n BETWEEN 1 AND 2\n  OR f(a, b)\nORDER BY len(g('x')) DESC, r.n\nLIMIT 6",
		},
		{
			"subquery", "SELECT count(*) FROM (SELECT DISTINCT ON (x) y FROM t GROUP BY y) AS s LEFT OUTER JOIN u USING (y) WHERE EXTRACT(YEAR FROM d) = 1",
			"SELECT count(*)\nFROM (\n  SELECT DISTINCT ON (x) y\n  FROM t\n  GROUP BY y\n) AS s\nLEFT OUTER JOIN u USING (y)\nWHERE EXTRACT(YEAR FROM d) = 1",
		},
		{"comment", "SELECT a -- the first\n, b /* FROM */ FROM t", "SELECT a -- the first\n  , b /* FROM */\nFROM t"},
		{
			"long list", "SELECT a_long_column_name, another_column_name, yet_another_column_name, the_last_one FROM t",
			"SELECT a_long_column_name, another_column_name, yet_another_column_name,\n  the_last_one\nFROM t",
		},
		{
			"window", "SELECT row_number() OVER (PARTITION BY a ORDER BY b) AS n, left(c, 2) FROM t WHERE x IS DISTINCT FROM y",
			"SELECT row_number() OVER (PARTITION BY a ORDER BY b) AS n, left(c, 2)\nFROM t\nWHERE x IS DISTINCT FROM y",
		},
		{"not SQL", ") ) '\"-- ( unclosed and on and on and on and on and on and on and on and on", ") ) '\"-- ( unclosed and on and on and on and on and on and on and on and on"},
	} {
		if diff := cmp.Diff(tt.want, strings.Join(diff.SQLLines(tt.sql), "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Only whitespace outside of texts changes.
func FuzzLines(f *testing.F) {
	f.Add("SELECT 'a  b' FROM (SELECT 1) -- x\nWHERE \"c d\" = 1")
	f.Fuzz(func(t *testing.T, sql string) {
		squeeze := func(text string) string { return strings.Join(strings.Fields(text), "") }
		if got := strings.Join(diff.SQLLines(sql), "\n"); squeeze(got) != squeeze(sql) {
			t.Errorf("%q of %q", got, sql)
		}
	})
}
