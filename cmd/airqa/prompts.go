package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/prompts"
	"airqa/tools"
)

// promptsFlag replaces texts that models are shown.
type promptsFlag struct {
	Prompts prompts.Set `placeholder:"DIR" help:"Folder with your own prompts: files named as by airqa list prompts, only those that differ from the built-in ones."`
}

type promptsCmd struct {
	Write string `placeholder:"DIR" help:"Write the built-in prompts to files in DIR. Existing files stay as they are."`
	jsonFlag
}

func (c promptsCmd) Run(a *app) error {
	var list []promptLine
	for _, p := range prompts.All() {
		text, err := prompts.Set{}.Source(p.Name)
		if p.Tool {
			text, err = tools.Text(p.Name), nil
		}
		if err != nil {
			return err
		}
		list = append(list, promptLine{p, text})
	}
	if c.Write == "" {
		return printEach(a, c.JSON, list, func(p promptLine) string { return p.describe(a.width) })
	}
	if err := os.MkdirAll(c.Write, 0o755); err != nil {
		return err
	}
	for _, p := range list {
		path := filepath.Join(c.Write, p.Name+".txt")
		old, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = files.WriteFile(path, []byte(p.Text))
		case err == nil && string(old) != p.Text:
			a.say("note: %s differs and stays as it is", path)
		}
		if err != nil {
			return err
		}
	}
	a.next("edit files in %s, and give --prompts %[1]s", c.Write)
	return nil
}

type promptLine struct {
	prompts.Prompt
	Text string `json:"text"`
}

func (p promptLine) describe(width int) string {
	about := p.About
	if p.Paper != "" {
		about += " [" + p.Paper + "]"
	}
	text := terminal.Wrap(fmt.Sprintf("%-28s %s", p.Name, about), width, "  ")
	if len(p.Placeholders) == 0 {
		return text
	}
	text += "\n  " + terminal.Wrap("has {"+strings.Join(p.Placeholders, "}, {")+"}", max(width-2, 0), "  ")
	if len(p.Required) > 0 {
		text += "\n  needs {" + strings.ReplaceAll(strings.Join(p.Required, "}, {"), "|", "} or {") + "}"
	}
	return text
}
