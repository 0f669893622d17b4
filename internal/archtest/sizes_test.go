package archtest

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestSizes compares lines and packages of production Go with their limits. That of lines is the next multiple of 100. A commit
// that adds some removes as many elsewhere, and one that removes some lowers the limit. With -v it prints the lines of each
// package.
func TestSizes(t *testing.T) {
	byPackage, all := make(map[string]int), 0
	for _, f := range readTree(t) {
		if !f.test && !testSupport(f.pkg) {
			byPackage[f.pkg] += f.lines
			all += f.lines
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(byPackage)) {
		t.Logf("%6d %s", byPackage[pkg], pkg)
	}
	t.Logf("%6d in %d packages", all, len(byPackage))
	limits := readHouse(t).limits
	for _, total := range []struct {
		of       string
		n, limit int
	}{{"lines", (all + 99) / 100 * 100, limits["lines"]}, {"packages", len(byPackage), limits["packages"]}} {
		if total.n > total.limit {
			t.Errorf("%d %s of production Go, and folders.txt allows %d: remove or merge some", total.n, total.of, total.limit)
		}
		if total.n < total.limit {
			t.Errorf("%d %s of production Go: lower the limit in folders.txt from %d", total.n, total.of, total.limit)
		}
	}
}

// TestDepth checks the length of the longest chain of imports.
func TestDepth(t *testing.T) {
	limit := readHouse(t).limits["depth"]
	graph := imports(readTree(t))
	longest := make(map[string][]string)
	var chain func(pkg string) []string
	chain = func(pkg string) []string {
		if known, ok := longest[pkg]; ok {
			return known
		}
		var below []string
		for _, imp := range graph[pkg] {
			if c := chain(imp); len(c) > len(below) {
				below = c
			}
		}
		longest[pkg] = append([]string{pkg}, below...)
		return longest[pkg]
	}
	for _, pkg := range slices.Sorted(maps.Keys(graph)) {
		if c := chain(pkg); len(c)-1 > limit {
			t.Errorf("import depth %d, and folders.txt allows %d: %s", len(c)-1, limit, strings.Join(c, " > "))
		}
	}
}
