package smallmodels

import (
	"bufio"
	"context"
	"embed"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

//go:embed serve.py template.jinja
var script embed.FS

// The names of the models.
const (
	SmolLM2 = "smollm2"
	Gemma3  = "gemma3"
)

// Config is a model, the window of each request in tokens, and the number of requests that are answered at once.
type Config struct {
	Model          string
	Context, Slots int
}

// Start starts a server that ends with the test, and returns its root address. Without the packages it skips the test.
func Start(t testing.TB, c Config) string {
	t.Helper()
	packages := os.Getenv("AIRQA_TEST_MODELS")
	if packages == "" {
		t.Skip("AIRQA_TEST_MODELS names no folder with the small models; make nightly installs them")
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, script); err != nil {
		t.Fatal(err)
	}
	server := exec.CommandContext(context.WithoutCancel(t.Context()), "python3", filepath.Join(folder, "serve.py"),
		c.Model, strconv.Itoa(c.Context), strconv.Itoa(c.Slots), filepath.Join(folder, "template.jinja"))
	server.Env = append(os.Environ(), "PYTHONPATH="+packages)
	in, err := server.StdinPipe() // the server ends when this does, also if the tests are killed
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	t.Cleanup(func() {
		_ = in.Close()
		_ = server.Process.Kill()
		_ = server.Wait() // the error is that it was killed
	})
	if err != nil {
		t.Fatalf("the server of %s prints no address: %v", c.Model, err)
	}
	return strings.TrimSpace(address)
}
