package main

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"airqa/fixtures"
	"airqa/internal/testkit/openaitest"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/runlog"
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
			if err := os.WriteFile(filepath.Join(e.WorkDir, "questions.jsonl"), fixtures.Questions(), 0o600); err != nil {
				return err
			}
			return colourRun(filepath.Join(e.WorkDir, "run"))
		},
	})
}

// colourRun writes a run of 16 questions that need a judge, with the answers "blue 0", "red 1", "blue 2" …
func colourRun(dir string) error {
	var examples []qa.Example
	for i := range 16 {
		examples = append(examples, qa.Example{
			UUID: strconv.Itoa(i), Question: "Which colour?", Tags: []string{"single", "text", "subjective"},
			AnchorPDF: []string{}, ReferencePDF: []string{}, Conference: []string{},
			Evaluator: qa.Evaluator{
				Func: "eval_reference_answer_with_llm", Kwargs: []byte(`{"reference_answer":"blue","question":"Which colour?"}`),
			},
		})
	}
	raw, err := dataset.Lines(examples)
	if err != nil {
		return err
	}
	shape := runlog.Shape{Baseline: "question", Model: map[string]any{"provider": "none"}, Questions: runlog.Hash(string(raw))}
	if err := runlog.Create(dir, runlog.Config{Shape: shape}, raw); err != nil {
		return err
	}
	log, err := runlog.OpenWriter(dir, runlog.WriterConfig{Now: time.Now})
	if err != nil {
		return err
	}
	for i, ex := range examples {
		episode, err := log.Begin(ex.UUID, 0, nil)
		if err != nil {
			return err
		}
		text := []string{"blue ", "red "}[i%2] + ex.UUID
		if err := episode.End(qa.Trajectory{Outcome: qa.Answered, Answer: qa.Answer{Given: true, Text: text}}); err != nil {
			return err
		}
	}
	return log.Close()
}
