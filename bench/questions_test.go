package bench_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/bench"
	"airqa/env"
	"airqa/prompts"
	"airqa/qa"
	"airqa/tools"
)

func benchmark(kind qa.Kind) *bench.Dataset {
	b := &bench.Dataset{
		Name: "invented",
		Documents: []bench.Document{
			{ID: "31", Title: "Tables of Tides", Abstract: "We list tides.", Units: []bench.Unit{
				{ID: "p1", Section: "Introduction", Text: "Tides rise twice a day."},
				{ID: "p2", Section: "Introduction"},
				{ID: "p3", Section: "Method", Text: "We hang a rope from the pier."},
			}},
			{ID: "7", Title: "Ropes", Abstract: "We hang ropes."},
		},
		Items: []bench.Item{{
			Example: qa.Example{UUID: "i1", Question: "How are tides measured?", Kind: kind, History: []qa.Utterance{
				{Role: qa.User, Text: "Hi"}, {Role: qa.Assistant, Text: "Hello", Rationales: []string{"r"}},
			}},
			Document: "31", Gold: bench.Gold{Answers: []bench.GoldAnswer{{Text: "SECRET", Units: []string{"p3"}}}},
		}},
	}
	if kind == qa.Rank {
		b.Items[0].Document, b.Items[0].Pool = "", []string{"31", "7"}
	}
	return b
}

func TestQuestions(t *testing.T) {
	b := benchmark(qa.Dialogue)
	for _, tt := range []struct {
		c        bench.Config
		context  string
		messages int
		rational int
	}{
		{bench.Config{History: prompts.NoHistory}, "", 0, 0},
		{bench.Config{History: prompts.HistoryMessages, Context: bench.Introduction}, "[p1] Tides rise twice a day.", 2, 0},
		{bench.Config{History: prompts.HistoryRationales, Context: bench.Oracle}, "[p3] We hang a rope from the pier.", 2, 1},
	} {
		list, err := bench.Questions(b, tt.c)
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		ex := list[0]
		rationales := 0
		for _, u := range ex.History {
			rationales += len(u.Rationales)
		}
		if ex.Context != tt.context || len(ex.History) != tt.messages || rationales != tt.rational {
			t.Errorf("%+v: %+v", tt.c, ex)
		}
		if diff := cmp.Diff([]string{bench.PaperID("invented", "31")}, ex.AnchorPDF); diff != "" || ex.AnswerFormat == "" {
			t.Errorf("%q, %s", ex.AnswerFormat, diff)
		}
	}
	b.Items = append(b.Items, b.Items[0])
	if _, err := bench.Questions(b, bench.Config{}); err == nil || !strings.Contains(err.Error(), "i1") {
		t.Errorf("two items with one id: %v", err)
	}
	if _, err := bench.Questions(benchmark(qa.Rank), bench.Config{Context: "all"}); err == nil {
		t.Error("an unknown context")
	}
}

// What is found names the ids of evidence and rankings. A second filling adds nothing.
func TestFill(t *testing.T) {
	for kind, want := range map[qa.Kind]string{qa.WithEvidence: "[p3] We hang a rope", qa.Rank: "[31] Tables of Tides"} {
		dir := filepath.Join(t.TempDir(), "data")
		for range 2 {
			fill(t, benchmark(kind), dir)
		}
		world, err := env.Open(t.Context(), env.Config{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		id := bench.PaperID("invented", "31")
		hits, err := world.Retrieve(t.Context(), "tides rope pier", 5, tools.Scope{Papers: []string{id}, Bounded: true})
		if err != nil || len(hits) == 0 {
			t.Fatal(hits, err)
		}
		found := false
		for _, h := range hits {
			found = found || strings.HasPrefix(h.Text, want)
		}
		if !found {
			t.Errorf("%s: no passage %q in %+v", kind, want, hits)
		}
		m, err := world.Paper(t.Context(), id)
		if err != nil || strings.HasPrefix(m.Title, "[31] ") != (kind == qa.Rank) {
			t.Errorf("%s: title %q, %v", kind, m.Title, err)
		}
		pages, err := world.PageTexts(t.Context(), id)
		if text := strings.Join(pages, "\n"); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %q, %v", kind, text, err)
		}
		if err := world.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func fill(t *testing.T, b *bench.Dataset, dir string) {
	t.Helper()
	w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	done := 0
	if err := bench.Fill(t.Context(), b, w, func(n, total int) { done = n * 100 / total }); err != nil || done != 100 {
		t.Fatal(done, err)
	}
	if err := w.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
}
