package check

import (
	"context"
	"iter"
	"runtime"

	"airqa/internal/inorder"
	"airqa/train/preflight/table"
)

// job is a group of rows.
type job struct {
	first int
	raw   [][]byte
}

// jobRows is the number of rows of a job.
const jobRows = 64

// judgeAll judges the rows of a file on all processors and passes the results on in order.
func judgeAll(ctx context.Context, f *table.File, judge func(table.Cell) result, emit func(result) error) error {
	work := func(_ context.Context, j job) []result {
		out := make([]result, len(j.raw))
		for i, raw := range j.raw {
			out[i] = resultOf(f, raw, judge)
			out[i].index = j.first + i
		}
		return out
	}
	for list, err := range inorder.Within(ctx, 2*runtime.GOMAXPROCS(0), jobs(f), work) {
		if err != nil {
			return err
		}
		for _, r := range list {
			if err := emit(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// jobs cuts a file into jobs.
func jobs(f *table.File) iter.Seq2[job, error] {
	return func(yield func(job, error) bool) {
		var j job
		n := 0
		for raw, err := range f.Raw() {
			if err != nil {
				yield(job{}, err)
				return
			}
			if n == f.Len {
				break
			}
			j.raw = append(j.raw, append([]byte(nil), raw...))
			if n++; len(j.raw) < jobRows {
				continue
			}
			if !yield(j, nil) {
				return
			}
			j = job{first: n}
		}
		if len(j.raw) > 0 {
			yield(j, nil)
		}
	}
}

func resultOf(f *table.File, raw []byte, judge func(table.Cell) result) result {
	cell, err := f.Parse(raw)
	if err != nil {
		return failed(err)
	}
	return judge(cell)
}
