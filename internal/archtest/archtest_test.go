package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// house is the parsed floors.txt.
type house struct {
	floors  map[string]int
	guarded map[string]bool // only for tests and cmd
	allowed map[[2]string]bool
	fences  map[string]string // module prefix to folder
}

// file is a Go file of the tree.
type file struct {
	pkg, name string
	test      bool
	imports   []string
	comment   bool
}

func TestFloors(t *testing.T) {
	h := readHouse(t)
	files := readTree(t)
	if len(files) < 50 {
		t.Fatalf("only %d Go files found: wrong root directory?", len(files))
	}
	commented := make(map[string]bool)
	for _, f := range files {
		if _, ok := h.floor(f.pkg); !ok {
			t.Errorf("%s: package %s is not in floors.txt", f.name, f.pkg)
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

// TestForbids checks that the rules reject what they should.
func TestForbids(t *testing.T) {
	h := readHouse(t)
	tests := []struct {
		name   string
		f      file
		imp    string
		forbid bool
	}{
		{"down", file{pkg: "agent"}, "airqa/qa", false},
		{"up", file{pkg: "qa"}, "airqa/agent", true},
		{"sideways", file{pkg: "agent"}, "airqa/tools", true},
		{"allowed sideways", file{pkg: "ingest"}, "airqa/ingest/layout", false},
		{"a driver in its folder", file{pkg: "env/paperdb"}, "github.com/marcboeker/go-duckdb/v2", false},
		{"a driver elsewhere", file{pkg: "env"}, "github.com/marcboeker/go-duckdb/v2", true},
		{"fixtures in the product", file{pkg: "run"}, "airqa/fixtures", true},
		{"fixtures in a test", file{pkg: "run", test: true}, "airqa/fixtures", false},
		{"fixtures in the program", file{pkg: "cmd/airqa"}, "airqa/fixtures", false},
		{"unknown package", file{pkg: "run"}, "airqa/nowhere", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if why := h.forbids(tt.f, tt.imp); (why != "") != tt.forbid {
				t.Errorf("forbids(%s, %s) = %q, want forbidden %v", tt.f.pkg, tt.imp, why, tt.forbid)
			}
		})
	}
}

func (h house) floor(pkg string) (int, bool) {
	if n, ok := h.floors[pkg]; ok {
		return n, true
	}
	n, ok := h.floors[path.Dir(pkg)+"/*"]
	return n, ok
}

// forbids returns the reason why f may not import imp, or "".
func (h house) forbids(f file, imp string) string {
	for prefix, home := range h.fences {
		if (imp == prefix || strings.HasPrefix(imp, prefix+"/")) && f.pkg != home {
			return "only " + home + " knows this driver"
		}
	}
	pkg, ours := strings.CutPrefix(imp, "airqa/")
	if !ours || pkg == f.pkg {
		return ""
	}
	to, known := h.floor(pkg)
	if !known {
		return "it is not in floors.txt"
	}
	if h.guarded[pkg] {
		if f.test || f.pkg == "cmd/airqa" || h.guarded[f.pkg] {
			return ""
		}
		return "only tests and cmd/airqa may"
	}
	from, _ := h.floor(f.pkg)
	sibling := to == from && !h.allowed[[2]string{f.pkg, pkg}] && to > 0
	// Tests may import packages of the same or a higher floor: they are not part of the product.
	if !f.test && (to > from || sibling) {
		return "floor " + strconv.Itoa(from) + " may not import floor " + strconv.Itoa(to)
	}
	return ""
}

func readHouse(t *testing.T) house {
	t.Helper()
	raw, err := os.ReadFile("floors.txt")
	if err != nil {
		t.Fatal(err)
	}
	h := house{make(map[string]int), make(map[string]bool), make(map[[2]string]bool), make(map[string]string)}
	for line := range strings.Lines(string(raw)) {
		f := strings.Fields(strings.SplitN(line, "#", 2)[0])
		switch {
		case len(f) == 0:
		case f[0] == "allow" && len(f) == 3:
			h.allowed[[2]string{f[1], f[2]}] = true
		case f[0] == "fence" && len(f) == 3:
			h.fences[f[1]] = f[2]
		default:
			h.addFloor(t, line, f)
		}
	}
	return h
}

func (h house) addFloor(t *testing.T, line string, f []string) {
	t.Helper()
	n, err := strconv.Atoi(f[0])
	if err != nil || len(f) > 3 || len(f) < 2 {
		t.Fatalf("floors.txt: cannot read %q", line)
	}
	h.floors[f[1]] = n
	h.guarded[f[1]] = len(f) == 3 && f[2] == "!"
}

func readTree(t *testing.T) []file {
	t.Helper()
	var files []file
	root := "../.."
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(p) != ".go" {
			return nil
		}
		f, err := readFile(root, p)
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func readFile(root, p string) (file, error) {
	rel, err := filepath.Rel(root, p)
	if err != nil {
		return file{}, err
	}
	tree, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return file{}, err
	}
	f := file{
		pkg: filepath.ToSlash(filepath.Dir(rel)), name: filepath.ToSlash(rel),
		test: strings.HasSuffix(p, "_test.go"), comment: tree.Doc.Text() != "",
	}
	for _, imp := range tree.Imports {
		name, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			return f, err
		}
		f.imports = append(f.imports, name)
	}
	return f, nil
}
