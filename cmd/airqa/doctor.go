package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"airqa/internal/checkup"
	"airqa/internal/exit"
	"airqa/internal/terminal"
)

type doctorCmd struct {
	Data         string        `placeholder:"DIR" help:"Data directory to check."`
	Vectors      string        `placeholder:"URL" help:"Milvus server for the vectors; without it they are files in the data directory."`
	Embedder     string        `default:"minilm" placeholder:"MODEL" help:"Model for dense vectors: minilm, or openai:NAME at an endpoint."`
	EmbedModel   string        `placeholder:"DIR" help:"Folder with all-MiniLM-L6-v2 in full precision."`
	EmbedBaseURL string        `name:"embed-base-url" placeholder:"URL" env:"AIRQA_EMBED_BASE_URL,AIRQA_BASE_URL,OPENAI_BASE_URL" help:"Address in front of /embeddings, for openai:NAME."`
	Model        []string      `placeholder:"PROVIDER:NAME" help:"Models to ask for a few words."`
	BaseURL      string        `name:"base-url" placeholder:"URL" help:"Address of the models' endpoint, as for airqa run."`
	Tools        bool          `help:"Ask the models for a native tool call, too, as --protocol tools needs it."`
	Images       bool          `help:"Show the models an image, too, as agentic-hybrid-view does."`
	Judge        []string      `placeholder:"PROVIDER:NAME" help:"Judges to ask for a few words."`
	JudgeBaseURL string        `name:"judge-base-url" placeholder:"URL" help:"Address of the judges' endpoint; without it api.openai.com, whatever the model's is."`
	Timeout      time.Duration `default:"10s" help:"Timeout of one check."`
	JSON         bool          `name:"json" help:"Print one JSON object per check."`
}

// Help implements kong.HelpProvider.
func (doctorCmd) Help() string {
	return `Examples:
  airqa doctor --data papers --model openai:gpt-4o-mini --judge openai:gpt-4o-mini
  airqa doctor --data papers --vectors milvus://127.0.0.1:19530 --model openai:Qwen2.5-72B-Instruct --base-url http://127.0.0.1:8000/v1 --tools

Every model and judge is asked once for a few tokens. Keys come from the environment and are never shown. Exit code 1 says
that a check failed.`
}

// Run implements the sub-command.
func (c doctorCmd) Run(a *app) error {
	if c.Timeout <= 0 {
		return exit.Misuse("--timeout must be above 0")
	}
	a.modelAt = c.BaseURL
	made, failed := 0, 0
	var wrong error
	redact := a.redactor()
	checkup.Run(a.ctx, c.Timeout, c.groups(a), func(r checkup.Result) {
		r.Text, r.Fix = string(redact([]byte(r.Text))), string(redact([]byte(r.Fix)))
		if r.State != checkup.Skipped {
			made++
		}
		if r.State == checkup.Failed {
			failed++
		}
		if err := c.tell(a, r); err != nil {
			wrong = err
		}
	})
	switch {
	case wrong != nil:
		return wrong
	case failed > 0:
		return fmt.Errorf("%d of %d checks failed", failed, made)
	}
	return nil
}

func (c doctorCmd) tell(a *app, r checkup.Result) error {
	if c.JSON {
		raw, err := json.Marshal(r)
		if err != nil {
			return err
		}
		return a.print(string(raw))
	}
	word := map[checkup.State]string{checkup.OK: "OK", checkup.Warning: "warning", checkup.Failed: "FAILED", checkup.Skipped: "-"}[r.State]
	text := fmt.Sprintf("%-8s %s: %s", word, r.Name, terminal.Line(r.Text))
	if r.Fix != "" {
		text += "\n         " + terminal.Line(r.Fix)
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = terminal.Wrap(lines[i], a.width, "    ")
	}
	return a.print(strings.Join(lines, "\n"))
}

// groups are the checks; those of a group build on each other.
func (c doctorCmd) groups(a *app) [][]checkup.Check {
	var groups [][]checkup.Check
	for _, spec := range c.Model {
		groups = append(groups, c.modelChecks(a, strings.TrimSpace(spec)))
	}
	if len(c.Model) == 0 {
		groups = append(groups, left("model", "not asked for; give --model PROVIDER:NAME"))
	}
	for _, spec := range c.Judge {
		groups = append(groups, c.judgeChecks(a, strings.TrimSpace(spec)))
	}
	if len(c.Judge) == 0 {
		groups = append(groups, left("judge", "not asked for; give --judge PROVIDER:NAME"))
	}
	groups = append(groups, []checkup.Check{{Name: "embedder", Run: c.embedderCheck(a)}})
	if c.Data == "" {
		groups = append(groups, left("data directory", "not asked for; give --data DIR"))
	} else {
		groups = append(groups, c.dataChecks(), c.vectorChecks(a))
	}
	return append(groups, c.systemChecks(a)...)
}

func left(name, why string) []checkup.Check {
	return []checkup.Check{check(name, func() checkup.Finding { return checkup.Left(why) })}
}
