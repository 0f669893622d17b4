package files_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"airqa/internal/files"
)

// The program of this test prints the folder of a cache, and the lines that it got.
func TestMain(m *testing.M) {
	if os.Getenv("AIRQA_TEST_CACHE") == "" {
		os.Exit(m.Run())
	}
	var lines []string
	for range 2 {
		dir, err := files.Cache("part", func(line string) { lines = append(lines, line) })
		if err != nil {
			lines = append(lines, err.Error())
		}
		lines = append(lines, "in "+dir)
	}
	_, _ = os.Stdout.WriteString(strings.Join(lines, "\n"))
}

// A cache folder that cannot be used is replaced by one of the user's own, the same one each time, with one line.
func TestCache(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("XDG_CACHE_HOME is not used on this system")
	}
	const replaced = "the cache is in "
	for name, tt := range map[string]struct {
		usual, temp func(dir string) string // paths from an empty folder
		in          string                  // where the cache then is
		noted       bool
	}{
		"usual":            {usual: sub("new"), in: "new/airqa/part"},
		"below a file":     {usual: file, in: "tmp/airqa-UID/part", noted: true},
		"not set":          {usual: func(string) string { return "" }, in: "tmp/airqa-UID/part", noted: true},
		"relative":         {usual: func(string) string { return "cache" }, in: "tmp/airqa-UID/part", noted: true},
		"taken by another": {usual: file, temp: open, in: "tmp/airqa-", noted: true},
		"a link":           {usual: file, temp: link, in: "tmp/airqa-", noted: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			temp := filepath.Join(dir, "tmp")
			if err := os.Mkdir(temp, 0o700); err != nil {
				t.Fatal(err)
			}
			own := filepath.Join(temp, "airqa-"+uid())
			if tt.temp != nil {
				tt.temp(own)
			}
			c := exec.CommandContext(t.Context(), os.Args[0])
			c.Env = []string{"AIRQA_TEST_CACHE=1", "TMPDIR=" + temp, "XDG_CACHE_HOME=" + tt.usual(dir)}
			raw, err := c.Output()
			out := strings.ReplaceAll(string(raw), "airqa-"+uid(), "airqa-UID")
			if err != nil || strings.Count("\n"+out, "\nin "+filepath.Join(dir, tt.in)) != 2 || strings.Contains(out, replaced) != tt.noted {
				t.Errorf("%v\n%s", err, out)
			}
			if tt.temp != nil && strings.Contains(out, "airqa-UID") {
				t.Errorf("a folder that others can change is used:\n%s", out)
			}
		})
	}
}

func sub(name string) func(string) string {
	return func(dir string) string { return filepath.Join(dir, name) }
}

func file(dir string) string {
	path := filepath.Join(dir, "file")
	_ = os.WriteFile(path, nil, 0o600)
	return path
}

// open makes a folder that all can write to.
func open(path string) string {
	_ = os.Mkdir(path, 0o700)
	_ = os.Chmod(path, 0o777)
	return path
}

func link(path string) string {
	_ = os.Symlink(os.TempDir(), path)
	return path
}

func uid() string { return strconv.Itoa(os.Getuid()) }
