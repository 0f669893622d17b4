package viewer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"

	"airqa/internal/web"
	"airqa/runlog"
	"airqa/trace"
)

// routes are the addresses of the server. Runs, episodes, texts and images are named by their ids.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+web.AssetPrefix, web.AssetHandler())
	mux.Handle("GET /events", s.feed)
	for address, write := range map[string]func(*Site, context.Context, io.Writer, url.Values) error{
		"/{$}": (*Site).Overview, "/matrix": (*Site).Matrix, "/diff": (*Site).Diff, "/search": (*Site).Search, "/triage": (*Site).Triage,
	} {
		mux.Handle("GET "+address, s.page(func(ctx context.Context, site *Site, w io.Writer, r *http.Request) error {
			return write(site, ctx, w, r.URL.Query())
		}))
	}
	mux.Handle("GET /episode/{run}/{episode}", s.page(func(ctx context.Context, site *Site, w io.Writer, r *http.Request) error {
		return site.Episode(ctx, w, r.PathValue("run"), r.PathValue("episode"), r.URL.Query())
	}))
	mux.HandleFunc("GET /text/{run}/{episode}/{field}", s.raw("text/plain; charset=utf-8", func(e trace.Episode, r *http.Request) (string, error) {
		return Text(e, r.PathValue("field"))
	}))
	mux.HandleFunc("GET /markdown/{run}/{episode}", s.raw("text/plain; charset=utf-8", func(e trace.Episode, _ *http.Request) (string, error) {
		return Markdown(e), nil
	}))
	mux.HandleFunc("GET /json/{run}/{episode}", s.raw("application/json", func(e trace.Episode, _ *http.Request) (string, error) {
		var b bytes.Buffer
		err := e.Traced.WriteJSON(&b)
		return b.String(), err
	}))
	mux.HandleFunc("POST /triage/decide", s.change(s.decide))
	mux.HandleFunc("POST /triage/undo", s.change(func(site *Site, r *http.Request) (string, error) {
		return site.Undo(r.Context(), r.URL.Query())
	}))
	mux.HandleFunc("POST /note", s.change(s.addNote))
	mux.HandleFunc("POST /note/remove", s.change(func(site *Site, r *http.Request) (string, error) {
		t, err := s.target(site, r, "run")
		if err != nil {
			return "", err
		}
		return t.page + "#notes", t.notes.Remove(r.PostFormValue("id"))
	}))
	mux.HandleFunc("GET /image/{run}/{sum}", s.image)
	mux.Handle("GET /", s.page(func(context.Context, *Site, io.Writer, *http.Request) error { return ErrNotFound }))
	return mux
}

// page answers with a page. An error becomes a page about it.
func (s *Server) page(write func(context.Context, *Site, io.Writer, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.RLock()
		site := s.site()
		var out bytes.Buffer
		err := write(r.Context(), site, &out, r)
		code := http.StatusOK
		if to, ok := errors.AsType[moved](err); ok {
			s.mu.RUnlock()
			http.Redirect(w, r, string(to), http.StatusSeeOther)
			return
		}
		if err != nil {
			code = s.code(err)
			out.Reset()
			title := "This page could not be rendered"
			if code == http.StatusNotFound {
				title = "Page not found"
			}
			err = site.Problem(&out, title, err)
		}
		s.mu.RUnlock()
		if err != nil {
			http.Error(w, "this page could not be made", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(code)
		_, _ = w.Write(out.Bytes())
	})
}

func (s *Server) code(err error) int {
	var blob *runlog.BlobError
	switch {
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrNoText), errors.Is(err, runlog.ErrNoEpisode), errors.As(err, &blob):
		return http.StatusNotFound
	case errors.Is(err, context.Canceled):
		return http.StatusServiceUnavailable
	}
	s.Log.Debug("a page could not be made", "error", err)
	return http.StatusInternalServerError
}

// raw answers with a text of an episode, which a browser shows as it is.
func (s *Server) raw(kind string, text func(trace.Episode, *http.Request) (string, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.RLock()
		run, err := s.site().Run(r.PathValue("run"))
		var e trace.Episode
		if err == nil {
			e, err = run.Episode(r.Context(), r.PathValue("episode"))
		}
		s.mu.RUnlock()
		var out string
		if err == nil {
			out, err = text(e, r)
		}
		if err != nil {
			http.Error(w, http.StatusText(s.code(err)), s.code(err))
			return
		}
		inert(w.Header())
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, out)
	}
}

// inert allows a response that comes from a run to do nothing, wherever a browser opens it.
func inert(h http.Header) { h.Set("Content-Security-Policy", "default-src 'none'; sandbox") }

func (s *Server) image(w http.ResponseWriter, r *http.Request) {
	s.mu.RLock()
	run, err := s.site().Run(r.PathValue("run"))
	s.mu.RUnlock()
	var data []byte
	if err == nil {
		data, err = run.Log.Image(r.PathValue("sum"))
	}
	if err != nil {
		http.Error(w, http.StatusText(s.code(err)), s.code(err))
		return
	}
	inert(w.Header())
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	_, _ = w.Write(data)
}
