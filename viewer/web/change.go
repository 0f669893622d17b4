package web

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"airqa/trace"
	"airqa/trace/cause"
)

// maxNote is the maximum size of a comment in bytes.
const maxNote = 20_000

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

// episodeOf returns the episode that a form is about.
func episodeOf(site *Site, r *http.Request, runField string) (*trace.Run, trace.Episode, error) {
	run, err := site.Run(r.PostFormValue(runField))
	if err != nil {
		return nil, trace.Episode{}, err
	}
	e, err := run.Episode(r.Context(), r.PostFormValue("episode"))
	return run, e, err
}

// addNote adds a comment.
func (s *Server) addNote(site *Site, r *http.Request) (string, error) {
	run, e, err := episodeOf(site, r, "run")
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(r.PostFormValue("text"))
	step, err := strconv.Atoi(r.PostFormValue("step"))
	if err != nil || text == "" || len(text) > maxNote || step < 0 || step > len(e.Traced.Steps) {
		return "", errForm
	}
	f, err := s.openNotes(run)
	if err != nil {
		return "", err
	}
	_, err = f.Add(Anchored(e, step, r.PostFormValue("field"), r.PostFormValue("quote"), text))
	return episodeAddress(site, run, e) + "#notes", err
}

// removeNote removes a comment.
func (s *Server) removeNote(site *Site, r *http.Request) (string, error) {
	run, e, err := episodeOf(site, r, "run")
	if err != nil {
		return "", err
	}
	f, err := s.openNotes(run)
	if err != nil {
		return "", err
	}
	return episodeAddress(site, run, e) + "#notes", f.Remove(r.PostFormValue("id"))
}

func episodeAddress(site *Site, run *trace.Run, e trace.Episode) string {
	return Address(site.Name(run), e.Episode)
}

// decide records a decision and leads to the next answer.
func (s *Server) decide(site *Site, r *http.Request) (string, error) {
	run, e, err := episodeOf(site, r, "of")
	if err != nil {
		return "", err
	}
	f, err := s.openNotes(run)
	if err != nil {
		return "", err
	}
	code := cause.Code(r.PostFormValue("cause"))
	if code.Title() == "" {
		return "", errForm
	}
	_, err = f.Decide(e.Episode, code)
	q := r.URL.Query()
	return "/triage?" + q.Encode(), err
}

// undo removes the last decision and leads to its answer.
func (s *Server) undo(site *Site, r *http.Request) (string, error) {
	return site.Undo(r.Context(), r.URL.Query())
}
