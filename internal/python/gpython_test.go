package python_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"airqa/internal/python"

	"github.com/go-python/gpython/ast"
	"github.com/go-python/gpython/parser"
	"github.com/go-python/gpython/py"
)

// TestGpython compares with another reader of Python, on texts put together from the forms that both know.
func TestGpython(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	read := 0
	for range 3000 {
		text := randomLiteral(r, 3)
		if r.IntN(3) == 0 {
			text = spoiled(r, text)
		}
		want, known := gpythonRepr(text)
		if !known {
			continue
		}
		v, err := python.Parse(text, python.Options{})
		if got := python.Repr(v); (want == "") != (err != nil) || err == nil && got != want {
			t.Errorf("%q: got %s, %v; gpython reads %q", text, got, err, want)
		}
		if err == nil {
			read++
		}
	}
	if read < 1500 {
		t.Errorf("only %d texts were read by both", read)
	}
}

var atoms = []string{"None", "True", "False", "1", "-7", "0x1f", "2.5", "1e3", "'a'", `"b\n"`, `'it\'s'`, "'''c'''", `r'\d'`, `'\d'`, `'é'`, `'x' "y"`, "+3", "''"}

func randomLiteral(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(3) == 0 {
		return atoms[r.IntN(len(atoms))]
	}
	items := make([]string, r.IntN(4))
	for i := range items {
		items[i] = randomLiteral(r, depth-1)
	}
	body := strings.Join(items, []string{",", ", ", " ,\n "}[r.IntN(3)])
	switch r.IntN(3) {
	case 0:
		return "(" + body + ")"
	case 1:
		for i := range items {
			items[i] = atoms[8+i] + ": " + items[i]
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	return "[" + body + "]"
}

// spoiled deletes or doubles a character.
func spoiled(r *rand.Rand, text string) string {
	runes := []rune(text)
	i := r.IntN(len(runes))
	if r.IntN(2) == 0 {
		return string(append(runes[:i:i], runes[i+1:]...))
	}
	return string(append(append(runes[:i+1:i+1], runes[i]), runes[i+1:]...))
}

// gpythonRepr returns the repr of what gpython reads, "" when it refuses the text; known is false for trees
// that are no literals, and for what it reads otherwise than Python does.
func gpythonRepr(text string) (repr string, known bool) {
	if strings.Contains(text, "0x") && strings.Count(text, "0x1f") != strings.Count(text, "0x") {
		return "", false // it takes 00x1f and the like for numbers
	}
	tree, err := parser.ParseString(text, py.EvalMode)
	if err != nil {
		return "", !strings.Contains(text, "00") // it refuses 00
	}
	v, ok := fromTree(tree.(*ast.Expression).Body)
	if !ok {
		return "", false
	}
	return python.Repr(v), true
}

func fromTree(e ast.Expr) (python.Value, bool) {
	switch x := e.(type) {
	case *ast.NameConstant:
		return constantOf(x.Value)
	case *ast.Num:
		return constantOf(x.N)
	case *ast.Str:
		return string(x.S), true
	case *ast.UnaryOp:
		return signOf(x)
	case *ast.List:
		items, ok := fromTrees(x.Elts)
		return python.List(items), ok
	case *ast.Tuple:
		items, ok := fromTrees(x.Elts)
		return python.Tuple(items), ok
	case *ast.Dict:
		return dictOf(x)
	}
	return nil, false
}

func constantOf(o py.Object) (python.Value, bool) {
	switch x := o.(type) {
	case py.Int:
		return int64(x), true
	case py.Float:
		return float64(x), true
	case py.Bool:
		return bool(x), true
	case py.NoneType:
		return nil, true
	}
	return nil, false
}

func signOf(x *ast.UnaryOp) (python.Value, bool) {
	v, ok := fromTree(x.Operand)
	factor := int64(1)
	if x.Op == ast.USub {
		factor = -1
	}
	switch n := v.(type) {
	case int64:
		return factor * n, ok
	case float64:
		return float64(factor) * n, ok
	}
	return nil, false
}

func fromTrees(list []ast.Expr) ([]python.Value, bool) {
	items := make([]python.Value, len(list))
	for i, e := range list {
		var ok bool
		if items[i], ok = fromTree(e); !ok {
			return nil, false
		}
	}
	return items, true
}

func dictOf(x *ast.Dict) (python.Value, bool) {
	d := &python.Dict{}
	for i := range x.Keys {
		k, okKey := fromTree(x.Keys[i])
		v, okValue := fromTree(x.Values[i])
		if !okKey || !okValue || !d.Set(k, v) {
			return nil, false
		}
	}
	return d, true
}
