// Package viewer is the web server of `airqa view`: pages over run directories, for the browser of the user who started
// it. Start from [New]; [Server.Serve] answers until its context ends.
//
// It reads run directories through package episodes and writes nothing but notes. Package guard refuses requests of
// other sites, package page makes the pages.
package viewer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"airqa/report/episodes"
	"airqa/report/notes"
	"airqa/viewer/guard"
	"airqa/viewer/live"
	"airqa/viewer/page"
)

// Config configures a [Server].
type Config struct {
	Library *episodes.Library
	// Host is the host that the server listens on. One that is not the loopback needs a token, see package guard.
	Host string
	Log  *slog.Logger
	// Author signs new notes.
	Author string
}

// Server shows runs. Create it with [New].
type Server struct {
	Config
	guard   *guard.Guard
	feed    *live.Feed
	numbers *numbers
	notes   *noteFiles
	// mu is held for writing while the library changes.
	mu      sync.RWMutex
	handler http.Handler
}

// New returns a server of the runs.
func New(c Config) *Server {
	s := &Server{Config: c, guard: guard.New(c.Host), feed: live.New()}
	s.numbers = newNumbers(s.feed.Announce)
	s.notes = &noteFiles{config: notes.Config{Author: c.Author}, open: make(map[string]*notes.File)}
	s.handler = s.guard.Wrap(s.routes())
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Address is the address to open, with the token if the server needs one.
func (s *Server) Address(at net.Addr) string {
	port := 0
	if tcp, ok := at.(*net.TCPAddr); ok {
		port = tcp.Port
	}
	host := s.Host
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return fmt.Sprintf("http://%s/%s", net.JoinHostPort(host, fmt.Sprint(port)), s.guard.Query())
}

// Timeouts of a connection.
const (
	headerTime = 5 * time.Second
	readTime   = 15 * time.Second
	writeTime  = 2 * time.Minute
	idleTime   = time.Minute
)

// Serve answers requests and follows the runs until ctx ends. Connections are closed at once then.
func (s *Server) Serve(ctx context.Context, on net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime, MaxHeaderBytes: guard.MaxHeader,
		ErrorLog:    slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	var group sync.WaitGroup
	group.Go(func() {
		s.feed.Watch(ctx, s.look, func(err error) {
			s.Log.Warn("the runs cannot be read any more; pages show what was read before", "error", err)
		})
	})
	group.Go(func() {
		<-ctx.Done()
		_ = server.Close()
	})
	err := server.Serve(on)
	stop()
	group.Wait()
	s.numbers.wait()
	if errors.Is(err, http.ErrServerClosed) {
		return s.notes.close()
	}
	return fmt.Errorf("serve %s: %w", on.Addr(), err)
}

// look reads what was added to the runs.
func (s *Server) look(ctx context.Context) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Library.Refresh(ctx)
}

// site is the pages of the library as it is now. The caller holds mu.
func (s *Server) site() *page.Site {
	version, _ := s.feed.Version()
	return page.New(s.Library, page.Config{Version: version, CSRF: s.guard.CSRF(), Numbers: s.numbers.of, Notes: s.notes.of})
}
