package candidate

import (
	"errors"
	"fmt"
	"maps"
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

// Prompts lists the prompts of a category.
func (c Category) Prompts() []string {
	request, seen := promptsFor(Material{ID: ID{Category: c}, Images: make([]qa.Image, 1)})
	_, again := promptsFor(Material{ID: ID{Category: c}, Round: 1})
	names := slices.Concat([]string{request, "synth_again"}, seen, again)
	if c.Type() != Single {
		names = append(names, contextPrompt(aboutPaper))
	}
	if c.Element() != "" {
		names = append(names, taskPrompt(c), contextPrompt(c.Kind()))
	}
	return names
}

// ContextPrompts lists the prompts of [Material.Context].
func ContextPrompts() (names []string) {
	for _, kind := range []string{aboutPaper, Text, Table, Image, Formula, Metadata} {
		names = append(names, contextPrompt(kind))
	}
	return names
}

// aboutPaper is title and abstract, among the kinds of elements that a context shows.
const aboutPaper = "paper"

func contextPrompt(kind string) string { return "synth_context_" + kind }

func taskPrompt(c Category) string { return "synth_task_" + c.Element() }

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
	var hints []string
	var faults error
	render := func(name string, data prompts.Data) string {
		text, err := set.Render(name, data)
		faults = errors.Join(faults, err)
		return text
	}
	request, names := promptsFor(m)
	for _, name := range names {
		hints = append(hints, render(name, prompts.Data{"number": strconv.Itoa(m.Round + 1)}))
	}
	task := ""
	if c := m.ID.Category; c.Element() != "" {
		task = render(taskPrompt(c), nil)
	}
	context, err := m.Context(set)
	text := render(request, prompts.Data{
		"task": task, "hints": strings.Join(hints, "\n"), "context": context, "title": m.Paper.Title, "abstract": m.Paper.Abstract,
	})
	return qa.Message{Role: qa.User, Text: text, Images: m.Images}, errors.Join(err, faults)
}

// Context returns the material as prompts show it: the paper, unless the question names it, and its parts.
func (m Material) Context(set prompts.Set) (string, error) {
	var shown []string
	var faults error
	show := func(kind string, data prompts.Data) {
		text, err := paragraphs(set, contextPrompt(kind), data)
		shown, faults = append(shown, text...), errors.Join(faults, err)
	}
	if m.ID.Category.Type() != Single {
		show(aboutPaper, prompts.Data{"title": m.Paper.Title, "abstract": m.Paper.Abstract})
	}
	for _, p := range m.Parts {
		title, content := strings.TrimSpace(p.Title), terminal.Truncate(p.Text, maxText/len(m.Parts), " …")
		show(p.Kind, prompts.Data{
			"heading": title, "caption": title, "content": strings.TrimSpace(content),
			"page": strings.TrimSpace(terminal.Truncate(p.Around, maxAround, " …")),
		})
	}
	return strings.Join(shown, "\n\n"), faults
}

// paragraphs renders a prompt without the paragraphs that have a placeholder without a value. A missing caption, for example, leaves
// no heading behind.
func paragraphs(set prompts.Set, name string, data prompts.Data) (shown []string, err error) {
	source, err := set.Source(name)
	if err != nil {
		return nil, err
	}
	for text := range strings.SplitSeq(source, "\n\n") {
		paragraph := prompts.Of(map[string]string{name: text})
		isEmpty := func(key string) bool { return data[key] == "" && paragraph.Shows(name, key) }
		if slices.ContainsFunc(slices.Collect(maps.Keys(data)), isEmpty) {
			continue
		}
		if text, err = paragraph.Render(name, data); err != nil {
			return nil, err
		}
		shown = append(shown, text)
	}
	return shown, nil
}

// Parse reads a reply in the form that the prompt asks for. The error names what to correct. The answer of a question for a paper
// is its title.
func (m Material) Parse(forms Forms, text string) (Draft, error) {
	form := forms.explore
	if m.ID.Category.Type() == Retrieval {
		form = forms.retrieval
	}
	fields, err := form.Read(text)
	if err != nil {
		return Draft{}, err
	}
	d := Draft{Question: OneLine(fields["question"]), Answer: fields["answer"]}
	if m.ID.Category.Type() == Retrieval {
		d.Answer = m.Paper.Title
	}
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
