// Package vectors defines the contract of a vector store: named collections of dense or sparse vectors, each belonging
// to one cell of the paper database. Start from [Store], [Collection] and [Record]. env/vectors/flat is the embedded
// implementation, internal/testkit/vectorstest the conformance suite.
//
// The package neither embeds text (see env/vectors/bm25 and env/embed) nor stores it: a [Hit] identifies the cell,
// whose text is in the database.
package vectors

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"strings"
)

// Kind is the type of a collection's vectors and determines their metric.
type Kind string

// The kinds.
const (
	// Dense vectors have a fixed dimension and are compared by cosine, in [-1, 1]. The cosine with a zero vector is 0.
	Dense Kind = "dense"
	// Sparse vectors are weighted positions and are compared by inner product. A record without a common position is
	// not a hit. Only servers have this kind.
	Sparse Kind = "sparse"
	// Words are bags of words, compared by BM25 (see package bm25). The store maintains the statistics: every change of
	// the collection changes the scores. A record without a common word is not a hit. Only env/vectors/flat has this
	// kind.
	Words Kind = "words"
)

// Limits of all stores, so that they accept the same input.
const (
	// MaxDim is the maximum dimension.
	MaxDim = 32768
	// MaxK is the maximum number of hits of a query.
	MaxK = 16384
	// MaxName is the maximum length of collection, table and column names and paper ids, in bytes.
	MaxName = 255
	// MaxKey is the maximum length of a primary key, in bytes.
	MaxKey = 512
)

// Errors that callers can test for. They are wrapped with the name of the collection.
var (
	ErrNotFound = errors.New("no such collection")
	// ErrInvalid means an invalid name, vector, filter or query.
	ErrInvalid = errors.New("invalid")
	// ErrDimension means a dense vector whose dimension differs from its collection's.
	ErrDimension = errors.New("wrong dimension")
)

// Collection describes a collection. The store returns it exactly as given.
type Collection struct {
	// Name matches [A-Za-z_][A-Za-z0-9_]*.
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Dim is the dimension; 0 for sparse collections.
	Dim int `json:"dim,omitempty"`
	// Model is the name of the embedding model and ModelHash the hash of its weights. Queries must use the same model.
	Model     string `json:"model,omitempty"`
	ModelHash string `json:"model_hash,omitempty"`
	// Window is the maximum number of tokens per record of a dense collection: a longer passage has one record per window.
	Window int `json:"window,omitempty"`
	// Corpus is the column whose records are the documents that the statistics of Words are of; empty for other kinds.
	Corpus Column `json:"corpus,omitzero"`
	// Source is the fingerprint of the papers that the collection was built from.
	Source string `json:"source,omitempty"`
	// Index is the approximate index of a dense collection on a server, with its parameters; empty means that searches are
	// exact.
	Index string `json:"index,omitempty"`
	// Encoder is additional state of the query encoder (the statistics of BM25), stored byte for byte.
	Encoder []byte `json:"encoder,omitempty"`
}

// Column is a column of the paper database.
type Column struct {
	Table  string `json:"table"`
	Column string `json:"column"`
}

// Origin identifies the database cell of a vector.
type Origin struct {
	PaperID string // column pdf_id of the paper's stores
	// from 1; -1 when unknown
	Page          int
	Table, Column string
	// Key is the primary key of the row.
	Key string
}

// Vector is one vector; only the field of the collection's kind is set. A record of kind [Words] counts all words of its
// cell, so that the sum of the counts is the length of the text.
type Vector struct {
	// Dense has one finite number per dimension.
	Dense []float32
	// Sparse has at least one term in a record. In a query it may be empty and then matches nothing.
	Sparse []Term
	// Words may be empty: such a record counts as a document, but is no hit, and such a query matches nothing.
	Words []Word
}

// Word is a word of a text with its number of occurrences, at least 1. Words are strictly ascending by text.
type Word struct {
	Text  string
	Count int
}

// Term is one position of a sparse vector. Positions are strictly ascending.
type Term struct {
	Position uint32
	// Weight is finite and above 0.
	Weight float32
}

// Record is a vector with its origin. Records with the same origin are windows of one cell, whose text is too long for
// one vector. Stores do not retain the slices.
type Record struct {
	Origin
	Vector
	// Text identifies the text of a dense vector, so that the vector can be used again for the same text; 0 means unknown.
	// Only servers keep it.
	Text int64
}

// All yields records that are in memory, for [Store.Replace].
func All(records []Record) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Query asks for the K cells nearest to Vector among those that pass Filter. The nearest record of a cell counts.
type Query struct {
	Vector
	// in [1, MaxK]
	K      int
	Filter Filter
}

// Hit is a search result.
type Hit struct {
	Origin
	// Score is the highest cosine or inner product of the cell's records. It is a float32 number; the last bits differ
	// between stores.
	Score float64
}

// Store manages collections. It is safe for concurrent use. A change is durable when its call returns and visible to
// the next call on the same store; another process sees it when it opens the store.
//
// Arguments are validated before anything changes ([ErrInvalid], [ErrDimension]). A missing collection is
// [ErrNotFound].
type Store interface {
	// Replace atomically replaces or creates a collection. Use it to load in bulk. If records yields an error or ctx
	// ends, the old collection remains.
	Replace(ctx context.Context, c Collection, records iter.Seq2[Record, error]) error
	// Info returns the description of a collection.
	Info(ctx context.Context, name string) (Collection, error)
	// List returns all descriptions, ordered by name. Encoder may be empty.
	List(ctx context.Context) ([]Collection, error)
	// Insert adds all records or none. An origin may occur any number of times.
	Insert(ctx context.Context, name string, records []Record) error
	// Delete removes the records that pass filter. The zero filter is an error: use Replace.
	Delete(ctx context.Context, name string, filter Filter) error
	// Search returns the nearest cells, each once, in descending order of score; equal scores in ascending order of
	// Key, Table, Column and PaperID. If K splits a group of equal scores that the store cannot order, it may return
	// any of them.
	Search(ctx context.Context, name string, q Query) ([]Hit, error)
	// Count returns the number of records that pass filter: every window of a cell counts.
	Count(ctx context.Context, name string, filter Filter) (int, error)
	// Close releases the store; no other call may follow.
	Close() error
}

// AnyPage is the value of [Filter.Page] that matches every page.
const AnyPage = 0

// Filter selects records. All conditions must match; the zero value matches everything. It is a struct rather than an
// expression, because servers parse filter expressions differently and some crash on them.
type Filter struct {
	// Papers lists the papers to search; empty means all.
	Papers []string
	// Table and Column must match; empty means any.
	Table, Column string
	// Page must match; -1 selects records without a page, [AnyPage] any record.
	Page int
}

// IsZero reports whether f matches everything.
func (f Filter) IsZero() bool {
	return len(f.Papers) == 0 && f.Table == "" && f.Column == "" && f.Page == AnyPage
}

// Match reports whether a record of origin o passes. Every store must agree with it.
func (f Filter) Match(o Origin) bool {
	return (len(f.Papers) == 0 || slices.Contains(f.Papers, o.PaperID)) &&
		(f.Table == "" || f.Table == o.Table) &&
		(f.Column == "" || f.Column == o.Column) &&
		(f.Page == AnyPage || f.Page == o.Page)
}

// Compare defines the order of [Store.Search] results. It returns a negative number if a comes before b.
func Compare(a, b Hit) int {
	return cmp.Or(
		cmp.Compare(b.Score, a.Score),
		strings.Compare(a.Key, b.Key),
		strings.Compare(a.Table, b.Table),
		strings.Compare(a.Column, b.Column),
		strings.Compare(a.PaperID, b.PaperID),
	)
}

// Cosine returns the cosine of two vectors of one dimension, and 0 for a zero vector. Rounded to float32, it is the score of
// env/vectors/flat, bit for bit.
func Cosine(a, b []float32) float64 {
	if scale := math.Sqrt(inner(a, a)) * math.Sqrt(inner(b, b)); scale > 0 {
		return inner(a, b) / scale
	}
	return 0
}

// inner adds in the order of flat_inner in flat/kernel.h: 32 sums, then a tree.
func inner(a, b []float32) float64 {
	var s [32]float64
	for i := range a {
		s[i%32] += float64(a[i]) * float64(b[i])
	}
	for i := range 8 {
		s[i] = (s[i] + s[i+8]) + (s[i+16] + s[i+24])
	}
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}
