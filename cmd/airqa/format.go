package main

import (
	"bytes"
	"io"
	"strings"

	"airqa/internal/atomicfile"
	"airqa/internal/exit"
	"airqa/report/render"
)

// formatFlags choose the format of a report that may go to a file.
type formatFlags struct {
	Format string `default:"" placeholder:"FORMAT" enum:",text,md,csv,latex,json,html" help:"text, md, csv, latex, json or html. Default: by the suffix of --out, or text."`
	JSON   bool   `name:"json" help:"The same as --format json."`
}

// render returns the options for a report that goes to the file out, or to standard output where out is empty.
func (f formatFlags) render(a *app, out string) (render.Options, error) {
	var o render.Options
	var err error
	if out == "" {
		o.Width = a.width
	}
	if o.Format, err = formatOf(f.Format, f.JSON); err != nil || o.Format != "" {
		return o, err
	}
	if out == "" {
		o.Format = "text"
	} else if o.Format = render.FormatOf(out); o.Format == "" {
		return o, exit.Misuse("%s: unknown suffix; choose a format with --format (%s)", out, strings.Join(render.Formats(), ", "))
	}
	return o, nil
}

// writeOut prints to standard output or, whole or not at all, to a file.
func (a *app) writeOut(file string, print func(io.Writer) error) error {
	if file == "" {
		return print(a.out)
	}
	var b bytes.Buffer
	if err := print(&b); err != nil {
		return err
	}
	return atomicfile.WriteFile(file, b.Bytes())
}
