package otlp

import (
	"errors"
	"fmt"
	"iter"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"airqa/internal/progress"
	"airqa/qa"
	"airqa/runlog"
	"airqa/train/redact"
	"airqa/train/windows"
)

// SchemaURL is the version of the semantic conventions for GenAI that the attributes follow: v0.1.0, the first release of
// its own, in development. It has retrievals, and the tokens of hidden reasoning.
const SchemaURL = "https://opentelemetry.io/schemas/gen-ai/0.1.0"

// Config describes which episodes to write.
type Config struct {
	// Runs are run directories, without folders of them.
	Runs []string
	// Scoring and Judge select scores as in [runlog.FindScores]; empty means any.
	Scoring, Judge string
	// RedactEmails redacts e-mail addresses outside of paper text as well.
	RedactEmails bool
	// Redact removes the secrets that are known; nil removes none.
	Redact func([]byte) []byte
	// Program is the version of airqa.
	Program string
	Notify  progress.Notify
	// Progress shows the progress; nil shows nothing.
	Progress *progress.Reporter
}

func (c Config) progress() *progress.Reporter {
	if c.Progress == nil {
		return progress.New(progress.Config{})
	}
	return c.Progress
}

// source is a run directory.
type source struct {
	*windows.Run
	scoring runlog.Scoring
	scores  map[string]*qa.Score // by episode
}

// open reads everything of a run directory but its episodes.
func (c Config) open(dir string) (*source, error) {
	r, err := runlog.Open(dir)
	if err != nil {
		return nil, err
	}
	run, err := windows.Open(r)
	if err != nil {
		return nil, err
	}
	scoring, scores, err := runlog.FindScores(dir, c.Scoring, c.Judge)
	if err != nil && !errors.Is(err, runlog.ErrNoScores) {
		return nil, err
	}
	return &source{Run: run, scoring: scoring, scores: qa.ByEpisode(scores)}, nil
}

// episodes yields the episodes of a run. A damaged one is left out with a warning.
func (c Config) episodes(s *source) iter.Seq2[Episode, error] {
	return func(yield func(Episode, error) bool) {
		for rec, err := range s.Episodes() {
			var damage *runlog.DamageError
			var missing *runlog.BlobError
			if errors.As(err, &damage) || errors.As(err, &missing) {
				c.Notify.Warnf("%s: episode %s is left out: %v", s.Dir, rec.Episode, err)
				continue
			}
			if err != nil {
				yield(Episode{}, fmt.Errorf("%s: %w", s.Dir, err))
				return
			}
			redaction := redact.Redactor{Known: c.Redact, Emails: c.RedactEmails}.Scope(rec.Messages)
			e := Episode{Run: s.Run, Recorded: rec, Score: s.scores[rec.Episode], Scoring: s.scoring, Edit: redaction.Message}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// packed returns spans with the description of the program that made them.
func (c Config) packed(spans []*tracepb.Span) *tracepb.ResourceSpans {
	var resource attributes
	resource.text("service.name", "airqa")
	resource.text("service.version", c.Program)
	return &tracepb.ResourceSpans{
		Resource:  &resourcepb.Resource{Attributes: resource},
		SchemaUrl: SchemaURL,
		ScopeSpans: []*tracepb.ScopeSpans{{
			Scope: &commonpb.InstrumentationScope{Name: "airqa", Version: c.Program}, Spans: spans, SchemaUrl: SchemaURL,
		}},
	}
}

// Summary counts what was written or sent.
type Summary struct{ Spans, Episodes int }
