package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// site is one change: the bytes [from, to) of a file become text.
type site struct {
	file     string
	line     int
	from, to int
	kind     string
	text     string
}

func (s site) String() string { return fmt.Sprintf("%s:%d: %s", s.file, s.line, s.kind) }

// sitesIn lists the possible changes of a package's production files, in source order.
func sitesIn(dir string) ([]site, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var all []site
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		f := finder{file: set.File(tree.Pos()), source: source}
		ast.Inspect(tree, f.visit)
		all = append(all, f.sites...)
	}
	return all, nil
}

// shuffled shuffles the sites, deterministically for a seed and package.
func shuffled(sites []site, seed uint64, dir string) []site {
	h := fnv.New64a()
	_, _ = h.Write([]byte(filepath.ToSlash(filepath.Clean(dir)))) // a hash never fails
	mixed := slices.Clone(sites)
	r := rand.New(rand.NewPCG(seed, h.Sum64())) //nolint:gosec // a sample, no secret
	r.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	return mixed
}

// finder collects the sites of one file.
type finder struct {
	file   *token.File
	source []byte
	sites  []site
}

func (f *finder) add(from, to token.Pos, kind, text string) {
	f.sites = append(f.sites, site{
		file: f.file.Name(), line: f.file.Line(from), from: f.file.Offset(from), to: f.file.Offset(to), kind: kind, text: text,
	})
}

func (f *finder) text(n ast.Node) string {
	return string(f.source[f.file.Offset(n.Pos()):f.file.Offset(n.End())])
}

// others maps an operator to its replacement.
var others = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.LAND: token.LOR, token.LOR: token.LAND,
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR // constants, types and imports are not behaviour
	case *ast.IfStmt:
		f.add(n.Cond.Pos(), n.Cond.End(), "negate "+f.text(n.Cond), "!("+f.text(n.Cond)+")")
	case *ast.BinaryExpr:
		if other, ok := others[n.Op]; ok {
			f.add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), fmt.Sprintf("%s for %s in %s", other, n.Op, f.text(n)), other.String())
		}
	case *ast.BasicLit:
		f.otherNumber(n)
	case *ast.Ident:
		f.otherBool(n)
	case *ast.ReturnStmt:
		f.dropError(n)
	case ast.Stmt:
		f.dropStatement(n)
	}
	return true
}

func (f *finder) otherNumber(n *ast.BasicLit) {
	if v, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil {
		f.add(n.Pos(), n.End(), "one more than "+n.Value, strconv.Itoa(v+1))
	}
}

func (f *finder) otherBool(n *ast.Ident) {
	if n.Name == "true" || n.Name == "false" {
		f.add(n.Pos(), n.End(), "not "+n.Name, "!"+n.Name)
	}
}

// dropError returns nil instead of an error.
func (f *finder) dropError(n *ast.ReturnStmt) {
	if len(n.Results) == 0 {
		return
	}
	last := n.Results[len(n.Results)-1]
	if name, ok := last.(*ast.Ident); ok && name.Name == "err" {
		f.add(last.Pos(), last.End(), "nil for the error of "+f.text(n), "nil")
	}
}

// dropStatement removes a statement that has an effect.
func (f *finder) dropStatement(n ast.Stmt) {
	switch s := n.(type) {
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt:
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			return
		}
	default:
		return
	}
	f.add(n.Pos(), n.End(), "without "+f.text(n), "")
}
