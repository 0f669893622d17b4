// Package bigrun writes large run directories for benchmarks: [Many] short episodes, or one [Long] episode. The texts are
// random but shaped as those of real runs, and the same for the same arguments.
package bigrun

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"airqa/qa"
	"airqa/runlog"
)

// models is the number of different episodes of [Many]; the others are copies under another name.
const models = 100

var clock = time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)

// Many writes a run of a number of episodes whose log has about size bytes. Twenty episodes at a time interleave. Each has
// the word "needle-" and its number in its question, as in "needle-000042".
func Many(dir string, episodes, size int) error {
	w, err := open(dir, episodes)
	if err != nil {
		return err
	}
	each := size / episodes
	steps := max(2, each/4000)
	for i := range min(models, episodes) {
		e := episode{w: w, random: rand.New(rand.NewPCG(1, uint64(i))), steps: steps, observation: max(100, each/steps-1600)}
		if err := e.write(uuid(i), question(i)); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return multiply(filepath.Join(dir, runlog.LogFile), episodes)
}

// Long writes a run of one episode with a number of steps, each with an observation of a number of bytes.
func Long(dir string, steps, observation int) error {
	w, err := open(dir, 1)
	if err != nil {
		return err
	}
	e := episode{w: w, random: rand.New(rand.NewPCG(2, 0)), steps: steps, observation: observation}
	if err := e.write(uuid(0), question(0)); err != nil {
		return err
	}
	return w.Close()
}

func uuid(i int) string { return fmt.Sprintf("00000000-0000-5000-8000-%012d", i) }

func question(i int) string { return fmt.Sprintf("What is the window of needle-%06d?", i) }

func open(dir string, episodes int) (*runlog.Writer, error) {
	var questions bytes.Buffer
	for i := range episodes {
		fmt.Fprintf(&questions, `{"uuid":%q,"question":%q,"answer_format":"Your answer should be an integer.","tags":["single","text"],`+
			`"anchor_pdf":[],"reference_pdf":[],"conference":[],"evaluator":{"eval_func":"eval_int_exact_match","eval_kwargs":{"gold":384}}}`+"\n", uuid(i), question(i))
	}
	c := runlog.Config{Program: "bigrun", Created: clock, Shape: runlog.Shape{
		Baseline: "rag", Model: map[string]any{"provider": "offline", "model": "random"}, Questions: runlog.Hash(questions.String()),
	}}
	c.Note.QuestionCount = episodes
	if err := runlog.Create(dir, c, questions.Bytes()); err != nil {
		return nil, err
	}
	return runlog.OpenWriter(dir, runlog.WriterConfig{Now: func() time.Time { return clock }})
}

// multiply replaces a log by one with copies of its episodes, twenty at a time.
func multiply(path string, episodes int) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := make([][][]byte, min(models, episodes))
	which := -1
	for line := range bytes.Lines(raw) {
		if bytes.HasPrefix(line, []byte(`{"type":"start"`)) {
			which++
		}
		lines[which] = append(lines[which], line)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	out := bufio.NewWriterSize(file, 1<<20)
	const together = 20
	for first := 0; first < episodes; first += together {
		writeTogether(out, lines, first, min(first+together, episodes))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return file.Close()
}

// writeTogether writes the episodes from first to end, one line of each at a time. The writer keeps its first error.
func writeTogether(out *bufio.Writer, lines [][][]byte, first, end int) {
	for n, left := 0, true; left; n++ {
		left = false
		for i := first; i < end; i++ {
			model := i % len(lines)
			if n >= len(lines[model]) {
				continue
			}
			left = true
			line := bytes.ReplaceAll(lines[model][n], []byte(uuid(model)), []byte(uuid(i)))
			_, _ = out.Write(bytes.ReplaceAll(line, []byte(question(model)), []byte(question(i))))
		}
	}
}

// episode writes one episode.
type episode struct {
	w           *runlog.Writer
	random      *rand.Rand
	steps       int
	observation int // bytes
}

func (e episode) write(id, question string) error {
	log, err := e.w.Begin(id, 0, nil)
	if err != nil {
		return err
	}
	system := rand.New(rand.NewPCG(3, 0)) // one prompt for all
	err = log.Message(qa.Message{Role: qa.System, Text: text(system, 6000)})
	if err == nil {
		err = log.Message(qa.Message{Role: qa.User, Text: "[Question]: " + question + "\n[Answer Format]: Your answer should be an integer."})
	}
	for n := 1; n <= e.steps && err == nil; n++ {
		s := e.step(n)
		if err = log.Call(s); err == nil {
			err = log.Observation(s)
		}
	}
	if err != nil {
		return err
	}
	return log.End(qa.Trajectory{Outcome: qa.Answered, Answer: qa.Answer{Given: true, Text: "384", Literal: "384"}})
}

func (e episode) step(n int) qa.Step {
	query := text(e.random, 40)
	reply := "[Thought]: " + text(e.random, 500) + "\n[Action]: "
	call := fmt.Sprintf("Retrieve(query=%q)", query)
	s := qa.Step{
		N: n, By: qa.ByModel, Shown: []qa.Span{{First: max(0, 2*n-8), End: 2 * n}}, Kept: len(reply) + len(call),
		ThoughtAt: qa.Span{First: 12, End: len(reply) - 11}, Started: clock, Acted: clock, Ended: clock,
		Action: &qa.Action{Name: "Retrieve", Args: map[string]any{"query": query}, Text: call, Start: len(reply), End: len(reply) + len(call)},
		Reply: &qa.Reply{
			Text: reply + call, Model: "random", ID: fmt.Sprintf("chatcmpl-%d", n), Finish: "stop",
			Usage: qa.Usage{Prompt: 5000, Completion: 150}, Attempts: []qa.Attempt{{Started: clock, Seconds: 1.5, Status: 200}},
		},
		Observation: &qa.Observation{Status: qa.StatusOK, Text: text(e.random, e.observation)},
	}
	if e.random.IntN(8) == 0 {
		s.Observation.Cut = &qa.Cut{Reason: "tokens", RowsShown: 5, RowsTotal: 9, Tokens: 990, TokenLimit: 1000}
		s.Observation.Full = s.Observation.Text + text(e.random, e.observation)
	}
	return s
}
