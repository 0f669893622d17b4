package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/train/format"
)

type exportConvertCmd struct {
	File string `arg:"" help:"File of conversations, or a folder of trajectories."`
	To   string `required:"" env:"-" enum:"sharegpt,openai,trl,atif" placeholder:"FORMAT" help:"sharegpt, openai, trl or atif."`
	Out  string `names:"output" short:"o" required:"" env:"-" placeholder:"FILE" help:"JSON Lines file to write."`
}

func (c exportConvertCmd) Run(a *app) error {
	var r format.Converted
	err := files.Write(c.Out, func(w io.Writer) (err error) {
		r, err = format.Convert(format.Conversion{Path: c.File, To: format.Format(c.To)}, w)
		return err
	})
	if err != nil {
		return err
	}
	for _, loss := range r.Losses.List() {
		a.say("lost or changed: %s", loss)
	}
	return a.print(fmt.Sprintf("%s: %s, converted from %s to %s", c.Out, terminal.Plural(r.Rows, "conversation"), r.From, c.To))
}

// trained is the format that a trainer reads.
var trained = map[string]format.Format{"llamafactory": format.ShareGPT, "trl": format.TRL, "openai": format.OpenAI}

// forTrainer returns the file that a trainer gets: no trainer reads trajectories, so these are converted. The caller
// calls remove when it has read the file.
func (a *app) forTrainer(path, trainer string) (file string, remove func(), err error) {
	if format.Detect(path) != format.ATIF {
		return path, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "airqa-check-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	file = filepath.Join(dir, "converted.jsonl")
	to := trained[trainer]
	err = files.Write(file, func(w io.Writer) error {
		_, err := format.Convert(format.Conversion{Path: path, To: to, Absolute: true}, w)
		return err
	})
	if err != nil {
		remove()
		return "", nil, err
	}
	a.say("%s has trajectories: these are the rows that airqa export convert --to %s writes", path, to)
	return file, remove, nil
}
