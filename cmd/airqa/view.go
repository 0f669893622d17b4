package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"

	"airqa/env"
	"airqa/env/paperdb"
	"airqa/internal/settings"
	"airqa/qa"
	"airqa/trace"
	"airqa/viewer"
)

type viewCmd struct {
	Runs   []string `arg:"" name:"run" help:"Run directories, or folders of them."`
	Data   string   `short:"d" placeholder:"DIR" help:"Data directory, for paper titles. Default: as recorded in the runs, if it is in this folder."`
	Listen string   `default:"127.0.0.1:8377" placeholder:"HOST:PORT" help:"Address to listen on; port 0 picks a free one. If it is not a loopback address, other machines can connect, using the token in the printed URL."`
	NoOpen bool     `help:"Do not open a browser. Default: open one if standard output is a terminal."`
}

func (c viewCmd) Run(a *app) error {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return qa.Usagef("--listen %s: %v; want an address such as 127.0.0.1:8377", c.Listen, err)
	}
	ctx, stop := signal.NotifyContext(a.ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	debug.SetGCPercent(50) // the rows of long runs stay in memory; what a page needs besides is little
	library, err := trace.OpenLazy(ctx, c.Runs, trace.Choice{})
	if err != nil {
		return err
	}
	on, err := listen(ctx, c.Listen)
	if err != nil {
		return err
	}
	paper := c.papers(ctx, a.log, library)
	server := viewer.New(viewer.Config{
		Library: library, Host: host, Log: a.log, Author: a.getenv("USER"), Papers: viewer.Papers{
			Title: func(id string) string { return paper(id).Title },
			Label: func(id string, page int) string { return paper(id).File.Label(page) },
		},
	})
	address := server.Address(on.Addr())
	if err := a.print(address); err != nil {
		return err
	}
	if !c.NoOpen && a.width > 0 {
		a.openBrowser(address)
	}
	return server.Serve(ctx, on)
}

// papers looks up titles and files in the data directories of the runs, and keeps them. Directories outside of this folder that a run
// names are not opened, and one that cannot be read is not tried again.
func (c viewCmd) papers(ctx context.Context, log *slog.Logger, l *trace.Library) func(paperID string) paperdb.Holding {
	dirs := map[string]bool{c.Data: true}
	for _, r := range l.Runs {
		if dir := r.Log.Config.Note.DataDir; c.Data == "" && settings.InsideFolder(dir) {
			dirs[dir] = true
		}
	}
	delete(dirs, "")
	var mu sync.Mutex
	known := make(map[string]paperdb.Holding)
	return func(paperID string) paperdb.Holding {
		mu.Lock()
		defer mu.Unlock()
		if paper, ok := known[paperID]; ok {
			return paper
		}
		known[paperID] = paperdb.Holding{}
		for dir := range dirs {
			found, err := paperIn(ctx, dir, paperID)
			if err != nil && c.Data != "" {
				log.Warn("read paper titles", "error", err)
			}
			if err != nil {
				delete(dirs, dir)
			}
			if found.Title != "" {
				known[paperID] = found
			}
		}
		return known[paperID]
	}
}

// paperIn returns a paper of a data directory, which it does not keep open: a writer may remove what it replaced.
func paperIn(ctx context.Context, dir, paperID string) (paper paperdb.Holding, err error) {
	papers, err := env.OpenPapers(ctx, dir)
	if err != nil {
		return paper, err
	}
	defer func() { err = errors.Join(err, papers.Close()) }()
	for found, err := range papers.Holdings(ctx, []string{paperID}) {
		return found, err
	}
	return paper, nil
}

// openBrowser opens an address in the user's browser, if there is one.
func (a *app) openBrowser(address string) {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	browser := exec.CommandContext(a.ctx, name, args...)
	if browser.Start() == nil {
		go func() { _ = browser.Wait() }()
	}
}

// listen opens an address to serve pages on.
func listen(ctx context.Context, address string) (net.Listener, error) {
	on, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use by another program, perhaps another airqa; --listen 127.0.0.1:0 picks a free port", address)
	}
	return on, err
}
