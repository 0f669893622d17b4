package check

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"

	"airqa/extractor/preflight/table"
)

// pipeline judges the rows of a file on all processors and passes the results on in order.
type pipeline struct {
	file        *table.File
	judge       func(table.Cell) result
	jobs, order chan job
}

// job is a group of rows.
type job struct {
	first int
	raw   [][]byte
	done  chan []result
}

// jobRows is the number of rows of a job.
const jobRows = 64

// judgeAll judges the rows of a file.
func judgeAll(ctx context.Context, f *table.File, judge func(table.Cell) result, emit func(result) error) error {
	p := pipeline{f, judge, make(chan job), make(chan job, 2*runtime.GOMAXPROCS(0))}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return p.read(ctx) })
	for range runtime.GOMAXPROCS(0) {
		g.Go(p.work)
	}
	g.Go(func() error { return p.collect(ctx, emit) })
	return g.Wait()
}

// read cuts the file into jobs.
func (p *pipeline) read(ctx context.Context) error {
	defer close(p.jobs)
	defer close(p.order)
	j, n := job{done: make(chan []result, 1)}, 0
	for raw, err := range p.file.Raw() {
		if err != nil {
			return err
		}
		if n == p.file.Len {
			break
		}
		j.raw = append(j.raw, append([]byte(nil), raw...))
		if n++; len(j.raw) < jobRows {
			continue
		}
		if err := p.send(ctx, j); err != nil {
			return err
		}
		j = job{first: n, done: make(chan []result, 1)}
	}
	if len(j.raw) == 0 {
		return nil
	}
	return p.send(ctx, j)
}

func (p *pipeline) send(ctx context.Context, j job) error {
	for _, to := range []chan job{p.order, p.jobs} {
		select {
		case to <- j:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (p *pipeline) work() error {
	for j := range p.jobs {
		out := make([]result, len(j.raw))
		for i, raw := range j.raw {
			out[i] = p.result(raw)
			out[i].index = j.first + i
		}
		j.done <- out
	}
	return nil
}

func (p *pipeline) result(raw []byte) result {
	cell, err := p.file.Parse(raw)
	if err != nil {
		return failed(err)
	}
	return p.judge(cell)
}

func (p *pipeline) collect(ctx context.Context, emit func(result) error) error {
	for j := range p.order {
		select {
		case out := <-j.done:
			for _, r := range out {
				if err := emit(r); err != nil {
					return err
				}
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
