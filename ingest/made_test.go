package ingest_test

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"airqa/ingest"
	"airqa/internal/testkit"
	"airqa/internal/testkit/golden"
)

// madeDir has papers whose truth is known because they were made. See its README.md.
const madeDir = "../internal/testkit/madepapers"

// madeTruth is truth.json: papers, and the fields of their texts, of which one may be printed by several producers.
type madeTruth struct {
	Texts  map[string][]madeField
	Papers []madePaper
}

type madePaper struct {
	Name, Producer, Varies, Text string
	Fields                       []madeField // in addition to those of its text
}

// madeField is one number, one run of words or one other part of a made paper.
type madeField struct {
	Kind   string   // number, words, title, label, absent (must not be in the text) or warning
	Text   string   // the form that the reader must give
	Accept []string // further forms
	// Where is the part of the paper: text (also if empty), cell, title, abstract, section (its title), content (of a
	// section), caption, reference, or line (a line of its own).
	Where         string
	Before, After string // the words around it, which occur there only; empty: it is searched in the whole text
	Row           string // of a cell: the text of the cell in column Key of its row
	Column, Key   int
}

func (f madeField) forms() []string { return append([]string{f.Text}, f.Accept...) }

// verdict is what the reader made of a field.
type verdict int

const (
	right verdict = iota
	wrong
	missing
)

func (v verdict) String() string { return [...]string{"right", "wrong", "missing"}[v] }

// finding is the verdict on a field, with the text that was read in its place.
type finding struct {
	field   madeField
	verdict verdict
	read    string
	lost    bool // a number that no part of the paper has
}

type madeResult struct {
	madePaper
	problems []string
	findings []finding
}

// readMade reads all made papers once.
var readMade = sync.OnceValues(func() ([]madeResult, error) {
	data, err := os.ReadFile(filepath.Join(madeDir, "truth.json"))
	if err != nil {
		return nil, err
	}
	var truth madeTruth
	if err := json.Unmarshal(data, &truth); err != nil {
		return nil, err
	}
	r, err := ingest.NewReader(pool)
	if err != nil {
		return nil, err
	}
	results := make([]madeResult, 0, len(truth.Papers))
	for _, paper := range truth.Papers {
		source, err := ingest.Open(filepath.Join(madeDir, "papers", paper.Name+".pdf"))
		if err != nil {
			return nil, err
		}
		read, err := r.Read(context.Background(), source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", paper.Name, err)
		}
		result := madeResult{madePaper: paper, problems: read.Paper.File.Problems}
		m := newMadeText(read.Paper)
		for _, f := range slices.Concat(truth.Texts[paper.Text], paper.Fields) {
			result.findings = append(result.findings, m.judge(f))
		}
		results = append(results, result)
	}
	return results, nil
})

// TestMadePapersAreReadAsRecorded counts for each paper and kind of field what is right, wrong and missing. It fails if a
// count is worse than the recorded one; -update records better ones.
func TestMadePapersAreReadAsRecorded(t *testing.T) {
	results := madeResults(t)
	type key struct{ paper, kind string }
	counts, total := make(map[key][3]int), make(map[string][3]int)
	for _, r := range results {
		for _, f := range r.findings {
			k := key{r.Name, f.field.Kind}
			if where := f.field.Where; where != "" && where != "line" && f.field.Kind != "label" {
				k.kind += "/" + where
			}
			c, all := counts[k], total[k.kind]
			c[f.verdict]++
			all[f.verdict]++
			counts[k], total[k.kind] = c, all
			if f.verdict != right {
				t.Logf("%s: %s %s %q: %q", r.Name, k.kind, f.verdict, f.field.Text, f.read)
			}
		}
	}
	var got strings.Builder
	got.WriteString("# paper, kind of field: right wrong missing\n")
	for _, k := range slices.SortedFunc(maps.Keys(counts), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.paper, b.paper), cmp.Compare(a.kind, b.kind))
	}) {
		fmt.Fprintf(&got, "%s %s: %d %d %d\n", k.paper, k.kind, counts[k][right], counts[k][wrong], counts[k][missing])
	}
	for _, kind := range slices.Sorted(maps.Keys(total)) {
		c := total[kind]
		t.Logf("%-20s right %5d  wrong %4d  missing %4d  (%.1f%%)", kind, c[right], c[wrong], c[missing],
			100*float64(c[right])/float64(c[right]+c[wrong]+c[missing]))
	}
	if c := total["words"]; c[right]*100 < 99*(c[right]+c[wrong]+c[missing]) {
		t.Log("fewer than 99% of the runs of words are right")
	}
	checkNoWorse(t, "made.txt", got.String(), func(line string) (string, [3]int) {
		name, numbers, _ := strings.Cut(line, ": ")
		var r, w, m int
		_, _ = fmt.Sscan(numbers, &r, &w, &m)
		return name, [3]int{-r, w, m}
	})
}

// TestMadeNumbersKeepTheirValues lists the numbers that are read with another value, and those that are lost without a
// warning that counts them. There must be none: the recorded ones are to be removed, and no new one may come.
func TestMadeNumbersKeepTheirValues(t *testing.T) {
	counting := regexp.MustCompile(`[0-9]+.*(words|numbers|digits|letters|characters)`)
	faults := make(map[string]int)
	for _, r := range madeResults(t) {
		warned := slices.ContainsFunc(r.problems, counting.MatchString)
		for _, f := range r.findings {
			switch {
			case f.verdict == wrong && (f.field.Kind == "number" || f.field.hasOtherNumber(f.read)):
				faults[fmt.Sprintf("%s: %q is read as %q", r.Name, f.field.Text, f.read)]++
			case f.field.Kind == "number" && f.lost && !warned:
				faults[fmt.Sprintf("%s: %q is lost", r.Name, f.field.Text)]++
			}
		}
	}
	var got strings.Builder
	for _, line := range slices.Sorted(maps.Keys(faults)) {
		fmt.Fprintf(&got, "%d %s\n", faults[line], line)
	}
	checkNoWorse(t, "made_numbers.txt", got.String(), func(line string) (string, [3]int) {
		count, name, _ := strings.Cut(line, " ")
		name, _, _ = strings.Cut(name, " is ") // a number that is read as another wrong value is no new fault
		var n int
		_, _ = fmt.Sscan(count, &n)
		return name, [3]int{n}
	})
}

func madeResults(t *testing.T) []madeResult {
	t.Helper()
	testkit.OneGoroutine(t)
	results, err := readMade()
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// checkNoWorse compares the lines of a text with those of testdata/name. A line has a name and up to three numbers, of which
// none may be larger than recorded; a name that is on one side only has zeros on the other.
func checkNoWorse(t *testing.T, name, got string, parse func(line string) (string, [3]int)) {
	t.Helper()
	data, _ := os.ReadFile(filepath.Join("testdata", name))
	recorded, read := parseCounts(string(data), parse), parseCounts(got, parse)
	worse := data == nil
	for _, key := range slices.Concat(slices.Collect(maps.Keys(recorded)), slices.Collect(maps.Keys(read))) {
		for i := range 3 {
			worse = worse || read[key][i] > recorded[key][i]
		}
	}
	if worse || flag.Lookup("update").Value.String() == "true" {
		golden.Check(t, name, got)
	} else if got != string(data) {
		t.Logf("%s: better than recorded; record it with -update", name)
	}
}

func parseCounts(text string, parse func(line string) (string, [3]int)) map[string][3]int {
	counts := make(map[string][3]int)
	for line := range strings.Lines(text) {
		key, n := parse(strings.TrimSpace(line))
		counts[key] = n
	}
	return counts
}
