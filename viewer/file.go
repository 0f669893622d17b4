package viewer

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"airqa/internal/terminal"
	"airqa/internal/web"
	"airqa/trace"
)

// Part is the part of a report in one file that has the questions: a list of episodes and the page of each. It has no
// scripts and no links to other files.
type Part struct {
	Style template.CSS
	Body  template.HTML
	// Contents describes what is inside, a line each.
	Contents []string
}

// PartConfig configures [NewPart].
type PartConfig struct {
	// Filter chooses the questions.
	Filter trace.Filter
	// Redact removes keys from every text.
	Redact func([]byte) []byte
	// Images is the maximum size of all page images in bytes; others are named only.
	Images int
}

// fileConfig is what a page in a file needs; nil on the server.
type fileConfig struct {
	PartConfig
	images, left, steps int
	named               int
}

// NewPart makes the part of a report with the questions of a library that c selects.
func NewPart(ctx context.Context, l *trace.Library, c PartConfig) (Part, error) {
	c.Filter.Limit = 0
	rows, _, err := l.Select(ctx, c.Filter)
	if err != nil {
		return Part{}, err
	}
	names := Names(l)
	f := &fileConfig{PartConfig: c, left: c.Images}
	var data struct { // of file.html
		Rows      []linkedRow
		Questions []*Page
		Total     int
		Runs      bool
	}
	data.Total, data.Runs = len(l.Rows()), len(l.Runs) > 1
	status := make(map[trace.Status]int)
	for i, w := range rows {
		r := l.Run(w.Run)
		e, err := r.Episode(ctx, w.Episode)
		if err != nil {
			return Part{}, err
		}
		prefix := "q" + strconv.Itoa(i+1) + "-"
		m := &marker{prefix: prefix, spans: make(map[string][]span), file: f}
		data.Questions = append(data.Questions, Source{Run: r, Name: names[r]}.page(e, m))
		data.Rows = append(data.Rows, linkedRow{w, names[r], "#" + prefix + "top"})
		status[w.Status]++
		f.steps += len(e.Traced.Steps)
	}
	var out bytes.Buffer
	if err := templates().ExecuteTemplate(&out, "file", data); err != nil {
		return Part{}, fmt.Errorf("make the pages of the questions: %w", err)
	}
	body := c.Redact(out.Bytes())
	var parts []string
	for _, st := range trace.Statuses() {
		if status[st] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", status[st], st))
		}
	}
	contents := []string{fmt.Sprintf("questions: %d of %d episodes (%s) with %s: prompts, replies, results, answers and gold answers; %s",
		len(rows), data.Total, strings.Join(parts, ", "), terminal.Plural(f.steps, "step"), web.Size(len(body)))}
	if f.images+f.named > 0 {
		contents = append(contents, fmt.Sprintf("page images: %d inside (%s), %d named only", f.images, web.Size(f.Images-f.left), f.named))
	}
	return Part{
		Style:    template.CSS(web.ReadAsset("style.css") + fileStyle), //nolint:gosec // of the program
		Body:     template.HTML(body),                                  //nolint:gosec // made by html/template
		Contents: contents,
	}, nil
}

// fileStyle adapts the style of the viewer to the page of a report.
const fileStyle = "body{padding:1rem;max-width:84rem;margin:0 auto}details.episode{margin:0 0 .6rem}details.episode>summary{cursor:pointer;padding:.3rem 0}.step{content-visibility:visible}td.right,td.wrong,td.failed,td.damaged,td.unscored,td.unfinished{white-space:nowrap}"

// image is the address of an image with its data, or "" if there is no room for it.
func (f *fileConfig) image(r *trace.Run, sum string) template.URL {
	data, err := r.Log.Image(sum)
	if err != nil || len(data) > f.left {
		f.named++
		return ""
	}
	f.images++
	f.left -= len(data)
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(data)) //nolint:gosec // an image of the run
}
