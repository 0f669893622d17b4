package page

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"airqa/eval"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/report/cause"
	"airqa/report/episodes"
	"airqa/report/evidence"
	"airqa/viewer/keys"
)

// question is the data of episode.html.
type question struct {
	E   episodes.Episode
	Run string
	// Back is the list that the page was opened from; Position is the place in it.
	Back, Prev, Next string
	Position         string
	Gold, GoldParts  *textView
	Answer           *textView
	Items            []itemView
	Cause            causeView
	LostSteps        []link
	// Messages are the first messages, After those after the last reply.
	Messages, After []messageView
	Steps           []stepView
	// Raw are the addresses of the episode as JSON and Markdown.
	JSON, Markdown string
	// Siblings are the other episodes of the question.
	Siblings []listRow
	Failed   []attempt
	Problem  string
	// Notes are those of people, Queue the form of the triage; nil outside of it.
	Notes        []noteView
	NotesProblem string
	Queue        *queueView
	Token        string
	// P begins every id in a file with several questions; File means that there is no server.
	P    string
	File bool
}

type link struct{ Text, Href string }

// itemView is a piece of evidence.
type itemView struct {
	evidence.Item
	Name  string
	Links []link
}

type causeView struct {
	cause.Cause
	Refs []refView
}

// refView is a place that a cause is based on.
type refView struct {
	link
	Quote string
}

type messageView struct {
	N    int
	Role qa.Role
	Text textView
}

// Episode writes the page of one question. The parameter "at" is a place in it, "FIELD:FIRST-END", which is marked; the
// others select the list that the page belongs to.
func (s *Site) Episode(ctx context.Context, w io.Writer, run, episode string, q url.Values) error {
	r, err := s.Run(run)
	if err != nil {
		return err
	}
	sel, err := s.selection(q)
	if err != nil {
		return err
	}
	p, err := s.question(ctx, episodes.Row{Run: r.Name, Episode: episode}, q.Get("at"), sel)
	if err != nil {
		return err
	}
	return s.write(w, frame{
		Title: terminal.Clip(cmp.Or(p.E.Question, episode), 80), Section: "overview", Content: "episode", Place: keys.Episode,
		Command: command("trace", r.Name, p.E.UUID), Body: p,
	})
}

// question collects everything about an episode.
func (s *Site) question(ctx context.Context, w episodes.Row, at string, sel selection) (*question, error) {
	r := s.Library.Run(w.Run)
	e, err := r.Episode(ctx, w.Episode)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", w.Run, w.Episode, ErrNotFound)
	}
	m := newMarker(path("text", s.names[r], e.Episode))
	m.place(at)
	p := s.build(r, e, m)
	return p, p.neighbours(ctx, s, sel)
}

// build makes the data of a question's page.
func (s *Site) build(r *episodes.Run, e episodes.Episode, m *marker) *question {
	run := s.names[r]
	m.parseErrors(e)
	p := &question{
		E: e, Run: run, Token: s.CSRF, P: m.prefix, File: m.file != nil, JSON: path("json", run, e.Episode), Markdown: path("markdown", run, e.Episode), Failed: attempts(e.Traced.FailedAttempts),
	}
	if e.Damage != nil {
		p.Problem = e.Damage.Error()
	}
	p.Cause = m.cause(e)
	p.notes(s, r, m)
	p.items(m)
	p.Answer = m.text("answer.text", e.Traced.Answer.Text)
	p.GoldParts = m.text("evaluator.eval_kwargs", string(e.Traced.Evaluator.Kwargs))
	if gold, ok := eval.GoldAnswer(e.Traced.Evaluator); ok {
		p.Gold = m.text("gold", gold.String())
	}
	p.steps(s, r, m)
	return p
}

// items are the pieces of evidence with links to the steps whose results have them.
func (p *question) items(m *marker) {
	for _, n := range p.E.Loss.Steps {
		p.LostSteps = append(p.LostSteps, m.step(n))
	}
	for _, it := range p.E.Loss.Items {
		v := itemView{Item: it, Name: itemName(it)}
		for _, n := range it.Steps {
			v.Links = append(v.Links, m.step(n))
		}
		p.Items = append(p.Items, v)
	}
}

// itemName describes a piece of evidence in a few words.
func itemName(it evidence.Item) string {
	var parts []string
	if len(it.Texts) > 0 {
		parts = append(parts, strconv.Quote(terminal.Clip(it.Texts[0], 80)))
	}
	if it.Element != "" {
		parts = append(parts, strings.TrimSpace(it.Kind+" "+it.Element))
	}
	if it.Page > 0 {
		parts = append(parts, fmt.Sprintf("page %d", it.Page))
	}
	if len(it.Papers) > 0 {
		parts = append(parts, "paper "+strings.Join(it.Papers, " or "))
	}
	return strings.Join(parts, ", ")
}

// neighbours finds the episodes before and after this one in the list, and other episodes of its question.
func (p *question) neighbours(ctx context.Context, s *Site, sel selection) error {
	rows, err := s.rows(ctx, sel)
	if err != nil {
		return err
	}
	in := sel.query()
	p.Back = address("/", in) + "#episodes"
	for i, w := range rows {
		if w.Run != p.E.Run || w.Episode != p.E.Episode {
			continue
		}
		p.Position = fmt.Sprintf("%s of %s", grouped(i+1), grouped(len(rows)))
		if i > 0 {
			p.Prev = s.href(rows[i-1], in)
		}
		if i+1 < len(rows) {
			p.Next = s.href(rows[i+1], in)
		}
	}
	for _, w := range s.Library.Rows() {
		if w.UUID == p.E.UUID && (w.Run != p.E.Run || w.Episode != p.E.Episode) {
			p.Siblings = append(p.Siblings, listRow{Row: w, Run: s.run(w), Href: s.href(w, nil)})
		}
	}
	return nil
}
