package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"airqa/fixtures"
)

// A PDF given by its URL is fetched once, asked about like a file, and an address that fails ends the command.
func TestAskByAddress(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if r.URL.Path != "/lumenparse.pdf" {
			http.NotFound(w, r)
			return
		}
		http.ServeFileFS(w, r, fixtures.Papers(), "lumenparse.pdf")
	}))
	defer server.Close()
	dir := t.TempDir()
	cache := cacheBeside(t, dir)
	ask := func(paper string) (string, error) {
		c := exec.CommandContext(t.Context(), os.Args[0], "ask", "How many pages per second does LumenParse parse?", paper)
		c.Dir, c.Env = dir, append(os.Environ(), asProgram+"=1", "HOME="+dir, "XDG_CACHE_HOME="+cache)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	for range 2 {
		if out, err := ask(server.URL + "/lumenparse.pdf"); err != nil || !strings.Contains(out, "31 pages per second") {
			t.Errorf("%v\n%s", err, out)
		}
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests for one paper", n)
	}
	if out, err := ask(server.URL + "/none.pdf"); err == nil || !strings.Contains(out, "1 paper of 1 could not be fetched; download the PDF and pass the file") {
		t.Errorf("%v\n%s", err, out)
	}
}

// cacheBeside is a cache folder in dir that shares the compiled PDFium with the user's.
func cacheBeside(t *testing.T, dir string) string {
	t.Helper()
	user, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	mkdir(t, filepath.Join(dir, "airqa"))
	if err := os.Symlink(filepath.Join(user, "airqa", "wazero"), filepath.Join(dir, "airqa", "wazero")); err != nil {
		t.Fatal(err)
	}
	return dir
}
