package archtest

import (
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// house is the parsed folders.txt.
type house struct {
	folders map[string][]string // folder to what it may import; "*" means everything
	tests   map[string][]string // packages for tests, and the other packages that may import them
	fences  map[string][]string // module to the packages that import it
	limits  map[string]int
}

func TestFolders(t *testing.T) {
	h := readHouse(t)
	files := readTree(t)
	if len(files) < 50 {
		t.Fatalf("only %d Go files found: wrong root directory?", len(files))
	}
	commented := make(map[string]bool)
	for _, f := range files {
		if _, ok := h.folders[top(f.pkg)]; !ok {
			t.Errorf("%s: folder %s is not in folders.txt", f.name, top(f.pkg))
			continue
		}
		commented[f.pkg] = commented[f.pkg] || f.comment && !f.test
		for _, imp := range f.imports {
			if why := h.forbids(f, imp); why != "" {
				t.Errorf("%s imports %s: %s", f.name, imp, why)
			}
		}
	}
	for pkg, ok := range commented {
		if !ok {
			t.Errorf("package %s has no package comment", pkg)
		}
	}
}

// TestNoCircle checks that the table itself lets no two folders import each other, even through others.
func TestNoCircle(t *testing.T) {
	h := readHouse(t)
	reach := func(from string) map[string]bool {
		seen := make(map[string]bool)
		queue := []string{from}
		for len(queue) > 0 {
			next := queue[0]
			queue = queue[1:]
			for _, imp := range h.folders[next] {
				if name := top(imp); !seen[name] && name != "*" && name != next {
					seen[name] = true
					queue = append(queue, name)
				}
			}
		}
		return seen
	}
	for name := range h.folders {
		if reach(name)[name] {
			t.Errorf("folders.txt lets %s import itself through other folders", name)
		}
	}
}

// TestForbids checks that the rules reject what they should.
func TestForbids(t *testing.T) {
	h := readHouse(t)
	tests := []struct {
		name   string
		f      file
		imp    string
		forbid bool
	}{
		{"common", file{pkg: "agent"}, "airqa/qa", false},
		{"internal", file{pkg: "runlog"}, "airqa/internal/ledger", false},
		{"listed", file{pkg: "env"}, "airqa/tools", false},
		{"not listed", file{pkg: "agent"}, "airqa/tools", true},
		{"up", file{pkg: "qa"}, "airqa/agent", true},
		{"internal uses itself only", file{pkg: "internal/ledger"}, "airqa/qa", true},
		{"inside a folder", file{pkg: "ingest"}, "airqa/ingest/layout", false},
		{"one package of a folder", file{pkg: "tools"}, "airqa/agent/action", false},
		{"another package of that folder", file{pkg: "tools"}, "airqa/agent", true},
		{"a folder with its packages", file{pkg: "viewer"}, "airqa/trace/cause", false},
		{"the command", file{pkg: "cmd/airqa"}, "airqa/viewer", false},
		{"a driver in its folder", file{pkg: "env/paperdb"}, "github.com/marcboeker/go-duckdb/v2", false},
		{"a driver elsewhere", file{pkg: "env"}, "github.com/marcboeker/go-duckdb/v2", true},
		{"fixtures in the product", file{pkg: "run"}, "airqa/fixtures", true},
		{"fixtures in a test", file{pkg: "run", test: true}, "airqa/fixtures", false},
		{"fixtures in the program", file{pkg: "cmd/airqa"}, "airqa/fixtures", false},
		{"a test double in the program", file{pkg: "cmd/airqa"}, "airqa/internal/testkit/openaitest", true},
		{"a test double in another", file{pkg: "internal/testkit/bigrun"}, "airqa/internal/testkit/golden", false},
		{"a test uses anything", file{pkg: "agent", test: true}, "airqa/tools", false},
		{"unknown folder", file{pkg: "run"}, "airqa/nowhere", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if why := h.forbids(tt.f, tt.imp); (why != "") != tt.forbid {
				t.Errorf("forbids(%s, %s) = %q, want forbidden %v", tt.f.pkg, tt.imp, why, tt.forbid)
			}
		})
	}
}

// forbids returns the reason why f may not import imp, or "". Tests may import every package: they are not part of the
// product.
func (h house) forbids(f file, imp string) string {
	for module, homes := range h.fences {
		if client := f.test && f.pkg == "cmd/airqa"; within(imp, module) && !slices.Contains(homes, f.pkg) && !client {
			return "only " + strings.Join(homes, " ") + " uses this module"
		}
	}
	pkg, ours := strings.CutPrefix(imp, "airqa/")
	if !ours {
		return ""
	}
	if _, ok := h.folders[top(pkg)]; !ok {
		return "folder " + top(pkg) + " is not in folders.txt"
	}
	if f.test || testSupport(f.pkg) {
		return ""
	}
	for guarded, importers := range h.tests {
		if within(pkg, guarded) {
			if slices.Contains(importers, f.pkg) {
				return ""
			}
			return "it is for tests"
		}
	}
	from := top(f.pkg)
	if top(pkg) == from || from != "qa" && top(pkg) == "qa" && from != "internal" || top(pkg) == "internal" {
		return ""
	}
	for _, allowed := range h.folders[from] {
		if allowed == "*" || within(pkg, allowed) {
			return ""
		}
	}
	return "folder " + from + " may not import " + pkg
}

// within reports whether name is the folder or lies in it.
func within(name, folder string) bool { return name == folder || strings.HasPrefix(name, folder+"/") }

// top returns the first element of a path.
func top(pkg string) string {
	first, _, _ := strings.Cut(pkg, "/")
	return first
}

// testSupport reports whether a package has test doubles and programs only.
func testSupport(pkg string) bool {
	return within(pkg, "internal/testkit") || pkg == "internal/archtest"
}

func readHouse(t *testing.T) house {
	t.Helper()
	raw, err := os.ReadFile("folders.txt")
	if err != nil {
		t.Fatal(err)
	}
	h := house{make(map[string][]string), make(map[string][]string), make(map[string][]string), make(map[string]int)}
	for line := range strings.Lines(string(raw)) {
		f := strings.Fields(line)
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		if !h.add(f) {
			t.Fatalf("folders.txt: cannot read %q", line)
		}
	}
	return h
}

// add reads one line of folders.txt and reports whether it is valid.
func (h house) add(f []string) bool {
	if len(f) < 2 {
		return false
	}
	switch {
	case f[0] == "folder":
		h.folders[f[1]] = f[2:]
	case f[0] == "limit" && len(f) == 3:
		n, err := strconv.Atoi(f[2])
		h.limits[f[1]] = n
		return err == nil
	case f[0] == "tests":
		h.tests[f[1]] = f[2:]
	case f[0] == "fence" && len(f) >= 3:
		h.fences[f[1]] = f[2:]
	default:
		return false
	}
	return true
}

// imports returns the packages of the module that each package imports, tests and test support left out.
func imports(files []file) map[string][]string {
	found := make(map[string]map[string]bool)
	for _, f := range files {
		if f.test || testSupport(f.pkg) {
			continue
		}
		if found[f.pkg] == nil {
			found[f.pkg] = make(map[string]bool)
		}
		for _, imp := range f.imports {
			if pkg, ours := strings.CutPrefix(imp, "airqa/"); ours {
				found[f.pkg][path.Clean(pkg)] = true
			}
		}
	}
	graph := make(map[string][]string)
	for pkg, set := range found {
		graph[pkg] = slices.Sorted(maps.Keys(set))
	}
	return graph
}
