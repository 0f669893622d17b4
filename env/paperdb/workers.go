package paperdb

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"airqa/env/paperdb/sandbox/worker"
)

// workerName is the name of the worker processes, in a listing too.
const workerName = "airqa-query-worker"

// wired is true in a program that called WorkerMain. Only that tells whether starting the program once more gives
// a worker, or the whole program a second time.
var wired atomic.Bool

// WorkerMain belongs first in the main of a program that runs queries, and in the TestMain of its tests: queries
// run in processes of the same program, and this call is what such a process does. In any other it returns at
// once.
func WorkerMain() {
	wired.Store(true)
	worker.Main(workerName, serve)
}

// Landlock returns the version of Landlock that confines workers, 0 where the system has none.
func Landlock() int { return worker.Landlock() }

// serve opens the database in a worker.
func serve(path []byte) (worker.Handler, error) {
	ctx := context.Background() // the parent's deadline ends the process
	db, err := openDatabase(ctx, string(path))
	if err != nil {
		return nil, err
	}
	e, err := newEngine(ctx, db, string(path))
	if err != nil {
		return nil, err
	}
	return func(raw []byte) ([]byte, bool) {
		q, err := decodeQuestion(raw)
		if err != nil {
			return encodeFault(brokeDown()), false
		}
		return e.answer(ctx, q)
	}, nil
}

// answer runs a question in a worker. reuse is true when the statement left the engine as it was: it ran to its
// end, or never began.
func (e *engine) answer(ctx context.Context, q question) (raw []byte, reuse bool) {
	result, err := e.run(ctx, q.Text, q.Rows)
	if err == nil {
		raw, err = encodeResult(result)
	}
	if err == nil {
		return raw, true
	}
	fault := brokeDown() // where the database is to blame, the next worker says so
	_ = errors.As(e.explain(err), &fault)
	switch fault.Kind {
	case KindSyntax, KindCatalog, KindBinder, KindRefused:
		reuse = true
	}
	return encodeFault(fault), reuse
}

// workers runs statements in worker processes.
type workers struct{ pool *worker.Pool }

func newWorkers(path string, most int) workers {
	return workers{worker.New(worker.Config{Name: workerName, Setup: []byte(path), Max: most})}
}

func (w workers) query(ctx context.Context, text string, limits Limits) (Result, error) {
	if !wired.Load() {
		return Result{}, errors.New("query: this program starts no workers: call paperdb.WorkerMain first in main, or set InProcess (QueryInProcess of env.Config)")
	}
	raw, err := w.pool.Call(ctx, limits.Deadline, question{Text: text, Rows: limits.Rows}.encode())
	var died *worker.Died
	switch {
	case errors.Is(err, worker.ErrDeadline):
		return Result{}, tooSlow(limits.Deadline)
	case errors.As(err, &died) && died.Memory:
		return Result{}, tooMuchMemory()
	case errors.As(err, &died) && died.Killed:
		return Result{}, wasKilled()
	case errors.As(err, &died):
		return Result{}, brokeDown()
	case err != nil:
		return Result{}, fmt.Errorf("query: %w", err)
	}
	result, err := decodeReply(raw)
	if errors.Is(err, errMessage) {
		return Result{}, brokeDown()
	}
	return result, err
}

func (w workers) close() error {
	w.pool.Close()
	return nil
}
