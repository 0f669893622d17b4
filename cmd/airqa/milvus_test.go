package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"airqa/fixtures"
	"airqa/internal/testkit/milvustest"
	"airqa/internal/testkit/openaitest"
)

// runProgram runs airqa as a process and returns what it printed and its exit code.
func runProgram(t *testing.T, args ...string) (string, int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), asProgram+"=1")
	out, _ := c.CombinedOutput()
	return string(out), c.ProcessState.ExitCode()
}

// The vectors on a Milvus server: ingest, copy, run; the server dies in the middle of each, the error names it, and the
// same command resumes when it is back.
func TestMilvusServer(t *testing.T) {
	server := milvustest.Start(t)
	url := "milvus://" + server.Address + "?prefix=cmd_&timeout=5s"
	dir := t.TempDir()
	if err := unpackPapers(filepath.Join(dir, "papers")); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	ingest := []string{"ingest", "--data", data, "--vectors", url, filepath.Join(dir, "papers")}

	server.Kill()
	if out, code := runProgram(t, ingest...); code != exitFailed || !strings.Contains(out, server.Address) {
		t.Errorf("ingest without the server ended with %d:\n%s", code, out)
	}
	server.Restart(t)
	if out, code := runProgram(t, ingest...); code != exitDone {
		t.Fatalf("ingest with the server back ended with %d:\n%s", code, out)
	}
	recorded := "milvus://" + server.Address + "?prefix=cmd_"
	if index := indexOf(t, data); index.Vectors != recorded {
		t.Errorf("the record names %q, want %q", index.Vectors, recorded)
	}
	if out, code := runProgram(t, "search", "--data", data, "window"); code != exitUsage || !strings.Contains(out, "--vectors '"+recorded+"'") {
		t.Errorf("search at a recorded server that was not named ended with %d:\n%s", code, out)
	}
	t.Setenv("AIRQA_VECTORS", url)
	if out, code := runProgram(t, "search", "--data", data, "window"); code != exitDone || !strings.Contains(out, "1. score") {
		t.Errorf("search ended with %d:\n%s", code, out)
	}
	if out, code := runProgram(t, "search", "--data", data, "--vectors", "files", "window"); code != exitUsage || !strings.Contains(out, recorded) {
		t.Errorf("search in files ended with %d:\n%s", code, out)
	}
	if out, code := runProgram(t, "store", "vectors", "--data", data, "--to", "files"); code != exitDone {
		t.Fatalf("copy ended with %d:\n%s", code, out)
	}
	if index := indexOf(t, data); index.Vectors != "files" {
		t.Errorf("the record names %q after the copy", index.Vectors)
	}
	if out, code := runProgram(t, "store", "vectors", "--data", data, "--to", url); code != exitDone {
		t.Fatalf("copy back ended with %d:\n%s", code, out)
	}
	approximateIndex(t, data, url)
	killedRun(t, server, dir, []string{"--data", data, "--vectors", url})
}

// approximateIndex changes the index of the collections, and moves them away when the server is lost.
func approximateIndex(t *testing.T, data, url string) {
	t.Helper()
	const index, exact, again = "&index=IVF_FLAT&nlist=4&nprobe=1", "&index=FLAT", "--embed-again"
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"--to " + url + "&index=HNSW", exitFailed, "the server refuses index HNSW: milvus at "},
		{"--to " + url + index, exitDone, ""},
		{"--vectors " + url + index, exitDone, "text_bm25_en: "},
		{"--rebuild --vectors " + url, exitDone, "text_bm25_en: "},
		{"--vectors" + " " + url + " --to " + url + exact, exitDone, ""},
		{"--vectors " + url + index, exitFailed, "has index FLAT, not IVF_FLAT nlist=4 nprobe=1"},
		{"--vectors milvus://127.0.0.1:1 --to files", exitUsage, "not at milvus://127.0.0.1:1"},
		{"--vectors files --to files", exitUsage, "not at files"},
		{again + " --to files", exitDone, ""},
		{"--to " + url, exitDone, ""},
	} {
		args := append([]string{"store", "vectors"}, strings.Fields(tt.args)...)
		if out, code := runProgram(t, append(args, "--data", data)...); code != tt.code || !strings.Contains(out, tt.want) {
			t.Fatalf("%s ended with %d, want %d and %q:\n%s", tt.args, code, tt.code, tt.want, out)
		}
	}
}

// killedRun kills the server while a run waits for its model.
func killedRun(t *testing.T, server *milvustest.Server, dir string, where []string) {
	t.Helper()
	questions := filepath.Join(dir, "questions.jsonl")
	lines := strings.SplitAfter(string(fixtures.Questions()), "\n")
	if err := os.WriteFile(questions, []byte(strings.Join(lines[:3], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := 0
	endpoint := openaitest.New(openaitest.Config{Reply: func(messages []openaitest.Message) string {
		if asked++; asked == 1 {
			server.Kill()
		}
		if len(messages) > 2 {
			return "[Action]: Answer(answer=1)"
		}
		return "[Action]: Retrieve(query=\"window\")"
	}})
	defer endpoint.Close()
	run := append([]string{
		"run", "--questions", questions, "--baseline", "agentic-rag", "--model", "openai:m", "--base-url", endpoint.URL(),
		"--out", filepath.Join(dir, "run"), "-j", "1",
	}, where...)
	if out, code := runProgram(t, run...); code != exitFailedExamples || !strings.Contains(out, server.Address) {
		t.Errorf("the run without the server ended with %d:\n%s", code, out)
	}
	server.Restart(t)
	if out, code := runProgram(t, run...); code != exitDone {
		t.Fatalf("the run with the server back ended with %d:\n%s", code, out)
	}
	// Three questions of two calls each: no reply was asked for twice.
	if n := len(trajectories(t, filepath.Join(dir, "run"))); n != 3 || endpoint.Calls() != 6 {
		t.Errorf("%d finished episodes, %d calls; want 3 and 6", n, endpoint.Calls())
	}
}
