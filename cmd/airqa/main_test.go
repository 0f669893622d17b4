package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"airqa/env/paperdb"
	"airqa/fixtures"
	"airqa/internal/testkit"
	"airqa/internal/testkit/fixturetest"
	"airqa/internal/testkit/openaitest"
	"airqa/llm/offline"
	"airqa/qa"
)

// asProgram makes the test binary behave as airqa itself, for tests that need a process to kill.
const asProgram = "AIRQA_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	paperdb.WorkerMain()
	if os.Getenv(asProgram) != "" {
		patience = time.Hour // a second Ctrl-C must be heeded, or a third end the program
		os.Exit(profiled(func() int { return airqa(os.Args[1:]) }))
	}
	if spec := os.Getenv(asLoad); spec != "" {
		os.Exit(profiled(func() int { return loadChild(spec) }))
	}
	collectRarely()
	testscript.Main(cleaned{m}, map[string]func(){"airqa": main})
}

// collectRarely makes the programs that tests start collect little garbage, since most of them end within a tenth of a
// second and spend much of it on that. In long tests and benchmarks they are as users have them.
func collectRarely() {
	benchmark := func(arg string) bool { return strings.HasPrefix(arg, "-test.bench=") }
	if testkit.IsLong() || slices.ContainsFunc(os.Args, benchmark) {
		return
	}
	if err := os.Setenv("GOGC", "800"); err != nil {
		panic(err)
	}
}

// cleaned are the tests, after which the sample papers are removed.
type cleaned struct{ tests *testing.M }

func (c cleaned) Run() int {
	defer func() {
		if sample.dir != "" {
			_ = os.RemoveAll(filepath.Dir(sample.dir))
		}
	}()
	return c.tests.Run()
}

// TestScripts runs the command line as a user does: files in, command, standard output and error, exit code.
func TestScripts(t *testing.T) {
	data := ingested(t)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Condition: func(name string) (bool, error) {
			if name != "long" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return testkit.IsLong(), nil
		},
		Setup: func(e *testscript.Env) error {
			server := policyServer()
			e.Defer(server.Close)
			e.Setenv("ENDPOINT", server.URL())
			flaky := policyServer()
			e.Defer(flaky.Close)
			flaky.Fail(openaitest.Status(500, "down", "down"), nil, nil, openaitest.Status(502, "down", "down"))
			e.Setenv("FLAKY", flaky.URL())
			tools := toolServer()
			e.Defer(tools.Close)
			e.Setenv("TOOLS", tools.Root())
			e.Setenv("DATA", data)
			words := embeddingServer(byWords)
			e.Defer(words.Close)
			e.Setenv("WORDS", words.URL+"/v1")
			e.Setenv("FEW", words.URL+"/few")
			tokenizer, err := filepath.Abs("../../internal/bpe/testdata/digits.json")
			if err != nil {
				return err
			}
			e.Setenv("TOKENIZER", tokenizer)
			companions, err := filepath.Abs("../../fixtures")
			if err != nil {
				return err
			}
			e.Setenv("FIXTURES", companions)
			// PDFium's compiled code is kept in the user's cache directory; scripts have no home of their own.
			e.Setenv("XDG_CACHE_HOME", cache)
			e.Setenv("GOGC", os.Getenv("GOGC"))
			if err := os.WriteFile(filepath.Join(e.WorkDir, "questions.jsonl"), fixtures.Questions(), 0o600); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(e.WorkDir, "gold-answers.jsonl"), fixturetest.Gold(), 0o600); err != nil {
				return err
			}
			return unpackPapers(filepath.Join(e.WorkDir, "papers"))
		},
	})
}

// exits runs a command that must end with an exit code: exits 3 airqa ingest ...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

func unpackPapers(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return fs.WalkDir(fixtures.Papers(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(fixtures.Papers(), path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, path), raw, 0o600)
	})
}

// sample is the data directory of the sample papers, ingested once for all tests, and the folder that it is removed with.
var sample struct {
	once sync.Once
	dir  string
	code int
}

// ingested returns a data directory of the sample papers that belongs to the test.
func ingested(t testing.TB) string {
	t.Helper()
	sample.once.Do(func() {
		dir, err := os.MkdirTemp("", "airqa-sample-")
		if err != nil {
			t.Fatal(err)
		}
		if err := unpackPapers(filepath.Join(dir, "papers")); err != nil {
			t.Fatal(err)
		}
		sample.dir = filepath.Join(dir, "data")
		sample.code = airqa([]string{"ingest", "--data", sample.dir, filepath.Join(dir, "papers")})
	})
	if sample.code != 0 {
		t.Fatalf("ingest of the sample papers ended with %d", sample.code)
	}
	data := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(data, os.DirFS(sample.dir)); err != nil {
		t.Fatal(err)
	}
	return data
}

// policyServer is a chat endpoint on the loopback that answers as the offline policy does.
func policyServer() *openaitest.Server { return openaitest.New(openaitest.Config{Reply: policyReply}) }

// policyReply is what the offline policy replies.
func policyReply(messages []openaitest.Message) string {
	list := make([]qa.Message, len(messages))
	for i, m := range messages {
		for _, url := range m.Images {
			if len(url) < 100 {
				return "a picture did not arrive: " + url
			}
		}
		list[i] = qa.Message{Role: qa.Role(m.Role), Text: m.Text}
	}
	reply, err := offline.New().Complete(context.Background(), qa.Request{Messages: list})
	if err != nil {
		return fmt.Sprintf("the policy failed: %v", err)
	}
	return reply.Text
}

// toolServer is a chat endpoint, in every protocol, that calls tools natively: one query, then the answer.
func toolServer() *openaitest.Server {
	return openaitest.New(openaitest.Config{
		Reply: func([]openaitest.Message) string { return "I look it up." },
		ToolCalls: func(messages []openaitest.Message) []openaitest.ToolCall {
			last := messages[len(messages)-1]
			if strings.Contains(last.Text, "num_pages") {
				return []openaitest.ToolCall{{ID: "call_2", Name: "Answer", Arguments: `{"answer": [3, true]}`}}
			}
			return []openaitest.ToolCall{{ID: "call_1", Name: "Query", Arguments: `{"sql": "SELECT num_pages FROM metadata LIMIT 1"}`}}
		},
	})
}

// waitFor waits until something that another process does has happened.
func waitFor(t *testing.T, happened func() bool) {
	t.Helper()
	for range 12_000 {
		if happened() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("it did not happen in a minute")
}
