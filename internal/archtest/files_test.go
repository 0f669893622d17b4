package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEvalFiles checks that the files of package eval are in layers: no file uses another that uses it, even through
// others. A new function must not reach back to the table of functions or to the scorer.
func TestEvalFiles(t *testing.T) {
	uses := fileUses(t, "../../eval")
	if len(uses) < 10 || len(uses["scorer.go"]) == 0 {
		t.Fatalf("only %v found", uses)
	}
	done := make(map[string]bool)
	var visit func(chain []string)
	visit = func(chain []string) {
		file := chain[len(chain)-1]
		for _, next := range slices.Sorted(maps.Keys(uses[file])) {
			if i := slices.Index(chain, next); i >= 0 {
				t.Errorf("the files use each other: %s > %s, for %s", strings.Join(chain[i:], " > "), next, uses[file][next])
			} else if !done[next] {
				visit(append(slices.Clone(chain), next))
			}
		}
		done[file] = true
	}
	for _, file := range slices.Sorted(maps.Keys(uses)) {
		if !done[file] {
			visit([]string{file})
		}
	}
}

// fileUses returns, for each production file of a folder, the other files that it uses, with a name for which it does.
func fileUses(t *testing.T, dir string) map[string]map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := types.Info{Uses: make(map[*ast.Ident]types.Object)}
	conf := types.Config{Importer: noImports{}, Error: func(error) {}} // names of other packages stay unknown
	pkg, _ := conf.Check(dir, fset, files, &info)
	uses := make(map[string]map[string]string)
	for id, object := range info.Uses {
		from, to := fset.Position(id.Pos()).Filename, fset.Position(object.Pos()).Filename
		if object.Pkg() != pkg || from == to || to == "" {
			continue
		}
		from, to = path.Base(from), path.Base(to)
		if uses[from] == nil {
			uses[from] = make(map[string]string)
		}
		if name := uses[from][to]; name == "" || id.Name < name {
			uses[from][to] = id.Name
		}
	}
	return uses
}

// noImports imports empty packages.
type noImports struct{}

func (noImports) Import(name string) (*types.Package, error) {
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}
