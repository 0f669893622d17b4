package candidate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"airqa/env/paperdb"
	"airqa/internal/lazyregexp"
	"airqa/internal/terminal"
	"airqa/prompts"
	"airqa/qa"
)

// ExploreVersion is the version of prompts and parsing beyond the texts of the prompts. It changes when the same material leads
// to another prompt, or the same reply to another draft.
const ExploreVersion = 1

// Limits of the texts in a prompt, in characters.
const (
	maxText   = 9000
	maxAround = 3000
)

// tasks describe the material, by kind of element.
var tasks = map[string]string{
	Text:     "You are given a section of a paper. Write one question about it, with its answer.",
	Sections: "You are given two sections of a paper. Write one question that needs both, with its answer.",
	Table:    "You are given a table of a paper, in HTML, with its caption. Write one question about its contents, with its answer.",
	Image:    "You are given a figure of a paper with its caption. Write one question about it, with its answer.",
	Formula:  "You are given a formula of a paper and the text around it. Write one question about the formula, with its answer.",
	Metadata: "You are given the bibliographic data of a paper. Write one question about it, with its answer.",
}

// Prompts lists the prompts of a category.
func (c Category) Prompts() []string {
	request, seen := promptsFor(Material{ID: ID{Category: c}, Images: make([]qa.Image, 1)})
	_, again := promptsFor(Material{ID: ID{Category: c}, Round: 1})
	return slices.Concat([]string{request, "synth_again"}, seen, again)
}

// promptsFor returns the prompt that asks for a question about the material, and the prompts of its hints.
func promptsFor(m Material) (request string, hints []string) {
	c := m.ID.Category
	switch {
	case c.Element() == Image && len(m.Images) == 0:
		hints = append(hints, "synth_hint_caption")
	case c.Element() != "":
		hints = append(hints, "synth_hint_"+c.Element())
	}
	switch {
	case c.Type() == Comprehensive:
		hints = append(hints, "synth_hint_comprehensive")
	case c.Element() == Metadata:
		hints = append(hints, "synth_hint_named")
	}
	if m.Round > 0 {
		hints = append(hints, "synth_hint_again")
	}
	if c.Type() == Retrieval {
		return "synth_retrieval", hints
	}
	return "synth_explore", hints
}

// Request returns the message that asks for a question about the material.
func (m Material) Request(set prompts.Set) (qa.Message, error) {
	request, names := promptsFor(m)
	var hints []string
	for _, name := range names {
		text, err := set.Render(name, prompts.Data{"number": strconv.Itoa(m.Round + 1)})
		if err != nil {
			return qa.Message{}, err
		}
		hints = append(hints, text)
	}
	text, err := set.Render(request, prompts.Data{
		"task": tasks[m.ID.Category.Element()], "hints": strings.Join(hints, "\n"), "context": m.Context(),
		"title": m.Paper.Title, "abstract": m.Paper.Abstract,
	})
	return qa.Message{Role: qa.User, Text: text, Images: m.Images}, err
}

// Context returns the material as prompts show it.
func (m Material) Context() string {
	var b strings.Builder
	field := func(label, text string) {
		if text = strings.TrimSpace(text); text != "" {
			_, _ = fmt.Fprintf(&b, "%s\n%s\n\n", label, text)
		}
	}
	if t := m.ID.Category.Type(); t == Comprehensive || t == Retrieval {
		field("Title:", m.Paper.Title)
		field("Abstract:", m.Paper.Abstract)
	}
	for _, p := range m.Parts {
		text := terminal.Truncate(p.Text, maxText/len(m.Parts), " …")
		switch p.Kind {
		case Table:
			field("Caption:", p.Title)
			field("Table in HTML:", text)
		case Image:
			field("Caption:", p.Title)
			field("Text of the page:", terminal.Truncate(p.Around, maxAround, " …"))
		case Formula:
			field("Formula:", text)
			field("Text of the page:", terminal.Truncate(p.Around, maxAround, " …"))
		case Metadata:
			field("Bibliographic data:", text)
		default:
			field("Section:", p.Title)
			field("Text:", text)
		}
	}
	return strings.TrimSpace(b.String())
}

// Parse reads a reply. The error names what to correct. The answer of a question for a paper is its title.
func (m Material) Parse(text string) (Draft, error) {
	if m.ID.Category.Type() == Retrieval {
		fields, err := Fields(text, "question")
		return Draft{Question: OneLine(fields["question"]), Answer: m.Paper.Title}, err
	}
	fields, err := Fields(text, "question", "answer", "evidence")
	if err != nil {
		return Draft{}, err
	}
	d := Draft{Question: OneLine(fields["question"]), Answer: fields["answer"]}
	for line := range strings.Lines(fields["evidence"]) {
		if line = strings.Trim(bullet.ReplaceAllString(strings.TrimSpace(line), ""), `"“”' `); line != "" {
			d.Evidence = append(d.Evidence, line)
		}
	}
	if len(d.Question) > maxQuestion {
		return Draft{}, fmt.Errorf("the question is longer than %d characters", maxQuestion)
	}
	return d, nil
}

// maxQuestion is the maximum length of a question in bytes; AirQA's longest has 451 characters.
const maxQuestion = 1200

var bullet = lazyregexp.New(`^(?:[-*•]|\d+[.)])\s+`)

// partsOf returns the elements of a paper by id.
func partsOf(p paperdb.Paper) map[string]Part {
	numbers, texts := make(map[string]int), make(map[string]string)
	for _, page := range p.Pages {
		numbers[page.ID], texts[page.ID] = page.Number, page.Content
	}
	parts := make(map[string]Part)
	for _, s := range p.Sections {
		part := Part{ID: s.ID, Kind: Text, Title: s.Title, Text: s.Content}
		if len(s.PageNumbers) > 0 {
			part.Page = s.PageNumbers[0]
		}
		parts[s.ID] = part
	}
	for _, t := range p.Tables {
		parts[t.ID] = Part{
			ID: t.ID, Kind: Table, Title: t.Caption, Text: t.Content, Page: numbers[t.PageID], Box: boxOf(t.Box),
		}
	}
	for _, i := range p.Images {
		parts[i.ID] = Part{
			ID: i.ID, Kind: Image, Title: i.Caption, Around: texts[i.PageID], Page: numbers[i.PageID], Box: boxOf(i.Box),
		}
	}
	for _, e := range p.Equations {
		parts[e.ID] = Part{
			ID: e.ID, Kind: Formula, Text: e.Content, Around: texts[e.PageID], Page: numbers[e.PageID],
		}
	}
	return parts
}

// boxOf returns a box; nil if it has no area.
func boxOf(box [4]int) []int {
	if box[2] <= 0 || box[3] <= 0 {
		return nil
	}
	return box[:]
}
