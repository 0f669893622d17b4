package main

import (
	"bytes"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"airqa/internal/testkit/openaitest"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/models"
)

// Keys that must never be written. None looks like one of the usual providers' but the stranger's, which is in no variable
// and is known by its form alone.
const (
	plantedKey   = "planted-model-7Qx2Lm9Zr4"
	plantedJudge = "planted-judge-1Wv8Kc3Tn6"
	plantedOther = "planted-other-5Bd0Hy2Ps7"
	strangersKey = "sk-strangers-planted-3Gf6Jq1M"
)

func secrets() []string { return []string{plantedKey, plantedJudge, plantedOther, strangersKey} }

// secretive is a program with the keys in its environment; it writes to a buffer.
type secretive struct {
	t   *testing.T
	env []string
	out bytes.Buffer
}

// run starts the program and returns its exit code.
func (s *secretive) run(args ...string) int {
	s.t.Helper()
	c := exec.CommandContext(s.t.Context(), os.Args[0], args...)
	c.Env = append(append(os.Environ(), asProgram+"=1", "OPENAI_API_KEY="+plantedKey, "ANTHROPIC_API_KEY="+plantedOther, models.JudgeKey+"="+plantedJudge), s.env...)
	raw, err := c.CombinedOutput()
	s.out.Write(raw)
	if c.ProcessState == nil {
		s.t.Fatal(err)
	}
	return c.ProcessState.ExitCode()
}

// A model, a tool, an endpoint's error and a judge that repeat keys: none of them is in any file that was written, nor in
// the program's output.
func TestSecretsAreNotWritten(t *testing.T) {
	t.Parallel()
	said := strings.Join(secrets(), " ")
	data, dir := ingested(t), t.TempDir()
	server := openaitest.New(openaitest.Config{Key: plantedKey, Reasoning: said, Model: "served " + said, Reply: openaitest.Script(
		"[Thought]: "+said+"\n[Action]: Query(sql=\"SELECT '"+said+"' AS k\")",
		"[Action]: Query(sql=\"SELECT '"+said+"' FROM nowhere\")",
		"[Thought]: no action "+said,
		"[Action]: Retrieve(query=\""+said+"\")",
		"[Action]: Answer(answer={'a': '"+said+"'})",
	)})
	defer server.Close()
	server.Fail(openaitest.Status(http.StatusInternalServerError, said, said), openaitest.Body(http.StatusOK, said), nil, openaitest.CutBody(said))
	refusing := openaitest.New(openaitest.Config{Admit: func(int) openaitest.Fault { return openaitest.Status(http.StatusUnauthorized, said, said) }})
	defer refusing.Close()
	judging := openaitest.New(openaitest.Config{Key: plantedJudge, Reply: func([]openaitest.Message) string { return "It says " + said + "\n```txt\nTrue\n```" }})
	defer judging.Close()
	questions := filepath.Join(dir, "questions.jsonl")
	writeSubjective(t, questions)

	p := &secretive{t: t}
	run := []string{"run", "-v", "--data", data, "--questions", questions, "--baseline", "agentic-hybrid", "--model", "openai:m"}
	if code := p.run(append(run, "--base-url", server.URL(), "--out", filepath.Join(dir, "out", "run"))...); code != exitDone {
		t.Fatalf("run ended with %d\n%s", code, p.out.String())
	}
	if code := p.run(append(run, "--base-url", refusing.URL(), "--out", filepath.Join(dir, "out", "refused"))...); code != exitFailedExamples {
		t.Fatalf("a refused run ended with %d\n%s", code, p.out.String())
	}
	for _, name := range []string{"run", "refused"} {
		out := filepath.Join(dir, "out", name)
		p.run("score", out, "--judge", "openai:j", "--judge-base-url", judging.URL())
		p.run("score", out, "--judge", "openai:j2", "--judge-base-url", refusing.URL())
		p.run("report", out, "--format", "json")
		p.run("trace", out, "--json")
		p.run("trace", out)
	}
	findSecrets(t, "what the program said", p.out.Bytes())
	findSecretsUnder(t, filepath.Join(dir, "out"))
	findSecretsUnder(t, data)
	if judging.Calls() == 0 || refusing.Calls() < 2 {
		t.Errorf("%d judge calls, %d were refused: the test looked at too little", judging.Calls(), refusing.Calls())
	}
}

// writeSubjective writes a question that needs a judge.
func writeSubjective(t *testing.T, path string) {
	t.Helper()
	lines, err := dataset.Lines([]qa.Example{{
		UUID: "s1", Question: "Why?", AnswerFormat: "Your answer should be a sentence.", Tags: []string{"single", "text", "subjective"},
		Evaluator: qa.Evaluator{
			Func:   "eval_reference_answer_with_llm",
			Kwargs: []byte(`{"reference_answer": "Because.", "question": "Why?"}`),
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, lines, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A key in an address is refused before anything is written, and not repeated.
func TestSecretsInAddresses(t *testing.T) {
	data, dir := ingested(t), t.TempDir()
	questions := filepath.Join(dir, "questions.jsonl")
	writeSubjective(t, questions)
	for name, address := range map[string]string{
		"user":     "http://user:" + strangersKey + "@127.0.0.1:1/v1",
		"query":    "http://127.0.0.1:1/v1?key=" + strangersKey,
		"fragment": "http://127.0.0.1:1/v1#" + strangersKey,
		"no URL":   "http://[" + strangersKey + "/v1",
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(dir, "out-"+name)
			run := []string{"run", "--data", data, "--questions", questions, "--baseline", "question-only", "--model", "openai:m", "--out", out}
			p := &secretive{t: t}
			if code := p.run(append(run, "--base-url", address)...); code != exitUsage {
				t.Errorf("exit code %d, want %d", code, exitUsage)
			}
			p.env = []string{"OPENAI_BASE_URL=" + address}
			if code := p.run(run...); code != exitUsage {
				t.Errorf("from the environment: exit code %d, want %d", code, exitUsage)
			}
			findSecrets(t, "what the program said", p.out.Bytes())
			if _, err := os.Stat(out); err == nil {
				t.Error("the run directory was made")
			}
		})
	}
}

// findSecrets looks for the keys, and for anything planted.
func findSecrets(t *testing.T, where string, raw []byte) {
	t.Helper()
	for _, key := range secrets() {
		if i := bytes.Index(raw, []byte(key)); i >= 0 {
			t.Errorf("%s holds %s: …%s…", where, key, raw[max(0, i-200):min(len(raw), i+60)])
		}
	}
}

func findSecretsUnder(t *testing.T, dir string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		raw, err := os.ReadFile(path)
		findSecrets(t, path, raw)
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files under %s, %v", files, dir, err)
	}
}
