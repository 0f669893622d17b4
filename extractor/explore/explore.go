// Package explore makes the prompts of question synthesis and reads their replies; it calls no model. [Draw] chooses papers
// and elements. [Request] asks for a question about them (paper, section 3.2 and appendix E.1), and [Parse] reads the reply.
// [TrackRequest] asks for a way to score the question (section 3.3 and appendix E.2), and [ParseTracked] reads that reply.
// Questions for a paper are filled in by rule ([TrackRetrieval]), and so are merged ones ([Merge]).
package explore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"airqa/env/paperdb"
	"airqa/extractor/candidate"
	"airqa/internal/lazyregexp"
	"airqa/internal/terminal"
	"airqa/prompts"
	"airqa/qa"
)

// Version is the version of prompts and parsing beyond the texts of the prompts. It changes when the same material leads
// to another prompt, or the same reply to another draft.
const Version = 1

// Limits of the texts in a prompt, in characters.
const (
	maxText   = 9000
	maxAround = 3000
)

// tasks describe the material, by kind of element.
var tasks = map[string]string{
	candidate.Text:     "You are given a section of a paper. Write one question about it, with its answer.",
	candidate.Sections: "You are given two sections of a paper. Write one question that needs both, with its answer.",
	candidate.Table:    "You are given a table of a paper, in HTML, with its caption. Write one question about its contents, with its answer.",
	candidate.Image:    "You are given a figure of a paper with its caption. Write one question about it, with its answer.",
	candidate.Formula:  "You are given a formula of a paper and the text around it. Write one question about the formula, with its answer.",
	candidate.Metadata: "You are given the bibliographic data of a paper. Write one question about it, with its answer.",
}

// Prompts lists the prompts of a category.
func Prompts(c candidate.Category) []string {
	request, seen := promptsFor(candidate.Material{ID: candidate.ID{Category: c}, Images: make([]qa.Image, 1)})
	_, again := promptsFor(candidate.Material{ID: candidate.ID{Category: c}, Round: 1})
	return slices.Concat([]string{request, "synth_again"}, seen, again)
}

// promptsFor returns the prompt that asks for a question about the material, and the prompts of its hints.
func promptsFor(m candidate.Material) (request string, hints []string) {
	c := m.ID.Category
	switch {
	case c.Element() == candidate.Image && len(m.Images) == 0:
		hints = append(hints, "synth_hint_caption")
	case c.Element() != "":
		hints = append(hints, "synth_hint_"+c.Element())
	}
	switch {
	case c.Type() == candidate.Comprehensive:
		hints = append(hints, "synth_hint_comprehensive")
	case c.Element() == candidate.Metadata:
		hints = append(hints, "synth_hint_named")
	}
	if m.Round > 0 {
		hints = append(hints, "synth_hint_again")
	}
	if c.Type() == candidate.Retrieval {
		return "synth_retrieval", hints
	}
	return "synth_explore", hints
}

// Request returns the message that asks for a question about the material.
func Request(m candidate.Material) (qa.Message, error) {
	request, names := promptsFor(m)
	var hints []string
	for _, name := range names {
		text, err := prompts.Render(name, prompts.Data{"number": strconv.Itoa(m.Round + 1)})
		if err != nil {
			return qa.Message{}, err
		}
		hints = append(hints, text)
	}
	text, err := prompts.Render(request, prompts.Data{
		"task": tasks[m.ID.Category.Element()], "hints": strings.Join(hints, "\n"), "context": Context(m),
	})
	return qa.Message{Role: qa.User, Text: text, Images: m.Images}, err
}

// Context returns the material as prompts show it.
func Context(m candidate.Material) string {
	var b strings.Builder
	field := func(label, text string) {
		if text = strings.TrimSpace(text); text != "" {
			_, _ = fmt.Fprintf(&b, "%s\n%s\n\n", label, text)
		}
	}
	if t := m.ID.Category.Type(); t == candidate.Comprehensive || t == candidate.Retrieval {
		field("Title:", m.Paper.Title)
		field("Abstract:", m.Paper.Abstract)
	}
	for _, p := range m.Parts {
		text := terminal.Truncate(p.Text, maxText/len(m.Parts), " …")
		switch p.Kind {
		case candidate.Table:
			field("Caption:", p.Title)
			field("Table in HTML:", text)
		case candidate.Image:
			field("Caption:", p.Title)
			field("Text of the page:", terminal.Truncate(p.Around, maxAround, " …"))
		case candidate.Formula:
			field("Formula:", text)
			field("Text of the page:", terminal.Truncate(p.Around, maxAround, " …"))
		case candidate.Metadata:
			field("Bibliographic data:", text)
		default:
			field("Section:", p.Title)
			field("Text:", text)
		}
	}
	return strings.TrimSpace(b.String())
}

// Parse reads a reply. The error names what to correct. The answer of a question for a paper is its title.
func Parse(text string, m candidate.Material) (candidate.Draft, error) {
	if m.ID.Category.Type() == candidate.Retrieval {
		fields, err := Fields(text, "question")
		return candidate.Draft{Question: OneLine(fields["question"]), Answer: m.Paper.Title}, err
	}
	fields, err := Fields(text, "question", "answer", "evidence")
	if err != nil {
		return candidate.Draft{}, err
	}
	d := candidate.Draft{Question: OneLine(fields["question"]), Answer: fields["answer"]}
	for line := range strings.Lines(fields["evidence"]) {
		if line = strings.Trim(bullet.ReplaceAllString(strings.TrimSpace(line), ""), `"“”' `); line != "" {
			d.Evidence = append(d.Evidence, line)
		}
	}
	if len(d.Question) > maxQuestion {
		return candidate.Draft{}, fmt.Errorf("the question is longer than %d characters", maxQuestion)
	}
	return d, nil
}

// maxQuestion is the maximum length of a question in bytes; AirQA's longest has 451 characters.
const maxQuestion = 1200

var bullet = lazyregexp.New(`^(?:[-*•]|\d+[.)])\s+`)

// partsOf returns the elements of a paper by id.
func partsOf(p paperdb.Paper) map[string]candidate.Part {
	numbers, texts := make(map[string]int), make(map[string]string)
	for _, page := range p.Pages {
		numbers[page.ID], texts[page.ID] = page.Number, page.Content
	}
	parts := make(map[string]candidate.Part)
	for _, s := range p.Sections {
		part := candidate.Part{ID: s.ID, Kind: candidate.Text, Title: s.Title, Text: s.Content}
		if len(s.PageNumbers) > 0 {
			part.Page = s.PageNumbers[0]
		}
		parts[s.ID] = part
	}
	for _, t := range p.Tables {
		parts[t.ID] = candidate.Part{
			ID: t.ID, Kind: candidate.Table, Title: t.Caption, Text: t.Content, Page: numbers[t.PageID], Box: boxOf(t.Box),
		}
	}
	for _, i := range p.Images {
		parts[i.ID] = candidate.Part{
			ID: i.ID, Kind: candidate.Image, Title: i.Caption, Around: texts[i.PageID], Page: numbers[i.PageID], Box: boxOf(i.Box),
		}
	}
	for _, e := range p.Equations {
		parts[e.ID] = candidate.Part{
			ID: e.ID, Kind: candidate.Formula, Text: e.Content, Around: texts[e.PageID], Page: numbers[e.PageID],
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
