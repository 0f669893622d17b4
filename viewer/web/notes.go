package web

import (
	"fmt"
	"strings"

	"airqa/trace"
)

// noteView is a note on the page of a question.
type noteView struct {
	trace.Note
	// Place is the text of the anchor, Href its place on the page. Stale notes have an anchor that no longer fits.
	Place, Href string
	Stale       bool
}

// fieldOf is the text of a note's anchor as [Text] names it.
func fieldOf(n trace.Note) string {
	if n.Step > 0 && n.Field != "" {
		return fmt.Sprintf("steps.%d.%s", n.Step, n.Field)
	}
	return n.Field
}

// notes adds the notes of the episode, and marks their anchors.
func (p *Page) notes(s Source, m *marker) {
	if s.Notes == nil {
		return
	}
	f, err := s.Notes(s.Run)
	if err != nil {
		p.NotesProblem = err.Error()
		return
	}
	for _, n := range f.Of(p.E.Episode) {
		v := noteView{Note: n}
		if n.Step > 0 {
			v.Place, v.Href = fmt.Sprintf("step %d", n.Step), m.anchor(fmt.Sprintf("step-%d", n.Step))
		}
		if field := fieldOf(n); field != "" {
			text, err := Text(p.E, field)
			v.Place += " " + n.Field
			v.Stale = err != nil || n.Stale(text)
			if !v.Stale && n.End > n.First {
				v.Href = m.anchor("note-" + n.ID)
				m.spans[field] = append(m.spans[field], span{First: n.First, End: n.End, Class: "noted", ID: "note-" + n.ID, Note: n.Author + ": " + n.Text})
			}
		}
		p.Notes = append(p.Notes, v)
	}
}

// Anchored is a note on a quote of a text: the text is found by its name on the page, or by its id there.
func Anchored(e trace.Episode, step int, field, quote, text string) trace.Note {
	n := trace.Note{Episode: e.Episode, Step: step, Text: text}
	if field == "" || quote == "" {
		return n
	}
	whole, err := Text(e, field)
	at := strings.Index(whole, quote)
	if err != nil || at < 0 {
		n.Text = fmt.Sprintf("%q: %s", quote, text)
		return n
	}
	n.Field, n.First, n.End, n.Quote = field, at, at+len(quote), quote
	if rest, ok := strings.CutPrefix(field, "steps."); ok {
		if _, err := fmt.Sscanf(rest, "%d", &n.Step); err == nil {
			_, n.Field, _ = strings.Cut(rest, ".")
		}
	}
	return n
}
