package archtest

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"airqa/internal/testkit"
)

// TestToAdd follows the steps of "Where do I add …" in CONTRIBUTING.md in a copy of the tree, one file of testdata/toadd for
// each row. Its parts are:
//
//	-- FILE --        a new file
//	-- edit FILE --   a text of FILE between the lines <<< and ===, and its replacement between === and >>>
//	-- update --      packages whose golden files the row renews
//	-- check --       packages whose tests must pass
//
// The packages are built from the tree itself, with the changed files laid over it, so that the rest comes from the build
// cache. The tests run in the copy. With AIRQA_TEST_TOADD set, all tests run at the end, with all rows followed: make toadd.
func TestToAdd(t *testing.T) {
	testkit.Long(t, "builds packages with changed files")
	c := newCopy(t)
	rows, err := filepath.Glob("testdata/toadd/*.txtar")
	if err != nil || len(rows) < 7 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, path := range rows {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			row, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range row.Files {
				text := string(f.Data)
				name, edit := strings.CutPrefix(f.Name, "edit ")
				switch {
				case edit:
					c.edit(t, name, text)
				case name == "update":
					c.test(t, append(strings.Fields(text), "-update")...)
				case name == "check":
					c.test(t, strings.Fields(text)...)
				default:
					c.write(t, name, text)
				}
			}
		})
	}
	if os.Getenv("AIRQA_TEST_TOADD") != "" {
		c.test(t, "-timeout", "30m", "./...")
	}
}

// treeCopy is a copy of the tree, in which files change.
type treeCopy struct {
	root, dir string
	script    string // runs a test binary in the folder of the copy
	// changed are the files laid over the tree: absolute path to the path of the copy.
	changed map[string]string
}

func newCopy(t *testing.T) *treeCopy {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	c := &treeCopy{root: root, dir: filepath.Join(t.TempDir(), "airqa"), changed: make(map[string]string)}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		to := filepath.Join(c.dir, rel)
		switch {
		case d.Name() == ".git":
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, raw, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	c.script = filepath.Join(filepath.Dir(c.dir), "run")
	script := "#!/bin/sh\ncd \"" + c.dir + "${PWD#" + c.root + "}\" && exec \"$@\"\n"
	if err := os.WriteFile(c.script, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return c
}

// write writes a file of the copy.
func (c *treeCopy) write(t *testing.T, name, text string) {
	t.Helper()
	to := filepath.Join(c.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	c.changed[filepath.Join(c.root, name)] = to
}

// edit replaces a text that a file contains once.
func (c *treeCopy) edit(t *testing.T, name, change string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	_, change, _ = strings.Cut(change, "<<<\n")
	old, now, ok := strings.Cut(strings.TrimSuffix(change, "\n>>>\n"), "\n===\n")
	if !ok || strings.Count(string(raw), old) != 1 {
		t.Fatalf("%s does not contain this text once:\n%s", name, old)
	}
	c.write(t, name, strings.Replace(string(raw), old, now, 1))
}

// test runs go test on the changed tree.
func (c *treeCopy) test(t *testing.T, args ...string) {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"Replace": c.changed})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(overlay, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	// The steps add lines to the tree, which TestSizes does not allow without a removal.
	args = append([]string{"test", "-short", "-skip", "^TestSizes$", "-vet=off", "-ldflags=-w", "-overlay", overlay, "-exec", c.script}, args...)
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = c.root
	cmd.Env = append(os.Environ(), "AIRQA_TEST_LONG=") // these are not the tests of the tree
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
