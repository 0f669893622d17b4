package viewer

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"airqa/trace"
	"airqa/trace/cause"
)

// change answers a form: it does something and sends the browser to an address of this server.
func (s *Server) change(do func(*Site, *http.Request) (to string, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.RLock()
		to, err := do(s.site(), r)
		s.mu.RUnlock()
		switch {
		case errors.Is(err, errForm), errors.Is(err, ErrNothingToUndo):
			http.Error(w, err.Error(), http.StatusBadRequest)
		case err != nil:
			s.Log.Warn("a note could not be written", "error", err)
			http.Error(w, "not written: "+http.StatusText(s.code(err)), s.code(err))
		default:
			s.feed.Announce()
			http.Redirect(w, r, to, http.StatusSeeOther)
		}
	}
}

// errForm is a form that no page has.
var errForm = errors.New("this form is not complete")

// noteTarget is what a form is about: an episode, its page, and the notes of its run.
type noteTarget struct {
	trace.Episode
	page  string
	notes *trace.NoteFile
}

// target finds the episode of a form whose field runField names the run.
func (s *Server) target(site *Site, r *http.Request, runField string) (t noteTarget, err error) {
	run, err := site.Run(r.PostFormValue(runField))
	if err != nil {
		return t, err
	}
	if t.Episode, err = run.Episode(r.Context(), r.PostFormValue("episode")); err != nil {
		return t, err
	}
	t.page = Address(site.names[run], t.Episode.Episode)
	t.notes, err = s.openNotes(run)
	return t, err
}

func (s *Server) addNote(site *Site, r *http.Request) (string, error) {
	t, err := s.target(site, r, "run")
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(r.PostFormValue("text"))
	step, err := strconv.Atoi(r.PostFormValue("step"))
	const maxNote = 20_000 // the maximum size of a comment in bytes
	if err != nil || text == "" || len(text) > maxNote || step < 0 || step > len(t.Traced.Steps) {
		return "", errForm
	}
	_, err = t.notes.Add(Anchored(t.Episode, step, r.PostFormValue("field"), r.PostFormValue("quote"), text))
	return t.page + "#notes", err
}

// decide records a decision and leads to the next answer.
func (s *Server) decide(site *Site, r *http.Request) (string, error) {
	t, err := s.target(site, r, "of")
	if err != nil {
		return "", err
	}
	code := cause.Code(r.PostFormValue("cause"))
	if code.Title() == "" {
		return "", errForm
	}
	return "/triage?" + r.URL.Query().Encode(), t.notes.Decide(t.Episode.Episode, code)
}

type noteView struct {
	trace.Note
	// Place is the text of the anchor, Href its place on the page. Stale notes have an anchor that no longer fits.
	Place, Href string
	Stale       bool
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
		field := n.Field // as [Text] names it
		if n.Step > 0 && field != "" {
			field = fmt.Sprintf("steps.%d.%s", n.Step, field)
		}
		if field != "" {
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
