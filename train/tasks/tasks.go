// Package tasks writes questions as tasks for reinforcement learning: rows for verl, SkyRL, NeMo Gym and TRL, and task
// directories for Harbor. The environment is airqa serve, which knows the gold answers; the rows name only the question.
// Start from [Write] and [Config]. It opens no data directory: prompts and tools come from the caller.
package tasks

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/train"
	"airqa/train/export"
)

// Format is what an export is for.
type Format string

// The formats.
const (
	Verl    Format = "verl"
	SkyRL   Format = "skyrl"
	NeMoGym Format = "nemo-gym"
	TRL     Format = "trl-rl"
	Harbor  Format = "harbor"
)

// Formats lists the formats.
func Formats() []Format { return []Format{Verl, SkyRL, NeMoGym, TRL, Harbor} }

// Question is a question with the first two messages of its episode.
type Question struct {
	qa.Example
	System, Prompt string
}

// Config configures an export. All fields but Split, WithGold and Replace are required; Sidecar is for [Harbor] only.
type Config struct {
	Options
	// Program identifies the program in the lock file.
	Program string
	// Questions are in the order of the question file.
	Questions []Question
	// Tools are the tools of an episode.
	Tools []qa.ToolSpec
	// Turns is the maximum number of calls of an episode.
	Turns int
	// Serve are the flags of airqa serve that shape the episodes.
	Serve []string
}

// Options are what a user chooses.
type Options struct {
	Format Format `required:"" enum:"verl,skyrl,nemo-gym,trl-rl,harbor" placeholder:"FORMAT" help:"verl, skyrl (Parquet), nemo-gym, trl-rl (JSON Lines), or harbor (a task directory for each question)."`
	Out    string `short:"o" required:"" placeholder:"DIR" help:"Folder to write."`
	// Replace overwrites another export.
	Replace bool `help:"Replace an existing export."`
	// WithGold adds gold answers to the rows.
	WithGold bool `name:"with-gold" help:"Write gold answers into the rows, and an oracle solution for harbor. Default: rows have the id of the question instead."`
	// URL is the address of airqa serve for the trainer.
	URL string `name:"server-url" default:"http://127.0.0.1:8378" placeholder:"URL" help:"Address of airqa serve for the trainer."`
	train.SplitOptions
	Sidecar
}

// PromptTokens is enough for the longest prompt with the tools: a token has two bytes or more, but for rare characters.
func (c Config) PromptTokens() int {
	longest, tools := 0, 0
	for _, q := range c.Questions {
		longest = max(longest, len(q.System)+len(q.Prompt))
	}
	for _, t := range c.Tools {
		tools += len(t.Description) + len(t.Parameters)
	}
	return ((longest+tools)/2/1024 + 1) * 1024
}

// Sidecar describes the containers of tasks for Harbor.
type Sidecar struct {
	// Image has airqa and bash.
	Image string `name:"sidecar-image" default:"airqa:local" placeholder:"IMAGE" help:"With harbor: image of the sidecar, with airqa and bash."`
	// ImageData is the data directory in Image; empty for one that is mounted from the host.
	ImageData string `placeholder:"DIR" help:"With harbor: data directory in --sidecar-image. Default: AIRQA_DATA of the host is mounted."`
	// AgentImage is the image of the agent's container.
	AgentImage string `default:"ubuntu:24.04" placeholder:"IMAGE" help:"With harbor: image of the agent's container."`
}

// Summary is the result of an export.
type Summary struct {
	// Unchanged means that the folder already holds this export.
	Unchanged bool
	// Splits are the numbers of tasks by split.
	Splits []Rows
}

// Rows counts the tasks of a split. Order is the SHA-256 of their ids in order, each followed by a newline.
type Rows struct {
	Split string `json:"split"`
	Rows  int    `json:"rows"`
	Order string `json:"order_sha256"`
}

// lock is the lock file. Its number is that of all lock files of exports.
type lock struct {
	Format  int                `json:"format"`
	Program string             `json:"program"`
	Inputs  inputs             `json:"inputs"`
	Splits  []Rows             `json:"splits"`
	Files   []export.FileEntry `json:"files"`
}

// inputs decide the bytes of an export.
type inputs struct {
	Format    Format `json:"export_format"`
	Flags     flags  `json:"flags"`
	Questions string `json:"questions_sha256"`
	Prompts   string `json:"prompts_sha256"`
	Tools     string `json:"tools_sha256"`
}

type flags struct {
	Split      []float64 `json:"split"`
	SplitSeed  uint64    `json:"split_seed"`
	WithGold   bool      `json:"with_gold"`
	URL        string    `json:"url,omitempty"`
	Turns      int       `json:"turns,omitempty"`
	Image      string    `json:"image,omitempty"`
	AgentImage string    `json:"agent_image,omitempty"`
	ImageData  string    `json:"image_data,omitempty"`
	Serve      []string  `json:"serve,omitempty"`
}

// split is a part of the questions, in the order of the question file.
type split struct {
	name  string
	tasks []task
}

// task is a question at its place in a split.
type task struct {
	Question
	Split string
	Index int
	// Truth is what a row has for the reward: the id of the question, or its evaluator as JSON.
	Truth string
}

// Write writes an export. The folder appears when it is complete; the same configuration gives the same bytes.
func Write(c Config) (s Summary, err error) {
	if len(c.Questions) == 0 {
		return s, qa.Usagef("there are no questions to export")
	}
	in, err := c.inputs()
	if err != nil {
		return s, err
	}
	if s.Unchanged, err = export.Existing(c.Out, c.Program, in, c.Replace); err != nil {
		return s, err
	}
	if s.Unchanged {
		return s, files.SweepStaged(c.Out)
	}
	splits, err := c.divide()
	if err != nil {
		return s, err
	}
	for _, p := range splits {
		var ids strings.Builder
		for _, t := range p.tasks {
			ids.WriteString(t.UUID + "\n")
		}
		s.Splits = append(s.Splits, Rows{p.name, len(p.tasks), files.Hash(ids.String())})
	}
	f, err := export.OpenFolder(c.Out)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := c.fill(f, splits); err != nil {
		return s, err
	}
	if err := f.WriteLock(lock{1, c.Program, in, s.Splits, f.Files()}); err != nil {
		return s, err
	}
	return s, f.Commit()
}

func (c Config) fill(f *export.Folder, splits []split) error {
	for _, p := range splits {
		if c.Format == Harbor {
			if err := c.writeHarbor(f, p); err != nil {
				return err
			}
			continue
		}
		name, raw, err := c.rows(p)
		if err == nil {
			err = f.WriteFile(name, raw)
		}
		if err != nil {
			return fmt.Errorf("write the split %s: %w", p.name, err)
		}
	}
	return render(f, string(c.Format), c)
}

func (c Config) inputs() (in inputs, err error) {
	var examples []qa.Example
	prompts := sha256.New()
	for _, q := range c.Questions {
		examples = append(examples, q.Example)
		_, _ = fmt.Fprintf(prompts, "%s\x00%s\x00", q.System, q.Prompt) // a hash takes everything
	}
	lines, err := dataset.Lines(examples)
	if err != nil {
		return in, err
	}
	tools, err := ledger.Encode(c.Tools)
	in = inputs{
		Format: c.Format, Questions: files.Hash(lines), Tools: files.Hash(tools), Prompts: hex.EncodeToString(prompts.Sum(nil)),
		Flags: flags{Split: c.Split, SplitSeed: c.SplitSeed, WithGold: c.WithGold},
	}
	if c.Format == Harbor {
		in.Flags.Image, in.Flags.AgentImage, in.Flags.ImageData, in.Flags.Serve = c.Image, c.AgentImage, c.ImageData, c.Serve
	} else {
		in.Flags.URL, in.Flags.Turns = c.URL, c.Turns
	}
	return in, err
}

// divide assigns the questions to splits by paper.
func (c Config) divide() ([]split, error) {
	var examples []qa.Example
	for _, q := range c.Questions {
		examples = append(examples, q.Example)
	}
	parts, err := train.DivideQuestions(examples, c.SplitOptions)
	if err != nil {
		return nil, err
	}
	var list []split
	for _, part := range parts {
		p := split{name: part.Name}
		for _, i := range part.Indexes {
			q := c.Questions[i]
			t := task{Question: q, Split: p.name, Index: len(p.tasks), Truth: q.UUID}
			if c.WithGold {
				if t.Truth, err = ledger.EncodeText(q.Evaluator); err != nil {
					return nil, err
				}
			}
			p.tasks = append(p.tasks, t)
		}
		list = append(list, p)
	}
	return list, nil
}
