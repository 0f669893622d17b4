package enrich_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/paperdb"
	"airqa/ingest/enrich"
	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run/budget"
)

// perPaper is the number of calls per paper of library: tldr, tags, two pages, one figure.
const perPaper = 5

// paper has two pages and a figure that need a summary, and a table and a section that are short.
func paper(title string) paperdb.Paper {
	id := qa.PaperUUID(title, "")
	p := paperdb.Paper{
		Metadata: paperdb.Metadata{PaperID: id, Title: title, Abstract: "About " + title + strings.Repeat(" and more", 9), NumPages: 2},
		File:     paperdb.File{SHA256: "sha of " + title, Parser: "1"},
	}
	for n := 1; n <= 2; n++ {
		p.Pages = append(p.Pages, paperdb.Page{ID: qa.PageUUID(id, n), Number: n, Content: fmt.Sprintf("Page %d of %s%s", n, title, strings.Repeat(" text", 20))})
	}
	page := p.Pages[0].ID
	p.Images = []paperdb.Image{{ID: qa.PartUUID(id, 1, "image", 1), Caption: "Figure 1: " + title + strings.Repeat(" parts", 10), PageID: page}}
	p.Tables = []paperdb.Table{{ID: qa.PartUUID(id, 1, "table", 1), Caption: "Table 1", PageID: page}}
	p.Sections = []paperdb.Section{{ID: qa.SectionUUID(id, 0), Title: "1 End", Content: "We end."}}
	return p
}

// library makes a database of n papers.
func library(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	w, err := paperdb.OpenWriter(t.Context(), filepath.Join(dir, "papers.duckdb"))
	check(t, err)
	for i := range n {
		check(t, w.Put(t.Context(), paper(fmt.Sprintf("Paper %d", i+1))))
	}
	check(t, w.Close())
	return dir
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// answers replies with keywords, or with a text that names the request and its paper.
func answers(messages []openaitest.Message) string {
	text := messages[0].Text
	_, title, _ := strings.Cut(text, "itle")
	title = strings.TrimPrefix(strings.TrimPrefix(title, " of the paper"), ": ")
	title, _, _ = strings.Cut(title, "\n")
	for words, kind := range map[string]string{"short version": "TLDR", "one page": "Page", "a figure": "Figure"} {
		if strings.Contains(text, words) {
			return kind + " of " + title + "."
		}
	}
	return "alpha, beta, gamma, delta, epsilon"
}

func endpoint(t *testing.T, c openaitest.Config) *openaitest.Server {
	t.Helper()
	if c.Reply == nil {
		c.Reply = answers
	}
	s := openaitest.New(c)
	t.Cleanup(s.Close)
	return s
}

// work is one run of the program: ask, then apply.
type work struct {
	asked   enrich.Asked
	applied enrich.Applied
	err     error
}

// metered is a model with a limit of tokens; 0 is unlimited.
func metered(t *testing.T, url string, limit int) qa.Model {
	t.Helper()
	model, err := llm.Open(llm.Config{Spec: "openai:m", Access: llm.Access{BaseURL: url}, MaxRetries: -1})
	check(t, err)
	meter, err := budget.NewMeter(budget.Config{
		Model: model, Account: budget.NewAccount(budget.Limits{Tokens: limit}, budget.Spent{}, nil), Forecast: llm.Forecast(300),
	})
	check(t, err)
	return meter
}

// kept is a model that keeps its replies in a data directory, as openai:NAME.
func kept(t *testing.T, dir, name string, asked qa.Model) *cache.Model {
	t.Helper()
	store, err := cache.Open(filepath.Join(dir, cache.Folder), cache.Config{Exclusive: true})
	check(t, err)
	t.Cleanup(func() { _ = store.Close() })
	return &cache.Model{Store: store, Model: asked, Name: "openai:" + name, Endpoint: map[string]any{"model": name}}
}

func run(ctx context.Context, t *testing.T, dir, url string, cfg enrich.Config) (w work) {
	t.Helper()
	return runWith(ctx, t, dir, metered(t, url, 0), "m", cfg)
}

// runWith is run with a model, known as name.
func runWith(ctx context.Context, t *testing.T, dir string, asked qa.Model, name string, cfg enrich.Config) (w work) {
	t.Helper()
	model := kept(t, dir, name, asked)
	defer func() { check(t, model.Store.Close()) }()
	cfg.Model = model
	e, err := enrich.New(cfg)
	check(t, err)
	r, err := paperdb.OpenReader(t.Context(), paperdb.Config{Path: filepath.Join(dir, "papers.duckdb")})
	check(t, err)
	w.asked, w.err = e.Ask(ctx, r)
	check(t, r.Close())
	store, err := paperdb.OpenWriter(t.Context(), filepath.Join(dir, "papers.duckdb"))
	check(t, err)
	defer func() { check(t, store.Close()) }()
	w.applied, err = e.Apply(t.Context(), store)
	check(t, err)
	return w
}

func enrichable(t *testing.T, dir string, n int) paperdb.Paper {
	t.Helper()
	r, err := paperdb.OpenReader(t.Context(), paperdb.Config{Path: filepath.Join(dir, "papers.duckdb")})
	check(t, err)
	defer func() { check(t, r.Close()) }()
	p, err := r.Enrichable(t.Context(), qa.PaperUUID(fmt.Sprintf("Paper %d", n), ""))
	check(t, err)
	return p
}

func TestEverything(t *testing.T) {
	dir, s := library(t, 3), endpoint(t, openaitest.Config{})
	w := run(t.Context(), t, dir, s.URL(), enrich.Config{})
	if w.err != nil || s.Calls() != 3*perPaper || w.applied.Cells != 3*7 || w.applied.Papers != 3 || w.applied.Open != 0 {
		t.Fatalf("%+v after %d calls", w, s.Calls())
	}
	p := enrichable(t, dir, 2)
	want := []string{"TLDR of Paper 2.", "alpha|beta|gamma|delta|epsilon", "Page of Paper 2.", "Page of Paper 2.", "We end.", "Figure of Paper 2.", "Table 1"}
	got := []string{
		p.Metadata.TLDR, strings.Join(p.Metadata.Tags, "|"), p.Pages[0].Summary, p.Pages[1].Summary,
		p.Sections[0].Summary, p.Images[0].Summary, p.Tables[0].Summary,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
	// Existing values are kept, even with another model.
	w = runWith(t.Context(), t, dir, metered(t, s.URL(), 0), "other", enrich.Config{})
	if w.err != nil || s.Calls() != 3*perPaper || w.applied.Cells != 0 {
		t.Errorf("the second time: %+v after %d calls", w, s.Calls())
	}
	// Again asks everything that this model was not asked, once.
	for range 2 {
		w = runWith(t.Context(), t, dir, metered(t, s.URL(), 0), "other", enrich.Config{Again: true, Fields: []enrich.Field{enrich.Tags}})
		if w.err != nil || s.Calls() != 3*perPaper+3 {
			t.Errorf("again: %+v after %d calls", w, s.Calls())
		}
	}
}

func TestBudget(t *testing.T) {
	tests := []struct {
		name                string
		maxCalls, maxTokens int
		calls, spent        int
	}{
		{"calls", 4, 0, 4, 4 * 110},
		{"tokens", 0, 1500, 0, 1500},
		{"too few tokens for one call", 0, 10, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := library(t, 3)
			s := endpoint(t, openaitest.Config{Usage: &openaitest.Usage{Prompt: 100, Completion: 10}})
			w := runWith(t.Context(), t, dir, metered(t, s.URL(), tt.maxTokens), "m", enrich.Config{MaxCalls: tt.maxCalls})
			spent := w.asked.Usage.Prompt + w.asked.Usage.Completion
			if w.err != nil || !w.asked.BudgetReached || w.asked.Calls != s.Calls() || spent != 110*s.Calls() || spent > tt.spent || w.applied.Open == 0 {
				t.Errorf("%+v after %d calls", w, s.Calls())
			}
			if tt.calls > 0 && s.Calls() != tt.calls {
				t.Errorf("%d calls, want %d", s.Calls(), tt.calls)
			}
			before := s.Calls()
			w = run(t.Context(), t, dir, s.URL(), enrich.Config{})
			if w.err != nil || w.asked.BudgetReached || w.applied.Open != 0 || s.Calls() != 3*perPaper {
				t.Errorf("without a budget after %d calls: %+v after %d", before, w, s.Calls())
			}
		})
	}
}

// Invalid replies are counted but not stored, and are requested again.
func TestGarbage(t *testing.T) {
	dir := library(t, 2)
	s := endpoint(t, openaitest.Config{})
	s.Fail(openaitest.Body(200, "<html>"), openaitest.Status(500, "x", "y"), openaitest.Cut(), openaitest.Body(200, `{"choices":[]}`))
	w := run(t.Context(), t, dir, s.URL(), enrich.Config{Workers: 1})
	if w.err != nil || w.asked.Failed != 4 || w.asked.Calls != 2*perPaper || w.applied.Open != 4 || w.asked.FirstFailure == nil {
		t.Fatalf("%+v", w)
	}
	w = run(t.Context(), t, dir, s.URL(), enrich.Config{})
	if w.err != nil || w.asked.Calls != 4 || w.applied.Open != 0 {
		t.Errorf("the second time: %+v", w)
	}
}

// An unusable reply is paid for and kept, but its cell is asked for again by every later run, until a reply is usable.
func TestReplyThatIsNone(t *testing.T) {
	dir := library(t, 1)
	var usable atomic.Bool
	s := endpoint(t, openaitest.Config{Reply: func(messages []openaitest.Message) string {
		if usable.Load() {
			return answers(messages)
		}
		return "  \n"
	}})
	for i := range 2 {
		w := run(t.Context(), t, dir, s.URL(), enrich.Config{})
		if w.err != nil || w.asked.Failed != perPaper || w.asked.Usage.Prompt == 0 || w.applied.Open != perPaper || s.Calls() != (i+1)*perPaper {
			t.Errorf("run %d: %+v after %d calls", i+1, w, s.Calls())
		}
	}
	usable.Store(true)
	w := run(t.Context(), t, dir, s.URL(), enrich.Config{})
	if w.err != nil || w.asked.Failed != 0 || w.applied.Open != 0 || s.Calls() != 3*perPaper {
		t.Errorf("with usable replies: %+v after %d calls", w, s.Calls())
	}
	if w = run(t.Context(), t, dir, s.URL(), enrich.Config{Again: true}); w.asked.Known != perPaper || s.Calls() != 3*perPaper {
		t.Errorf("known replies: %+v after %d calls", w, s.Calls())
	}
}

// unwritten forgets every reply, as on a full disk.
type unwritten struct{ *cache.Model }

func (unwritten) Kept(qa.Request) (qa.Reply, bool, error) { return qa.Reply{}, false, nil }

// A reply that cannot be kept ends the run at once.
func TestReplyThatIsLost(t *testing.T) {
	dir, s := library(t, 2), endpoint(t, openaitest.Config{})
	e, err := enrich.New(enrich.Config{Model: unwritten{kept(t, dir, "m", metered(t, s.URL(), 0))}, Workers: 1})
	check(t, err)
	r, err := paperdb.OpenReader(t.Context(), paperdb.Config{Path: filepath.Join(dir, "papers.duckdb")})
	check(t, err)
	defer func() { check(t, r.Close()) }()
	if _, err := e.Ask(t.Context(), r); err == nil || !strings.Contains(err.Error(), "a reply is lost") || s.Calls() > 2 {
		t.Errorf("%v after %d calls", err, s.Calls())
	}
}

func TestEndpointThatRefuses(t *testing.T) {
	dir := library(t, 9)
	s := endpoint(t, openaitest.Config{Key: "another"})
	w := run(t.Context(), t, dir, s.URL(), enrich.Config{})
	if w.err == nil || !strings.Contains(w.err.Error(), "failed 10 times in a row") || s.Calls() > 20 {
		t.Errorf("%v after %d calls", w.err, s.Calls())
	}
}

// The same text in two places is paid for once.
func TestSameQuestion(t *testing.T) {
	dir := t.TempDir()
	w, err := paperdb.OpenWriter(t.Context(), filepath.Join(dir, "papers.duckdb"))
	check(t, err)
	p := paper("Paper 1")
	p.Pages[1].Content = p.Pages[0].Content
	check(t, w.Put(t.Context(), p))
	check(t, w.Close())
	s := endpoint(t, openaitest.Config{})
	got := run(t.Context(), t, dir, s.URL(), enrich.Config{Fields: []enrich.Field{enrich.Pages}})
	if got.err != nil || s.Calls() != 1 || got.applied.Cells != 2 {
		t.Errorf("%+v after %d calls", got, s.Calls())
	}
}

func TestDrainAndCancel(t *testing.T) {
	dir := library(t, 4)
	drain := make(chan struct{})
	s := endpoint(t, openaitest.Config{})
	w := run(t.Context(), t, dir, s.URL(), enrich.Config{Workers: 1, Drain: drain, Progress: func(e enrich.Asked) {
		if e.Calls == 3 {
			select {
			case <-drain:
			default:
				close(drain)
			}
		}
	}})
	drained := s.Calls()
	if w.err != nil || !w.asked.Drained || drained < 3 || drained > 4 || w.applied.Cells == 0 {
		t.Errorf("%+v after %d calls", w, drained)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.Fail(openaitest.Hang(cancel))
	w = run(ctx, t, dir, s.URL(), enrich.Config{Workers: 1})
	if !errors.Is(w.err, context.Canceled) || w.asked.Failed != 0 {
		t.Errorf("%+v", w)
	}
	w = run(t.Context(), t, dir, s.URL(), enrich.Config{})
	if w.err != nil || w.applied.Open != 0 || s.Calls() != 4*perPaper+1 {
		t.Errorf("%+v after %d calls", w, s.Calls())
	}
}

func TestFields(t *testing.T) {
	got, err := enrich.ParseFields([]string{"tags", " Pages", "tags"})
	if diff := cmp.Diff([]enrich.Field{enrich.Tags, enrich.Pages}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err = enrich.ParseFields([]string{"chunks"}); err == nil || !strings.Contains(err.Error(), "tldr, tags, pages, sections, images, tables") {
		t.Errorf("error %v", err)
	}
}

func TestNew(t *testing.T) {
	if _, err := enrich.New(enrich.Config{}); err == nil {
		t.Error("no error without a model")
	}
}
