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
	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/runlog"
)

// ReviewDPI is the resolution of the images on a review page.
const ReviewDPI = 110

// ReviewFiles are the files that [WriteReview] writes for a sample of the accepted questions.
type ReviewFiles struct {
	// Page is for a browser, Form for a text editor.
	Page, Form string
	// Sample is the number of questions, from every category.
	Sample int
	Seed   uint64
}

// WriteReview writes the page and the review file for a sample of the questions in a directory. It returns the number of
// questions in the sample and of all.
func WriteReview(ctx context.Context, dir string, world *env.Env, f ReviewFiles) (sampled, all int, err error) {
	if err := refuseDecisions(f.Form); err != nil {
		return 0, 0, err
	}
	rows, err := review.Rows(dir)
	if err != nil {
		return 0, 0, err
	}
	if len(rows) == 0 {
		return 0, 0, fmt.Errorf("%s has no questions; airqa synth why %s shows why", filepath.Join(dir, candidate.QuestionsFile), dir)
	}
	sample := review.Sample(rows, f.Sample, f.Seed)
	var papers []string
	for _, row := range sample {
		for _, e := range row.Synth.Evidence {
			papers = append(papers, e.Paper)
		}
	}
	titles, err := world.Papers().Titles(ctx, papers)
	if err != nil {
		return 0, 0, err
	}
	var html bytes.Buffer
	c := review.PageConfig{
		Title: "Review of " + filepath.Base(filepath.Clean(dir)), Viewer: world, Titles: titles, File: filepath.Base(f.Form),
	}
	if err := review.Page(ctx, &html, sample, c); err != nil {
		return 0, 0, err
	}
	if err := files.WriteFile(f.Page, html.Bytes()); err != nil {
		return 0, 0, err
	}
	err = files.Write(f.Form, func(w io.Writer) error { return review.WriteForm(w, sample) })
	return len(sample), len(rows), err
}

// refuseDecisions refuses to replace a review file that has decisions.
func refuseDecisions(path string) error {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	entries, err := review.Read(path)
	if err != nil {
		return qa.Usagef("%w; choose another file", err)
	}
	for _, e := range entries {
		if e.Decision != "" {
			return qa.Usagef("%s has decisions; apply or move it, or choose another file", path)
		}
	}
	return nil
}

// ApplyReview applies the decisions of a review file: it records them, checks fixed questions with the gates, and writes
// the questions again. reviewer is the name for decisions that name none. Model, quotas and gates are those of the
// synthesis, unless the configuration names another model. It returns a text for the user, also with the error of an
// invocation that stopped.
func ApplyReview(ctx context.Context, c Config, file, reviewer string) (text string, err error) {
	entries, err := review.Read(file)
	if err != nil {
		return "", &qa.UsageError{Err: err}
	}
	inv, err := reopen(ctx, c)
	if err != nil {
		return "", err
	}
	ledger, err := candidate.OpenLedger(c.Dir, c.Session.Redact)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()
	applied, err := review.Record(c.Dir, ledger, entries, reviewer, c.Session.Now())
	if err != nil {
		return "", qa.Usagef("%s: nothing was applied:\n%w", file, err)
	}
	if err := inv.recordSettings(); err != nil {
		return "", err
	}
	p := inv.pipelineConfig()
	p.Ledger, p.ReviewOnly = ledger, true
	sum, err := inv.run(p)
	if err != nil {
		return "", err
	}
	text, err = reviewText(c.Dir, ledger, entries, applied)
	if err == nil && sum.Stopped {
		err = fmt.Errorf("stopped: %s; the same command resumes", cmp.Or(sum.Suspended, sum.Failure, "interrupted"))
	}
	return text, err
}

// reopen opens a synthesis with the settings of synth.json.
func reopen(ctx context.Context, c Config) (*invocation, error) {
	old, err := candidate.ReadSettings(c.Dir)
	if err != nil {
		return nil, err
	}
	c.Model, c.Count, c.Seed, c.Resume = cmp.Or(c.Model, runlog.SpecOf(old.Model)), 1, old.Seed, IfPossible
	for _, q := range old.Quotas {
		c.Categories = append(c.Categories, string(q.Category))
	}
	inv, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	inv.quotas = old.Quotas
	if old.Preview {
		inv.Preview = 1
	}
	inv.gates, err = gate.Select(old.Gates, nil)
	return inv, err
}

// reviewText prints what became of the decisions, and the sum of all reviews.
func reviewText(dir string, ledger *candidate.Ledger, entries []review.Entry, a review.Applied) (string, error) {
	var b strings.Builder
	_, _ = fmt.Fprintf(&b, "%d accepted, %d fixed, %d rejected, %d unchanged, %d open\n",
		a.Accepted, a.Fixed, a.Rejected, a.Unchanged, a.Open)
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
	s, err := review.Summarize(dir)
	if err != nil {
		return "", err
	}
	_, _ = fmt.Fprintf(&b, "%s: %d accepted as they were, %d fixed, %d rejected; agreement %.0f %% (95 %% interval %.0f to %.0f)",
		terminal.Plural(s.Reviewed, "reviewed question"), s.Accepted, s.Fixed, s.Rejected,
		100*s.Agreement, 100*s.Interval.Low, 100*s.Interval.High)
	if s.Twice > 0 {
		_, _ = fmt.Fprintf(&b, "; of %d with several reviewers, all agree on %d", s.Twice, s.Same)
	}
	return b.String(), nil
}
