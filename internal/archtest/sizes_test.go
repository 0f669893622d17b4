package archtest

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestSizes compares the tree with the limits of folders.txt. A limit that is exceeded is a decision: make something
// smaller, or raise the number where a reviewer sees it.
func TestSizes(t *testing.T) {
	h := readHouse(t)
	files := readTree(t)
	byPackage, byFolder, all := make(map[string]int), make(map[string]int), 0
	for _, f := range files {
		if !f.test && !testSupport(f.pkg) {
			byPackage[f.pkg] += f.lines
			byFolder[top(f.pkg)] += f.lines
			all += f.lines
		}
	}
	check := func(what string, is, limit int) {
		t.Helper()
		if is > limit {
			t.Errorf("%s: %d, and folders.txt allows %d", what, is, limit)
		}
	}
	check("lines of production Go", all, h.limits["lines"])
	check("packages", len(byPackage), h.limits["packages"])
	for _, name := range slices.Sorted(maps.Keys(byFolder)) {
		check("lines of folder "+name, byFolder[name], h.folders[name].lines)
	}
	for _, pkg := range slices.Sorted(maps.Keys(byPackage)) {
		limit := h.limits["package"]
		if own, ok := h.large[pkg]; ok {
			if byPackage[pkg] <= limit {
				t.Errorf("package %s has %d lines: its row in folders.txt is no longer needed", pkg, byPackage[pkg])
			}
			limit = own
		}
		check("lines of package "+pkg, byPackage[pkg], limit)
	}
	for pkg := range h.large {
		if byPackage[pkg] == 0 {
			t.Errorf("folders.txt has a row for %s, which does not exist", pkg)
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
