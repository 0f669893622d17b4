package viewer_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"airqa/internal/testkit/golden"
	"airqa/internal/testkit/viewertest"
	"airqa/report"
	"airqa/trace"
	"airqa/viewer"
)

// site is the site of the runs of viewertest.
func site(t *testing.T) (s *viewer.Site, folder string) {
	t.Helper()
	folder = viewertest.Folder(t)
	l, err := trace.Open(t.Context(), []string{folder}, trace.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	numbers := func(r *trace.Run) (report.Row, bool, error) {
		examples, err := r.Questions()
		if err != nil {
			t.Fatal(err)
		}
		row, err := report.Collect(r.Log, examples, report.Options{Intervals: report.WilsonIntervals})
		return row, true, err
	}
	written := func(r *trace.Run) (*trace.NoteFile, error) {
		f, err := trace.OpenNotes(r.Name, trace.NoteConfig{Author: "someone", Now: func() time.Time { return viewertest.Clock }})
		if err == nil {
			t.Cleanup(func() { _ = f.Close() })
		}
		return f, err
	}
	return viewer.NewSite(l, viewer.SiteConfig{Version: 1, PageConfig: viewer.PageConfig{CSRF: "token", Notes: written}, Numbers: numbers}), folder
}

var hashes = regexp.MustCompile(`\.[0-9a-f]{16}\.(js|css)`)

var mainPart = regexp.MustCompile(`(?s)<main id="main" tabindex="-1">\n(.*)</main>`)

// pageParts splits a page into its content and the frame around it, without the names of assets and the folder.
func pageParts(t *testing.T, html, folder string) (content, frame string) {
	t.Helper()
	html = strings.ReplaceAll(hashes.ReplaceAllString(html, ".HASH.$1"), folder, "FOLDER")
	m := mainPart.FindStringSubmatch(html)
	if m == nil {
		t.Fatalf("the page has no content: %s", html)
	}
	return merged(m[1]), mainPart.ReplaceAllString(html, "CONTENT")
}

// merged has one line for several equal ones, and their number.
func merged(text string) string {
	var b strings.Builder
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); {
		n := 1
		for i+n < len(lines) && lines[i+n] == lines[i] {
			n++
		}
		b.WriteString(lines[i] + "\n")
		if n > 1 {
			fmt.Fprintf(&b, "(%d times)\n", n)
		}
		i += n
	}
	return b.String()
}

// TestPages compares the content of each page, but for the names of assets and the folder, and the frame of one of them.
func TestPages(t *testing.T) {
	s, folder := site(t)
	parse := func(query string) url.Values {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	pages := map[string]func(context.Context, io.Writer) error{
		"overview.html": func(ctx context.Context, w io.Writer) error { return s.Overview(ctx, w, nil) },
		"filtered.html": func(ctx context.Context, w io.Writer) error {
			return s.Overview(ctx, w, parse("status=wrong&run=beta&sort=-tokens"))
		},
		"nothing.html": func(ctx context.Context, w io.Writer) error { return s.Overview(ctx, w, parse("status=damaged")) },
		"wrong.html": func(ctx context.Context, w io.Writer) error {
			return s.Episode(ctx, w, "beta", viewertest.WrongID+"#1", parse("status=wrong"))
		},
		"matrix.html": func(ctx context.Context, w io.Writer) error { return s.Matrix(ctx, w, nil) },
		"diff.html": func(ctx context.Context, w io.Writer) error {
			return s.Diff(ctx, w, url.Values{"cell": {"alpha/" + viewertest.WrongID + "#0", "beta/" + viewertest.RightID + "#1"}})
		},
		"triage.html": func(ctx context.Context, w io.Writer) error { return s.Triage(ctx, w, nil) },
		"search.html": func(ctx context.Context, w io.Writer) error { return s.Search(ctx, w, parse("q=above")) },
	}
	for name, write := range pages {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := write(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
			content, frame := pageParts(t, b.String(), folder)
			if name == "overview.html" {
				golden.Check(t, "frame.html", frame)
			}
			if name == "triage.html" { // the page of the answer below the form is that of wrong.html
				form, answer, found := strings.Cut(content, `<h1 class="question">`)
				_, command, hasCommand := strings.Cut(answer, `<p class="command">`)
				if !found || !hasCommand {
					t.Fatal("the page has no answer below its form, or no command")
				}
				content = form + command
			}
			golden.Check(t, name, content)
		})
	}
}

// The counts of the overview are those of the report.
func TestCountsAreThoseOfTheReport(t *testing.T) {
	s, _ := site(t)
	for _, r := range s.Library.Runs {
		row, _, err := s.Numbers(r)
		if err != nil {
			t.Fatal(err)
		}
		n := map[string]int{}
		for _, w := range r.Rows {
			n[string(w.Status)]++
		}
		for _, o := range row.Outcomes {
			if o.Name == "right" || o.Name == "wrong" {
				if n[o.Name] != o.Episodes {
					t.Errorf("%s: %d episodes %s, and %d in the report", r.Name, n[o.Name], o.Name, o.Episodes)
				}
			}
		}
	}
}
