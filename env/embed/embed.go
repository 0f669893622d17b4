// Package embed turns texts into vectors for dense retrieval. [Embedder] is the contract; env/embed/minilm implements
// it in process, [OpenAI] with any OpenAI-compatible endpoint. Storage and search are in env/vectors.
package embed

import (
	"context"
	"errors"
	"fmt"
)

// ErrMismatch means that a collection was built with a different model than the query model.
var ErrMismatch = errors.New("embedding model mismatch")

// FailedError is the error of a model that returned no usable vectors although no context ended.
type FailedError struct{ Err error }

func (e *FailedError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the model.
func (e *FailedError) Unwrap() error { return e.Err }

// Embedder turns texts into vectors. It is safe for concurrent use.
type Embedder interface {
	// Embed returns one unit vector of Info().Dim numbers per text, in order. It ignores the rest of a text that is too
	// long for the model. On failure it returns no vectors; if ctx ended first, it returns ctx's error. The caller owns
	// the vectors.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Windows returns the parts of a passage to embed separately: overlapping windows of at most Info().Window tokens,
	// or the text itself if it is short enough, or if Info().OneVector.
	Windows(text string) []string
	// Info identifies the model. It is cheap and always returns the same value.
	Info() Info
}

// Blocks is how the texts of a corpus are best embedded: Texts per call of Embed, and Calls of them at once.
type Blocks struct{ Texts, Calls int }

// BlocksOf returns the blocks of a model that has a method Blocks, because its calls wait for a server. Others use all
// processors in one call, and get 256 texts at a time: enough for many cores, and little work to lose at an interruption.
func BlocksOf(model Embedder) Blocks {
	if m, ok := model.(interface{ Blocks() Blocks }); ok {
		return m.Blocks()
	}
	return Blocks{Texts: 256, Calls: 1}
}

// Queries returns the embedder of queries of a model that has a method Queries, because it embeds them in another way than
// passages. For others it is the model itself.
func Queries(model Embedder) Embedder {
	if m, ok := model.(interface{ Queries() Embedder }); ok {
		return m.Queries()
	}
	return model
}

// PartRead is the number of tokens at the start of a text that a model with a method PartRead embeds; 0 for all of them, and
// for a model that does not know its limit.
func PartRead(model Embedder, text string) int {
	if m, ok := model.(interface{ PartRead(text string) int }); ok {
		return m.PartRead(text)
	}
	return 0
}

// Info identifies a model, so that vectors of two models are never compared. Collections record it.
type Info struct {
	Model string `json:"model"`          // display name, for instance all-MiniLM-L6-v2/int8
	Hash  string `json:"hash,omitempty"` // digest of weights and vocabulary, in hex; empty if an endpoint does not provide it
	Dim   int    `json:"dim"`            // dimension; 0 if unknown before the first call
	// Weights is the folder of the weights; empty for built-in ones.
	Weights string `json:"-"`
	// Window is the maximum number of tokens per vector of a passage. Check ignores it, as it does not identify the
	// model.
	Window int `json:"window,omitempty"`
	// OneVector means that a passage is not cut into windows, whatever its length: the model reads Window tokens of it.
	OneVector bool `json:"-"`
	// Body is a JSON object with members added to the requests to an endpoint, and TextPrefix begins each passage; Hash is
	// the digest of both then. QueryPrefix begins each query; Check ignores it, as it changes no stored vector.
	Body        string `json:"body,omitempty"`
	TextPrefix  string `json:"text_prefix,omitempty"`
	QueryPrefix string `json:"query_prefix,omitempty"`
}

// Check returns an error wrapping [ErrMismatch] unless vectors of stored and i can be compared. An unknown dimension
// (0) matches any.
func (i Info) Check(stored Info) error {
	dims := i.Dim == stored.Dim || i.Dim == 0 || stored.Dim == 0
	if i.Model == stored.Model && i.Hash == stored.Hash && dims {
		return nil
	}
	return fmt.Errorf("collection was embedded with %s, not with %s: %w", stored, i, ErrMismatch)
}

// String returns the model's name with the start of its digest, if any.
func (i Info) String() string {
	if i.Hash == "" {
		return i.Model
	}
	return fmt.Sprintf("%s (%.12s)", i.Model, i.Hash)
}
