package candidate

import (
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

// Prompts that ask for a result.
const (
	explorePrompt   = "synth_explore"
	retrievalPrompt = "synth_retrieval"
	trackPrompt     = "synth_track"
)

// Prompts lists the prompts of a category.
func (c Category) Prompts() []string {
	request, seen := promptsFor(Material{ID: ID{Category: c}, Images: make([]qa.Image, 1)})
	_, again := promptsFor(Material{ID: ID{Category: c}, Round: 1})
	names := slices.Concat([]string{request, "synth_again"}, seen, again, c.contextPrompts())
	if c.Element() != "" {
		names = append(names, taskPrompt(c))
	}
	return names
}

// ContextPrompts lists the prompts of [Material.Context].
func ContextPrompts() (names []string) {
	for _, c := range Categories() {
		names = append(names, c.contextPrompts()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (c Category) contextPrompts() (names []string) {
	if c.Type() != Single {
		names = append(names, contextPrompt("paper"))
	}
	switch e := c.Element(); e {
	case "":
	case Sections:
		names = append(names, contextPrompt(Text))
	default:
		names = append(names, contextPrompt(e))
	}
	return names
}

// contextPrompt is the prompt that shows a paper, or an element of a kind.
func contextPrompt(kind string) string { return "synth_context_" + kind }

// taskPrompt is the prompt that describes the material of a category.
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
		return retrievalPrompt, hints
	}
	return explorePrompt, hints
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
	context, err := m.Context(set)
	if err != nil {
		return qa.Message{}, err
	}
	task := ""
	if c := m.ID.Category; c.Element() != "" {
		if task, err = set.Render(taskPrompt(c), nil); err != nil {
			return qa.Message{}, err
		}
	}
	text, err := set.Render(request, prompts.Data{
		"task": task, "hints": strings.Join(hints, "\n"), "context": context, "title": m.Paper.Title, "abstract": m.Paper.Abstract,
	})
	return qa.Message{Role: qa.User, Text: text, Images: m.Images}, err
}

// Context returns the material as prompts show it: the paper, unless the question names it, and its parts.
func (m Material) Context(set prompts.Set) (string, error) {
	var shown []string
	if m.ID.Category.Type() != Single {
		text, err := paragraphs(set, contextPrompt("paper"), prompts.Data{"title": m.Paper.Title, "abstract": m.Paper.Abstract})
		if err != nil {
			return "", err
		}
		shown = append(shown, text...)
	}
	for _, p := range m.Parts {
		title, content := strings.TrimSpace(p.Title), terminal.Truncate(p.Text, maxText/len(m.Parts), " …")
		text, err := paragraphs(set, contextPrompt(p.Kind), prompts.Data{
			"heading": title, "caption": title, "content": strings.TrimSpace(content),
			"page": strings.TrimSpace(terminal.Truncate(p.Around, maxAround, " …")),
		})
		if err != nil {
			return "", err
		}
		shown = append(shown, text...)
	}
	return strings.Join(shown, "\n\n"), nil
}

// paragraphs renders the paragraphs of a prompt of which all placeholders have a value. A missing caption, for example, leaves no
// heading behind.
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
	d := Draft{Question: OneLine(fields[questionField]), Answer: fields[answerField]}
	if m.ID.Category.Type() == Retrieval {
		d.Answer = m.Paper.Title
	}
	for line := range strings.Lines(fields[evidenceField]) {
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
