package archtest

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// file is a Go file of the tree.
type file struct {
	pkg, name string
	test      bool
	lines     int
	imports   []string
	comment   bool // it has a package comment
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
	raw, err := os.ReadFile(p)
	if err != nil {
		return file{}, err
	}
	tree, err := parser.ParseFile(token.NewFileSet(), p, raw, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return file{}, err
	}
	f := file{
		pkg: filepath.ToSlash(filepath.Dir(rel)), name: filepath.ToSlash(rel),
		test: strings.HasSuffix(p, "_test.go"), comment: tree.Doc.Text() != "", lines: bytes.Count(raw, []byte("\n")),
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
