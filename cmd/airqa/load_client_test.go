package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"

	"airqa/agent"
	"airqa/baselines"
	"airqa/llm"
	"airqa/qa"
	"airqa/run"
	"airqa/run/budget"
	"airqa/run/models"
	"airqa/runlog"
	"airqa/tools"
)

// asLoad makes the test binary run episodes against an endpoint with tools that do nothing; its value is a [loadSpec].
const asLoad = "AIRQA_TEST_AS_LOAD"

// loadSpec configures such a process.
type loadSpec struct {
	URL      string `json:"url"`
	Dir      string `json:"dir"`
	Episodes int    `json:"episodes"`
	Workers  int    `json:"workers"`
}

// loadResult is what it prints: the run alone, without the start of the process.
type loadResult struct {
	Finished int     `json:"finished"`
	Seconds  float64 `json:"seconds"`
	CPU      float64 `json:"cpu"` // seconds, user and system
	MaxRSS   int64   `json:"max_rss"`
}

// loadChild is the other process. It wires what airqa run wires, but for the data directory.
func loadChild(spec string) int {
	var s loadSpec
	if err := json.Unmarshal([]byte(spec), &s); err != nil {
		return reportError(err)
	}
	result, err := s.run()
	if err != nil {
		return reportError(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		return reportError(err)
	}
	return 0
}

func (s loadSpec) run() (loadResult, error) {
	a := newApp(false, false)
	examples := loadQuestions(s.Episodes)
	writer, err := s.open(a)
	if err != nil {
		return loadResult{}, err
	}
	forecast := llm.Forecast(1500)
	solver, err := s.solver(budget.NewAccount(budget.Limits{}, budget.Spent{}, a.now), forecast)
	if err != nil {
		return loadResult{}, err
	}
	runner, err := run.New(run.Config{
		Solver: solver, Writer: writer, Workers: s.Workers, Repeats: 1, Now: a.now, Budget: agent.Budget{Forecast: forecast},
	})
	if err != nil {
		return loadResult{}, err
	}
	before, cpu := time.Now(), cpuSeconds()
	sum, err := runner.Run(context.Background(), nil, examples)
	return loadResult{
		Finished: sum.Finished, Seconds: time.Since(before).Seconds(), CPU: cpuSeconds() - cpu, MaxRSS: maxRSS(),
	}, err
}

// profiled runs one of the test binary's other lives, with a processor profile of it in the file that AIRQA_TEST_PROFILE
// names.
func profiled(life func() int) int {
	path := os.Getenv("AIRQA_TEST_PROFILE")
	if path == "" {
		return life()
	}
	file, err := os.Create(path)
	if err != nil {
		return reportError(err)
	}
	defer func() { _ = file.Close() }()
	if err := pprof.StartCPUProfile(file); err != nil {
		return reportError(err)
	}
	defer pprof.StopCPUProfile()
	return life()
}

// open makes the run directory.
func (s loadSpec) open(a *app) (*runlog.Writer, error) {
	if err := runlog.Create(s.Dir, runlog.Config{}, nil); err != nil {
		return nil, err
	}
	return runlog.OpenWriter(s.Dir, runlog.WriterConfig{Redact: a.redactor(), Now: a.now})
}

// solver wires the agent of the hybrid baseline.
func (s loadSpec) solver(account *budget.Account, forecast func(qa.Request) qa.Usage) (*baselines.Solver, error) {
	source, err := models.Open(models.Config{
		BaseURL: s.URL, OwnURL: s.URL, Sampling: qa.Sampling{TopP: new(0.95), MaxTokens: 1500}, Timeout: time.Minute, Retries: 5,
		MaxConnections: s.Workers, Getenv: os.Getenv,
	})
	if err != nil {
		return nil, err
	}
	model, err := source.Open("openai:load")
	if err != nil {
		return nil, err
	}
	var meter *budget.Meter
	asked := llm.Inside(model.Endpoint, func(endpoint qa.Model) qa.Model {
		meter, err = budget.NewMeter(budget.Config{Model: endpoint, Account: account, Forecast: forecast})
		return meter
	})
	if err != nil {
		return nil, err
	}
	hybrid, err := baselines.Find("agentic-hybrid")
	if err != nil {
		return nil, err
	}
	world := baselines.World{Sources: tools.Sources{Retriever: idle{}, Querier: idle{}}, Schema: strings.Repeat("-- a column of the database\n", 150)}
	return baselines.New(hybrid, world, asked, qa.DefaultSettings()), nil
}

// idle is a tool that has the answer ready.
type idle struct{}

// Retrieve implements tools.Retriever.
func (idle) Retrieve(context.Context, string, int, tools.Scope) ([]tools.Hit, error) {
	text := strings.Repeat("A passage of a paper, of some hundred characters. ", 8)
	hit := tools.Hit{PDFID: "b5b14f78-ae1f-5cfb-8fb7-20a1ba0dfc5a", PageNumber: 3, Text: text, Score: 0.5}
	return []tools.Hit{hit, hit, hit, hit, hit}, nil
}

// Query implements tools.Querier.
func (idle) Query(context.Context, string) (qa.Rows, error) {
	return qa.Rows{Columns: []string{"title"}, Values: [][]any{{"A title"}, {"Another"}}}, nil
}

// loadQuestions are questions that name themselves in their text, as the fault plan wants it.
func loadQuestions(n int) []qa.Example {
	list := make([]qa.Example, n)
	for i := range list {
		list[i] = qa.Example{
			UUID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i), Question: fmt.Sprintf("This is question number %d: what is the size of the window?", i),
			AnswerFormat: "Your answer should be an integer.", Tags: []string{"single", "text", "objective"},
			Evaluator: qa.Evaluator{Func: "eval_int_exact_match", Kwargs: json.RawMessage(`{"gold": 384}`)},
		}
	}
	return list
}

// loadReplies are the four replies of an episode: two searches, a query, the answer.
func loadReplies() []string {
	return []string{
		"[Thought]: I look for the window first.\n[Action]: Retrieve(query=\"size of the window\", limit=5)",
		"[Thought]: The database may say more.\n[Action]: Query(sql=\"SELECT title FROM metadata LIMIT 2\")",
		"[Thought]: Again, in other words.\n[Action]: Retrieve(query=\"window of tokens\", limit=5)",
		"[Thought]: It is 384.\n[Action]: Answer(answer=384)",
	}
}

func cpuSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// maxRSS is the most memory that this process ever held, in bytes.
func maxRSS() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Maxrss << 10
}
