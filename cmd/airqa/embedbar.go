package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"airqa/env"
	"airqa/internal/progress"
)

// write opens a data directory for writing, lets fill put papers into it, and makes searchable what is in: with a bar for
// the vectors. When fill fails, nothing is indexed; the next writer mends that.
func (a *app) write(ctx context.Context, to env.WriterConfig, stage string, fill func(*env.Writer) error) error {
	bar := &embedBar{app: a, name: stage}
	to.Progress = bar.set
	to.Notice = func(line string) { a.say("warning: %s", line) }
	store, err := env.OpenWriterConfig(ctx, to)
	if err != nil {
		return err
	}
	defer bar.close()
	if err = fill(store); err == nil {
		err = store.Finish(ctx)
	}
	return errors.Join(err, store.Close())
}

// rate says how many of something were done in a second.
func rate(n int, took time.Duration, unit string) string {
	if took <= 0 || n == 0 {
		return "0 " + unit
	}
	return fmt.Sprintf("%.0f %s", float64(n)/took.Seconds(), unit)
}

// embedBar shows how many texts have their vectors. It appears with the first of them.
type embedBar struct {
	*app
	name  string
	stage *progress.Stage
	begun time.Time
	done  int
}

// set is what env.WriterConfig.Progress wants. Vectors that were kept from before come in no time, so the rate is that of
// both.
func (b *embedBar) set(done, total int) {
	if b.stage == nil {
		b.stage, b.begun = b.progress.Stage(b.name, total), b.now()
	}
	b.done = done
	b.stage.Set(done, rate(done, b.now().Sub(b.begun), "texts/s"))
}

func (b *embedBar) close() {
	if b.stage != nil {
		b.stage.Close(fmt.Sprintf("%d texts have their vectors, %s", b.done, rate(b.done, b.now().Sub(b.begun), "texts/s")))
	}
}
