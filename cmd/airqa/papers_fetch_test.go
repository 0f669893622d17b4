package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"airqa/env/paperdb"
	"airqa/ingest/sources"
)

// fetchCase is a folder with the questions and the metadata of the papers of some servers.
type fetchCase struct {
	*paperSites
	dir string
}

func newFetchCase(t *testing.T, papers int) fetchCase {
	t.Helper()
	c := fetchCase{newPaperSites(t, papers), t.TempDir()}
	c.metadata(t, filepath.Join(c.dir, "metadata"))
	questions := []map[string]any{
		{"uuid": "q1", "question": "Which?", "tags": []string{"single"}, "anchor_pdf": []string{c.papers[5].id}},
		{"uuid": "q2", "question": "Which?", "tags": []string{"multiple"}, "anchor_pdf": []string{c.papers[5].id}, "reference_pdf": []string{c.papers[4].id, absent}},
		{"uuid": "q3", "question": "Which?", "tags": []string{"retrieval"}, "conference": []string{"xcon2031"}},
	}
	var lines strings.Builder
	for _, q := range questions {
		q["answer_format"], q["evaluator"] = "text", map[string]any{"eval_func": "eval_string_exact_match", "eval_kwargs": map[string]any{"gold": "x"}}
		raw, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(raw, '\n'))
	}
	if err := os.WriteFile(filepath.Join(c.dir, "q.jsonl"), []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

// absent is a paper without metadata.
const absent = "11111111-1111-4111-8111-111111111111"

// command runs airqa papers fetch.
func (c fetchCase) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	args = append([]string{"papers", "fetch", "--data", "data", "--questions", "q.jsonl", "--metadata", "metadata"}, args...)
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Dir, cmd.Env = c.dir, append(os.Environ(), asProgram+"=1")
	return cmd
}

// report runs the command to its end and returns its JSON, exit code and standard error.
func (c fetchCase) report(t *testing.T, args ...string) (r fetchReport, code int, errs string) {
	t.Helper()
	cmd := c.command(t, append(args, "--json")...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, stderr.String())
	}
	return r, cmd.ProcessState.ExitCode(), stderr.String()
}

// totals are the papers by state, such as "present 3, failed 1".
func totals(r fetchReport) string {
	var parts []string
	for _, n := range r.Papers {
		parts = append(parts, fmt.Sprintf("%s %d", n.State, n.Total))
	}
	return strings.Join(parts, ", ")
}

// recorded are the downloads of the ledger, as keys of paperSites.counts.
func (c fetchCase) recorded(t *testing.T) []string {
	t.Helper()
	file, err := os.Open(filepath.Join(c.dir, "data", "downloads", "fetched.jsonl"))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var keys []string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var line struct{ URL string }
		if json.Unmarshal(lines.Bytes(), &line) != nil {
			continue // cut by a kill
		}
		u, err := url.Parse(line.URL)
		if err != nil {
			t.Fatal(err)
		}
		host := 0
		if "http://"+u.Host == c.hosts[1].URL {
			host = 1
		}
		keys = append(keys, fmt.Sprint(host, u.Path))
	}
	return keys
}

// A fetch that is killed some times ends with every paper that can be had. What is recorded is never asked for again, and
// no host gets requests faster than allowed.
func TestFetchPapers(t *testing.T) {
	t.Parallel()
	const papers, rate, kills = 100, 40, 4
	c := newFetchCase(t, papers)
	for kill := range kills {
		before, had := c.counts(), c.recorded(t)
		cmd := c.command(t, "--rate", fmt.Sprint(rate))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		want := (kill + 1) * papers / (kills + 2)
		waitFor(t, func() bool { return len(c.recorded(t)) >= want })
		_ = cmd.Process.Kill()
		if cmd.Wait() == nil {
			t.Errorf("kill %d came after the end", kill)
		}
		c.unchanged(t, before, had)
		if _, err := holdings(t.Context(), filepath.Join(c.dir, "data")); err == nil || !strings.Contains(err.Error(), "has not finished") {
			t.Errorf("after kill %d: %v", kill, err)
		}
	}
	before, had := c.counts(), c.recorded(t)
	r, code, errs := c.report(t, "--rate", fmt.Sprint(rate), "--missing-list", "missing.jsonl")
	c.unchanged(t, before, had)
	if code != 3 || !strings.Contains(totals(r), ", no address 1, failed 3") || !strings.Contains(errs, "3 papers could not be fetched") {
		t.Errorf("exit code %d, %s\n%s", code, totals(r), errs)
	}
	c.checkHoldings(t)
	c.checkMissing(t)

	// The same again asks only for what failed at the server.
	before, had = c.counts(), c.recorded(t)
	r, code, errs = c.report(t, "--rate", fmt.Sprint(rate))
	c.unchanged(t, before, had)
	if code != 3 || totals(r) != "present 97, no address 1, failed 3" {
		t.Errorf("again: exit code %d, %s\n%s", code, totals(r), errs)
	}
	if extra := sumOf(c.counts()) - sumOf(before); extra != 2 {
		t.Errorf("%d requests, want one for each of two papers", extra)
	}
	for host := range c.hosts {
		n, took := c.span(host)
		if least := time.Duration(n-1-kills*2) * time.Second / rate / 2; took < least {
			t.Errorf("host %d got %d requests in %v, want at least %v", host, n, took, least)
		}
	}
	if out, err := airqaIn(t, c.dir, "search", "--data", "data", "small things"); err != nil {
		t.Errorf("search: %v\n%s", err, out)
	}
}

func sumOf(counts map[string]int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}

// airqaIn runs airqa in a folder.
func airqaIn(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), asProgram+"=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// unchanged checks that no request was made for downloads that were recorded before.
func (c fetchCase) unchanged(t *testing.T, before map[string]int, had []string) {
	t.Helper()
	now := c.counts()
	for _, key := range had {
		if now[key] != before[key] {
			t.Errorf("%s was there and was asked for again", key)
		}
	}
}

// checkHoldings checks the papers of the data directory.
func (c fetchCase) checkHoldings(t *testing.T) {
	t.Helper()
	held, err := holdings(t.Context(), filepath.Join(c.dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]paperdb.Holding{}
	for _, h := range held {
		have[h.PaperID] = h
	}
	for _, p := range c.papers {
		_, gone := lost[p.trouble]
		h, ok := have[p.id]
		if ok == gone || ok && (h.Title != p.title || h.Conference != "XCON" || h.Year != 2031) {
			t.Errorf("%s (%s): %v, %q of %s %d", p.title, p.trouble, ok, h.Title, h.Conference, h.Year)
		}
	}
}

// checkMissing checks the file of --missing-list.
func (c fetchCase) checkMissing(t *testing.T) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(c.dir, "missing.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]sources.Paper{}
	for line := range strings.Lines(string(raw)) {
		var l sources.Paper
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		reasons[l.ID] = l
	}
	if len(reasons) != 4 || reasons[absent].Reason != "no metadata" || reasons[absent].Role != "reference" {
		t.Errorf("missing: %v", reasons)
	}
	for _, p := range c.papers {
		if why, gone := lost[p.trouble]; gone && (!strings.Contains(reasons[p.id].Reason, why) || reasons[p.id].Reason == "" || reasons[p.id].Title != p.title) {
			t.Errorf("%s: %+v", p.trouble, reasons[p.id])
		}
	}
}

// Ctrl-C keeps what is there. A limit fetches a part, named papers first; a dry run fetches nothing.
func TestFetchSomePapers(t *testing.T) {
	t.Parallel()
	c := newFetchCase(t, 9)
	r, code, errs := c.report(t, "--dry-run", "--named")
	if code != 0 || totals(r) != "to fetch 2, no address 1" || !strings.Contains(errs, "dry run: nothing was fetched. 2 papers to fetch") {
		t.Errorf("dry run: %d, %s, %s", code, totals(r), errs)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "data")); !os.IsNotExist(err) || sumOf(c.counts()) != 0 {
		t.Errorf("a dry run left something: %v, %d requests", err, sumOf(c.counts()))
	}
	if r, code, _ = c.report(t, "--limit", "2", "--rate", "0"); code != 0 || totals(r) != "fetched 2, to fetch 7, no address 1" || r.Papers[0].Venue != 0 {
		t.Errorf("limit: %d, %+v", code, r)
	}
	cmd := c.command(t, "--rate", "0.5")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return len(c.recorded(t)) >= 3 })
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("interrupted: exit code %d", cmd.ProcessState.ExitCode())
	}
	before, had := c.counts(), c.recorded(t)
	if r, code, errs = c.report(t, "--rate", "0", "-j", "1", "--max-mb", "1"); code != 0 || !strings.HasPrefix(totals(r), "present ") || !strings.HasSuffix(totals(r), ", no address 1") {
		t.Errorf("resumed: %d, %s, %s", code, totals(r), errs)
	}
	c.unchanged(t, before, had)
	if n := sumOf(c.counts()); n > 10 {
		t.Errorf("%d requests for 9 papers", n)
	}
	if held, err := holdings(t.Context(), filepath.Join(c.dir, "data")); err != nil || len(held) != 9 {
		t.Errorf("%d papers, %v", len(held), err)
	}
}
