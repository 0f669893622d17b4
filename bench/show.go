package bench

import (
	"fmt"
	"slices"
	"strings"

	"airqa/internal/terminal"
	"airqa/prompts"
	"airqa/qa"
)

// Show returns an item as a prompt has it, without its gold: the document, the history and the question. id may be a part
// of an id that no other item has.
func Show(data *Dataset, id string, history prompts.HistoryForm) (string, error) {
	it, err := data.find(id)
	if err != nil {
		return "", err
	}
	var s strings.Builder
	for _, d := range data.Documents {
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
	if text := prompts.Dialogue(it.History, history); text != "" {
		s.WriteString(text + "\n")
	}
	s.WriteString("question: " + it.Question)
	return terminal.Safe(s.String()), nil
}

// find returns the item with an id, or the only one whose id contains it.
func (d *Dataset) find(id string) (Item, error) {
	var found []Item
	for _, it := range d.Items {
		switch {
		case it.UUID == id:
			return it, nil
		case strings.Contains(it.UUID, id):
			found = append(found, it)
		}
	}
	if len(found) != 1 {
		return Item{}, qa.Usagef("%d of %s of %s have %q in their id", len(found), terminal.Plural(len(d.Items), "item"), d.Name, id)
	}
	return found[0], nil
}
