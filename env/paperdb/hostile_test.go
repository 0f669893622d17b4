package paperdb_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/paperdb"
	"airqa/internal/testkit"
)

// TestHostileStatements runs the corpus. Every statement yields an observation, the same one twice. The next query
// works, the folder of the database is unchanged, and this process has not grown.
func TestHostileStatements(t *testing.T) {
	testkit.OneGoroutine(t)
	path := library(t, paper("attention"))
	before := content(t, path)
	r := reader(t, path)
	size := resident(t)
	total := 0
	for _, a := range attacks() {
		t.Run(a.name, func(t *testing.T) {
			for _, sql := range a.statements {
				if total++; a.deadline > 0 && total%3 > 0 && !testkit.IsLong() {
					continue // it uses up its time or its memory
				}
				first := strike(t, r, a, sql)
				if !a.repeatable() || total%4 > 0 || !testkit.IsLong() {
					continue
				}
				if second := strike(t, r, a, sql); first != second {
					t.Errorf("%.60q: %s, and then %s", sql, first, second)
				}
			}
		})
	}
	if total < 150 {
		t.Errorf("only %d statements", total)
	}
	if diff := cmp.Diff(before, content(t, path)); diff != "" {
		t.Errorf("the folder changed (-before +after):\n%s", diff)
	}
	if grown := resident(t) - size; grown > 200<<20 {
		t.Errorf("this process grew by %d MB", grown>>20)
	}
}

// secret matches host paths, addresses and the words of the program's parts, which must not appear in any text.
var secret = regexp.MustCompile(`0x[0-9a-fA-F]{6}|database/sql|API error|runtime error|goroutine|` + regexp.QuoteMeta(filepath.Dir(os.TempDir()+"/")) + `/[A-Z]`)

// strike runs one statement and then a harmless one, and returns the first one's result.
func strike(t *testing.T, r *paperdb.Reader, a attack, sql string) string {
	t.Helper()
	bounds := paperdb.Limits{Rows: 5, Deadline: limits.Deadline}
	if a.deadline > 0 {
		bounds.Deadline = a.deadline
	}
	result, err := r.Query(t.Context(), sql, bounds)
	var fault *paperdb.QueryError
	if err != nil && !errors.As(err, &fault) {
		t.Fatalf("%.60q: %v", sql, err)
	}
	got := fmt.Sprint("a result: ", result)
	kind := ok
	if fault != nil {
		kind, got = fault.Kind, fault.Kind+": "+fault.Text
		if fault.Text == "" || len(fault.Text) > 500 || secret.MatchString(fault.Text) {
			t.Errorf("%.60q: text %q", sql, fault.Text)
		}
	}
	if !slices.Contains(a.kinds, kind) {
		t.Errorf("%.60q: got %.200s, want one of %q", sql, got, a.kinds)
	}
	if result := query(t, r, "SELECT title FROM metadata"); len(result.Values) != 1 {
		t.Errorf("after %.60q: got %v", sql, result)
	}
	return got
}

// content maps the files next to path to their hashes.
func content(t *testing.T, path string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	entries, err := os.ReadDir(filepath.Dir(path))
	check(t, err)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(path), e.Name()))
		check(t, err)
		files[e.Name()] = fmt.Sprintf("%x", sha256.Sum256(data))
	}
	return files
}

// resident returns the resident memory of this process in bytes; 0 if unknown.
func resident(t *testing.T) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	raw, err := os.ReadFile("/proc/self/statm")
	check(t, err)
	pages, err := strconv.Atoi(string(bytes.Fields(raw)[1]))
	check(t, err)
	return pages * os.Getpagesize()
}

// Quotes in comments, dollar quotes and escapes must not hide text from the limits, whether or not DuckDB would accept
// the rest. A string or comment that DuckDB accepts must not be refused.
func TestTextBoundsSeePastQuotes(t *testing.T) {
	r := reader(t, library(t, paper("attention")))
	deep := strings.Repeat("(", 150) + "1" + strings.Repeat(")", 150)
	for _, before := range []string{"/*'*/ ", "--'\n", "--'\r", "/* /* ' */ ' */ ", "$a$'$a$, ", "$$'$$, ", `E'\'', `, `'\', `, "'it''s', "} {
		_, err := r.Query(t.Context(), "SELECT "+before+deep+" /*'*/", limits)
		if err == nil || !strings.Contains(err.Error(), "nests too deep") {
			t.Errorf("%q: %v", before, err)
		}
	}
	for _, text := range []string{"SELECT 1 -- " + deep, "SELECT 1 /* /* " + deep + " */ */", "SELECT $x$" + deep + "$x$", `SELECT E'\'` + deep + "'", "SELECT 1 AS \"" + deep + "\""} {
		if _, err := r.Query(t.Context(), text, limits); err != nil {
			t.Errorf("%s: %v", text[:20], err)
		}
	}
	_, err := r.Query(t.Context(), "SELECT "+strings.Repeat("1+", 5000)+"1", limits)
	if err == nil || strings.Contains(err.Error(), "SET ") || !strings.Contains(err.Error(), "expression depth") {
		t.Errorf("a deep expression: %v", err)
	}
}
