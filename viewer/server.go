// Package viewer is the web server of `airqa view`: pages over run directories, for the browser of the user who started it. Start
// from [New]; [Server.Serve] answers until its context ends. [Site] writes the pages, [Source.Page] has what is shown of one
// question, and [NewPart] puts many questions into one file.
//
// It reads run directories through package trace and writes nothing but notes. Package internal/web refuses requests of
// other sites.
package viewer

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"airqa/internal/web"
	"airqa/report"
	"airqa/runlog"
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
	Papers
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
	// causes is held while the causes of pending rows are searched; tasks are the searches.
	causes sync.Mutex
	tasks  sync.WaitGroup
}

// New returns a server of the runs.
func New(c Config) *Server {
	s := &Server{Config: c, guard: web.NewGuard(c.Host), feed: web.NewFeed()}
	s.numbers = &numbers{ready: s.feed.Announce, done: make(map[string]result)}
	s.notes.Config.Author = c.Author
	s.handler = s.guard.Wrap(s.routes())
	return s
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Address is the address to open, with the token if the server needs one.
func (s *Server) Address(at net.Addr) string { return s.guard.Address(at) }

// Serve answers requests and follows the runs until ctx ends. Connections are closed at once then.
func (s *Server) Serve(ctx context.Context, on net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	s.tasks.Go(func() { s.explain(ctx) })
	look := func(ctx context.Context) (bool, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		changed, err := s.Library.Refresh(ctx)
		if changed {
			s.tasks.Go(func() { s.explain(ctx) })
		}
		return changed, err
	}
	err := web.Server{
		Handler: s, Feed: s.feed, Look: look, Log: s.Log, MaxHeader: web.MaxHeader,
		Failed: "the runs can no longer be read; pages show the last state that was read",
	}.Serve(ctx, on)
	stop()
	s.numbers.tasks.Wait()
	s.tasks.Wait()
	if err != nil {
		return err
	}
	return s.notes.Close()
}

// explain finds the causes of pending rows beside the pages, which show them when they are there.
func (s *Server) explain(ctx context.Context) {
	s.causes.Lock()
	defer s.causes.Unlock()
	s.mu.RLock()
	c := s.Library.Copy()
	s.mu.RUnlock()
	if c.Pending() == 0 {
		return
	}
	rows := c.Rows()
	if err := c.Explain(ctx, rows); err != nil {
		if ctx.Err() == nil {
			s.Log.Warn("find the causes of wrong answers", "error", err)
		}
		return
	}
	s.mu.Lock()
	s.Library.Adopt(c, rows)
	s.mu.Unlock()
	s.feed.Announce()
}

// site is the pages of the library as it is now. The caller holds mu.
func (s *Server) site() *Site {
	version, _ := s.feed.Version()
	page := PageConfig{CSRF: s.guard.CSRF(), Notes: s.openNotes, Papers: s.Papers}
	return NewSite(s.Library, SiteConfig{Version: version, PageConfig: page, Numbers: s.numbers.of})
}

func (s *Server) openNotes(r *trace.Run) (*trace.NoteFile, error) { return s.notes.Open(r.Name) }

// Numbers of a run of more than busyFrom episodes are computed once the first pages are out, which need the processors, too.
const (
	busyFrom   = 10_000
	firstPages = time.Second
)

// numbers computes the report's numbers of runs, once for each state of a log. Those of long runs are computed beside the
// pages, which show them when they are there.
type numbers struct {
	ready func()
	mu    sync.Mutex
	// done and the runs in work are by the log as it was read; a changed log is another one.
	done  map[string]result
	tasks sync.WaitGroup
}

type result struct {
	log  *runlog.Run
	row  report.Row
	err  error
	over bool
}

// of returns the numbers of a run; ok is false while they are computed for the first time. Those of an earlier state are
// returned while there are no newer ones.
func (n *numbers) of(r *trace.Run) (row report.Row, ok bool, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	known, seen := n.done[r.Name]
	if seen && known.log == r.Log {
		return known.row, known.over, known.err
	}
	o := report.Options{Intervals: report.WilsonIntervals}
	log, own := r.Log, trace.Run{Name: r.Name} // r itself changes with the library
	compute := func() result {
		examples, err := own.Questions()
		if err != nil {
			return result{log, report.Row{}, err, true}
		}
		row, err := report.Collect(log, examples, o)
		return result{log, row, err, true}
	}
	const waitBelow = 500 // the number of episodes of a run up to which a page waits for its numbers
	if len(r.Rows) <= waitBelow {
		known = compute()
		n.done[r.Name] = known
		return known.row, true, known.err
	}
	name, busy := r.Name, len(r.Rows) > busyFrom
	known.log = log
	n.done[name] = known
	n.tasks.Go(func() {
		if busy {
			time.Sleep(firstPages)
		}
		r := compute()
		n.mu.Lock()
		if n.done[name].log == r.log { // the log has not changed in the meantime
			n.done[name] = r
		}
		n.mu.Unlock()
		n.ready()
	})
	return known.row, known.over, known.err
}
