package enrich

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"airqa/env/paperdb"
	"airqa/prompts"
	"airqa/qa"
)

// replyForm names how replies are read. It changes when a reply that was taken would be none any more, so that the journal
// does not stand in the way of asking again.
const replyForm = "enrich-1"

const (
	// shortText is how many characters need no summary: the text itself is one.
	shortText = 50
	// longText is how many characters of a text the model is shown, about 6,000 tokens; longContext how many of the page
	// around a figure.
	longText    = 24_000
	longContext = 4_000
)

// task is a cell to fill.
type task struct {
	field  Field
	column string
	row    string
	// have is what the cell holds.
	have string
	// text is what is summarised; data what else the prompt names.
	text string
	data prompts.Data
	// place is set when the model is to see the figure.
	place *place
}

// passes tells whether the text is its own summary, with nothing to see beside it.
func (t task) passes() bool {
	return t.field != TLDR && t.field != Tags && t.place == nil && utf8.RuneCountInString(t.text) <= shortText
}

// prompt renders the question to the model.
func (t task) prompt() (string, error) {
	names := map[Field]string{
		TLDR: "enrich_tldr", Tags: "enrich_tags", Pages: "enrich_page", Sections: "enrich_section",
		Images: "enrich_image", Tables: "enrich_table",
	}
	return prompts.Render(names[t.field], t.data)
}

// question is what a task asks, and the key under which the journal has the reply.
type question struct {
	key      string
	messages []qa.Message
}

func (t task) question(model string) (question, error) {
	text, err := t.prompt()
	named := text
	if t.place != nil {
		text, named, err = t.picturePrompt()
	}
	if err != nil {
		return question{}, err
	}
	sum := sha256.Sum256([]byte(replyForm + "\n" + model + "\n" + named))
	return question{key: hex.EncodeToString(sum[:]), messages: []qa.Message{{Role: qa.User, Text: text}}}, nil
}

// plan lists the cells of a paper that are to be filled: the empty ones, or with again all that have a text to go by.
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
		return []task{{column: "tldr", row: m.PaperID, have: m.TLDR, text: gist(p)}}
	case Tags:
		return []task{{column: "tags", row: m.PaperID, have: strings.Join(m.Tags, ", "), text: gist(p)}}
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

// gist is what a paper says of itself: its abstract, or its first pages when that was not found.
func gist(p paperdb.Paper) string {
	if abstract := strings.TrimSpace(p.Metadata.Abstract); abstract != "" {
		return abstract
	}
	var b strings.Builder
	for _, page := range p.Pages[:min(len(p.Pages), 2)] {
		b.WriteString(page.Content + "\n")
	}
	return clip(b.String(), longContext*2)
}

// around is the text of the page that a figure stands on.
func around(p paperdb.Paper, x paperdb.Image) string {
	for _, page := range p.Pages {
		if page.ID == x.PageID {
			return clip(page.Content, longContext)
		}
	}
	return ""
}

// clip cuts a text to at most n characters.
func clip(text string, n int) string {
	text = strings.TrimSpace(text)
	if len(text) <= n {
		return text
	}
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	return string(r[:n]) + " …"
}
