package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/ingest"
	"airqa/run/shard"
)

// Every file is in one shard, which depends on its content alone: not on its path, nor on the order of the files.
func TestSelect(t *testing.T) {
	const shards = 5
	var paths, moved []string
	one, two := t.TempDir(), t.TempDir()
	for n := range 60 {
		text := []byte("%PDF " + strings.Repeat(fmt.Sprint(n), 1+n*700)) // some are longer than the part that is read
		paths = append(paths, filepath.Join(one, fmt.Sprintf("%d.pdf", n)))
		moved = append(moved, filepath.Join(two, fmt.Sprintf("other %d.pdf", n)))
		for _, path := range []string{paths[n], moved[n]} {
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	paths, moved = append(paths, filepath.Join(one, "missing.pdf")), append(moved, filepath.Join(two, "missing.pdf"))
	backwards := slices.Clone(moved)
	slices.Reverse(backwards)
	var all []string
	for i := range shards {
		part := shard.Part{Index: i + 1, Of: shards}
		mine, err := ingest.Select(t.Context(), paths, part.Has)
		if err != nil || len(mine) == 0 {
			t.Fatalf("shard %v has %d files: %v", part, len(mine), err)
		}
		all = append(all, mine...)
		there, err := ingest.Select(t.Context(), backwards, part.Has)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(there)
		var want []string
		for _, path := range mine {
			want = append(want, moved[slices.Index(paths, path)])
		}
		if diff := cmp.Diff(want, there); diff != "" {
			t.Errorf("shard %v elsewhere (-want +got):\n%s", part, diff)
		}
	}
	slices.Sort(all)
	slices.Sort(paths)
	if diff := cmp.Diff(paths, all); diff != "" {
		t.Errorf("the shards together (-want +got):\n%s", diff)
	}
}

func TestSelectCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if mine, err := ingest.Select(ctx, []string{"a.pdf"}, func(string) bool { return true }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", mine, err)
	}
}
