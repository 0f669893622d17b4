package synthesis

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"airqa/env"
	"airqa/extractor/candidate"
	"airqa/extractor/gate"
	"airqa/extractor/review"
	"airqa/internal/atomicfile"
	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/llm/cache"
	"airqa/run/session"
	"airqa/runlog"
)

// Reviewing selects a review of accepted questions. Its fields are flags.
type Reviewing struct {
	Syn        string `arg:"" name:"syn" help:"Directory of the synthesis."`
	Sample     int    `default:"50" placeholder:"N" help:"Number of questions to review, from every category."`
	SampleSeed uint64 `name:"sample-seed" default:"2024" placeholder:"SEED" help:"Seed of the sample."`
	Out        string `names:"output" short:"o" placeholder:"FILE" help:"Review file for a text editor. Default: SYN/review.jsonl."`
	HTML       string `names:"output" name:"html" placeholder:"FILE" help:"Review page for a browser. Default: SYN/review.html."`
	Apply      string `names:"input" placeholder:"FILE" help:"Apply the decisions of a review file."`
	Reviewer   string `placeholder:"NAME" help:"Reviewer of the decisions that name none."`
	Model      string `names:"model" short:"m" placeholder:"PROVIDER:NAME" help:"Model of the gates that check a fixed question. Default: that of the synthesis."`
	session.Endpoint
	SolveAgain int  `name:"solve-again" default:"2" placeholder:"K" help:"Independent answers of gate solved_again."`
	Pictures   bool `help:"Show figures to a model that airqa models does not list as accepting images."`
	Workers    int  `short:"j" default:"4" help:"Candidates at a time."`
	session.Budget
}

// reviewDPI is the resolution of the images on a review page.
const reviewDPI = 110

// DataDir is the data directory of the synthesis.
func (f Reviewing) DataDir() (string, error) {
	c, err := candidate.ReadSettings(f.Syn)
	return c.DataDir, err
}

// Environment is how a review opens its papers: only the gates search.
func (f Reviewing) Environment() env.Config {
	if f.Apply != "" {
		return env.Config{}
	}
	return env.Config{NoSearch: true, DPI: reviewDPI}
}

// Write writes the page and the review file for a sample, and returns a text for the user.
func (f Reviewing) Write(ctx context.Context, world *env.Env) (string, error) {
	if f.Sample < 1 {
		return "", exit.Misuse("--sample must be at least 1")
	}
	page, form := cmp.Or(f.HTML, filepath.Join(f.Syn, "review.html")), cmp.Or(f.Out, filepath.Join(f.Syn, "review.jsonl"))
	if err := unused(form); err != nil {
		return "", err
	}
	rows, err := review.Rows(f.Syn)
	if err != nil {
		return "", err
	}
	if len(rows) == 0 {
		return "", fmt.Errorf("%s has no questions; airqa synth why %s shows why", filepath.Join(f.Syn, candidate.QuestionsFile), f.Syn)
	}
	sample := review.Sample(rows, f.Sample, f.SampleSeed)
	titles, err := titlesOf(ctx, world)
	if err != nil {
		return "", err
	}
	var html bytes.Buffer
	c := review.PageConfig{Title: "Review of " + filepath.Base(filepath.Clean(f.Syn)), Viewer: world, Titles: titles, File: filepath.Base(form)}
	if err := review.Page(ctx, &html, sample, c); err != nil {
		return "", err
	}
	if err := atomicfile.WriteFile(page, html.Bytes()); err != nil {
		return "", err
	}
	if err := atomicfile.Write(form, func(w io.Writer) error { return review.WriteForm(w, sample) }); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s of %d: open %s in a browser, or edit %s\nThen: airqa synth review %s --apply %s",
		terminal.Plural(len(sample), "question"), len(rows), page, form, f.Syn, form), nil
}

// unused refuses to replace a review file that has decisions.
func unused(path string) error {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	entries, err := review.Read(path)
	if err != nil {
		return exit.Misuse("%w; choose another --out", err)
	}
	for _, e := range entries {
		if e.Decision != "" {
			return exit.Misuse("%s has decisions; apply or move it, or choose another --out", path)
		}
	}
	return nil
}

func titlesOf(ctx context.Context, world *env.Env) (map[string]string, error) {
	papers, err := world.Papers(ctx)
	titles := make(map[string]string, len(papers))
	for _, p := range papers {
		titles[p.PaperID] = p.Title
	}
	return titles, err
}

// Run applies the decisions of a review file: it records them, checks fixed questions with the gates, and writes the
// questions again. It returns a text for the user.
func (f Reviewing) Run(ctx context.Context, s session.Session, world *env.Env, data string) (text string, err error) {
	entries, err := review.Read(f.Apply)
	if err != nil {
		return "", exit.With(exit.Usage, err)
	}
	m, err := f.open(ctx, s, world)
	if err != nil {
		return "", err
	}
	ledger, err := candidate.OpenLedger(f.Syn, s.Redact)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()
	applied, err := review.Record(f.Syn, ledger, entries, f.Reviewer, s.Now())
	if err != nil {
		return "", exit.With(exit.Usage, fmt.Errorf("%s: nothing was applied:\n%w", f.Apply, err))
	}
	if err := m.settle(data); err != nil {
		return "", err
	}
	store, err := cache.Open(filepath.Join(f.Syn, candidate.RepliesDir), cache.Config{Redact: s.Redact, Now: s.Now})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	c := m.config()
	c.Ledger, c.ReviewOnly = ledger, true
	closeModel, err := m.connect(&c, store)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, closeModel()) }()
	ended, err := m.make(c)
	if err != nil {
		return "", err
	}
	text, err = f.text(ledger, entries, applied)
	if err == nil && ended.Stopped {
		err = fmt.Errorf("stopped: %s; the same command resumes", cmp.Or(ended.Suspended, ended.Failure, "interrupted"))
	}
	return text, err
}

// open opens the synthesis with the settings of synth.json.
func (f Reviewing) open(ctx context.Context, s session.Session, world *env.Env) (*making, error) {
	old, err := candidate.ReadSettings(f.Syn)
	if err != nil {
		return nil, err
	}
	settings := Making{
		Model: cmp.Or(f.Model, runlog.SpecOf(old.Model)), Endpoint: f.Endpoint, Out: f.Syn, Count: 1, DrawSeed: old.Seed,
		SolveAgain: f.SolveAgain, Pictures: f.Pictures, Workers: f.Workers, Resume: "if-possible", Budget: f.Budget,
	}
	for _, q := range old.Quotas {
		settings.Categories = append(settings.Categories, string(q.Category))
	}
	m, err := settings.open(ctx, s, world)
	if err != nil {
		return nil, err
	}
	m.quotas = old.Quotas
	m.gates, err = gate.Select(old.Gates, nil)
	if old.Preview {
		m.Preview = 1
	}
	return m, err
}

// text prints what became of the decisions, and the sum of all reviews.
func (f Reviewing) text(ledger *candidate.Ledger, entries []review.Entry, a review.Applied) (string, error) {
	var b strings.Builder
	_, _ = fmt.Fprintf(&b, "%d accepted, %d fixed, %d rejected, %d unchanged, %d open\n", a.Accepted, a.Fixed, a.Rejected, a.Unchanged, a.Open)
	for _, e := range entries {
		if e.Decision != candidate.Fix {
			continue
		}
		line, _, err := ledger.Get(e.Candidate, candidate.Accept)
		if err != nil {
			return "", err
		}
		_, _ = fmt.Fprintf(&b, "%s: the fixed question is %s", e.Candidate, line.Outcome)
		if line.Reason != "" {
			_, _ = fmt.Fprintf(&b, " (%s) %s", line.Reason, line.Detail)
		}
		b.WriteByte('\n')
	}
	s, err := review.Summarize(f.Syn)
	if err != nil {
		return "", err
	}
	_, _ = fmt.Fprintf(&b, "%s: %d accepted as they were, %d fixed, %d rejected; agreement %.0f %% (95 %% interval %.0f to %.0f)",
		terminal.Plural(s.Reviewed, "reviewed question"), s.Accepted, s.Fixed, s.Rejected, 100*s.Agreement, 100*s.Interval.Low, 100*s.Interval.High)
	if s.Twice > 0 {
		_, _ = fmt.Fprintf(&b, "; of %d with several reviewers, all agree on %d", s.Twice, s.Same)
	}
	return b.String(), nil
}
