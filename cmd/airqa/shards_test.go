package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/fixtures"
	"airqa/internal/testkit"
	"airqa/internal/testkit/openaitest"
	"airqa/runlog"
)

// Sixteen shards are processes of their own, which are killed at random and started again until they end with 0, as a
// scheduler does. Merged, they are the run of one machine: the same log but for its times, the same run.json and the same
// table. No reply is paid for twice but those in flight at a kill. The data directory, which all of them share, does not
// change.
func TestKilledShards(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "sixteen processes")
	const shards, workers = 16, 2
	s := shardTest{t: t, data: ingested(t), dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(s.dir, "questions.jsonl"), fixtures.Questions(), 0o600); err != nil {
		t.Fatal(err)
	}
	one, many := policyServer(), policyServer()
	defer one.Close()
	defer many.Close()
	before := s.dataFiles()
	s.must(s.run(one, "one", "-j", "1"))
	var scheduler sync.WaitGroup
	slots := make(chan struct{}, 4)
	for i := range shards {
		slots <- struct{}{}
		scheduler.Go(func() {
			defer func() { <-slots }()
			s.schedule(many, i+1, func() *exec.Cmd {
				return s.run(many, fmt.Sprintf("shards/%d", i+1), "-j", fmt.Sprint(workers), "--shard", fmt.Sprintf("%d/%d", i+1, shards))
			})
		})
	}
	scheduler.Wait()
	s.killedMerge()
	s.must(s.command("shards", "merge", filepath.Join(s.dir, "shards"), "--out", filepath.Join(s.dir, "merged")))

	if diff := cmp.Diff(before, s.dataFiles()); diff != "" {
		t.Errorf("the data directory changed:\n%s", diff)
	}
	if pins, err := filepath.Glob(filepath.Join(s.data, "generations", "*", "runs", "[^.]*")); err != nil || len(pins) > 0 {
		t.Errorf("ended runs still keep papers: %v, %v", pins, err)
	}
	for _, name := range []string{runlog.LogFile, runlog.RunFile, runlog.QuestionsFile} {
		if diff := cmp.Diff(s.timeless("one", name), s.timeless("merged", name)); diff != "" {
			t.Errorf("%s (-one machine +merged):\n%s", name, diff)
		}
	}
	if a, b := scored(t, filepath.Join(s.dir, "one")), scored(t, filepath.Join(s.dir, "merged")); a != b {
		t.Errorf("tables differ:\n%s\n%s", a, b)
	}
	kills := int(s.kills.Load())
	if kills < shards/2 {
		t.Errorf("only %d kills met a working program", kills)
	}
	if extra := many.Calls() - one.Calls(); extra < 0 || extra > kills*workers {
		t.Errorf("%d calls of one machine, %d with %d kills of %d workers", one.Calls(), many.Calls(), kills, workers)
	}
	t.Logf("%d kills; %d calls of one machine, %d of %d shards", kills, one.Calls(), many.Calls(), shards)
}

type shardTest struct {
	t         *testing.T
	data, dir string
	kills     atomic.Int64
}

func (s *shardTest) command(args ...string) *exec.Cmd {
	c := exec.CommandContext(s.t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), asProgram+"=1", "OPENAI_API_KEY=sk-test-key-that-is-long")
	return c
}

// run is a run of all questions, or of a shard.
func (s *shardTest) run(endpoint *openaitest.Server, out string, flags ...string) *exec.Cmd {
	c := s.command(append([]string{
		"run", "--data", s.data, "--questions", filepath.Join(s.dir, "questions.jsonl"), "--baseline", "agentic-hybrid",
		"--model", "openai:policy", "--out", filepath.Join(s.dir, out),
	}, flags...)...)
	c.Env = append(c.Env, "OPENAI_BASE_URL="+endpoint.URL())
	return c
}

func (s *shardTest) must(c *exec.Cmd) {
	s.t.Helper()
	if raw, err := c.CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v\n%s", strings.Join(c.Args[1:], " "), err, raw)
	}
}

// schedule starts a command until it ends with 0. The first two starts are killed after some calls of any shard.
func (s *shardTest) schedule(endpoint *openaitest.Server, seed int, command func() *exec.Cmd) {
	random := rand.New(rand.NewPCG(uint64(seed), 3)) //nolint:gosec // the moments need not be secret, only repeatable
	for start := range 10 {
		c := command()
		before, wanted := endpoint.Calls(), 1+random.IntN(6)
		if err := c.Start(); err != nil {
			s.t.Error(err)
			return
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		for start < 2 && endpoint.Calls() < before+wanted && len(ended) == 0 {
			time.Sleep(2 * time.Millisecond)
		}
		if start < 2 {
			time.Sleep(time.Duration(random.IntN(40)) * time.Millisecond)
			_ = c.Process.Kill()
		}
		if <-ended == nil {
			return
		}
		if start < 2 {
			s.kills.Add(1)
		}
	}
	s.t.Errorf("shard %d does not end with 0", seed)
}

// killedMerge kills a merge at random moments. The merged run is whole or not there.
func (s *shardTest) killedMerge() {
	random := rand.New(rand.NewPCG(4, 5)) //nolint:gosec // the moments need not be secret, only repeatable
	out := filepath.Join(s.dir, "merged")
	for range 8 {
		c := s.command("shards", "merge", filepath.Join(s.dir, "shards"), "--out", out)
		if err := c.Start(); err != nil {
			s.t.Fatal(err)
		}
		time.Sleep(time.Duration(40+random.IntN(160)) * time.Millisecond)
		_ = c.Process.Kill()
		_ = c.Wait()
		if _, err := os.Stat(out); err == nil && len(trajectories(s.t, out)) != 40 {
			s.t.Error("a killed merge left a part of a run")
		}
	}
}

var changing = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`"(time|started|ended|created)":( ?)"[^"]*"`), `"$1":$2"T"`},
	{regexp.MustCompile(`"id":"chatcmpl-[^"]*"`), `"id":"I"`},
	{regexp.MustCompile(`"seconds":[0-9.e-]+`), `"seconds":0`},
	{regexp.MustCompile(`"base_url": "[^"]*"`), `"base_url": "U"`},
}

// timeless is a file of a run without times, ids of replies and the endpoint's port.
func (s *shardTest) timeless(run, name string) []string {
	raw, err := os.ReadFile(filepath.Join(s.dir, run, name))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, c := range changing {
		raw = c.pattern.ReplaceAll(raw, []byte(c.with))
	}
	return strings.Split(string(raw), "\n")
}

// dataFiles lists the files of the data directory with sizes and times, without the notes of runs that need its papers.
func (s *shardTest) dataFiles() []string {
	var list []string
	err := filepath.WalkDir(s.data, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() || filepath.Base(filepath.Dir(path)) == "runs" {
			return nil
		}
		info, err := e.Info()
		if err == nil {
			list = append(list, fmt.Sprintf("%s %d %v", path, info.Size(), info.ModTime()))
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return list
}
