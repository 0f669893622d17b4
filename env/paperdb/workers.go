package paperdb

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"airqa/env/paperdb/sandbox"
	"airqa/qa"
)

// workerName is the name of the worker processes, also in process listings.
const workerName = "airqa-query-worker"

// workerMainCalled records that the program called WorkerMain. Without that call, starting the program again would not give a
// worker but run the whole program.
var workerMainCalled atomic.Bool

// WorkerMain must come first in the main of a program that runs queries, and in the TestMain of its tests. Queries run
// in child processes of the same program, and in a child this call never returns. In any other process it does nothing.
func WorkerMain() {
	workerMainCalled.Store(true)
	sandbox.Main(workerName, serve)
}

// Landlock returns the version of Landlock that confines workers, 0 if the system has none.
func Landlock() int { return sandbox.Landlock() }

// serve opens the database in a worker.
func serve(path []byte) (sandbox.Handler, error) {
	ctx := context.Background() // the parent's deadline ends the process
	db, err := openDatabase(ctx, string(path), modelMemory)
	if err != nil {
		return nil, err
	}
	e, err := newEngine(ctx, db, string(path))
	if err != nil {
		return nil, err
	}
	first := true
	return func(raw []byte) ([]byte, bool) {
		q, err := decodeQuestion(raw)
		if err != nil {
			return encodeFault(brokeDown()), false
		}
		raw, reuse := e.answer(ctx, q, first)
		first = false
		return raw, reuse
	}, nil
}

// kindWorn is the reply of a worker whose memory may be full of what earlier statements read: the engine keeps all that it has
// read of an index. The statement is run again in another worker, so that its result does not depend on those before it.
const kindWorn = "worn"

// answer runs a statement in a worker; first means that it is the first one there. reuse reports whether the statement left the
// engine unchanged: it completed or never began.
func (e *engine) answer(ctx context.Context, q question, first bool) (raw []byte, reuse bool) {
	result, err := e.run(ctx, q.Text, q.Rows)
	if err == nil {
		raw, err = encodeResult(result)
	}
	if err == nil {
		return raw, true
	}
	fault := brokeDown() // if the database is at fault, the next worker reports it
	_ = errors.As(e.explain(err), &fault)
	switch fault.Kind {
	case KindSyntax, KindCatalog, KindBinder, KindRefused:
		reuse = true
	case KindMemory:
		if !first {
			fault = &QueryError{Kind: kindWorn}
		}
	}
	return encodeFault(fault), reuse
}

type workers struct{ pool *sandbox.Pool }

func newWorkers(path string, maxWorkers int) workers {
	return workers{sandbox.New(sandbox.Config{Name: workerName, Setup: []byte(path), Max: maxWorkers})}
}

func (w workers) query(ctx context.Context, text string, limits Limits) (qa.Rows, error) {
	if !workerMainCalled.Load() {
		return qa.Rows{}, errors.New("query: this program starts no workers: call paperdb.WorkerMain first in main, or set InProcess (QueryInProcess of env.Config)")
	}
	for {
		result, err := w.once(ctx, text, limits)
		if fault, ok := errors.AsType[*QueryError](err); !ok || fault.Kind != kindWorn { // each worn worker ends, and a new one is not worn
			return result, err
		}
	}
}

func (w workers) once(ctx context.Context, text string, limits Limits) (qa.Rows, error) {
	raw, err := w.pool.Call(ctx, limits.Deadline, question{Text: text, Rows: limits.Rows}.encode())
	var died *sandbox.Died
	switch {
	case errors.Is(err, sandbox.ErrDeadline):
		return qa.Rows{}, tooSlow(limits.Deadline)
	case errors.As(err, &died) && died.Memory:
		return qa.Rows{}, tooMuchMemory()
	case errors.As(err, &died) && died.Killed:
		return qa.Rows{}, &QueryError{
			Kind: KindRuntime,
			Text: "The process that ran the query was killed from outside, perhaps for want of memory. Try again, or ask for less.",
		}
	case errors.As(err, &died):
		return qa.Rows{}, brokeDown()
	case err != nil:
		return qa.Rows{}, fmt.Errorf("query: %w", err)
	}
	result, err := decodeReply(raw)
	if errors.Is(err, errMessage) {
		return qa.Rows{}, brokeDown()
	}
	return result, err
}

func (w workers) close() error {
	w.pool.Close()
	return nil
}
