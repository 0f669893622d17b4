package archtest

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const newBaseline = `package baselines

import "context"

// echo answers from the question alone.
func echo() Baseline {
	return Baseline{
		Name:    "echo",
		Summary: "the question again",
		Prompts: []string{"plain", "task"},
		solve:   once(", from what you know.", func(context.Context, job) (string, error) { return "none", nil }),
	}
}
`

const newFunction = `package eval

import (
	"context"

	"airqa/internal/python"
)

// lengthMatch compares lengths.
var lengthMatch = Function{
	Name:   "eval_length_match",
	Params: []Param{required("gold", KindText)},
	score: func(_ context.Context, _ *Scorer, _ *Comparison, prediction python.Value, k kwargs) (outcome, error) {
		return passed(len(python.Str(prediction)) == len(python.Str(k.get("gold", nil)))), nil
	},
}
`

// TestToAdd follows the steps of docs/ARCHITECTURE.md for a new baseline and a new evaluation function in a copy of the
// tree. The tests that list baselines and functions must pass.
func TestToAdd(t *testing.T) {
	if testing.Short() {
		t.Skip("builds packages in a copy of the tree")
	}
	root := copyTree(t)
	tests := []struct {
		name, file, text, list, line string
		update, check                []string
	}{
		{
			"baseline", "baselines/echo.go", newBaseline, "baselines/baselines.go", "\t\tagenticHybridView(),\n\t}",
			[]string{"./baselines"},
			[]string{"./baselines", "./run/estimate", "./report"},
		},
		{
			"evaluation function", "eval/length_match.go", newFunction, "eval/functions.go", "\tnegation,\n}",
			[]string{"./report/questions"},
			[]string{"./eval", "./eval/stream", "./report/questions"},
		},
	}
	added := map[string]string{"baseline": "\t\tagenticHybridView(),\n\t\techo(),\n\t}", "evaluation function": "\tnegation,\n\tlengthMatch,\n}"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			write(t, filepath.Join(root, tt.file), tt.text)
			list, err := os.ReadFile(filepath.Join(root, tt.list))
			if err != nil || strings.Count(string(list), tt.line) != 1 {
				t.Fatalf("%s has no %q (%v)", tt.list, tt.line, err)
			}
			write(t, filepath.Join(root, tt.list), strings.Replace(string(list), tt.line, added[tt.name], 1))
			goTest(t, root, append(tt.update, "-update")...)
			goTest(t, root, tt.check...)
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func goTest(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", append([]string{"test", "-short", "-vet=off", "-ldflags=-w"}, args...)...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go test %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// copyTree copies the module without its history.
func copyTree(t *testing.T) string {
	t.Helper()
	from, to := filepath.Join("..", ".."), t.TempDir()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case d.Name() == ".git":
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}
