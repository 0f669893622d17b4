package minilm

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"airqa/env/embed"
	"airqa/internal/files"
)

// The shape of the encoder; kernel.h repeats these numbers.
const (
	layers     = 6
	heads      = 12
	headDim    = 32
	hidden     = 1536
	vocabulary = 30522
	positions  = 512 // in the file; only the first maxPieces are used
)

// source is a set of weights in its stored form.
type source struct {
	name       string
	file       *weightsFile
	vocabulary string
	digest     string // digest of the file's data
	reduced    bool   // the layers' matrices are stored as 8-bit integers
}

// open reads the weights in dir, or the embedded ones if dir is empty, and checks them.
func open(dir string) (source, error) {
	s := source{name: "all-MiniLM-L6-v2/int8", vocabulary: embeddedVocabulary}
	data := embedded
	if dir != "" {
		var vocab []byte
		var errs [2]error
		data, errs[0] = os.ReadFile(filepath.Join(dir, "model.safetensors"))
		vocab, errs[1] = os.ReadFile(filepath.Join(dir, "vocab.txt"))
		if err := cmp.Or(errs[:]...); err != nil {
			return s, fmt.Errorf("open model: %w", err)
		}
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		s.name, s.vocabulary = filepath.Base(dir), string(vocab) // the base name is the same on any machine
	}
	var err error
	if s.file, err = parseWeights(data); err == nil {
		err = s.check()
	}
	if err != nil {
		return s, fmt.Errorf("open model %s: %w", s.name, err)
	}
	s.digest = s.file.Metadata[keyPayload] // of the embedded file: a test compares it with the data
	if dir != "" {
		s.digest = s.file.Sum()
	}
	return s, nil
}

func (s source) info() embed.Info {
	return embed.Info{Model: s.name, Hash: files.Hash(s.digest + s.vocabulary), Dim: Dim, Window: windowPieces}
}

// check verifies that every tensor of the encoder exists, so that a wrong file fails on opening.
func (s *source) check() error {
	n := 0
	for range strings.Lines(s.vocabulary) {
		n++
	}
	if n != vocabulary {
		return fmt.Errorf("vocab.txt has %d lines, want %d", n, vocabulary)
	}
	if _, err := readTables(s.file); err != nil {
		return err
	}
	s.reduced = true
	for l := range layers {
		got, err := readLayer(s.file, l)
		if err != nil {
			return err
		}
		s.reduced = s.reduced && got.reduced()
	}
	return nil
}

type layerNorm struct{ weight, bias []float32 }

// linear is an outputs x inputs matrix with its bias.
type linear struct {
	weight matrix
	bias   []float32
}

// layer is one of the six layers, in its stored form.
type layer struct {
	query, key, value, out linear
	first, second          linear // feed-forward: 384 to 1536 to 384
	afterOut, afterSecond  layerNorm
}

// reduced reports whether all matrices are stored as 8-bit integers.
func (l layer) reduced() bool {
	for _, m := range []linear{l.query, l.key, l.value, l.out, l.first, l.second} {
		if !m.weight.Reduced() {
			return false
		}
	}
	return true
}

// embeddings are the embedding tables of the tokens.
type embeddings struct {
	word, position, kind matrix
	norm                 layerNorm
}

// reader reads tensors and keeps the first error.
type reader struct {
	file *weightsFile
	err  error
}

func (r *reader) matrix(name string, rows, cols int) matrix {
	m, err := r.file.matrix(name, rows, cols)
	r.err = cmp.Or(r.err, err)
	return m
}

func (r *reader) vector(name string, n int) []float32 {
	v, err := r.file.Vector(name, n)
	r.err = cmp.Or(r.err, err)
	return v
}

func (r *reader) linear(name string, out, in int) linear {
	return linear{r.matrix(name+".weight", out, in), r.vector(name+".bias", out)}
}

func (r *reader) norm(name string) layerNorm {
	return layerNorm{r.vector(name+".weight", Dim), r.vector(name+".bias", Dim)}
}

func readTables(f *weightsFile) (embeddings, error) {
	r := reader{file: f}
	t := embeddings{
		word:     r.matrix("embeddings.word_embeddings.weight", vocabulary, Dim),
		position: r.matrix("embeddings.position_embeddings.weight", positions, Dim),
		kind:     r.matrix("embeddings.token_type_embeddings.weight", 2, Dim),
		norm:     r.norm("embeddings.LayerNorm"),
	}
	return t, r.err
}

func readLayer(f *weightsFile, l int) (layer, error) {
	r := reader{file: f}
	at := fmt.Sprintf("encoder.layer.%d.", l)
	out := layer{
		query:       r.linear(at+"attention.self.query", Dim, Dim),
		key:         r.linear(at+"attention.self.key", Dim, Dim),
		value:       r.linear(at+"attention.self.value", Dim, Dim),
		out:         r.linear(at+"attention.output.dense", Dim, Dim),
		afterOut:    r.norm(at + "attention.output.LayerNorm"),
		first:       r.linear(at+"intermediate.dense", hidden, Dim),
		second:      r.linear(at+"output.dense", Dim, hidden),
		afterSecond: r.norm(at + "output.LayerNorm"),
	}
	return out, r.err
}
