// Package web is the web server of `airqa view`: pages over run directories, for the browser of the user who started it. Start
// from [New]; [Server.Serve] answers until its context ends. [Site] writes the pages, [Source.Page] has what is shown of one
// question, and [NewPart] puts many questions into one file.
//
// It reads run directories through package trace and writes nothing but notes. Package internal/web refuses requests of
// other sites.
package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"airqa/internal/web"
	"airqa/trace"
)

// Config configures a [Server].
type Config struct {
	Library *trace.Library
	// Host is the host that the server listens on. One that is not the loopback needs a token, see [web.Guard].
	Host string
	Log  *slog.Logger
	// Author signs new notes.
	Author string
}

// Server shows runs. Create it with [New].
type Server struct {
	Config
	guard   *web.Guard
	feed    *web.Feed
	numbers *numbers
	notes   trace.NoteFiles
	// mu is held for writing while the library changes.
	mu      sync.RWMutex
	handler http.Handler
}

// New returns a server of the runs.
func New(c Config) *Server {
	s := &Server{Config: c, guard: web.NewGuard(c.Host), feed: web.NewFeed()}
	s.numbers = newNumbers(s.feed.Announce)
	s.notes.Config.Author = c.Author
	s.handler = s.guard.Wrap(s.routes())
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Address is the address to open, with the token if the server needs one.
func (s *Server) Address(at net.Addr) string { return s.guard.Address(at) }

// Serve answers requests and follows the runs until ctx ends. Connections are closed at once then.
func (s *Server) Serve(ctx context.Context, on net.Listener) error {
	err := web.Server{
		Handler: s, Feed: s.feed, Look: s.look, Log: s.Log, MaxHeader: web.MaxHeader,
		Failed: "the runs cannot be read any more; pages show what was read before",
	}.Serve(ctx, on)
	s.numbers.wait()
	if err != nil {
		return err
	}
	return s.notes.Close()
}

// look reads what was added to the runs.
func (s *Server) look(ctx context.Context) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Library.Refresh(ctx)
}

// site is the pages of the library as it is now. The caller holds mu.
func (s *Server) site() *Site {
	version, _ := s.feed.Version()
	return NewSite(s.Library, SiteConfig{Version: version, CSRF: s.guard.CSRF(), Numbers: s.numbers.of, Notes: s.openNotes})
}

// openNotes opens the notes of a run.
func (s *Server) openNotes(r *trace.Run) (*trace.NoteFile, error) { return s.notes.Open(r.Name) }
