package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"airqa/fixtures"
)

// command runs the program and returns its exit code and standard error.
func command(t *testing.T, args ...string) (int, string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), asProgram+"=1")
	raw, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), string(raw)
}

// Papers are fetched into the data directory, read, and skipped the second time; failed downloads are reported.
func TestIngestFetches(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.FileServerFS(fixtures.Papers()))
	gone := httptest.NewServer(nil)
	gone.Close()
	defer web.Close()
	dir := t.TempDir()
	data, list := filepath.Join(dir, "data"), filepath.Join(dir, "list.txt")
	if err := os.WriteFile(list, []byte("# one paper\n\n"+web.URL+"/prunella.pdf my name.pdf\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := []string{"ingest", "--data", data, "--delay", "0s", "--url", web.URL + "/tallow.pdf", "--list", list}
	tests := []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"fetched", good, 0, []string{"fetch: 2 fetched, 0 already present, 0 failed", "ingest: 2 added"}},
		{"there", good, 0, []string{"fetch: 0 fetched, 2 already present", "ingest: 0 added, 2 already present"}},
		{"one is missing", append(good, "--url", web.URL+"/none.pdf"), 3, []string{"404 Not Found", "1 papers could not be fetched"}},
		{"offline", []string{"ingest", "--data", data, "--url", gone.URL + "/x.pdf"}, 1, []string{"cannot reach 127.0.0.1", "download the file yourself and pass its path"}},
		{"no address", []string{"ingest", "--data", data, "--arxiv", "attention"}, 2, []string{"nor an arXiv id"}},
		{"no list", []string{"ingest", "--data", data, "--list", filepath.Join(dir, "none")}, 2, []string{"none"}},
		{"no size", append(good, "--max-mb", "0"), 2, []string{"--max-mb"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, text := command(t, tt.args...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing in:\n%s", want, text)
				}
			}
		})
	}
	for _, name := range []string{"tallow.pdf", "my_name.pdf"} {
		if _, err := os.Stat(filepath.Join(data, "downloads", name)); err != nil {
			t.Error(err)
		}
	}
}
