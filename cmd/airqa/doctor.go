package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"airqa/doctor"
	"airqa/env/embed"
	"airqa/internal/settings"
	"airqa/internal/terminal"
	"airqa/llm"
	"airqa/qa"
	"airqa/run/models"
	"airqa/run/scoring"
)

type doctorCmd struct {
	dataFlags
	Embedder string   `placeholder:"MODEL" help:"Embedding model: minilm (all-MiniLM-L6-v2, in process) or openai:NAME at an OpenAI-compatible endpoint. Default: as recorded in the data directory, or minilm."`
	Model    []string `short:"m" placeholder:"PROVIDER:NAME" help:"Models to check with a short request."`
	baseURLFlag
	addedFlags
	Tools  bool     `help:"Also check native tool calls and their results, which airqa run --protocol tools needs."`
	Images bool     `help:"Also check image input, which agentic-hybrid-view needs."`
	Judge  []string `placeholder:"PROVIDER:NAME" help:"Judges to check with a short request."`
	judgeEndpoint
	Timeout time.Duration `default:"10s" help:"Timeout of one request."`
	jsonFlag
}

// AfterApply is a hook of kong.
func (c *doctorCmd) AfterApply() error {
	c.dataFlags.Embedder = c.Embedder
	return nil
}

func (c doctorCmd) Run(a *app) error {
	if c.Timeout <= 0 {
		return qa.Usagef("--timeout must be above 0")
	}
	made, failed := 0, 0
	var wrong error
	redact := a.redactor()
	doctor.Run(a.ctx, c.Timeout, c.groups(a), func(r doctor.Result) {
		r.Text, r.Fix = string(redact([]byte(r.Text))), string(redact([]byte(r.Fix)))
		if r.State != doctor.Skipped {
			made++
		}
		if r.State == doctor.Failed {
			failed++
		}
		if err := c.print(a, r); err != nil {
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

func (c doctorCmd) print(a *app, r doctor.Result) error {
	if c.JSON {
		return a.printJSON(r)
	}
	word := map[doctor.State]string{doctor.OK: "OK", doctor.Warning: "warning", doctor.Failed: "FAILED", doctor.Skipped: "-"}[r.State]
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

// groups returns the checks. Within a group each check builds on the one before.
func (c doctorCmd) groups(a *app) [][]doctor.Check {
	var groups [][]doctor.Check
	for _, spec := range c.Model {
		groups = append(groups, c.modelChecks(a, strings.TrimSpace(spec)))
	}
	if len(c.Model) == 0 {
		groups = append(groups, doctor.Omitted("model", "not checked; give --model PROVIDER:NAME"))
	}
	for _, spec := range c.Judge {
		groups = append(groups, c.judgeChecks(a, strings.TrimSpace(spec)))
	}
	if len(c.Judge) == 0 {
		groups = append(groups, doctor.Omitted("judge", "not checked; give --judge PROVIDER:NAME"))
	}
	f := c.dataFlags
	f.Data = cmp.Or(c.Data, ".") // none is opened
	err := f.settle(a, false)
	open := func() (embed.Embedder, error) {
		if err != nil {
			return nil, err
		}
		name, remote := strings.CutPrefix(f.Embedder, "openai:")
		if !remote || name == "" {
			return f.embedder(a)
		}
		config, err := f.remoteConfig(a, name)
		if err != nil {
			return nil, err
		}
		config.Attempts = 1
		return embed.NewOpenAI(config)
	}
	groups = append(groups, []doctor.Check{doctor.Embedder(open)})
	if _, err := os.Stat(c.Data); c.Data == "" || c.Data == defaultData && err != nil { // the default need not exist
		groups = append(groups, doctor.Omitted("data directory", "not checked; give --data DIR"))
	} else {
		d := doctor.Dir{Path: c.Data, Vectors: f.Vectors, Shown: settings.MaskURL(f.Vectors), Embedder: open}
		groups = append(groups, d.Checks(), d.VectorChecks())
	}
	return append(groups, doctor.System(a.now(), c.Data)...)
}

func (c doctorCmd) modelChecks(a *app, spec string) []doctor.Check {
	s := a.session()
	s.Notify = nil
	body, _, err := extraBody("extra-body", c.ExtraBody)
	if err != nil {
		return doctor.Broken("model "+spec, err, "give a JSON object")
	}
	m, err := s.OpenModel(spec, models.Config{
		Body: body, Catalog: c.Models, BaseURL: c.BaseURL, Sampling: qa.Sampling{TopP: new(0.95), MaxTokens: doctor.PingTokens}, MaxConnections: 1, Timeout: c.Timeout,
	})
	if err != nil {
		return doctor.Broken("model "+spec, err, openFix(err))
	}
	return doctor.Model(spec, m.Endpoint, c.Tools, c.Images)
}

func openFix(err error) string {
	if strings.Contains(err.Error(), "base URL") && !errors.Is(err, llm.ErrNoKey) {
		return "check --base-url and the provider's variable (OPENAI_BASE_URL, ...)"
	}
	return "name a model as PROVIDER:NAME and set the key of its provider"
}

func (c doctorCmd) judgeChecks(a *app, spec string) []doctor.Check {
	name := "judge " + spec
	if !scoring.AsksModel(spec) {
		return []doctor.Check{{Name: name, Run: func(context.Context) doctor.Finding { return doctor.Good("needs no endpoint") }}}
	}
	flags, err := c.asked()
	if err != nil {
		return doctor.Broken(name, err, "give a JSON object")
	}
	config := flags.Config(a.session(), spec)
	config.Timeout, config.Retries, config.MaxReply = c.Timeout, -1, doctor.PingTokens
	m, _, err := models.OpenJudge(config)
	if wrong := flags.CheckHosts(a.session(), c.Judge); err == nil {
		err = wrong
	}
	if err != nil {
		return doctor.Broken(name, err, "set "+models.JudgeKey+" or give --judge-base-url; --judge offline needs no endpoint")
	}
	return []doctor.Check{doctor.Judge(name, m.Endpoint)}
}
