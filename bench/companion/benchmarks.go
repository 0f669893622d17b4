// Package companion is airqa bench: statistics, baselines and scores of the companion benchmarks as tables. Start from
// [Benchmarks]. Data are read by qa/dataset, the metrics are in eval, one package for each benchmark; [Agree] compares
// the raters of a table.
package companion

import (
	"context"

	"airqa/env/embed"
	"airqa/internal/exit"
	"airqa/qa"
	"airqa/qa/dataset"
)

// Benchmark is a companion benchmark. A nil function is a command that it lacks.
type Benchmark struct {
	Name, About string
	Methods     []Method
	Load        func(path string) (*dataset.Companion, error)
	Stats       func(context.Context, Request) (*Result, error)
	Baseline    func(context.Context, Request) (*Result, error)
	Score       func(context.Context, Request) (*Result, error)
	// predict makes the line of a prediction.
	predict func(dataset.Item, qa.Answer) any
}

// Method is a baseline without a language model.
type Method struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// Benchmarks are all benchmarks. To add one, write a file like argscichat.go with a function that returns it, and add a
// line here.
func Benchmarks() []Benchmark {
	return []Benchmark{
		argSciChat(),
		qasperBenchmark(),
		dorisMAE(),
	}
}

// Request is a call of one of a benchmark's functions.
type Request struct {
	// Dataset is a file or a folder.
	Dataset string
	// Method is the name of a method; empty means all.
	Method string
	// Similarity is how texts are compared in statistics: tfidf or minilm.
	Similarity string
	// Predictions is a file in the benchmark's own format.
	Predictions string
	// Annotations is a file with annotations of DORIS-MAE that replace those of the dataset; empty for none.
	Annotations string
	// Fixed corrects known flaws of the benchmark's scripts.
	Fixed bool
	// Bootstrap is the number of resamples for intervals, 0 for none.
	Bootstrap int
	Seed      uint64
	// Setting is the task of a benchmark with several; empty is its first.
	Setting string
	// TextOnly leaves out gold evidence in figures and tables.
	TextOnly bool
	// Export is a file to write the predictions of Method to, or those scored, in the benchmark's own format; empty for
	// none.
	Export string
	// Pools builds candidate pools again and compares them with those of the benchmark.
	Pools bool
	// Embedder opens the model of sentence vectors.
	Embedder func() (embed.Embedder, error)
}

// Find returns the benchmark with a name.
func Find(name string) (Benchmark, error) {
	for _, b := range Benchmarks() {
		if b.Name == name {
			return b, nil
		}
	}
	return Benchmark{}, exit.Misuse("unknown benchmark %q; airqa bench list shows all", name)
}
