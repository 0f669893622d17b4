package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"airqa/internal/testkit/golden"
)

// rule is one line of banned.txt.
type rule struct {
	words  string
	re     *regexp.Regexp
	better string
}

// passage is a comment, a string literal or the prose of a document, with the line it starts on.
type passage struct {
	file string
	line int
	text string
}

// find returns one message for each use of a banned word in p.
func (r rule) find(p passage) []string {
	var found []string
	for _, at := range r.re.FindAllStringIndex(p.text, -1) {
		line := p.line + strings.Count(p.text[:at[0]], "\n")
		word := strings.Join(strings.Fields(p.text[at[0]:at[1]]), " ")
		found = append(found, fmt.Sprintf("%s:%d: %q: write %s", p.file, line, word, r.better))
	}
	return found
}

func TestBannedWords(t *testing.T) {
	rules, _, except := readBanned(t)
	passages := readPassages(t)
	if len(passages) < 1000 {
		t.Fatalf("only %d comments and literals found: wrong root directory?", len(passages))
	}
	for _, p := range passages {
		if except[filepath.ToSlash(filepath.Dir(p.file))] || except[p.file] {
			continue
		}
		for _, r := range rules {
			for _, message := range r.find(p) {
				t.Error(message)
			}
		}
	}
}

func TestBannedRules(t *testing.T) {
	rules, _, _ := readBanned(t)
	tests := []struct {
		name, text string
		want       string // a part of the message; "" for text that passes
	}{
		{"verb", "tells whether it is open", `a.go:1: "tells whether": write reports`},
		{"across lines", "one line\nclose mends\nit", `a.go:2: "mends"`},
		{"phrase across lines", "it tells\nwhether", `a.go:1: "tells whether"`},
		{"capital", "Nobody waits", `"Nobody waits"`},
		{"restated interface", "Error implements error.", `"Error implements error."`},
		{"part of a word", "amends misspelt text", ""},
		{"clean", "reports whether the standing order is spelled out", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var found []string
			for _, r := range rules {
				found = append(found, r.find(passage{"a.go", 1, tt.text})...)
			}
			got := strings.Join(found, "\n")
			if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}

// TestHabits counts the wording that banned.txt calls habits, by folder. A count may only fall: -update records lower ones.
func TestHabits(t *testing.T) {
	_, habits, _ := readBanned(t)
	now := make(map[string]int)
	last := make(map[string]string)
	for _, p := range readPassages(t) {
		folder, _, _ := strings.Cut(p.file, "/")
		for _, h := range habits {
			for _, message := range h.find(p) {
				key := folder + ": " + h.words
				now[key]++
				last[key] = message
			}
		}
	}
	const path = "testdata/habits.txt"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(string(raw)) {
		count, key, _ := strings.Cut(strings.TrimSpace(line), " ")
		most, err := strconv.Atoi(count)
		if err != nil {
			t.Fatalf("%s: cannot read %q", path, line)
		}
		switch n := now[key]; {
		case n > most:
			t.Errorf("%s: %d uses, and %d are allowed; one of them is %s", key, n, most, last[key])
		case n < most && !golden.Updating():
			t.Errorf("%s: %d uses: lower the count from %d (-update does)", key, n, most)
		}
		if n := min(now[key], most); n > 0 {
			kept = append(kept, fmt.Sprintf("%d %s\n", n, key))
		}
		delete(now, key)
	}
	for _, key := range slices.Sorted(maps.Keys(now)) {
		t.Errorf("%s: %s", key, last[key])
	}
	if golden.Updating() {
		if err := os.WriteFile(path, []byte(strings.Join(kept, "")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// readBanned reads banned.txt: its rules, those that are only counted, and the folders and files that are not checked yet.
func readBanned(t *testing.T) (rules, habits []rule, except map[string]bool) {
	t.Helper()
	raw, err := os.ReadFile("banned.txt")
	if err != nil {
		t.Fatal(err)
	}
	except = make(map[string]bool)
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if dir, ok := strings.CutPrefix(line, "except "); ok {
			except[dir] = true
			continue
		}
		line, habit := strings.CutPrefix(line, "habit ")
		words, better, ok := strings.Cut(line, "  ")
		re, err := regexp.Compile(`(?i)\b(?:` + strings.ReplaceAll(words, " ", `\s+`) + `)(?:\b|\s|$)`)
		if !ok || err != nil {
			t.Fatalf("banned.txt: cannot read %q (%v)", line, err)
		}
		if r := (rule{words, re, better}); habit {
			habits = append(habits, r)
		} else {
			rules = append(rules, r)
		}
	}
	return rules, habits, except
}

// readPassages returns the comments and string literals of every Go file, and the documents without their fenced code.
func readPassages(t *testing.T) []passage {
	t.Helper()
	var all []passage
	for _, f := range readTree(t) {
		if f.name == "internal/archtest/banned_test.go" {
			continue
		}
		all = append(all, goPassages(t, f.name)...)
	}
	err := filepath.WalkDir("../..", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata" || p == "../../dist") {
			return filepath.SkipDir
		}
		if filepath.Ext(p) != ".md" {
			return nil
		}
		raw, err := os.ReadFile(p)
		all = append(all, passage{filepath.ToSlash(strings.TrimPrefix(p, "../../")), 1, unfenced(string(raw))})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func goPassages(t *testing.T, name string) []passage {
	t.Helper()
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, filepath.Join("../..", name), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var all []passage
	for _, c := range tree.Comments {
		all = append(all, passage{name, set.Position(c.Pos()).Line, c.Text()})
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			all = append(all, passage{name, set.Position(lit.Pos()).Line, lit.Value})
		}
		return true
	})
	return all
}

// unfenced empties the lines of fenced code. Line numbers stay the same.
func unfenced(text string) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(text) {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if code || fence {
			line = "\n"
		}
		b.WriteString(line)
		code = code != fence
	}
	return b.String()
}
