package cause_test

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/stats"
	"airqa/internal/testkit"
	"airqa/internal/words"
	"airqa/qa/dataset"
	"airqa/runlog"
	"airqa/trace/cause"
)

var update = flag.Bool("update", false, "write the measured tables to docs/why.md")

// label is the cause of an episode by construction, see testdata/README.md.
type label struct {
	UUID  string     `json:"uuid"`
	Cause cause.Code `json:"cause"`
	Split string     `json:"split"`
	How   string     `json:"how"`
}

// labelled are the recorded episodes with their labels and the causes that the rules find.
type labelled struct {
	label
	found cause.Row
	golds [][]string
}

func fixtures(t *testing.T) []labelled {
	t.Helper()
	dir := unpack(t, filepath.Join("testdata", "episodes.tar.gz"))
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	examples, _, err := dataset.Load(filepath.Join(dir, runlog.QuestionsFile))
	if err != nil {
		t.Fatal(err)
	}
	runs, err := cause.Read(t.Context(), []cause.Source{{Run: r, Examples: examples}}, cause.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]cause.Row)
	for _, row := range runs[0].Rows {
		found[row.UUID] = row
	}
	golds := make(map[string][][]string)
	for _, ex := range examples {
		golds[ex.UUID] = cause.Golds(ex.Evaluator)
	}
	file, err := os.Open(filepath.Join("testdata", "labels.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var list []labelled
	for in := bufio.NewScanner(file); in.Scan(); {
		var l labelled
		if err := json.Unmarshal(in.Bytes(), &l.label); err != nil {
			t.Fatal(err)
		}
		l.found, l.golds = found[l.UUID], golds[l.UUID]
		list = append(list, l)
	}
	return list
}

// unpack writes a run directory to a temporary folder.
func unpack(t *testing.T, path string) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

const docPath = "../../docs/why.md"

// docs/why.md has what the rules find in the fixtures, for both halves; -update writes it.
func TestMeasured(t *testing.T) {
	testkit.OneGoroutine(t)
	list := fixtures(t)
	raw, err := os.ReadFile(docPath)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(raw)
	for _, split := range []string{"holdout", "dev"} {
		begin, end := "<!-- "+split+" -->\n", "<!-- end of "+split+" -->"
		before, rest, ok1 := strings.Cut(doc, begin)
		_, after, ok2 := strings.Cut(rest, end)
		if !ok1 || !ok2 {
			t.Fatalf("%s has no place for the tables of %s", docPath, split)
		}
		doc = before + begin + "\n" + tables(list, split) + "\n" + end + after
	}
	if *update {
		if err := os.WriteFile(docPath, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(raw), doc); diff != "" {
		t.Errorf("%s differs from what was measured; run with -update (-doc +measured):\n%s", docPath, diff)
	}
}

// The confidence of a cause is the precision of its rule in the half that the rules were made with, with one right and one
// wrong cause added (Laplace). Of a weak cause, it is the lower end of the interval.
func TestConfidence(t *testing.T) {
	testkit.OneGoroutine(t)
	found, right := make(map[string]int), make(map[string]int)
	list := slices.DeleteFunc(fixtures(t), func(l labelled) bool { return l.Split != "dev" || l.found.Rule == "" })
	for _, l := range list {
		found[l.found.Rule]++
		if l.found.Code == l.Cause {
			right[l.found.Rule]++
		}
	}
	weak := 0
	for _, l := range list {
		k, n := right[l.found.Rule], found[l.found.Rule]
		want := float64(k+1) / float64(n+2)
		if l.found.Weak {
			weak++
			want = stats.Wilson(k, n, 0.95).Low
		}
		if math.Abs(l.found.Confidence-want) > 1e-9 {
			t.Errorf("rule %s, weak %v: confidence %v, but %d of %d are right: %.2f", l.found.Rule, l.found.Weak, l.found.Confidence, k, n, want)
		}
	}
	if weak == 0 || weak == len(list) {
		t.Errorf("%d of %d causes are weak", weak, len(list))
	}
}

// Every cause has evidence whose byte range holds its quote in the log. What was misread is in the quote.
func TestEvidenceQuotes(t *testing.T) {
	testkit.OneGoroutine(t)
	quotes := 0
	for _, l := range fixtures(t) {
		if l.found.Code == cause.Unknown {
			continue
		}
		if len(l.found.Evidence) == 0 {
			t.Errorf("%s: %s without evidence", l.UUID, l.found.Rule)
		}
		for _, ref := range l.found.Evidence {
			if ref.Field == "answer.text" && ref.Quote != l.found.Answer[ref.First:ref.End] {
				t.Errorf("%s: %+v is not in the answer %q", l.UUID, ref, l.found.Answer)
			}
			if ref.End-ref.First != len(ref.Quote) && ref.End > 0 {
				t.Errorf("%s: range of %+v", l.UUID, ref)
			}
			if !strings.HasPrefix(l.found.Rule, "misread") || ref.Quote == "" || ref.Field == "answer.text" || ref.Field == "action.text" {
				continue
			}
			quotes++
			if !hasOne(ref.Quote, l.golds) {
				t.Errorf("%s: %s: %q has none of %q as words", l.UUID, l.found.Rule, ref.Quote, l.golds)
			}
		}
	}
	if quotes < 20 {
		t.Errorf("%d quotes of results", quotes)
	}
}

// hasOne reports whether a quote of a JSON result has one of the gold texts, as whole words.
func hasOne(quote string, golds [][]string) bool {
	return slices.ContainsFunc(slices.Concat(golds...), func(text string) bool {
		_, _, ok := words.NewJSONFinder(quote).Find(text)
		return ok
	})
}

// tables are precision and recall by cause, and the confusion of one split.
func tables(list []labelled, split string) string {
	list = slices.DeleteFunc(slices.Clone(list), func(l labelled) bool { return l.Split != split })
	cell := make(map[[2]cause.Code]int)
	for _, l := range list {
		cell[[2]cause.Code{l.Cause, l.found.Code}]++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| cause | episodes | found | right | precision | recall |\n| --- | --- | --- | --- | --- | --- |\n")
	all := 0
	for _, code := range cause.Codes()[:8] {
		n, found := 0, 0
		for pair, count := range cell {
			if pair[0] == code {
				n += count
			}
			if pair[1] == code {
				found += count
			}
		}
		right := cell[[2]cause.Code{code, code}]
		all += right
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %s | %s |\n", strings.ToLower(code.Title()), n, found, right, share(right, found), share(right, n))
	}
	unknown := 0
	for _, l := range list {
		if l.found.Code == cause.Unknown {
			unknown++
		}
	}
	fmt.Fprintf(&b, "| all | %d | %d | %d | %s | %s |\n", len(list), len(list)-unknown, all, share(all, len(list)-unknown), share(all, len(list)))
	columns := slices.DeleteFunc(cause.Codes(), func(c cause.Code) bool {
		return !slices.ContainsFunc(slices.Collect(maps.Keys(cell)), func(p [2]cause.Code) bool { return p[1] == c })
	})
	fmt.Fprintf(&b, "\n| label | %s |\n| --- |%s\n", strings.Join(titles(columns), " | "), strings.Repeat(" --- |", len(columns)))
	for _, code := range cause.Codes()[:8] {
		fmt.Fprintf(&b, "| %s |", strings.ToLower(code.Title()))
		for _, c := range columns {
			fmt.Fprintf(&b, " %d |", cell[[2]cause.Code{code, c}])
		}
		b.WriteString("\n")
	}
	return b.String()
}

func titles(list []cause.Code) []string {
	var names []string
	for _, c := range list {
		names = append(names, strings.ToLower(c.Title()))
	}
	return names
}

func share(k, n int) string {
	if n == 0 {
		return "-"
	}
	in := stats.Wilson(k, n, 0.95)
	return fmt.Sprintf("%.2f (%.2f to %.2f)", float64(k)/float64(n), in.Low, in.High)
}
