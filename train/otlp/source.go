package otlp

import (
	"errors"
	"fmt"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/runlog"
	"airqa/train"
)

// SchemaURL is the version of the semantic conventions for GenAI that the attributes follow: v0.1.0, the first release of
// its own, in development. It has retrievals, and the tokens of hidden reasoning.
const SchemaURL = "https://opentelemetry.io/schemas/gen-ai/0.1.0"

// Config describes which episodes to write.
type Config struct {
	// Runs are run directories, without folders of them.
	Runs []string
	runlog.Choice
	// RedactEmails redacts e-mail addresses outside of paper text as well.
	RedactEmails bool
	// Redact removes the secrets that are known; nil removes none.
	Redact func([]byte) []byte
	// Program is the version of airqa.
	Program string
	Notify  terminal.Notify
	// Progress shows the progress; nil shows nothing.
	Progress *terminal.Progress
}

// each calls f with the spans of every episode. A damaged one is left out with a warning.
func (c Config) each(stage *terminal.Stage, f func([]*tracepb.Span) error) error {
	for i, dir := range c.Runs {
		stage.Set(i, dir)
		if err := c.run(dir, f); err != nil {
			return err
		}
	}
	return nil
}

func (c Config) run(dir string, f func([]*tracepb.Span) error) error {
	r, err := runlog.Open(dir)
	if err != nil {
		return err
	}
	run, err := train.OpenRun(r)
	if err != nil {
		return err
	}
	scoring, list, err := runlog.FindScores(dir, c.Choice)
	if err != nil && !errors.Is(err, runlog.ErrNoScores) {
		return err
	}
	scores := qa.ByEpisode(list)
	for rec, err := range run.Episodes() {
		var damage *runlog.DamageError
		var missing *runlog.BlobError
		if errors.As(err, &damage) || errors.As(err, &missing) {
			c.Notify.Warnf("%s: episode %s is left out: %v", dir, rec.Episode, err)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		redaction := train.Redactor{Known: c.Redact, Emails: c.RedactEmails}.Episode(rec.Messages)
		if err := f(spansOf(&maker{run: run, rec: rec, score: scores[rec.Episode], scoring: scoring, edit: redaction.Message})); err != nil {
			return err
		}
	}
	return nil
}

// packed returns spans with the description of the program that made them.
func (c Config) packed(spans []*tracepb.Span) *tracepb.ResourceSpans {
	var resource attributes
	resource.add("service.name", "airqa")
	resource.add("service.version", c.Program)
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
