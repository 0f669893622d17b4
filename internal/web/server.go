package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server is a web server whose pages follow a feed.
type Server struct {
	Handler http.Handler
	Feed    *Feed
	// Look is called as in [Feed.Watch]; Failed is the warning for its errors.
	Look   func(context.Context) (bool, error)
	Failed string
	Log    *slog.Logger
	// MaxHeader is the maximum size of all headers of a request in bytes.
	MaxHeader int
}

// Timeouts of a connection.
const (
	headerTime = 5 * time.Second
	readTime   = 15 * time.Second
	writeTime  = 2 * time.Minute
	idleTime   = time.Minute
)

// Serve answers requests and looks for changes until ctx ends. Connections are closed at once then, and the error is nil.
func (s Server) Serve(ctx context.Context, on net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	server := &http.Server{
		Handler: s.Handler, ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime, MaxHeaderBytes: s.MaxHeader,
		ErrorLog:    slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	var group sync.WaitGroup
	group.Go(func() {
		s.Feed.Watch(ctx, s.Look, func(err error) { s.Log.Warn(s.Failed, "error", err) })
	})
	group.Go(func() {
		<-ctx.Done()
		_ = server.Close()
	})
	err := server.Serve(on)
	stop()
	group.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve %s: %w", on.Addr(), err)
}
