package env_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"airqa/env"
	"airqa/env/index"
	"airqa/env/join"
	"airqa/env/paperdb"
	"airqa/internal/testkit"
	"airqa/tools"
)

// joined joins directories.
func joined(t *testing.T, cfg join.Config) (sources []join.Source, err error) {
	t.Helper()
	j, err := join.Open(t.Context(), cfg)
	if err != nil {
		return nil, err
	}
	defer func() { check(t, j.Close()) }()
	return j.Sources(), j.Run(t.Context())
}

// sourceDirs are directories with papers, removed ones, and deleted records.
func sourceDirs(t *testing.T, model *letters, parts [][]paperdb.Paper) []string {
	t.Helper()
	var dirs []string
	for i, papers := range parts {
		dir := filepath.Join(t.TempDir(), fmt.Sprint("part ", i))
		check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: model}, append(slices.Clone(papers), small(1000+i))...))
		w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: dir, Embedder: model})
		check(t, err)
		check(t, w.Remove(t.Context(), []env.Removing{{PaperID: small(1000 + i).Metadata.PaperID}}))
		check(t, w.Finish(t.Context()))
		dirs = append(dirs, dir)
	}
	return dirs
}

// hits runs all searches in a directory.
func hits(t *testing.T, dir string, model *letters, papers []paperdb.Paper) map[string][]tools.Hit {
	t.Helper()
	found := make(map[string][]tools.Hit)
	for _, mode := range []env.Mode{env.Dense, env.BM25, env.Hybrid} {
		e, err := env.Open(t.Context(), env.Config{Dir: dir, Mode: mode, Embedder: model})
		check(t, err)
		for i, p := range papers {
			query := p.Chunks[0].Text
			for scope, ids := range [][]string{nil, {p.Metadata.PaperID}, {p.Metadata.PaperID, papers[(i+1)%len(papers)].Metadata.PaperID}} {
				list, err := e.Retrieve(t.Context(), query, 20, tools.Scope{Papers: ids})
				check(t, err)
				found[fmt.Sprint(mode, " ", i, " ", scope)] = list
			}
		}
		check(t, e.Close())
	}
	return found
}

// A joined directory searches like one ingest of all its papers, with the same scores, and has the same fingerprint; also
// after more papers.
func TestJoinIsOneIngest(t *testing.T) {
	testkit.OneGoroutine(t)
	t.Parallel()
	checks := 0
	rapid.Check(t, func(r *rapid.T) {
		if checks++; checks > testkit.Rounds(1, 3) { // each takes seconds
			return
		}
		model := &letters{model: "letters", words: 3}
		n := rapid.IntRange(2, 7).Draw(r, "papers")
		var papers []paperdb.Paper
		parts := make([][]paperdb.Paper, rapid.IntRange(1, 3).Draw(r, "parts"))
		for i := range n {
			papers = append(papers, small(i))
			for _, k := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(parts)-1), 1, len(parts), rapid.ID).Draw(r, "in") {
				parts[k] = append(parts[k], small(i))
			}
		}
		dir := t.TempDir()
		cfg := env.WriterConfig{Dir: filepath.Join(dir, "one"), Embedder: model}
		check(t, fillWith(t, cfg, papers...))
		dirs := sourceDirs(t, model, parts)
		to := filepath.Join(dir, "all")
		if rapid.Bool().Draw(r, "into one of them") {
			to, dirs = dirs[0], dirs[1:]
		}
		asked := model.asked
		if len(dirs) > 0 {
			_, err := joined(t, join.Config{Dir: to, From: dirs})
			check(t, err)
		}
		if model.asked != asked {
			t.Errorf("%d texts were embedded", model.asked-asked)
		}
		for range 2 {
			if diff := cmp.Diff(hits(t, cfg.Dir, model, papers), hits(t, to, model, papers)); diff != "" {
				t.Errorf("hits (-one ingest +joined):\n%s", diff)
			}
			faultless(t, index.VerifyConfig{Dir: to, Embedder: model})
			papers = append(papers, small(n))
			check(t, fillWith(t, cfg, small(n)))
			check(t, fillWith(t, env.WriterConfig{Dir: to, Embedder: model}, small(n)))
		}
		one, all := openClose(t, cfg.Dir), openClose(t, to)
		if one != all {
			t.Errorf("fingerprints %s and %s", one, all)
		}
	})
}

// What the sources have beside rows and vectors is taken over, and what is there in the target stays.
func TestJoinTakesFiles(t *testing.T) {
	t.Parallel()
	model := &letters{model: "letters"}
	dirs := sourceDirs(t, model, [][]paperdb.Paper{{attention}, {bert}})
	to := filepath.Join(t.TempDir(), "all")
	for i, dir := range dirs {
		check(t, os.MkdirAll(filepath.Join(dir, "downloads"), 0o755))
		check(t, os.WriteFile(filepath.Join(dir, "downloads", "both.pdf"), fmt.Append(nil, "PDF ", i), 0o600))
		check(t, os.WriteFile(filepath.Join(dir, "downloads", "fetched.jsonl"), fmt.Appendf(nil, "{\"format\":1,\"url\":\"u%d\"}\n", i), 0o600))
		check(t, os.MkdirAll(filepath.Join(dir, "replies"), 0o755))
		check(t, os.WriteFile(filepath.Join(dir, "replies/replies.jsonl"), fmt.Appendf(nil, "{\"format\":1,\"key\":\"k\",\"text\":\"%d\"}\n{\"format\":1,\"key\":\"k%[1]d\"}\n{\"for", i), 0o600))
	}
	for range 2 {
		_, err := joined(t, join.Config{Dir: to, From: dirs})
		check(t, err)
	}
	for name, want := range map[string]string{
		"downloads/both.pdf":                     "PDF 0",
		"downloads/fetched.jsonl":                "{\"format\":1,\"url\":\"u0\"}\n{\"format\":1,\"url\":\"u1\"}\n",
		"replies/replies.jsonl":                  "{\"format\":1,\"key\":\"k\",\"text\":\"0\"}\n{\"format\":1,\"key\":\"k0\"}\n{\"format\":1,\"key\":\"k1\"}\n",
		"pdfs/" + bert.Metadata.PaperID + ".pdf": "%PDF",
	} {
		if raw, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(raw) != want {
			t.Errorf("%s: %q, %v; want %q", name, raw, err, want)
		}
	}
}

// A join that is killed leaves what was there. Both the same join and another writer can follow.
func TestKilledJoin(t *testing.T) {
	testkit.OneGoroutine(t)
	t.Parallel()
	model := &letters{model: "letters"}
	dirs := sourceDirs(t, model, [][]paperdb.Paper{{bert}, {resnet}})
	root := t.TempDir()
	begun, whole := filepath.Join(root, "begun"), filepath.Join(root, "whole")
	check(t, fillWith(t, env.WriterConfig{Dir: begun, Embedder: model}, attention))
	check(t, fillWith(t, env.WriterConfig{Dir: whole, Embedder: model}, attention, bert, resnet, small(1)))
	before, want := openClose(t, begun), openClose(t, whole)
	var killed []string
	_, err := joined(t, join.Config{Dir: begun, From: dirs, Progress: func(done, total int, what string) {
		if what == "rows" && done%testkit.Rounds(24, 8) != 0 {
			return
		}
		copied := filepath.Join(root, fmt.Sprint(done, " ", what))
		check(t, os.CopyFS(copied, os.DirFS(begun)))
		killed = append(killed, copied)
	}})
	check(t, err)
	for i, dir := range append(killed, begun) {
		if dir != begun && openClose(t, dir) != before {
			t.Errorf("%s: readers see other papers", dir)
		}
		steps := []func() error{
			func() error { _, err := joined(t, join.Config{Dir: dir, From: dirs}); return err },
			func() error { return fillWith(t, env.WriterConfig{Dir: dir, Embedder: model}, small(1)) },
		}
		check(t, steps[i%2]())
		check(t, steps[1-i%2]())
		if openClose(t, dir) != want {
			t.Errorf("%s: other papers than in one ingest", dir)
		}
		faultless(t, index.VerifyConfig{Dir: dir, Embedder: model})
	}
}

// Directories that cannot be joined are refused by name, with what to do, and nothing changes.
func TestJoinRefuses(t *testing.T) {
	t.Parallel()
	model := &letters{model: "letters", words: 5}
	root := t.TempDir()
	made := func(name string, cfg env.WriterConfig, finish bool, papers ...paperdb.Paper) string {
		cfg.Dir = filepath.Join(root, name)
		if cfg.Embedder == nil {
			cfg.Embedder = model
		}
		w, err := env.OpenWriter(t.Context(), cfg)
		check(t, err)
		for _, p := range papers {
			check(t, w.Put(t.Context(), p, nil))
		}
		if finish {
			check(t, w.Finish(t.Context()))
		}
		check(t, w.Close())
		return cfg.Dir
	}
	newer := resnet
	newer.File.Parser = "airqa-9"
	older := bert
	older.File.Parser = "airqa-8"
	good := made("good", env.WriterConfig{}, true, older)
	locked := made("locked", env.WriterConfig{}, true, attention)
	w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: locked, Embedder: model})
	check(t, err)
	defer func() { check(t, w.Close()) }()
	for name, c := range map[string]struct{ dir, want string }{
		"windows":     {made("windows", env.WriterConfig{Embedder: &letters{model: "letters", words: 6}}, true, attention), "windows of 6 tokens, not 5"},
		"model":       {made("model", env.WriterConfig{Embedder: &letters{model: "other"}}, true, attention), "embedder other, not letters"},
		"parser":      {made("parser", env.WriterConfig{}, true, newer), "papers read by airqa-9, not airqa-8"},
		"unfinished":  {made("unfinished", env.WriterConfig{}, false, attention), "run the same airqa command again"},
		"interrupted": {made("unfinished", env.WriterConfig{}, false, attention), "run the same airqa command again"},
		"locked":      {locked, "another ingest is writing to it"},
		"version":     {made("version", env.WriterConfig{}, true, longer(older, 1)), "1 paper in different versions"},
	} {
		to := filepath.Join(root, "to")
		if _, err := joined(t, join.Config{Dir: to, From: []string{good, c.dir}}); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), filepath.Base(c.dir)) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(to); err == nil {
			t.Errorf("%s: the target was created", name)
		}
	}
	if _, err := joined(t, join.Config{Dir: made("begun", env.WriterConfig{}, false, attention), From: []string{good}}); err == nil || !strings.Contains(err.Error(), "was interrupted") {
		t.Errorf("an unfinished target: %v", err)
	}
}
