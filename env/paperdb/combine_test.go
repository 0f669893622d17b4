package paperdb_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/paperdb"
)

// many makes papers.
func many(from, to int) (papers []paperdb.Paper) {
	for i := from; i < to; i++ {
		papers = append(papers, paper(fmt.Sprint("paper ", i)))
	}
	return papers
}

// stored is everything that readers see, with the order of the rows.
func stored(t *testing.T, path string) (cells []paperdb.Cell, files []paperdb.Owned, groups [][]string) {
	t.Helper()
	r, err := paperdb.OpenReader(t.Context(), paperdb.Config{Path: path})
	check(t, err)
	defer func() { check(t, r.Close()) }()
	for c, err := range r.Cells(t.Context(), nil) {
		check(t, err)
		cells = append(cells, c)
	}
	files, err = r.Files(t.Context())
	check(t, err)
	groups, err = r.CellGroups(t.Context(), nil)
	check(t, err)
	return cells, files, groups
}

// A combined database has the rows of its parts in their order, like one in which all papers were put.
func TestCombine(t *testing.T) {
	papers := many(0, 9)
	one := library(t, slices.Concat(papers[1:4], papers[6:9])...)
	first, second := library(t, papers[:4]...), library(t, papers[3:9]...)
	to := filepath.Join(t.TempDir(), "it's all.duckdb")
	ids := func(list ...int) (ids []string) {
		for _, i := range list {
			ids = append(ids, papers[i].Metadata.PaperID)
		}
		return ids
	}
	for _, c := range []paperdb.Combination{
		{Parts: []paperdb.Part{{Path: first, Without: ids(0)}, {Path: second, Without: ids(3, 4, 5)}}},
		{Base: first, Removed: ids(0), Parts: []paperdb.Part{{Path: second, Without: ids(3, 4, 5)}}},
	} {
		check(t, paperdb.Combine(t.Context(), to, c))
		wantCells, wantFiles, wantGroups := stored(t, one)
		cells, files, groups := stored(t, to)
		if diff := cmp.Diff(wantCells, cells) + cmp.Diff(wantFiles, files) + cmp.Diff(wantGroups, groups); diff != "" {
			t.Errorf("one database (-) and the combined one (+):\n%s", diff)
		}
	}
	put(t, to, many(9, 10)...)
}

// A combination that fails leaves the database that is there, and no other file.
func TestCombineFails(t *testing.T) {
	same := paper("same")
	a, b := library(t, same), library(t, same)
	before, err := os.ReadFile(a)
	check(t, err)
	if err := paperdb.Combine(t.Context(), a, paperdb.Combination{Parts: []paperdb.Part{{Path: a}, {Path: b}}}); err == nil {
		t.Error("two papers with one id")
	}
	after, err := os.ReadFile(a)
	check(t, err)
	entries, err := os.ReadDir(filepath.Dir(a))
	check(t, err)
	if string(before) != string(after) || len(entries) != 1 {
		t.Errorf("%d files, changed %v", len(entries), string(before) != string(after))
	}
}

// Additions and removals, one at a time, leave a database within 1.3 times what its rows need, and a compact one stays.
func TestCompact(t *testing.T) {
	if done, err := paperdb.Compact(t.Context(), library(t)); done || err != nil {
		t.Errorf("an empty database: %v, %v", done, err)
	}
	path := library(t, many(0, 3)...)
	size := func(path string) float64 {
		info, err := os.Stat(path)
		check(t, err)
		return float64(info.Size())
	}
	compact := func(want bool) {
		t.Helper()
		cells, files, groups := stored(t, path)
		done, err := paperdb.Compact(t.Context(), path)
		check(t, err)
		afterCells, afterFiles, afterGroups := stored(t, path)
		if diff := cmp.Diff(cells, afterCells) + cmp.Diff(files, afterFiles) + cmp.Diff(groups, afterGroups); diff != "" || done != want {
			t.Errorf("rewritten: %v, want %v (-before +after)\n%s", done, want, diff)
		}
	}
	compact(false)
	for i := 3; i < 6; i++ {
		put(t, path, many(i, i+1)...)
	}
	check(t, os.WriteFile(path+".new", []byte("of a killed one"), 0o600))
	compact(true)
	compact(false)
	w, err := paperdb.OpenWriter(t.Context(), path)
	check(t, err)
	check(t, w.Remove(t.Context(), []string{paper("paper 0").Metadata.PaperID, paper("paper 4").Metadata.PaperID}))
	check(t, w.Close())
	compact(true)
	fresh := filepath.Join(t.TempDir(), "fresh.duckdb")
	check(t, paperdb.Combine(t.Context(), fresh, paperdb.Combination{Parts: []paperdb.Part{{Path: path}}}))
	if size(path) > 1.3*size(fresh) {
		t.Errorf("%v bytes, and %v of a new one", size(path), size(fresh))
	}
}
