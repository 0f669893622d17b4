package viewer_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"airqa/internal/testkit/viewertest"
	"airqa/trace"
	"airqa/trace/cause"
	"airqa/viewer"
)

var (
	shownEpisode = regexp.MustCompile(`name="episode" value="([^"]*)"><input type="hidden" name="of" value="([^"]*)"`)
	shownCount   = regexp.MustCompile(`Triage: (\d+ of \d+)`)
)

// queue is the triage queue of the runs of viewertest.
type queue struct {
	t *testing.T
	s *viewer.Site
}

// shown returns the key of the answer on the page, and how many have a decision; "" at the end of the queue.
func (q queue) shown(query url.Values) (key, done string) {
	q.t.Helper()
	var b bytes.Buffer
	if err := q.s.Triage(q.t.Context(), &b, query); err != nil {
		q.t.Fatal(err)
	}
	m := shownEpisode.FindStringSubmatch(b.String())
	if m == nil {
		return "", ""
	}
	return m[2] + "/" + m[1], shownCount.FindStringSubmatch(b.String())[1]
}

func (q queue) notes(run string) *trace.NoteFile {
	q.t.Helper()
	r, err := q.s.Run(run)
	if err != nil {
		q.t.Fatal(err)
	}
	f, err := q.s.Notes(r)
	if err != nil {
		q.t.Fatal(err)
	}
	return f
}

func (q queue) decide(key string) {
	q.t.Helper()
	run, episode, _ := strings.Cut(key, "/")
	if err := q.notes(run).Decide(episode, cause.Codes()[0]); err != nil {
		q.t.Fatal(err)
	}
}

// The queue shows the first wrong answer without a decision, one that is named, or the next after one that is skipped.
func TestQueue(t *testing.T) {
	s, _ := site(t)
	q := queue{t, s}
	if address, err := s.Undo(t.Context(), nil); !errors.Is(err, viewer.ErrNothingToUndo) {
		t.Errorf("undone before any decision: %q, %v", address, err)
	}
	var keys []string
	for key, _ := q.shown(nil); key != ""; key, _ = q.shown(url.Values{"after": {key}}) {
		if keys = append(keys, key); len(keys) > 10 {
			t.Fatal("the queue does not end")
		}
	}
	if len(keys) < 3 {
		t.Fatalf("wrong answers %q", keys)
	}
	q.decide(keys[0])
	if key, done := q.shown(nil); key != keys[1] || done != fmt.Sprintf("1 of %d", len(keys)) {
		t.Errorf("after the first decision: %s, %s", key, done)
	}
	if key, _ := q.shown(url.Values{"show": {keys[0]}}); key != keys[0] {
		t.Errorf("named: %s, want %s", key, keys[0])
	}
	q.decide(keys[2])
	if key, _ := q.shown(url.Values{"after": {keys[1]}}); key == keys[2] {
		t.Errorf("the queue shows %s, which has a decision", key)
	}
	address, err := s.Undo(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(address)
	if err != nil || to.Path != "/triage" || to.Query().Get("show") == "" {
		t.Fatalf("undo leads to %s", address)
	}
	run, episode, _ := strings.Cut(to.Query().Get("show"), "/")
	if _, decided := q.notes(run).Decisions()[episode]; decided {
		t.Errorf("%s still has a decision", to.Query().Get("show"))
	}
	if _, done := q.shown(nil); done != fmt.Sprintf("1 of %d", len(keys)) {
		t.Errorf("after undo: %s", done)
	}
}

// Each episode of a question is compared with the next one in the order of the library, the last with the first.
func TestCompareWithNext(t *testing.T) {
	s, _ := site(t)
	var cells []string
	for _, w := range s.Library.Rows() {
		if w.UUID == viewertest.WrongID {
			cells = append(cells, filepath.Base(w.Run)+"/"+w.Episode)
		}
	}
	if len(cells) < 3 {
		t.Fatalf("episodes %q", cells)
	}
	for i, cell := range cells {
		run, episode, _ := strings.Cut(cell, "/")
		var b bytes.Buffer
		if err := s.Episode(t.Context(), &b, run, episode, nil); err != nil {
			t.Fatal(err)
		}
		want := "/diff?" + url.Values{"cell": {cell, cells[(i+1)%len(cells)]}}.Encode()
		if html := strings.ReplaceAll(b.String(), "&amp;", "&"); !strings.Contains(html, `id="compare" href="`+want+`"`) {
			t.Errorf("%s: no link %s in %s", cell, want, regexp.MustCompile(`id="compare"[^>]*`).FindString(html))
		}
	}
}

// Undo removes the decision that was made last, wherever its answer is in the queue, and "show" leads to that answer even
// beside "after".
func TestUndoNewest(t *testing.T) {
	s, _ := site(t)
	now := viewertest.Clock
	s.Notes = func(r *trace.Run) (*trace.NoteFile, error) {
		f, err := trace.OpenNotes(r.Name, trace.NoteConfig{Author: "someone", Now: func() time.Time { return now }})
		if err == nil {
			t.Cleanup(func() { _ = f.Close() })
		}
		return f, err
	}
	q := queue{t, s}
	first, _ := q.shown(nil)
	second, _ := q.shown(url.Values{"after": {first}})
	q.decide(second)
	now = now.Add(time.Minute)
	q.decide(first) // the newest is the first of the queue
	address, err := s.Undo(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(address)
	if err != nil || to.Query().Get("show") != first {
		t.Fatalf("undo leads to %s, want %s", address, first)
	}
	if key, done := q.shown(url.Values{"show": {first}, "after": {second}}); key != first || !strings.HasPrefix(done, "1 of ") {
		t.Errorf("shown %s, %s decided", key, done)
	}
	run, episode, _ := strings.Cut(second, "/")
	if _, decided := q.notes(run).Decisions()[episode]; !decided {
		t.Error("the older decision is gone")
	}
}
