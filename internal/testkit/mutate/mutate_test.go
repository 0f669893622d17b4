package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const source = `package p

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

func count(list []int, done func()) (n int, err error) {
	defer done()
	for _, v := range list {
		n += v
	}
	return n, err
}
`

func TestSites(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	sites, err := sitesIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, s := range sites {
		kinds = append(kinds, s.kind)
	}
	got := strings.Join(kinds, "; ")
	want := "negate n < 0; <= for < in n < 0; one more than 0; one more than 1; one more than 1; " +
		"without defer done(); without n += v; nil for the error of return n, err"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if a, b := shuffled(sites, 1, dir), shuffled(sites, 1, dir); a[0] != b[0] || a[7] != b[7] {
		t.Error("the same seed gives two samples")
	}
}

// A module of its own, whose only test knows positive numbers.
func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module p\n\ngo 1.26\n",
		"p.go":      "package p\n\nfunc sign(n int) int {\n\tif n < 0 {\n\t\treturn -5\n\t}\n\treturn 1\n}\n",
		"p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestSign(t *testing.T) {\n\tif sign(3) != 1 {\n\t\tt.Fatal()\n\t}\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	var out bytes.Buffer
	// Noticed: the negated condition and the other result. Not noticed: <= for <, 1 for 0, -6 for -5.
	err := run(t.Context(), []string{"-n", "9", "-min", "41", "."}, &out)
	if err == nil || !strings.Contains(out.String(), "2 of 5 noticed") || strings.Count(out.String(), "survived") != 3 {
		t.Errorf("%v\n%s", err, out.String())
	}
	if err := run(t.Context(), []string{"-n", "9", "-min", "40", "."}, &out); err != nil {
		t.Error(err)
	}
}
