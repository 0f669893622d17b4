package main

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"airqa/fixtures"
	"airqa/internal/openaitest"
)

// colourJudge takes answers with "blue" in them. It finds the answer as the rules say, between two marks.
func colourJudge(messages []openaitest.Message) string {
	_, rest, _ := strings.Cut(messages[1].Text, "[Predicted Answer]:\n")
	mark, rest, _ := strings.Cut(rest, "\n")
	answer, _, _ := strings.Cut(rest, "\n"+mark)
	if strings.Contains(answer, "mumble") {
		return "I would say True."
	}
	verdict := "False"
	if strings.Contains(answer, "blue") {
		verdict = "True"
	}
	return "It says: " + answer + "\n```txt\n" + verdict + "\n```"
}

// TestJudgeScripts runs the command line with judges at endpoints on the loopback: $JUDGE answers, $DOWN does not. The
// command "calls JUDGE N" checks how often one was asked in this script.
func TestJudgeScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/judge",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"calls": func(ts *testscript.TestScript, _ bool, args []string) {
				if n := ts.Value(args[0]).(*openaitest.Server).Calls(); strconv.Itoa(n) != args[1] {
					ts.Fatalf("%s was asked %d times, want %s", args[0], n, args[1])
				}
			},
		},
		Setup: func(e *testscript.Env) error {
			judge := openaitest.New(openaitest.Config{Reply: colourJudge, Usage: &openaitest.Usage{Prompt: 100, Completion: 10}})
			down := openaitest.New(openaitest.Config{})
			// A status that is not tried again: the script need not wait.
			down.Fail(slices.Repeat([]openaitest.Fault{openaitest.Status(http.StatusNotFound, "no_model", "no such model")}, 1000)...)
			for name, server := range map[string]*openaitest.Server{"JUDGE": judge, "DOWN": down} {
				e.Defer(server.Close)
				e.Setenv(name, server.URL())
				e.Values[name] = server
			}
			return os.WriteFile(filepath.Join(e.WorkDir, "questions.jsonl"), fixtures.Questions(), 0o600)
		},
	})
}
