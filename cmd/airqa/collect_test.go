package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// talker is a participant without a browser.
type talker struct {
	t       *testing.T
	client  *http.Client
	address string
	page    string
}

func (p *talker) ask(method, path string, form url.Values) (int, string) {
	p.t.Helper()
	if form != nil {
		form.Set("csrf", regexp.MustCompile(`name="csrf" content="([^"]+)"`).FindStringSubmatch(p.page)[1])
	}
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.address+path, strings.NewReader(form.Encode()))
	if err != nil {
		p.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", p.address)
	}
	reply, err := p.client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	raw, err := io.ReadAll(reply.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return reply.StatusCode, string(raw)
}

// sees reads the page until it has a text.
func (p *talker) sees(text string) {
	p.t.Helper()
	for range 200 {
		if _, p.page = p.ask("GET", "/", nil); strings.Contains(p.page, text) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	p.t.Fatalf("no %q on the page:\n%s", text, p.page)
}

// follows keeps the stream of the page open until the test ends.
func (p *talker) follows() {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), "GET", p.address+"/events", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	reply, err := p.client.Do(r)
	if err != nil || reply.StatusCode != http.StatusOK {
		p.t.Fatalf("events: %v", err)
	}
	p.t.Cleanup(func() { _ = reply.Body.Close() })
}

func talkerOf(t *testing.T, address, code string) *talker {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &talker{t: t, client: &http.Client{Jar: jar}, address: address}
	p.sees("authentication code")
	if code, page := p.ask("POST", "/enter", url.Values{"code": {code}}); code != http.StatusOK || !strings.Contains(page, "Quiet Attention") {
		t.Fatalf("enter: %d\n%s", code, page)
	}
	p.follows()
	return p
}

// The server prints its address, applies the limits of the flags, logs no code, and ends with Ctrl-C; the same command
// resumes.
func TestCollect(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"p.csv":       "name,code\nAda,ada-secret-1\nBen,ben-secret-2\n",
		"papers.json": `[{"title": "Quiet Attention", "abstract": "Heads attend to nothing.", "introduction": "A gate learns it."}]`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	address, log, stop := startCollect(t, dir)
	ada := talkerOf(t, address, "ada-secret-1")
	ben := talkerOf(t, address, "ben-secret-2")
	ada.sees("possible after 1 turn")
	ada.sees("The dialogue ends in 30 min.") // --total-time, --notices
	if !regexp.MustCompile(`data-left="1[34]\d{5}"`).MatchString(ada.page) {
		t.Errorf("--message-time 25m: %s", regexp.MustCompile(`data-left="\d+"`).FindString(ada.page))
	}
	if code, text := ada.ask("POST", "/send", url.Values{"dialogue": {"1"}, "n": {"0"}, "text": {"Why?"}}); code != http.StatusNoContent {
		t.Fatalf("%d %s", code, text)
	}
	stop()
	next, nextLog, stop := startCollect(t, dir)
	ben.address = next
	ben.sees("Why?")
	if code, text := ben.ask("POST", "/send", url.Values{"dialogue": {"1"}, "n": {"1"}, "text": {"So."}, "fact": {"1"}}); code != http.StatusNoContent {
		t.Fatalf("%d %s", code, text)
	}
	ben.sees("this was the last turn")
	stop()
	if text := log.String() + nextLog.String(); strings.Contains(text, "secret") {
		t.Errorf("a code is in the log:\n%s", text)
	}
	out, code := separate(t, nil, "bench", "collect", "--out", filepath.Join(dir, "study"), "--export", filepath.Join(dir, "data"))
	if code != 0 || !strings.Contains(out, "1 dialogue with 1 turn about 1 paper, 0 incomplete") {
		t.Errorf("export: %d, %s", code, out)
	}
}

// startCollect starts the server of a study. stop sends Ctrl-C and waits.
func startCollect(t *testing.T, dir string) (address string, log *bytes.Buffer, stop func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	log = new(bytes.Buffer)
	server, address := startServer(ctx, t, log, "bench", "collect", "-v", "--participants", filepath.Join(dir, "p.csv"), "--papers", filepath.Join(dir, "papers.json"),
		"--out", filepath.Join(dir, "study"), "--listen", "127.0.0.1:0", "--pair", "Ada,Ben", "--paper", "Quiet Attention",
		"--min-turns", "1", "--max-turns", "1", "--message-time", "25m", "--total-time", "30m", "--notices", "1ns")
	return strings.TrimSuffix(address, "/"), log, func() {
		t.Helper()
		if err := server.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if err := server.Wait(); err != nil {
			t.Errorf("after Ctrl-C: %v\n%s", err, log)
		}
	}
}
