// Package embed turns texts into vectors for dense retrieval. [Embedder] is the contract; env/embed/minilm implements
// it in process, and [OpenAI] over any endpoint that speaks the OpenAI protocol. The package stores no vector and
// searches none: see env/vectors.
package embed

import (
	"context"
	"errors"
	"fmt"
)

// ErrMismatch says that a collection was made with another model than the one that would search it.
var ErrMismatch = errors.New("embedding model mismatch")

// Embedder turns texts into vectors. Calls may overlap.
type Embedder interface {
	// Embed returns one vector of Info().Dim numbers and length 1 for each text, in the order of the texts. Of a text longer
	// than the model reads, the beginning counts. It returns
	// no vectors at all when it fails, and ctx's error when ctx ended first. The caller owns the vectors.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Windows returns the parts of a passage to embed one by one: overlapping stretches of at most Info().Window tokens, or
	// the text itself when it is no longer than that.
	Windows(text string) []string
	// Info says which model answers. It costs nothing and never changes.
	Info() Info
}

// Info names a model so that vectors of two models are never compared. It is stored with a collection.
type Info struct {
	Model string `json:"model"`          // name for people, for instance all-MiniLM-L6-v2/int8
	Hash  string `json:"hash,omitempty"` // digest of weights and vocabulary, in hex; empty when an endpoint hides them
	Dim   int    `json:"dim"`            // numbers in a vector; 0 when not known before the first call
	// Window is how many tokens of a passage one vector should stand for. It does not name the model, and Check leaves it out.
	Window int `json:"window,omitempty"`
}

// Check returns an error that wraps [ErrMismatch] unless vectors made by stored may be compared with vectors of i.
// A dimension of 0, which means not known, agrees with any.
func (i Info) Check(stored Info) error {
	dims := i.Dim == stored.Dim || i.Dim == 0 || stored.Dim == 0
	if i.Model == stored.Model && i.Hash == stored.Hash && dims {
		return nil
	}
	return fmt.Errorf("collection was embedded with %s, not with %s: %w", stored, i, ErrMismatch)
}

// String is the model's name with the start of its digest, where it has one.
func (i Info) String() string {
	if i.Hash == "" {
		return i.Model
	}
	return fmt.Sprintf("%s (%.12s)", i.Model, i.Hash)
}
