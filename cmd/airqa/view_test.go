package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"airqa/internal/testkit/viewertest"
)

// The server prints its address, answers there, and Ctrl-C ends it with exit code 0.
func TestView(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	view := exec.CommandContext(ctx, os.Args[0], "view", viewertest.Folder(t), "--listen", "127.0.0.1:0", "--no-open")
	view.Env = append(os.Environ(), asProgram+"=1")
	out, err := view.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	view.Stderr = os.Stderr
	if err := view.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(line)
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
