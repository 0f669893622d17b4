package viewer_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"airqa/internal/testkit/golden"
	"airqa/internal/testkit/viewertest"
	"airqa/runlog"
	"airqa/trace"
	"airqa/viewer"
)

// library is the runs of viewertest.
func library(t *testing.T) *trace.Library {
	t.Helper()
	l, err := trace.Open(t.Context(), []string{viewertest.Folder(t)}, trace.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// episode reads an episode of a run by its name in addresses.
func episode(t *testing.T, l *trace.Library, run, name string) (viewer.Source, trace.Episode) {
	t.Helper()
	for r, n := range viewer.Names(l) {
		if n != run {
			continue
		}
		e, err := r.Episode(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return viewer.Source{Run: r, Name: n, PageConfig: viewer.PageConfig{CSRF: "token", Notes: func(r *trace.Run) (*trace.NoteFile, error) {
			f, err := trace.OpenNotes(r.Name, trace.NoteConfig{Author: "someone", Now: func() time.Time { return viewertest.Clock }})
			if err == nil {
				t.Cleanup(func() { _ = f.Close() })
			}
			return f, err
		}}}, e
	}
	t.Fatalf("no run %q", run)
	return viewer.Source{}, trace.Episode{}
}

// content is the page of an episode without the frame around it.
func content(t *testing.T, l *trace.Library, run, name, at string) string {
	t.Helper()
	s, e := episode(t, l, run, name)
	p := s.Page(e, at)
	p.Back = "/#episodes"
	var b bytes.Buffer
	if err := viewer.Templates().ExecuteTemplate(&b, "episode", p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestContent compares pages as a whole.
func TestContent(t *testing.T) {
	l := library(t)
	for name, tt := range map[string]struct{ episode, at string }{
		"right.html":  {viewertest.RightID + "#0", "steps.1.observation.text:26-37"},
		"failed.html": {viewertest.FailedID + "#0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := content(t, l, "alpha", tt.episode, tt.at)
			golden.Check(t, name, strings.ReplaceAll(text, filepath.Dir(l.Runs[0].Name), "FOLDER"))
		})
	}
}

// Every text has a name, and there is no other.
func TestText(t *testing.T) {
	_, e := episode(t, library(t), "alpha", viewertest.RightID+"#0")
	for name, want := range map[string]string{
		"messages.0.text": e.Traced.Messages[0].Text, "answer.text": e.Traced.Answer.Text, "steps.1.reply.text": e.Traced.Steps[0].Reply.Text,
		"steps.1.observation.text": e.Traced.Steps[0].Observation.Text, "evaluator.eval_kwargs": string(e.Traced.Evaluator.Kwargs),
	} {
		if got, err := viewer.Text(e, name); err != nil || got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "steps.0.reply.text", "steps.99.reply.text", "steps.-1.reply.text", "steps.1.nothing", "messages.-1.text", "messages.99999999999999999999.text"} {
		if got, err := viewer.Text(e, name); !errors.Is(err, viewer.ErrNoText) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// Every text of an episode is on its page, so that the browser finds it.
func TestPageHasAllTexts(t *testing.T) {
	text := content(t, library(t), "alpha", viewertest.WrongID+"#0", "")
	for _, part := range []string{
		"Which loss is used?", "A string", "You answer questions about papers.", "[Question]: as above", "I look.", "I reason.", "SELECT", "no such column",
		"a row of the result", "full result before it was cut", "Page 2 of the paper", "the focal loss of the second stage", "hinge", "rate limit", "row-1",
		"same action as step 2", `\u202e`, `\x1b[31m`, "�",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the page lacks %q", part)
		}
	}
}

// The part of a report in one file has the questions without keys, scripts and links to elsewhere, and each id once.
func TestPart(t *testing.T) {
	part, err := viewer.NewPart(t.Context(), library(t), viewer.PartConfig{
		Filter: trace.Filter{Status: []string{"right", "wrong"}}, Images: 100_000,
		Redact: runlog.Redactor([]string{"384 tokens", "<script>window"}, ""),
	})
	if err != nil {
		t.Fatal(err)
	}
	body := string(part.Body)
	for _, bad := range []string{"384 tokens", "<script", `href="/`, `action="`, "http://", "https://"} {
		if strings.Contains(body, bad) {
			t.Errorf("the part has %q", bad)
		}
	}
	for _, text := range []string{"[redacted]", "6 of 15 episodes", "data:image/png;base64,", "a row of the result", "no such column"} {
		if !strings.Contains(body, text) {
			t.Errorf("the part lacks %q", text)
		}
	}
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(`\bid="([^"]*)"`).FindAllStringSubmatch(body, -1) {
		if ids[m[1]] {
			t.Errorf("the id %s is there twice", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(body, -1) {
		if !ids[m[1]] {
			t.Errorf("no element %s", m[1])
		}
	}
	want := []string{"questions: 6 of 15 episodes (3 right, 3 wrong) with 24 steps", "page images: 3 inside"}
	for i, text := range want {
		if i >= len(part.Contents) || !strings.HasPrefix(part.Contents[i], text) {
			t.Errorf("contents %q, want %q", part.Contents, text)
		}
	}
}

// Pages are named by the numbers printed on them, if these are known.
func TestPageLabels(t *testing.T) {
	s, e := episode(t, library(t), "alpha", viewertest.WrongID+"#0")
	s.Label = func(_ string, page int) string { return strings.Repeat("x", page) }
	var names []string
	for _, step := range s.Page(e, "").Steps {
		for _, im := range step.Images {
			names = append(names, im.Alt)
		}
	}
	if text := strings.Join(names, "; "); !strings.Contains(text, "P. xx (page 2 of the file) of paper ") {
		t.Errorf("images: %q", text)
	}
}
