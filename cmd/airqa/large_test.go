package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"airqa/env/embed/minilm"
	"airqa/env/index"
	"airqa/internal/testkit/bigpapers"
)

// Commands on data directories of 1,000 to 100,000 invented papers of real size (see package bigpapers), as processes:
// processor time, and memory besides mapped files. AIRQA_TEST_LARGE is the folder of the directories, which take 40 GB and
// are made there once; without it, one of 200 papers is made, or of 20 with -short. AIRQA_TEST_BINARY names a binary to take
// instead of this one.
func BenchmarkLarge(b *testing.B) {
	sizes := []int{200}
	if testing.Short() {
		sizes = []int{20}
	}
	root := os.Getenv("AIRQA_TEST_LARGE")
	if root == "" {
		root = b.TempDir()
	} else {
		sizes = []int{1000, 10_000, 100_000}
	}
	for _, n := range sizes {
		l := large{papers: n, root: root}
		l.make(b)
		b.Run(strconv.Itoa(n), l.measure)
	}
}

// large is a data directory in two forms: linked has vectors of real length, own has the records of all papers.
type large struct {
	papers int
	root   string
}

func (l large) path(kind string) string {
	return filepath.Join(l.root, fmt.Sprintf("%s-%d", kind, l.papers))
}

// largeEmbedder embeds the papers of own.
const (
	largeEmbedder = "openai:stub"
	largeDim      = 8
)

func (l large) make(b *testing.B) {
	b.Helper()
	model, err := minilm.Open(minilm.Config{})
	if err != nil {
		b.Fatal(err)
	}
	info, database, all := model.Info(), l.path("papers")+".duckdb", bigpapers.Papers{Count: l.papers}
	steps := []struct {
		path string
		make func() error
	}{
		{database, func() error { return bigpapers.WriteDatabase(b.Context(), database, all) }},
		{l.path("linked"), func() error {
			return bigpapers.Link(b.Context(), l.path("linked"), database, all, min(l.papers, 4096), bigpapers.Model{
				Name: info.Model, Hash: info.Hash, Embedder: index.DefaultEmbedder, Collection: index.MiniLM, Dim: info.Dim, Window: info.Window,
			})
		}},
		{l.path("own"), func() error {
			return bigpapers.Write(b.Context(), l.path("own"), database, all, bigpapers.Model{
				Name: largeEmbedder, Embedder: largeEmbedder, Collection: "text_openai_stub", Dim: largeDim, Window: minEmbedTokens,
			})
		}},
	}
	for _, s := range steps {
		if _, err := os.Stat(s.path); errors.Is(err, fs.ErrNotExist) {
			err = s.make()
			if err != nil {
				b.Fatal(errors.Join(err, os.RemoveAll(s.path)))
			}
		}
	}
}

func (l large) measure(b *testing.B) {
	id := bigpapers.ID(l.papers / 2)
	read := l.path("linked")
	for _, c := range []struct {
		name string
		args []string
	}{
		{"sql", []string{"sql", "--data", read, "SELECT 1"}},
		{"search dense", []string{"search", "--data", read, bigpapers.Question()}},
		{"search bm25", []string{"search", "--data", read, "--retrieve", "bm25", bigpapers.Question()}},
		{"search hybrid", []string{"search", "--data", read, "--retrieve", "hybrid", bigpapers.Question()}},
		{"papers list", []string{"papers", "list", "--data", read, "--limit", "50"}},
		{"papers show", []string{"papers", "show", "--data", read, id}},
		{"doctor", []string{"doctor", "--data", read}},
		{"vectors check", []string{"store", "vectors", "--data", l.path("own")}},
	} {
		b.Run(c.name, func(b *testing.B) { l.run(b, 2, c.args...) })
	}
	l.measureRun(b)
	l.measureChanges(b, id)
}

// measureRun measures a run of one question, and the episodes of a longer one.
func (l large) measureRun(b *testing.B) {
	var first float64
	for _, episodes := range []int{1, 41} {
		name := "run of one question"
		if episodes > 1 {
			name = "episode"
		}
		b.Run(name, func(b *testing.B) {
			server := newLoadServer(b, loadReplies())
			c := loadCommand(b, loadRun{data: l.path("linked"), url: server.URL(), dir: b.TempDir(), episodes: episodes, workers: 1})
			used := measured(b, c)
			if episodes == 1 {
				first = used.cpu
			} else {
				used.cpu = (used.cpu - first) / float64(episodes-1)
			}
			used.report(b)
		})
	}
}

// measureChanges adds one paper, twice, and removes another, in a copy that shares all files.
func (l large) measureChanges(b *testing.B, id string) {
	dir := filepath.Join(b.TempDir(), "changed")
	if err := linkAll(l.path("own"), dir); err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(embedShortly))
	b.Cleanup(server.Close)
	flags := []string{"--data", dir, "--embed-base-url", server.URL + "/v1"}
	b.Run("ingest one more paper", func(b *testing.B) { l.run(b, 1, append([]string{"ingest", samplePDF(b)}, flags...)...) })
	b.Run("ingest it again", func(b *testing.B) { l.run(b, 1, append([]string{"ingest", samplePDF(b)}, flags...)...) })
	b.Run("papers rm", func(b *testing.B) { l.run(b, 1, append([]string{"papers", "rm", id}, flags...)...) })
}

// samplePDF is one of the sample papers.
func samplePDF(b *testing.B) string {
	b.Helper()
	all, err := filepath.Glob("../../fixtures/papers/*.pdf")
	if err != nil || len(all) == 0 {
		b.Fatal("no sample paper", err)
	}
	return all[0]
}

// run measures the last of several starts of the program: the first ones read files from the disk.
func (l large) run(b *testing.B, starts int, args ...string) {
	b.Helper()
	binary := cmp.Or(os.Getenv("AIRQA_TEST_BINARY"), os.Args[0])
	var last used
	for range starts {
		c := exec.CommandContext(b.Context(), binary, args...)
		c.Env = append(os.Environ(), asProgram+"=1", "OPENAI_API_KEY=sk-test-key-that-is-long")
		last = measured(b, c)
	}
	last.report(b)
}

// used is what a process and its children took: seconds of processor time, bytes of memory besides mapped files.
type used struct {
	cpu    float64
	memory int64
}

func (u used) report(b *testing.B) {
	b.ReportMetric(u.cpu, "cpu-s")
	b.ReportMetric(float64(u.memory)/1e6, "MB")
	b.ReportMetric(0, "ns/op")
}

// measured runs a command.
func measured(b *testing.B, c *exec.Cmd) used {
	b.Helper()
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	var u used
	for tick := time.Tick(10 * time.Millisecond); ; {
		select {
		case err := <-ended:
			if err != nil {
				b.Fatalf("%v: %v\n%s", c.Args[1:], err, out.String())
			}
			if r, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
				u.cpu = time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
			}
			return u
		case <-tick:
			u.memory = max(u.memory, anonymous(c.Process.Pid))
		}
	}
}

// anonymous is the resident memory of a process that no file backs, in bytes; 0 where the system does not tell.
func anonymous(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kb << 10
		}
	}
	return 0
}

// linkAll copies a folder with hard links.
func linkAll(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		return os.Link(path, filepath.Join(to, rel))
	})
}

// embedShortly answers embedding requests with short vectors.
func embedShortly(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Input []string `json:"input"`
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	type vector struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	list := make([]vector, len(request.Input))
	for i, text := range request.Input {
		list[i] = vector{Index: i, Embedding: make([]float32, largeDim)}
		for j := range list[i].Embedding {
			list[i].Embedding[j] = float32((len(text)*(j+7))%13) + 1
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": list, "model": "stub"})
}
