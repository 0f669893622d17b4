package companion

import (
	"fmt"
	"slices"
	"strings"

	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/prompts"
	"airqa/qa/dataset"
)

// Show returns an item as a prompt has it, without its gold: the document, the history and the question. id may be a part
// of an id; history is a form of [prompts.Dialogue].
func Show(benchmark, path, id, history string) (string, error) {
	b, err := Find(benchmark)
	if err != nil {
		return "", err
	}
	c, err := b.Load(path)
	if err != nil {
		return "", err
	}
	it, err := find(c, id)
	if err != nil {
		return "", err
	}
	var s strings.Builder
	for _, d := range c.Documents {
		if slices.Contains(it.Pool, d.ID) {
			fmt.Fprintf(&s, "[%s] %s\n%s\n\n", d.ID, d.Title, d.Abstract)
		}
		if d.ID != it.Document {
			continue
		}
		s.WriteString(d.Title + "\n\n")
		for _, u := range d.Units {
			s.WriteString("[" + u.ID + "] " + terminal.Line(u.Text) + "\n")
		}
		s.WriteString("\n")
	}
	if text := prompts.Dialogue(it.History, prompts.HistoryForm(history)); text != "" {
		s.WriteString(text + "\n")
	}
	s.WriteString("question: " + it.Question)
	return terminal.Safe(s.String()), nil
}

// find returns the item with an id, or the only one whose id contains it.
func find(c *dataset.Companion, id string) (dataset.Item, error) {
	var found []dataset.Item
	for _, it := range c.Items {
		switch {
		case it.UUID == id:
			return it, nil
		case strings.Contains(it.UUID, id):
			found = append(found, it)
		}
	}
	if len(found) != 1 {
		return dataset.Item{}, exit.Misuse("%d of %s of %s have %q in their id", len(found), terminal.Plural(len(c.Items), "item"), c.Name, id)
	}
	return found[0], nil
}
