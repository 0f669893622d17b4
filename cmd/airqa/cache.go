package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"airqa/internal/terminal"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/runlog"
)

// cacheFlags select a cache of replies shared by runs.
type cacheFlags struct {
	Cache []string `sep:"none" placeholder:"DIR" help:"Cache replies in DIR and reuse them across runs. If DIR is a run, its replies answer the requests that it made; repeat the flag to add them to a cache. A hit needs the same endpoint, model, settings, conversation and repeat. Default: no cache."`
}

// split returns the folder of the cache and the run whose replies are added to it.
func (f cacheFlags) split() (dir, run string, err error) {
	for _, path := range f.Cache {
		to := &dir
		if _, err := os.Stat(filepath.Join(path, runlog.RunFile)); err == nil {
			to = &run
		}
		if *to != "" {
			return "", "", qa.Usagef("--cache %s, --cache %s: give at most one cache and one run", *to, path)
		}
		*to = path
	}
	return dir, run, nil
}

func openCache(a *app, dir string) (*cache.Store, error) {
	if dir == "" {
		return nil, nil //nolint:nilnil // no cache is no error
	}
	return cache.Open(dir, cache.Config{Redact: a.redactor(), Now: a.now})
}

// closeCache closes a cache, if there is one, and prints its hit count.
func (a *app) closeCache(name string, s *cache.Store) {
	if s == nil {
		return
	}
	hits, asked := s.Counts()
	a.say("%s: %d of %d requests answered", name, hits, hits+asked)
	if err := s.Close(); err != nil {
		a.say("warning: %v", err)
	}
}

type cacheCmd struct {
	Dir   string `arg:"" help:"Cache folder, as given to --cache."`
	Older string `placeholder:"AGE" help:"Delete replies older than AGE, such as 30d, 2w or 12h, and unreadable lines."`
	Clear bool   `help:"Delete all replies."`
	jsonFlag
}

func (c cacheCmd) Run(a *app) error {
	switch {
	case c.Older != "" && c.Clear:
		return qa.Usagef("--older and --clear are mutually exclusive")
	case c.Clear:
		return c.prune(a, func(time.Time) bool { return false })
	case c.Older == "":
		return c.list(a)
	}
	age, err := cache.ParseAge(c.Older)
	if err != nil {
		return qa.Usagef("--older %v", err)
	}
	oldest := a.now().Add(-age)
	return c.prune(a, func(written time.Time) bool { return !written.Before(oldest) })
}

func (c cacheCmd) list(a *app) error {
	held, bad, err := cache.List(c.Dir)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(map[string]any{"format": 1, "models": append([]cache.Held{}, held...), "unreadable": bad})
	}
	err = printEach(a, false, held, func(h cache.Held) string {
		return fmt.Sprintf("%-40s %7d replies  %10d tokens  %6.1f MB  %s to %s", terminal.Line(h.Model), h.Replies,
			h.Prompt+h.Completion, float64(h.Bytes)/1e6, h.Oldest.Format(time.DateOnly), h.Newest.Format(time.DateOnly))
	})
	if err != nil {
		return err
	}
	if len(held) == 0 {
		a.say("%s is empty", c.Dir)
	}
	if bad > 0 {
		a.say("note: %s: %s cannot be read; airqa store cache %[1]s --older 30d deletes them", c.Dir, terminal.Plural(bad, "line"))
	}
	return nil
}

// prune deletes the replies that are not to be kept and prints their number.
func (c cacheCmd) prune(a *app, keep func(written time.Time) bool) error {
	dropped, kept, err := cache.Prune(c.Dir, keep)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(map[string]int{"format": 1, "dropped": dropped, "kept": kept})
	}
	return a.print(fmt.Sprintf("%d dropped, %d kept", dropped, kept))
}
