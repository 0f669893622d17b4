package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"airqa/internal/testkit"
	"airqa/internal/testkit/fixturetest"
)

// Shards of a folder are processes of their own, which are killed at random and started again. In the end every paper is in one
// shard, although each file is there twice.
func TestKilledIngestShards(t *testing.T) {
	t.Parallel()
	const shards = 4
	kills := testkit.Rounds(1, 3)
	s := shardTest{t: t, dir: t.TempDir()}
	for _, name := range []string{"papers", "copies"} {
		if err := unpackPapers(filepath.Join(s.dir, "folder", name)); err != nil {
			t.Fatal(err)
		}
	}
	server := embeddingServer(func(text string) []float64 {
		time.Sleep(time.Millisecond) // so that kills meet requests in flight
		return byWords(text)
	})
	defer server.Close()
	ingest := func(i int) []string {
		return []string{
			"ingest", "--data", filepath.Join(s.dir, "shards", fmt.Sprint(i)), "--shard", fmt.Sprintf("%d/%d", i, shards),
			"--embedder", "openai:words", "--embed-base-url", server.URL + "/v1", filepath.Join(s.dir, "folder"),
		}
	}
	var all sync.WaitGroup
	for i := 1; i <= shards; i++ {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 7)) //nolint:gosec // the moments need not be secret, only repeatable
			for range kills {
				c := s.command(ingest(i)...)
				if err := c.Start(); err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Duration(100+random.IntN(900)) * time.Millisecond)
				_ = c.Process.Kill()
				_ = c.Wait()
			}
			if raw, err := s.command(ingest(i)...).CombinedOutput(); err != nil {
				t.Errorf("shard %d: %v\n%s", i, err, raw)
			}
		})
	}
	all.Wait()
	owners := map[string]int{}
	for i := 1; i <= shards; i++ {
		for _, id := range s.papers(filepath.Join(s.dir, "shards", fmt.Sprint(i))) {
			if other := owners[id]; other != 0 {
				t.Errorf("paper %s is in shards %d and %d", id, other, i)
			}
			owners[id] = i
		}
	}
	if want := len(fixturetest.Slugs()); len(owners) != want {
		t.Errorf("%d papers, want %d", len(owners), want)
	}
}

// papers lists the ids of a data directory.
func (s *shardTest) papers(data string) (ids []string) {
	s.t.Helper()
	raw, err := s.command("papers", "--data", data, "--json").Output()
	if err != nil {
		s.t.Fatalf("%s: %v", data, err)
	}
	for lines := json.NewDecoder(bytes.NewReader(raw)); ; {
		var line struct {
			ID string `json:"paper_id"`
		}
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			return ids
		} else if err != nil {
			s.t.Fatal(err)
		}
		ids = append(ids, line.ID)
	}
}
