package extractor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/eval"
	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/extractor/gate"
	"airqa/internal/testkit"
	"airqa/qa"
	"airqa/qa/dataset"
)

// accounted checks that every candidate with a line in the ledger has exactly one last outcome, and that the questions
// are the accepted ones.
func accounted(t *testing.T, b *bench, ended extractor.Summary) {
	t.Helper()
	last := make(map[string]candidate.Line)
	for line, err := range candidate.Lines(b.dir) {
		if err != nil {
			t.Fatal(err)
		}
		if _, known := last[line.Candidate]; !known {
			last[line.Candidate] = candidate.Line{}
		}
		if line.Stage == candidate.Accept {
			last[line.Candidate] = line
		}
	}
	var tally candidate.Tally
	for name, line := range last {
		if line.Outcome == "" {
			t.Errorf("candidate %s has no last line", name)
		}
		if line.Outcome != candidate.Accepted && line.Reason == "" {
			t.Errorf("candidate %s is %s without a reason", name, line.Outcome)
		}
		tally.Add(line.Outcome)
	}
	if diff := cmp.Diff(tally, ended.Tally); diff != "" {
		t.Errorf("tally (-ledger +result):\n%s", diff)
	}
	if rows := strings.Count(b.file(candidate.QuestionsFile), "\n"); rows != tally.Accepted {
		t.Errorf("%d questions, %d accepted", rows, tally.Accepted)
	}
}

// With 30 % of unusable replies, every seed gives as many rows as asked for in each category, or too few with reasons;
// and each candidate is accounted for.
func TestRowsAskedAreRowsAccepted(t *testing.T) {
	full, seeds := 0, testkit.RoundsUnderRace(20, 4)
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			b := newBench(t)
			b.model.seed, b.model.bad = seed, 30
			b.change = func(c *extractor.Config) { c.Seed = uint64(seed) }
			ended := b.must(all(24))
			accounted(t, b, ended)
			if ended.Stopped || ended.Pending != 0 || ended.Failed != 0 {
				t.Errorf("stopped %v, %+v", ended.Stopped, ended.Tally)
			}
			for _, c := range ended.Categories {
				switch {
				case c.Accepted > c.Wanted:
					t.Errorf("%s: %d of %d rows", c.Category, c.Accepted, c.Wanted)
				case c.Accepted < c.Wanted && len(c.Reasons) == 0:
					t.Errorf("%s: %d of %d rows without a reason", c.Category, c.Accepted, c.Wanted)
				}
			}
			if len(ended.Missing()) == 0 {
				full++
			}
		})
	}
	if full < seeds/2 {
		t.Errorf("only %d of %d seeds gave all rows", full, seeds)
	}
}

// The same seed gives the same questions and the same cost at any number of workers.
func TestSameQuestionsAtAnyConcurrency(t *testing.T) {
	var questions string
	var spent candidate.Spent
	for i, workers := range []int{1, 2, 16} {
		b := newBench(t)
		b.model.bad = 20
		b.change = func(c *extractor.Config) { c.Workers = workers }
		ended := b.must(all(20))
		if i == 0 {
			questions, spent = b.file(candidate.QuestionsFile), ended.Spent
			continue
		}
		if diff := cmp.Diff(questions, b.file(candidate.QuestionsFile)); diff != "" {
			t.Errorf("%d workers (-one +many):\n%s", workers, diff)
		}
		if diff := cmp.Diff(spent, ended.Spent); diff != "" {
			t.Errorf("cost with %d workers (-one +many):\n%s", workers, diff)
		}
	}
}

// A complete synthesis that is run again asks nothing and changes no byte. A larger one continues it.
func TestAgainAndMore(t *testing.T) {
	testkit.OneGoroutine(t)
	b := newBench(t)
	b.must(all(14))
	questions, ledger, calls := b.file(candidate.QuestionsFile), b.file(candidate.LedgerFile), b.model.calls.Load()
	b.must(all(14))
	if b.file(candidate.QuestionsFile) != questions || b.file(candidate.LedgerFile) != ledger || b.model.calls.Load() != calls {
		t.Errorf("run again: %d further calls; questions changed: %v; ledger changed: %v", b.model.calls.Load()-calls,
			b.file(candidate.QuestionsFile) != questions, b.file(candidate.LedgerFile) != ledger)
	}
	more := b.must(all(28))
	accounted(t, b, more)
	if more.Accepted != 28 {
		t.Errorf("%d of 28 rows", more.Accepted)
	}
	calls = b.model.calls.Load()
	fewer := b.must(all(14))
	accounted(t, b, fewer)
	if b.model.calls.Load() != calls || b.file(candidate.QuestionsFile) != questions {
		t.Errorf("14 rows of 28: %d calls", b.model.calls.Load()-calls)
	}
}

// rows decodes the questions of a bench.
func rows(t *testing.T, b *bench) (list []qa.Example) {
	t.Helper()
	for line := range strings.Lines(b.file(candidate.QuestionsFile)) {
		ex, faults, usable := dataset.Decode([]byte(line))
		if !usable || len(faults) > 0 {
			t.Fatalf("%v in %s", faults, line)
		}
		list = append(list, ex)
	}
	return list
}

// Every row is a faultless example of its category, with origin, verdicts and evidence.
func TestRows(t *testing.T) {
	testkit.OneGoroutine(t)
	b := newBench(t)
	b.must(all(30))
	seen := make(map[string]bool)
	for _, ex := range rows(t, b) {
		s, ok := candidate.SynthOf(ex)
		if !ok || seen[ex.UUID] {
			t.Fatalf("row %s has no origin, or occurs twice", ex.UUID)
		}
		seen[ex.UUID] = true
		if faults := eval.Lint(t.Context(), ex); len(faults) > 0 {
			t.Errorf("%s: %v", s.Candidate, faults)
		}
		if len(s.Gates) != len(gate.All()) {
			t.Errorf("%s has %d verdicts of %d gates", s.Candidate, len(s.Gates), len(gate.All()))
		}
		for _, g := range s.Gates {
			if g.Verdict != candidate.Passed && g.Verdict != candidate.NotApplicable || (g.Name == gate.SolvedAgain && g.Verdict == candidate.Passed) != (g.Agreement != nil) {
				t.Errorf("%s: %+v", s.Candidate, g)
			}
		}
		checkPapers(t, ex, s)
	}
}

// checkPapers checks the papers that a row of a category names.
func checkPapers(t *testing.T, ex qa.Example, s candidate.Synth) {
	t.Helper()
	anchors := map[string]int{candidate.Single: 1, candidate.Multiple: 2}[s.Category.Type()]
	if len(ex.AnchorPDF) != anchors || ex.Tags[0] != s.Category.Type() || len(s.Evidence) == 0 {
		t.Errorf("%s: anchors %v, tags %v, %d pieces of evidence", s.Candidate, ex.AnchorPDF, ex.Tags, len(s.Evidence))
	}
	if searched := anchors == 0; searched != (len(ex.Conference) == 1) {
		t.Errorf("%s: conference %v", s.Candidate, ex.Conference)
	}
	if s.Category.Type() == candidate.Multiple && (len(s.Parts) != 2 || ex.AnchorPDF[0] == ex.AnchorPDF[1]) {
		t.Errorf("%s merges %v about %v", s.Candidate, s.Parts, ex.AnchorPDF)
	}
}

// No paper has more than twice its share of the questions.
func TestPapersTakeTurns(t *testing.T) {
	testkit.OneGoroutine(t)
	b := newBench(t)
	b.must(extractor.Quotas([]candidate.Category{"single-text", "single-table", "retrieval", "comprehensive-image"}, 64, 0))
	counts := make(map[string]int)
	n := 0
	for _, ex := range rows(t, b) {
		s, _ := candidate.SynthOf(ex)
		counts[s.Evidence[0].Paper]++
		n++
	}
	for paper, k := range counts {
		if k > 2*n/len(creatures) {
			t.Errorf("paper %s has %d of %d questions", paper, k, n)
		}
	}
	if len(counts) != len(creatures) {
		t.Errorf("questions about %d of %d papers", len(counts), len(creatures))
	}
}

// A skipped gate does not run, and the row says so.
func TestSkippedGate(t *testing.T) {
	b := newBench(t)
	b.change = func(c *extractor.Config) {
		var err error
		if c.Gates, err = gate.Select([]string{"!" + gate.ClosedBook}); err != nil {
			t.Fatal(err)
		}
	}
	b.must(all(10))
	if strings.Contains(b.file(candidate.LedgerFile), `"stage":"gate:closed_book"`) {
		t.Error("the gate ran")
	}
	for _, ex := range rows(t, b) {
		s, _ := candidate.SynthOf(ex)
		for _, g := range s.Gates {
			if (g.Name == gate.ClosedBook) != (g.Verdict == candidate.Skipped) {
				t.Errorf("%s: %+v", s.Candidate, g)
			}
		}
	}
}

// Failed calls are retried by the next invocation, which ends with the same questions as one without failures.
func TestFailedCalls(t *testing.T) {
	// Questions for a paper need no tracker, so they would show that the endpoint works.
	single, err := candidate.ParseCategories([]string{candidate.Single})
	if err != nil {
		t.Fatal(err)
	}
	quotas := extractor.Quotas(single, 16, 0)
	quiet := newBench(t)
	quiet.must(quotas)
	b := newBench(t)
	down := true
	b.model.fail = func(r qa.Request) error {
		if down && strings.HasPrefix(r.Messages[0].Text, "You turn") {
			return &qa.CallError{Class: qa.FailServer, Err: fmt.Errorf("502")}
		}
		return nil
	}
	first := b.must(quotas)
	accounted(t, b, first)
	if !first.Stopped || first.Failed == 0 || first.Failure != "502" {
		t.Errorf("stopped %v, failure %q, %+v", first.Stopped, first.Failure, first.Tally)
	}
	down = false
	second := b.must(quotas)
	accounted(t, b, second)
	if b.file(candidate.QuestionsFile) != quiet.file(candidate.QuestionsFile) {
		t.Errorf("other questions after a failure (-without +with):\n%s", cmp.Diff(quiet.file(candidate.QuestionsFile), b.file(candidate.QuestionsFile)))
	}
}

// A spent budget leaves the rest pending.
func TestBudget(t *testing.T) {
	b := newBench(t)
	var calls atomic.Int32
	b.model.fail = func(qa.Request) error {
		if calls.Add(1) > 40 {
			return &qa.SuspendedError{Reason: "budget reached: all is used"}
		}
		return nil
	}
	ended := b.must(all(20))
	accounted(t, b, ended)
	if !ended.Stopped || ended.Suspended == "" || ended.Pending == 0 {
		t.Errorf("stopped %v, %q, %+v", ended.Stopped, ended.Suspended, ended.Tally)
	}
}

// A refused request is a rejection, not a failure.
func TestRefusals(t *testing.T) {
	b := newBench(t)
	b.model.fail = func(r qa.Request) error {
		if strings.Contains(r.Messages[0].Text, "bibliographic data") {
			return &qa.CallError{Class: qa.FailContextOverflow, Err: fmt.Errorf("too long")}
		}
		return nil
	}
	ended := b.must(all(20))
	accounted(t, b, ended)
	refused := 0
	for _, c := range ended.Categories {
		refused += c.Reasons[candidate.CallRefused]
	}
	if refused == 0 || ended.Failed > 0 {
		t.Errorf("%d requests count as refused, %d as failed", refused, ended.Failed)
	}
}

// An error of the data ends the run.
func TestBrokenLibrary(t *testing.T) {
	b := newBench(t)
	b.change = func(c *extractor.Config) { c.Library = brokenLibrary{b.library} }
	if _, err := b.run(all(8)); err == nil || !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("error %v", err)
	}
}

type brokenLibrary struct{ *library }

func (brokenLibrary) PageTexts(context.Context, string) ([]string, error) {
	return nil, fmt.Errorf("disk on fire")
}

// Everything written passes the redactor, and a resumed run writes the same.
func TestRedacted(t *testing.T) {
	b := newBench(t)
	b.change = func(c *extractor.Config) {
		c.Redact = func(raw []byte) []byte { return []byte(strings.ReplaceAll(string(raw), "Lapwing", "*******")) }
	}
	b.must(all(24))
	questions := b.file(candidate.QuestionsFile)
	if strings.Contains(questions, "Lapwing") {
		t.Error("a secret is in the questions")
	}
	b.must(all(24))
	if diff := cmp.Diff(questions, b.file(candidate.QuestionsFile)); diff != "" {
		t.Errorf("the second run (-first +second):\n%s", diff)
	}
}

// A preview makes a few candidates of each category; the whole synthesis asks nothing again that the preview asked.
func TestPreview(t *testing.T) {
	testkit.OneGoroutine(t)
	direct := newBench(t)
	direct.must(all(16))
	b := newBench(t)
	b.change = func(c *extractor.Config) { c.Preview = true }
	var two []candidate.Quota
	for _, c := range candidate.Categories() {
		two = append(two, candidate.Quota{Category: c, Count: 2, Most: 2})
	}
	ended := b.must(two)
	accounted(t, b, ended)
	if ended.Candidates > 2*len(candidate.Categories()) {
		t.Errorf("%d candidates", ended.Candidates)
	}
	b.change = nil
	accounted(t, b, b.must(all(16)))
	if diff := cmp.Diff(direct.file(candidate.QuestionsFile), b.file(candidate.QuestionsFile)); diff != "" {
		t.Errorf("questions (-direct +after a preview):\n%s", diff)
	}
	if seen := counted(t, b); seen != int(b.model.calls.Load()) {
		t.Errorf("%d calls for %d replies", b.model.calls.Load(), seen)
	}
}

// counted counts the distinct replies of a directory.
func counted(t *testing.T, b *bench) int {
	t.Helper()
	keys := make(map[string]bool)
	for line := range strings.Lines(b.file("replies/replies.jsonl")) {
		var reply struct{ Key string }
		if err := json.Unmarshal([]byte(line), &reply); err != nil {
			t.Fatal(err)
		}
		if keys[reply.Key] {
			t.Errorf("reply %s was paid twice", reply.Key)
		}
		keys[reply.Key] = true
	}
	return len(keys)
}
