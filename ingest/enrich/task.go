package enrich

import (
	"slices"
	"strings"
	"unicode/utf8"

	"airqa/env/paperdb"
	"airqa/internal/terminal"
	"airqa/prompts"
	"airqa/qa"
)

const (
	// shortText is the maximum length, in characters, of a text that is its own summary.
	shortText = 50
	// longText is the maximum length of a text in the prompt, in characters (about 6,000 tokens); longContext limits
	// the page text around a figure.
	longText    = 24_000
	longContext = 4_000
)

// task is a cell to fill.
type task struct {
	field  Field
	column string
	row    string
	// have is the current value of the cell.
	have string
	// text is the text to summarise; data are the other prompt values.
	text string
	data prompts.Data
	// figure is where the figure is that the model should see, if it should. It has no data yet: the hash of its place
	// stands for the hash of the data, so that a kept reply is found without rendering it.
	figure *qa.Image
}

// isOwnSummary reports whether the text is its own summary, without an image.
func (t task) isOwnSummary() bool {
	return t.field != TLDR && t.field != Tags && t.figure == nil && utf8.RuneCountInString(t.text) <= shortText
}

var templates = map[Field]string{
	TLDR: "enrich_tldr", Tags: "enrich_tags", Pages: "enrich_page", Sections: "enrich_section",
	Images: "enrich_image", Tables: "enrich_table",
}

// request returns the first request for a task.
func (t task) request(set prompts.Set) (qa.Request, error) {
	name := templates[t.field]
	if t.figure != nil {
		name = "enrich_picture"
	}
	text, err := set.Render(name, t.data)
	message := qa.Message{Role: qa.User, Text: text}
	if t.figure != nil {
		message.Images = []qa.Image{*t.figure}
	}
	return qa.Request{Messages: []qa.Message{message}}, err
}

// plan lists the cells of a paper to fill: the empty ones, or with again all that have a source text.
func plan(p paperdb.Paper, fields []Field, again bool) []task {
	var tasks []task
	for _, f := range Fields() {
		if !slices.Contains(fields, f) {
			continue
		}
		for _, t := range tasksOf(p, f) {
			if t.text = clip(t.text, longText); t.text == "" || t.have != "" && !again {
				continue
			}
			t.field = f
			if t.data == nil {
				t.data = prompts.Data{}
			}
			t.data["title"], t.data["text"] = clip(p.Metadata.Title, shortText*10), t.text
			tasks = append(tasks, t)
		}
	}
	return tasks
}

func tasksOf(p paperdb.Paper, f Field) (tasks []task) {
	m := p.Metadata
	switch f {
	case TLDR:
		return []task{{column: "tldr", row: m.PaperID, have: m.TLDR, text: abstractOf(p)}}
	case Tags:
		return []task{{column: "tags", row: m.PaperID, have: strings.Join(m.Tags, ", "), text: abstractOf(p)}}
	case Pages:
		for _, x := range p.Pages {
			tasks = append(tasks, task{column: "page_summary", row: x.ID, have: x.Summary, text: x.Content})
		}
	case Sections:
		for _, x := range p.Sections {
			tasks = append(tasks, task{
				column: "section_summary", row: x.ID, have: x.Summary, text: x.Content, data: prompts.Data{"heading": clip(x.Title, shortText*10)},
			})
		}
	case Images:
		for _, x := range p.Images {
			tasks = append(tasks, task{
				column: "image_summary", row: x.ID, have: x.Summary, text: x.Caption, data: prompts.Data{"page": around(p, x)},
			})
		}
	case Tables:
		for _, x := range p.Tables {
			tasks = append(tasks, task{column: "table_summary", row: x.ID, have: x.Summary, text: x.Caption + "\n" + x.Content})
		}
	}
	return tasks
}

// abstractOf returns the abstract of a paper, or its first pages if there is none.
func abstractOf(p paperdb.Paper) string {
	if abstract := strings.TrimSpace(p.Metadata.Abstract); abstract != "" {
		return abstract
	}
	var b strings.Builder
	for _, page := range p.Pages[:min(len(p.Pages), 2)] {
		b.WriteString(page.Content + "\n")
	}
	return clip(b.String(), longContext*2)
}

// around returns the text of the page with a figure.
func around(p paperdb.Paper, x paperdb.Image) string {
	for _, page := range p.Pages {
		if page.ID == x.PageID {
			return clip(page.Content, longContext)
		}
	}
	return ""
}

// clip truncates a text to n characters.
func clip(text string, n int) string { return terminal.Truncate(strings.TrimSpace(text), n, " …") }
