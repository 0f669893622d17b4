package viewer_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"airqa/internal/testkit/recordtest"
	"airqa/qa"
	"airqa/runlog"
	"airqa/trace"
	"airqa/viewer"
)

// The first page of a long run has the causes of the rows that it shows. Its counts follow.
func TestCausesFollow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	recordtest.Make(t, recordtest.Config{
		Dir: dir, Baseline: "agentic-hybrid", Settings: qa.DefaultSettings(), Questions: 30, Repeats: 10, Seed: 6, Scored: true,
	})
	scoring, scores, err := runlog.ReadScores(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range scores {
		scores[i].Verdict = qa.Wrong
	}
	if err := runlog.WriteScores(dir, scoring, scores, nil); err != nil {
		t.Fatal(err)
	}
	lazy, err := trace.OpenLazy(t.Context(), []string{dir}, trace.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	const notice = "wrong answers are being computed"
	_, first := get(t, start(t, lazy).URL)
	_, whole := get(t, serve(t, dir).URL)
	cell, link := regexp.MustCompile(`<td class="c-cause">\w`), regexp.MustCompile(`[?;]cause=\w`)
	cells := func(page string) int { return len(cell.FindAllString(page, -1)) }
	links := func(page string) int { return len(link.FindAllString(page, -1)) }
	if !strings.Contains(first, notice) || strings.Contains(whole, notice) || cells(first) == 0 || cells(first) != cells(whole) || links(first) > 0 {
		t.Errorf("the first page has %d rows and %d links, a later one %d and %d", cells(first), links(first), cells(whole), links(whole))
	}
	on, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := viewer.New(viewer.Config{Library: lazy, Host: "127.0.0.1", Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, on) }()
	page := first
	for end := time.Now().Add(time.Minute); strings.Contains(page, notice) && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		_, page = get(t, server.Address(on.Addr()))
	}
	if strings.Contains(page, notice) || links(page) == 0 || links(page) != links(whole) {
		t.Errorf("%d links to causes in the end, want %d", links(page), links(whole))
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
