package main

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"airqa/internal/testkit/viewertest"
	"airqa/runlog"
	"airqa/trace"
)

// The server prints its address, answers there, and Ctrl-C ends it with exit code 0.
func TestView(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	view, address := startServer(ctx, t, os.Stderr, "view", viewertest.Folder(t), "--data", ingested(t), "--listen", "127.0.0.1:0", "--no-open")
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	body, err := io.ReadAll(reply.Body)
	if err != nil || !strings.Contains(string(body), "15 episodes") {
		t.Errorf("%v, %.200s", err, body)
	}
	if err := view.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := view.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
}

// Titles come from the data directory that is named, and otherwise from one inside of this folder: a run of someone else does
// not choose what is opened.
func TestViewTitles(t *testing.T) {
	const paper = "484197f1-1997-5f33-b56c-5306eb27d631"
	data := ingested(t)
	of := func(dir string) *trace.Library {
		config := runlog.Config{Note: runlog.Note{DataDir: dir}}
		return &trace.Library{Runs: []*trace.Run{{Log: &runlog.Run{Config: config}}}}
	}
	t.Chdir(filepath.Dir(data))
	for _, tt := range []struct {
		name, given, recorded string
		found                 bool
	}{
		{"given", data, "", true},
		{"inside", "", filepath.Base(data), true},
		{"outside", "", data, false},
		{"none", "", "", false},
		{"gone", "", "nowhere", false},
	} {
		title := viewCmd{Data: tt.given}.papers(t.Context(), slog.New(slog.DiscardHandler), of(tt.recorded))(paper).Title
		if strings.HasPrefix(title, "LumenParse") != tt.found {
			t.Errorf("%s: %q", tt.name, title)
		}
	}
}

// startServer starts the program and returns the address that is its first line on standard output. errs gets standard error;
// nil discards it.
func startServer(ctx context.Context, tb testing.TB, errs io.Writer, args ...string) (program *exec.Cmd, address string) {
	tb.Helper()
	program = exec.CommandContext(ctx, os.Args[0], args...)
	program.Env = append(os.Environ(), asProgram+"=1")
	out, err := program.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	program.Stderr = errs
	if err := program.Start(); err != nil {
		tb.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		tb.Fatalf("%v\n%v", err, errs)
	}
	return program, strings.TrimSpace(line)
}
