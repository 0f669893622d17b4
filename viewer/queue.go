package viewer

import (
	"context"
	"errors"
	"html/template"
	"io"
	"net/url"
	"slices"
	"strconv"
	"time"

	"airqa/trace"
	"airqa/trace/cause"
)

// Notes opens the notes of a run.
type Notes func(*trace.Run) (*trace.NoteFile, error)

// queueView is the form of the triage queue, above the page of the question.
type queueView struct {
	// Done and All count the wrong answers with a decision and all of them; Skipped those passed over in this walk.
	Done, All int
	Choices   []causeChoice
	// Decided is the decision that counts, for an answer that is shown again.
	Decided string
	Token   string
	// Run and Episode name the answer, In has the filter.
	Run, Episode string
	In           template.URL
	Skip         string
	Undo         bool
	// Question is the page of the answer.
	Question *Page
}

type causeChoice struct {
	Key   string // empty if it has none
	Code  cause.Code
	Title string
	Guess bool
}

// Triage writes the next wrong answer without a decision. The parameter "show" names another one, "after" one that is
// skipped with those before it.
func (s *Site) Triage(ctx context.Context, w io.Writer, q url.Values) error {
	sel, rows, decided, err := s.wrongAnswers(ctx, q)
	if err != nil {
		return err
	}
	v := queueView{All: len(rows), Done: len(decided), Token: s.CSRF, In: template.URL(sel.query().Encode()), Undo: len(decided) > 0} //nolint:gosec // encoded
	at := s.next(rows, decided, q)
	f := frame{Title: "Triage", Section: "triage", Content: "queue", Place: queuePage}
	f.Command = command(slices.Concat([]string{"trace"}, s.paths(sel.runs), sel.Flags())...)
	if at < 0 {
		f.Content, f.Body = "done", v
		return s.write(w, f)
	}
	p, err := s.question(ctx, rows[at], "", sel)
	if err != nil {
		return err
	}
	v.Run, v.Episode, v.Decided = p.Run, p.E.Episode, string(decided[rows[at].Key()].Cause)
	for i, c := range cause.Codes() {
		choice := causeChoice{Code: c, Title: c.Title(), Guess: c == p.E.Why.Code}
		if i < 9 { // there are nine keys
			choice.Key = strconv.Itoa(i + 1)
		}
		v.Choices = append(v.Choices, choice)
	}
	v.Skip = address("/triage", with(sel.query(), "after", s.key(rows[at])))
	v.Question = p
	f.Body = v
	return s.write(w, f)
}

// next is the index of the answer to show, or -1: the one that "show" names, or else the first one without a decision
// after the one that "after" names.
func (s *Site) next(rows []trace.Row, decided decisions, q url.Values) int {
	named := func(name string) int {
		return slices.IndexFunc(rows, func(w trace.Row) bool { return s.key(w) == q.Get(name) })
	}
	if i := named("show"); i >= 0 {
		return i
	}
	for i := named("after") + 1; i < len(rows); i++ {
		if _, done := decided[rows[i].Key()]; !done {
			return i
		}
	}
	return -1
}

func with(q url.Values, name, value string) url.Values {
	q.Set(name, value)
	return q
}

// key names an episode of the library in one text.
func (s *Site) key(w trace.Row) string { return s.run(w) + "/" + w.Episode }

// decisions are those on some answers. A run without usable notes has none.
type decisions map[trace.Key]trace.Note

// wrongAnswers are the wrong answers that the parameters select, with the decisions on them.
func (s *Site) wrongAnswers(ctx context.Context, q url.Values) (sel selection, rows []trace.Row, decided decisions, err error) {
	if sel, err = s.selection(q); err != nil {
		return sel, nil, nil, err
	}
	sel.Status = []string{string(trace.Wrong)}
	if rows, err = s.rows(ctx, sel); err != nil {
		return sel, nil, nil, err
	}
	keys := make([]trace.Key, len(rows))
	for i, w := range rows {
		keys[i] = w.Key()
	}
	decided, err = trace.Decisions(keys, func(run string) (*trace.NoteFile, error) { return s.Notes(s.Library.Run(run)) })
	return sel, rows, decided, err
}

// ErrNothingToUndo is returned by [Site.Undo] if there is no decision.
var ErrNothingToUndo = errors.New("there is no decision to undo")

// Undo removes the newest decision on an answer that the parameters select and returns the address that shows it.
func (s *Site) Undo(ctx context.Context, q url.Values) (string, error) {
	sel, rows, decided, err := s.wrongAnswers(ctx, q)
	if err != nil {
		return "", err
	}
	var newest time.Time
	var last *trace.Row
	for i, w := range rows {
		if n, ok := decided[w.Key()]; ok && !n.Time.Before(newest) {
			newest, last = n.Time, &rows[i]
		}
	}
	if last == nil {
		return "", ErrNothingToUndo
	}
	f, err := s.Notes(s.Library.Run(last.Run))
	if err != nil {
		return "", err
	}
	if err := f.Undecide(last.Episode); err != nil {
		return "", err
	}
	return address("/triage", with(sel.query(), "show", s.key(*last))), nil
}
