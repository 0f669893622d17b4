package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"airqa/internal/concurrent"
	"airqa/run/status"
	"airqa/runlog"
)

type statusCmd struct {
	Runs []string `arg:"" name:"run" help:"Run directories, or folders of them."`
	jsonFlag
	Watch bool `short:"w" help:"Update until all runs stop: every 2 s on a terminal, otherwise one line every 10 s."`
}

func (c statusCmd) Run(a *app) error {
	dirs, err := runlog.Find(c.Runs)
	if err != nil {
		return err
	}
	followers := make([]*status.Follower, len(dirs))
	for i, dir := range dirs {
		if followers[i], err = status.Open(dir); err != nil {
			return err
		}
	}
	if c.Watch {
		return c.watch(a, followers)
	}
	all, err := look(a, followers)
	if err != nil {
		return err
	}
	return c.print(a, all)
}

func look(a *app, followers []*status.Follower) ([]status.Status, error) {
	all := make([]status.Status, len(followers))
	for i, f := range followers {
		var err error
		if all[i], err = f.Look(a.now()); err != nil {
			return nil, err
		}
	}
	return append(all, status.Totals(all)...), nil
}

func (c statusCmd) print(a *app, all []status.Status) error {
	return printEach(a, false, all, func(s status.Status) string {
		if c.JSON {
			line, _ := json.Marshal(s) // of plain values
			return string(line)
		}
		return s.Text(a.width)
	})
}

// watch updates until no run is being written.
func (c statusCmd) watch(a *app, followers []*status.Follower) error {
	ctx, stop := signal.NotifyContext(a.ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	every := 10 * time.Second
	if a.width > 0 && !c.JSON {
		every = 2 * time.Second
	}
	shown := 0 // lines of the last update
	for {
		all, err := look(a, followers)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(all, func(s status.Status) bool { return s.Writing }) {
			a.erase(shown)
			return c.print(a, all)
		}
		if shown, err = c.draw(a, all, shown); err != nil {
			return err
		}
		if concurrent.Sleep(ctx, every) != nil {
			return nil
		}
	}
}

// draw prints one update and returns its number of lines. On a terminal it replaces the one before.
func (c statusCmd) draw(a *app, all []status.Status, before int) (int, error) {
	switch {
	case c.JSON:
		return 0, c.print(a, all)
	case a.width == 0:
		return 0, printEach(a, false, all, func(s status.Status) string { return a.now().Format(time.TimeOnly) + " " + s.Brief() })
	}
	width, height, err := term.GetSize(int(os.Stdout.Fd())) // now: windows are resized
	if err != nil {
		width, height = a.width, 24
	}
	text := status.Screen(all, width, height)
	a.erase(before)
	return strings.Count(text, "\n") + 1, a.print(text)
}

// erase removes the last lines from a terminal.
func (a *app) erase(lines int) {
	if lines > 0 {
		_, _ = fmt.Fprintf(a.screen, "\x1b[%dA\x1b[J", lines)
	}
}
