package main

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"airqa/env"
	"airqa/internal/testkit"
	"airqa/tools"
)

// Eight readers and one writer, processes that are killed at random: every answer is that of a generation, with the paper or
// without it, and none is refused. AIRQA_TEST_READERS=1m sets how long.
func TestReadersBesideWriter(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "eight seconds, by design")
	span := 8 * time.Second
	if given, err := time.ParseDuration(os.Getenv("AIRQA_TEST_READERS")); err == nil {
		span = given
	}
	data := copied(t, ingested(t))
	pdf, err := filepath.Abs("../../fixtures/papers/lumenparse.pdf")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := &rivals{t: t, data: data}
	var all sync.WaitGroup
	all.Go(func() { r.write(ctx, pdf) })
	for i := range 8 {
		all.Go(func() { r.read(ctx, i) })
	}
	time.Sleep(span)
	waitFor(t, r.enough)
	cancel()
	all.Wait()
	t.Logf("%d answers, %d of them with the paper; %d changes, %d killed", r.answers, r.with, r.changes, r.killed)
	if out, err := r.program(context.WithoutCancel(ctx), "ingest", "--data", data, pdf).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := r.program(context.WithoutCancel(ctx), "store", "vectors", "--data", data).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

const lumenparse = "484197f1-1997-5f33-b56c-5306eb27d631"

// rivals use one data directory at once.
type rivals struct {
	t    *testing.T
	data string

	mu                             sync.Mutex
	answers, with, changes, killed int
}

func (r *rivals) enough() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answers > 0 && r.changes > 0 && r.killed > 0
}

func (r *rivals) program(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, os.Args[0], args...)
	c.Env = append(os.Environ(), asProgram+"=1")
	return c
}

// run runs the program, and kills one in four. ok is false if it was killed.
func (r *rivals) run(ctx context.Context, args ...string) (out string, ok bool) {
	own, kill := context.WithCancel(ctx)
	defer kill()
	if rand.IntN(4) == 0 {
		time.AfterFunc(time.Duration(rand.IntN(600))*time.Millisecond, kill)
	}
	raw, err := r.program(own, args...).CombinedOutput()
	if own.Err() != nil {
		r.mu.Lock()
		r.killed++
		r.mu.Unlock()
		return "", false
	}
	if err != nil {
		r.t.Errorf("%s: %v\n%s", strings.Join(args, " "), err, raw)
	}
	return string(raw), err == nil
}

// write adds and removes a paper until ctx ends. What was killed is repeated: the paper may be there or not.
func (r *rivals) write(ctx context.Context, pdf string) {
	for ctx.Err() == nil {
		if _, ok := r.run(ctx, "ingest", "--data", r.data, pdf); !ok {
			continue
		}
		listed, err := holdings(context.WithoutCancel(ctx), r.data)
		if err != nil || len(listed) != 6 {
			r.t.Errorf("after an ingest: %d papers, %v", len(listed), err)
		}
		for ctx.Err() == nil {
			listed, err := holdings(context.WithoutCancel(ctx), r.data)
			if err != nil {
				r.t.Error(err)
			}
			if len(listed) == 5 {
				break
			}
			r.run(ctx, "papers", "rm", "--data", r.data, lumenparse)
		}
		r.mu.Lock()
		r.changes++
		r.mu.Unlock()
	}
}

// read asks again and again: with a program that may be killed, or in this process, where one generation must give all
// answers.
func (r *rivals) read(ctx context.Context, i int) {
	for ctx.Err() == nil {
		var with bool
		switch i % 4 {
		case 0:
			out, ok := r.run(ctx, "sql", "--data", r.data, "--format", "json", "SELECT paper_id, title FROM metadata")
			if !ok {
				continue
			}
			if n := strings.Count(out, "paper_id"); n != 5 && n != 6 {
				r.t.Errorf("sql: %d papers\n%s", n, out)
			}
			with = strings.Contains(out, lumenparse)
		case 1:
			out, ok := r.run(ctx, "search", "--data", r.data, "--json", "--limit", "40", "LumenParse pages per second")
			if !ok {
				continue
			}
			with = strings.Contains(out, lumenparse)
		default:
			with = r.readHere(ctx)
		}
		r.mu.Lock()
		r.answers++
		if with {
			r.with++
		}
		r.mu.Unlock()
	}
}

// readHere opens the directory and compares search and SQL.
func (r *rivals) readHere(ctx context.Context) bool {
	ctx = context.WithoutCancel(ctx)
	e, err := env.Open(ctx, env.Config{Dir: r.data, Mode: env.BM25, QueryInProcess: true})
	if err != nil {
		r.t.Error(err)
		return false
	}
	defer func() { _ = e.Close() }()
	var found [2]bool
	for round := range found {
		hits, err := e.Retrieve(ctx, "LumenParse pages per second", 40, tools.Scope{})
		if err != nil {
			r.t.Error(err)
			return false
		}
		for _, h := range hits {
			found[round] = found[round] || h.PDFID == lumenparse
		}
		time.Sleep(50 * time.Millisecond)
	}
	known, err := e.Papers().Known(ctx, []string{lumenparse})
	if err != nil {
		r.t.Error(err)
	}
	has := known[lumenparse]
	if found[0] != found[1] || found[0] != has {
		r.t.Errorf("searches %v, database %v", found, has)
	}
	return has
}
