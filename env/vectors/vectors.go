// Package vectors is the contract of a vector store: named collections of dense or sparse vectors, each vector
// standing for one cell of the paper database. Start from [Store], [Collection] and [Record]; env/vectors/flat
// is the embedded implementation and env/vectors/vectorstest the suite that every implementation passes.
//
// The package turns no text into a vector (see env/vectors/bm25 and env/embed) and stores no text: a [Hit]
// names the cell, and whoever wants its text reads it from the database.
package vectors

import (
	"context"
	"errors"
	"iter"
)

// Kind tells what the vectors of a collection are and how they are compared.
type Kind string

// The kinds.
const (
	// Dense vectors have a fixed number of dimensions and are compared by cosine, in [-1, 1]. The cosine with
	// a vector of zeros is 0.
	Dense Kind = "dense"
	// Sparse vectors are positions with weights and are compared by inner product. A record that shares no
	// position with the query is no hit.
	Sparse Kind = "sparse"
)

// Limits of every store, so that what one accepts another does too.
const (
	// MaxDim is the highest number of dimensions.
	MaxDim = 32768
	// MaxK is the highest number of hits that a query may ask for.
	MaxK = 16384
	// MaxName is the highest length of a collection's, table's and column's name and of a paper id, in bytes.
	MaxName = 255
	// MaxKey is the highest length of a primary key, in bytes.
	MaxKey = 512
)

// Errors that callers branch on; each comes wrapped with the name of the collection.
var (
	ErrNotFound = errors.New("no such collection")
	ErrExists   = errors.New("collection exists already")
	// ErrInvalid covers everything that a caller can get wrong about a name, vector, filter or query.
	ErrInvalid = errors.New("invalid")
	// ErrDimension is a dense vector of another length than its collection's.
	ErrDimension = errors.New("wrong dimension")
)

// Collection describes a collection. It is stored with it and comes back as it was given.
type Collection struct {
	// Name matches [A-Za-z_][A-Za-z0-9_]*.
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Dim is the number of dimensions; 0 for sparse collections.
	Dim int `json:"dim,omitempty"`
	// Model names what made the vectors, and ModelHash its weights, so that nobody searches with another model.
	Model     string `json:"model,omitempty"`
	ModelHash string `json:"model_hash,omitempty"`
	// Window is how many tokens of a passage a record stands for: a longer one has a record for each of its windows. 0 means
	// that every cell has one record, of the beginning of its text.
	Window int `json:"window,omitempty"`
	// Source is the fingerprint of the papers that the collection was made from.
	Source string `json:"source,omitempty"`
	// Encoder is what the encoder of queries needs besides (the statistics of BM25), kept byte for byte.
	Encoder []byte `json:"encoder,omitempty"`
}

// Origin names the cell of the database that a vector stands for.
type Origin struct {
	PaperID string // column pdf_id of the paper's stores
	// Page counts from 1; -1 when unknown.
	Page          int
	Table, Column string
	// Key is the primary key of the row.
	Key string
}

// Vector is one vector: the field of the collection's kind is set.
type Vector struct {
	// Dense has as many numbers as its collection has dimensions, all finite.
	Dense []float32
	// Sparse has at least one term in a record; an empty one in a query finds nothing.
	Sparse []Term
}

// Term is one position of a sparse vector. Terms are in ascending order of position, each position once.
type Term struct {
	Position uint32
	// Weight is finite and above 0.
	Weight float32
}

// Record is a vector with what it stands for. Records of one origin are windows of one cell: parts of a text that is too
// long for one vector. A store does not keep the slices.
type Record struct {
	Origin
	Vector
}

// Query asks for the K cells nearest to Vector among those that pass Filter. A cell is as near as its nearest record.
type Query struct {
	Vector
	// K is in [1, MaxK].
	K      int
	Filter Filter
}

// Hit is a cell that was found.
type Hit struct {
	Origin
	// Score is the highest cosine or inner product of the cell's records: higher is nearer. It is a float32 number; the last bits differ
	// from store to store.
	Score float64
}

// Store holds collections. Calls may overlap. Every change is durable when its call returns and seen by the
// next call on the same store; another process sees it when it opens the store.
//
// Invalid arguments are found before anything is changed ([ErrInvalid], [ErrDimension]); a name that is not
// there is [ErrNotFound].
type Store interface {
	// Create makes an empty collection; [ErrExists] if the name is taken.
	Create(ctx context.Context, c Collection) error
	// Replace makes a collection of all records, in place of the one of that name if there is one. It is the way
	// to load in bulk. When records yields an error or ctx ends, the old collection stays as it was.
	Replace(ctx context.Context, c Collection, records iter.Seq2[Record, error]) error
	// Info returns a collection's description.
	Info(ctx context.Context, name string) (Collection, error)
	// List returns all descriptions by name. Encoder may be left out.
	List(ctx context.Context) ([]Collection, error)
	// Drop removes a collection.
	Drop(ctx context.Context, name string) error
	// Insert adds records, all or none. An origin may occur any number of times.
	Insert(ctx context.Context, name string, records []Record) error
	// Delete removes the records that pass filter. The zero filter is refused: use Drop.
	Delete(ctx context.Context, name string, filter Filter) error
	// Search returns the nearest cells, each once, best first: by score downwards; equal scores by Key, then Table,
	// then Column, then PaperID upwards. A store that cannot order a group of equal scores cut by K returns any of
	// that group.
	Search(ctx context.Context, name string, q Query) ([]Hit, error)
	// Count returns how many records pass filter: a cell counts once for each of its windows.
	Count(ctx context.Context, name string, filter Filter) (int, error)
	// Close releases the store; no other call may follow.
	Close() error
}
