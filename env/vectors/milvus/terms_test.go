package milvus_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"airqa/env/vectors/bm25"
	"airqa/env/vectors/milvus"
	"airqa/internal/testkit/milvustest"
)

// A change of terms writes only those that it concerns, and all of them before the description. Wherever it is interrupted, each
// term is the old one or the new one, and a repeated change takes its place.
func TestTerms(t *testing.T) {
	server := milvustest.Start(t)
	var left, rows atomic.Int64
	proxy := server.Proxy(t, func(r milvustest.Request) error {
		if r.Changes() && left.Add(-1) < 0 {
			return errors.New("out of order")
		}
		rows.Add(int64(r.Rows))
		return nil
	})
	left.Store(1 << 30)
	through, err := milvus.Open(t.Context(), milvus.Config{Address: proxy})
	check(t, err)
	t.Cleanup(func() { check(t, through.Close()) })
	have := map[string]bm25.Term{"注意": {Position: 1200, DF: 1}, "0.5": {Position: 1201, DF: 2}, strings.Repeat("é", 400): {Position: 1202, DF: 3}}
	for i := range 1200 {
		have[fmt.Sprint("w", i)] = bm25.Term{Position: i, DF: 1}
	}
	check(t, through.ReplaceAll(t.Context(), sparse, have, stream(records(10))))
	words := append(slices.Collect(maps.Keys(have)), "new0", "new1", "new2", "new3", "new4", "new5", "new6", "unknown")
	read := func(s *milvus.Store) map[string]bm25.Term {
		t.Helper()
		got, err := s.Terms(t.Context(), "s", words)
		check(t, err)
		return got
	}
	for n, ended := 0, false; !ended; n++ {
		changed := map[string]bm25.Term{
			fmt.Sprint("new", n): {Position: len(have), DF: 1}, "w0": {Position: 0, DF: n + 2}, fmt.Sprint("w", n+1): {Position: n + 1, DF: 7},
		}
		next := maps.Clone(have)
		maps.Copy(next, changed)
		rows.Store(0)
		left.Store(int64(n))
		ended = through.Describe(t.Context(), "s", fmt.Sprint("source", n), nil, changed) == nil
		left.Store(1 << 30)
		reader := open(t, server, "")
		info, err := reader.Info(t.Context(), "s")
		check(t, err)
		got := read(reader)
		for _, term := range words {
			if got[term] != next[term] && (got[term] != have[term] || info.Source == fmt.Sprint("source", n)) {
				t.Errorf("after %d requests, with source %s: %.9s is %v, was %v, becomes %v", n, info.Source, term, got[term], have[term], next[term])
			}
		}
		if rows.Load() > 4 { // and the description
			t.Errorf("%d rows were written for %d terms", rows.Load(), len(changed))
		}
		check(t, through.Describe(t.Context(), "s", fmt.Sprint("source", n), nil, changed))
		have = next
		if diff := gocmp.Diff(have, read(open(t, server, ""))); diff != "" {
			t.Errorf("repeated after %d requests (-want +got):\n%s", n, diff)
		}
	}
	check(t, through.Replace(t.Context(), sparse, stream(records(3))))
	for _, name := range []string{"s", "s__terms"} {
		if found, err := connect(t, server).HasCollection(t.Context(), name); err != nil || found {
			t.Errorf("%s is left: %v", name, err)
		}
	}
}
