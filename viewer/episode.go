package viewer

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"

	"airqa/internal/terminal"
	"airqa/internal/web"
	"airqa/trace"
)

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
	p, err := s.question(ctx, trace.Row{Run: r.Name, Episode: episode}, q.Get("at"), sel)
	if err != nil {
		return err
	}
	return s.write(w, frame{
		Title: terminal.Clip(cmp.Or(p.E.Question, episode), 80), Section: "overview", Content: "episode", Place: episodePage,
		Command: command("trace", r.Name, p.E.UUID), Body: p,
	})
}

func (s *Site) question(ctx context.Context, w trace.Row, at string, sel selection) (*Page, error) {
	r := s.Library.Run(w.Run)
	e, err := r.Episode(ctx, w.Episode)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", w.Run, w.Episode, ErrNotFound)
	}
	p := Source{Run: r, Name: s.names[r], PageConfig: s.PageConfig}.Page(e, at)
	return p, s.neighbours(ctx, p, sel)
}

// neighbours finds the episodes before and after this one in the list, and other episodes of its question.
func (s *Site) neighbours(ctx context.Context, p *Page, sel selection) error {
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
		p.Position = fmt.Sprintf("%s of %s", web.Grouped(i+1), web.Grouped(len(rows)))
		if i > 0 {
			p.Prev = s.href(rows[i-1], in)
		}
		if i+1 < len(rows) {
			p.Next = s.href(rows[i+1], in)
		}
	}
	s.siblings(p)
	return nil
}

// siblings adds the other episodes of the question in the order of the library, and the link that compares this one with
// the next of them. After the last comes the first.
func (s *Site) siblings(p *Page) {
	for _, w := range s.Library.Rows() {
		if w.UUID == p.E.UUID && w.Key() != p.E.Key() {
			p.Siblings = append(p.Siblings, linkedRow{Row: w, Run: s.run(w), Href: s.href(w, nil)})
		}
	}
	if len(p.Siblings) == 0 {
		return
	}
	other := s.Library.SameQuestion(p.E.UUID, p.E.Key())[0]
	p.Compare = Link{Text: s.run(other), Href: address("/diff", url.Values{"cell": {s.key(p.E.Row), s.key(other)}})}
	if other.Repeat > 0 || s.run(other) == p.Run {
		p.Compare.Text += fmt.Sprintf(" repeat %d", other.Repeat)
	}
}
