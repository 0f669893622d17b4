// Package bench is airqa bench: companion benchmarks beside AirQA. It has what they share: data ([Dataset]), the reader
// of lenient JSON ([Object]), tables of results ([Result]), the questions and papers of a run with a language model
// ([Questions], [Fill]), and predictions ([ReadPredictions], [WriteAnswers]).
//
// Each benchmark has a folder of its own, with its reader, metrics, baselines and tables, and is a [Benchmark] in the list
// of cmd/airqa: nothing else knows it. To add one, write such a folder and a line in that list.
package bench

import (
	"context"

	"airqa/env/embed"
	"airqa/qa"
)

// Benchmark is a companion benchmark. A nil function is a command that it lacks.
type Benchmark struct {
	Name     string                                          `json:"name"`
	About    string                                          `json:"about"`
	Methods  []Method                                        `json:"methods"`
	Load     func(path string) (*Dataset, error)             `json:"-"`
	Stats    func(context.Context, Request) (*Result, error) `json:"-"`
	Baseline func(context.Context, Request) (*Result, error) `json:"-"`
	Score    func(context.Context, Request) (*Result, error) `json:"-"`
	// Prediction makes the line of an answer in the benchmark's own format.
	Prediction func(Item, qa.Answer) any `json:"-"`
	// Ratings reads the scores of people, and of a model as the last rater, from a file of the benchmark, with the
	// annotations of a second file in place of the model's; nil if it has none.
	Ratings func(path, annotations string) (Ratings, error) `json:"-"`
}

// Method is a baseline without a language model.
type Method struct {
	Name  string `json:"name"`
	About string `json:"about"`
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
	// Annotations is a file with annotations that replace those of the dataset; empty for none.
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
